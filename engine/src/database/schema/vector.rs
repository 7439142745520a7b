//! Vector indexes: declared in one commit, made in the background, dropped with all that is theirs.

use super::declare::already;
use super::wanted::On;
use super::{Database, unknown};
use crate::catalog::{Catalog, Change, IndexDef, Readiness, VectorIndexDef};
use crate::error::{Error, Result};
use crate::graph::{Read as _, WriteTxn};
use crate::index::vector::{VectorIndexInfo, VectorIndexState};
use crate::storage::cancel::Watch;
use crate::storage::plant;
use std::sync::Arc;
use std::time::Duration;
use stratigraph_vector::{Coding, IndexError, Metric, Settings};

/// How often whoever waits for an index is told how far it is.
const PATIENCE: Duration = Duration::from_millis(50);
/// As many filters as an index may have.
const MOST_FILTERS: usize = 16;

/// A vector index to be created.
///
/// ```
/// use stratigraph::{Database, Metric, VectorIndex};
///
/// let db = Database::in_memory()?;
/// let chunks = VectorIndex::on_nodes("Chunk", "embedding", 384).filterable(["year"]);
/// db.create_vector_index(chunks.named("chunks"))?;
/// db.create_vector_index(VectorIndex::on_any_relationship("embedding", 8).metric(Metric::Dot))?;
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it is only described until `Database::create_vector_index` creates it"]
pub struct VectorIndex {
    pub(super) on: On,
    property: String,
    dimensions: usize,
    metric: Metric,
    coding: Coding,
    links: usize,
    breadth: usize,
    filters: Vec<String>,
    name: Option<String>,
    if_missing: bool,
}

impl VectorIndex {
    /// On the vectors that nodes with a label have as a property.
    pub fn on_nodes(
        label: impl Into<String>,
        property: impl Into<String>,
        dimensions: usize,
    ) -> Self {
        Self::on(On::Nodes(label.into()), property, dimensions)
    }

    /// On the vectors that relationships of a type have as a property.
    pub fn on_relationships(
        relationship_type: impl Into<String>,
        property: impl Into<String>,
        dimensions: usize,
    ) -> Self {
        Self::on(
            On::Relationships(relationship_type.into()),
            property,
            dimensions,
        )
    }

    /// On the vectors that any nodes have as a property.
    pub fn on_any_node(property: impl Into<String>, dimensions: usize) -> Self {
        Self::on(On::AnyNode, property, dimensions)
    }

    /// On the vectors that any relationships have as a property.
    pub fn on_any_relationship(property: impl Into<String>, dimensions: usize) -> Self {
        Self::on(On::AnyRelationship, property, dimensions)
    }

    fn on(on: On, property: impl Into<String>, dimensions: usize) -> Self {
        Self {
            on,
            property: property.into(),
            dimensions,
            metric: Metric::Cosine,
            coding: Coding::best_for(dimensions),
            links: 16,
            breadth: 128,
            filters: Vec::new(),
            name: None,
            if_missing: false,
        }
    }

    /// How vectors are compared; by their cosine if nothing is said.
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metric = metric;
        self
    }

    /// What walks read of a vector; the default depends on the dimensions. The vectors themselves stay as they
    /// are.
    pub fn coding(mut self, coding: Coding) -> Self {
        self.coding = coding;
        self
    }

    /// How many links a vector begins with, known as M; 16 if nothing is said.
    pub fn links(mut self, links: usize) -> Self {
        self.links = links;
        self
    }

    /// From how many near ones they are chosen, known as `ef_construction`; 128 if nothing is said.
    pub fn breadth(mut self, breadth: usize) -> Self {
        self.breadth = breadth;
        self
    }

    /// The properties that searches may be limited by. Each gets a property index, unless there is one.
    pub fn filterable<P: Into<String>>(mut self, properties: impl IntoIterator<Item = P>) -> Self {
        self.filters = properties.into_iter().map(Into::into).collect();
        self
    }

    /// Gives it a name. Otherwise it gets one made of what it is on.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Leaves everything as it is if there is one of that name, or on the same property.
    pub fn if_missing(mut self) -> Self {
        self.if_missing = true;
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        // The limits are those of the index, and so are the words.
        let settings = Settings::new(self.dimensions, self.metric)
            .coding(self.coding)
            .links(self.links)
            .breadth(self.breadth)
            .memory_limit(0);
        match settings.build() {
            Err(source @ IndexError::BadSetting { .. }) => Err(Error::VectorIndex {
                index: self.name.as_deref().unwrap_or(&self.property).into(),
                source: Box::new(source),
            }),
            _ if self.filters.len() > MOST_FILTERS => Err(Error::BadDeclaration {
                what: "vector index",
                reason: "it is to be filtered by more than 16 properties",
            }),
            _ => Ok(()),
        }
    }
}

