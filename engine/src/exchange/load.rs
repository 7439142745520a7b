//! Loading a dump into a new database.
//!
//! Nodes and relationships go in as one bulk load, which is published when the dump has proved whole:
//! a dump that is cut, damaged or refused leaves the database as new as it was. Declarations come
//! last: building an index over everything is quicker than keeping it, and a cycle or a violation is
//! found there too. One that is refused then leaves a database that no second load takes for new.
//!
//! From then on others may write as well, and so does the database itself, which keeps its vector indexes. What
//! somebody has written ends the load; upkeep does not. [`OnlyWriter`] tells them apart.

use super::declared::Declarations;
use super::error::DumpError;
use super::lines::{
    AnyWord, ConstraintLine, DemandWord, IndexLine, TextIndexLine, VectorIndexLine, kind_named,
};
use super::read::{DumpContents, LoadOptions, read_dump};
use super::sink::{Name, NodeItem, RelationshipItem, Rest, Sink};
use crate::catalog::NextIds;
use crate::codec::CommitSeq;
use crate::database::{Constraint, Database, HierarchyOptions, Index, TextIndex, VectorIndex};
use crate::error::{Error, Result};
use crate::graph::{BulkLoad, Read as _, ReadTxn, WriteTxn, view};
use crate::keys::OnlyWriter;
use crate::storage::cancel::Watch;
use crate::value::NodeId;
use std::io::BufRead;
use std::sync::Arc;

/// So many members by name are added in one commit.
const MEMBERS_PER_COMMIT: usize = 50_000;

/// What was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// The last commit of the load.
    pub commit: CommitSeq,
    /// What the dump holds.
    pub contents: DumpContents,
    /// Indexes and constraints that were still being built when they were dumped, and that refuse
    /// what is there: they are not declared.
    pub left_out: Vec<Arc<str>>,
}

impl Database {
    /// Loads a dump into this database, which must be new: ids, the next free ids, names and
    /// declarations are those of the dump.
    ///
    /// No other writer gets in before nodes and relationships are there, all at once. If a declaration
    /// is refused after that, or somebody has written, the error is [`DumpError::Partial`]: delete the database.
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
                commit: loading.only.last(),
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

/// A load that is going on.
struct Loading {
    /// All that is written through it is the load's.
    db: Database,
    only: Arc<OnlyWriter>,
    /// Nodes and relationships, until they are published.
    bulk: Option<BulkLoad>,
    has_committed: bool,
    nodes: u64,
    relationships: u64,
    left_out: Vec<Arc<str>>,
}

impl Loading {
    fn begin(db: &Database) -> Result<Self> {
        // Already a load that only begins leaves a commit.
        ensure_new(&db.read()?)?;
        let bulk = db.bulk_load()?;
        // The load holds the writer's place, so nothing changes any more.
        let read = db.read()?;
        ensure_new(&read)?;
        let only = Arc::new(OnlyWriter::since(read.commit_seq()));
        Ok(Self {
            db: db.written_by(&only),
            only,
            bulk: Some(bulk),
            has_committed: false,
            nodes: 0,
            relationships: 0,
            left_out: Vec::new(),
        })
    }

    /// Adds something to the bulk load; what refuses it gets the line.
    fn add(&mut self, line: u64, add: impl FnOnce(&mut BulkLoad) -> Result<()>) -> Result<()> {
        let Some(bulk) = &mut self.bulk else {
            return Err(Error::bug("a dump went on after its end"));
        };
        add(bulk).map_err(|error| refused(line, error))
    }

    /// A transaction on top of what this load has written, and of nothing else.
    fn write(&self) -> Result<WriteTxn> {
        let txn = self.db.write()?;
        match self.only.is_alone() {
            true => Ok(txn),
            false => Err(DumpError::Disturbed.into()),
        }
    }

    /// Publishes everything that was added.
    fn publish(&mut self, next: NextIds, watch: &mut Watch<'_>) -> Result<()> {
        let Some(mut bulk) = self.bulk.take() else {
            return Err(Error::bug("a dump has two ends"));
        };
        bulk.reserve_ids(next.node, next.relationship)?;
        let report = bulk.finish(watch)?;
        self.only.has_made(report.commit);
        self.has_committed = true;
        (self.nodes, self.relationships) = (report.nodes, report.relationships);
        Ok(())
    }

    fn add_members(&mut self, rest: &Rest, watch: &mut Watch<'_>) -> Result<()> {
        for (hierarchy, members) in &rest.members {
            let mut members = members.iter().peekable();
            while members.peek().is_some() {
                watch.step("add members", 0, 0)?;
                let mut txn = self.write()?;
                for member in members.by_ref().take(MEMBERS_PER_COMMIT) {
                    txn.add_member(hierarchy, NodeId::new(member))?;
                }
                txn.commit()?;
            }
        }
        Ok(())
    }
}

impl Sink for Loading {
    fn name(&mut self, line: u64, name: Name) -> Result<()> {
        self.add(line, |bulk| match name {
            Name::Label(name) => bulk.label(&name).map(drop),
            Name::Type(name) => bulk.relationship_type(&name).map(drop),
            Name::Property(name) => bulk.property_key(&name).map(drop),
        })
    }

