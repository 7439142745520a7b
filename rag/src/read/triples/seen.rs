//! Which facts were there already, in a memory that does not grow.

use std::collections::HashSet;

use xxhash_rust::xxh3::Xxh3;

use crate::extract::Triple;
use crate::{Datum, Metadata};

/// The facts that were seen lately, by hash. Two generations: when the younger one is full, it becomes the
/// older one, which is forgotten. So every fact is known for at least as long as a generation is.
///
/// What is forgotten and comes again does no harm: a graph is the union of its facts.
pub(super) struct Seen {
    younger: HashSet<u128>,
    older: HashSet<u128>,
    most: usize,
}

impl Default for Seen {
    fn default() -> Self {
        Self::of(1 << 20)
    }
}

impl Seen {
    /// Generations of so many facts.
    pub(super) fn of(most: usize) -> Self {
        Self {
            younger: HashSet::new(),
            older: HashSet::new(),
            most,
        }
    }

    /// Keeps a fact in mind, with what is said beside it; whether it is new.
    pub(super) fn insert(&mut self, fact: &Triple, metadata: &Metadata) -> bool {
        let hash = hash(fact, metadata);
        let old = self.older.contains(&hash);
        let new = self.younger.insert(hash) && !old;
        if self.younger.len() >= self.most {
            self.older = std::mem::take(&mut self.younger);
        }
        new
    }
}

/// Of all that a fact says, and of when and of whom it says that: the same of another quarter is another fact. The
/// lengths are part of it: no border between two texts can move.
fn hash(fact: &Triple, metadata: &Metadata) -> u128 {
    let mut hash = Xxh3::new();
    for text in [
        &fact.subject,
        &fact.predicate,
        &fact.object,
        &fact.description,
        &fact.source,
    ] {
        add(&mut hash, text.as_bytes());
    }
    for (name, value) in metadata {
        add(&mut hash, name.as_bytes());
        add_datum(&mut hash, value);
    }
    hash.digest128()
}

fn add(hash: &mut Xxh3, bytes: &[u8]) {
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn add_datum(hash: &mut Xxh3, datum: &Datum) {
    match datum {
        Datum::Text(text) => add(hash, &[b"t", text.as_bytes()].concat()),
        Datum::Integer(number) => add(hash, &[&b"i"[..], &number.to_le_bytes()].concat()),
        Datum::Float(number) => {
            add(hash, &[&b"f"[..], &number.to_bits().to_le_bytes()].concat());
        }
        Datum::Boolean(truth) => add(hash, &[b'b', u8::from(*truth)]),
        Datum::List(items) => {
            add(hash, b"[");
            items.iter().for_each(|item| add_datum(hash, item));
            add(hash, b"]");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(subject: &str, predicate: &str) -> Triple {
        Triple {
            subject: subject.to_owned(),
            predicate: predicate.to_owned(),
            ..Triple::default()
        }
    }

    #[test]
    fn borders_between_texts_do_not_move() {
        let mut seen = Seen::default();
        assert!(seen.insert(&fact("ab", "c"), &Metadata::new()));
        assert!(seen.insert(&fact("a", "bc"), &Metadata::new()));
        assert!(!seen.insert(&fact("ab", "c"), &Metadata::new()));
    }

    #[test]
    fn memory_is_bounded_and_what_is_recent_is_known() {
        let mut seen = Seen::of(100);
        for number in 0..10_000 {
            assert!(seen.insert(&fact(&number.to_string(), ""), &Metadata::new()));
            assert!(!seen.insert(&fact(&number.to_string(), ""), &Metadata::new()));
            assert!(seen.younger.len() + seen.older.len() <= 200);
        }
        // The last generation is known whole, and the first is forgotten.
        assert!(!seen.insert(&fact("9950", ""), &Metadata::new()));
        assert!(seen.insert(&fact("0", ""), &Metadata::new()));
    }
}
