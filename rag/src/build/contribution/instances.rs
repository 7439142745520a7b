//! What the pieces under one heading say together of what it names.
//!
//! A text without headings is one section, however long it is, and what it names everywhere is one instance. So
//! each list has an end, and whether something is on it already is one look.

use std::collections::{BTreeMap, HashSet};

use super::super::property::{Properties, Property, put_text};
use super::{Contribution, NodeKey};

/// The most descriptions, sentences and chunks of an instance, each: the first ones of the text.
const MOST_TEXTS: usize = 1000;
/// The most bytes of a list.
const MOST_BYTES: usize = 1 << 20;

/// The instances of a document.
#[derive(Default)]
pub(super) struct Instances {
    by_node: BTreeMap<NodeKey, Instance>,
}

/// What was said so far of something under a heading.
#[derive(Default)]
pub(super) struct Instance {
    document: String,
    name: String,
    kind: String,
    descriptions: Texts,
    sentences: Texts,
    chunks: Texts,
}

/// Texts, each once, in the order of the document.
#[derive(Default)]
struct Texts {
    items: Vec<Property>,
    seen: HashSet<String>,
    bytes: usize,
}

impl Instances {
    /// The instance of this node, which a piece calls so. Of several names and kinds the smallest is kept, which does not
    /// depend on which came first.
    pub(super) fn named(
        &mut self,
        node: &NodeKey,
        document: &str,
        (name, kind): (&str, &str),
    ) -> &mut Instance {
        let instance = self.by_node.entry(node.clone()).or_default();
        document.clone_into(&mut instance.document);
        smaller(&mut instance.name, name);
        smaller(&mut instance.kind, kind);
        instance
    }

    /// Writes them down.
    pub(super) fn add_to(self, contribution: &mut Contribution) {
        for (node, instance) in self.by_node {
            let mut properties = Properties::new();
            properties.insert("key".into(), node.key.as_str().into());
            properties.insert("document".into(), instance.document.into());
            put_text(&mut properties, "name", &instance.name);
            put_text(&mut properties, "kind", &instance.kind);
            let lists = [
                ("descriptions", instance.descriptions),
                ("sentences", instance.sentences),
                ("chunks", instance.chunks),
            ];
            for (name, texts) in lists {
                if !texts.items.is_empty() {
                    properties.insert(name.into(), Property::List(texts.items));
                }
            }
            contribution.nodes.insert(node, properties);
        }
    }
}

impl Instance {
    /// What a chunk says of it.
    pub(super) fn said<'a>(
        &mut self,
        description: &str,
        sentences: impl Iterator<Item = &'a str>,
        chunk: &str,
    ) {
        self.descriptions.add(description);
        sentences.for_each(|sentence| self.sentences.add(sentence));
        self.chunks.add(chunk);
    }
}

impl Texts {
    fn add(&mut self, text: &str) {
        let is_full = self.items.len() >= MOST_TEXTS || self.bytes + text.len() > MOST_BYTES;
        if text.is_empty() || is_full || self.seen.contains(text) {
            return;
        }
        self.bytes += text.len();
        self.seen.insert(text.to_owned());
        self.items.push(text.into());
    }
}

fn smaller(known: &mut String, other: &str) {
    if known.is_empty() || !other.is_empty() && other < known.as_str() {
        other.clone_into(known);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Label;
    use super::*;

    #[test]
    fn lists_have_an_end_and_each_text_once() {
        let node = NodeKey::new(Label::Instance, "a#b");
        let mut instances = Instances::default();
        for number in 0..20_000 {
            let sentences = ["It is.".to_owned(), format!("It is {number}.")];
            let sentences = sentences.iter().map(String::as_str);
            instances
                .named(&node, "a", ("B", ""))
                .said("", sentences, &format!("a#{number}"));
        }
        let long = "x".repeat(MOST_BYTES / 3);
        for sign in ["1", "2", "3"] {
            let none = std::iter::empty();
            let name = (sign, "");
            instances
                .named(&node, "a", name)
                .said(&format!("{sign}{long}"), none, "a#0");
        }
        let mut contribution = Contribution::none("a".to_owned());
        instances.add_to(&mut contribution);
        let properties = &contribution.nodes[&node];
        let list = |name: &str| properties[name].texts().unwrap();
        assert_eq!(
            (list("sentences").len(), list("chunks").len()),
            (MOST_TEXTS, MOST_TEXTS)
        );
        assert_eq!(list("sentences")[..3], ["It is.", "It is 0.", "It is 1."]);
        assert_eq!(list("descriptions").len(), 2);
        assert_eq!(properties["name"], "1".into());
    }
}
