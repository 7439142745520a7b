//! Names of a load: their numbers, to be looked up once instead of for every item.

use super::BulkLoad;
use crate::catalog::{Catalog, Change, LabelId, NameId, Names, PropertyId, TypeId};
use crate::error::{Error, Result};
use crate::storage::family::Family;
use std::sync::Arc;

/// Names that were used lately: comparing one string is cheaper than hashing it, and a load repeats
/// the same few names for ever.
#[derive(Default)]
pub(super) struct Recent {
    labels: RecentNames<LabelId>,
    types: RecentNames<TypeId>,
    properties: RecentNames<PropertyId>,
}

/// How many names of one kind are remembered.
const REMEMBERED: usize = 64;

struct RecentNames<I>(Vec<Option<(Arc<str>, I)>>);

impl<I> Default for RecentNames<I> {
    fn default() -> Self {
        Self(std::iter::repeat_with(|| None).take(REMEMBERED).collect())
    }
}

impl<I: NameId> RecentNames<I> {
    /// Where a name is remembered, if it is: its length and ends tell most names apart.
    fn place(name: &str) -> usize {
        let bytes = name.as_bytes();
        let byte = |at: Option<&u8>| usize::from(at.copied().unwrap_or_default());
        let (first, last) = (byte(bytes.first()), byte(bytes.last()));
        (bytes.len() + 7 * first + 31 * last) % REMEMBERED
    }

    /// The number of a name, by a look into `names` if it was not used lately.
    fn id(&mut self, name: &str, names: &Names<I>) -> Option<I> {
        let place = self.0.get_mut(Self::place(name))?;
        if let Some((known, id)) = place
            && **known == *name
        {
            return Some(*id);
        }
        let id = names.id(name)?;
        *place = names.name(id).map(|name| (Arc::clone(name), id));
        Some(id)
    }
}

impl BulkLoad {
    /// The number of a label, for [`add_node_of`](Self::add_node_of).
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::TooMany`].
    pub fn label(&mut self, name: &str) -> Result<LabelId> {
        match self.known_label(name) {
            Some(label) => Ok(label),
            None => self.new_name(|catalog| &catalog.labels, Change::Label, name),
        }
    }

    /// The number of a label that was used before.
    pub(super) fn known_label(&mut self, name: &str) -> Option<LabelId> {
        self.recent.labels.id(name, &self.state.catalog.labels)
    }

    /// The number of a relationship type, for [`add_relationship_of`](Self::add_relationship_of).
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::TooMany`].
    pub fn relationship_type(&mut self, name: &str) -> Result<TypeId> {
        match self.recent.types.id(name, &self.state.catalog.types) {
            Some(of) => Ok(of),
            None => self.new_name(|catalog| &catalog.types, Change::Type, name),
        }
    }

    /// The number of a property key.
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::TooMany`].
    pub fn property_key(&mut self, name: &str) -> Result<PropertyId> {
        match self.known_property(name) {
            Some(property) => Ok(property),
            None => self.new_name(|catalog| &catalog.properties, Change::Property, name),
        }
    }

    /// The number of a property key that was used before.
    pub(super) fn known_property(&mut self, name: &str) -> Option<PropertyId> {
        let names = &self.state.catalog.properties;
        self.recent.properties.id(name, names)
    }

    /// Gives a name a number. As in a transaction, it stays known even if the item that brought it is
    /// refused.
    fn new_name<I: NameId>(
        &mut self,
        names: impl Fn(&Catalog) -> &Names<I>,
        change: impl Fn(Arc<str>) -> Change,
        name: &str,
    ) -> Result<I> {
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
