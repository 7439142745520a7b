//! Work of one database that takes long and may ask the model: on a thread of its own, with the place, the limit and the end
//! of an ingestion.

use crate::caller::Caller;
use crate::databases::{Hold, INGESTION, OpenDatabase};
use crate::ending::UnderWay;
use crate::failure::Failure;
use crate::services::telling::{Teller, ToldStream, telling};
use crate::shared::Shared;
use crate::work::{HeldPlace, caught};
use std::sync::Arc;
use std::time::Instant;
use stratigraph::storage::cancel::CancelToken;
use tonic::Status;

/// What the work has to do with.
pub(super) struct Long<M> {
    pub(super) shared: Arc<Shared>,
    pub(super) database: Arc<OpenDatabase>,
    pub(super) teller: Teller<M>,
    pub(super) cancel: CancelToken,
    _hold: Hold,
    _place: HeldPlace,
    _under_way: UnderWay,
}

impl<M: Send + 'static> Long<M> {
    /// Begins with it, if this caller may still have something under way.
    pub(super) fn start(
        shared: &Arc<Shared>,
        caller: &Caller,
        database: Arc<OpenDatabase>,
        work: impl FnOnce(&Self) -> Result<(), Failure> + Send + 'static,
    ) -> Result<ToldStream<M>, Status> {
        let place = shared.ingestions.take(caller.identity.name())?;
        let cancel = CancelToken::new();
        let (teller, told) = telling(shared.config.max_ingestion_idle.0, &cancel);
        let long = Self {
            _hold: database.holds.hold(INGESTION),
            _under_way: shared.ending.under_way(&cancel),
            shared: Arc::clone(shared),
            database,
            teller,
            cancel: cancel.clone(),
            _place: place,
        };
        let ends = Instant::now() + shared.config.max_ingestion_time.0;
        let run = move || {
            if let Err(failure) = caught(|| work(&long)) {
                long.teller.fail(&super::why(&long.shared, ends, failure));
            }
        };
        let span = tracing::Span::current();
        let ran = tokio::task::spawn_blocking(move || span.in_scope(run));
        tokio::spawn(async move {
            if tokio::time::timeout_at(ends.into(), ran).await.is_err() {
                cancel.cancel();
            }
        });
        Ok(told)
    }
}
