//! A hierarchy in memory, for tests: it keeps its relationships, counts what is read of it, and
//! fails when it is told to. Its levels come from a search over everything, the slow way.
//!
//! It must never be used outside tests, nor share code with what it tests.

use super::lineage::Lineage;
use crate::value::NodeId;
use roaring::RoaringTreemap;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

type Neighbours = BTreeMap<u64, BTreeMap<u64, u32>>;

/// The reading that was to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("reading failed, as it was told to")]
pub(super) struct Refused;

/// A hierarchy and what has been read of it.
#[derive(Default)]
pub(super) struct Model {
    /// For each node its parents, with the number of parallel relationships.
    parents: Neighbours,
    children: Neighbours,
    named: BTreeSet<u64>,
    stored: BTreeMap<u64, u32>,
    /// Reads of portions.
    pub(super) reads: Cell<u64>,
    /// Neighbours in those portions.
    pub(super) neighbours: Cell<u64>,
    /// Reads of levels.
    pub(super) levels_read: Cell<u64>,
    /// After how many more reads of any kind the view fails.
    pub(super) fails_after: Cell<Option<u64>>,
}

impl Model {
    /// A hierarchy of these relationships, whose levels are stored.
    pub(super) fn of(relationships: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut model = Self::default();
        for (parent, child) in relationships {
            model.add(parent, child);
        }
        model.stored = model.levels();
        model
    }

    pub(super) fn add(&mut self, parent: u64, child: u64) {
        *entry(&mut self.children, parent, child) += 1;
        *entry(&mut self.parents, child, parent) += 1;
    }

    /// Takes one of the relationships away; whether there was one.
    pub(super) fn remove(&mut self, parent: u64, child: u64) -> bool {
        take_one(&mut self.children, parent, child) && take_one(&mut self.parents, child, parent)
    }

    /// Takes a relationship out of its parent's children only, as damage would.
    pub(super) fn hide_parent(&mut self, parent: u64, child: u64) {
        take_one(&mut self.parents, child, parent);
    }

    pub(super) fn name(&mut self, node: u64) {
        self.named.insert(node);
    }

    pub(super) fn unname(&mut self, node: u64) {
        self.named.remove(&node);
    }

    /// Takes a node and its relationships away; gives its neighbours.
    pub(super) fn delete(&mut self, node: u64) -> Vec<u64> {
        let (parents, children) = (self.parents_of(node), self.children_of(node));
        for &parent in &parents {
            while self.remove(parent, node) {}
        }
        for &child in &children {
            while self.remove(node, child) {}
        }
        self.unname(node);
        parents.into_iter().chain(children).collect()
    }

    pub(super) fn parents_of(&self, node: u64) -> Vec<u64> {
        keys(&self.parents, node)
    }

    pub(super) fn children_of(&self, node: u64) -> Vec<u64> {
        keys(&self.children, node)
    }

    /// Every relationship, parallel ones once.
    pub(super) fn relationships(&self) -> Vec<(u64, u64)> {
        let pairs = self.children.iter();
        pairs
            .flat_map(|(&parent, children)| children.keys().map(move |&child| (parent, child)))
            .collect()
    }

    pub(super) fn members(&self) -> BTreeSet<u64> {
        let ends = self.parents.keys().chain(self.children.keys());
        ends.chain(&self.named).copied().collect()
    }

    /// The level of every member, from a search that begins at all roots.
    pub(super) fn levels(&self) -> BTreeMap<u64, u32> {
        let mut levels = BTreeMap::new();
        let mut queue = VecDeque::new();
        for node in self.members() {
            if self.parents_of(node).is_empty() {
                levels.insert(node, 0);
                queue.push_back((node, 0));
            }
        }
        while let Some((node, level)) = queue.pop_front() {
            for child in self.children_of(node) {
                levels.entry(child).or_insert_with(|| {
                    queue.push_back((child, level + 1));
                    level + 1
                });
            }
        }
        levels
    }

