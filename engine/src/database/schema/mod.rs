//! Declaring indexes, constraints and hierarchies, while readers and writers go on.
//!
//! ```text
//! one commit      the declaration, "building": from now on every writer keeps to it
//! many commits    what was there before, in portions, each of which holds the writer's place briefly
//! one commit      "ready"
//! ```
//! Something that is refused on the way, or cancelled, is taken back. What a crash has cut short stays
//! "building", which is safe, and [`Database::finish_schema`] goes on with it. One thread builds; others
//! that want the same wait for it.
//!
//! [`wanted`] is what can be declared, [`declare`] how it comes into the catalogue, [`build`] and [`fill`] how it is made.
//! What is special about a kind is in the file of its name.

mod build;
mod declare;
mod fill;
mod hierarchy;
mod text;
mod together;
mod vector;
mod wanted;

pub(crate) use build::Builds;
pub use together::Declaration;
pub use wanted::{Constraint, ConstraintOn, HierarchyOptions, Index, TextIndex, VectorIndex};

use super::Database;
use crate::catalog::{Catalog, Change, IndexDef, SchemaId};
use crate::error::{Error, Result};
use crate::graph::Read as _;
use crate::keys::KeyRead as _;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use build::Buildable;
use std::sync::Arc;

/// So many entries of something dropped are removed in one commit.
const DROP_PORTION: usize = 20_000;

