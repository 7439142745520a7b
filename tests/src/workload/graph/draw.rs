//! Which operations a batch is made of: a pure function of the seed, the writer, the number and the
//! graph before it. Next: [`transaction`] for most batches, [`load`] for those that go in as a bulk load.

mod load;
mod transaction;

pub(super) use load::{Ending, Undone};

use super::Key;
use super::content::{Content, OF_NODES, OF_RELATIONSHIPS, Properties};
use super::face::{subject_of_hierarchy, subject_of_lookup, subject_of_texts, subject_of_vectors};
use super::model::{ANCHOR, Graph, Relationship};
use super::names::{EMBEDDING, Lookup, MARK, RANKS, Searched, TEXT, Tint, Type, WEIGHT};
use super::operation::{Operation, PropertyChanges};
use crate::workload::{BatchNumber, Workload, Writer};
use std::collections::BTreeSet;
use stratigraph::BulkOptions;

/// From so many nodes on, as many go as come.
const MANY_NODES: usize = 40;
/// The same with relationships.
const MANY_RELATIONSHIPS: usize = 90;
/// So many keys a batch may give.
const KEYS_PER_BATCH: u64 = 64;
/// One batch in so many drops an index of a kind and creates it again, and one a hierarchy.
const REDECLARE_PERIOD: u64 = 41;
/// One batch in so many is a bulk load.
const LOAD_PERIOD: u64 = 53;
/// One batch in so many has one before it that is undone.
const UNDONE_PERIOD: u64 = 59;
/// For whom randomness is drawn.
const BATCH: u64 = 1 << 32;
const FIRST: u64 = 2 << 32;

/// What has to be declared anew before a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redeclared {
    /// The index by rank.
    Ranks,
    /// The vector index on nodes.
    Vectors,
    /// The text index on nodes.
    Texts,
    /// The tree. Its levels go in as a bulk load.
    Tree,
}

/// A batch.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// What is dropped and declared again first, in commits of its own.
    pub(super) redeclared: Option<Redeclared>,
    /// A bulk load that comes to nothing, before the batch itself.
    pub(super) undone: Option<Undone>,
    /// Its operations, all in one transaction or one bulk load.
    pub(super) operations: Vec<Operation>,
    /// How they are loaded, if they are.
    pub(super) load: Option<BulkOptions>,
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
    let undone = is_load(workload, writer, batch, UNDONE_PERIOD, 3).then(|| artist.undone());
    let load = is_load(workload, writer, batch, LOAD_PERIOD, 4).then(|| artist.load());
    if load.is_none() {
        artist.transaction();
    }
    Drawn {
        redeclared: redeclared(workload, writer, batch),
        undone,
        operations: artist.operations,
        load,
        after: artist.graph,
    }
}

/// Whether a load is due: also with half of the writers' first batches, into an empty part.
fn is_load(workload: Workload, writer: Writer, batch: BatchNumber, period: u64, what: u64) -> bool {
    let with_first = || workload.rng(writer, batch, FIRST + what).bool();
    let is_due = workload.is_due(writer, batch, period, what);
    workload.bulk_loads && (is_due || batch == BatchNumber(1) && with_first())
}

fn redeclared(workload: Workload, writer: Writer, batch: BatchNumber) -> Option<Redeclared> {
    let is_due = |what| workload.is_due(writer, batch, REDECLARE_PERIOD, what);
    if is_due(1) {
        Some(Redeclared::Ranks)
    } else if workload.bulk_loads && is_due(2) {
        Some(Redeclared::Tree)
    } else if is_due(5) {
        Some(Redeclared::Vectors)
    } else if is_due(6) {
        Some(Redeclared::Texts)
    } else {
        None
    }
}

/// What may be missing after `batch`, since declaring it takes several commits before the next, or filling
/// it several after this one.
#[must_use]
pub fn may_be_undeclared(
    workload: Workload,
    writer: Writer,
    batch: BatchNumber,
) -> BTreeSet<String> {
    if batch == BatchNumber(0) {
        let lookups = Lookup::ALL.map(subject_of_lookup);
        let hierarchies = [Type::Part, Type::Tag].map(subject_of_hierarchy);
        let searched = Searched::ALL.into_iter();
        let searched = searched.flat_map(|of| [subject_of_vectors(of), subject_of_texts(of)]);
        let declared = lookups.into_iter().chain(hierarchies);
        return declared.chain(searched).collect();
    }
    let mut missing: BTreeSet<String> = match redeclared(workload, writer, batch.next()) {
        Some(Redeclared::Ranks) => [subject_of_lookup(Lookup::Rank)].into(),
        Some(Redeclared::Tree) => [subject_of_hierarchy(Type::Part)].into(),
        Some(Redeclared::Vectors) => [subject_of_vectors(Searched::Nodes)].into(),
        Some(Redeclared::Texts) => [subject_of_texts(Searched::Nodes)].into(),
        None => BTreeSet::new(),
    };
    if is_load(workload, writer, batch, LOAD_PERIOD, 4) {
        // What was loaded is entered after it.
        missing.extend(Searched::ALL.map(subject_of_texts));
    }
    missing
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

    /// What only this batch gives the anchor.
    fn marks(&mut self) -> [(&'static str, Content); 3] {
        let text = Content::Text {
            seed: self.rng.u64(..),
            characters: self.rng.u32(1100..1300),
        };
        let embedding = Content::Vector {
            seed: self.rng.u64(..),
            dimension: 16,
        };
        [(MARK, self.mark()), (TEXT, text), (EMBEDDING, embedding)]
    }

    fn mark(&self) -> Content {
        Content::Int(self.batch.0.cast_signed())
    }

    /// The link from the anchor that only this batch makes.
    fn mark_link(&mut self, target: Key) {
        let weight = Content::Int(self.rng.i64(..RANKS));
        self.push(Operation::CreateRelationship {
            key: Key(self.batch.0 * KEYS_PER_BATCH),
            relationship: Relationship {
                of: Type::Link,
                source: ANCHOR,
                target,
                properties: Properties::from([(MARK, self.mark()), (WEIGHT, weight)]),
            },
        });
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

    /// A link, often beside one that is there, now and then from a node to itself.
    fn link_more(&mut self) {
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
}
