//! Every question that a graph can be asked, and the answers in words.
//!
//! The same questions go to the model and to the database; each asks them about the nodes and
//! relationships that it knows of, by their keys.

use super::names::{Lookup, PROPERTIES, RANKS, SHORT_NAMES, Searched, Tint, Type, WORDS};
use crate::workload::Difference;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use stratigraph::{Direction, Error, Result, Value};

const DIRECTIONS: [Direction; 3] = [Direction::Outgoing, Direction::Incoming, Direction::Both];
/// No graph here is deeper.
const MOST_LEVELS: u32 = 64;

/// A set of nodes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Nodes {
    /// Those with the writer's label.
    Labelled,
    /// Those with another label.
    Tinted(Tint),
    /// Those whose own records say that they have the writer's label.
    Stored,
    /// Those one step away from any of the writer's.
    Around(Direction),
}

/// A set of relationships.
#[derive(Debug, Clone, Copy)]
pub(super) enum Relationships {
    /// Those in the set of a type.
    OfType(Type),
    /// Those whose own records say that they are of a type.
    Stored(Type),
}

/// What to look up in an index.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// Everything.
    All,
    /// These values, in the index's first properties.
    Equal(Vec<Value>),
    /// Whole numbers in the index's first property.
    Range(Bound<i64>, Bound<i64>),
    /// Texts that begin like this, in its first property.
    Beginning(&'static str),
}

/// Somebody who can be asked. Sets come as sorted names.
pub(super) trait Face {
    /// How it knows nodes.
    type Node: Copy;
    /// How it knows relationships.
    type Relationship: Copy;

    fn known_nodes(&self) -> Vec<(String, Self::Node)>;
    fn known_relationships(&self) -> Vec<(String, Self::Relationship)>;
    fn nodes(&self, of: Nodes) -> Result<Vec<String>>;
    fn relationships(&self, of: Relationships) -> Result<Vec<String>>;
    fn node_count(&self, tint: Option<Tint>) -> Result<u64>;
    fn relationship_count(&self, of: Type) -> Result<u64>;
    /// Labels and properties.
    fn node(&self, node: Self::Node) -> Result<String>;
    /// Type, ends and properties.
    fn relationship(&self, relationship: Self::Relationship) -> Result<String>;
    fn property(&self, node: Self::Node, property: &'static str) -> Result<String>;
    fn has_tint(&self, node: Self::Node, tint: Tint) -> Result<bool>;
    /// Other ends and relationships.
    fn neighbours(
        &self,
        node: Self::Node,
        direction: Direction,
        of: Option<Type>,
    ) -> Result<Vec<String>>;
    fn degree(&self, node: Self::Node, direction: Direction, of: Option<Type>) -> Result<u64>;
    fn look_up(&self, lookup: Lookup, wanted: &Wanted) -> Result<Vec<String>>;
    fn entries(&self, lookup: Lookup) -> Result<u64>;
    fn level(&self, of: Type, node: Self::Node) -> Result<Option<u32>>;
    fn members(&self, of: Type, level: u32) -> Result<Vec<String>>;
    fn roots(&self, of: Type) -> Result<Vec<String>>;
    fn depth(&self, of: Type) -> Result<u32>;
    fn member_count(&self, of: Type) -> Result<u64>;
    /// Everything with a vector in the index.
    fn with_vectors(&self, of: Searched) -> Result<Vec<String>>;
    /// Of everything with a vector, itself and what is nearest to it: the same, of course.
    fn nearest(&self, of: Searched) -> Result<Vec<String>>;
    /// Everything with a word in a text.
    fn with_word(&self, of: Searched, word: &str) -> Result<Vec<String>>;
}

/// What somebody answered.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    /// By subject, such as `node 7`, and question.
    answers: BTreeMap<(String, String), String>,
    /// Subjects that are not declared, or, of a model, that need not be.
    pub(crate) undeclared: BTreeSet<String>,
    /// What stood in the way of an answer.
    pub errors: Vec<Error>,
}

