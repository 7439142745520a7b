//! Nodes, relationships and paths, with what they held when their row was made.

use super::{ColumnReader, Value};
use crate::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A node.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Node")]
pub struct Node {
    /// Its id in its database.
    pub id: u64,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its properties by name.
    pub properties: BTreeMap<String, Value>,
}

/// A relationship.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Relationship")]
pub struct Relationship {
    /// Its id in its database.
    pub id: u64,
    /// Its type.
    pub relationship_type: String,
    /// The id of the node that it leaves.
    pub source_id: u64,
    /// The id of the node that it reaches.
    pub target_id: u64,
    /// Its properties by name.
    pub properties: BTreeMap<String, Value>,
}

/// A path: nodes, and between each and the next a relationship, which may lead either way.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Path")]
pub struct Path {
    /// Its nodes, in order.
    pub nodes: Vec<Node>,
    /// Its relationships, in order.
    pub relationships: Vec<Relationship>,
}

impl Node {
    /// A property; `Null` reads as `None`, as does one that is not there.
    ///
    /// # Errors
    /// [`Error::Type`] if it is not of that type.
    pub fn get<'a, T: Deserialize<'a>>(&'a self, property: &str) -> Result<T, Error> {
        property_of(&self.properties, property)
    }
}

impl Relationship {
    /// A property; `Null` reads as `None`, as does one that is not there.
    ///
    /// # Errors
    /// [`Error::Type`] if it is not of that type.
    pub fn get<'a, T: Deserialize<'a>>(&'a self, property: &str) -> Result<T, Error> {
        property_of(&self.properties, property)
    }
}

fn property_of<'a, T: Deserialize<'a>>(
    properties: &'a BTreeMap<String, Value>,
    name: &str,
) -> Result<T, Error> {
    let value = properties.get(name).unwrap_or(&Value::Null);
    T::deserialize(ColumnReader(value)).map_err(|error| Error::Type {
        place: format!("property `{name}`"),
        problem: error.to_string(),
    })
}
