//! The bytes of one file: what is durable, and the changes that a power loss may keep or lose.
//!
//! A pending write reaches the disk in 4 KiB blocks, in no order, and a block may hold any of the
//! versions it went through, because the kernel may have written it back at any time. Sizes shrink
//! in order, as metadata does; a file may be longer than the data that reached it, with zeros.
//!
//! It must never lose a durable byte that no later change touched, nor invent one. Next: `disk.rs`.

use super::disk::Mode;
use super::record::Recording;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

const BLOCK: usize = 4096;
const SECTOR: usize = 512;

/// What a call did to the bytes of a file. Offsets fit: the parser bounds them.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Write { offset: usize, data: Range<usize> },
    Truncate { size: usize },
    Allocate { size: usize },
    Zero { offset: usize, len: usize },
}

#[derive(Clone, Debug)]
struct Pending {
    /// The index of the op, to tell what a sync covers.
    position: usize,
    change: Change,
    /// A sync of this failed: the kernel may have marked the block clean without writing it, so
    /// that later successful syncs no longer cover it.
    forsaken: bool,
}

/// One file on the modelled disk.
#[derive(Default)]
pub(super) struct Content {
    durable: Arc<Vec<u8>>,
    pending: Vec<Pending>,
}

impl Change {
    /// The bytes that get a new value, and so the blocks that become dirty.
    fn touched(&self) -> Range<usize> {
        match self {
            Change::Write { offset, data } => *offset..offset + data.len(),
            Change::Zero { offset, len } => *offset..offset + len,
            Change::Truncate { .. } | Change::Allocate { .. } => 0..0,
        }
    }

    fn apply(&self, bytes: &mut Vec<u8>, recording: &Recording) {
        match self {
            Change::Write { offset, data } => {
                let end = offset + data.len();
                grow(bytes, end);
                bytes[*offset..end].copy_from_slice(recording.bytes(data));
            }
            Change::Truncate { size } => bytes.resize(*size, 0),
            Change::Allocate { size } => grow(bytes, *size),
            Change::Zero { offset, len } => {
                let end = (offset + len).min(bytes.len());
                if *offset < end {
                    bytes[*offset..end].fill(0);
                }
            }
        }
    }

    /// The part of a write or hole inside one range of the file.
    fn clipped(&self, to: &Range<usize>) -> Option<Change> {
        let touched = self.touched();
        let (start, end) = (touched.start.max(to.start), touched.end.min(to.end));
        if start >= end {
            return None;
        }
        Some(match self {
            Change::Write { offset, data } => {
                let from = data.start + (start - offset);
                Change::Write {
                    offset: start,
                    data: from..from + (end - start),
                }
            }
            _ => Change::Zero {
                offset: start,
                len: end - start,
            },
        })
    }

    /// The size of the file after this, given the size before.
    fn size_after(&self, size: usize) -> usize {
        match self {
            Change::Write { .. } => size.max(self.touched().end),
            Change::Truncate { size } => *size,
            Change::Allocate { size: least } => size.max(*least),
            Change::Zero { .. } => size,
        }
    }
}

fn grow(bytes: &mut Vec<u8>, size: usize) {
    if bytes.len() < size {
        bytes.resize(size, 0);
    }
}

fn blocks(range: &Range<usize>) -> Range<usize> {
    range.start / BLOCK..range.end.div_ceil(BLOCK)
}

fn block_bytes(block: usize) -> Range<usize> {
    block * BLOCK..(block + 1) * BLOCK
}

impl Content {
    pub(super) fn change(&mut self, position: usize, change: Change) {
        self.pending.push(Pending {
            position,
            change,
            forsaken: false,
        });
    }

    /// Makes durable what was done before `begin`, the index at which the sync started.
    pub(super) fn synced(&mut self, begin: usize, recording: &Recording) {
        let later = self.pending.partition_point(|p| p.position < begin);
        if later == 0 {
            return;
        }
        let covered: Vec<Pending> = self.pending.drain(..later).collect();
        let durable = Arc::make_mut(&mut self.durable);
        let mut still_forsaken: Vec<Pending> = Vec::new();
        for (index, pending) in covered.iter().enumerate() {
            let touched = pending.change.touched();
            let dirty_again = |later: &Pending| {
                let again = blocks(&later.change.touched());
                let block = touched.start / BLOCK;
                !later.forsaken && again.contains(&block)
            };
            if let Change::Truncate { size } = pending.change {
                // What was cut off is gone; a block cut in the middle keeps its front.
                still_forsaken.retain_mut(|old| match old.change.clipped(&(0..size)) {
                    Some(rest) => {
                        old.change = rest;
                        true
                    }
                    None => false,
                });
            }
            if pending.forsaken && !covered[index + 1..].iter().any(dirty_again) {
                // Its size is durable, its data are not.
                grow(durable, touched.end);
                still_forsaken.push(pending.clone());
            } else {
                pending.change.apply(durable, recording);
            }
        }
        self.pending.splice(0..0, still_forsaken);
    }

    /// Notes that a sync which began at `begin` failed; see [`Pending::forsaken`].
    pub(super) fn sync_failed(&mut self, begin: usize) {
        let mut kept = Vec::with_capacity(self.pending.len());
        for pending in self.pending.drain(..) {
            let covered = pending.position < begin && !pending.forsaken;
            if !covered || !matches!(pending.change, Change::Write { .. }) {
                kept.push(pending);
                continue;
            }
            // In pieces of one block, because a later write saves whole blocks.
            for block in blocks(&pending.change.touched()) {
                if let Some(change) = pending.change.clipped(&block_bytes(block)) {
                    kept.push(Pending {
                        position: pending.position,
                        change,
                        forsaken: true,
                    });
                }
            }
        }
        self.pending = kept;
    }

