//! The facts of a graph, and where patterns of them hold.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use stratigraph::{NodeId, Read, RelationshipId, Value};

use super::super::set::FactRow;
use crate::build::{FACT, canonical, key_of};
use crate::extract::Triple;
use crate::retrieve::RetrieveError;

/// A fact, with the names of its ends.
pub(super) struct Stated {
    /// The key of its relationship.
    pub(super) key: String,
    pub(super) subject: String,
    pub(super) predicate: String,
    pub(super) object: String,
    pub(super) source: String,
    /// The keys of its ends.
    from: String,
    to: String,
}

impl Stated {
    pub(super) fn row(&self) -> FactRow {
        FactRow {
            id: self.key.clone(),
            triple: Triple {
                subject: self.subject.clone(),
                predicate: self.predicate.clone(),
                object: self.object.clone(),
                description: String::new(),
                source: self.source.clone(),
            },
            reversed_of: None,
        }
    }
}

/// All facts in the order of their keys, and which of them each thing is an end of.
pub(super) struct Graph {
    pub(super) facts: Vec<Stated>,
    out: BTreeMap<String, Vec<usize>>,
    into: BTreeMap<String, Vec<usize>>,
}

impl Graph {
    pub(super) fn read<R: Read>(read: &R) -> Result<Self, RetrieveError> {
        let mut names: BTreeMap<NodeId, (String, String)> = BTreeMap::new();
        let mut facts = Vec::new();
        for id in read.relationships_of_type(FACT)? {
            let Some(found) = read.relationship(RelationshipId::new(id))? else {
                continue;
            };
            for end in [found.source(), found.target()] {
                if let Entry::Vacant(free) = names.entry(end) {
                    let key = key_of(read, end)?;
                    let name = read.property(end, "name")?;
                    // The set has names, and its graph is made of them: others would be other things.
                    let name = name.as_str().filter(|name| canonical(name) == key);
                    let name = name.unwrap_or(&key).to_owned();
                    free.insert((key, name));
                }
            }
            let said = |name: &str| {
                let said = found.get(name).and_then(Value::as_str);
                said.unwrap_or_default().to_owned()
            };
            let (from, subject) = names[&found.source()].clone();
            let (to, object) = names[&found.target()].clone();
            facts.push(Stated {
                key: said("key"),
                subject,
                predicate: said("predicate"),
                object,
                source: said("source"),
                from,
                to,
            });
        }
        facts.sort_by(|one, other| one.key.cmp(&other.key));
        let (mut out, mut into) = (BTreeMap::new(), BTreeMap::new());
        for (place, fact) in facts.iter().enumerate() {
            let ends: [(&mut BTreeMap<String, Vec<usize>>, &String); 2] =
                [(&mut out, &fact.from), (&mut into, &fact.to)];
            for (ends, key) in ends {
                ends.entry(key.clone()).or_default().push(place);
            }
        }
        Ok(Self { facts, out, into })
    }

    /// How many facts lead from a thing, and how many to it.
    fn degrees(&self, key: &str) -> (usize, usize) {
        let count = |ends: &BTreeMap<String, Vec<usize>>| ends.get(key).map_or(0, Vec::len);
        (count(&self.out), count(&self.into))
    }

    /// Whose subject and object are in no other fact.
    pub(super) fn isolated(&self) -> Vec<usize> {
        self.where_facts(|fact| self.degrees(&fact.from) == (1, 0) && self.degrees(&fact.to).0 == 0)
    }

    /// Whose subject has no other.
    pub(super) fn single_hop(&self) -> Vec<usize> {
        self.where_facts(|fact| self.degrees(&fact.from).0 == 1)
    }

    /// A fact, and the only one that leads from its object.
    pub(super) fn two_hop(&self) -> Vec<(usize, usize)> {
        let pairs = self.facts.iter().enumerate().filter_map(|(first, fact)| {
            match self.out.get(&fact.to).map(Vec::as_slice) {
                // Who is led back to where it began is asked for what the question says.
                Some([second]) if self.facts[*second].to != fact.from => Some((first, *second)),
                _ => None,
            }
        });
        pairs.collect()
    }

    /// The things that most facts name, with all these facts.
    pub(super) fn hubs(&self, count: usize) -> Vec<(String, Vec<usize>)> {
        let keys: BTreeSet<&String> = self.out.keys().chain(self.into.keys()).collect();
        let mut keys: Vec<&String> = keys.into_iter().collect();
        keys.sort_by_key(|key| {
            let (out, into) = self.degrees(key);
            (Reverse(out + into), *key)
        });
        let hubs = keys.into_iter().take(count).map(|key| {
            let ends = [self.out.get(key), self.into.get(key)];
            let facts: BTreeSet<usize> = ends.into_iter().flatten().flatten().copied().collect();
            let name = facts.iter().next().map(|fact| {
                let fact = &self.facts[*fact];
                if fact.from == *key {
                    &fact.subject
                } else {
                    &fact.object
                }
            });
            (name.unwrap_or(key).clone(), facts.into_iter().collect())
        });
        hubs.collect()
    }

    /// Whether anything is called so.
    pub(super) fn names(&self, key: &str) -> bool {
        self.out.contains_key(key) || self.into.contains_key(key)
    }

    fn where_facts(&self, holds: impl Fn(&Stated) -> bool) -> Vec<usize> {
        let places = self.facts.iter().enumerate();
        let places = places.filter(|(_, fact)| holds(fact));
        places.map(|(place, _)| place).collect()
    }
}
