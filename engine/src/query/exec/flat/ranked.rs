//! Ways between two nodes one after the other, the shortest first.
//!
//! All ways are one set. The shortest of a set is found by a search; what is left of the set falls apart by the
//! place where a way leaves that one, and each part has a shortest way again (Lawler). So each way costs as many
//! searches as it is long, however many ways there are. A way that takes a relationship twice is no result, but
//! its set falls apart all the same: only where many such ways are shorter than those that are wanted it takes
//! long, and the limits of the query end it.
//!
//! Next: `filter.rs`.

use super::field::{Field, Forbidden, Move, Place, Walk};
use super::shortest::Ground;
use crate::query::error::Fault;
use crate::query::plan::SelectorKind;
use crate::value::{NodeId, RelationshipId};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// The ways that may come next.
pub(super) struct Ranked {
    to: NodeId,
    open: BinaryHeap<Reverse<(u64, u64, Part)>>,
    parts: u64,
    given: Given,
    bytes: usize,
}

/// A set of ways by its shortest: those that begin like it up to `fork`, and go on there as none of `first` does.
#[derive(PartialEq, Eq)]
struct Part {
    walk: Walk,
    fork: usize,
    first: Vec<Move>,
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Parts are told apart by the number before them.
impl Ord for Part {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

#[derive(Clone, Copy, Default)]
struct Given {
    ways: u64,
    lengths: u64,
    length: u64,
}

impl Given {
    /// Whether one more way is wanted, of this length.
    fn wants(&self, kind: SelectorKind, length: u64) -> bool {
        let same = self.ways > 0 && self.length == length;
        match kind {
            SelectorKind::All => true,
            SelectorKind::Any(most) | SelectorKind::Shortest(most) => self.ways < most,
            SelectorKind::AllShortest => self.ways == 0 || same,
            SelectorKind::ShortestGroups(most) => same || self.lengths < most,
        }
    }

    /// Whether one more way is all that is wanted.
    fn misses_one(&self, kind: SelectorKind) -> bool {
        match kind {
            SelectorKind::Any(most) | SelectorKind::Shortest(most) => self.ways + 1 == most,
            _ => false,
        }
    }

    fn note(&mut self, length: u64) {
        if self.ways == 0 || self.length != length {
            self.lengths += 1;
            self.length = length;
        }
        self.ways += 1;
    }
}

impl Ranked {
    /// All ways to a node, of which the shortest is known.
    pub(super) fn new(to: NodeId, length: u64, walk: Walk) -> Self {
        let mut ranked = Self {
            to,
            open: BinaryHeap::new(),
            parts: 0,
            given: Given::default(),
            bytes: 0,
        };
        ranked.push(length, walk, 0, Vec::new());
        ranked
    }

    /// How much it holds.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn push(&mut self, length: u64, walk: Walk, fork: usize, first: Vec<Move>) {
        self.bytes += size_of::<Part>() + size_of_val(walk.as_slice());
        self.parts += 1;
        let part = Part { walk, fork, first };
        self.open.push(Reverse((length, self.parts, part)));
    }

    /// The next way.
    pub(super) fn next(
        &mut self,
        field: &mut Field,
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Option<Walk>, Fault> {
        while let Some(Reverse((length, _, part))) = self.open.pop() {
            if !self.given.wants(ground.of.kind, length) {
                return Ok(None);
            }
            self.bytes -= size_of::<Part>() + size_of_val(part.walk.as_slice());
            ground.site.context.look(part.walk.len())?;
            let wanted = is_trail(&part.walk, field) && ground.is_wanted(field, &part.walk)?;
            // After the last one nobody asks for what is left.
            if !wanted || !self.given.misses_one(ground.of.kind) {
                self.fall_apart(length, &part, field, ground)?;
            }
            if wanted {
                self.given.note(length);
                return Ok(Some(part.walk));
            }
        }
        Ok(None)
    }

    /// Puts back what is left of a set without its shortest way.
    fn fall_apart(
        &mut self,
        length: u64,
        part: &Part,
        field: &mut Field,
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<(), Fault> {
        let mut taken = Forbidden::default();
        let mut so_far = 0;
        let kind = ground.of.kind;
        for (at, (place, by)) in part.walk.iter().enumerate() {
            if at >= part.fork {
                taken.first = match at == part.fork {
                    true => part.first.clone(),
                    false => Vec::new(),
                };
                taken.first.push(*by);
                if let Some((more, rest)) = self.complete(*place, &taken, field, ground)? {
                    let mut walk = part.walk[..at].to_vec();
                    walk.extend(rest);
                    // What is not wanted now is wanted even less later.
                    if self.given.wants(kind, so_far + more) || so_far + more == length {
                        self.push(so_far + more, walk, at, taken.first.clone());
                    }
                }
            }
            let relationships = field.taken(*place, *by);
            so_far += relationships.len() as u64;
            if !add_all(&mut taken.relationships, relationships) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The shortest way on from a place.
    fn complete(
        &self,
        from: Place,
        forbidden: &Forbidden,
        field: &mut Field,
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Option<(u64, Walk)>, Fault> {
        let tree = field.search(from, Some(self.to), forbidden, ground)?;
        let end = tree.ends.first().copied();
        Ok(end.map(|(end, length)| (length, tree.walk(end))))
    }
}

/// Whether a way takes no relationship twice.
fn is_trail(walk: &Walk, field: &Field) -> bool {
    let mut taken = HashSet::new();
    walk.iter()
        .all(|(place, by)| add_all(&mut taken, field.taken(*place, *by)))
}

/// Adds relationships; false if one was there already.
fn add_all(taken: &mut HashSet<RelationshipId>, more: &[RelationshipId]) -> bool {
    more.iter().all(|one| taken.insert(*one))
}
