//! A part: everything of some slots that follow each other.

use super::bytes::{Reader, seal, unseal};
use super::damaged;
use crate::error::IndexError;
use crate::graph::blocks::{Blocks, KEPT, NO_SLOT};
use crate::index::slots::{Record, SLOT_BYTES};
use std::ops::Range;

/// Writes parts.
#[derive(Debug)]
pub(super) struct PartWriter<'a> {
    pub(super) blocks: &'a Blocks,
}

impl PartWriter<'_> {
    /// Makes `bytes` the part of these slots. Returns its checksum.
    pub(super) fn write(
        &self,
        slots: Range<u32>,
        records: &[Record],
        vectors: &[u8],
        bytes: &mut Vec<u8>,
    ) -> u64 {
        bytes.clear();
        for slot in slots {
            self.blocks.copy_out(slot, bytes);
        }
        for record in records {
            for number in [record.id, record.born, record.died] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        bytes.extend_from_slice(vectors);
        seal(bytes, 0)
    }
}

/// What a part says of one slot, its vector apart.
pub(super) struct PartReader<'a> {
    blocks: Reader<'a>,
    records: Reader<'a>,
    vectors: Reader<'a>,
    block_bytes: usize,
}

impl<'a> PartReader<'a> {
    /// Takes a part of so many slots apart. `checksum` is what the head says it has.
    pub(super) fn new(
        bytes: &'a [u8],
        checksum: u64,
        slots: usize,
        block_bytes: usize,
        vector_bytes: usize,
    ) -> Result<Self, IndexError> {
        let (body, found) = unseal(bytes)?;
        if found != checksum {
            return Err(damaged("a part is not the one that its head knows"));
        }
        let mut reader = Reader::new(body);
        let part = Self {
            blocks: Reader::new(reader.take(slots * block_bytes)?),
            records: Reader::new(reader.take(slots * SLOT_BYTES)?),
            vectors: Reader::new(reader.take(slots * vector_bytes)?),
            block_bytes,
        };
        reader.end()?;
        Ok(part)
    }

    /// The block of the next slot.
    pub(super) fn block(&mut self) -> Result<&'a [u8], IndexError> {
        self.blocks.take(self.block_bytes)
    }

    /// Who lives in the next slot.
    pub(super) fn record(&mut self) -> Result<Record, IndexError> {
        let record = Record {
            id: self.records.u64()?,
            born: self.records.u64()?,
            died: self.records.u64()?,
        };
        if record.born > record.died {
            return Err(damaged("one has died before he was born"));
        }
        Ok(record)
    }

    /// The vector of the next slot.
    pub(super) fn row(&mut self, row: &mut [f32]) -> Result<(), IndexError> {
        for number in row {
            *number = self.vectors.f32()?;
        }
        Ok(())
    }

    /// The seal of the vector of the next slot.
    pub(super) fn seal(&mut self) -> Result<u64, IndexError> {
        self.vectors.u64()
    }
}

/// Looks at links: the nodes that a slot was seen to lead to.
pub(super) struct Seen {
    /// How many slots there are.
    slots: u32,
    to: Vec<u32>,
    /// A bit for some of them each: with few links most bits say that nobody was seen.
    bits: [u64; 16],
}

impl Seen {
    pub(super) fn new(slots: u32) -> Self {
        Self {
            slots,
            to: Vec::new(),
            bits: [0; 16],
        }
    }

    /// Whether links are as they must be: to others, to each once, nothing behind the end.
    pub(super) fn check_links(
        &mut self,
        slot: u32,
        links: impl Iterator<Item = u32>,
    ) -> Result<(), IndexError> {
        self.to.clear();
        self.bits = [0; 16];
        let mut ended = false;
        for link in links {
            if link == NO_SLOT {
                ended = true;
                continue;
            }
            let to = link & !KEPT;
            let (word, bit) = (to as usize / 64 % self.bits.len(), 1 << (to % 64));
            let may_be_there = self.bits[word] & bit != 0;
            if ended || to >= self.slots || to == slot || may_be_there && self.to.contains(&to) {
                return Err(damaged("a link leads where none can"));
            }
            self.bits[word] |= bit;
            self.to.push(to);
        }
        Ok(())
    }
}
