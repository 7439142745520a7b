//! About how many bytes a value takes, for whoever limits what is held.
//!
//! Values share what lies behind their pointers. Of what several share, each counts its part: one long list in
//! many rows does not seem to fill the machine, and nothing that is held counts as nothing.

use super::{NodeValue, RelationshipValue, Value};
use std::sync::Arc;

/// How many values are looked into to tell how large one is; the others are taken to be like them. Whoever
/// asks for every row must not walk through a long list each time.
const LOOKED_INTO: usize = 256;

/// The two counts before what an [`Arc`] points to.
const COUNTS: usize = 16;

impl Value {
    /// About how many bytes it takes, its part of what it shares with others included.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        Scale { left: LOOKED_INTO }.value(self)
    }
}

struct Scale {
    /// How many values may still be looked into.
    left: usize,
}

impl Scale {
    fn value(&mut self, value: &Value) -> usize {
        size_of::<Value>() + self.behind(value)
    }

    /// What lies behind its pointer. As deep as the value.
    fn behind(&mut self, value: &Value) -> usize {
        self.left = self.left.saturating_sub(1);
        match value {
            Value::String(text) => part(text, text.len()),
            Value::Bytes(bytes) => part(bytes, bytes.len()),
            Value::Vector(vector) => part(vector.shared(), size_of_val(vector.as_slice())),
            Value::Duration(_) | Value::DateTime(_) => 2 * COUNTS,
            Value::List(list) => {
                let elements = self.sample(list.len(), list.iter(), Self::value);
                part(list, elements)
            }
            Value::Map(map) => {
                let entries = self.sample(map.len(), map.iter(), |scale, (key, value)| {
                    name(key) + scale.value(value)
                });
                part(map, entries)
            }
            Value::Node(node) => self.node(node),
            Value::Relationship(relationship) => self.relationship(relationship),
            Value::Path(path) => {
                let (nodes, relationships) = (path.nodes(), path.relationships());
                let own = size_of_val(nodes) + size_of_val(relationships);
                let nodes = self.sample(nodes.len(), nodes.iter(), Self::node);
                let walked = relationships.iter();
                let walked = self.sample(relationships.len(), walked, Self::relationship);
                part(path, own.saturating_add(nodes).saturating_add(walked))
            }
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Date(_)
            | Value::Time(_)
            | Value::LocalTime(_)
            | Value::LocalDateTime(_) => 0,
        }
    }

    fn node(&mut self, node: &NodeValue) -> usize {
        let labels = node.labels().count() * size_of::<Arc<str>>();
        node.shared_by().map_or(0, |owners| {
            (COUNTS + labels).saturating_add(self.properties(node.properties())) / owners
        })
    }

    fn relationship(&mut self, relationship: &RelationshipValue) -> usize {
        relationship.shared_by().map_or(0, |owners| {
            (2 * COUNTS).saturating_add(self.properties(relationship.properties())) / owners
        })
    }

    /// Names of properties are the catalogue's.
    fn properties<'v>(&mut self, properties: impl Iterator<Item = (&'v str, &'v Value)>) -> usize {
        properties.fold(0, |sum: usize, (_, value)| {
            sum.saturating_add(size_of::<Arc<str>>() + self.value(value))
        })
    }

    /// Looks at the first of some things and takes the others to be like them.
    fn sample<T>(
        &mut self,
        len: usize,
        things: impl Iterator<Item = T>,
        mut weigh: impl FnMut(&mut Self, T) -> usize,
    ) -> usize {
        // One at least, so that what lies deep does not count as nothing.
        let looked = len.min(self.left.max(1));
        let bytes = things.take(looked).fold(0, |sum: usize, thing| {
            sum.saturating_add(weigh(self, thing))
        });
        let like_them = bytes.checked_div(looked).unwrap_or(0);
        bytes.saturating_add(like_them.saturating_mul(len - looked))
    }
}

/// The part of one that points to something of so many bytes.
fn part<T: ?Sized>(shared: &Arc<T>, bytes: usize) -> usize {
    bytes.saturating_add(COUNTS) / Arc::strong_count(shared).max(1)
}

/// A key of a map.
fn name(key: &Arc<str>) -> usize {
    size_of::<Arc<str>>() + part(key, key.len())
}

#[cfg(test)]
mod tests {
    use super::super::{NodeId, PathValue, Vector};
    use super::*;
    use std::collections::BTreeMap;

    fn text(length: usize) -> Value {
        Value::String("x".repeat(length).into())
    }

    fn near(value: &Value, bytes: usize) {
        let found = value.held_bytes();
        assert!(
            (bytes..bytes + bytes / 4 + 64).contains(&found),
            "{found} for {bytes}"
        );
    }

    #[test]
    fn a_value_counts_what_lies_behind_it() {
        near(&Value::Int(1), 24);
        near(&text(10_000), 10_000);
        near(&Value::Bytes(vec![0; 10_000].into()), 10_000);
        near(&Vector::new(vec![0.5; 1000]).unwrap().into(), 4000);
        let list =
            |length| Value::list((0..length).map(|_| text(1000)).collect::<Vec<_>>()).unwrap();
        near(&list(10), 10_000);
        near(&list(3000), 3_000_000);
        let entries = || -> BTreeMap<Arc<str>, Value> {
            let entries = [("a", text(5000)), ("b", text(5000))];
            entries
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect()
        };
        near(&Value::map(entries()).unwrap(), 10_000);
        let node = || NodeValue::new(NodeId::new(1), vec!["A".into()], entries());
        near(&Value::Node(node()), 10_000);
        near(&Value::Node(NodeValue::of(NodeId::new(1))), 24);
        let path = PathValue::new(vec![node()], Vec::new()).unwrap();
        near(&Value::from(path), 10_000);
    }

    #[test]
    fn those_who_share_something_count_a_part_of_it_each() {
        let mut held: Vec<Value> = vec![text(100_000)];
        near(&held[0], 100_000);
        held.resize(10, held[0].clone());
        near(&held[0], 10_000);
        let sum: usize = held.iter().map(Value::held_bytes).sum();
        assert!((100_000..101_000).contains(&sum), "{sum}");
    }

    #[test]
    fn a_list_of_lists_is_weighed_without_looking_at_all() {
        let inner = || Value::list(vec![Value::Int(1); 1000]).unwrap();
        let outer = Value::list((0..1000).map(|_| inner()).collect::<Vec<_>>()).unwrap();
        near(&outer, 24_000_000);
        let mut scale = Scale { left: LOOKED_INTO };
        scale.value(&outer);
        assert_eq!(scale.left, 0);
    }
}