impl Database {
    /// Creates a vector index, and returns when it answers. Readers and writers go on meanwhile; what they
    /// search for in it is found by comparing all vectors until then.
    ///
    /// # Errors
    /// [`Error::AlreadyDeclared`]; [`Error::VectorIndex`] for settings that cannot be;
    /// [`Error::VectorRefused`] if a vector is there that does not fit, and then there is no index.
    pub fn create_vector_index(&self, index: VectorIndex) -> Result<()> {
        self.create_vector_index_watched(index, &mut Watch::quiet())
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`create_vector_index`](Self::create_vector_index), and [`Error::Cancelled`]: there is no index then.
    pub fn create_vector_index_watched(
        &self,
        index: VectorIndex,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        let (def, is_new) = self.start_vector_index(index, watch)?;
        let waited = self.wait_for_vector_index(&def.name, watch);
        // What was there before stays.
        waited.inspect_err(|_| {
            if is_new {
                self.take_back(&def);
            }
        })
    }

    /// The same, without waiting: [`vector_indexes`](Self::vector_indexes) tells how far it is. An index that
    /// cannot be made stays as failed, with the reason, until it is dropped.
    ///
    /// # Errors
    /// As [`create_vector_index`](Self::create_vector_index), but for what only making it brings to light.
    pub fn create_vector_index_in_background(&self, index: VectorIndex) -> Result<()> {
        self.start_vector_index(index, &mut Watch::quiet())
            .map(drop)
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a description is used up by what it describes"
    )]
    fn start_vector_index(
        &self,
        index: VectorIndex,
        watch: &mut Watch<'_>,
    ) -> Result<(Arc<VectorIndexDef>, bool)> {
        index.check()?;
        let vectors = &self.inner.vectors;
        let mut txn = self.write()?;
        let (def, is_new) = txn.declare_vector_index(&index)?;
        if !is_new {
            return Ok((def, false));
        }
        // Before the commit: as soon as others see it, they may drop it.
        vectors.bind(&def);
        txn.commit().inspect_err(|_| vectors.remove(def.id))?;
        // First of all: whatever becomes of the filters, whoever waits for the index must not wait for nobody.
        vectors.begin(&def)?;
        let filters = self.build_unfinished(watch);
        filters.inspect_err(|_| self.take_back(&def))?;
        Ok((def, true))
    }

    pub(super) fn take_back(&self, def: &VectorIndexDef) {
        let dropped = self.drop_vector(|catalog| catalog.vector_index(def.id).cloned());
        if let Err(error) = dropped {
            tracing::warn!(index = &*def.name, %error, "what was declared in vain is still there");
        }
    }

    /// Drops a vector index, with the property indexes that it was given for its filters. The vectors stay.
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn drop_vector_index(&self, name: &str) -> Result<()> {
        match self.drop_vector(|catalog| catalog.vector_index_named(name).cloned())? {
            true => Ok(()),
            false => Err(unknown("vector index", name)),
        }
    }

    /// Drops an index; whether there was one.
    fn drop_vector(
        &self,
        find: impl FnOnce(&Catalog) -> Option<Arc<VectorIndexDef>>,
    ) -> Result<bool> {
        let mut txn = self.write()?;
        let catalog = txn.catalog();
        let Some(def) = find(catalog) else {
            return Ok(false);
        };
        let owned = catalog.owned_by(def.id).map(|index| index.id);
        let mut changes: Vec<Change> = owned.map(Change::DropIndex).collect();
        changes.push(Change::DropVectorIndex(def.id));
        for change in &changes {
            txn.change_catalog(change)?;
        }
        txn.commit()?;
        self.inner.vectors.remove(def.id);
        plant::step("the files of a vector index are removed");
        self.remove_dropped()?;
        Ok(true)
    }

    /// The vector indexes, and what each is doing.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn vector_indexes(&self) -> Result<Vec<VectorIndexInfo>> {
        self.inner.ground.ensure_open()?;
        let all = self.inner.vectors.all();
        Ok(all.iter().map(|bound| bound.info()).collect())
    }

    /// Links what was written lately and takes out what has gone, now instead of in the background. What
    /// searches find does not depend on it, only how fast.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; [`Error::IndexNotReady`] while it is being made.
    pub fn tend_vector_index(&self, name: &str) -> Result<()> {
        let def = self.read()?.catalog().vector_index_named(name).cloned();
        let def = def.ok_or_else(|| unknown("vector index", name))?;
        let bound = self.inner.vectors.get(def.id);
        let live = bound.and_then(|bound| bound.live());
        let live = live.ok_or_else(|| Error::IndexNotReady {
            index: Arc::clone(&def.name),
        })?;
        live.index.tend(self.inner.ground.log.oldest().get());
        Ok(())
    }

    /// Waits until a vector index answers, and tells how far it is meanwhile.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; [`Error::Cancelled`]; why it could not be made.
    pub fn wait_for_vector_index(&self, name: &str, watch: &mut Watch<'_>) -> Result<()> {
        let def = self.read()?.catalog().vector_index_named(name).cloned();
        let def = def.ok_or_else(|| unknown("vector index", name))?;
        loop {
            let bound = self
                .inner
                .vectors
                .get(def.id)
                .ok_or_else(|| def.dropped_meanwhile())?;
            match bound.info().state {
                VectorIndexState::Ready => return Ok(()),
                VectorIndexState::Failed(error) => return Err(error),
                VectorIndexState::Building { done, total } => {
                    watch.step("make the vector index", done, total)?;
                }
            }
            bound.wait(PATIENCE);
        }
    }
}

