//! What a question names of a typed graph: values of indexed properties that stand in it as whole words.
//!
//! Nothing is scanned: each place of the question is looked up in each index, from what begins as the question goes on
//! there to what is the whole of it. The work is that of the question's length times the number of indexes.

use std::ops::Range;

use stratigraph::graph::Entity;
use stratigraph::{NodeId, Read, Value};

use super::types::{NameIndex, TypeOf};
use crate::chunk::{Measure, Words};

/// So many nodes of one name are told apart; of a name that more have it is known that there are more.
const MOST_NODES: usize = 16;
/// A look at a place goes on so often at most: values that begin alike are looked past one branch at a time.
const MOST_BRANCHES: usize = 64;
/// So many different things a question may name.
const MOST_NAMED: usize = 256;

/// A value of the graph that stands in the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Where it stands, in bytes.
    pub(crate) span: Range<usize>,
    /// It, as the graph has it.
    pub(crate) text: String,
    pub(crate) label: String,
    pub(crate) property: String,
    /// Whether the property names one node for sure.
    pub(crate) unique: bool,
    /// What has it, the first ones.
    pub(crate) nodes: Vec<NodeId>,
}

/// Everything that the question names, the longest first. Of names within names only the longer one counts; one that
/// is of several types comes once for each.
pub(crate) fn named<R: Read>(
    read: &R,
    types: &[TypeOf],
    text: &str,
) -> Result<Vec<Named>, stratigraph::Error> {
    let words = words(text);
    let mut all: Vec<Named> = Vec::new();
    for start in starts(text, &words) {
        for of in types {
            for name in &of.names {
                let lookup = Lookup {
                    read,
                    name,
                    words: &words,
                };
                let found = match lookup.longest(&text[start..], start)? {
                    Some(end) => Some(text[start..end].to_owned()),
                    None => lookup.in_other_case(&text[start..], start)?,
                };
                let Some(value) = found.filter(|value| !is_too_short(value, name.unique)) else {
                    continue;
                };
                let end = start + value.len();
                let index = read.index(&name.index)?;
                let mut nodes = Vec::new();
                for entity in index.equal(&[value.as_str().into()])?.take(MOST_NODES) {
                    if let Entity::Node(node) = entity? {
                        nodes.push(node);
                    }
                }
                all.push(Named {
                    span: start..end,
                    text: value,
                    label: of.label.clone(),
                    property: name.property.clone(),
                    unique: name.unique,
                    nodes,
                });
            }
        }
    }
    // Which comes first must not depend on which type was looked at first.
    all.sort_by(|a, b| {
        let by = |one: &Named| {
            (
                std::cmp::Reverse(one.span.len()),
                one.span.start,
                !one.unique,
            )
        };
        by(a).cmp(&by(b)).then_with(|| {
            (a.label.as_str(), a.property.as_str()).cmp(&(b.label.as_str(), b.property.as_str()))
        })
    });
    let mut kept: Vec<Named> = Vec::new();
    for one in all {
        let overlaps = |other: &Named| {
            one.span != other.span
                && one.span.start < other.span.end
                && other.span.start < one.span.end
        };
        if kept.len() < MOST_NAMED && !kept.iter().any(overlaps) {
            kept.push(one);
        }
    }
    Ok(kept)
}

/// A letter or a digit says nothing, unless it is the number of something.
fn is_too_short(value: &str, unique: bool) -> bool {
    let mut signs = value.chars();
    match (signs.next(), signs.next()) {
        (None, _) => true,
        (Some(one), None) => !(unique && one.is_ascii_digit()),
        _ => false,
    }
}

/// One index at the places of a question.
struct Lookup<'a, R> {
    read: &'a R,
    name: &'a NameIndex,
    words: &'a [Range<usize>],
}

