//! The levels that a transaction has moved, looked at when somebody asks.
//!
//! Who builds a tree and asks for levels as it grows must not pay for the whole tree with each
//! question. So what was found out is kept, and the next look starts from it: only what changed in
//! between is looked at again. The stored levels are not touched here; `change.rs` writes them.

use super::levels::{LevelChanges, relevel};
use super::lineage::{Lineage, LineageError};
use super::stored::READ_LIMIT;
use crate::value::NodeId;
use parking_lot::Mutex;
use roaring::RoaringTreemap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a transaction has changed in one hierarchy.
#[derive(Debug, Default)]
pub(crate) struct Releveled(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Nodes whose parents, or whose membership, changed since the last look.
    changed: RoaringTreemap,
    moved: Arc<Moved>,
}

/// Levels that differ from the stored ones.
#[derive(Debug, Default, Clone)]
pub(crate) struct Moved {
    /// The level by now; `None` for what is no longer a member. Some may have come back to the
    /// stored level.
    pub(crate) now: LevelChanges,
    /// The stored level of those that have one.
    pub(crate) before: BTreeMap<NodeId, u32>,
}

impl Releveled {
    /// Notes that the parents of a node, or its membership, changed.
    pub(crate) fn note(&mut self, node: u64) {
        self.0.get_mut().changed.insert(node);
    }

    /// The levels after everything that was noted.
    pub(crate) fn look<L: Lineage>(
        &self,
        lineage: &L,
    ) -> Result<Arc<Moved>, LineageError<L::Error>> {
        let mut state = self.0.lock();
        if !state.changed.is_empty() {
            let known = Known {
                lineage,
                moved: &state.moved.now,
            };
            let found = relevel(&known, &state.changed, READ_LIMIT)?;
            let mut before = Vec::new();
            for node in found
                .keys()
                .filter(|node| !state.moved.now.contains_key(node))
            {
                let stored = lineage.stored_level(*node).map_err(LineageError::View)?;
                before.extend(stored.map(|level| (*node, level)));
            }
            let moved = Arc::make_mut(&mut state.moved);
            moved.now.extend(found);
            moved.before.extend(before);
            state.changed.clear();
        }
        Ok(Arc::clone(&state.moved))
    }
}

/// The graph as it is, with the levels that are known so far.
struct Known<'a, L> {
    lineage: &'a L,
    moved: &'a LevelChanges,
}

impl<L: Lineage> Lineage for Known<'_, L> {
    type Error = L::Error;

    fn parents_after(
        &self,
        child: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), L::Error> {
        self.lineage.parents_after(child, after, limit, out)
    }

    fn children_after(
        &self,
        parent: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), L::Error> {
        self.lineage.children_after(parent, after, limit, out)
    }

    fn is_named(&self, node: NodeId) -> Result<bool, L::Error> {
        self.lineage.is_named(node)
    }

    fn stored_level(&self, node: NodeId) -> Result<Option<u32>, L::Error> {
        match self.moved.get(&node) {
            Some(level) => Ok(*level),
            None => self.lineage.stored_level(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use super::*;

    #[test]
    fn asking_after_each_change_costs_as_much_in_a_large_tree_as_in_a_small_one() {
        let mut model = Model::default();
        let mut releveled = Releveled::default();
        let mut reads = Vec::new();
        for child in 1..=4000 {
            model.add(0, child);
            releveled.note(0);
            releveled.note(child);
            let before = model.reads.get() + model.levels_read.get();
            let moved = releveled.look(&model).unwrap();
            assert_eq!(moved.now[&NodeId::new(child)], Some(1));
            reads.push(model.reads.get() + model.levels_read.get() - before);
        }
        assert!(
            reads[3999] <= reads[10],
            "{} and {}",
            reads[10],
            reads[3999]
        );
    }

    #[test]
    fn looking_in_between_changes_nothing_about_what_is_found_in_the_end() {
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            let edges = (1..20_u64).map(|child| (random.u64(..child), child));
            let mut model = Model::of(edges.collect::<Vec<_>>());
            let (mut once, mut often) = (Releveled::default(), Releveled::default());
            for _ in 0..30 {
                let child = random.u64(1..24);
                let parent = random.u64(..child);
                if random.bool() {
                    model.add(parent, child);
                } else if !model.remove(parent, child) {
                    continue;
                }
                for releveled in [&mut once, &mut often] {
                    releveled.note(parent);
                    releveled.note(child);
                }
                if random.u8(..3) == 0 {
                    often.look(&model).unwrap();
                }
            }
            let differing = |releveled: &Releveled| {
                let moved = releveled.look(&model).unwrap();
                let now = moved.now.iter().map(|(node, now)| (*node, *now));
                now.map(|(node, now)| (node, now, moved.before.get(&node).copied()))
                    .filter(|(_, now, before)| now != before)
                    .collect::<Vec<_>>()
            };
            assert_eq!(differing(&often), differing(&once), "seed {seed}");
        }
    }
}
