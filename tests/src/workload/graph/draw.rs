//! Which operations a batch is made of: a pure function of the seed, the writer, the number and the
//! graph before it.

use super::Key;
use super::content::{Content, OF_NODES, OF_RELATIONSHIPS, Properties};
use super::model::{ANCHOR, Graph, Relationship};
use super::names::{EMBEDDING, Lookup, MARK, RANKS, TEXT, Tint, Type, WEIGHT};
use super::operation::{Operation, PropertyChanges, Refusal};
use crate::workload::{BatchNumber, Workload, Writer};
use std::collections::BTreeSet;

/// From so many nodes on, as many go as come.
const MANY_NODES: usize = 40;
/// The same with relationships.
const MANY_RELATIONSHIPS: usize = 90;
/// So many keys a batch may give.
const KEYS_PER_BATCH: u64 = 64;
/// One batch in so many drops an index and creates it again, and one a hierarchy.
const REDECLARE_PERIOD: u64 = 41;
/// For whom randomness is drawn.
const BATCH: u64 = 1 << 32;

/// What has to be declared anew before a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redeclared {
    /// The index by rank.
    Ranks,
    /// The tree. Its levels go in as a bulk load.
    Tree,
}

/// A batch.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// What is dropped and declared again first, in commits of its own.
    pub(super) redeclared: Option<Redeclared>,
    /// Its operations, all in one transaction.
    ///
    /// A bulk load of a graph would be another way to put in what a batch creates: it belongs here,
    /// beside the operations, in [`GraphHand::commit`](super::GraphHand::commit), and in nothing else.
    pub(super) operations: Vec<Operation>,
    /// What they make of the graph.
    pub(crate) after: Graph,
}

/// The batch after `before`.
#[must_use]
pub fn draw(workload: Workload, writer: Writer, batch: BatchNumber, before: &Graph) -> Drawn {
    let mut artist = Artist {
        rng: workload.rng(writer, batch, BATCH),
        batch,
        keys: 0,
        graph: before.clone(),
        operations: Vec::new(),
    };
    artist.sign();
    for _ in 0..artist.rng.u8(2..10) {
        artist.one();
    }
    if artist.rng.u8(..6) == 0 {
        artist.in_vain();
    }
    Drawn {
        redeclared: redeclared(workload, writer, batch),
        operations: artist.operations,
        after: artist.graph,
    }
}

fn redeclared(workload: Workload, writer: Writer, batch: BatchNumber) -> Option<Redeclared> {
    let is_due = |what| workload.is_due(writer, batch, REDECLARE_PERIOD, what);
    if is_due(1) {
        Some(Redeclared::Ranks)
    } else if workload.bulk_loads && is_due(2) {
        Some(Redeclared::Tree)
    } else {
        None
    }
}

/// What may be missing after `batch`, since declaring it takes several commits before the next.
#[must_use]
pub fn may_be_undeclared(
    workload: Workload,
    writer: Writer,
    batch: BatchNumber,
) -> BTreeSet<String> {
    if batch == BatchNumber(0) {
        let lookups = Lookup::ALL.map(super::face::subject_of_lookup);
        let hierarchies = [Type::Part, Type::Tag].map(super::face::subject_of_hierarchy);
        return lookups.into_iter().chain(hierarchies).collect();
    }
    match redeclared(workload, writer, batch.next()) {
        Some(Redeclared::Ranks) => [super::face::subject_of_lookup(Lookup::Rank)].into(),
        Some(Redeclared::Tree) => [super::face::subject_of_hierarchy(Type::Part)].into(),
        None => BTreeSet::new(),
    }
}

/// Draws one operation after another, each of the graph that those before it have made.
struct Artist {
    rng: fastrand::Rng,
    batch: BatchNumber,
    keys: u64,
    graph: Graph,
    operations: Vec<Operation>,
}

impl Artist {
    fn push(&mut self, operation: Operation) {
        self.graph.apply(&operation);
        self.operations.push(operation);
    }

