//! The model's answers, from its maps.

use super::Key;
use super::content::{show, show_all};
use super::face::{Face, Nodes, Relationships, Wanted};
use super::model::{Graph, Node, Relationship};
use super::names::{KEY, Lookup, MEANING, NAME, Names, Searched, Tint, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeBounds;
use stratigraph::{Direction, Result, Value};

/// A model that is asked.
pub(super) struct ModelFace<'a> {
    graph: &'a Graph,
    names: Names,
    levels: BTreeMap<Type, BTreeMap<Key, u32>>,
}

impl<'a> ModelFace<'a> {
    pub(super) fn new(graph: &'a Graph, names: Names) -> Self {
        let levels = Type::ALL.map(|of| (of, graph.levels(of)));
        Self {
            graph,
            names,
            levels: levels.into(),
        }
    }

    fn relationships(&self) -> impl Iterator<Item = (&Key, &Relationship)> {
        self.graph.relationships.iter()
    }

    /// What one node's relationships are, seen from it.
    fn seen_from(
        &self,
        node: Key,
        direction: Direction,
        of: Option<Type>,
    ) -> impl Iterator<Item = (Key, &'static str, Key)> {
        let (out, incoming) = match direction {
            Direction::Outgoing => (true, false),
            Direction::Incoming => (false, true),
            Direction::Both => (true, true),
        };
        let meant = self
            .relationships()
            .filter(move |(_, known)| of.is_none_or(|of| known.of == of));
        meant.flat_map(move |(key, known)| {
            let leaves = out && known.source == node;
            let leaves = leaves.then_some((known.target, "to", *key));
            let arrives = incoming && known.target == node;
            let arrives = arrives.then_some((known.source, "from", *key));
            leaves.into_iter().chain(arrives)
        })
    }

    /// The keys and values of everything that is in an index.
    fn indexed(&self, lookup: Lookup) -> Vec<(Key, Vec<Value>)> {
        let mut found = Vec::new();
        let mut add = |key: &Key, properties: &super::content::Properties| {
            let value = |property: &&str| match *property {
                KEY => Some(number(*key)),
                property => properties.get(property).map(|content| content.value()),
            };
            let values = lookup.properties().iter().map(value);
            if let Some(values) = values.collect::<Option<Vec<Value>>>() {
                found.push((*key, values));
            }
        };
        if lookup.is_of_links() {
            for (key, known) in self
                .relationships()
                .filter(|(_, known)| known.of == Type::Link)
            {
                add(key, &known.properties);
            }
        } else {
            let is_meant = |node: &Node| lookup != Lookup::Shade || node.tints.contains(&Tint::Red);
            for (key, node) in self.graph.nodes.iter().filter(|(_, node)| is_meant(node)) {
                add(key, &node.properties);
            }
        }
        found
    }
}

/// Names, as answers have them.
fn names<K: std::borrow::Borrow<Key>>(keys: impl IntoIterator<Item = K>) -> Vec<String> {
    let mut names: Vec<String> = keys
        .into_iter()
        .map(|key| key.borrow().0.to_string())
        .collect();
    names.sort();
    names
}

fn number(key: Key) -> Value {
    key.0.cast_signed().into()
}

fn properties_of(key: Key, properties: &super::content::Properties) -> String {
    let mut values: BTreeMap<&str, Value> = BTreeMap::from([(KEY, number(key))]);
    values.extend(
        properties
            .iter()
            .map(|(name, content)| (*name, content.value())),
    );
    show_all(values.iter().map(|(name, value)| (*name, value)))
}