impl<R: Read> Lookup<'_, R> {
    /// The longest value that stands here but for the case of its first letter: within a sentence names of things often
    /// begin with a small one, and at its beginning with a large one.
    fn in_other_case(
        &self,
        rest: &str,
        start: usize,
    ) -> Result<Option<String>, stratigraph::Error> {
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let other: String = match first.is_lowercase() {
            true => first.to_uppercase().collect(),
            false => first.to_lowercase().collect(),
        };
        // Places must stay what they are.
        if other.len() != first.len_utf8() || other.starts_with(first) {
            return Ok(None);
        }
        let rest = other + &rest[first.len_utf8()..];
        let end = self.longest(&rest, start)?;
        Ok(end.map(|end| rest[..end - start].to_owned()))
    }

    /// Where the longest value ends that the rest of the question, which begins here, has first as whole words.
    fn longest(&self, rest: &str, start: usize) -> Result<Option<usize>, stratigraph::Error> {
        let index = self.read.index(&self.name.index)?;
        let mut longest = None;
        let mut length = rest.chars().next().map_or(0, char::len_utf8);
        for _ in 0..MOST_BRANCHES {
            // The first value that begins so: one that is shorter than another which begins with it comes before it.
            let Some(entity) = index.starts_with(&rest[..length])?.next().transpose()? else {
                break;
            };
            let value = self.read.property(entity, &self.name.property)?;
            let Value::String(value) = value else { break };
            let common = common(rest, &value);
            if common == value.len() && !self.is_within_a_word(start + common) {
                longest = Some(start + common);
            }
            let at = common.max(length);
            let Some(next) = rest[at..].chars().next() else {
                break;
            };
            length = at + next.len_utf8();
        }
        Ok(longest)
    }

    fn is_within_a_word(&self, at: usize) -> bool {
        is_within(self.words, at)
    }
}

fn is_within(words: &[Range<usize>], at: usize) -> bool {
    let next = words.partition_point(|word| word.end <= at);
    words.get(next).is_some_and(|word| word.start < at)
}

/// How many bytes two texts begin with that are the same, in whole characters.
fn common(one: &str, other: &str) -> usize {
    let both = one.chars().zip(other.chars());
    both.take_while(|(a, b)| a == b)
        .map(|(sign, _)| sign.len_utf8())
        .sum()
}

/// Where a name may begin: nowhere within a word, and at no blank.
fn starts<'t>(text: &'t str, words: &'t [Range<usize>]) -> impl Iterator<Item = usize> + 't {
    let signs = text.char_indices();
    signs
        .filter(|(at, sign)| !sign.is_whitespace() && !is_within(words, *at))
        .map(|(at, _)| at)
}

/// Where the words of a text are: what is between blanks and marks, and each character of scripts without blanks.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut words = Vec::new();
    for end in Words.ends(text) {
        // A mark within a word parts it: of `F-12` both are words, and so is the whole.
        let mut within = None;
        for (at, sign) in text[start..end].char_indices() {
            let at = start + at;
            match (sign.is_alphanumeric(), within) {
                (true, None) => within = Some(at),
                (false, Some(from)) => {
                    words.push(from..at);
                    within = None;
                }
                _ => {}
            }
        }
        if let Some(from) = within {
            words.push(from..end);
        }
        start = end;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::types::types;
    use stratigraph::{Database, Index};

    fn found(text: &str) -> Vec<(String, String)> {
        let db = Database::in_memory().unwrap();
        for label in ["Town", "Park"] {
            let index = Index::on_nodes(label, ["name"]);
            db.create_index(index.named(format!("by_{label}"))).unwrap();
        }
        let mut txn = db.write().unwrap();
        for (label, name) in [
            ("Town", "York"),
            ("Town", "New York"),
            ("Town", "New Yorkshire"),
            ("Town", "杭州"),
            ("Park", "杭州西湖公园"),
            ("Park", "New York"),
            ("Park", "F-12 (north)"),
            ("Town", "x"),
        ] {
            txn.create_node([label], [("name", name)]).unwrap();
        }
        txn.commit().unwrap();
        let read = db.read().unwrap();
        let types = types(&read).unwrap();
        let named = named(&read, &types, text).unwrap();
        named.into_iter().map(|one| (one.label, one.text)).collect()
    }

    #[test]
    fn the_longest_names_that_are_whole_words_count() {
        let of = |label: &str, text: &str| (label.to_owned(), text.to_owned());
        assert_eq!(
            found("Is New York larger than York?"),
            [
                of("Park", "New York"),
                of("Town", "New York"),
                of("Town", "York")
            ]
        );
        assert_eq!(found("Is New Yorks a name, or Yorker, or x?"), []);
        assert_eq!(
            found("杭州西湖公园在杭州吗？"),
            [of("Park", "杭州西湖公园"), of("Town", "杭州")]
        );
        assert_eq!(
            found("What is in F-12 (north)?"),
            [of("Park", "F-12 (north)")]
        );
        assert_eq!(
            found("new York, york"),
            [
                of("Park", "New York"),
                of("Town", "New York"),
                of("Town", "York")
            ]
        );
        assert_eq!(found("NEW YORK"), []);
        assert_eq!(found("New"), []);
        assert_eq!(found(""), []);
    }
}
