//! Text indexes: declared in one commit, filled in portions, dropped with all their postings.

use super::build::Buildable;
use super::declare::already;
use super::wanted::On;
use super::{Database, unknown};
use crate::catalog::{Change, Readiness, TextIndexDef};
use crate::error::{Error, Result};
use crate::graph::{Read as _, WriteTxn};
use crate::index::text::{Analysis, TextField, TextSettings, Weight, merge_some, should_merge};
use crate::storage::cancel::Watch;
use std::sync::Arc;

/// A text index to be created.
///
/// ```
/// use stratigraph::{Analysis, Database, TextIndex};
///
/// let db = Database::in_memory()?;
/// let papers = TextIndex::on_nodes("Paper", ["abstract"]).weighted("title", 2.0);
/// db.create_text_index(papers.analysis(Analysis::English).named("papers"))?;
/// db.create_text_index(TextIndex::on_any_node(["name"]).analysis(Analysis::Chinese))?;
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it is only described until `Database::create_text_index` creates it"]
pub struct TextIndex {
    pub(super) on: On,
    fields: Vec<(String, f32)>,
    analysis: Analysis,
    parameters: Option<(f32, f32)>,
    name: Option<String>,
    if_missing: bool,
}

impl TextIndex {
    /// On the texts that nodes with a label have as these properties.
    pub fn on_nodes<P: Into<String>>(
        label: impl Into<String>,
        properties: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::on(On::Nodes(label.into()), properties)
    }

    /// On the texts that relationships of a type have as these properties.
    pub fn on_relationships<P: Into<String>>(
        relationship_type: impl Into<String>,
        properties: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::on(On::Relationships(relationship_type.into()), properties)
    }

    /// On the texts that any nodes have as these properties.
    pub fn on_any_node<P: Into<String>>(properties: impl IntoIterator<Item = P>) -> Self {
        Self::on(On::AnyNode, properties)
    }

    /// On the texts that any relationships have as these properties.
    pub fn on_any_relationship<P: Into<String>>(properties: impl IntoIterator<Item = P>) -> Self {
        Self::on(On::AnyRelationship, properties)
    }

    fn on<P: Into<String>>(on: On, properties: impl IntoIterator<Item = P>) -> Self {
        let fields = properties
            .into_iter()
            .map(|property| (property.into(), 1.0));
        Self {
            on,
            fields: fields.collect(),
            analysis: Analysis::English,
            parameters: None,
            name: None,
            if_missing: false,
        }
    }

    /// One more property, in which a word counts so many times as much: from 0.25 to 64, in quarters.
    pub fn weighted(mut self, property: impl Into<String>, weight: f32) -> Self {
        self.fields.push((property.into(), weight));
        self
    }

    /// How text becomes terms; as English if nothing is said.
    pub fn analysis(mut self, analysis: Analysis) -> Self {
        self.analysis = analysis;
        self
    }

    /// The parameters of BM25; 1.2 and 0.75 if nothing is said.
    pub fn parameters(mut self, k1: f32, b: f32) -> Self {
        self.parameters = Some((k1, b));
        self
    }

    /// Gives it a name. Otherwise it gets one made of what it is on.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Leaves everything as it is if there is one of that name, or just the same.
    pub fn if_missing(mut self) -> Self {
        self.if_missing = true;
        self
    }
}

impl Database {
    /// Creates a text index, and returns when it holds everything. Readers and writers go on meanwhile.
    ///
    /// # Errors
    /// [`AlreadyDeclared`](crate::Error::AlreadyDeclared), [`BadDeclaration`](crate::Error::BadDeclaration) or
    /// [`DroppedMeanwhile`](crate::Error::DroppedMeanwhile).
    pub fn create_text_index(&self, index: TextIndex) -> Result<()> {
        self.create_text_index_watched(index, &mut Watch::quiet())
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`create_text_index`](Self::create_text_index), and [`Cancelled`](crate::Error::Cancelled): there is no index then.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a description is used up by what it describes"
    )]
    pub fn create_text_index_watched(&self, index: TextIndex, watch: &mut Watch<'_>) -> Result<()> {
        self.declare_and_build(watch, |txn| {
            txn.declare_text_index(&index).map(Buildable::Text)
        })
    }

    /// Drops a text index. The texts stay.
    ///
    /// # Errors
    /// [`UnknownName`](crate::Error::UnknownName).
    pub fn drop_text_index(&self, name: &str) -> Result<()> {
        let def = self.read()?.catalog().text_index_named(name).cloned();
        let def = def.ok_or_else(|| unknown("text index", name))?;
        self.remove(def.id, |_| true)
    }

    /// Merges what a text index has in many pieces, now instead of when there is time. What searches find does
    /// not depend on it.
    ///
    /// # Errors
    /// [`UnknownName`](crate::Error::UnknownName), [`DroppedMeanwhile`](crate::Error::DroppedMeanwhile) or
    /// [`Cancelled`](crate::Error::Cancelled); what the store refuses.
    pub fn tend_text_index(&self, name: &str, watch: &mut Watch<'_>) -> Result<()> {
        let def = self.read()?.catalog().text_index_named(name).cloned();
        let def = def.ok_or_else(|| unknown("text index", name))?;
        let index = def.index();
        let mut merged = 0;
        let transaction_bytes = self.inner.ground.transaction_bytes;
        while should_merge(&self.key_read()?, &index, transaction_bytes)? {
            watch.step("merge postings", merged, 0)?;
            let mut txn = self.write()?;
            // Whoever drops an index removes its keys bit by bit after that: what is left is no damage.
            if txn.catalog().text_index(index.id()).is_none() {
                return Err(Error::DroppedMeanwhile {
                    what: "text index",
                    name: Arc::clone(&def.name),
                });
            }
            let done = merge_some(txn.keys(), &index)?;
            txn.note_addition();
            txn.commit()?;
            merged += done.segments;
        }
        Ok(())
    }
}

impl WriteTxn {
    /// Declares a text index, which is to be filled then, or finds the one that is there.
    pub(super) fn declare_text_index(&mut self, wanted: &TextIndex) -> Result<Arc<TextIndexDef>> {
        let scope = wanted.on.scope(self)?;
        let mut fields = Vec::new();
        for (property, weight) in &wanted.fields {
            fields.push(TextField {
                property: self.property_key(property)?,
                weight: Weight::new(*weight)?,
            });
        }
        let mut settings = TextSettings::new(fields, wanted.analysis)?;
        if let Some((k1, b)) = wanted.parameters {
            settings = settings.with_parameters(k1, b)?;
        }
        let catalog = self.catalog();
        let known = catalog.text_indexes().find(|index| {
            wanted.name.as_deref() == Some(&*index.name)
                || index.scope == scope && *index.settings == settings
        });
        if let Some(known) = known {
            return match wanted.if_missing {
                true => Ok(Arc::clone(known)),
                false => Err(already(catalog, "a text index like", &known.name)),
            };
        }
        let properties: Vec<String> = wanted.fields.iter().map(|(name, _)| name.clone()).collect();
        let name = self.free_name(
            "texts",
            wanted.name.as_deref(),
            wanted.on.word(),
            &properties,
        )?;
        let def = Arc::new(TextIndexDef {
            id: self.next_schema_id()?,
            name,
            scope,
            settings: Arc::new(settings),
            readiness: Readiness::Building,
        });
        self.change_catalog(&Change::TextIndex(Arc::clone(&def)))?;
        Ok(def)
    }
}
