//! The record that `tests/shim/iolog.c` writes, parsed and checked.
//!
//! ```text
//! [kind: u8][fields: u8][name bytes: u16][data bytes: u32] [field: u64]* [name] [data]
//! ```
//!
//! It must never trust the bytes: a child that was killed leaves a torn last record (dropped), and
//! anything else that does not fit is an error. What passes here is consistent, so that the disk
//! model needs no error paths: every node exists before it is used, as the kind that the use needs.
//! Next: `disk.rs`.

use super::disk::{Disk, Mode};
use super::image::Image;
use std::collections::HashMap;
use std::io::{Error, ErrorKind, Result};
use std::ops::Range;
use std::path::Path;

/// A file or directory, numbered by the shim when it was created; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u64);

impl NodeId {
    /// The directory that was recorded.
    pub const ROOT: NodeId = NodeId(1);
}

/// One recorded call. Data are ranges of the record; see [`Recording::bytes`].
#[expect(
    missing_docs,
    reason = "the fields are what their names say; variants are explained"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// A new file or directory got its first name.
    Create {
        parent: NodeId,
        name: Vec<u8>,
        node: NodeId,
        directory: bool,
    },
    /// A file got one more name.
    Link {
        parent: NodeId,
        name: Vec<u8>,
        node: NodeId,
    },
    /// A name was removed, of a file or of an empty directory.
    Unlink { parent: NodeId, name: Vec<u8> },
    /// A name changed, replacing what had the new name.
    Rename {
        from: NodeId,
        old_name: Vec<u8>,
        to: NodeId,
        new_name: Vec<u8>,
        node: NodeId,
    },
    /// Bytes were written.
    Write {
        node: NodeId,
        offset: u64,
        data: Range<usize>,
    },
    /// The size was set.
    Truncate { node: NodeId, size: u64 },
    /// The file is now at least this long.
    Allocate { node: NodeId, size: u64 },
    /// A hole was made; the size stays.
    Zero { node: NodeId, offset: u64, len: u64 },
    /// A sync of a file or directory started.
    SyncBegin { sync: u64, node: NodeId },
    /// A sync returned; `begin` is the index of its [`Op::SyncBegin`].
    SyncEnd {
        node: NodeId,
        begin: usize,
        succeeded: bool,
    },
    /// Bytes that the parent was about to see.
    Ack { data: Range<usize> },
    /// A call that the shim made fail.
    Fault {
        node: NodeId,
        errno: u64,
        call: Vec<u8>,
    },
    /// Everything before this was there when the process started, and is durable.
    BaseDone,
}

/// All that a process did below the recorded directory, in order.
pub struct Recording {
    bytes: Vec<u8>,
    ops: Vec<Op>,
}

/// The largest file the model accepts: sizes come from the record and become allocations.
const LARGEST_FILE_BYTES: u64 = 4 << 30;
const VERSION: u64 = 1;
const HEADER: u8 = 1;

impl Recording {
    /// Reads a record from a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no record of this version. A torn last record is no error.
    pub fn read(path: &Path) -> Result<Recording> {
        Recording::parse(std::fs::read(path)?)
    }

    /// Reads a record from memory; see [`Recording::read`].
    ///
    /// # Errors
    /// When the bytes are no record of this version.
    pub fn parse(bytes: Vec<u8>) -> Result<Recording> {
        let mut ops = Vec::new();
        let mut known = Known::default();
        let mut at = 0;
        while let Some((raw, next)) = Raw::at(&bytes, at) {
            if at == 0 {
                if raw.kind != HEADER || raw.fields != [VERSION] {
                    return Err(damaged(0, "no header of version 1"));
                }
            } else {
                let op = raw
                    .decode(&bytes, &known)
                    .ok_or_else(|| damaged(at, &format!("kind {} {:?}", raw.kind, raw.fields)))?;
                known.learn(&op, ops.len());
                ops.push(op);
            }
            at = next;
        }
        if at == 0 {
            return Err(damaged(
                0,
                "empty: did the child start, with the shim, and is it linked with libc?",
            ));
        }
        Ok(Recording { bytes, ops })
    }

    /// The number of operations; points run from 0 to this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether nothing at all was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// The operations in order.
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The bytes of a range found in an [`Op`].
    #[must_use]
    pub fn bytes(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// The acknowledgements that the parent may have seen before the op at `point`.
    ///
    /// A missing one was certainly not seen; the last one may be recorded but not yet seen, and
    /// has to hold all the same, because the child was about to say it.
    pub fn acks_before(&self, point: usize) -> impl Iterator<Item = &[u8]> {
        self.ops[..point.min(self.len())]
            .iter()
            .filter_map(|op| match op {
                Op::Ack { data } => Some(self.bytes(data)),
                _ => None,
            })
    }

    /// The number of operations that were there before the process did anything.
    #[must_use]
    pub fn base_len(&self) -> usize {
        let done = self.ops.iter().position(|op| *op == Op::BaseDone);
        done.map_or(0, |index| index + 1)
    }

    /// A possible disk when the power fails after the first `point` operations.
    ///
    /// For many points move one [`Disk`] along instead: this starts from nothing each time.
    #[must_use]
    pub fn image_at(&self, point: usize, rng: &mut fastrand::Rng, mode: Mode) -> Image {
        let mut disk = Disk::new(self);
        disk.advance_to(point);
        disk.image(rng, mode)
    }
}

fn damaged(at: usize, why: &str) -> Error {
    let text = format!("the file-operation record is damaged at byte {at}: {why}");
    Error::new(ErrorKind::InvalidData, text)
}

/// What the record has introduced so far: nodes (true for a directory) and running syncs.
struct Known {
    directories: HashMap<NodeId, bool>,
    syncs: HashMap<u64, (NodeId, usize)>,
}

impl Default for Known {
    fn default() -> Known {
        Known {
            directories: HashMap::from([(NodeId::ROOT, true)]),
            syncs: HashMap::new(),
        }
    }
}

impl Known {
    fn learn(&mut self, op: &Op, index: usize) {
        match op {
            Op::Create {
                node, directory, ..
            } => {
                self.directories.insert(*node, *directory);
            }
            Op::SyncBegin { sync, node } => {
                self.syncs.insert(*sync, (*node, index));
            }
            _ => {}
        }
    }

