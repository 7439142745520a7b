//! Who writes which summary: of each one at a time, in all of this process.
//!
//! Statements, calls of a server and programs open the same database anew, and none knows of what another asks a model. Whoever
//! wants what somebody else is writing waits for it, looks then, and finds that it stands: nothing is paid for twice, and what
//! two have to do they share. Other processes need not be thought of: a database is open in one that writes.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stratigraph::codec::DatabaseId;
use stratigraph::storage::cancel::CancelToken;

use crate::build::NodeKey;

/// What is written by somebody now.
static CLAIMED: Claimed = Claimed {
    nodes: Mutex::new(BTreeSet::new()),
    one_ended: Condvar::new(),
};

/// How often whoever waits looks whether he is to stop.
const LOOKS: Duration = Duration::from_millis(100);

struct Claimed {
    nodes: Mutex<BTreeSet<(DatabaseId, NodeKey)>>,
    one_ended: Condvar,
}

/// Nobody else writes this summary. Ends when it is dropped, however the writing ended.
#[must_use]
pub(super) struct Claim {
    of: (DatabaseId, NodeKey),
}

impl Claim {
    /// Waits until nobody else writes the summary of this; nothing if somebody said meanwhile that it should stop.
    pub(super) fn enter(db: DatabaseId, node: &NodeKey, cancel: &CancelToken) -> Option<Self> {
        let of = (db, node.clone());
        let mut nodes = claimed();
        while nodes.contains(&of) {
            if cancel.is_cancelled() {
                return None;
            }
            let waited = CLAIMED.one_ended.wait_timeout(nodes, LOOKS);
            (nodes, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        nodes.insert(of.clone());
        Some(Self { of })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        claimed().remove(&self.of);
        CLAIMED.one_ended.notify_all();
    }
}

fn claimed() -> MutexGuard<'static, BTreeSet<(DatabaseId, NodeKey)>> {
    CLAIMED.nodes.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Label;

    #[test]
    fn one_at_a_time_writes_a_summary_and_who_waits_may_be_stopped() {
        let [one, other] = [1, 2].map(|byte| DatabaseId::from_bytes([byte; 16]));
        let node = NodeKey::new(Label::Entity, "basalt");
        let (never, stopped) = (CancelToken::new(), CancelToken::new());
        stopped.cancel();
        let claim = Claim::enter(one, &node, &never).unwrap();
        assert!(Claim::enter(one, &node, &stopped).is_none());
        // What another database has under the same name is something else.
        drop(Claim::enter(other, &node, &stopped).unwrap());
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| Claim::enter(one, &node, &never).is_some());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waits.is_finished());
            drop(claim);
            assert!(waits.join().unwrap());
        });
        assert!(Claim::enter(one, &node, &stopped).is_some());
    }
}
