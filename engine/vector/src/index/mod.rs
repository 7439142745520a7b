//! The index: vectors by id, from one sequence to another, and what is nearest to one.
//!
//! A vector is written to a new slot and is found from then on: by looking at all that are fresh, until
//! somebody has linked it into the graph. A vector that is replaced or removed stays in its slot, for those
//! who search at an earlier sequence, until it is [tended to](Index::tend).
//!
//! Three things are done one at a time: writing, under [`Index::writer`]; tending, under [`Index::tended`],
//! which comes first where both are held; searching needs neither.

mod check;
pub(crate) mod fresh;
mod id_set;
mod ids;
mod members;
mod memory;
mod mend;
pub(crate) mod pins;
mod room;
pub(crate) mod search;
mod settings;
pub(crate) mod slots;
mod tend;
mod tender;
mod write;

use crate::coding::{Coder, Coding};
use crate::error::IndexError;
use crate::graph::Graph;
use crate::graph::blocks::{Blocks, MAX_SLOTS};
use crate::graph::ground::Ground;
use crate::metric::Metric;
use crate::originals::Keeper;
use crate::parallel::Pace;
use arc_swap::ArcSwapOption;
use fresh::Fresh;
pub use id_set::IdSet;
pub use memory::Memory;
use parking_lot::Mutex;
use room::Rooms;
pub(crate) use search::calibrate::Calibration;
pub use search::{Answer, Effort, Hit, How, Query, Sifted, Sifting, Strategy};
pub use settings::{Rerank, Settings};
use slots::{SLOT_BYTES, Slots};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
pub(crate) use tend::Tended;
pub use tend::Tending;
use tender::Bell;
pub use tender::Tender;
use write::Writer;

/// So many can be fresh. Who adds more has to link some first, whoever waits for them.
const FRESH_ROOM: usize = if cfg!(loom) { 4096 } else { 1 << 17 };

/// Vectors, and what is nearest.
#[derive(Debug)]
pub struct Index {
    pub(crate) settings: Settings,
    pub(crate) graph: Graph,
    pub(crate) slots: Slots,
    pub(crate) originals: Option<Keeper>,
    pub(crate) fresh: Fresh,
    /// Whether tending lets others go first.
    pace: Pace,
    rooms: Rooms,
    /// How many slots have ever been used.
    used: AtomicU32,
    /// How many of them have died and not been given to somebody else.
    pub(crate) dead: AtomicU32,
    /// What died at this sequence or before may have been taken out: who searches before it would miss it.
    pub(crate) forgotten: AtomicU64,
    pub(crate) writer: Mutex<Writer>,
    pub(crate) tended: Mutex<Tended>,
    /// How many bytes tending had taken when it was last done.
    tending_bytes: AtomicUsize,
    bell: Bell,
    pub(crate) calibration: ArcSwapOption<Calibration>,
    calibrating: Mutex<()>,
}

impl Settings {
    /// An empty index.
    ///
    /// # Errors
    ///
    /// [`IndexError::BadSetting`]; [`IndexError::NoMemory`] if not even the addresses can be had.
    pub fn build(self) -> Result<Index, IndexError> {
        Index::new(self)
    }
}

impl Index {
    fn new(settings: Settings) -> Result<Self, IndexError> {
        settings.check()?;
        let coder = Coder::new(settings.coding, settings.metric, settings.dimensions);
        // Two per link that a vector begins with, less what fills the last line of its block.
        let least_links = 2 * settings.links - 1;
        let each = Blocks::bytes_each(&coder, least_links) + SLOT_BYTES;
        let room = (settings.memory_limit / each).min(MAX_SLOTS as usize);
        let room = u32::try_from(room).unwrap_or(MAX_SLOTS);
        let originals = match &settings.rerank {
            _ if settings.coding == Coding::Whole => None,
            Rerank::Memory => Some(Keeper::memory(settings.dimensions, room)?),
            Rerank::File(path) => Some(Keeper::file(path, settings.dimensions, room)?),
            Rerank::Custom(originals) => Some(Keeper::Custom(Arc::clone(originals))),
        };
        Ok(Self {
            graph: Graph::new(Blocks::new(coder, least_links, room)?, settings.seed),
            slots: Slots::new(room)?,
            originals,
            fresh: Fresh::new(FRESH_ROOM),
            pace: Pace::new(),
            rooms: Rooms::default(),
            used: AtomicU32::new(0),
            dead: AtomicU32::new(0),
            forgotten: AtomicU64::new(0),
            writer: Mutex::default(),
            tended: Mutex::default(),
            tending_bytes: AtomicUsize::new(0),
            bell: Bell::default(),
            calibration: ArcSwapOption::empty(),
            calibrating: Mutex::default(),
            settings,
        })
    }

    /// How many vectors live in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.writer.lock().ids.len()
    }

    /// Whether no vector lives in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many dimensions its vectors have.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.settings.dimensions
    }

    /// How its vectors are compared.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.settings.metric
    }

    /// The slot in which a vector lives now. Sets of slots are what a search can be limited to; as slots are given
    /// to others in time, a set is good for searches at the sequence at which it was made, for as long as nobody
    /// [tends](Self::tend) beyond that. See [`slots_of`](Self::slots_of) for sets of ids.
    #[must_use]
    pub fn slot(&self, id: u64) -> Option<u32> {
        self.writer.lock().ids.get(id, &self.slots)
    }

    /// The latest sequence at which something was written.
    #[must_use]
    pub fn latest(&self) -> u64 {
        self.writer.lock().latest
    }

    /// Makes as many slots used as a snapshot has.
    pub(crate) fn reserve(&self, used: u32) -> Result<(), IndexError> {
        let limit_bytes = self.settings.memory_limit;
        let most = self.most_vectors();
        if used as usize > most {
            let vectors = most;
            return Err(IndexError::Full {
                limit_bytes,
                vectors,
            });
        }
        self.graph.blocks.prefer_huge_pages(used);
        self.used.store(used, Ordering::Release);
        Ok(())
    }

    pub(crate) fn used(&self) -> u32 {
        self.used.load(Ordering::Acquire)
    }

    /// Level 0 as it is now.
    fn ground<'a>(&'a self, lives: &'a (dyn Fn(u32) -> bool + Sync)) -> Ground<'a> {
        Ground {
            blocks: &self.graph.blocks,
            slots: self.used(),
            lives,
            hidden: None,
        }
    }
}

#[cfg(test)]
mod tests;
