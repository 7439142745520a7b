//! What a mapping needs to be declared: a key for each label, an index for each vector.

use std::sync::Arc;

use stratigraph::{Constraint, Index, Read as _, VectorIndex};

use super::super::agreed::AGREED;
use super::super::contribution::Label;
use super::super::{BuildError, Layers, schema};
use super::write::embedded_from;
use super::{KEY, SOURCE, STATED_BY, STATES, TablesError};
use crate::read::{LabelSchema, TypedNode, TypedSchema};
use crate::routes::DECLARED_QUERY;

/// Labels of the layers that are no kind of node of a document.
const LABELS: [&str; 6] = [
    SOURCE,
    "LayerSettings",
    schema::MODEL_CALL,
    schema::OBJECT_TAG,
    AGREED,
    DECLARED_QUERY,
];
/// Types of relationships of the layers.
const TYPES: [&str; 11] = [
    STATES,
    schema::FACT,
    schema::ASSERTS,
    schema::HAS_SUBDOMAIN,
    schema::COVERS,
    "HAS_CHILD",
    "HAS_INSTANCE",
    "REFERS_TO",
    "MENTIONS",
    "HAS_TAG",
    "DESCRIBES",
];

/// Refuses names that the layers have, and properties that would be written over.
pub(super) fn check(schema: &TypedSchema) -> Result<(), TablesError> {
    let labels = schema.labels.keys().filter(|name| is_of_layers(name));
    let types = schema.types.iter().map(|(kind, ..)| kind);
    let types = types.filter(|name| TYPES.contains(&&***name));
    let vectors = schema.labels.values().flat_map(|label| &label.vectors);
    let vectors = vectors.filter(|name| [KEY, STATED_BY].contains(&&***name));
    let names = labels.chain(types).chain(vectors).cloned();
    let texts = schema.labels.values().filter_map(taken_by_text);
    let source = schema.relationship_properties.get(STATED_BY);
    let source = source.map(|name| Arc::<str>::from(name.as_str()));
    match names.chain(texts).chain(source).next() {
        Some(name) => Err(TablesError::Taken { name }),
        None => Ok(()),
    }
}

/// The same for a row whose properties are its columns, which no mapping lists.
pub(super) fn check_node(node: &TypedNode) -> Result<(), TablesError> {
    let mut texts = node.embed.iter().map(|(vector, _)| embedded_from(vector));
    match texts.find(|text| node.properties.contains_key(text)) {
        Some(text) => Err(TablesError::Taken { name: text.into() }),
        None => Ok(()),
    }
}

/// A property of a label under the name that has the text of one of its vectors.
fn taken_by_text(label: &LabelSchema) -> Option<Arc<str>> {
    let mut texts = label.vectors.iter().map(|vector| embedded_from(vector));
    let taken = texts.find(|text| {
        let is_property = label.properties.contains(text) || label.metadata.contains(text);
        is_property || label.vectors.contains(text.as_str())
    });
    taken.map(Arc::from)
}

/// Whether a label is one of the layers of documents, and no type of tables.
pub(crate) fn is_of_layers(label: &str) -> bool {
    LABELS.contains(&label) || Label::ALL.iter().any(|own| own.name() == label)
}

/// The index that proves the keys of a label.
pub(crate) fn key_index(label: &str) -> String {
    format!("table_key_{label}")
}

/// Declares what is not declared yet.
pub(super) fn declare(layers: &Layers, wanted: &TypedSchema) -> Result<(), BuildError> {
    let db = layers.database();
    let dimensions = layers.embedder().dimensions();
    let key = |label: &str| {
        Constraint::on_nodes(label)
            .key([KEY])
            .named(key_index(label))
    };
    // Looked at first: a declaration waits for writers, and mostly everything is there.
    let known = |name: &str| Ok::<_, BuildError>(db.read()?.index(name).is_ok());
    let labels = std::iter::once(SOURCE).chain(wanted.labels.keys().map(|label| &**label));
    for label in labels {
        if !known(&key_index(label))? {
            db.create_constraint(key(label).if_missing())?;
        }
    }
    for (label, of) in &wanted.labels {
        for name in &of.metadata {
            let index = Index::on_nodes(&**label, [name.as_str()]);
            db.create_index(index.named(format!("table_{label}_{name}")).if_missing())?;
        }
        for vector in &of.vectors {
            let index = VectorIndex::on_nodes(&**label, &**vector, dimensions);
            let index = index.filterable(of.metadata.iter().cloned());
            let index = index.named(format!("table_{label}_{vector}_vectors"));
            db.create_vector_index(index.if_missing())?;
        }
    }
    Ok(())
}