    fn node(&mut self, item: NodeItem) -> Result<()> {
        self.add(item.line, |bulk| {
            bulk.add_node_with_id(item.node, &item.labels, item.properties)
        })
    }

    fn relationship(&mut self, item: RelationshipItem) -> Result<()> {
        self.add(item.line, |bulk| {
            bulk.add_relationship_with_id(
                item.relationship,
                item.source,
                &item.relationship_type,
                item.target,
                item.properties,
            )
        })
    }

    fn finish(&mut self, rest: Rest, watch: &mut Watch<'_>) -> Result<()> {
        self.publish(rest.next, watch)?;
        self.left_out = declare_all(&self.db, &rest.declarations, watch)?;
        self.add_members(&rest, watch)?;
        // Also what somebody else has written between the commits of a declaration is found here.
        let mut txn = self.write()?;
        if txn.next_ids() != rest.next {
            txn.raise_next_ids(rest.next);
            txn.commit()?;
        }
        Ok(())
    }
}

fn ensure_new(read: &ReadTxn) -> Result<()> {
    let catalog = read.catalog();
    let names = catalog.labels.len() + catalog.types.len() + catalog.properties.len();
    if names > 0 || view::of(read).state.next != NextIds::default() {
        return Err(DumpError::NotEmpty.into());
    }
    Ok(())
}

/// Declares everything, whatever the order of the lines, and gives what was left out: see [`LoadReport::left_out`].
///
/// # Errors
/// What is refused, with its line; what came before it is declared then.
pub(super) fn declare_all(
    db: &Database,
    declarations: &Declarations,
    watch: &mut Watch<'_>,
) -> Result<Vec<Arc<str>>> {
    let mut left_out = Vec::new();
    for index in &declarations.indexes {
        let outcome = db.create_index_watched(index_of(index), watch);
        leave_out(&mut left_out, outcome, &index.index, index.building)
            .map_err(|error| refused(index.line, error))?;
    }
    for line in &declarations.text_indexes {
        db.create_text_index_watched(text_index_of(line), watch)
            .map_err(|error| refused(line.line, error))?;
    }
    for line in &declarations.constraints {
        let outcome = constraint_of(line)
            .and_then(|constraint| db.create_constraint_watched(constraint, watch));
        leave_out(&mut left_out, outcome, &line.constraint, line.building)
            .map_err(|error| refused(line.line, error))?;
    }
    for hierarchy in &declarations.hierarchies {
        let mut options = HierarchyOptions::new(&hierarchy.hierarchy, &hierarchy.relationship_type);
        if hierarchy.tree {
            options = options.tree();
        }
        db.create_hierarchy_watched(options, watch)
            .map_err(|error| refused(hierarchy.line, error))?;
    }
    // Last: each is given indexes for its filters where there are none yet, under names that are free. In the place
    // of one that comes with a constraint it would be given another, and others may have had the name first.
    for line in &declarations.vector_indexes {
        db.create_vector_index_watched(vector_index_of(line), watch)
            .map_err(|error| refused(line.line, error))?;
    }
    Ok(left_out)
}

/// Goes on without a declaration that was being built and that refuses what is there: nobody had looked at all of
/// it yet.
fn leave_out(
    left_out: &mut Vec<Arc<str>>,
    outcome: Result<()>,
    name: &str,
    building: bool,
) -> Result<()> {
    match outcome {
        Err(error) if building && error.is_of_what_is_there() => {
            tracing::warn!(name, %error, "what was being built is left out");
            left_out.push(name.into());
            Ok(())
        }
        outcome => outcome,
    }
}

/// What the engine has refused, with the line that asked for it.
fn refused(line: u64, source: Error) -> Error {
    if matches!(source, Error::Cancelled) {
        // That is about no line.
        return source;
    }
    let source = Box::new(source);
    DumpError::Refused { line, source }.into()
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

fn vector_index_of(line: &VectorIndexLine) -> VectorIndex {
    let (property, dimensions) = (&line.property, line.dimensions as usize);
    let index = match (&line.label, &line.relationship_type, line.any) {
        (Some(label), _, _) => VectorIndex::on_nodes(label, property, dimensions),
        (_, Some(of), _) => VectorIndex::on_relationships(of, property, dimensions),
        (_, _, Some(AnyWord::Relationship)) => {
            VectorIndex::on_any_relationship(property, dimensions)
        }
        _ => VectorIndex::on_any_node(property, dimensions),
    };
    index
        .metric(line.metric)
        .coding(line.coding)
        .links(line.links as usize)
        .breadth(line.breadth as usize)
        .filterable(&line.filters)
        .named(&line.vector_index)
}

fn text_index_of(line: &TextIndexLine) -> TextIndex {
    let none: [&str; 0] = [];
    let mut index = match (&line.label, &line.relationship_type, line.any) {
        (Some(label), _, _) => TextIndex::on_nodes(label, none),
        (_, Some(of), _) => TextIndex::on_relationships(of, none),
        (_, _, Some(AnyWord::Relationship)) => TextIndex::on_any_relationship(none),
        _ => TextIndex::on_any_node(none),
    };
    for field in &line.fields {
        index = index.weighted(&field.property, field.weight);
    }
    index
        .analysis(line.analysis)
        .parameters(line.k1, line.b)
        .named(&line.text_index)
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

#[cfg(test)]
mod tests;
