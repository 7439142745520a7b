//! Which facts were there already, in a memory that does not grow.

use std::collections::HashSet;

use xxhash_rust::xxh3::Xxh3;

use crate::extract::Triple;

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

    /// Keeps a fact in mind; whether it is new.
    pub(super) fn insert(&mut self, fact: &Triple) -> bool {
        let hash = hash(fact);
        let old = self.older.contains(&hash);
        let new = self.younger.insert(hash) && !old;
        if self.younger.len() >= self.most {
            self.older = std::mem::take(&mut self.younger);
        }
        new
    }
}

/// Of all that a fact says. The lengths are part of it: no border between two texts can move.
fn hash(fact: &Triple) -> u128 {
    let mut hash = Xxh3::new();
    for text in [
        &fact.subject,
        &fact.predicate,
        &fact.object,
        &fact.description,
        &fact.source,
    ] {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.digest128()
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
        assert!(seen.insert(&fact("ab", "c")));
        assert!(seen.insert(&fact("a", "bc")));
        assert!(!seen.insert(&fact("ab", "c")));
    }

    #[test]
    fn memory_is_bounded_and_what_is_recent_is_known() {
        let mut seen = Seen::of(100);
        for number in 0..10_000 {
            assert!(seen.insert(&fact(&number.to_string(), "")));
            assert!(!seen.insert(&fact(&number.to_string(), "")));
            assert!(seen.younger.len() + seen.older.len() <= 200);
        }
        // The last generation is known whole, and the first is forgotten.
        assert!(!seen.insert(&fact("9950", "")));
        assert!(seen.insert(&fact("0", "")));
    }
}
