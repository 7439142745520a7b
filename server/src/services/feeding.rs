//! A client's stream of parts on its way to the thread that works on them: the thread blocks, the stream does not.

use crate::failure::Failure;
use crate::intake::why_none;
use std::future::Future;
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::CancelToken;
use tokio::sync::mpsc;
use tonic::Streaming;

/// How many parts may wait for the thread: the client's stream is read no faster than it works.
pub(in crate::services) const WAITING_PARTS: usize = 2;

/// What goes from the client's stream to the thread.
pub(in crate::services) type Fed<P> = Result<P, Failure>;

/// How long a stream may take, and what is said of one that does not end as it should.
pub(in crate::services) struct Feeding<M, P> {
    /// The longest that the client may be silent.
    pub(in crate::services) idle: Duration,
    /// When it is over, however quick the client is.
    pub(in crate::services) ends: Instant,
    /// What a message holds, if this server knows it.
    pub(in crate::services) part: fn(M) -> Option<P>,
    /// Whether it is the last.
    pub(in crate::services) is_finish: fn(&P) -> bool,
    /// What is said where it is missing.
    pub(in crate::services) unfinished: &'static str,
    /// What is said of a client that was silent for so long.
    pub(in crate::services) silent: fn(Duration) -> Failure,
}

impl<M, P> Feeding<M, P> {
    /// Feeds on a task of its own. Work that is not done when the time is over is cancelled: nobody waits for a model longer
    /// than for a client.
    pub(in crate::services) fn spawn(
        self,
        stream: Streaming<M>,
        feed: mpsc::Sender<Fed<P>>,
        over: impl Future<Output = ()> + Send + 'static,
        cancel: CancelToken,
    ) where
        M: Send + 'static,
        P: Send + 'static,
    {
        let ends = self.ends;
        tokio::spawn(async move {
            let all = async {
                self.feed(stream, &feed, over).await;
                feed.closed().await;
            };
            tokio::select! {
                () = all => {}
                // Also while parts wait for the thread.
                () = tokio::time::sleep_until(ends.into()) => cancel.cancel(),
            }
        });
    }

    /// Hands the client's parts to the thread, while they come and there is time, and until the server is `over`.
    pub(in crate::services) async fn feed(
        self,
        stream: Streaming<M>,
        feed: &mpsc::Sender<Fed<P>>,
        over: impl Future<Output = ()>,
    ) {
        tokio::select! {
            () = self.all(stream, feed) => {}
            // A client that sends nothing must not hold the server's end.
            () = over => drop(feed.send(Err(Failure::ShuttingDown)).await),
        }
    }

    async fn all(&self, mut stream: Streaming<M>, feed: &mpsc::Sender<Fed<P>>) {
        loop {
            let left = self.ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // A message that is there already is no reason to go on.
                let _ = feed.send(Err(Failure::Deadline)).await;
                return;
            }
            let part = match tokio::time::timeout(self.idle.min(left), stream.message()).await {
                Err(_) if left < self.idle => Err(Failure::Deadline),
                Err(_) => Err((self.silent)(self.idle)),
                Ok(Err(status)) => Err(why_none(&status)),
                Ok(Ok(None)) => Err(Failure::request("part", self.unfinished)),
                Ok(Ok(Some(message))) => (self.part)(message)
                    .ok_or_else(|| Failure::request("part", "this server does not know it")),
            };
            let is_last = part.as_ref().map_or(true, self.is_finish);
            if feed.send(part).await.is_err() || is_last {
                return;
            }
        }
    }
}