    /// A key that was never given. The first of a batch belongs to its mark.
    fn fresh(&mut self) -> Key {
        self.keys += 1;
        Key(self.batch.0 * KEYS_PER_BATCH + self.keys)
    }

    fn node(&mut self) -> Key {
        let at = self.rng.usize(..self.graph.nodes.len());
        self.graph.nodes.keys().nth(at).copied().unwrap_or(ANCHOR)
    }

    fn relationship(&mut self) -> Option<Key> {
        let count = self.graph.relationships.len();
        let at = self.rng.usize(..count.max(1));
        self.graph.relationships.keys().nth(at).copied()
    }

    fn tint(&mut self) -> Tint {
        Tint::ALL[self.rng.usize(..Tint::ALL.len())]
    }

    fn properties(&mut self, names: &[&'static str]) -> Properties {
        let mut properties = Properties::new();
        for name in names {
            if self.rng.u8(..3) > 0 {
                properties.insert(name, Content::draw(name, &mut self.rng));
            }
        }
        properties
    }

    fn changes(&mut self, names: &[&'static str]) -> PropertyChanges {
        let mut changes = PropertyChanges::new();
        for _ in 0..self.rng.u8(1..3) {
            let name = names[self.rng.usize(..names.len())];
            let kept = self.rng.u8(..4) > 0;
            let content = kept.then(|| Content::draw(name, &mut self.rng));
            changes.retain(|(known, _)| *known != name);
            changes.push((name, content));
        }
        changes
    }

    fn relate(&mut self, of: Type, source: Key, target: Key) {
        let key = self.fresh();
        let relationship = Relationship {
            of,
            source,
            target,
            properties: self.properties(&OF_RELATIONSHIPS),
        };
        self.push(Operation::CreateRelationship { key, relationship });
    }

    /// What every batch does: changes the anchor, and moves its marked link.
    fn sign(&mut self) {
        if self.graph.nodes.is_empty() {
            self.push(Operation::CreateNode {
                key: ANCHOR,
                tints: BTreeSet::new(),
                properties: Properties::new(),
            });
        }
        let mark = Content::Int(self.batch.0.cast_signed());
        let text = Content::Text {
            seed: self.rng.u64(..),
            characters: self.rng.u32(1100..1300),
        };
        let embedding = Content::Vector {
            seed: self.rng.u64(..),
            dimension: 16,
        };
        let changes = [(MARK, mark), (TEXT, text), (EMBEDDING, embedding)];
        self.push(Operation::SetOnNode {
            node: ANCHOR,
            changes: changes.map(|(name, content)| (name, Some(content))).into(),
        });
        let of_batch = |batch: u64| Key(batch * KEYS_PER_BATCH);
        let last = of_batch(self.batch.0 - 1);
        if self.graph.relationships.contains_key(&last) {
            self.push(Operation::DeleteRelationship { relationship: last });
        }
        let target = self.node();
        let weight = Content::Int(self.rng.i64(..RANKS));
        self.push(Operation::CreateRelationship {
            key: of_batch(self.batch.0),
            relationship: Relationship {
                of: Type::Link,
                source: ANCHOR,
                target,
                properties: Properties::from([(MARK, mark), (WEIGHT, weight)]),
            },
        });
    }

    /// One operation, or two that belong together.
    fn one(&mut self) {
        let nodes = self.graph.nodes.len();
        match self.rng.u8(..100) {
            0..16 if nodes < MANY_NODES => self.create_node(),
            0..20 => self.delete_node(),
            20..40 => self.link(),
            40..52 => {
                let node = self.node();
                let changes = self.changes(&OF_NODES);
                self.push(Operation::SetOnNode { node, changes });
            }
            52..54 => self.replace(),
            54..60 => {
                if let Some(relationship) = self.relationship() {
                    let changes = self.changes(&OF_RELATIONSHIPS);
                    self.push(Operation::SetOnRelationship {
                        relationship,
                        changes,
                    });
                }
            }
            60..67 => {
                let (node, tint) = (self.node(), self.tint());
                let on = !self.graph.nodes[&node].tints.contains(&tint);
                self.push(Operation::Tint { node, tint, on });
            }
            67..75 => {
                if let Some(relationship) = self.relationship() {
                    self.push(Operation::DeleteRelationship { relationship });
                }
            }
            75..85 => self.adopt(),
            85..92 => self.tag(),
            92..96 => {
                let node = self.node();
                let on = !self.graph.nodes[&node].named;
                self.push(Operation::Name { node, on });
            }
            _ => self.refused(),
        }
    }

    fn create_node(&mut self) {
        let key = self.fresh();
        let tints = Tint::ALL.into_iter().filter(|_| self.rng.bool()).collect();
        let properties = self.properties(&OF_NODES);
        self.push(Operation::CreateNode {
            key,
            tints,
            properties,
        });
        if self.rng.bool() {
            // Otherwise most members of the tree would be roots.
            let parent = self.node();
            if parent != key {
                self.relate(Type::Part, parent, key);
            }
        }
    }

    fn delete_node(&mut self) {
        let node = self.node();
        if node == ANCHOR {
            return;
        }
        let relationships = self.graph.relationships_of(node);
        if relationships == 0 && self.rng.bool() {
            self.push(Operation::DeleteNode { node });
        } else {
            self.push(Operation::DetachDelete {
                node,
                relationships,
            });
        }
    }

    /// A link, often beside one that is there, now and then from a node to itself.
    fn link(&mut self) {
        if self.graph.relationships.len() >= MANY_RELATIONSHIPS {
            if let Some(relationship) = self.relationship() {
                self.push(Operation::DeleteRelationship { relationship });
            }
            return;
        }
        let beside = self.relationship().filter(|_| self.rng.u8(..4) == 0);
        let beside = beside.and_then(|key| self.graph.relationships.get(&key));
        let ends = beside.map(|beside| (beside.source, beside.target));
        let (source, target) = match ends {
            Some(ends) => ends,
            None => (self.node(), self.node()),
        };
        let target = if self.rng.u8(..8) == 0 {
            source
        } else {
            target
        };
        self.relate(Type::Link, source, target);
    }

    fn replace(&mut self) {
        let node = self.node();
        // The anchor has to keep its mark.
        if node != ANCHOR {
            let properties = self.properties(&OF_NODES);
            self.push(Operation::ReplaceOnNode { node, properties });
        }
    }

    /// Makes a node a part of another, with everything below it, wherever it was before.
    fn adopt(&mut self) {
        let (parent, child) = (self.node(), self.node());
        if self.graph.reaches(Type::Part, child, parent) {
            let of = Type::Part;
            self.push(Operation::Refused(Refusal::Cycle { of, parent, child }));
            return;
        }
        if let Some(relationship) = self.graph.relationship_to_parent(child) {
            let known = self.graph.relationships[&relationship].source;
            if known != parent && self.rng.u8(..4) == 0 {
                self.push(Operation::Refused(Refusal::SecondParent { parent, child }));
            }
            self.push(Operation::DeleteRelationship { relationship });
        }
        self.relate(Type::Part, parent, child);
    }

    fn tag(&mut self) {
        let (parent, child) = (self.node(), self.node());
        if self.graph.reaches(Type::Tag, child, parent) {
            let of = Type::Tag;
            self.push(Operation::Refused(Refusal::Cycle { of, parent, child }));
        } else {
            self.relate(Type::Tag, parent, child);
        }
    }

    fn refused(&mut self) {
        let node = self.node();
        let refusal = match self.rng.u8(..3) {
            0 => Refusal::TakenKey(node),
            1 => Refusal::WrongKind(node),
            _ if self.graph.relationships_of(node) > 0 => Refusal::Connected(node),
            _ => return,
        };
        self.push(Operation::Refused(refusal));
    }

    /// Some operations that are taken back.
    fn in_vain(&mut self) {
        let graph = self.graph.clone();
        self.push(Operation::Savepoint);
        for _ in 0..self.rng.u8(1..6) {
            self.one();
        }
        self.push(Operation::RollBack);
        self.graph = graph;
        // After the way back the transaction goes on.
        self.one();
    }
}
