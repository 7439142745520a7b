//! Sorting pairs of any length that do not fit into memory: full buffers are sorted and put aside,
//! and merged in the end.
//!
//! ```text
//! a record of a chunk  [key bytes: 4 LE][value bytes: 4 LE][key][value]
//! ```
//! The same key may come several times; its values come in their order then.

use super::aside::Aside;
use super::scratch::{Scratch, ScratchReader, ScratchWriter, Tiers};
use crate::error::Result;
use crate::keys::Workspace;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Takes pairs in any order.
pub(super) struct PairSorter {
    space: Arc<Workspace>,
    limit_bytes: usize,
    buffer: Buffer,
    chunks: Tiers,
    aside: Aside<Scratch>,
    count: u64,
}

/// Pairs in one piece of memory.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    at: usize,
    key_bytes: u32,
    value_bytes: u32,
}

impl Buffer {
    fn push(&mut self, key: &[u8], value: &[u8]) {
        self.places.push(Place {
            at: self.bytes.len(),
            // Keys and values are limited far below 4 GiB.
            key_bytes: key.len() as u32,
            value_bytes: value.len() as u32,
        });
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
    }

    fn held_bytes(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<Place>()
    }

    fn pair(&self, place: Place) -> (&[u8], &[u8]) {
        let key_end = place.at + place.key_bytes as usize;
        let end = key_end + place.value_bytes as usize;
        (&self.bytes[place.at..key_end], &self.bytes[key_end..end])
    }

    fn sort(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        places.sort_unstable_by(|left, right| self.pair(*left).cmp(&self.pair(*right)));
        self.places = places;
    }

    fn put_aside(mut self, space: &Arc<Workspace>) -> Result<Scratch> {
        self.sort();
        let mut writer = ScratchWriter::create(space)?;
        for place in &self.places {
            let (key, value) = self.pair(*place);
            write_pair(&mut writer, key, value)?;
        }
        writer.finish()
    }
}

fn write_pair(writer: &mut ScratchWriter, key: &[u8], value: &[u8]) -> Result<()> {
    writer.record(|block| {
        block.extend_from_slice(&(key.len() as u32).to_le_bytes());
        block.extend_from_slice(&(value.len() as u32).to_le_bytes());
        block.extend_from_slice(key);
        block.extend_from_slice(value);
    })
}

impl PairSorter {
    /// A sorter that keeps about so much in memory, and as much again while it is put aside.
    pub(super) fn new(space: &Arc<Workspace>, limit_bytes: usize, beside: bool) -> Self {
        Self {
            space: Arc::clone(space),
            limit_bytes,
            buffer: Buffer::default(),
            chunks: Tiers::default(),
            aside: Aside::new(beside),
            count: 0,
        }
    }

    pub(super) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.buffer.push(key, value);
        self.count += 1;
        if self.buffer.held_bytes() >= self.limit_bytes {
            self.collect()?;
            let (full, space) = (std::mem::take(&mut self.buffer), Arc::clone(&self.space));
            self.aside.begin(move || full.put_aside(&space))?;
        }
        Ok(())
    }

    /// How many pairs were taken.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    fn collect(&mut self) -> Result<()> {
        if let Some(chunk) = self.aside.wait()? {
            let space = &self.space;
            self.chunks.push(chunk, |chunks| {
                let mut writer = ScratchWriter::create(space)?;
                let mut merged = Merge::over(chunks, None)?;
                while let Some((key, value)) = merged.next()? {
                    write_pair(&mut writer, key, value)?;
                }
                writer.finish()
            })?;
        }
        Ok(())
    }

    /// Ends taking.
    pub(super) fn sorted(mut self) -> Result<SortedPairs> {
        self.collect()?;
        let mut rest = std::mem::take(&mut self.buffer);
        rest.sort();
        Ok(SortedPairs {
            chunks: std::mem::take(&mut self.chunks).into_chunks(),
            rest,
        })
    }
}

/// Sorted chunks, to be merged.
pub(super) struct SortedPairs {
    chunks: Vec<Scratch>,
    rest: Buffer,
}

impl SortedPairs {
    pub(super) fn merge(&self) -> Result<Merge<'_>> {
        Merge::over(&self.chunks, Some(&self.rest))
    }
}

/// A key, a value, and the number of the source that they come from.
type Head = (Vec<u8>, Vec<u8>, usize);

/// All pairs of several chunks in their order.
pub(super) struct Merge<'a> {
    sources: Vec<Source<'a>>,
    /// The next pair of each source that has one.
    heads: BinaryHeap<Reverse<Head>>,
    last: Option<Head>,
}

enum Source<'a> {
    Chunk(ScratchReader<'a>),
    Rest(&'a Buffer, std::slice::Iter<'a, Place>),
}

impl Source<'_> {
    fn next(&mut self, key: &mut Vec<u8>, value: &mut Vec<u8>) -> Result<bool> {
        key.clear();
        value.clear();
        match self {
            Self::Chunk(reader) => {
                if !reader.more()? {
                    return Ok(false);
                }
                let (key_bytes, value_bytes) = (reader.u32()? as usize, reader.u32()? as usize);
                key.extend_from_slice(reader.take(key_bytes)?);
                value.extend_from_slice(reader.take(value_bytes)?);
            }
            Self::Rest(buffer, places) => {
                let Some(place) = places.next() else {
                    return Ok(false);
                };
                let pair = buffer.pair(*place);
                key.extend_from_slice(pair.0);
                value.extend_from_slice(pair.1);
            }
        }
        Ok(true)
    }
}

impl<'a> Merge<'a> {
    fn over(chunks: &'a [Scratch], rest: Option<&'a Buffer>) -> Result<Self> {
        let mut sources = Vec::with_capacity(chunks.len() + 1);
        for chunk in chunks {
            sources.push(Source::Chunk(chunk.read()?));
        }
        sources.extend(rest.map(|rest| Source::Rest(rest, rest.places.iter())));
        let mut heads = BinaryHeap::with_capacity(sources.len());
        for (number, source) in sources.iter_mut().enumerate() {
            let (mut key, mut value) = (Vec::new(), Vec::new());
            if source.next(&mut key, &mut value)? {
                heads.push(Reverse((key, value, number)));
            }
        }
        Ok(Self {
            sources,
            heads,
            last: None,
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        if let Some((mut key, mut value, number)) = self.last.take()
            && let Some(source) = self.sources.get_mut(number)
            && source.next(&mut key, &mut value)?
        {
            self.heads.push(Reverse((key, value, number)));
        }
        self.last = self.heads.pop().map(|Reverse(head)| head);
        let last = self.last.as_ref();
        Ok(last.map(|(key, value, _)| (key.as_slice(), value.as_slice())))
    }
}
