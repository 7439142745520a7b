//! Progress of long work and its last word, for a client that may not listen.

use std::time::{Duration, Instant};
use stratigraph::storage::cancel::Progress;
use stratigraph_proto::v1;
use tokio::sync::mpsc;
use tonic::Status;

/// Progress is told this often at most.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// Where long work says how far it is. Nothing here waits for the client: progress that nobody takes is left out, and
/// there is always room for the last word.
pub(super) struct Reports<M> {
    sender: mpsc::Sender<Result<M, Status>>,
    told: fn(v1::WorkProgress) -> M,
    last: Option<Instant>,
}

impl<M> Reports<M> {
    pub(super) fn new(
        told: fn(v1::WorkProgress) -> M,
    ) -> (Self, mpsc::Receiver<Result<M, Status>>) {
        let (sender, receiver) = mpsc::channel(8);
        let reports = Self {
            sender,
            told,
            last: None,
        };
        (reports, receiver)
    }

    /// Says how far it is, now and then.
    pub(super) fn progress(&mut self, progress: &Progress<'_>) {
        if self
            .last
            .is_none_or(|last| last.elapsed() >= BETWEEN_REPORTS)
        {
            self.last = Some(Instant::now());
            self.tell(v1::WorkProgress {
                step: progress.step.to_owned(),
                done: progress.done,
                total: progress.total,
            });
        }
    }

    fn tell(&self, progress: v1::WorkProgress) {
        // Nobody else sends, so the place for the last word stays free.
        if self.sender.capacity() > 1 {
            let _ = self.sender.try_send(Ok((self.told)(progress)));
        }
    }

    /// Says how it has ended.
    pub(super) fn last(self, word: Result<M, Status>) {
        let _ = self.sender.try_send(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_client_that_does_not_listen_and_the_last_word_is_kept() {
        let (reports, mut receiver) = Reports::new(|progress| progress.done);
        for done in 0..100 {
            reports.tell(v1::WorkProgress {
                done,
                ..v1::WorkProgress::default()
            });
        }
        reports.last(Ok(1000));
        let mut heard = Vec::new();
        while let Some(word) = receiver.blocking_recv() {
            heard.push(word.unwrap());
        }
        assert_eq!(heard, [0, 1, 2, 3, 4, 5, 6, 1000]);
    }
}
