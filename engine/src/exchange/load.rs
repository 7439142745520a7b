//! Loading a dump into a new database.
//!
//! Lines are collected into portions, and each portion is one commit: while lines are awaited, no
//! transaction is open. A load that stops half-way says so, and the database it leaves is not new any
//! more, so that no second load can take it for one. Declarations come last: building an index over
//! everything is quicker than keeping it, and a cycle or a violation is found there too.

use super::error::DumpError;
use super::lines::{ConstraintLine, DemandWord, IndexLine, kind_named};
use super::read::{DumpContents, LoadOptions, read_dump};
use super::sink::{Name, NodeItem, RelationshipItem, Rest, Sink};
use crate::catalog::NextIds;
use crate::codec::CommitSeq;
use crate::database::{Constraint, Database, HierarchyOptions, Index};
use crate::error::{Error, Result};
use crate::graph::{Read as _, WriteTxn};
use crate::storage::cancel::Watch;
use crate::value::NodeId;
use std::io::BufRead;
use std::sync::Arc;

/// A portion ends with so much text.
const PORTION_BYTES: usize = 16 << 20;
/// A portion ends with so many lines.
const PORTION_ITEMS: usize = 50_000;

/// What was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// The last commit of the load.
    pub commit: CommitSeq,
    /// What the dump holds.
    pub contents: DumpContents,
    /// Constraints that were still being built when they were dumped, and that what is there breaks:
    /// they are not declared.
    pub left_out: Vec<Arc<str>>,
}

impl Database {
    /// Loads a dump into this database, which must be new: ids, the next free ids, names and
    /// declarations are those of the dump.
    ///
    /// It takes many commits. If it fails after the first, the error is [`DumpError::Partial`], and
    /// the database holds a part of the dump: delete it.
    ///
    /// # Errors
    /// [`DumpError`] for what is wrong with the dump, with the line; [`DumpError::NotEmpty`] if
    /// anything was ever written to this database; [`Error::ConstraintViolation`] and others for what
    /// a declaration refuses; [`Error::Cancelled`].
    pub fn load(
        &self,
        input: impl BufRead,
        options: &LoadOptions,
        watch: &mut Watch<'_>,
    ) -> Result<LoadReport> {
        let mut loading = Loading::begin(self)?;
        match read_dump(input, options, &mut loading, watch) {
            Ok(contents) => Ok(LoadReport {
                commit: loading.at,
                contents,
                left_out: loading.left_out,
            }),
            Err(error) if loading.has_committed => Err(DumpError::Partial {
                nodes: loading.nodes,
                relationships: loading.relationships,
                source: Box::new(error),
            }
            .into()),
            Err(error) => Err(error),
        }
    }
}

/// What waits to be written.
enum Item {
    Name(u64, Name),
    Node(NodeItem),
    Relationship(RelationshipItem),
}

impl Item {
    fn line(&self) -> u64 {
        match self {
            Self::Name(line, _) => *line,
            Self::Node(node) => node.line,
            Self::Relationship(relationship) => relationship.line,
        }
    }
}

/// A load that is going on.
struct Loading<'d> {
    db: &'d Database,
    /// The commit that the next one must follow.
    at: CommitSeq,
    has_committed: bool,
    portion: Vec<Item>,
    portion_bytes: usize,
    nodes: u64,
    relationships: u64,
    left_out: Vec<Arc<str>>,
}

impl<'d> Loading<'d> {
    fn begin(db: &'d Database) -> Result<Self> {
        let txn = db.write()?;
        let catalog = txn.catalog();
        let names = catalog.labels.len() + catalog.types.len() + catalog.properties.len();
        if names > 0 || txn.next_ids() != NextIds::default() {
            return Err(DumpError::NotEmpty.into());
        }
        Ok(Self {
            db,
            at: txn.commit_seq(),
            has_committed: false,
            portion: Vec::new(),
            portion_bytes: 0,
            nodes: 0,
            relationships: 0,
            left_out: Vec::new(),
        })
    }

    /// A transaction on top of what this load has written, and of nothing else.
    fn write(&self) -> Result<WriteTxn> {
        let txn = self.db.write()?;
        if txn.commit_seq() != self.at {
            return Err(DumpError::Disturbed.into());
        }
        Ok(txn)
    }

    fn commit(&mut self, txn: WriteTxn) -> Result<()> {
        self.at = txn.commit()?;
        self.has_committed = true;
        Ok(())
    }

    fn collect(&mut self, item: Item, line_bytes: usize) -> Result<()> {
        self.portion.push(item);
        self.portion_bytes += line_bytes;
        if self.portion_bytes >= PORTION_BYTES || self.portion.len() >= PORTION_ITEMS {
            self.write_portion()?;
        }
        Ok(())
    }

    fn write_portion(&mut self) -> Result<()> {
        if self.portion.is_empty() {
            return Ok(());
        }
        let mut txn = self.write()?;
        let (mut nodes, mut relationships) = (0, 0);
        for item in self.portion.drain(..) {
            let line = item.line();
            match &item {
                Item::Name(..) => {}
                Item::Node(_) => nodes += 1,
                Item::Relationship(_) => relationships += 1,
            }
            insert(&mut txn, item).map_err(|source| DumpError::Refused {
                line,
                source: Box::new(source),
            })?;
        }
        self.portion_bytes = 0;
        self.commit(txn)?;
        self.nodes += nodes;
        self.relationships += relationships;
        Ok(())
    }

