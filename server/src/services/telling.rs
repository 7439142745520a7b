//! What a thread tells its client: progress as far as it fits, reports in any case.

use crate::failure::Failure;
use crate::status::status;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tonic::Status;

/// How many messages to the client may wait; progress that does not fit is left out.
const WAITING_MESSAGES: usize = 16;

/// Messages on their way to a client. Dropping it cancels the work.
pub(crate) struct ToldStream<M> {
    receiver: mpsc::Receiver<Result<M, Status>>,
    cancel: CancelToken,
}

/// Where the work tells what it has to tell.
pub(in crate::services) struct Teller<M> {
    sender: mpsc::Sender<Result<M, Status>>,
    patience: Duration,
    handle: Handle,
}

/// Both ends.
pub(in crate::services) fn telling<M>(
    patience: Duration,
    cancel: &CancelToken,
) -> (Teller<M>, ToldStream<M>) {
    let (sender, receiver) = mpsc::channel(WAITING_MESSAGES);
    let teller = Teller {
        sender,
        patience,
        handle: Handle::current(),
    };
    let cancel = cancel.clone();
    (teller, ToldStream { receiver, cancel })
}

impl<M> Teller<M> {
    /// Tells it if there is room.
    pub(in crate::services) fn perhaps(&self, message: M) {
        if self.sender.capacity() > WAITING_MESSAGES / 2 {
            let _ = self.sender.try_send(Ok(message));
        }
    }

    /// Tells it, and waits until there is room: for so long.
    pub(in crate::services) fn surely(&self, message: M) -> Result<(), Failure> {
        let send = tokio::time::timeout(self.patience, self.sender.send(Ok(message)));
        match self.handle.block_on(send) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Failure::Cancelled),
            Err(_) => Err(Failure::Stalled {
                limit: self.patience,
            }),
        }
    }

    /// The end of a call that has failed.
    pub(in crate::services) fn fail(&self, failure: &Failure) {
        let send = self.sender.send(Err(status(failure)));
        // Who does not hear it has left, or will learn that the stream has ended.
        let _ = self
            .handle
            .block_on(tokio::time::timeout(self.patience, send));
    }
}

impl<M> Drop for ToldStream<M> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl<M> Stream for ToldStream<M> {
    type Item = Result<M, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context)
    }
}
