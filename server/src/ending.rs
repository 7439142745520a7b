//! How far the end of a server has come, and who is told.
//!
//! ```text
//! Serving ──> Draining ──────────────> Closing ───────────────> Over ────────────────> Gone
//!             nothing begins; open     no transaction is left:  the limit is near:     what has not left
//!             transactions go on       streams may finish,      all work is cancelled, by now is dropped
//!                                      connections are closed   all answers are cut
//! ```
//! Whoever waits for a client waits for a stage as well, so that no client can hold the process.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use stratigraph::storage::cancel::CancelToken;
use tokio::sync::watch;

/// How far the end has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// It has not begun.
    Serving,
    /// Nothing begins, and transactions that are open may go on.
    Draining,
    /// No transaction is open: connections are closed once their answers are out.
    Closing,
    /// What is left is cancelled.
    Over,
    /// What is left is dropped.
    Gone,
}

/// How far the end of a server has come, and what it must cancel.
pub(crate) struct Ending {
    stage: watch::Sender<Stage>,
    work: Mutex<Work>,
}

#[derive(Default)]
struct Work {
    next: u64,
    under_way: HashMap<u64, CancelToken>,
}

/// Says that work is under way, which the end cancels, as long as it lives.
pub(crate) struct UnderWay {
    ending: Arc<Ending>,
    number: u64,
}

impl Ending {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            stage: watch::Sender::new(Stage::Serving),
            work: Mutex::default(),
        })
    }

    /// How far it has come.
    pub(crate) fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    /// Goes on to a stage; nothing goes back.
    pub(crate) fn reach(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let later = stage > *now;
            *now = stage.max(*now);
            later
        });
        if stage >= Stage::Over {
            for cancel in self.work.lock().under_way.values() {
                cancel.cancel();
            }
        }
    }

    /// Waits for a stage.
    pub(crate) fn reached(&self, stage: Stage) -> impl Future<Output = ()> + Send + use<> {
        let mut stages = self.stage.subscribe();
        async move {
            // Nobody is left to say it: then it is over as well.
            let _ = stages.wait_for(|now| *now >= stage).await;
        }
    }

    /// Work that `cancel` stops begins.
    pub(crate) fn under_way(self: &Arc<Self>, cancel: &CancelToken) -> UnderWay {
        let mut work = self.work.lock();
        let number = work.next;
        work.next += 1;
        work.under_way.insert(number, cancel.clone());
        drop(work);
        if self.stage() >= Stage::Over {
            cancel.cancel();
        }
        UnderWay {
            ending: Arc::clone(self),
            number,
        }
    }

    /// How much work is under way.
    pub(crate) fn work(&self) -> usize {
        self.work.lock().under_way.len()
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.ending.work.lock().under_way.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stages_only_go_on_and_the_end_cancels_what_is_under_way_and_what_comes_late() {
        let ending = Ending::new();
        let (early, gone, late) = (CancelToken::new(), CancelToken::new(), CancelToken::new());
        let _early = ending.under_way(&early);
        drop(ending.under_way(&gone));
        ending.reach(Stage::Closing);
        ending.reach(Stage::Draining);
        assert_eq!(ending.stage(), Stage::Closing);
        ending.reached(Stage::Draining).await;
        assert!(!early.is_cancelled() && ending.work() == 1);
        let over = ending.reached(Stage::Over);
        ending.reach(Stage::Over);
        over.await;
        let _late = ending.under_way(&late);
        assert!(early.is_cancelled() && late.is_cancelled() && !gone.is_cancelled());
    }
}