    fn any(&self, id: u64) -> Option<NodeId> {
        let node = NodeId(id);
        self.directories.contains_key(&node).then_some(node)
    }

    fn directory(&self, id: u64) -> Option<NodeId> {
        self.any(id).filter(|node| self.directories[node])
    }

    fn file(&self, id: u64) -> Option<NodeId> {
        self.any(id).filter(|node| !self.directories[node])
    }

    fn new_node(&self, id: u64) -> Option<NodeId> {
        self.any(id).is_none().then_some(NodeId(id))
    }
}

/// One record, split but not yet understood.
struct Raw {
    kind: u8,
    fields: Vec<u64>,
    name: Range<usize>,
    data: Range<usize>,
}

impl Raw {
    /// The record at an offset and the offset after it; nothing when it is cut short.
    fn at(bytes: &[u8], at: usize) -> Option<(Raw, usize)> {
        let head = bytes.get(at..)?.first_chunk::<8>()?;
        let [kind, field_count, n0, n1, d0, d1, d2, d3] = *head;
        let fields_end = at + 8 + 8 * usize::from(field_count);
        let fields = bytes.get(at + 8..fields_end)?.chunks_exact(8);
        let fields = fields.filter_map(|chunk| Some(u64::from_ne_bytes(chunk.try_into().ok()?)));
        let name_end = fields_end + usize::from(u16::from_ne_bytes([n0, n1]));
        let data_len = usize::try_from(u32::from_ne_bytes([d0, d1, d2, d3])).ok()?;
        let data_end = name_end.checked_add(data_len)?;
        bytes.get(..data_end)?;
        let raw = Raw {
            kind,
            fields: fields.collect(),
            name: fields_end..name_end,
            data: name_end..data_end,
        };
        Some((raw, data_end))
    }

    /// The meaning of the record; nothing when it has none. The numbers are those of `iolog.c`.
    fn decode(&self, bytes: &[u8], known: &Known) -> Option<Op> {
        let name = || entry_name(&bytes[self.name.clone()]);
        let data_len = u64::try_from(self.data.len()).ok()?;
        Some(match (self.kind, self.fields.as_slice()) {
            (kind @ (2 | 3), &[parent, node]) => Op::Create {
                parent: known.directory(parent)?,
                name: name()?,
                node: known.new_node(node)?,
                directory: kind == 3,
            },
            (4, &[parent, node]) => Op::Link {
                parent: known.directory(parent)?,
                name: name()?,
                node: known.file(node)?,
            },
            (5, &[parent, node]) => Op::Unlink {
                parent: known.any(node).and(known.directory(parent))?,
                name: name()?,
            },
            (6, &[from, to, node]) => Op::Rename {
                from: known.directory(from)?,
                old_name: name()?,
                to: known.directory(to)?,
                new_name: entry_name(&bytes[self.data.clone()])?,
                node: known.any(node)?,
            },
            (7, &[node, offset]) => Op::Write {
                node: known.file(node)?,
                offset: size(offset, data_len).map(|_| offset)?,
                data: self.data.clone(),
            },
            (8, &[node, bytes]) => Op::Truncate {
                node: known.file(node)?,
                size: size(bytes, 0)?,
            },
            (9, &[node, bytes]) => Op::Allocate {
                node: known.file(node)?,
                size: size(bytes, 0)?,
            },
            // RocksDB punches from the end of a file; the length may be huge and has no effect.
            (10, &[node, offset, len]) => Op::Zero {
                node: known.file(node)?,
                offset: offset.min(LARGEST_FILE_BYTES),
                len: len.min(LARGEST_FILE_BYTES),
            },
            (11, &[sync, node]) => Op::SyncBegin {
                sync,
                node: known.any(node)?,
            },
            (12, &[sync, succeeded]) => {
                let &(node, begin) = known.syncs.get(&sync)?;
                Op::SyncEnd {
                    node,
                    begin,
                    succeeded: succeeded == 1,
                }
            }
            (13, &[]) => Op::Ack {
                data: self.data.clone(),
            },
            (14, &[node, errno]) => Op::Fault {
                node: known.any(node)?,
                errno,
                call: bytes[self.name.clone()].to_vec(),
            },
            (15, &[]) => Op::BaseDone,
            _ => return None,
        })
    }
}

/// A name fit for one directory entry: images are written to a real directory, and no name may
/// lead out of it.
fn entry_name(name: &[u8]) -> Option<Vec<u8>> {
    let bad = matches!(name, b"" | b"." | b"..") || name.iter().any(|b| matches!(b, b'/' | 0));
    (!bad).then(|| name.to_vec())
}

fn size(offset: u64, len: u64) -> Option<u64> {
    let end = offset.checked_add(len)?;
    (end <= LARGEST_FILE_BYTES).then_some(end)
}
