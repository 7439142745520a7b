//! Names of a load: their numbers, to be looked up once instead of for every item.

use super::BulkLoad;
use crate::catalog::{Catalog, Change, LabelId, NameId, Names, PropertyId, TypeId};
use crate::error::{Error, Result};
use crate::storage::family::Family;
use std::sync::Arc;

impl BulkLoad {
    /// The number of a label, for [`add_node_of`](Self::add_node_of).
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::TooMany`].
    pub fn label(&mut self, name: &str) -> Result<LabelId> {
        self.name(|catalog| &catalog.labels, Change::Label, name)
    }

    /// The number of a relationship type, for [`add_relationship_of`](Self::add_relationship_of).
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::TooMany`].
    pub fn relationship_type(&mut self, name: &str) -> Result<TypeId> {
        self.name(|catalog| &catalog.types, Change::Type, name)
    }

    /// The number of a property key.
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::TooMany`].
    pub fn property_key(&mut self, name: &str) -> Result<PropertyId> {
        self.name(|catalog| &catalog.properties, Change::Property, name)
    }

    /// The number of a name, which it gets if it was never used. As in a transaction, it stays known
    /// even if the item that brought it is refused.
    fn name<I: NameId>(
        &mut self,
        names: impl Fn(&Catalog) -> &Names<I>,
        change: impl Fn(Arc<str>) -> Change,
        name: &str,
    ) -> Result<I> {
        if let Some(id) = names(&self.state.catalog).id(name) {
            return Ok(id);
        }
        names(&self.state.catalog).check(name)?;
        let catalog = Arc::make_mut(&mut self.state.catalog);
        for (key, value) in catalog.apply(&change(name.into())) {
            self.last
                .put(Family::Meta, &key, &value.unwrap_or_default());
        }
        names(&self.state.catalog)
            .id(name)
            .ok_or_else(|| Error::bug("a name that was just given is not known"))
    }
}

/// Whether a number came from this database.
pub(super) fn check_known<I: NameId>(names: &Names<I>, id: I) -> Result<()> {
    if names.name(id).is_some() {
        return Ok(());
    }
    Err(Error::UnknownName {
        what: I::WHAT,
        name: names.show(id).into(),
    })
}
