//! Sorting relationships the way both of their ends see them: full buffers are sorted and put aside,
//! once for `out` and once for `in`, and merged in the end.
//!
//! ```text
//! a record of a chunk  [near: 8 LE][type: 4 LE][count: 8 LE]   a group, followed by its members
//!                      [far: 8 LE][relationship: 8 LE]         a member
//! ```
//! A degree is stored before the relationships that it counts. So each chunk says how many members a
//! group has before it lists them, and the merge knows the sum before it has read any.

use super::aside::Aside;
use super::radix;
use super::scratch::{Scratch, ScratchReader, ScratchWriter, Tiers};
use crate::catalog::{NameId, TypeId};
use crate::error::{Error, Result};
use crate::graph::keys::{DegreeKey, Way};
use crate::keys::Workspace;
use crate::value::NodeId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// A relationship as one of its ends sees it. The order is that of its key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    near: u64,
    of: u32,
    far: u64,
    relationship: u64,
}

/// A member of a group: the other end, and the relationship.
type Member = (u64, u64);

/// Takes relationships in any order.
pub(super) struct AdjacencySorter {
    space: Arc<Workspace>,
    limit: usize,
    /// As their sources see them.
    buffer: Vec<Seen>,
    chunks: [Tiers; 2],
    aside: Aside<[Scratch; 2]>,
}

/// All relationships as their ends on one side see them.
pub(super) struct Side {
    pub(super) way: Way,
    chunks: Vec<Scratch>,
    rest: Vec<Seen>,
}

impl AdjacencySorter {
    /// A sorter that keeps about so much in memory, and as much again while it is put aside.
    pub(super) fn new(space: &Arc<Workspace>, limit_bytes: usize, beside: bool) -> Self {
        Self {
            space: Arc::clone(space),
            limit: (limit_bytes / size_of::<Seen>()).max(2),
            buffer: Vec::new(),
            chunks: Default::default(),
            aside: Aside::new(beside),
        }
    }

    pub(super) fn push(
        &mut self,
        source: NodeId,
        of: TypeId,
        target: NodeId,
        relationship: u64,
    ) -> Result<()> {
        if self.buffer.len() >= self.limit {
            self.put_aside()?;
        }
        if self.buffer.len() == self.buffer.capacity() {
            // Doubling, but never beyond what is going to be used.
            let more = self.buffer.len().max(1024);
            self.buffer
                .reserve_exact(more.min(self.limit - self.buffer.len()));
        }
        self.buffer.push(Seen {
            near: source.get(),
            of: of.number(),
            far: target.get(),
            relationship,
        });
        Ok(())
    }

    fn put_aside(&mut self) -> Result<()> {
        self.collect()?;
        let mut full = std::mem::take(&mut self.buffer);
        let space = Arc::clone(&self.space);
        self.aside.begin(move || {
            radix::sort(&mut full, |seen| seen.near);
            let out = write_chunk(&space, &full)?;
            turn(&mut full);
            radix::sort(&mut full, |seen| seen.near);
            Ok([out, write_chunk(&space, &full)?])
        })
    }

    fn collect(&mut self) -> Result<()> {
        if let Some(chunks) = self.aside.wait()? {
            let space = &self.space;
            for (tiers, chunk) in self.chunks.iter_mut().zip(chunks) {
                tiers.push(chunk, |chunks| merge_chunks(space, chunks))?;
            }
        }
        Ok(())
    }

    /// Ends taking: what was taken, from both sides. What is left in memory is still unsorted.
    pub(super) fn into_sides(mut self) -> Result<[Side; 2]> {
        self.collect()?;
        let rest = std::mem::take(&mut self.buffer);
        let mut turned = rest.clone();
        turn(&mut turned);
        let [out, incoming] = std::mem::take(&mut self.chunks);
        Ok([
            Side {
                way: Way::Out,
                chunks: out.into_chunks(),
                rest,
            },
            Side {
                way: Way::In,
                chunks: incoming.into_chunks(),
                rest: turned,
            },
        ])
    }
}

impl Side {
    /// Sorts what is left in memory.
    pub(super) fn sort(&mut self) {
        radix::sort(&mut self.rest, |seen| seen.near);
    }

    /// Everything in the order of its keys, once it is sorted.
    pub(super) fn merge(&self) -> Result<Merge<'_>> {
        Merge::over(&self.chunks, &self.rest)
    }
}

/// Looks at relationships from the other end.
fn turn(buffer: &mut [Seen]) {
    for seen in buffer {
        std::mem::swap(&mut seen.near, &mut seen.far);
    }
}

fn write_chunk(space: &Arc<Workspace>, sorted: &[Seen]) -> Result<Scratch> {
    let mut writer = ScratchWriter::create(space)?;
    for group in sorted.chunk_by(|left, right| (left.near, left.of) == (right.near, right.of)) {
        let Some(first) = group.first() else {
            continue;
        };
        write_group(&mut writer, first.near, first.of, group.len() as u64)?;
        for seen in group {
            write_member(&mut writer, (seen.far, seen.relationship))?;
        }
    }
    writer.finish()
}

fn merge_chunks(space: &Arc<Workspace>, chunks: &[Scratch]) -> Result<Scratch> {
    let mut writer = ScratchWriter::create(space)?;
    let mut merged = Merge::over(chunks, &[])?;
    while let Some((group, count)) = merged.next_group()? {
        write_group(
            &mut writer,
            group.near.get(),
            group.relationship_type.number(),
            count,
        )?;
        while let Some(member) = merged.next_member()? {
            write_member(&mut writer, member)?;
        }
    }
    writer.finish()
}

