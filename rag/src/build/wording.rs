//! Which text stands for what among vectors: as the embedder is given it.
//!
//! It follows from what is stored and from the embedder alone, so whoever asks later whether a vector still stands for its
//! text gets the same.

use stratigraph::Vector;
use stratigraph_models::Embedder;

use super::Profile;
use super::contribution::{Fact, Label, NodeKey};
use super::held::HeldNode;
use super::property::{Properties, Property, text};
use crate::chunk::{Measure, Tokens};

/// The texts of these layers for this embedder.
#[derive(Clone, Copy)]
pub(super) struct Wording<'a> {
    pub(super) profile: &'a Profile,
    pub(super) embedder: &'a dyn Embedder,
}

impl Wording<'_> {
    /// The text that stands for a document's own node, if it has one.
    pub(super) fn of_node(self, node: &NodeKey, properties: &Properties) -> Option<String> {
        let heading = text(properties, "heading");
        let said = match node.label {
            Label::Section => heading.to_owned(),
            Label::Chunk => self.of_chunk(heading, text(properties, "text")),
            Label::Instance => {
                let mut said = text(properties, "name").to_owned();
                let descriptions = properties.get("descriptions").and_then(Property::texts);
                for description in descriptions.into_iter().flatten() {
                    said.push_str(": ");
                    said.push_str(description);
                }
                said
            }
            Label::Document | Label::Entity | Label::DomainTag => return None,
        };
        Some(said)
    }

    /// A piece under its heading. One so long that it would take the place of what the piece says is cut: chunkers leave
    /// room for the rest of it.
    fn of_chunk(self, heading: &str, said: &str) -> String {
        if !self.profile.has_headings_in_vectors() {
            return said.to_owned();
        }
        let tokens = Tokens(self.embedder);
        let heading = match tokens.reach() {
            Some(reach) => reach.heading(heading, said, &tokens),
            None => heading,
        };
        format!("{heading}\n{said}")
    }

    /// How many tokens of this text are read, if that is not all of it.
    pub(super) fn cuts_off(self, text: &str) -> Option<usize> {
        let tokens = Tokens(self.embedder);
        let reach = tokens.reach()?;
        reach.is_beyond(text, &tokens).then_some(reach.text)
    }

    /// The text that stands for a fact, and that with its source. They are made of what makes it this fact, so that they
    /// do not depend on who writes its names how.
    pub(super) fn of_fact(self, fact: &Fact) -> (String, Option<String>) {
        let plain = format!("{} {} {}", fact.subject, fact.predicate, fact.object);
        let sourced = self
            .profile
            .has_sources_in_vectors()
            .then(|| match fact.source.as_str() {
                "" => plain.clone(),
                source => format!("{plain}: {source}"),
            });
        (plain, sourced)
    }
}

/// The vector that a node has already, if its text is the same as before. What the text is made of is compared, and not
/// the text, for which long headings would be measured.
pub(super) fn kept<'h>(
    node: &NodeKey,
    held: Option<&'h HeldNode>,
    new: &Properties,
) -> Option<&'h Vector> {
    let HeldNode {
        properties, vector, ..
    } = held?;
    let made_of: &[&str] = match node.label {
        Label::Section => &["heading"],
        Label::Chunk => &["heading", "text"],
        Label::Instance => &["name", "descriptions"],
        Label::Document | Label::Entity | Label::DomainTag => return None,
    };
    let is_same = |name: &&str| properties.get(*name) == new.get(*name);
    vector.as_ref().filter(|_| made_of.iter().all(is_same))
}