impl Answers {
    fn note<T: ToString>(&mut self, subject: &str, question: impl Into<String>, said: Result<T>) {
        let place = (subject.to_owned(), question.into());
        match said {
            Ok(answer) => drop(self.answers.insert(place, answer.to_string())),
            // It is known of from somewhere, so this is an answer, and a wrong one.
            Err(error @ (Error::NodeNotFound { .. } | Error::RelationshipNotFound { .. })) => {
                self.answers.insert(place, error.to_string());
            }
            Err(Error::UnknownName { .. } | Error::IndexNotReady { .. }) => {
                self.undeclared.insert(subject.to_owned());
            }
            Err(error) => self.errors.push(error),
        }
    }

    /// The mark of the last batch.
    pub(crate) fn progress(&self) -> Option<String> {
        let place = (subject_of_node("0"), super::names::MARK.to_owned());
        let mark = self.answers.get(&place).cloned();
        mark.filter(|mark| mark != "Null")
    }

    /// Where what was found differs from these, which are a model's.
    ///
    /// Where damage stood in the way of some answers, nothing may have led to a node or relationship,
    /// so that nobody was asked about it: that alone is no difference then. The sets are always asked
    /// for, and would lack it.
    #[must_use]
    pub fn differences(&self, found: &Self) -> Vec<Difference> {
        let place = |asked: &(String, String)| format!("{}, {}", asked.0, asked.1);
        let was_asked = |asked: &(String, String)| {
            let (subject, _) = asked;
            if found.undeclared.contains(subject) && !found.answers.contains_key(asked) {
                return !self.undeclared.contains(subject);
            }
            found.answers.contains_key(asked) || found.errors.is_empty()
        };
        let expected = self.answers.iter().filter(|(asked, _)| was_asked(asked));
        let of_expected = expected.filter_map(|(asked, answer)| {
            let said = found.answers.get(asked);
            Difference::of_answers(|| place(asked), Some(answer), said.map(String::as_str))
        });
        let unexpected = found.answers.iter();
        let unexpected = unexpected.filter(|(asked, _)| !self.answers.contains_key(*asked));
        let of_unexpected = unexpected
            .filter_map(|(asked, said)| Difference::of_answers(|| place(asked), None, Some(said)));
        of_expected.chain(of_unexpected).collect()
    }
}

/// What an index is called in answers.
pub(super) fn subject_of_lookup(lookup: Lookup) -> String {
    format!("index {lookup:?}")
}

/// What a hierarchy is called in answers.
pub(super) fn subject_of_hierarchy(of: Type) -> String {
    format!("hierarchy {of:?}")
}

/// What an index on vectors is called in answers.
pub(super) fn subject_of_vectors(of: Searched) -> String {
    format!("vectors of {of:?}")
}

/// What an index on texts is called in answers.
pub(super) fn subject_of_texts(of: Searched) -> String {
    format!("texts of {of:?}")
}

fn subject_of_node(name: &str) -> String {
    format!("node {name}")
}

fn list(said: Result<Vec<String>>) -> Result<String> {
    said.map(|names| names.join(" "))
}

/// Asks everything.
pub(super) fn ask(face: &impl Face) -> Answers {
    let mut answers = Answers::default();
    ask_sets(face, &mut answers);
    for (name, node) in face.known_nodes() {
        ask_node(face, &name, node, &mut answers);
    }
    for (name, relationship) in face.known_relationships() {
        let subject = format!("relationship {name}");
        answers.note(&subject, "record", face.relationship(relationship));
    }
    for lookup in Lookup::ALL {
        ask_index(face, lookup, &mut answers);
    }
    for of in [Type::Part, Type::Tag] {
        ask_hierarchy(face, of, &mut answers);
    }
    for of in Searched::ALL {
        ask_searches(face, of, &mut answers);
    }
    answers
}

fn ask_sets(face: &impl Face, answers: &mut Answers) {
    let sets = [Nodes::Labelled, Nodes::Stored].into_iter();
    let sets = sets.chain(Tint::ALL.map(Nodes::Tinted));
    for of in sets.chain(DIRECTIONS.map(Nodes::Around)) {
        answers.note("nodes", format!("{of:?}"), list(face.nodes(of)));
    }
    for tint in std::iter::once(None).chain(Tint::ALL.map(Some)) {
        answers.note("count of nodes", format!("{tint:?}"), face.node_count(tint));
    }
    for of in Type::ALL {
        for set in [Relationships::OfType(of), Relationships::Stored(of)] {
            let said = list(face.relationships(set));
            answers.note("relationships", format!("{set:?}"), said);
        }
        let said = face.relationship_count(of);
        answers.note("count of relationships", format!("{of:?}"), said);
    }
}

