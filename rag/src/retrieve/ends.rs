//! How far a question names what facts are about: the names at their ends, word by word.
//!
//! A question seldom writes a name as the graph does: it has the plural, or leaves out what stands in brackets. So it is not
//! asked whether a name is in the question, but how much of it is, and what those words say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::index::text::Query;
use stratigraph::{NodeId, Read, RelationshipId, TextSearch, Value};

use super::confidence::word_weight;
use super::{Desk, RetrieveError};
use crate::build::{FACT, FACT_TEXTS};

/// So many bytes of names are counted at once: each word of them is a term of one search, and those have an end.
const BYTES_AT_ONCE: usize = 4 << 10;

/// How far a question names something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Naming {
    /// Which share of the name's words the question has, the rare ones counting most: from 0 to 1.
    pub(super) whole: f32,
    /// What those words say together: more for more of them, and for rare ones.
    pub(super) says: f32,
}

impl Naming {
    /// How far it is meant. Half a name is far less than half of it: everything has words that something else has too.
    pub(super) fn meant(self) -> f32 {
        self.says * self.whole * self.whole
    }
}

impl<R: Read> Desk<'_, R> {
    /// The ends of each of these that is a fact, read together and once for a question.
    pub(super) fn ends_of(
        &self,
        among: impl IntoIterator<Item = Entity>,
    ) -> Result<HashMap<RelationshipId, [NodeId; 2]>, RetrieveError> {
        let ids = among.into_iter().filter_map(Entity::relationship);
        let ids: BTreeSet<RelationshipId> = ids.collect();
        let mut known = self.ends.borrow_mut();
        let new: Vec<RelationshipId> = ids
            .iter()
            .filter(|id| !known.contains_key(*id))
            .copied()
            .collect();
        let read = self.read().relationships_with(&new, &[])?;
        for (id, fact) in new.into_iter().zip(read) {
            let fact = fact.filter(|fact| fact.relationship_type() == FACT);
            known.insert(id, fact.map(|fact| [fact.source(), fact.target()]));
        }
        let ends = ids.into_iter().filter_map(|id| Some((id, known[&id]?)));
        Ok(ends.collect())
    }
}

/// What some facts are about, and how far the question names it.
#[derive(Debug, Default)]
pub(super) struct Ends {
    of: HashMap<RelationshipId, [NodeId; 2]>,
    named: HashMap<NodeId, Naming>,
}

impl Ends {
    /// Of the facts among these; what is no fact has no ends.
    pub(super) fn of<R: Read>(
        desk: &Desk<'_, R>,
        among: impl IntoIterator<Item = Entity>,
    ) -> Result<Self, RetrieveError> {
        let of = desk.ends_of(among)?;
        let ends: BTreeSet<NodeId> = of.values().flatten().copied().collect();
        let ends: Vec<NodeId> = ends.into_iter().collect();
        let nodes = desk.read().nodes_with(&ends, &["name"])?;
        let names = nodes.iter().flatten().filter_map(|node| {
            let name = node.get("name").and_then(Value::as_str)?;
            Some((node.id(), name.to_owned()))
        });
        let named = named(desk, &names.collect())?;
        Ok(Self { of, named })
    }

    /// The ends of a fact.
    pub(super) fn at(&self, fact: Entity) -> &[NodeId] {
        let both = fact.relationship().and_then(|id| self.of.get(&id));
        both.map_or(&[], |both| both)
    }

    /// How far the question names this.
    pub(super) fn naming(&self, end: NodeId) -> Naming {
        self.named.get(&end).copied().unwrap_or_default()
    }
}

/// How far the question names each of these. Those of which it has no word are left out.
fn named<R: Read>(
    desk: &Desk<'_, R>,
    names: &BTreeMap<NodeId, String>,
) -> Result<HashMap<NodeId, Naming>, RetrieveError> {
    let wanted = desk.wanted()?;
    let asked = wanted.content_of(desk.text());
    let words = names.iter();
    let words = words.map(|(node, name)| (*node, name.as_str(), wanted.content_of(name)));
    let words = words.filter(|(_, _, words)| !words.is_disjoint(&asked));
    let words: Vec<(NodeId, &str, HashSet<String>)> = words.collect();
    let distinct: BTreeSet<&str> = words.iter().map(|(_, name, _)| *name).collect();
    let counted = Counted::of(desk, distinct)?;
    let naming = |words: &HashSet<String>| {
        let weight = |word: &String| counted.weight(word);
        let all: f32 = words.iter().map(weight).sum();
        let says: f32 = words.intersection(&asked).map(weight).sum();
        let whole = if all > 0.0 {
            (says / all).min(1.0)
        } else {
            0.0
        };
        Naming { whole, says }
    };
    let named = words.iter();
    Ok(named
        .map(|(node, _, words)| (*node, naming(words)))
        .collect())
}

/// How many facts have each word.
#[derive(Default)]
struct Counted {
    facts: u64,
    with: HashMap<String, u64>,
}

impl Counted {
    /// The words of these names.
    fn of<'n, R: Read>(
        desk: &Desk<'_, R>,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, RetrieveError> {
        let mut counted = Self::default();
        let mut text = String::new();
        for name in names {
            if text.len() + name.len() > BYTES_AT_ONCE && !text.is_empty() {
                counted.add(desk, &text)?;
                text.clear();
            }
            text.push_str(name);
            text.push('\n');
        }
        if !text.is_empty() {
            counted.add(desk, &text)?;
        }
        Ok(counted)
    }

    fn add<R: Read>(&mut self, desk: &Desk<'_, R>, text: &str) -> Result<(), RetrieveError> {
        // Nothing is looked for but how many have each word, and so among nothing.
        let nothing = RoaringTreemap::new();
        let search = TextSearch::of(Query::term(text), 1).among(&nothing);
        let answer = desk.read().search_text(FACT_TEXTS, &search)?;
        self.facts = answer.documents;
        let terms = answer.terms.into_iter();
        self.with
            .extend(terms.map(|term| (term.term, term.documents)));
        Ok(())
    }

    fn weight(&self, word: &str) -> f32 {
        word_weight(self.facts, self.with.get(word).copied().unwrap_or_default())
    }
}
