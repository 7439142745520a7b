//! What a thread tells its client: progress as far as it fits, reports in any case. How it failed lies ready for the
//! client, however late that comes for it.

use crate::failure::Failure;
use crate::status::status;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
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
    receiver: mpsc::Receiver<M>,
    failed: Arc<OnceLock<Status>>,
    is_over: bool,
    cancel: CancelToken,
}

/// Where the work tells what it has to tell.
pub(in crate::services) struct Teller<M> {
    sender: mpsc::Sender<M>,
    failed: Arc<OnceLock<Status>>,
    patience: Duration,
    handle: Handle,
}

/// Both ends.
pub(in crate::services) fn telling<M>(
    patience: Duration,
    cancel: &CancelToken,
) -> (Teller<M>, ToldStream<M>) {
    let (sender, receiver) = mpsc::channel(WAITING_MESSAGES);
    let failed = Arc::new(OnceLock::new());
    let teller = Teller {
        sender,
        failed: Arc::clone(&failed),
        patience,
        handle: Handle::current(),
    };
    let cancel = cancel.clone();
    let told = ToldStream {
        receiver,
        failed,
        is_over: false,
        cancel,
    };
    (teller, told)
}

impl<M> Teller<M> {
    /// Tells it if there is room.
    pub(in crate::services) fn perhaps(&self, message: M) {
        if self.sender.capacity() > WAITING_MESSAGES / 2 {
            let _ = self.sender.try_send(message);
        }
    }

    /// Tells it, and waits until there is room: for so long.
    pub(in crate::services) fn surely(&self, message: M) -> Result<(), Failure> {
        let send = tokio::time::timeout(self.patience, self.sender.send(message));
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
        let _ = self.failed.set(status(failure));
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
        if self.is_over {
            return Poll::Ready(None);
        }
        let Poll::Ready(message) = self.receiver.poll_recv(context) else {
            return Poll::Pending;
        };
        self.is_over = message.is_none();
        Poll::Ready(match message {
            Some(message) => Some(Ok(message)),
            None => self.failed.get().cloned().map(Err),
        })
    }
}