impl WriteTxn {
    /// Declares a vector index, with property indexes for its filters, or finds the one that is there. Returns
    /// whether it is new.
    pub(super) fn declare_vector_index(
        &mut self,
        wanted: &VectorIndex,
    ) -> Result<(Arc<VectorIndexDef>, bool)> {
        let scope = wanted.on.scope(self)?;
        let property = self.property_key(&wanted.property)?;
        let catalog = self.catalog();
        let known = catalog.vector_indexes().find(|index| {
            wanted.name.as_deref() == Some(&*index.name)
                || index.scope == scope && index.property == property
        });
        if let Some(known) = known {
            return match wanted.if_missing {
                true => Ok((Arc::clone(known), false)),
                false => Err(already(catalog, "a vector index like", &known.name)),
            };
        }
        let name = self.free_name(
            "vectors",
            wanted.name.as_deref(),
            wanted.on.word(),
            std::slice::from_ref(&wanted.property),
        )?;
        let mut filters = Vec::new();
        for filter in &wanted.filters {
            let filter = self.property_key(filter)?;
            if !filters.contains(&filter) {
                filters.push(filter);
            }
        }
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let def = Arc::new(VectorIndexDef {
            id: self.next_schema_id()?,
            name,
            scope,
            property,
            dimensions: number(wanted.dimensions),
            metric: wanted.metric,
            coding: wanted.coding,
            links: number(wanted.links),
            breadth: number(wanted.breadth),
            filters,
        });
        self.change_catalog(&Change::VectorIndex(Arc::clone(&def)))?;
        for (filter, word) in def.filters.iter().zip(&wanted.filters) {
            let is_it =
                |index: &Arc<IndexDef>| index.scope == scope && index.properties == [*filter];
            if self.catalog().indexes().any(is_it) {
                continue;
            }
            let name =
                self.free_name("index", None, wanted.on.word(), std::slice::from_ref(word))?;
            let index = IndexDef {
                id: self.next_schema_id()?,
                name,
                scope,
                properties: vec![*filter],
                unique: false,
                readiness: Readiness::Building,
                owner: Some(def.id),
            };
            self.change_catalog(&Change::Index(Arc::new(index)))?;
        }
        Ok((def, true))
    }
}
