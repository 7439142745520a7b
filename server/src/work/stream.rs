//! The answer to a statement as the client takes it.
//!
//! It never ends as if all were well when it is not: without a summary there is a status.

use super::outlet::Part;
use crate::failure::Failure;
use crate::status::status;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use stratigraph::storage::cancel::CancelToken;
use stratigraph_proto::v1;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_stream::Stream;
use tonic::Status;

/// A part on its way, and the room that it takes until the client has it.
pub(super) struct Sent {
    pub(super) part: Part,
    pub(super) _room: OwnedSemaphorePermit,
}

/// How an answer has ended, if badly.
#[derive(Clone, Default)]
pub(super) struct Ending(Arc<OnceLock<Status>>);

impl Ending {
    /// Says it; the first word counts.
    pub(super) fn say(&self, status: Status) {
        let _ = self.0.set(status);
    }
}

/// The parts as they come, as the messages of a method. Dropping it cancels the statement.
pub(crate) struct PartStream<M> {
    receiver: mpsc::UnboundedReceiver<Sent>,
    room: Arc<Semaphore>,
    cancel: CancelToken,
    ending: Ending,
    /// What it ends with if nobody has said how it ended.
    unsaid: Failure,
    is_over: bool,
    messages: PhantomData<fn() -> M>,
}

impl<M> PartStream<M> {
    pub(super) fn new(
        receiver: mpsc::UnboundedReceiver<Sent>,
        room: &Arc<Semaphore>,
        ending: &Ending,
        cancel: &CancelToken,
        unsaid: Failure,
    ) -> Self {
        Self {
            receiver,
            room: Arc::clone(room),
            cancel: cancel.clone(),
            ending: ending.clone(),
            unsaid,
            is_over: false,
            messages: PhantomData,
        }
    }

    /// The last word of an answer that has no summary.
    fn last_word(&self) -> Status {
        let said = self.ending.0.get().cloned();
        said.unwrap_or_else(|| status(&self.unsaid))
    }
}

impl<M> Drop for PartStream<M> {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.room.close();
    }
}

impl<M: From<Part>> Stream for PartStream<M> {
    type Item = Result<M, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let Poll::Ready(sent) = self.receiver.poll_recv(context) else {
            return Poll::Pending;
        };
        self.is_over = matches!(
            sent,
            None | Some(Sent {
                part: Part::Summary(_),
                ..
            })
        );
        Poll::Ready(Some(match sent {
            Some(sent) => Ok(sent.part.into()),
            None => Err(self.last_word()),
        }))
    }
}

impl From<Part> for v1::QueryResponse {
    fn from(part: Part) -> Self {
        use v1::query_response::Part as To;
        let part = match part {
            Part::Header(header) => To::Header(header),
            Part::Rows(rows) => To::Rows(rows),
            Part::Summary(summary) => To::Summary(*summary),
        };
        Self { part: Some(part) }
    }
}

impl From<Part> for v1::RunInTransactionResponse {
    fn from(part: Part) -> Self {
        use v1::run_in_transaction_response::Part as To;
        let part = match part {
            Part::Header(header) => To::Header(header),
            Part::Rows(rows) => To::Rows(rows),
            Part::Summary(summary) => To::Summary(*summary),
        };
        Self { part: Some(part) }
    }
}
