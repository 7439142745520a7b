//! Writing an index as bytes, part by part, while others search and write.

use super::head::{Head, coding_number, metric_number};
use super::part::PartWriter;
use super::{PART_SLOTS, damaged, parts};
use crate::error::IndexError;
use crate::graph::blocks::NO_SLOT;
use crate::index::slots::Record;
use crate::index::{Index, Tended};
use crate::originals::{Told, Wanted};
use parking_lot::MutexGuard;
use std::io::Write;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// An index as it was when this was made. Nobody tends to it meanwhile: who searches finds all the same,
/// who writes very much has to wait. So the thread that has it must neither tend, nor write thousands, nor drop
/// a [`Tender`](crate::Tender) of the index before it drops this: it would wait for itself.
///
/// Parts that have not changed since the last snapshot that was [done](Self::done) are as they were then,
/// byte for byte: who has kept them need not write them again.
///
/// ```
/// use stratigraph_vector::{Index, Loading, Metric, Settings};
///
/// let settings = || Settings::new(2, Metric::Dot).memory_limit(1 << 20);
/// let index = settings().build()?;
/// index.insert(1, 7, &[1.0, 2.0])?;
/// let mut kept = Vec::new();
/// let mut snapshot = index.snapshot(b"mine");
/// for part in 0..snapshot.parts() {
///     let mut bytes = Vec::new();
///     snapshot.part(part, &mut bytes)?;
///     kept.push(bytes);
/// }
/// let mut head = Vec::new();
/// snapshot.head(&mut head)?;
/// snapshot.done();
///
/// let loading = Loading::new(settings(), b"mine", &head)?;
/// for (part, bytes) in (0..).zip(&kept) {
///     loading.part(part, bytes)?;
/// }
/// assert_eq!(loading.finish()?.slot(7), Some(0));
/// # Ok::<(), stratigraph_vector::IndexError>(())
/// ```
#[derive(Debug)]
pub struct Snapshot<'a> {
    index: &'a Index,
    tended: MutexGuard<'a, Tended>,
    head: Head,
    records: Vec<Record>,
    /// Which slots nobody lives in.
    is_gone: Vec<bool>,
    /// Which parts had changed when this was made. What is written from then on marks them for the next one.
    changed: Vec<bool>,
    /// Which of those were written here.
    written: Vec<bool>,
}

impl Index {
    /// Begins to write the index as bytes. `tag` says whose it is, and must be given again to load it.
    pub fn snapshot(&self, tag: &[u8]) -> Snapshot<'_> {
        let mut tended = self.tended.lock();
        let mut writer = self.writer.lock();
        // From here on slots are not given to others, and what is written goes behind those that are used.
        writer.copied = true;
        let used = self.used();
        let mut records: Vec<Record> = (0..used).map(|slot| self.slots.record(slot)).collect();
        let mut gone = writer.free.clone();
        gone.extend(tended.unused());
        let mut is_gone = vec![false; used as usize];
        for slot in &gone {
            let record = &mut records[*slot as usize];
            (record.born, record.died) = (0, 0);
            is_gone[*slot as usize] = true;
        }
        let blocks = &self.graph.blocks;
        let changed: Vec<bool> = (0..parts(used))
            .map(|part| blocks.take_change(part))
            .collect();
        let mut fresh = Vec::new();
        self.fresh.read(&mut fresh);
        let upper = self.graph.upper();
        tended.checksums.resize(parts(used) as usize, 0);
        let calibration = self.calibration.load();
        let head = Head {
            tag: tag.to_vec(),
            dimensions: u32::try_from(self.settings.dimensions).unwrap_or(u32::MAX),
            metric: metric_number(self.settings.metric),
            coding: coding_number(self.settings.coding),
            links: u32::try_from(self.graph.blocks.layout().links).unwrap_or(u32::MAX),
            told: self.settings.told(),
            latest: writer.latest,
            forgotten: self.forgotten.load(Ordering::SeqCst),
            used,
            entry: self.graph.entry().unwrap_or(NO_SLOT),
            fresh,
            gone,
            upper_slots: upper.slots().to_vec(),
            upper_levels: upper.copy_levels(),
            calibration: calibration.as_ref().map(|known| (**known).clone()),
            parts: Vec::new(),
        };
        drop(writer);
        Snapshot {
            index: self,
            tended,
            head,
            records,
            is_gone,
            written: vec![false; changed.len()],
            changed,
        }
    }

    /// Writes the index as bytes, all of it.
    ///
    /// # Errors
    ///
    /// [`IndexError::Io`]; [`IndexError::Original`] if a vector cannot be read.
    pub fn save(&self, tag: &[u8], to: &mut impl Write) -> Result<(), IndexError> {
        let failed = |error: std::io::Error| IndexError::Io {
            doing: "writing a snapshot",
            reason: error.to_string(),
        };
        let mut snapshot = self.snapshot(tag);
        let mut bytes = Vec::new();
        let mut length = 0;
        for part in 0..snapshot.parts() {
            snapshot.part(part, &mut bytes)?;
            to.write_all(&bytes).map_err(failed)?;
            length += bytes.len() as u64;
        }
        snapshot.head(&mut bytes)?;
        bytes.extend_from_slice(&length.to_le_bytes());
        to.write_all(&bytes).map_err(failed)?;
        to.flush().map_err(failed)?;
        snapshot.done();
        Ok(())
    }
}

