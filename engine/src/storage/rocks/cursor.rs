//! Walking a family. The end of a walk is believed only after RocksDB's status says so.

use super::handle::Handle;
use super::refusal::refused;
use crate::error::Result;
use crate::storage::family::Family;
use crate::storage::plant::{self, Bug};
use crate::storage::range::{Direction, KeyRange};
use crate::storage::store::{Cursor, Entry, ScanOptions};
use rocksdb::{DB, DBRawIteratorWithThreadMode, ReadOptions};
use std::path::Path;

/// A scan of whole files reads ahead this much.
const READAHEAD_BYTES: usize = 2 << 20;

/// Where the cursor's next step starts from.
enum Position {
    /// Before the first pair of the range.
    Start,
    /// At the pair that a seek found and that was not handed out yet.
    At,
    /// On the pair that was handed out last.
    On,
    /// Past the last pair.
    Done,
}

pub(super) struct RocksCursor<'a> {
    iterator: DBRawIteratorWithThreadMode<'a, DB>,
    direction: Direction,
    position: Position,
    range: KeyRange,
    dir: &'a Path,
}

impl<'a> RocksCursor<'a> {
    pub(super) fn new(
        handle: &'a Handle,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
        mut read: ReadOptions,
    ) -> Self {
        if within_one_prefix(family, range, options.direction) {
            read.set_prefix_same_as_start(true);
        } else {
            // Without this, a family with a prefix filter may skip files that hold later prefixes.
            read.set_total_order_seek(true);
        }
        // A forward walk starts at the lower bound and only goes up.
        if options.direction == Direction::Backward && !range.start.is_empty() {
            read.set_iterate_lower_bound(range.start.as_slice());
        }
        if let Some(end) = &range.end {
            read.set_iterate_upper_bound(end.as_slice());
        }
        if !options.keep_in_cache {
            read.fill_cache(false);
            read.set_readahead_size(READAHEAD_BYTES);
        }
        let position = if range.is_empty() {
            Position::Done
        } else {
            Position::Start
        };
        let iterator = handle.db().raw_iterator_cf_opt(handle.family(family), read);
        Self {
            iterator,
            direction: options.direction,
            position,
            range: range.clone(),
            dir: handle.dir(),
        }
    }

    fn rewind(&mut self) {
        match self.direction {
            Direction::Forward => self.iterator.seek(&self.range.start),
            Direction::Backward => self.iterator.seek_to_last(),
        }
    }

    fn step(&mut self) {
        match self.direction {
            Direction::Forward => self.iterator.next(),
            Direction::Backward => self.iterator.prev(),
        }
    }
}

impl Cursor for RocksCursor<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>> {
        match self.position {
            Position::Start => self.rewind(),
            Position::At => {}
            Position::On if self.iterator.valid() => self.step(),
            // The walk has stopped at damage, and stays there.
            Position::On => {}
            Position::Done => return Ok(None),
        }
        self.position = Position::On;
        if self.iterator.valid() {
            return Ok(self
                .iterator
                .item()
                .map(|(key, value)| Entry { key, value }));
        }
        if plant::is(Bug::IgnoreStatus) {
            return Ok(None);
        }
        // A damaged block ends the walk just as the last key does; only the status tells them apart.
        self.iterator
            .status()
            .map_err(|error| refused("scan", self.dir, &error))?;
        self.position = Position::Done;
        Ok(None)
    }

    fn seek(&mut self, key: &[u8]) {
        if self.range.is_empty() {
            return;
        }
        match self.direction {
            Direction::Forward => self.iterator.seek(key.max(&self.range.start)),
            Direction::Backward => match &self.range.end {
                Some(end) if key >= end.as_slice() => self.iterator.seek_to_last(),
                _ if key < self.range.start.as_slice() => {
                    self.position = Position::Done;
                    return;
                }
                _ => self.iterator.seek_for_prev(key),
            },
        }
        self.position = Position::At;
    }
}

/// Whether every key of the range shares the family's filtered prefix, so that the filter applies.
fn within_one_prefix(family: Family, range: &KeyRange, direction: Direction) -> bool {
    let Some(bytes) = family.spec().tuning.prefix_bytes else {
        return false;
    };
    let (Some(prefix), Some(end)) = (range.start.get(..bytes), &range.end) else {
        return false;
    };
    direction == Direction::Forward
        && crate::codec::prefix_end(prefix)
            .is_some_and(|beyond| end.as_slice() <= beyond.as_slice())
}
