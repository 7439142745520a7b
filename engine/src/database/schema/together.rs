//! Declaring much at once, which is what whoever fills a new database begins with.
//!
//! What is on nothing yet needs no building: all of that is declared as ready in one commit, so that a database gets
//! its schema for the price of one sync. The rest is created as if each were wanted by itself.

use super::Database;
use super::wanted::{Constraint, HierarchyOptions, Index, TextIndex, VectorIndex};
use crate::catalog::{Change, ConstraintDef, Counter, IndexDef, Readiness, Scope, TextIndexDef};
use crate::catalog::{SchemaId, VectorIndexDef};
use crate::error::Result;
use crate::graph::{Read as _, WriteTxn, view};
use crate::storage::cancel::Watch;
use std::sync::Arc;

/// Something to be created, whatever it is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Declaration {
    /// A property index.
    Index(Index),
    /// A constraint.
    Constraint(Constraint),
    /// A hierarchy.
    Hierarchy(HierarchyOptions),
    /// A vector index.
    VectorIndex(VectorIndex),
    /// A text index.
    TextIndex(TextIndex),
}

macro_rules! from {
    ($($of:ident($what:ty)),*) => {$(
        impl From<$what> for Declaration {
            fn from(wanted: $what) -> Self {
                Self::$of(wanted)
            }
        }
    )*};
}

from!(
    Index(Index),
    Constraint(Constraint),
    Hierarchy(HierarchyOptions),
    VectorIndex(VectorIndex),
    TextIndex(TextIndex)
);

/// A vector index of a declaration that is about to be committed.
struct Bound {
    def: Arc<VectorIndexDef>,
    is_new: bool,
}

impl Database {
    /// Creates all of these, and returns when they are ready. Those that are on nothing yet come in one commit, or none of
    /// them; after that the others, in the order in which they are given.
    ///
    /// ```
    /// use stratigraph::{Constraint, Database, Index, Read, TextIndex};
    ///
    /// let db = Database::in_memory()?;
    /// db.create_schema([
    ///     Constraint::on_nodes("Paper").key(["doi"]).into(),
    ///     Index::on_nodes("Paper", ["year"]).into(),
    ///     TextIndex::on_nodes("Paper", ["abstract"]).into(),
    /// ])?;
    /// assert_eq!(db.read()?.catalog().indexes().count(), 2);
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// As creating each of them. What is there by then stays.
    pub fn create_schema(&self, wanted: impl IntoIterator<Item = Declaration>) -> Result<()> {
        for one in self.declare_empty(wanted)? {
            match one {
                Declaration::Index(index) => self.create_index(index)?,
                Declaration::Constraint(constraint) => self.create_constraint(constraint)?,
                Declaration::Hierarchy(hierarchy) => self.create_hierarchy(hierarchy)?,
                Declaration::VectorIndex(index) => self.create_vector_index(index)?,
                Declaration::TextIndex(index) => self.create_text_index(index)?,
            }
        }
        Ok(())
    }

    /// Declares what is on nothing, and returns the rest.
    fn declare_empty(
        &self,
        wanted: impl IntoIterator<Item = Declaration>,
    ) -> Result<Vec<Declaration>> {
        let vectors = &self.inner.vectors;
        let mut txn = self.write()?;
        let (mut bound, mut rest) = (Vec::new(), Vec::new());
        let declared = wanted
            .into_iter()
            .try_for_each(|one| match txn.is_on_nothing(&one)? {
                true => self.declare_ready(&mut txn, &one, &mut bound),
                false => {
                    rest.push(one);
                    Ok(())
                }
            });
        let committed = declared.and_then(|()| txn.commit());
        let new = || bound.iter().filter(|one| one.is_new).map(|one| &one.def);
        // They were made known before anybody could drop them, and are to be forgotten if nothing came of it.
        committed.inspect_err(|_| new().for_each(|def| vectors.remove(def.id)))?;
        let begun = new().try_for_each(|def| vectors.begin(def));
        let ready = begun.and_then(|()| {
            let mut all = bound.iter();
            all.try_for_each(|one| self.wait_for_vector_index(&one.def.name, &mut Watch::quiet()))
        });
        ready.inspect_err(|_| new().for_each(|def| self.take_back(def)))?;
        Ok(rest)
    }

    /// Declares something that is on nothing, as ready.
    fn declare_ready(
        &self,
        txn: &mut WriteTxn,
        wanted: &Declaration,
        bound: &mut Vec<Bound>,
    ) -> Result<()> {
        match wanted {
            Declaration::Index(index) => {
                let id = txn.declare_index(index)?.id;
                txn.make_index_ready(id)
            }
            Declaration::Constraint(constraint) => {
                let def = txn.declare_constraint(constraint)?;
                if let Some(proof) = txn.catalog().proof_of(def.id).map(|proof| proof.id) {
                    txn.make_index_ready(proof)?;
                }
                if def.readiness == Readiness::Ready {
                    return Ok(());
                }
                let mut ready = ConstraintDef::clone(&def);
                ready.readiness = Readiness::Ready;
                txn.change_catalog(&Change::Constraint(Arc::new(ready)))
            }
            Declaration::Hierarchy(hierarchy) => match txn.declare_hierarchy(hierarchy)? {
                Some(def) => txn.change_catalog(&Change::Hierarchy(def)),
                None => Ok(()),
            },
            Declaration::TextIndex(index) => {
                let def = txn.declare_text_index(index)?;
                if def.readiness == Readiness::Ready {
                    return Ok(());
                }
                let mut ready = TextIndexDef::clone(&def);
                ready.readiness = Readiness::Ready;
                txn.change_catalog(&Change::TextIndex(Arc::new(ready)))
            }
            Declaration::VectorIndex(index) => {
                index.check()?;
                let (def, is_new) = txn.declare_vector_index(index)?;
                if is_new {
                    self.inner.vectors.bind(&def);
                }
                let filters = txn.catalog().owned_by(def.id).map(|filter| filter.id);
                let filters: Vec<SchemaId> = filters.collect();
                bound.push(Bound { def, is_new });
                let mut filters = filters.into_iter();
                filters.try_for_each(|filter| txn.make_index_ready(filter))
            }
        }
    }
}

impl WriteTxn {
    /// Whether nothing is there that a declaration would be about: then there is nothing to build or to look at.
    fn is_on_nothing(&mut self, wanted: &Declaration) -> Result<bool> {
        let scope = match wanted {
            Declaration::Index(index) => index.head.scope(self)?,
            Declaration::Constraint(constraint) => constraint.head.scope(self)?,
            Declaration::Hierarchy(of) => self.scope_of_type(&of.relationship_type)?,
            Declaration::VectorIndex(index) => index.head.scope(self)?,
            Declaration::TextIndex(index) => index.head.scope(self)?,
        };
        let counter = match scope {
            Scope::Label(label) => Counter::Label(label),
            Scope::Type(of) => Counter::Type(of),
            Scope::AnyNode => Counter::Nodes,
            Scope::AnyRelationship => Counter::Relationships,
        };
        Ok(view::of(&*self).count(counter)? == 0)
    }

    /// Declares an index ready that has nothing to hold. Who was building it finds that there is nothing left to do.
    fn make_index_ready(&mut self, id: SchemaId) -> Result<()> {
        let index = self.catalog().index(id).cloned();
        let Some(index) = index.filter(|index| index.readiness != Readiness::Ready) else {
            return Ok(());
        };
        let mut ready = IndexDef::clone(&index);
        ready.readiness = Readiness::Ready;
        self.change_catalog(&Change::Index(Arc::new(ready)))
    }
}