impl Snapshot<'_> {
    /// How many parts there are.
    #[must_use]
    pub fn parts(&self) -> u32 {
        parts(self.head.used)
    }

    /// The sequence up to which everything is in it.
    #[must_use]
    pub fn latest(&self) -> u64 {
        self.head.latest
    }

    /// Whether a part is not what it was in the last snapshot that was done.
    #[must_use]
    pub fn is_changed(&self, part: u32) -> bool {
        self.changed.get(part as usize).copied().unwrap_or_default()
    }

    /// Makes `bytes` a part.
    ///
    /// # Errors
    ///
    /// [`IndexError::Original`], if a vector cannot be read.
    pub fn part(&mut self, part: u32, bytes: &mut Vec<u8>) -> Result<(), IndexError> {
        let slots = part_slots(part, self.head.used);
        if slots.is_empty() {
            return Err(damaged("there is no such part"));
        }
        let blocks = &self.index.graph.blocks;
        let records = &self.records[slots.start as usize..slots.end as usize];
        let vectors = self.vectors(slots.clone(), records)?;
        let checksum = PartWriter { blocks }.write(slots, records, &vectors, bytes);
        self.tended.checksums[part as usize] = checksum;
        self.written[part as usize] = true;
        Ok(())
    }

    /// Makes `bytes` the head, by which all parts are known. It must be written after the parts that have
    /// changed.
    ///
    /// # Errors
    ///
    /// [`IndexError::PartMissing`], if a part has changed and was not written.
    pub fn head(&mut self, bytes: &mut Vec<u8>) -> Result<(), IndexError> {
        let mut parts = self.changed.iter().zip(&self.written);
        if let Some(part) = parts.position(|(changed, written)| *changed && !written) {
            return Err(IndexError::PartMissing { part });
        }
        self.head.parts.clone_from(&self.tended.checksums);
        bytes.clear();
        self.head.write(bytes);
        Ok(())
    }

    /// Says that all was kept. Without it, the next snapshot takes what was written here for changed.
    pub fn done(mut self) {
        self.changed.clear();
    }

    /// What the part says of the vectors of some slots: themselves, their seals, or nothing.
    fn vectors(&self, slots: Range<u32>, records: &[Record]) -> Result<Vec<u8>, IndexError> {
        let Some(originals) = &self.index.originals else {
            return Ok(Vec::new());
        };
        let row_bytes = self.index.settings.dimensions * size_of::<f32>();
        match (self.head.told, originals.filed()) {
            (Told::Seal, Some(rows)) => Ok(slots
                .flat_map(|slot| rows.seal(slot).to_le_bytes())
                .collect()),
            (Told::Whole, _) => {
                let mut bytes = vec![0; records.len() * row_bytes];
                let first = slots.start;
                let settled = slots
                    .zip(records)
                    .filter(|(slot, _)| !self.is_gone[*slot as usize]);
                let wanted = settled.map(|(slot, record)| Wanted {
                    slot,
                    id: record.id,
                });
                let wanted: Vec<Wanted> = wanted.collect();
                originals.visit(&wanted, &mut |place, row| {
                    let place = (wanted[place].slot - first) as usize * row_bytes;
                    let to = bytes[place..][..row_bytes].as_chunks_mut().0;
                    for (to, number) in to.iter_mut().zip(row) {
                        *to = number.to_le_bytes();
                    }
                })?;
                Ok(bytes)
            }
            _ => Ok(Vec::new()),
        }
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        for (part, _) in (0..).zip(&self.changed).filter(|(_, changed)| **changed) {
            self.index.graph.blocks.touch(part * PART_SLOTS);
        }
        self.index.writer.lock().copied = false;
    }
}

/// The slots of a part.
pub(super) fn part_slots(part: u32, used: u32) -> Range<u32> {
    let first = part.saturating_mul(PART_SLOTS).min(used);
    first..first.saturating_add(PART_SLOTS).min(used)
}