fn write_group(writer: &mut ScratchWriter, near: u64, of: u32, count: u64) -> Result<()> {
    writer.record(|block| {
        block.extend_from_slice(&near.to_le_bytes());
        block.extend_from_slice(&of.to_le_bytes());
        block.extend_from_slice(&count.to_le_bytes());
    })
}

fn write_member(writer: &mut ScratchWriter, (far, relationship): Member) -> Result<()> {
    writer.record(|block| {
        block.extend_from_slice(&far.to_le_bytes());
        block.extend_from_slice(&relationship.to_le_bytes());
    })
}

/// Several chunks as one, group by group.
pub(super) struct Merge<'a> {
    sources: Vec<Source<'a>>,
    /// The next group of each source that has one.
    groups: BinaryHeap<Reverse<(u64, u32, usize)>>,
    /// The one source of the group at hand, as a rule.
    only: Option<usize>,
    /// The sources of the group at hand, by their next member, if there are several.
    members: BinaryHeap<Reverse<(Member, usize)>>,
}

/// A chunk, and how many members of its group at hand are still to be read.
struct Source<'a> {
    from: From<'a>,
    left: u64,
}

enum From<'a> {
    Chunk(ScratchReader<'a>),
    Rest(&'a [Seen]),
}

impl Source<'_> {
    fn next_group(&mut self) -> Result<Option<(u64, u32)>> {
        let (near, of, count) = match &mut self.from {
            From::Chunk(reader) => {
                if !reader.more()? {
                    return Ok(None);
                }
                (reader.u64()?, reader.u32()?, reader.u64()?)
            }
            From::Rest(rest) => {
                let Some(first) = rest.first() else {
                    return Ok(None);
                };
                let same = |seen: &&Seen| (seen.near, seen.of) == (first.near, first.of);
                let count = rest.iter().take_while(same).count();
                (first.near, first.of, count as u64)
            }
        };
        self.left = count;
        Ok(Some((near, of)))
    }

    fn next_member(&mut self) -> Result<Option<Member>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        match &mut self.from {
            From::Chunk(reader) => {
                // The group's block may end before the group does.
                reader.more()?;
                Ok(Some((reader.u64()?, reader.u64()?)))
            }
            From::Rest(rest) => {
                let Some((first, after)) = rest.split_first() else {
                    return Ok(None);
                };
                *rest = after;
                Ok(Some((first.far, first.relationship)))
            }
        }
    }
}

impl<'a> Merge<'a> {
    fn over(chunks: &'a [Scratch], rest: &'a [Seen]) -> Result<Self> {
        let mut sources = Vec::with_capacity(chunks.len() + 1);
        for chunk in chunks {
            sources.push(Source {
                from: From::Chunk(chunk.read()?),
                left: 0,
            });
        }
        sources.push(Source {
            from: From::Rest(rest),
            left: 0,
        });
        let mut groups = BinaryHeap::with_capacity(sources.len());
        for (number, source) in sources.iter_mut().enumerate() {
            if let Some((near, of)) = source.next_group()? {
                groups.push(Reverse((near, of, number)));
            }
        }
        Ok(Self {
            sources,
            groups,
            only: None,
            members: BinaryHeap::new(),
        })
    }

    /// The next group, and how many members it has; those of the group before must all be read.
    pub(super) fn next_group(&mut self) -> Result<Option<(DegreeKey, u64)>> {
        let Some(Reverse((near, of, first))) = self.groups.pop() else {
            return Ok(None);
        };
        self.only = Some(first);
        let mut count = self.source(first)?.left;
        while let Some(&Reverse((other, other_of, number))) = self.groups.peek()
            && (other, other_of) == (near, of)
        {
            self.groups.pop();
            count += self.source(number)?.left;
            for number in self.only.take().into_iter().chain([number]) {
                if let Some(member) = self.source(number)?.next_member()? {
                    self.members.push(Reverse((member, number)));
                }
            }
        }
        let group = DegreeKey {
            near: NodeId::new(near),
            relationship_type: TypeId::from_number(of),
        };
        Ok(Some((group, count)))
    }

    /// The next member of the group at hand.
    pub(super) fn next_member(&mut self) -> Result<Option<Member>> {
        if let Some(only) = self.only {
            let source = self.source(only)?;
            let member = source.next_member()?;
            if source.left == 0 {
                self.only = None;
                self.await_group(only)?;
            }
            return Ok(member);
        }
        let Some(Reverse((member, number))) = self.members.pop() else {
            return Ok(None);
        };
        match self.source(number)?.next_member()? {
            Some(next) => self.members.push(Reverse((next, number))),
            None => self.await_group(number)?,
        }
        Ok(Some(member))
    }

    /// Notes the next group of a source whose last one is read.
    fn await_group(&mut self, number: usize) -> Result<()> {
        if let Some((near, of)) = self.source(number)?.next_group()? {
            self.groups.push(Reverse((near, of, number)));
        }
        Ok(())
    }

    fn source(&mut self, number: usize) -> Result<&mut Source<'a>> {
        let source = self.sources.get_mut(number);
        source.ok_or_else(|| Error::bug("a chunk of a bulk load that is not there"))
    }
}
