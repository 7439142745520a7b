//! What a query did to a graph, as the difference between before and after.
//!
//! Counted are nodes, relationships, (entity, key, value) triples and the distinct labels in the graph.
//! It must never be computed with the query language, which is what is being tested.
//!
//! Next: `scenario.rs`.

use std::collections::{BTreeMap, BTreeSet};

/// A graph as sets that can be compared.
#[derive(Clone, Debug, Default)]
pub struct GraphState {
    /// The ids of the nodes.
    pub nodes: BTreeSet<u64>,
    /// The ids of the relationships.
    pub relationships: BTreeSet<u64>,
    /// Every property: whether it is a relationship's, the id, the name, and the value's text.
    pub properties: BTreeSet<(bool, u64, String, String)>,
    /// The labels that at least one node has.
    pub labels: BTreeSet<String>,
}

/// How many of what was added and removed: `+nodes`, `-properties` and so on, without zeros.
pub type Effects = BTreeMap<String, u64>;

/// The words that effects are counted under, each with `+` or `-` before it.
pub const COUNTED: [&str; 4] = ["nodes", "relationships", "properties", "labels"];

impl GraphState {
    /// What has to happen to this graph to make it the other.
    pub fn effects(&self, after: &Self) -> Effects {
        let changes = [
            changed(&self.nodes, &after.nodes),
            changed(&self.relationships, &after.relationships),
            changed(&self.properties, &after.properties),
            changed(&self.labels, &after.labels),
        ];
        let mut effects = Effects::new();
        for (word, (added, removed)) in COUNTED.iter().zip(changes) {
            for (sign, count) in [('+', added), ('-', removed)] {
                if count > 0 {
                    effects.insert(format!("{sign}{word}"), count);
                }
            }
        }
        effects
    }
}

/// Effects in one line, for people.
pub fn text(effects: &Effects) -> String {
    if effects.is_empty() {
        return "none".to_owned();
    }
    let mut words = Vec::new();
    for word in COUNTED {
        for sign in ['+', '-'] {
            if let Some(count) = effects.get(&format!("{sign}{word}")) {
                words.push(format!("{sign}{word} {count}"));
            }
        }
    }
    words.join(", ")
}

fn changed<T: Ord>(before: &BTreeSet<T>, after: &BTreeSet<T>) -> (u64, u64) {
    let added = after.difference(before).count();
    let removed = before.difference(after).count();
    (added as u64, removed as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(nodes: &[u64], properties: &[(u64, &str, &str)], labels: &[&str]) -> GraphState {
        GraphState {
            nodes: nodes.iter().copied().collect(),
            relationships: BTreeSet::new(),
            properties: properties
                .iter()
                .map(|(id, key, value)| (false, *id, (*key).to_owned(), (*value).to_owned()))
                .collect(),
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        }
    }

    #[test]
    fn a_changed_value_is_one_property_more_and_one_less() {
        let before = state(&[1, 2], &[(1, "name", "'a'"), (2, "name", "'b'")], &["A"]);
        let after = state(&[1, 3], &[(1, "name", "'c'")], &["A", "B"]);
        assert_eq!(
            text(&before.effects(&after)),
            "+nodes 1, -nodes 1, +properties 1, -properties 2, +labels 1"
        );
        assert_eq!(text(&before.effects(&before)), "none");
    }

    #[test]
    fn the_same_property_on_a_node_and_on_a_relationship_are_two() {
        let mut before = state(&[1], &[(1, "name", "'a'")], &[]);
        let after = before.clone();
        before
            .properties
            .insert((true, 1, "name".into(), "'a'".into()));
        assert_eq!(text(&before.effects(&after)), "-properties 1");
    }
}
