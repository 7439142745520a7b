//! The `roots` column: from which roots the steps taken lead to a node.
//!
//! A root reaches a node if it was admitted at level 0 and a chain of taken steps through admitted
//! nodes leads from it to the node. That is more than the best path: steps to nodes that were
//! admitted earlier count too, so the sets are only known when the traversal is over.

use super::rows::Rows;
use crate::value::NodeId;
use roaring::RoaringBitmap;

/// About how many bytes a node takes with a set that has one root.
const SET_BYTES: usize = 96;
/// A step is kept as two nodes and as two places.
const STEP_BYTES: usize = 2 * size_of::<(NodeId, NodeId)>();

/// The steps taken, while the traversal goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct RootsRecord {
    /// Per level the steps that lead to it, as parent and node, also to admitted nodes.
    steps: Vec<Vec<(NodeId, NodeId)>>,
    /// Everything admitted, level by level.
    admitted: Vec<NodeId>,
    /// How many of those are roots.
    root_count: usize,
}

impl RootsRecord {
    /// Notes the steps that lead to the next level.
    pub(super) fn add_steps(&mut self, steps: Vec<(NodeId, NodeId)>) {
        self.steps.push(steps);
    }

    /// Notes who was admitted.
    pub(super) fn close_level(&mut self, level: u32, admitted: &[NodeId]) {
        self.admitted.extend_from_slice(admitted);
        if level == 0 {
            self.root_count = admitted.len();
        }
    }

    /// The set of each admitted node, in the order of `places`.
    fn sets<E>(
        &self,
        places: &Places,
        hold: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<Vec<RoaringBitmap>, E> {
        hold(self.admitted.len() * SET_BYTES)?;
        hold(self.steps.iter().map(Vec::len).sum::<usize>() * STEP_BYTES)?;
        let mut sets = vec![RoaringBitmap::new(); self.admitted.len()];
        for (at, set) in (0..).zip(sets.iter_mut().take(self.root_count)) {
            set.insert(at);
        }
        // Grouped by parent, and parents in the order of their admission: in a hierarchy every set
        // is complete before it is handed on, and one round is enough.
        let mut steps: Vec<(usize, usize)> = (self.steps.iter().flatten())
            .filter_map(|(parent, node)| Some((places.of(*parent)?, places.of(*node)?)))
            .collect();
        steps.sort_unstable();
        steps.dedup();
        let mut dirty = vec![true; sets.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for of_parent in steps.chunk_by(|left, right| left.0 == right.0) {
                let Some((parent, _)) = of_parent.first() else {
                    continue;
                };
                if !dirty.get_mut(*parent).is_some_and(std::mem::take) {
                    continue;
                }
                let Some(set) = sets.get(*parent).cloned() else {
                    continue;
                };
                for (_, node) in of_parent {
                    if let (Some(into), Some(dirty)) = (sets.get_mut(*node), dirty.get_mut(*node)) {
                        let (before, bytes) = (into.len(), into.serialized_size());
                        *into |= &set;
                        if into.len() != before {
                            hold(into.serialized_size().saturating_sub(bytes))?;
                            *dirty = true;
                            changed = true;
                        }
                    }
                }
            }
        }
        Ok(sets)
    }

    /// Works out the column for these rows.
    pub(super) fn column<E>(
        mut self,
        rows: &Rows,
        hold: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<RootsColumn, E> {
        let places = Places::new(&self.admitted);
        let sets = self.sets(&places, hold)?;
        for steps in &mut self.steps {
            steps.sort_unstable_by_key(|(parent, node)| (*node, *parent));
        }
        let mut column = RootsColumn::default();
        for row in rows.iter() {
            let own = places.of(row.node).and_then(|at| sets.get(at));
            match own {
                Some(set) if row.status.is_admitted() => {
                    hold(size_of::<NodeId>() * set.len() as usize)?;
                    column.items.extend(self.roots_of(set));
                }
                // A root that was refused still reaches itself.
                _ if row.level == 0 => column.items.push(row.node),
                _ => {
                    let set = self.set_of_candidate(row.node, row.level, &places, &sets);
                    hold(size_of::<NodeId>() * set.len() as usize)?;
                    column.items.extend(self.roots_of(&set));
                }
            }
            column.ends.push(column.items.len());
        }
        Ok(column)
    }

    /// What the parents of a candidate that was not admitted would have handed on.
    fn set_of_candidate(
        &self,
        node: NodeId,
        level: u32,
        places: &Places,
        sets: &[RoaringBitmap],
    ) -> RoaringBitmap {
        let before = (level as usize).checked_sub(1);
        let steps = before
            .and_then(|at| self.steps.get(at))
            .map_or(&[][..], Vec::as_slice);
        let first = steps.partition_point(|(_, to)| *to < node);
        (steps.iter().skip(first))
            .take_while(|(_, to)| *to == node)
            .filter_map(|(parent, _)| sets.get(places.of(*parent)?))
            .fold(RoaringBitmap::new(), |all, set| all | set)
    }

    fn roots_of(&self, set: &RoaringBitmap) -> impl Iterator<Item = NodeId> {
        set.iter()
            .filter_map(|at| self.admitted.get(at as usize).copied())
    }
}

/// From a node to when it was admitted.
struct Places(Vec<(NodeId, usize)>);

impl Places {
    fn new(admitted: &[NodeId]) -> Self {
        let mut places: Vec<_> = admitted.iter().copied().zip(0..).collect();
        places.sort_unstable();
        Self(places)
    }

    fn of(&self, node: NodeId) -> Option<usize> {
        let at = self.0.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        self.0.get(at).map(|(_, place)| *place)
    }
}

/// The roots of each row, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct RootsColumn {
    items: Vec<NodeId>,
    ends: Vec<usize>,
}

impl RootsColumn {
    pub(super) fn get(&self, row: usize) -> Option<&[NodeId]> {
        let end = *self.ends.get(row)?;
        let start = match row.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.items.get(start..end)
    }
}
