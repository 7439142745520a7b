//! Chunks by properties of their documents: those that a question chooses, and by which properties it could.

use std::sync::Arc;

use roaring::RoaringTreemap;
use stratigraph::Read;
use stratigraph::catalog::{IndexDef, Readiness};

use super::{Question, RetrieveError};

impl Question {
    /// The chunks that it chooses; nothing if it chooses by no property.
    pub(super) fn chunks<R: Read>(
        &self,
        read: &R,
    ) -> Result<Option<RoaringTreemap>, RetrieveError> {
        let mut chosen: Option<RoaringTreemap> = None;
        for (name, value) in self.filters() {
            let index = chunk_index(read, name)?;
            let ids = read.ids_with(&index, value, u64::MAX)?.unwrap_or_default();
            chosen = Some(match chosen {
                Some(before) => before & &*ids,
                None => RoaringTreemap::clone(&ids),
            });
        }
        Ok(chosen)
    }

    /// The properties by which chunks can be chosen and have not been, each with its index. That of their document is none:
    /// it has as many values as there are documents, and these are named by their titles.
    pub(super) fn open_filters<R: Read>(&self, read: &R) -> Vec<(String, String)> {
        let catalog = read.catalog();
        let vectors = catalog.vector_index_named("chunk_vectors");
        let properties = vectors.iter().flat_map(|vectors| &vectors.filters);
        let names = properties.filter_map(|id| catalog.properties.name(*id));
        let chosen = |name: &str| self.filters().contains_key(name);
        let open = names.filter(|name| &***name != "document" && !chosen(name));
        // One that is still being built is left out: nobody has asked for it.
        let ready = open.filter_map(|name| {
            let index = filter_index(read, name)?;
            (index.readiness == Readiness::Ready)
                .then(|| (name.to_string(), index.name.to_string()))
        });
        ready.collect()
    }
}

/// The index by which chunks are chosen.
fn filter_index<'r, R: Read>(read: &'r R, name: &str) -> Option<&'r Arc<IndexDef>> {
    let catalog = read.catalog();
    let vectors = catalog.vector_index_named("chunk_vectors")?;
    let property = catalog.properties.id(name)?;
    let mut indexes = catalog
        .indexes()
        .filter(|_| vectors.filters.contains(&property));
    indexes.find(|index| index.scope == vectors.scope && index.properties == [property])
}

/// Its name.
fn chunk_index<R: Read>(read: &R, name: &str) -> Result<String, RetrieveError> {
    let catalog = read.catalog();
    let vectors = catalog.vector_index_named("chunk_vectors");
    let index = filter_index(read, name);
    index.map(|index| index.name.to_string()).ok_or_else(|| {
        let known = vectors.iter().flat_map(|vectors| &vectors.filters);
        let known = known.filter_map(|id| catalog.properties.name(*id));
        let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
        RetrieveError::Filter {
            name: name.to_owned(),
            known: format!(
                "they can by {}; a profile names what else",
                known.join(", ")
            ),
        }
    })
}
