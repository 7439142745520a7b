//! One family of the store in memory: an ordered map from keys to short histories of values.
//!
//! A *view* is a version number at which somebody reads or may begin to read. A value is needed as
//! long as there is a view between its own version and that of its successor. This file knows
//! nothing of locks or snapshots; its callers pass the views.

use crate::storage::range::Direction;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// Keys and values are shared, so that a cursor can keep them without copying or locking.
pub(super) type Bytes = Arc<[u8]>;

/// What a key costs beyond its bytes: its place in the tree, a history, a reference count.
const KEY_OVERHEAD_BYTES: u64 = 96;
/// What each value costs beyond its bytes.
const VALUE_OVERHEAD_BYTES: u64 = 40;

/// One family's keys.
#[derive(Default)]
pub(super) struct Tree {
    histories: BTreeMap<Bytes, History>,
    /// How many keys have a value at the newest version.
    live_keys: u64,
    bytes: u64,
}

/// What a key has held, as far as somebody may still ask.
struct History {
    newest: Value,
    /// Earlier values, oldest first; almost always none, and then it takes no memory.
    older: Vec<Value>,
    /// Whether the key waits in the queue of the sweep, where it must not be twice.
    queued: bool,
}

struct Value {
    version: u64,
    /// `None` is a delete.
    bytes: Option<Bytes>,
}

impl Tree {
    /// Writes `value` (`None` deletes) at `version`, the newest there is.
    ///
    /// Returns whether the key now needs [`sweep`](Self::sweep) and is not yet waiting for it.
    pub(super) fn set(
        &mut self,
        key: &[u8],
        version: u64,
        value: Option<Bytes>,
        views: &[u64],
    ) -> bool {
        let newest = Value {
            version,
            bytes: value,
        };
        let Some(history) = self.histories.get_mut(key) else {
            if newest.bytes.is_some() {
                let history = History {
                    newest,
                    older: Vec::new(),
                    queued: false,
                };
                self.live_keys += 1;
                self.bytes += history.bytes(key);
                self.histories.insert(key.into(), history);
            }
            return false;
        };
        self.bytes -= history.bytes(key);
        self.live_keys -= u64::from(history.newest.bytes.is_some());
        self.live_keys += u64::from(newest.bytes.is_some());
        let before = std::mem::replace(&mut history.newest, newest);
        // Two runs of one ingest may hold the same key; the later one counts.
        if before.version != version {
            history.older.push(before);
        }
        history.prune(views);
        self.bytes += history.bytes(key);
        let queue = history.is_stale() && !history.queued;
        history.queued |= queue;
        queue
    }

    /// Drops what no view sees of `key`; returns whether it must be swept again later.
    pub(super) fn sweep(&mut self, key: &[u8], views: &[u64]) -> bool {
        let Some(history) = self.histories.get_mut(key) else {
            return false;
        };
        self.bytes -= history.bytes(key);
        history.prune(views);
        if history.older.is_empty() && history.newest.bytes.is_none() {
            self.histories.remove(key);
            return false;
        }
        self.bytes += history.bytes(key);
        history.queued = history.is_stale();
        history.queued
    }

    /// The value of `key` as `view` sees it.
    pub(super) fn get(&self, key: &[u8], view: u64) -> Option<Bytes> {
        self.histories.get(key)?.at(view).cloned()
    }

    /// Collects up to `limit` pairs that `view` sees into `pairs`, looking at no more than `looks`
    /// keys: a stretch of deleted keys must not keep the caller's lock for long.
    ///
    /// Returns the key to go on behind, or `None` when there are no more. The bounds must not cross.
    pub(super) fn collect(
        &self,
        bounds: (Bound<&[u8]>, Bound<&[u8]>),
        direction: Direction,
        view: u64,
        (limit, looks): (usize, usize),
        pairs: &mut Vec<(Bytes, Bytes)>,
    ) -> Option<Bytes> {
        let mut take = |walk: &mut dyn Iterator<Item = (&Bytes, &History)>| {
            for (looked, (key, history)) in walk.enumerate() {
                if let Some(value) = history.at(view) {
                    pairs.push((Arc::clone(key), Arc::clone(value)));
                }
                if pairs.len() >= limit || looked + 1 >= looks {
                    return Some(Arc::clone(key));
                }
            }
            None
        };
        let mut walk = self.histories.range::<[u8], _>(bounds);
        match direction {
            Direction::Forward => take(&mut walk),
            Direction::Backward => take(&mut walk.rev()),
        }
    }

    /// How many keys have a value now.
    pub(super) fn live_keys(&self) -> u64 {
        self.live_keys
    }

    /// How many values its histories hold.
    #[cfg(test)]
    pub(super) fn kept_values(&self) -> usize {
        self.histories
            .values()
            .map(|history| 1 + history.older.len())
            .sum()
    }

    /// About how much memory it takes, histories included.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl History {
    fn at(&self, view: u64) -> Option<&Bytes> {
        let mut values = std::iter::once(&self.newest).chain(self.older.iter().rev());
        values.find(|value| value.version <= view)?.bytes.as_ref()
    }

    /// Keeps of the older values those that one of `views` (rising) sees.
    fn prune(&mut self, views: &[u64]) {
        let mut place = 0;
        while let Some(value) = self.older.get(place) {
            let next = self.older.get(place + 1).unwrap_or(&self.newest);
            let view = views.get(views.partition_point(|view| *view < value.version));
            let seen = view.is_some_and(|view| *view < next.version);
            // Where nothing older is left, a delete says what a missing value says as well.
            let says_nothing = place == 0 && value.bytes.is_none();
            if seen && !says_nothing {
                place += 1;
            } else {
                self.older.remove(place);
            }
        }
    }

    /// Whether it is more than one plain value.
    fn is_stale(&self) -> bool {
        !self.older.is_empty() || self.newest.bytes.is_none()
    }

    fn bytes(&self, key: &[u8]) -> u64 {
        let values = self.older.iter().chain(std::iter::once(&self.newest));
        let values = values.map(|value| {
            VALUE_OVERHEAD_BYTES + value.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)
        });
        KEY_OVERHEAD_BYTES + key.len() as u64 + values.sum::<u64>()
    }
}