fn ask_node<F: Face>(face: &F, name: &str, node: F::Node, answers: &mut Answers) {
    let subject = subject_of_node(name);
    answers.note(&subject, "record", face.node(node));
    for property in PROPERTIES {
        answers.note(&subject, property, face.property(node, property));
    }
    for tint in Tint::ALL {
        answers.note(&subject, format!("{tint:?}"), face.has_tint(node, tint));
    }
    for direction in DIRECTIONS {
        for of in std::iter::once(None).chain(Type::ALL.map(Some)) {
            let question = |what| format!("{what} {direction:?} {of:?}");
            let said = list(face.neighbours(node, direction, of));
            answers.note(&subject, question("neighbours"), said);
            let said = face.degree(node, direction, of);
            answers.note(&subject, question("degree"), said);
        }
    }
}

fn ask_index(face: &impl Face, lookup: Lookup, answers: &mut Answers) {
    let mut wanted = vec![Wanted::All];
    let numbers =
        |range: std::ops::Range<i64>| range.map(|number| Wanted::Equal(vec![number.into()]));
    match lookup {
        Lookup::Key => {
            // Also keys that nothing has.
            let keys = face.known_nodes().into_iter();
            let keys = keys.filter_map(|(name, _)| name.parse::<i64>().ok());
            let keys: BTreeSet<i64> = keys.collect();
            wanted.extend(keys.into_iter().flat_map(|key| numbers(key..key + 1)));
            wanted.extend(numbers(-2..0));
        }
        Lookup::LinkKey => {
            let (from, to) = (Bound::Excluded(0), Bound::Unbounded);
            wanted.push(Wanted::Range(from, to));
            wanted.extend(numbers(-2..0));
        }
        Lookup::Rank | Lookup::Weight => {
            wanted.extend(numbers(-1..RANKS + 1));
            let middle = Bound::Included(RANKS / 2);
            wanted.push(Wanted::Range(Bound::Excluded(2), middle));
            wanted.push(Wanted::Range(Bound::Unbounded, middle));
        }
        Lookup::Shade => {
            for name in SHORT_NAMES {
                wanted.push(Wanted::Equal(vec![name.into()]));
                wanted.push(Wanted::Equal(vec![name.into(), 3.into()]));
            }
            wanted.push(Wanted::Beginning("a"));
        }
        Lookup::Mark => wanted.push(Wanted::Range(Bound::Unbounded, Bound::Included(i64::MAX))),
    }
    let subject = subject_of_lookup(lookup);
    for wanted in wanted {
        let said = list(face.look_up(lookup, &wanted));
        answers.note(&subject, format!("{wanted:?}"), said);
    }
    answers.note(&subject, "entries", face.entries(lookup));
}

fn ask_hierarchy(face: &impl Face, of: Type, answers: &mut Answers) {
    let subject = subject_of_hierarchy(of);
    answers.note(&subject, "roots", list(face.roots(of)));
    answers.note(&subject, "members", face.member_count(of));
    let depth = face.depth(of);
    // One more than there are: it has to be empty.
    let levels = depth.as_ref().map_or(0, |depth| depth + 1);
    answers.note(&subject, "depth", depth);
    for level in 0..levels.min(MOST_LEVELS) {
        let said = list(face.members(of, level));
        answers.note(&subject, format!("members {level}"), said);
    }
    for (name, node) in face.known_nodes() {
        let said = face.level(of, node).map(|level| format!("{level:?}"));
        answers.note(&subject, format!("level of {name}"), said);
    }
}

fn ask_searches(face: &impl Face, of: Searched, answers: &mut Answers) {
    let subject = subject_of_vectors(of);
    answers.note(&subject, "all", list(face.with_vectors(of)));
    answers.note(&subject, "nearest", list(face.nearest(of)));
    let subject = subject_of_texts(of);
    for word in WORDS {
        answers.note(&subject, word, list(face.with_word(of, word)));
    }
}
