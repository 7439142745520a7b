//! The types of a typed graph, as the catalogue and its rows have them: labels with what their nodes are found by.

use std::collections::{BTreeMap, BTreeSet};

use stratigraph::catalog::{Readiness, Scope};
use stratigraph::{NodeId, Read, Value};

use crate::build::is_of_layers;

/// From so many nodes of a type it is learned what properties they have.
const SAMPLED: usize = 32;

/// A label that is none of the layers of documents, and whose nodes can be found by what they are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeOf {
    pub(crate) label: String,
    /// Properties that nodes are looked up by, what names one for sure first.
    pub(crate) names: Vec<NameIndex>,
    /// Its vector indexes.
    pub(crate) vectors: Vec<VectorsOf>,
    /// Its full-text indexes.
    pub(crate) texts: Vec<String>,
    /// The properties that its nodes have and somebody may want to read.
    pub(crate) properties: BTreeSet<String>,
}

/// A property that has an index of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameIndex {
    pub(crate) index: String,
    pub(crate) property: String,
    /// Whether no two nodes have the same.
    pub(crate) unique: bool,
}

/// A vector index, and how many numbers its vectors have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VectorsOf {
    pub(crate) index: String,
    pub(crate) property: String,
    pub(crate) dimensions: usize,
}

/// All types, in the order of their labels.
pub(crate) fn types<R: Read>(read: &R) -> Result<Vec<TypeOf>, stratigraph::Error> {
    let catalog = read.catalog();
    let label_of = |scope: Scope| match scope {
        Scope::Label(label) => catalog.labels.name(label).map(ToString::to_string),
        _ => None,
    };
    let mut all: BTreeMap<String, TypeOf> = BTreeMap::new();
    for index in catalog.indexes() {
        let (Some(label), [property]) = (label_of(index.scope), index.properties.as_slice()) else {
            continue;
        };
        let property = catalog.properties.name(*property);
        if is_of_layers(&label) || index.readiness != Readiness::Ready {
            continue;
        }
        let Some(property) = property else { continue };
        let known = all.entry(label.clone()).or_insert_with(|| TypeOf {
            label,
            names: Vec::new(),
            vectors: Vec::new(),
            texts: Vec::new(),
            properties: BTreeSet::new(),
        });
        // What a vector index is filtered by has a second index.
        match known
            .names
            .iter_mut()
            .find(|one| *one.property == **property)
        {
            Some(one) => one.unique |= index.unique,
            None => known.names.push(NameIndex {
                index: index.name.to_string(),
                property: property.to_string(),
                unique: index.unique,
            }),
        }
    }
    for index in catalog.vector_indexes() {
        let known = label_of(index.scope).and_then(|label| all.get_mut(&label));
        let property = catalog.properties.name(index.property);
        if let Some((known, property)) = known.zip(property) {
            known.vectors.push(VectorsOf {
                index: index.name.to_string(),
                property: property.to_string(),
                dimensions: index.dimensions as usize,
            });
        }
    }
    for index in catalog.text_indexes() {
        let known = label_of(index.scope).and_then(|label| all.get_mut(&label));
        if let Some(known) = known.filter(|_| index.readiness == Readiness::Ready) {
            known.texts.push(index.name.to_string());
        }
    }
    for known in all.values_mut() {
        let by = |one: &NameIndex| (!one.unique, one.property.clone());
        known.names.sort_by_key(by);
        known.vectors.sort_by(|a, b| a.index.cmp(&b.index));
        known.texts.sort();
        let (readable, others) = properties(read, &known.label)?;
        known.properties = readable;
        // A number or a truth names nothing that could stand in a question.
        known.names.retain(|name| !others.contains(&name.property));
    }
    Ok(all.into_values().collect())
}

/// What the first nodes of a label have that can be read: no vectors, and not what these were made of; and which of it is
/// no text.
fn properties<R: Read>(
    read: &R,
    label: &str,
) -> Result<(BTreeSet<String>, BTreeSet<String>), stratigraph::Error> {
    let mut found = BTreeSet::new();
    let mut others = BTreeSet::new();
    for node in read.nodes_with_label(label)?.into_iter().take(SAMPLED) {
        let Some(node) = read.node(NodeId::new(node))? else {
            continue;
        };
        let is_vector = |name: &str| matches!(node.get(name), Some(Value::Vector(_)));
        let readable = node.properties().filter(|(name, _)| {
            let of_vector = name.strip_suffix("_text").is_some_and(is_vector);
            !of_vector && !is_vector(name)
        });
        for (name, value) in readable {
            found.insert(name.to_owned());
            if !matches!(value, Value::String(_) | Value::Null) {
                others.insert(name.to_owned());
            }
        }
    }
    Ok((found, others))
}
