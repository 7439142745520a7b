//! What is found in a piece while it is read: each thing once, however it was found.

use std::collections::HashMap;

use super::super::Entity;
use super::super::reply::clean_name;
use crate::build::canonical;

/// What is found of an entity, while a piece is read.
pub(super) struct Found {
    pub(super) entity: Entity,
    /// How sure it is that it is one.
    pub(super) rank: Rank,
    /// The place among the sentences of the one that defines it.
    pub(super) defined: Option<usize>,
    /// The places of the sentences that name it.
    pub(super) sentences: Vec<usize>,
}

/// How sure it is that something is an entity; the surest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Known,
    Defined,
    Name,
    Title,
    Phrase,
}

/// Entities by the names that the graph has for them, in the order in which they were found.
#[derive(Default)]
pub(super) struct Finds {
    pub(super) found: Vec<Found>,
    places: HashMap<String, usize>,
}

impl Finds {
    /// An entity that this sentence names.
    pub(super) fn add(
        &mut self,
        name: &str,
        kind: Option<&str>,
        rank: Rank,
        sentence: usize,
        defines: bool,
    ) {
        let Some(found) = self.entry(name, kind, rank) else {
            return;
        };
        if defines && found.defined.is_none() {
            found.defined = Some(sentence);
        }
        if let Err(at) = found.sentences.binary_search(&sentence) {
            found.sentences.insert(at, sentence);
        }
    }

    pub(super) fn entry(
        &mut self,
        name: &str,
        kind: Option<&str>,
        rank: Rank,
    ) -> Option<&mut Found> {
        let name = clean_name(name)?;
        let next = self.found.len();
        let place = *self.places.entry(canonical(&name)).or_insert(next);
        if place == next {
            self.found.push(Found {
                entity: Entity {
                    name,
                    ..Entity::default()
                },
                rank,
                defined: None,
                sentences: Vec::new(),
            });
        }
        let found = self.found.get_mut(place)?;
        if rank < found.rank || found.entity.kind.is_none() {
            found.rank = found.rank.min(rank);
            found.entity.kind = kind.map(str::to_owned);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_graph_calls_by_one_name_is_found_once() {
        let mut finds = Finds::default();
        let names = ["Straße", "STRASSE", "Cafe\u{301}  Noir", "café noir"];
        for (name, sentence) in names.into_iter().zip(0..) {
            finds.add(name, Some("name"), Rank::Name, sentence, false);
        }
        let found = finds.found.iter();
        let found: Vec<(&str, &[usize])> = found
            .map(|one| (one.entity.name.as_str(), one.sentences.as_slice()))
            .collect();
        let expected: [(&str, &[usize]); 2] = [("Straße", &[0, 1]), ("Cafe\u{301} Noir", &[2, 3])];
        assert_eq!(found, expected);
    }
}
