//! What somebody is at: of each thing one at a time, and who wants the same waits.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often whoever waits looks whether they are to stop.
const LOOKS: Duration = Duration::from_millis(100);

/// The things that somebody is at now.
pub(crate) struct UnderWay<K> {
    keys: Mutex<BTreeSet<K>>,
    one_ended: Condvar,
}

/// Nobody else is at this. Ends when it is dropped, however the work ended.
#[must_use]
pub(crate) struct Turn<'a, K: Ord> {
    of: &'a UnderWay<K>,
    key: K,
}

impl<K: Ord + Clone> UnderWay<K> {
    pub(crate) const fn new() -> Self {
        Self {
            keys: Mutex::new(BTreeSet::new()),
            one_ended: Condvar::new(),
        }
    }

    /// Waits until nobody else is at this; nothing if meanwhile it is to stop.
    pub(crate) fn enter(&self, key: K, stops: impl Fn() -> bool) -> Option<Turn<'_, K>> {
        let mut keys = lock(&self.keys);
        while keys.contains(&key) {
            if stops() {
                return None;
            }
            let waited = self.one_ended.wait_timeout(keys, LOOKS);
            (keys, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        keys.insert(key.clone());
        Some(Turn { of: self, key })
    }
}

impl<K: Ord> Drop for Turn<'_, K> {
    fn drop(&mut self) {
        lock(&self.of.keys).remove(&self.key);
        self.of.one_ended.notify_all();
    }
}

fn lock<K>(keys: &Mutex<BTreeSet<K>>) -> MutexGuard<'_, BTreeSet<K>> {
    keys.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_is_at_a_thing_and_who_waits_may_be_stopped() {
        let under_way = UnderWay::new();
        let turn = under_way.enter("basalt", || false).unwrap();
        assert!(under_way.enter("basalt", || true).is_none());
        // Another thing is something else.
        drop(under_way.enter("chalk", || true).unwrap());
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| under_way.enter("basalt", || false).is_some());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waits.is_finished());
            drop(turn);
            assert!(waits.join().unwrap());
        });
        assert!(under_way.enter("basalt", || true).is_some());
    }
}
