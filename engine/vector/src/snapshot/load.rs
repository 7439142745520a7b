#![expect(unsafe_code, reason = "it fills slots that nobody else knows yet")]
//! Reading an index from bytes, which may be anything.

use super::head::{Head, coding_number, metric_number};
use super::part::{PartReader, Seen};
use super::save::part_slots;
use super::{damaged, parts};
use crate::coding::Coding;
use crate::error::IndexError;
use crate::graph::blocks::{KEPT, NO_SLOT};
use crate::graph::upper::Upper;
use crate::index::slots::{ALIVE, SLOT_BYTES};
use crate::index::{Index, Settings};
use crate::originals::{Told, Wanted};
use std::io::{Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU8, Ordering};

/// An index of which not all parts were read yet.
#[derive(Debug)]
pub struct Loading {
    index: Index,
    head: Head,
    /// What has become of each part.
    read: Vec<AtomicU8>,
    is_gone: Vec<bool>,
}

/// Nobody has begun with a part.
const UNREAD: u8 = 0;
/// Somebody has.
const BEGUN: u8 = 1;
/// It is read.
const READ: u8 = 2;

impl Index {
    /// Reads what [`save`](Self::save) has written. The settings must be those that it was made with, as far
    /// as what is written depends on them.
    ///
    /// # Errors
    ///
    /// [`IndexError::Damaged`], [`IndexError::OtherFormat`], [`IndexError::OtherIndex`] or
    /// [`IndexError::Io`]; [`IndexError::Full`] if the memory limit is too low for it.
    pub fn load(
        settings: Settings,
        tag: &[u8],
        from: &mut (impl Read + Seek),
    ) -> Result<Self, IndexError> {
        let failed = |error: std::io::Error| IndexError::Io {
            doing: "reading a snapshot",
            reason: error.to_string(),
        };
        let end = from.seek(SeekFrom::End(0)).map_err(failed)?;
        let length = size_of::<u64>() as u64;
        let head_end = end.checked_sub(length).ok_or(damaged("it is too short"))?;
        from.seek(SeekFrom::Start(head_end)).map_err(failed)?;
        let mut number = [0; size_of::<u64>()];
        from.read_exact(&mut number).map_err(failed)?;
        let head_start = u64::from_le_bytes(number);
        let head_length = head_end
            .checked_sub(head_start)
            .ok_or(damaged("its head is nowhere"))?;
        let mut bytes = Vec::new();
        from.seek(SeekFrom::Start(head_start)).map_err(failed)?;
        from.take(head_length)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        let loading = Loading::new(settings, tag, &bytes)?;
        from.seek(SeekFrom::Start(0)).map_err(failed)?;
        for part in 0..loading.parts() {
            bytes.clear();
            let length = loading.part_bytes(part);
            from.take(length as u64)
                .read_to_end(&mut bytes)
                .map_err(failed)?;
            loading.part(part, &bytes)?;
        }
        if from.stream_position().map_err(failed)? != head_start {
            return Err(damaged("there is something between its parts and its head"));
        }
        loading.finish()
    }
}

