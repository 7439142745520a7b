//! Nodes and relationships as text. Labels and properties are sorted by name, so that the text does
//! not depend on which name was used first.

use super::declared::unnamed;
use crate::catalog::{Catalog, LabelId, NameId, Names, PropertyId, TypeId};
use crate::error::{Error, Result};
use crate::graph::Entity;
use crate::graph::properties::Properties;
use crate::graph::record::{NodeRecord, RelationshipRecord};
use crate::keys::KeyRead;
use crate::value::json::to_json;
use crate::value::{Value, Vector};
use std::io::Write as _;

/// Every name as a JSON string, and its place among the names.
pub(super) struct Texts {
    labels: NameTexts,
    types: NameTexts,
    properties: NameTexts,
}

struct NameTexts {
    quoted: Vec<String>,
    ranks: Vec<u32>,
}

impl NameTexts {
    fn new<I: NameId>(names: &Names<I>) -> Self {
        let texts: Vec<&str> = names.iter().map(|(_, name)| &**name).collect();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_unstable_by_key(|at| texts[*at]);
        let mut ranks = vec![0; texts.len()];
        for (rank, at) in (0..).zip(order) {
            ranks[at] = rank;
        }
        let quoted = texts.into_iter().map(quote).collect();
        Self { quoted, ranks }
    }

    fn rank(&self, id: impl NameId) -> u32 {
        let rank = self.ranks.get(id.number() as usize);
        rank.copied().unwrap_or(u32::MAX)
    }

    fn quoted(&self, id: impl NameId) -> Result<&str> {
        let quoted = self.quoted.get(id.number() as usize);
        quoted.map(String::as_str).ok_or_else(unnamed)
    }
}

impl Texts {
    pub(super) fn new(catalog: &Catalog) -> Self {
        Self {
            labels: NameTexts::new(&catalog.labels),
            types: NameTexts::new(&catalog.types),
            properties: NameTexts::new(&catalog.properties),
        }
    }

    /// A node from its labels on: `"labels":[...],"properties":{...}}`.
    pub(super) fn push_node(
        &self,
        text: &mut Vec<u8>,
        keys: &impl KeyRead,
        entity: Entity,
        record: NodeRecord,
    ) -> Result<()> {
        text.extend_from_slice(b"\"labels\":[");
        let mut labels: Vec<LabelId> = record.labels;
        labels.sort_unstable_by_key(|label| self.labels.rank(*label));
        for (place, label) in labels.into_iter().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            text.extend_from_slice(self.labels.quoted(label)?.as_bytes());
        }
        text.extend_from_slice(b"],");
        self.push_properties(text, keys, entity, record.properties)
    }

    /// A relationship's type: `"type":"...",`.
    pub(super) fn push_type(&self, text: &mut Vec<u8>, of: TypeId) -> Result<()> {
        text.extend_from_slice(b"\"type\":");
        text.extend_from_slice(self.types.quoted(of)?.as_bytes());
        text.push(b',');
        Ok(())
    }

    /// A relationship from its type on, with its ends under their ids.
    pub(super) fn push_relationship(
        &self,
        text: &mut Vec<u8>,
        keys: &impl KeyRead,
        entity: Entity,
        record: RelationshipRecord,
    ) -> Result<()> {
        self.push_type(text, record.relationship_type)?;
        push_ends(text, record.source.get(), record.target.get());
        self.push_properties(text, keys, entity, record.properties)
    }

    /// The properties and the end of the line: `"properties":{...}}`.
    pub(super) fn push_properties(
        &self,
        text: &mut Vec<u8>,
        keys: &impl KeyRead,
        entity: Entity,
        properties: Properties,
    ) -> Result<()> {
        text.extend_from_slice(b"\"properties\":{");
        let mut properties: Vec<_> = properties.into_iter().collect();
        properties.sort_unstable_by_key(|(property, _)| self.properties.rank(*property));
        for (place, (property, slot)) in properties.into_iter().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            let property: PropertyId = property;
            text.extend_from_slice(self.properties.quoted(property)?.as_bytes());
            text.push(b':');
            push_value(text, &slot.into_value(keys, entity, property)?)?;
        }
        text.extend_from_slice(b"}}");
        Ok(())
    }
}

/// The ends of a relationship: `"from":0,"to":1,`.
pub(super) fn push_ends(text: &mut Vec<u8>, from: u64, to: u64) {
    // Writing into memory cannot fail.
    let _ = write!(text, "\"from\":{from},\"to\":{to},");
}

/// A value. The common kinds are written without making JSON of them first.
fn push_value(text: &mut Vec<u8>, value: &Value) -> Result<()> {
    let written = match value {
        Value::Bool(value) => serde_json::to_writer(text, value),
        Value::Int(value) => serde_json::to_writer(text, value),
        Value::Float(value) if value.is_finite() => serde_json::to_writer(text, value),
        Value::String(value) => serde_json::to_writer(text, &**value),
        Value::Vector(vector) => push_vector(text, vector),
        value => serde_json::to_writer(text, &to_json(value)),
    };
    written.map_err(|_| Error::bug("a value could not be written into memory"))
}

/// A vector as `value::json` has it. It may have thousands of numbers, and most of a dump can be
/// vectors: JSON values for each of them would take most of the time.
fn push_vector(text: &mut Vec<u8>, vector: &Vector) -> serde_json::Result<()> {
    text.extend_from_slice(b"{\"vector\":[");
    for (place, number) in vector.as_slice().iter().enumerate() {
        if place > 0 {
            text.push(b',');
        }
        let begin = text.len();
        serde_json::to_writer(&mut *text, number)?;
        // A reader rounds twice, to a double and then to a float, which can miss by one.
        let written = text.get(begin..).map(std::str::from_utf8);
        let read = written.and_then(|text| text.ok()?.parse::<f64>().ok());
        if read.is_none_or(|read| (read as f32).to_bits() != number.to_bits()) {
            text.truncate(begin);
            serde_json::to_writer(&mut *text, &f64::from(*number))?;
        }
    }
    text.extend_from_slice(b"]}");
    Ok(())
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::any_value::{any_value, is_same};
    use crate::value::json::from_json;
    use proptest::prelude::*;

    fn back(value: &Value) -> Value {
        let mut text = Vec::new();
        push_value(&mut text, value).unwrap();
        from_json(&serde_json::from_slice(&text).unwrap()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        #[test]
        fn values_come_back_exactly(value in any_value()) {
            prop_assert!(is_same(&back(&value), &value), "{} came back as {}", value, back(&value));
        }

        #[test]
        fn vectors_come_back_exactly(bits in prop::collection::vec(any::<u32>(), 1..20)) {
            let numbers: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
            if let Ok(vector) = Vector::new(numbers.clone()) {
                let value = back(&vector.into());
                let again = value.as_vector().unwrap().as_slice();
                let same = again.iter().zip(&numbers).all(|(one, other)| one.to_bits() == other.to_bits());
                prop_assert!(same && again.len() == numbers.len(), "{again:?} of {numbers:?}");
            }
        }
    }
}
