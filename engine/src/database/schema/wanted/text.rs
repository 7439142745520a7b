//! A text index to be created.

use super::Head;
use crate::index::text::Analysis;

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
    pub(in crate::database::schema) head: Head,
    pub(in crate::database::schema) fields: Vec<(String, f32)>,
    pub(in crate::database::schema) analysis: Analysis,
    pub(in crate::database::schema) parameters: Option<(f32, f32)>,
}

impl TextIndex {
    /// On the texts that nodes with a label have as these properties.
    pub fn on_nodes<P: Into<String>>(
        label: impl Into<String>,
        properties: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::on(Head::nodes(label), properties)
    }

    /// On the texts that relationships of a type have as these properties.
    pub fn on_relationships<P: Into<String>>(
        relationship_type: impl Into<String>,
        properties: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::on(Head::relationships(relationship_type), properties)
    }

    /// On the texts that any nodes have as these properties.
    pub fn on_any_node<P: Into<String>>(properties: impl IntoIterator<Item = P>) -> Self {
        Self::on(Head::any_node(), properties)
    }

    /// On the texts that any relationships have as these properties.
    pub fn on_any_relationship<P: Into<String>>(properties: impl IntoIterator<Item = P>) -> Self {
        Self::on(Head::any_relationship(), properties)
    }

    fn on<P: Into<String>>(head: Head, properties: impl IntoIterator<Item = P>) -> Self {
        let fields = properties
            .into_iter()
            .map(|property| (property.into(), 1.0));
        Self {
            head,
            fields: fields.collect(),
            analysis: Analysis::English,
            parameters: None,
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

    head! {
        /// Gives it a name. Otherwise it gets one made of what it is on.
        named
        /// Leaves everything as it is if there is one of that name, or just the same.
        if_missing
    }
}
