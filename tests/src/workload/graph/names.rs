//! What a writer calls its labels, types and properties, and what it declares.

use crate::workload::Writer;
use stratigraph::value::ValueKind;
use stratigraph::{
    Constraint, Database, HierarchyOptions, Index, Metric, Result, TextIndex, VectorIndex,
};

/// The properties. All writers use the same names, so that only labels and types keep them apart.
pub(super) const KEY: &str = "key";
pub(super) const RANK: &str = "rank";
pub(super) const NAME: &str = "name";
pub(super) const TEXT: &str = "text";
pub(super) const EMBEDDING: &str = "embedding";
pub(super) const MEANING: &str = "meaning";
pub(super) const FLAGS: &str = "flags";
pub(super) const MARK: &str = "mark";
pub(super) const WEIGHT: &str = "weight";
/// Every property.
pub(super) const PROPERTIES: [&str; 9] = [
    KEY, RANK, NAME, TEXT, EMBEDDING, MEANING, FLAGS, MARK, WEIGHT,
];

/// The dimensions of what vector indexes are on; other vectors have any.
pub(super) const DIMENSIONS: u32 = 8;
/// What is searched for: names of nodes that are in no text.
pub(super) const WORDS: [&str; 3] = ["ab", "abc", "b"];

/// Ranks and weights are below this, so that many have the same.
pub(super) const RANKS: i64 = 12;
/// Short names, of which many nodes have the same.
pub(super) const SHORT_NAMES: [&str; 6] = ["", "a", "ab", "abc", "b", "ß\0é"];

/// A relationship type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Type {
    /// From any node to any, also several and to itself.
    Link,
    /// From a whole to its parts: a tree.
    Part,
    /// From a broader to a narrower tag: a hierarchy in which a node may have several parents.
    Tag,
}

impl Type {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Link, Self::Part, Self::Tag];
}

/// A label that nodes may have besides their writer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Tint {
    /// One that an index is on.
    Red,
    /// One that nothing is declared on.
    Blue,
}

impl Tint {
    /// All of them.
    pub(super) const ALL: [Self; 2] = [Self::Red, Self::Blue];
}

/// A property index, declared as such or with a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lookup {
    /// Of every node, by its unique key.
    Key,
    /// Of nodes by rank.
    Rank,
    /// Of red nodes by name, then rank.
    Shade,
    /// Of the node that carries the last batch's mark.
    Mark,
    /// Of links by weight.
    Weight,
    /// Of links by their unique key.
    LinkKey,
}

impl Lookup {
    /// All of them.
    pub(super) const ALL: [Self; 6] = [
        Self::Key,
        Self::Rank,
        Self::Shade,
        Self::Mark,
        Self::Weight,
        Self::LinkKey,
    ];

    /// What it looks at, in order.
    pub(super) fn properties(self) -> &'static [&'static str] {
        match self {
            Self::Key | Self::LinkKey => &[KEY],
            Self::Rank => &[RANK],
            Self::Shade => &[NAME, RANK],
            Self::Mark => &[MARK],
            Self::Weight => &[WEIGHT],
        }
    }

    /// Whether it holds links, and not nodes.
    pub(super) fn is_of_links(self) -> bool {
        matches!(self, Self::Weight | Self::LinkKey)
    }
}

/// What an index on vectors or texts is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Searched {
    /// Every node of the writer.
    Nodes,
    /// Its links.
    Links,
}

impl Searched {
    /// Both.
    pub(super) const ALL: [Self; 2] = [Self::Nodes, Self::Links];
}

/// One writer's names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    writer: Writer,
}

impl Names {
    pub(super) fn of(writer: Writer) -> Self {
        Self { writer }
    }

    /// The label of all the writer's nodes.
    pub(super) fn label(self) -> String {
        format!("W{}", self.writer.0)
    }

    pub(super) fn tint(self, tint: Tint) -> String {
        format!("W{}{tint:?}", self.writer.0)
    }

    pub(super) fn relationship_type(self, of: Type) -> String {
        format!("W{}_{of:?}", self.writer.0)
    }

    pub(super) fn lookup(self, lookup: Lookup) -> String {
        format!("w{} by {lookup:?}", self.writer.0)
    }

    /// The hierarchy that a type forms.
    pub(super) fn hierarchy(self, of: Type) -> String {
        format!("w{} {of:?}s", self.writer.0)
    }

    pub(super) fn vectors(self, of: Searched) -> String {
        format!("w{} vectors of {of:?}", self.writer.0)
    }

    pub(super) fn texts(self, of: Searched) -> String {
        format!("w{} texts of {of:?}", self.writer.0)
    }

    /// Declares everything that is not declared yet.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub(super) fn declare(self, db: &Database) -> Result<()> {
        let label = self.label();
        let name = |lookup| self.lookup(lookup);
        db.create_constraint(
            Constraint::on_nodes(&label)
                .key([KEY])
                .named(name(Lookup::Key))
                .if_missing(),
        )?;
        db.create_constraint(
            Constraint::on_relationships(self.relationship_type(Type::Link))
                .unique([KEY])
                .named(name(Lookup::LinkKey))
                .if_missing(),
        )?;
        db.create_constraint(
            Constraint::on_nodes(&label)
                .kind(RANK, ValueKind::Integer)
                .if_missing(),
        )?;
        for lookup in [Lookup::Rank, Lookup::Mark] {
            let index = Index::on_nodes(&label, lookup.properties().to_vec());
            db.create_index(index.named(name(lookup)).if_missing())?;
        }
        let shade = Index::on_nodes(self.tint(Tint::Red), Lookup::Shade.properties().to_vec());
        db.create_index(shade.named(name(Lookup::Shade)).if_missing())?;
        let weight = Index::on_relationships(
            self.relationship_type(Type::Link),
            Lookup::Weight.properties().to_vec(),
        );
        db.create_index(weight.named(name(Lookup::Weight)).if_missing())?;
        for of in [Type::Part, Type::Tag] {
            let options = HierarchyOptions::new(self.hierarchy(of), self.relationship_type(of));
            let options = match of {
                Type::Part => options.tree(),
                Type::Link | Type::Tag => options,
            };
            db.create_hierarchy(options.if_missing())?;
        }
        Searched::ALL
            .into_iter()
            .try_for_each(|of| self.declare_searched(db, of))
    }

    fn declare_searched(self, db: &Database, of: Searched) -> Result<()> {
        let (label, links) = (self.label(), self.relationship_type(Type::Link));
        let dimensions = DIMENSIONS as usize;
        let (vectors, texts) = match of {
            Searched::Nodes => (
                VectorIndex::on_nodes(label.clone(), MEANING, dimensions),
                TextIndex::on_nodes(label, [NAME, TEXT]),
            ),
            Searched::Links => (
                VectorIndex::on_relationships(links.clone(), MEANING, dimensions)
                    .metric(Metric::Euclidean),
                TextIndex::on_relationships(links, [TEXT]),
            ),
        };
        // Searches are answered while it is made; killing it then is the point.
        let vectors = vectors.named(self.vectors(of)).if_missing();
        db.create_vector_index_in_background(vectors)?;
        db.create_text_index(texts.named(self.texts(of)).if_missing())
    }
}