impl Loading {
    /// Begins with the head.
    ///
    /// # Errors
    ///
    /// As for [`Index::load`].
    pub fn new(settings: Settings, tag: &[u8], head: &[u8]) -> Result<Self, IndexError> {
        let head = Head::read(head)?;
        let other = |what: &'static str| Err(IndexError::OtherIndex { what });
        if head.tag != tag {
            return other("tag");
        }
        if head.dimensions as usize != settings.dimensions {
            return other("dimensions");
        }
        if head.metric != metric_number(settings.metric) {
            return other("metric");
        }
        if head.coding != coding_number(settings.coding) {
            return other("coding");
        }
        // Whoever keeps the vectors himself needs no seals.
        let told = settings.told();
        let needs_none = head.told == Told::Seal && told == Told::Nothing;
        if head.told != told && !needs_none {
            return other("place of the vectors");
        }
        // Only now: what belongs to another index must not cost the file of vectors of this one.
        let index = settings.build()?;
        if head.links as usize != index.graph.blocks.layout().links {
            return other("links");
        }
        if head.parts.len() != parts(head.used) as usize {
            return Err(damaged("it has not as many parts as it needs"));
        }
        index.reserve(head.used)?;
        let mut is_gone = vec![false; head.used as usize];
        for slot in &head.gone {
            match is_gone.get_mut(*slot as usize) {
                Some(gone) if !*gone => *gone = true,
                _ => return Err(damaged("a slot that nobody lives in cannot be")),
            }
        }
        let mut is_fresh = is_gone.clone();
        for slot in &head.fresh {
            match is_fresh.get_mut(*slot as usize) {
                Some(fresh) if !*fresh => *fresh = true,
                _ => return Err(damaged("a slot that is fresh cannot be")),
            }
        }
        if head.forgotten > head.latest {
            return Err(damaged("it has forgotten what is to come"));
        }
        if head.entry != NO_SLOT && is_gone.get(head.entry as usize) != Some(&false) {
            return Err(damaged("its walks begin nowhere"));
        }
        Ok(Self {
            read: head.parts.iter().map(|_| AtomicU8::new(UNREAD)).collect(),
            index,
            head,
            is_gone,
        })
    }

    /// How many parts there are.
    #[must_use]
    pub fn parts(&self) -> u32 {
        parts(self.head.used)
    }

    /// How many bytes a part has.
    #[must_use]
    pub fn part_bytes(&self, part: u32) -> usize {
        let each = self.index.graph.blocks.layout().bytes() + SLOT_BYTES + self.vector_bytes();
        part_slots(part, self.head.used).len() * each + super::bytes::CHECKSUM_BYTES
    }

    /// Reads a part. Several threads may, each other parts.
    ///
    /// # Errors
    ///
    /// As for [`Index::load`].
    pub fn part(&self, part: u32, bytes: &[u8]) -> Result<(), IndexError> {
        let Some(read) = self.read.get(part as usize) else {
            return Err(damaged("it has no such part"));
        };
        let begun = read.compare_exchange(UNREAD, BEGUN, Ordering::AcqRel, Ordering::Acquire);
        if begun.is_err() {
            return Err(damaged("a part came twice"));
        }
        let outcome = self.fill(part, bytes);
        // What was refused can come again.
        let state = if outcome.is_ok() { READ } else { UNREAD };
        read.store(state, Ordering::Release);
        outcome
    }

    /// Fills the slots of a part that nobody else reads.
    fn fill(&self, part: u32, bytes: &[u8]) -> Result<(), IndexError> {
        let checksum = self.head.parts.get(part as usize);
        let checksum = checksum.ok_or(damaged("it has no such part"))?;
        let vector_bytes = self.vector_bytes();
        let slots = part_slots(part, self.head.used);
        let index = &self.index;
        let blocks = &index.graph.blocks;
        let block_bytes = blocks.layout().bytes();
        let mut reader = PartReader::new(bytes, *checksum, slots.len(), block_bytes, vector_bytes)?;
        let mut row = vec![0.0; index.settings.dimensions];
        let filed = index
            .originals
            .as_ref()
            .and_then(|originals| originals.filed());
        if let (Some(filed), Some(last)) = (filed, slots.clone().last()) {
            filed.reach(last)?;
        }
        let mut seen = Seen::new(self.head.used);
        for slot in slots {
            // SAFETY: nobody else has the index yet, nor this part of it.
            unsafe { blocks.copy_in(slot, reader.block()?) }?;
            let links = blocks.links(slot).iter();
            let links = links.map(|link| link.load(Ordering::Relaxed));
            seen.check_links(slot, links)?;
            let record = reader.record()?;
            let mut seal = 0;
            match self.head.told {
                Told::Nothing => {}
                Told::Whole => reader.row(&mut row)?,
                Told::Seal => seal = reader.seal()?,
            }
            if self.is_gone[slot as usize] {
                index.slots.settle(slot, record.id, 0, 0);
                continue;
            }
            if blocks.coder.coding == Coding::Whole {
                let compares = blocks.coder.check(blocks.whole(slot));
                compares.map_err(|_| damaged("a vector cannot be compared"))?;
            }
            if record.born > self.head.latest
                || (record.died > self.head.latest && record.died != ALIVE)
            {
                return Err(damaged("one was born or died after its last sequence"));
            }
            index
                .slots
                .settle(slot, record.id, record.born, record.died);
            let Some(originals) = &index.originals else {
                continue;
            };
            match (self.head.told, filed) {
                (Told::Whole, _) => {
                    let compares = blocks.coder.check(&row);
                    compares.map_err(|_| damaged("a vector cannot be compared"))?;
                    let id = record.id;
                    originals.put(Wanted { slot, id }, &row)?;
                }
                (Told::Seal, Some(rows)) => rows.expect(slot, seal),
                _ => {}
            }
        }
        Ok(())
    }

