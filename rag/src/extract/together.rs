//! What several readings of one piece say, put together: what they name is there once.
//!
//! Names are compared as the graph compares them, so no piece mentions one thing twice, and what is said of a thing
//! has an end, however many say something of it.

use std::collections::HashMap;

use super::reply::{LONGEST_TEXT, shorten};
use super::{Entity, Extracted};
use crate::build::canonical;

/// What is said so far.
#[derive(Default)]
pub(super) struct Together {
    pub(super) said: Extracted,
    /// The places of entities by the names that the graph has for them.
    places: HashMap<String, usize>,
}

impl Together {
    /// Adds what is named. If it was named before, `and` adds to that what is said of it now.
    pub(super) fn entity(&mut self, entity: Entity, and: fn(&mut Entity, Entity)) {
        let next = self.said.entities.len();
        let place = *self.places.entry(canonical(&entity.name)).or_insert(next);
        match self.said.entities.get_mut(place) {
            Some(known) => and(known, entity),
            None => self.said.entities.push(entity),
        }
    }
}

impl Entity {
    /// Adds what else is said of the same thing. Its name stays, and its kind if it has one.
    pub(super) fn and(&mut self, more: Self) {
        self.kind = self.kind.take().or(more.kind);
        if !more.description.is_empty() && !self.description.contains(&more.description) {
            if !self.description.is_empty() {
                self.description.push(' ');
            }
            self.description.push_str(&more.description);
            shorten(&mut self.description, LONGEST_TEXT);
        }
        self.sentences.extend(more.sentences);
        self.sentences
            .sort_unstable_by_key(|span| (span.start, span.end));
        self.sentences.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(name: &str, kind: Option<&str>, description: &str) -> Entity {
        Entity {
            name: name.to_owned(),
            kind: kind.map(str::to_owned),
            description: description.to_owned(),
            sentences: Vec::new(),
        }
    }

    #[test]
    fn what_the_graph_calls_by_one_name_is_one_thing() {
        let mut together = Together::default();
        for name in ["Straße", "STRASSE", "Street", "strasse"] {
            together.entity(entity(name, None, ""), Entity::and);
        }
        let names = together.said.entities.iter().map(|one| one.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["Straße", "Street"]);
    }

    #[test]
    fn what_is_said_of_a_thing_is_said_once_and_has_an_end() {
        let mut basalt = entity("Basalt", None, "");
        basalt.sentences.push(3..9);
        for (kind, description) in [
            (None, ""),
            (Some("rock"), "It was lava."),
            (Some("stone"), "It is black."),
            (None, "It was lava."),
        ] {
            let mut more = entity("BASALT", kind, description);
            more.sentences = vec![3..9, 0..2];
            basalt.and(more);
        }
        let mut expected = entity("Basalt", Some("rock"), "It was lava. It is black.");
        expected.sentences = vec![0..2, 3..9];
        assert_eq!(basalt, expected);
        for sign in ["a", "b"] {
            basalt.and(entity("Basalt", None, &sign.repeat(LONGEST_TEXT)));
            assert_eq!(basalt.description.chars().count(), LONGEST_TEXT);
        }
    }
}