impl Database {
    /// Creates a property index, and returns when it is ready. Readers and writers go on meanwhile; it
    /// waits for them as long as it takes, and for whoever builds the same index.
    ///
    /// # Errors
    /// [`Error::AlreadyDeclared`]; [`Error::DroppedMeanwhile`]; [`Error::IndexedValueTooLong`] if
    /// something has values that do not fit, and then there is no index.
    pub fn create_index(&self, index: Index) -> Result<()> {
        self.create_index_watched(index, &mut Watch::quiet())
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`create_index`](Self::create_index), and [`Error::Cancelled`]: there is no index then,
    /// unless another writer is in the way of taking it back for too long.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a description is used up by what it describes"
    )]
    pub fn create_index_watched(&self, index: Index, watch: &mut Watch<'_>) -> Result<()> {
        self.declare_and_build(watch, |txn| txn.declare_index(&index).map(Buildable::Index))
    }

    /// Creates a constraint, and returns when everything keeps to it. Readers and writers go on
    /// meanwhile; it waits for them as long as it takes, and for whoever builds the same constraint.
    ///
    /// # Errors
    /// [`Error::AlreadyDeclared`]; [`Error::PropertiesIndexed`]; [`Error::DroppedMeanwhile`];
    /// [`Error::ConstraintViolation`] with the first that breaks it, and then there is no constraint.
    pub fn create_constraint(&self, constraint: Constraint) -> Result<()> {
        self.create_constraint_watched(constraint, &mut Watch::quiet())
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`create_constraint`](Self::create_constraint), and [`Error::Cancelled`]: there is no
    /// constraint then, unless another writer is in the way of taking it back for too long.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a description is used up by what it describes"
    )]
    pub fn create_constraint_watched(
        &self,
        constraint: Constraint,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        self.declare_and_build(watch, |txn| {
            let declared = txn.declare_constraint(&constraint);
            declared.map(Buildable::Constraint)
        })
    }

    /// Drops a property index. One that a vector index is filtered by belongs to that one from then on, and goes with it.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; [`Error::IndexOfConstraint`] or [`Error::IndexOfVectorIndex`] if it belongs to one of these.
    pub fn drop_index(&self, name: &str) -> Result<()> {
        self.remove(|catalog| {
            let index = catalog.index_named(name);
            let index = index.ok_or_else(|| unknown("index", name))?;
            if let Some(constraint) = index.owner.and_then(|id| catalog.constraint(id)) {
                return Err(Error::IndexOfConstraint {
                    index: Arc::clone(&index.name),
                    constraint: Arc::clone(&constraint.name),
                });
            }
            if let Some(owner) = index.owner.and_then(|id| catalog.vector_index(id)) {
                return Err(Error::IndexOfVectorIndex {
                    index: Arc::clone(&index.name),
                    owner: Arc::clone(&owner.name),
                });
            }
            Ok(Some(index.id))
        })
    }

    /// Drops a constraint, with the index that proves it.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; [`Error::NeededForFilter`] if a vector index is filtered by that index.
    pub fn drop_constraint(&self, name: &str) -> Result<()> {
        self.remove(|catalog| {
            let constraint = catalog.constraint_named(name);
            let constraint = constraint.ok_or_else(|| unknown("constraint", name))?;
            let proof = catalog.proof_of(constraint.id);
            match proof.and_then(|proof| catalog.filtered_by(proof).next()) {
                Some(vectors) => Err(Error::NeededForFilter {
                    constraint: Arc::clone(&constraint.name),
                    needed_by: Arc::clone(&vectors.name),
                }),
                None => Ok(Some(constraint.id)),
            }
        })
    }

    /// Goes on with what a crash has cut short: indexes and constraints that are still being built,
    /// and dropped indexes whose entries are still there.
    ///
    /// # Errors
    /// As [`create_constraint`](Self::create_constraint). What is refused is taken back, and the first refusal is told
    /// when everything else is finished. An index that a vector index was given for its filters goes with that only, and
    /// stays as it is.
    pub fn finish_schema(&self, watch: &mut Watch<'_>) -> Result<()> {
        let refused = self.build_unfinished(watch)?;
        self.remove_dropped()?;
        refused.map_or(Ok(()), Err)
    }

    /// Drops an index, or a constraint and the index that proves it, if `find` finds what is to go. It is asked once
    /// more when nobody else can declare anything any more.
    fn remove(&self, find: impl Fn(&Catalog) -> Result<Option<SchemaId>>) -> Result<()> {
        // What is refused now waits for no writer.
        find(self.read()?.catalog())?;
        let mut txn = self.write()?;
        let catalog = txn.catalog();
        let id = find(catalog)?;
        let constraint = id.and_then(|id| catalog.constraint(id));
        let index = match constraint {
            Some(constraint) => catalog.proof_of(constraint.id),
            None => id.and_then(|id| catalog.index(id)),
        };
        let text = id.and_then(|id| catalog.text_index(id));
        let changes = [
            constraint.map(|of| Change::DropConstraint(of.id)),
            index.map(|of| given_up(catalog, of)),
            text.map(|of| Change::DropTextIndex(of.id)),
        ];
        for change in changes.iter().flatten() {
            txn.change_catalog(change)?;
        }
        txn.commit()?;
        self.remove_dropped()
    }

    /// Removes the entries of dropped indexes and hierarchies, in portions. Nobody looks at them any
    /// more.
    pub(super) fn remove_dropped(&self) -> Result<()> {
        let dropped = self.read()?.catalog().dropped().to_vec();
        for id in dropped {
            // The keys of all these families begin with the number.
            let range = KeyRange::prefix(&id.get().to_be_bytes());
            for family in [
                Family::PropIndex,
                Family::Hierarchy,
                Family::VectorSnapshot,
                Family::Journal,
                Family::Postings,
                Family::TextDocuments,
            ] {
                while self.remove_portion(family, &range)? {}
            }
            let mut txn = self.write()?;
            txn.change_catalog(&Change::Forget(id))?;
            txn.commit()?;
        }
        Ok(())
    }

    /// Removes some entries; returns whether there may be more.
    fn remove_portion(&self, family: Family, range: &KeyRange) -> Result<bool> {
        let mut txn = self.write()?;
        let mut doomed = Vec::new();
        let mut scan = txn.keys().scan(family, range)?;
        while doomed.len() < DROP_PORTION
            && let Some(entry) = scan.next()?
        {
            doomed.push(entry.key.to_vec());
        }
        drop(scan);
        for key in &doomed {
            txn.keys().delete(family, key)?;
        }
        txn.commit()?;
        Ok(doomed.len() == DROP_PORTION)
    }
}

/// What becomes of a property index that whoever had it gives up: a vector index that is filtered by it has it from
/// now on, or it goes.
fn given_up(catalog: &Catalog, index: &IndexDef) -> Change {
    let heir = catalog.filtered_by(index).next();
    heir.map_or(Change::DropIndex(index.id), |heir| {
        let mut handed_on = IndexDef::clone(index);
        handed_on.owner = Some(heir.id);
        Change::Index(Arc::new(handed_on))
    })
}

fn unknown(what: &'static str, name: &str) -> Error {
    Error::UnknownName {
        what,
        name: name.into(),
    }
}
