//! What is drawn for bulk loads, which only add: nodes and relationships, among themselves and to what
//! is stored.
//!
//! No load changes the anchor. So a loaded batch is told from the one before it by what it adds, and
//! from any other by its keys.

use super::super::Key;
use super::super::content::Properties;
use super::super::model::{ANCHOR, Relationship};
use super::super::names::Type;
use super::super::operation::{Operation, Refusal};
use super::{Artist, KEYS_PER_BATCH};
use std::collections::BTreeSet;
use stratigraph::BulkOptions;

/// From so many keys on, no more is added: what an undone load ends with needs a few.
const MANY_KEYS: u64 = KEYS_PER_BATCH - 8;
/// A load that touches everything takes in so many families.
const FAMILIES: u64 = 9;

/// A bulk load that comes to nothing.
#[derive(Debug, Clone)]
pub(in super::super) struct Undone {
    pub(in super::super) operations: Vec<Operation>,
    pub(in super::super) ending: Ending,
    pub(in super::super) options: BulkOptions,
}

/// Why a bulk load comes to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Ending {
    /// It is dropped instead of finished.
    Dropped,
    /// It is cancelled once so many families are taken in, or at the last of them.
    Cancelled(u64),
    /// Two of the load have one unique key.
    OneKey,
    /// Its last relationship closes a cycle.
    Cycle,
}

impl Artist {
    /// A batch that goes in as a bulk load.
    pub(super) fn load(&mut self) -> BulkOptions {
        let stored: Vec<Key> = self.graph.nodes.keys().copied().collect();
        if stored.is_empty() {
            let properties = Properties::from(self.marks());
            self.push(Operation::CreateNode {
                key: ANCHOR,
                tints: BTreeSet::new(),
                properties,
            });
        }
        // Something is new in any case.
        self.create_node();
        let target = self.node();
        self.mark_link(target);
        for _ in 0..self.rng.u8(1..30) {
            if self.keys < MANY_KEYS {
                self.add(&stored);
            }
        }
        // From one that puts everything aside on disk to one that never does.
        BulkOptions::new()
            .memory_bytes(64 << (10 + self.rng.u32(0..=8)))
            .threads(self.rng.usize(1..=2))
    }

    /// A bulk load that leaves nothing behind. The batch after it may give the same keys.
    pub(super) fn undone(&mut self) -> Undone {
        let graph = self.graph.clone();
        let options = self.load();
        let ending = match self.rng.u8(..6) {
            0 => Ending::Dropped,
            1 => {
                self.give_one_key_twice();
                Ending::OneKey
            }
            2 => {
                self.close_cycle();
                Ending::Cycle
            }
            _ => Ending::Cancelled(self.rng.u64(..FAMILIES)),
        };
        self.graph = graph;
        self.keys = 0;
        Undone {
            operations: std::mem::take(&mut self.operations),
            ending,
            options,
        }
    }

    /// One operation of a load.
    fn add(&mut self, stored: &[Key]) {
        match self.rng.u8(..100) {
            0..40 => self.create_node(),
            40..65 => self.link_more(),
            65..75 => self.adopt_orphan(),
            75..88 => self.tag_new(),
            88..94 => {
                let node = self.node();
                if !self.graph.nodes[&node].named {
                    self.push(Operation::Name { node, on: true });
                }
            }
            _ => self.refuse_new(stored),
        }
    }

    /// Makes a node without a whole a part of another: a load cannot take it from one.
    fn adopt_orphan(&mut self) {
        let (of, parent, child) = (Type::Part, self.node(), self.node());
        if let Some(relationship) = self.graph.relationship_to_parent(child) {
            if self.graph.relationships[&relationship].source != parent {
                self.push(Operation::Refused(Refusal::SecondParent { parent, child }));
            }
        } else if parent == child {
            // A longer cycle shows only when the load is finished.
            self.push(Operation::Refused(Refusal::Cycle { of, parent, child }));
        } else if !self.graph.reaches(of, child, parent) {
            self.relate(of, parent, child);
        }
    }

    fn tag_new(&mut self) {
        let (of, parent, child) = (Type::Tag, self.node(), self.node());
        if parent == child {
            self.push(Operation::Refused(Refusal::Cycle { of, parent, child }));
        } else if !self.graph.reaches(of, child, parent) {
            self.relate(of, parent, child);
        }
    }

    /// What is refused at once, and the load goes on.
    fn refuse_new(&mut self, stored: &[Key]) {
        let taken = self.rng.choice(stored).copied();
        let refusal = match taken.filter(|_| self.rng.bool()) {
            Some(taken) => Refusal::TakenKey(taken),
            None if self.rng.bool() => Refusal::NewWrongKind(self.fresh()),
            None => Refusal::NewWrongDimensions(self.fresh()),
        };
        self.push(Operation::Refused(refusal));
    }

    fn give_one_key_twice(&mut self) {
        let key = self.fresh();
        if self.rng.bool() {
            self.bare_node(key);
            self.bare_node(key);
        } else {
            let relationship = Relationship {
                of: Type::Link,
                source: self.node(),
                target: self.node(),
                properties: Properties::new(),
            };
            let twice = Operation::CreateRelationship { key, relationship };
            self.push(twice.clone());
            self.push(twice);
        }
    }

    fn close_cycle(&mut self) {
        let (broader, narrower) = (self.node(), self.fresh());
        self.bare_node(narrower);
        let has_whole = self.graph.relationship_to_parent(broader).is_some();
        let of = if has_whole { Type::Tag } else { Type::Part };
        self.relate(of, broader, narrower);
        self.relate(of, narrower, broader);
    }

    fn bare_node(&mut self, key: Key) {
        self.push(Operation::CreateNode {
            key,
            tints: BTreeSet::new(),
            properties: Properties::new(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Graph, draw};
    use super::*;
    use crate::workload::{BatchNumber, Workload, Writer};

    #[test]
    fn every_kind_of_load_comes_early() {
        let mut endings = [0; 4];
        let (mut into_nothing, mut into_something) = (0, 0);
        for seed in 0..20 {
            let (workload, writer) = (Workload::new(seed), Writer(0));
            let mut graph = Graph::default();
            for batch in (1..64).map(BatchNumber) {
                let drawn = draw(workload, writer, batch, &graph);
                if drawn.load.is_some() {
                    assert!(drawn.after.nodes.len() > graph.nodes.len());
                    into_nothing += u32::from(graph.nodes.is_empty());
                    into_something += u32::from(!graph.nodes.is_empty());
                }
                if let Some(undone) = drawn.undone {
                    let ending = match undone.ending {
                        Ending::Dropped => 0,
                        Ending::Cancelled(_) => 1,
                        Ending::OneKey => 2,
                        Ending::Cycle => 3,
                    };
                    endings[ending] += 1;
                }
                graph = drawn.after;
            }
        }
        assert!(into_nothing >= 5, "{into_nothing}");
        assert!(into_something >= 20, "{into_something}");
        assert!(endings.iter().all(|count| *count > 0), "{endings:?}");
    }
}
