//! From the ids of files to the ids of nodes.
//!
//! A node takes about 40 bytes here, however long its id is: what is kept is a hash of 128 bits with a key of this
//! process, which nobody outside can make collide. Among a billion ids two have the same with a probability of 10^-21.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use stratigraph::NodeId;

/// An id in a file, in its space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OuterId {
    pub(crate) id: String,
    /// Empty for the space of all files that name none.
    pub(crate) space: String,
}

/// The nodes that came, by their ids.
#[derive(Default)]
pub(crate) struct Ids {
    keys: [RandomState; 2],
    nodes: HashMap<[u64; 2], NodeId, BuildHasherDefault<Already>>,
}

impl Ids {
    /// Whether a node has that id.
    pub(crate) fn find(&self, outer: &OuterId) -> Option<NodeId> {
        self.nodes.get(&self.hash(outer)).copied()
    }

    /// A node has that id from now on.
    pub(crate) fn insert(&mut self, outer: &OuterId, node: NodeId) {
        let hash = self.hash(outer);
        self.nodes.insert(hash, node);
    }

    fn hash(&self, outer: &OuterId) -> [u64; 2] {
        // With the length of the space, so that no part of one is taken for a part of the other.
        let parts = (outer.space.len(), &outer.space, &outer.id);
        let [one, other] = &self.keys;
        [one.hash_one(parts), other.hash_one(parts)]
    }
}

/// What is hashed is a hash already.
#[derive(Default)]
struct Already(u64);

impl Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 ^= number;
    }

    fn write_usize(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_their_space() {
        let outer = |id: &str, space: &str| OuterId {
            id: id.to_owned(),
            space: space.to_owned(),
        };
        let mut ids = Ids::default();
        for number in 0..10_000 {
            let id = outer(&number.to_string(), "Person");
            assert_eq!(ids.find(&id), None);
            ids.insert(&id, NodeId::new(number));
        }
        assert_eq!(ids.find(&outer("77", "Person")), Some(NodeId::new(77)));
        assert_eq!(ids.find(&outer("77", "")), None);
        assert_eq!(ids.find(&outer("7", "Person7")), None);
        assert_eq!(ids.find(&outer("Person77", "")), None);
    }
}