    fn declare(&mut self, rest: &Rest, watch: &mut Watch<'_>) -> Result<()> {
        let declarations = &rest.declarations;
        for index in &declarations.indexes {
            self.db.create_index_watched(index_of(index), watch)?;
        }
        for line in &declarations.constraints {
            let constraint = constraint_of(line)?;
            match self.db.create_constraint_watched(constraint, watch) {
                Err(Error::ConstraintViolation(violation)) if line.building => {
                    tracing::warn!(%violation, "a constraint that was being built is left out");
                    self.left_out.push(line.constraint.as_str().into());
                }
                outcome => outcome?,
            }
        }
        for hierarchy in &declarations.hierarchies {
            let mut options =
                HierarchyOptions::new(&hierarchy.hierarchy, &hierarchy.relationship_type);
            if hierarchy.tree {
                options = options.tree();
            }
            self.db.create_hierarchy_watched(options, watch)?;
        }
        // Declaring makes commits of its own.
        self.at = self.db.read()?.commit_seq();
        Ok(())
    }

    fn add_members(&mut self, rest: &Rest, watch: &mut Watch<'_>) -> Result<()> {
        for (hierarchy, members) in &rest.members {
            let mut members = members.iter().peekable();
            while members.peek().is_some() {
                watch.step("add members", 0, 0)?;
                let mut txn = self.write()?;
                for member in members.by_ref().take(PORTION_ITEMS) {
                    txn.add_member(hierarchy, NodeId::new(member))?;
                }
                self.commit(txn)?;
            }
        }
        Ok(())
    }
}

impl Sink for Loading<'_> {
    fn name(&mut self, line: u64, name: Name) -> Result<()> {
        self.collect(Item::Name(line, name), 0)
    }

    fn node(&mut self, node: NodeItem) -> Result<()> {
        let bytes = node.line_bytes;
        self.collect(Item::Node(node), bytes)
    }

    fn relationship(&mut self, relationship: RelationshipItem) -> Result<()> {
        let bytes = relationship.line_bytes;
        self.collect(Item::Relationship(relationship), bytes)
    }

    fn finish(&mut self, rest: Rest, watch: &mut Watch<'_>) -> Result<()> {
        self.write_portion()?;
        // An error names no line from here on: it is about everything.
        let declared = self.declare(&rest, watch);
        // Something may have been declared before one was refused.
        self.has_committed |= rest.declarations.len() > 0;
        declared?;
        self.add_members(&rest, watch)?;
        let mut txn = self.write()?;
        if txn.next_ids() != rest.next {
            txn.raise_next_ids(rest.next);
            self.commit(txn)?;
        }
        Ok(())
    }
}

fn insert(txn: &mut WriteTxn, item: Item) -> Result<()> {
    match item {
        Item::Name(_, Name::Label(name)) => txn.label(&name).map(drop),
        Item::Name(_, Name::Type(name)) => txn.relationship_type(&name).map(drop),
        Item::Name(_, Name::Property(name)) => txn.property_key(&name).map(drop),
        Item::Node(item) => {
            txn.raise_next_ids(NextIds {
                node: item.node.get(),
                ..NextIds::default()
            });
            let node = txn.create_node(&item.labels, item.properties)?;
            expect_id(node == item.node)
        }
        Item::Relationship(item) => {
            txn.raise_next_ids(NextIds {
                relationship: item.relationship.get(),
                ..NextIds::default()
            });
            let relationship = txn.create_relationship(
                item.source,
                &item.relationship_type,
                item.target,
                item.properties,
            )?;
            expect_id(relationship == item.relationship)
        }
    }
}

fn expect_id(is_wanted: bool) -> Result<()> {
    if is_wanted {
        return Ok(());
    }
    Err(Error::bug("a load gave out another id than the dump names"))
}

fn index_of(line: &IndexLine) -> Index {
    let properties = line.properties.iter();
    let index = match &line.label {
        Some(label) => Index::on_nodes(label, properties),
        None => Index::on_relationships(
            line.relationship_type.as_deref().unwrap_or_default(),
            properties,
        ),
    };
    index.named(&line.index)
}

fn constraint_of(line: &ConstraintLine) -> Result<Constraint> {
    let on = match &line.label {
        Some(label) => Constraint::on_nodes(label),
        None => Constraint::on_relationships(line.relationship_type.as_deref().unwrap_or_default()),
    };
    let bad = |reason| Error::BadDeclaration {
        what: "constraint",
        reason,
    };
    let kind = match line.kind.as_deref() {
        Some(name) => Some(kind_named(name).ok_or_else(|| bad("`kind` names no kind of value"))?),
        None => None,
    };
    let constraint = match (line.demand, line.properties.as_slice(), kind) {
        (DemandWord::Unique, properties, None) => on.unique(properties),
        (DemandWord::Key, properties, None) => on.key(properties),
        (DemandWord::Exists, [property], None) => on.exists(property),
        (DemandWord::Type, [property], Some(kind)) => on.kind(property, kind),
        (DemandWord::Type, [_], None) => return Err(bad("the demand `type` needs a `kind`")),
        (_, _, Some(_)) => return Err(bad("only the demand `type` has a `kind`")),
        _ => return Err(bad("it is on one property")),
    };
    Ok(constraint.named(&line.constraint))
}