    /// The index, when all parts were read.
    ///
    /// # Errors
    ///
    /// As for [`Index::load`].
    pub fn finish(self) -> Result<Index, IndexError> {
        let is_read = |part: &AtomicU8| part.load(Ordering::Acquire) == READ;
        if !self.read.iter().all(is_read) {
            return Err(damaged("a part is missing"));
        }
        self.check_ways()?;
        self.find_ids()?;
        let Self {
            index,
            head,
            is_gone,
            ..
        } = self;
        let upper = Upper::restore(head.upper_slots, head.upper_levels, head.used)
            .ok_or(damaged("a link of an upper level leads where none can"))?;
        let mut held = Vec::new();
        let mut free = head.gone;
        let mut is_known = vec![false; is_gone.len()];
        for slot in upper.slots() {
            is_known[*slot as usize] = true;
        }
        free.retain(|slot| {
            let known = is_known[*slot as usize];
            if known {
                held.push(*slot);
            }
            !known
        });
        index.graph.restore(upper, head.entry);
        for slot in &head.fresh {
            if !index.fresh.add(*slot) {
                return Err(damaged("more are fresh than can be"));
            }
        }
        {
            let tended = &mut *index.tended.lock();
            let writer = &mut *index.writer.lock();
            writer.latest = head.latest;
            index.forgotten.store(head.forgotten, Ordering::SeqCst);
            let dead = writer.dead.len() + free.len() + held.len();
            index
                .dead
                .store(u32::try_from(dead).unwrap_or(u32::MAX), Ordering::Relaxed);
            let gone = free.len() + held.len();
            tended.restore(
                head.used as usize - gone - head.fresh.len(),
                held,
                head.parts,
            );
            writer.free = free;
        }
        index
            .calibration
            .store(head.calibration.map(std::sync::Arc::new));
        index.graph.blocks.all_unchanged();
        Ok(index)
    }

    /// Nothing that can be found may lead to a slot that somebody else will get.
    fn check_ways(&self) -> Result<(), IndexError> {
        if self.head.gone.is_empty() {
            return Ok(());
        }
        for slot in 0..self.head.used {
            if self.is_gone[slot as usize] {
                continue;
            }
            for link in self.index.graph.blocks.links(slot) {
                let link = link.load(Ordering::Relaxed);
                if link != NO_SLOT && self.is_gone[(link & !KEPT) as usize] {
                    return Err(damaged("a link leads to a slot that nobody lives in"));
                }
            }
        }
        Ok(())
    }

    /// Who lives where, and who lived.
    fn find_ids(&self) -> Result<(), IndexError> {
        let index = &self.index;
        let writer = &mut *index.writer.lock();
        let slots = (0..self.head.used).filter(|slot| !self.is_gone[*slot as usize]);
        let (alive, dead) = slots.partition::<Vec<u32>, _>(|slot| index.slots.lives(*slot));
        writer.dead = dead;
        match writer.ids.put_all(&alive, &index.slots) {
            true => Ok(()),
            false => Err(damaged("one lives in two slots")),
        }
    }

    fn vector_bytes(&self) -> usize {
        match self.head.told {
            Told::Nothing => 0,
            Told::Whole => self.index.settings.dimensions * size_of::<f32>(),
            Told::Seal => size_of::<u64>(),
        }
    }
}
