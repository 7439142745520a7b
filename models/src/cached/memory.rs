//! Rows in memory, in so many bytes.
//!
//! There are a young and an old half. What is asked for is moved to the young half; when that is full, the old half is
//! forgotten and the young one is old. So what is asked for often stays, without a list of who was asked when.

use super::TextHash;
use crate::embedder::Purpose;
use std::collections::HashMap;

/// What a row costs beyond its numbers: its name, its place in the table, and that tables are never full.
const BESIDES: usize = 160;

type Key = (Purpose, TextHash);

pub(super) struct Memory {
    young: HashMap<Key, Box<[f32]>>,
    old: HashMap<Key, Box<[f32]>>,
    young_bytes: usize,
    half_bytes: usize,
}

impl Memory {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            young_bytes: 0,
            half_bytes: bytes / 2,
        }
    }

    pub(super) fn get(&mut self, purpose: Purpose, text: &TextHash) -> Option<&[f32]> {
        let key = (purpose, *text);
        if let Some(row) = self.old.remove(&key) {
            self.insert(key, row);
        }
        self.young.get(&key).map(|row| &**row)
    }

    pub(super) fn put(&mut self, purpose: Purpose, text: TextHash, row: &[f32]) {
        if cost(row) <= self.half_bytes {
            self.insert((purpose, text), row.into());
        }
    }

    fn insert(&mut self, key: Key, row: Box<[f32]>) {
        if self.young_bytes + cost(&row) > self.half_bytes {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += cost(&row);
        if let Some(before) = self.young.insert(key, row) {
            self.young_bytes -= cost(&before);
        }
    }
}

fn cost(row: &[f32]) -> usize {
    size_of_val(row) + BESIDES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten_in_time() {
        let row = [1.0; 10];
        let each = cost(&row);
        let mut memory = Memory::new(each * 20);
        let often = TextHash::of("often");
        memory.put(Purpose::Passage, often, &row);
        for number in 0..1000 {
            let text = TextHash::of(&number.to_string());
            memory.put(Purpose::Passage, text, &row);
            assert!(memory.get(Purpose::Passage, &text).is_some());
            assert!(memory.get(Purpose::Passage, &often).is_some(), "{number}");
            assert!(memory.young.len() + memory.old.len() <= 20);
            let counted: usize = memory.young.values().map(|row| cost(row)).sum();
            assert_eq!(counted, memory.young_bytes);
        }
        assert!(memory.get(Purpose::Passage, &TextHash::of("0")).is_none());
        assert!(memory.get(Purpose::Question, &often).is_none());
        // No room for one.
        let mut none = Memory::new(each);
        none.put(Purpose::Passage, often, &row);
        assert!(none.get(Purpose::Passage, &often).is_none());
    }
}