    /// The members whose level is not the stored one, and what is stored but is none.
    pub(super) fn level_changes(&self) -> BTreeMap<NodeId, Option<u32>> {
        let levels = self.levels();
        let nodes: BTreeSet<u64> = levels.keys().chain(self.stored.keys()).copied().collect();
        nodes
            .into_iter()
            .filter(|node| levels.get(node) != self.stored.get(node))
            .map(|node| (NodeId::new(node), levels.get(&node).copied()))
            .collect()
    }

    /// Stores changes, as a commit would.
    pub(super) fn store(&mut self, changes: &BTreeMap<NodeId, Option<u32>>) {
        for (node, level) in changes {
            match level {
                Some(level) => self.stored.insert(node.get(), *level),
                None => self.stored.remove(&node.get()),
            };
        }
    }

    /// The nodes within reach of children steps, the first included.
    pub(super) fn reachable(&self, from: u64) -> BTreeMap<u64, u64> {
        let mut distances = BTreeMap::from([(from, 0)]);
        let mut queue = VecDeque::from([(from, 0)]);
        while let Some((node, distance)) = queue.pop_front() {
            for child in self.children_of(node) {
                distances.entry(child).or_insert_with(|| {
                    queue.push_back((child, distance + 1));
                    distance + 1
                });
            }
        }
        distances
    }

    /// Forgets what has been counted.
    pub(super) fn count_from_zero(&self) {
        self.reads.set(0);
        self.neighbours.set(0);
        self.levels_read.set(0);
    }

    fn may_read(&self) -> Result<(), Refused> {
        match self.fails_after.get() {
            Some(0) => Err(Refused),
            left => {
                self.fails_after.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }

    fn read(
        &self,
        side: &Neighbours,
        node: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), Refused> {
        self.may_read()?;
        let before = out.len();
        let lower = after.map_or(Bound::Unbounded, |id| Bound::Excluded(id.get()));
        if let Some(neighbours) = side.get(&node.get()) {
            let parallel = neighbours.range((lower, Bound::Unbounded));
            let all = parallel.flat_map(|(&id, &times)| (0..times).map(move |_| NodeId::new(id)));
            out.extend(all.take(limit));
        }
        self.reads.set(self.reads.get() + 1);
        let read = u64::try_from(out.len() - before).unwrap();
        self.neighbours.set(self.neighbours.get() + read);
        Ok(())
    }
}

impl Lineage for Model {
    type Error = Refused;

    fn parents_after(
        &self,
        child: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), Refused> {
        self.read(&self.parents, child, after, limit, out)
    }

    fn children_after(
        &self,
        parent: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), Refused> {
        self.read(&self.children, parent, after, limit, out)
    }

    fn is_named(&self, node: NodeId) -> Result<bool, Refused> {
        self.may_read()?;
        Ok(self.named.contains(&node.get()))
    }

    fn stored_level(&self, node: NodeId) -> Result<Option<u32>, Refused> {
        self.may_read()?;
        self.levels_read.set(self.levels_read.get() + 1);
        Ok(self.stored.get(&node.get()).copied())
    }
}

/// Ids from numbers.
pub(super) fn ids(numbers: impl IntoIterator<Item = u64>) -> Vec<NodeId> {
    numbers.into_iter().map(NodeId::new).collect()
}

/// A set of nodes from numbers.
pub(super) fn set(numbers: impl IntoIterator<Item = u64>) -> RoaringTreemap {
    numbers.into_iter().collect()
}

fn entry(side: &mut Neighbours, node: u64, neighbour: u64) -> &mut u32 {
    side.entry(node).or_default().entry(neighbour).or_default()
}

fn keys(side: &Neighbours, node: u64) -> Vec<u64> {
    side.get(&node)
        .map(|neighbours| neighbours.keys().copied().collect())
        .unwrap_or_default()
}

fn take_one(side: &mut Neighbours, node: u64, neighbour: u64) -> bool {
    let Some(neighbours) = side.get_mut(&node) else {
        return false;
    };
    let Some(times) = neighbours.get_mut(&neighbour) else {
        return false;
    };
    *times -= 1;
    if *times == 0 {
        neighbours.remove(&neighbour);
    }
    if neighbours.is_empty() {
        side.remove(&node);
    }
    true
}