    /// What a power loss may leave of the file.
    pub(super) fn image(
        &self,
        recording: &Recording,
        rng: &mut fastrand::Rng,
        mode: Mode,
    ) -> Arc<Vec<u8>> {
        if self.pending.is_empty() {
            return Arc::clone(&self.durable);
        }
        match mode {
            Mode::SyncedOnly => Arc::clone(&self.durable),
            Mode::Everything => {
                let mut bytes = self.durable.to_vec();
                for pending in &self.pending {
                    pending.change.apply(&mut bytes, recording);
                }
                Arc::new(bytes)
            }
            Mode::Random => Arc::new(self.scattered(recording, rng, None)),
            Mode::Torn => {
                let tear = self.tear(rng);
                Arc::new(self.scattered(recording, rng, tear))
            }
        }
    }

    /// Where the last pending write may be cut: its index and a sector border inside a block.
    fn tear(&self, rng: &mut fastrand::Rng) -> Option<(usize, usize)> {
        let index = self
            .pending
            .iter()
            .rposition(|p| matches!(p.change, Change::Write { .. }))?;
        let touched = self.pending[index].change.touched();
        let borders: Vec<usize> = (touched.start / SECTOR + 1..touched.end.div_ceil(SECTOR))
            .map(|sector| sector * SECTOR)
            .filter(|border| border % BLOCK != 0)
            .collect();
        let border = rng.choice(borders)?;
        Some((index, border))
    }

    fn scattered(
        &self,
        recording: &Recording,
        rng: &mut fastrand::Rng,
        tear: Option<(usize, usize)>,
    ) -> Vec<u8> {
        let survivors = self.surviving_blocks(rng, tear);
        let shrinks = self.surviving_shrinks(rng, &survivors);
        let mut bytes = self.durable.to_vec();
        for (index, pending) in self.pending.iter().enumerate() {
            match pending.change {
                Change::Truncate { size } if shrinks.contains(&index) => bytes.truncate(size),
                Change::Truncate { .. } | Change::Allocate { .. } => {}
                Change::Write { .. } | Change::Zero { .. } => {
                    for block in blocks(&pending.change.touched()) {
                        let mut piece = block_bytes(block);
                        if survivors.get(&block).is_none_or(|last| index > *last) {
                            continue;
                        }
                        if tear.is_some_and(|(i, at)| i == index && piece.contains(&at)) {
                            piece.end = tear.map_or(piece.end, |(_, at)| at);
                        }
                        if let Some(change) = pending.change.clipped(&piece) {
                            change.apply(&mut bytes, recording);
                        }
                    }
                }
            }
        }
        let later_sizes = self.sizes_since(shrinks.last().copied());
        if let Some(size) = rng.choice(later_sizes).filter(|_| rng.bool()) {
            grow(&mut bytes, size);
        }
        bytes
    }

    /// For each block that survives, the index of the last change it holds.
    fn surviving_blocks(
        &self,
        rng: &mut fastrand::Rng,
        tear: Option<(usize, usize)>,
    ) -> BTreeMap<usize, usize> {
        let mut versions: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, pending) in self.pending.iter().enumerate() {
            for block in blocks(&pending.change.touched()) {
                versions.entry(block).or_default().push(index);
            }
        }
        // Images should range from nearly all lost to nearly all kept; one rate would give only
        // the middle when there are many blocks.
        let rate = rng.choice([0.05, 0.3, 0.5, 0.7, 0.95]).unwrap_or(0.5);
        let mut survivors = BTreeMap::new();
        for (block, indexes) in versions {
            let torn = tear.is_some_and(|(_, at)| at / BLOCK == block);
            let last = if torn || (rng.f64() < rate && rng.bool()) {
                indexes.last().copied()
            } else if rng.f64() < rate {
                rng.choice(&indexes).copied()
            } else {
                None
            };
            if let Some(last) = last {
                survivors.insert(block, last);
            }
        }
        survivors
    }

    /// The indexes of the truncations that survive: the first few, and those without which a
    /// surviving block could not be where it is.
    fn surviving_shrinks(
        &self,
        rng: &mut fastrand::Rng,
        survivors: &BTreeMap<usize, usize>,
    ) -> Vec<usize> {
        let mut shrinks = Vec::new();
        let mut needed = 0;
        let mut size = self.durable.len();
        for (index, pending) in self.pending.iter().enumerate() {
            if let Change::Truncate { size: new } = pending.change
                && new < size
            {
                shrinks.push(index);
                let depends = |(block, last): (&usize, &usize)| {
                    *last > index && block_bytes(*block).end > new
                };
                if survivors.iter().any(depends) {
                    needed = shrinks.len();
                }
            }
            size = pending.change.size_after(size);
        }
        shrinks.truncate(rng.usize(needed..=shrinks.len()));
        shrinks
    }

    /// The sizes the file went through after the change at `index`, or after the durable state.
    fn sizes_since(&self, index: Option<usize>) -> Vec<usize> {
        let mut size = self.durable.len();
        let mut sizes = Vec::new();
        for (i, pending) in self.pending.iter().enumerate() {
            size = pending.change.size_after(size);
            if index.is_none_or(|index| i > index) {
                sizes.push(size);
            }
        }
        sizes
    }
}
