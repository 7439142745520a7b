//! What a load puts aside until it finishes: written once from front to back, and read so.
//!
//! ```text
//! ([bytes: 4 LE][CRC32C: 4 LE][records])*
//! ```
//! Blocks hold whole records. They are checked when they are read: nothing synced them, and what a
//! disk has garbled must not become part of the graph. In a database in memory they stay there.

use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::keys::Workspace;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// A block is written once it holds so many bytes.
const BLOCK_BYTES: usize = 128 << 10;
const HEAD_BYTES: usize = 8;
/// How many chunks are merged into one, so that neither files nor buffers are too many.
const FAN_IN: usize = 32;

/// Writes a scratch.
pub(super) struct ScratchWriter {
    space: Arc<Workspace>,
    place: Writing,
    /// The block at hand, with room for its head.
    block: Vec<u8>,
}

enum Writing {
    File(PathBuf, File),
    Memory(Vec<u8>),
}

/// A finished scratch. Dropping it gives its space back.
pub(super) enum Scratch {
    File(Removed),
    Memory(Vec<u8>),
}

/// The path of a file that goes with it.
pub(super) struct Removed(PathBuf);

/// Reads a scratch from its beginning.
pub(super) struct ScratchReader<'a> {
    source: Reading<'a>,
    block: Vec<u8>,
    at: usize,
}

enum Reading<'a> {
    File(&'a PathBuf, File),
    Memory(&'a [u8]),
}

impl ScratchWriter {
    pub(super) fn create(space: &Arc<Workspace>) -> Result<Self> {
        let place = match space.scratch() {
            Some(path) => {
                let file =
                    File::create(&path).map_err(|error| Error::io("create", &path, error))?;
                Writing::File(path, file)
            }
            None => Writing::Memory(Vec::new()),
        };
        Ok(Self {
            space: Arc::clone(space),
            place,
            block: vec![0; HEAD_BYTES],
        })
    }

    /// Adds one record, by appending its bytes.
    pub(super) fn record(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        write(&mut self.block);
        if self.block.len() >= BLOCK_BYTES {
            self.end_block()?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Scratch> {
        if self.block.len() > HEAD_BYTES {
            self.end_block()?;
        }
        Ok(match self.place {
            Writing::File(path, _) => Scratch::File(Removed(path)),
            Writing::Memory(bytes) => Scratch::Memory(bytes),
        })
    }

    fn end_block(&mut self) -> Result<()> {
        let (head, records) = self.block.split_at_mut(HEAD_BYTES);
        // A record is far below 4 GiB, and so is a block.
        head[..4].copy_from_slice(&(records.len() as u32).to_le_bytes());
        head[4..].copy_from_slice(&crc32c::crc32c(records).to_le_bytes());
        match &mut self.place {
            Writing::File(path, file) => {
                self.space.admit(self.block.len() as u64)?;
                file.write_all(&self.block)
                    .map_err(|error| Error::io("write", &*path, error))?;
            }
            Writing::Memory(bytes) => bytes.extend_from_slice(&self.block),
        }
        self.block.truncate(HEAD_BYTES);
        Ok(())
    }
}

impl Scratch {
    pub(super) fn read(&self) -> Result<ScratchReader<'_>> {
        let source = match self {
            Self::File(Removed(path)) => {
                let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
                Reading::File(path, file)
            }
            Self::Memory(bytes) => Reading::Memory(bytes),
        };
        Ok(ScratchReader {
            source,
            block: Vec::new(),
            at: 0,
        })
    }
}

#[cfg(test)]
impl Scratch {
    pub(super) fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::File(Removed(path)) => Some(path),
            Self::Memory(_) => None,
        }
    }
}

impl Drop for Removed {
    fn drop(&mut self) {
        // What stays goes with the load's folder.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl ScratchReader<'_> {
    /// Whether a record follows.
    pub(super) fn more(&mut self) -> Result<bool> {
        if self.at < self.block.len() {
            return Ok(true);
        }
        self.at = 0;
        self.block.clear();
        let mut head = [0; HEAD_BYTES];
        match &mut self.source {
            Reading::Memory(rest) => {
                let Some((head, after)) = rest.split_first_chunk::<HEAD_BYTES>() else {
                    return Ok(false);
                };
                let (bytes, _) = parts(head);
                let Some((records, after)) = after.split_at_checked(bytes) else {
                    return Err(Error::bug("a scratch in memory is cut"));
                };
                self.block.extend_from_slice(records);
                *rest = after;
                Ok(true)
            }
            Reading::File(path, file) => {
                let failed = |error| Error::io("read", &**path, error);
                if file.read(&mut head[..1]).map_err(failed)? == 0 {
                    return Ok(false);
                }
                file.read_exact(&mut head[1..]).map_err(failed)?;
                let (bytes, sum) = parts(&head);
                let mut records = file.take(bytes as u64);
                records.read_to_end(&mut self.block).map_err(failed)?;
                if self.block.len() != bytes || crc32c::crc32c(&self.block) != sum {
                    return Err(Error::corruption(
                        &**path,
                        "what a bulk load put aside has changed",
                    ));
                }
                Ok(true)
            }
        }
    }

    /// The next bytes of the record at hand.
    pub(super) fn take(&mut self, bytes: usize) -> Result<&[u8]> {
        let end = self.at.saturating_add(bytes);
        let taken = self.block.get(self.at..end);
        self.at = end;
        taken.ok_or_else(|| Error::bug("a record of a bulk load's scratch is cut"))
    }

    /// The next bytes, of which there is a fixed number.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}

fn parts(head: &[u8; HEAD_BYTES]) -> (usize, u32) {
    let [a, b, c, d, e, f, g, h] = *head;
    (
        u32::from_le_bytes([a, b, c, d]) as usize,
        u32::from_le_bytes([e, f, g, h]),
    )
}

/// Sorted chunks by how often they were merged.
#[derive(Default)]
pub(super) struct Tiers(Vec<(u32, Scratch)>);

impl Tiers {
    /// Adds a chunk; `merge` makes one of many.
    pub(super) fn push(
        &mut self,
        chunk: Scratch,
        mut merge: impl FnMut(&[Scratch]) -> Result<Scratch>,
    ) -> Result<()> {
        self.0.push((0, chunk));
        while let Some(first) = self.0.len().checked_sub(FAN_IN)
            && let Some((tier, _)) = self.0.get(first)
            && self.0.iter().skip(first).all(|(other, _)| other == tier)
        {
            let tier = *tier;
            let merged: Vec<Scratch> = self.0.drain(first..).map(|(_, chunk)| chunk).collect();
            self.0.push((tier + 1, merge(&merged)?));
        }
        Ok(())
    }

    pub(super) fn into_chunks(self) -> Vec<Scratch> {
        self.0.into_iter().map(|(_, chunk)| chunk).collect()
    }
}

/// What was put aside does not decode, although its checksum is right.
pub(super) fn malformed(what: &'static str) -> Error {
    Error::record("scratch", CodecError::NotCanonical { what, at: 0 })
}