impl Face for ModelFace<'_> {
    type Node = Key;
    type Relationship = Key;

    fn known_nodes(&self) -> Vec<(String, Key)> {
        let keys = self.graph.nodes.keys();
        keys.map(|key| (key.0.to_string(), *key)).collect()
    }

    fn known_relationships(&self) -> Vec<(String, Key)> {
        let keys = self.graph.relationships.keys();
        keys.map(|key| (key.0.to_string(), *key)).collect()
    }

    fn nodes(&self, of: Nodes) -> Result<Vec<String>> {
        let nodes = &self.graph.nodes;
        Ok(match of {
            Nodes::Labelled | Nodes::Stored => names(nodes.keys()),
            Nodes::Tinted(tint) => {
                let tinted = nodes.iter().filter(|(_, node)| node.tints.contains(&tint));
                names(tinted.map(|(key, _)| key))
            }
            Nodes::Around(direction) => {
                let far = nodes
                    .keys()
                    .flat_map(|near| self.seen_from(*near, direction, None).map(|(far, ..)| far));
                names(far.collect::<BTreeSet<Key>>())
            }
        })
    }

    fn relationships(&self, of: Relationships) -> Result<Vec<String>> {
        let (Relationships::OfType(of) | Relationships::Stored(of)) = of;
        let meant = self.relationships().filter(|(_, known)| known.of == of);
        Ok(names(meant.map(|(key, _)| key)))
    }

    fn node_count(&self, tint: Option<Tint>) -> Result<u64> {
        let nodes = self.graph.nodes.values();
        let meant = nodes.filter(|node| tint.is_none_or(|tint| node.tints.contains(&tint)));
        Ok(meant.count() as u64)
    }

    fn relationship_count(&self, of: Type) -> Result<u64> {
        Ok(self
            .relationships()
            .filter(|(_, known)| known.of == of)
            .count() as u64)
    }

    fn node(&self, key: Key) -> Result<String> {
        let node = &self.graph.nodes[&key];
        let mut labels = vec![self.names.label()];
        labels.extend(node.tints.iter().map(|tint| self.names.tint(*tint)));
        labels.sort();
        Ok(format!(
            "{}, {}",
            labels.join(" "),
            properties_of(key, &node.properties)
        ))
    }

    fn relationship(&self, key: Key) -> Result<String> {
        let known = &self.graph.relationships[&key];
        Ok(format!(
            "{} {} {}, {}",
            known.source.0,
            self.names.relationship_type(known.of),
            known.target.0,
            properties_of(key, &known.properties)
        ))
    }

    fn property(&self, key: Key, property: &'static str) -> Result<String> {
        if property == KEY {
            return Ok(show(&number(key)));
        }
        let content = self.graph.nodes[&key].properties.get(property);
        Ok(show(
            &content.map_or(Value::Null, |content| content.value()),
        ))
    }

    fn has_tint(&self, node: Key, tint: Tint) -> Result<bool> {
        Ok(self.graph.nodes[&node].tints.contains(&tint))
    }

    fn neighbours(&self, node: Key, direction: Direction, of: Option<Type>) -> Result<Vec<String>> {
        let is_both = direction == Direction::Both;
        // Seen from both sides, a relationship of a node with itself comes once.
        let seen = self
            .seen_from(node, direction, of)
            .filter(|(far, way, _)| !(is_both && *far == node && *way == "from"));
        let mut words: Vec<String> = seen
            .map(|(far, way, key)| format!("{way} {} by {}", far.0, key.0))
            .collect();
        words.sort();
        Ok(words)
    }

    fn degree(&self, node: Key, direction: Direction, of: Option<Type>) -> Result<u64> {
        Ok(self.seen_from(node, direction, of).count() as u64)
    }

    fn look_up(&self, lookup: Lookup, wanted: &Wanted) -> Result<Vec<String>> {
        let fits = |values: &[Value]| match wanted {
            Wanted::All => true,
            Wanted::Equal(wanted) => {
                let mut pairs = values.iter().zip(wanted);
                pairs.all(|(value, wanted)| value.equals(wanted) == Some(true))
            }
            Wanted::Range(from, to) => {
                let number = values.first().and_then(Value::as_int);
                number.is_some_and(|number| (*from, *to).contains(&number))
            }
            Wanted::Beginning(prefix) => {
                let text = values.first().and_then(Value::as_str);
                text.is_some_and(|text| text.starts_with(prefix))
            }
        };
        let indexed = self.indexed(lookup);
        let found = indexed.iter().filter(|(_, values)| fits(values));
        Ok(names(found.map(|(key, _)| key)))
    }

    fn entries(&self, lookup: Lookup) -> Result<u64> {
        Ok(self.indexed(lookup).len() as u64)
    }

    fn level(&self, of: Type, node: Key) -> Result<Option<u32>> {
        Ok(self.levels[&of].get(&node).copied())
    }

    fn members(&self, of: Type, level: u32) -> Result<Vec<String>> {
        let members = self.levels[&of].iter();
        Ok(names(
            members.filter(|(_, at)| **at == level).map(|(key, _)| key),
        ))
    }

    fn roots(&self, of: Type) -> Result<Vec<String>> {
        self.members(of, 0)
    }

    fn depth(&self, of: Type) -> Result<u32> {
        Ok(self.levels[&of]
            .values()
            .max()
            .map_or(0, |deepest| deepest + 1))
    }

    fn member_count(&self, of: Type) -> Result<u64> {
        Ok(self.levels[&of].len() as u64)
    }

    fn with_vectors(&self, of: Searched) -> Result<Vec<String>> {
        let nodes = self.graph.nodes.iter().filter(|_| of == Searched::Nodes);
        let nodes = nodes.map(|(key, node)| (key, &node.properties));
        let links = self.relationships();
        let links = links.filter(|(_, known)| of == Searched::Links && known.of == Type::Link);
        let links = links.map(|(key, known)| (key, &known.properties));
        let found = nodes
            .chain(links)
            .filter(|(_, properties)| properties.contains_key(MEANING));
        Ok(names(found.map(|(key, _)| key)))
    }

    fn nearest(&self, of: Searched) -> Result<Vec<String>> {
        let all = self.with_vectors(of)?.into_iter();
        let mut words: Vec<String> = all.map(|name| format!("{name}:{name}")).collect();
        words.sort();
        Ok(words)
    }

    fn with_word(&self, of: Searched, word: &str) -> Result<Vec<String>> {
        let is_named = |node: &Node| match node.properties.get(NAME).map(|name| name.value()) {
            Some(Value::String(name)) => &*name == word,
            _ => false,
        };
        let found = self
            .graph
            .nodes
            .iter()
            .filter(|(_, node)| of == Searched::Nodes && is_named(node));
        Ok(names(found.map(|(key, _)| key)))
    }
}
