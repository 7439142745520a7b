//! Summaries at an address: the server writes them, with the models that it was started with.

use super::Server;
use crate::failure::Failure;
use std::sync::mpsc;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_client::{RagProgress, Resummarised};
use stratigraph_rag::door::Resummarise;

impl Server {
    /// Has summaries written, or says what that would cost; `told` hears how far it is. Each is a transaction of its own: what
    /// was written stays, also if this is cancelled.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn resummarise(
        &self,
        wanted: &Resummarise,
        dry_run: bool,
        cancel: &CancelToken,
        told: &mut dyn FnMut(RagProgress),
    ) -> Result<Resummarised, Failure> {
        let most = u32::try_from(wanted.most).unwrap_or(u32::MAX);
        let mut builder = self.client.rag().resummarise().most(most);
        if wanted.domains {
            builder = builder.domains();
        }
        if wanted.entities {
            builder = builder.entities();
        }
        if dry_run {
            builder = builder.dry_run();
        }
        builder = match wanted.central {
            Some(true) => builder.central(),
            Some(false) => builder.by_model(),
            None => builder,
        };
        let (send, heard) = mpsc::channel();
        // Nobody listens any more once the call is over.
        let builder = builder.on_progress(move |now| {
            let _ = send.send(now);
        });
        let done = self.until_hearing(cancel, builder.run(), &heard, told)?;
        Ok(done.map_err(|error| self.failure(&error, ""))?)
    }
}
