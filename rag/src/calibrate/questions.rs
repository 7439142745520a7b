//! Questions made of what the graph says: sentences, headings and facts, with words left out.
//!
//! They are no good questions and need not be. They have some of the words of what answers them and not the others, in
//! their order, and now and then one that no text has, as questions have; which words those are, a seed says.

use std::collections::HashSet;

use fastrand::Rng;
use roaring::RoaringTreemap;
use stratigraph::{NodeId, Read, RelationshipId};

use super::left_out::text;
use crate::build::{FACT, Label, STATED, key_of};
use crate::chunk::sentences;
use crate::extract::is_common;
use crate::retrieve::RetrieveError;

/// A sentence that a question is made of has so many words that say something.
const LEAST_WORDS: usize = 5;
/// And so many at most: more is a table.
const MOST_WORDS: usize = 60;
/// A question has so many of them.
const LEAST_KEPT: usize = 3;
/// This share of its words is of the asker: no text has them.
const OTHER_WORDS: f64 = 0.05;
/// So much of a text is looked through for sentences.
const MOST_BYTES: usize = 16 << 10;
/// For each question that is wanted, so many places are looked at.
const TRIES: usize = 8;

/// A question, and where it was taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) text: String,
    /// The key of the document.
    pub(super) document: String,
    /// The first byte of the chunk or section.
    pub(super) start: u64,
}

/// Makes questions.
pub(super) struct Maker<'a, R> {
    read: &'a R,
    rng: Rng,
    chunks: RoaringTreemap,
    sections: RoaringTreemap,
    facts: RoaringTreemap,
}

impl<'a, R: Read> Maker<'a, R> {
    pub(super) fn new(read: &'a R, seed: u64) -> Result<Self, RetrieveError> {
        Ok(Self {
            read,
            rng: Rng::with_seed(seed),
            chunks: read.nodes_with_label(Label::Chunk.name())?,
            sections: read.nodes_with_label(Label::Section.name())?,
            facts: read.relationships_of_type(FACT)?,
        })
    }

    /// None of headings: where chunks are left out, the heading over all of them stays.
    pub(super) fn without_headings(mut self) -> Self {
        self.sections.clear();
        self
    }

    /// So many questions, or as many as there are: half of sentences, the others of headings and facts. No two are equal.
    pub(super) fn make(mut self, count: usize) -> Result<Vec<Made>, RetrieveError> {
        let mut made = Vec::with_capacity(count);
        let mut known = HashSet::new();
        for tries in 0..count * TRIES {
            if made.len() == count {
                break;
            }
            let one = match tries % 4 {
                0 => self.of_heading()?,
                2 => self.of_fact()?,
                _ => None,
            };
            // A graph without facts or headings has sentences.
            let one = match one {
                Some(one) => Some(one),
                None => self.of_sentence()?,
            };
            let Some(one) = one else { continue };
            if known.insert(one.text.clone()) {
                made.push(one);
            }
        }
        Ok(made)
    }

    fn of_sentence(&mut self) -> Result<Option<Made>, RetrieveError> {
        let Some(chunk) = drawn(&mut self.rng, &self.chunks).map(NodeId::new) else {
            return Ok(None);
        };
        let whole = text(self.read, chunk, "text")?;
        let whole = &whole[..whole.floor_char_boundary(MOST_BYTES.min(whole.len()))];
        let fit = sentences(whole).map(|span| words(&whole[span]));
        let fit = fit.filter(|words| (LEAST_WORDS..=MOST_WORDS).contains(&words.len()));
        let fit: Vec<Vec<&str>> = fit.collect();
        let Some(words) = self.rng.choice(&fit) else {
            return Ok(None);
        };
        let share = 0.4 + 0.3 * self.rng.f64();
        let count = (share * words.len() as f64).round() as usize;
        let text = self.kept(words, count.max(LEAST_KEPT));
        self.made(text, chunk).map(Some)
    }

    /// A heading with the one above it, without one of their words.
    fn of_heading(&mut self) -> Result<Option<Made>, RetrieveError> {
        let Some(section) = drawn(&mut self.rng, &self.sections).map(NodeId::new) else {
            return Ok(None);
        };
        let heading = text(self.read, section, "heading")?;
        let mut parts: Vec<&str> = heading.rsplit(" > ").take(2).collect();
        parts.reverse();
        let joined = parts.join(" ");
        let words = words(&joined);
        if !(LEAST_KEPT..=MOST_WORDS).contains(&words.len()) {
            return Ok(None);
        }
        let count = words.len().saturating_sub(1).max(LEAST_KEPT);
        let text = self.kept(&words, count);
        self.made(text, section).map(Some)
    }

    /// What a fact says of one of its ends, without the other. Only one that one chunk states: of others nothing is left
    /// out by leaving out a document.
    fn of_fact(&mut self) -> Result<Option<Made>, RetrieveError> {
        let Some(fact) = drawn(&mut self.rng, &self.facts).map(RelationshipId::new) else {
            return Ok(None);
        };
        let Some(fact) = self.read.relationship(fact)? else {
            return Ok(None);
        };
        let said = |name| fact.get(name).and_then(stratigraph::Value::as_str);
        let mut stated = self
            .read
            .index(STATED)?
            .equal(&[said("key").unwrap_or_default().into()])?;
        let (first, second) = (stated.next().transpose()?, stated.next().transpose()?);
        let (Some(stratigraph::graph::Entity::Relationship(first)), None) = (first, second) else {
            return Ok(None);
        };
        let Some(states) = self.read.relationship(first)? else {
            return Ok(None);
        };
        let end = |node: NodeId| -> Result<String, RetrieveError> {
            let name = text(self.read, node, "name")?;
            Ok(match name.is_empty() {
                true => key_of(self.read, node)?,
                false => name,
            })
        };
        let (subject, object) = (end(fact.source())?, end(fact.target())?);
        let predicate = said("predicate").unwrap_or_default();
        let text = match self.rng.bool() {
            true => format!("{subject} {predicate}"),
            false => format!("{predicate} {object}"),
        };
        if words(&text).len() < 2 {
            return Ok(None);
        }
        let said = text.split(' ').map(|word| self.in_other_words(word));
        let text = said.collect::<Vec<_>>().join(" ");
        self.made(text, states.source()).map(Some)
    }

    /// So many of the words, in their order. What is written without blanks stays so.
    fn kept(&mut self, words: &[&str], count: usize) -> String {
        let mut places: Vec<usize> = (0..words.len()).collect();
        self.rng.shuffle(&mut places);
        places.truncate(count);
        places.sort_unstable();
        let mut text = String::new();
        let mut before: Option<usize> = None;
        for place in places {
            let follows = before.is_some_and(|before| before + 1 == place);
            let joins = follows && is_wide(words[place]);
            if !text.is_empty() && !joins {
                text.push(' ');
            }
            text.push_str(&self.in_other_words(words[place]));
            before = Some(place);
        }
        text
    }

    /// Now and then, in the place of a word, one that no text has, as people ask in words of their own: its halves changed
    /// over.
    fn in_other_words(&mut self, word: &str) -> String {
        let middle = word.chars().count() / 2;
        let least = if is_wide(word) { 1 } else { 2 };
        if middle < least || self.rng.f64() >= OTHER_WORDS {
            return word.to_owned();
        }
        let middle = word.char_indices().nth(middle).map_or(0, |(at, _)| at);
        let (first, second) = word.split_at(middle);
        format!("{second}{first}")
    }

    fn made(&self, question: String, node: NodeId) -> Result<Made, RetrieveError> {
        let start = self.read.property(node, "start")?.as_int();
        Ok(Made {
            text: question,
            document: text(self.read, node, "document")?,
            start: start
                .and_then(|start| u64::try_from(start).ok())
                .unwrap_or_default(),
        })
    }
}

/// One of some ids.
fn drawn(rng: &mut Rng, from: &RoaringTreemap) -> Option<u64> {
    let count = from.len();
    let at = (count > 0).then(|| rng.u64(0..count))?;
    from.select(at)
}

/// The words of a text that say something; of scripts without blanks, two signs at a time.
fn words(text: &str) -> Vec<&str> {
    let runs = text.split(|sign: char| !sign.is_alphanumeric());
    let mut words = Vec::new();
    for run in runs.filter(|run| !run.is_empty()) {
        let mut from = 0;
        let mut signs: Vec<usize> = Vec::new();
        // Where wide signs and others meet a word ends.
        for (at, sign) in run.char_indices().chain([(run.len(), ' ')]) {
            let is_end = at == run.len();
            let wide = !is_end && is_wide_sign(sign);
            if (wide || is_end) && signs.is_empty() && from < at {
                words.push(&run[from..at]);
            }
            if wide {
                signs.push(at);
                continue;
            }
            for pair in signs.chunks(2) {
                let end = signs
                    .iter()
                    .find(|next| pair.last().is_some_and(|last| *next > last));
                words.push(&run[pair[0]..end.copied().unwrap_or(at)]);
            }
            if !signs.is_empty() {
                signs.clear();
                from = at;
            }
        }
    }
    words.retain(|word| !is_common(&word.to_lowercase()));
    words
}

fn is_wide(word: &str) -> bool {
    word.chars().next().is_some_and(is_wide_sign)
}

fn is_wide_sign(sign: char) -> bool {
    crate::extract::is_han(sign) || matches!(sign as u32, 0x3041..=0x30FF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_words_are_of_nobody() {
        let db = stratigraph::Database::in_memory().unwrap();
        let read = db.read().unwrap();
        let mut maker = Maker::new(&read, 7).unwrap();
        let words: Vec<&str> = ["basalt", "Skerry", "at", "玄武", "岩"].repeat(400);
        let now = words.iter().map(|word| (*word, maker.in_other_words(word)));
        let changed: Vec<(&str, String)> = now.filter(|(word, now)| word != now).collect();
        // One in twenty of the 1,200 that are long enough.
        assert!((30..100).contains(&changed.len()), "{changed:?}");
        for (word, now) in changed {
            let known = [("basalt", "altbas"), ("Skerry", "rrySke"), ("玄武", "武玄")];
            assert!(known.contains(&(word, now.as_str())), "{word}: {now}");
        }
    }

    #[test]
    fn words_are_those_that_say_something() {
        assert_eq!(
            words("Where does the basalt of Mount Etna (1,500 t) lie from?"),
            ["basalt", "Mount", "Etna", "1", "500", "t", "lie"]
        );
        assert_eq!(
            words("玄武岩IBM来自 埃特纳"),
            ["玄武", "岩", "IBM", "来自", "埃特", "纳"]
        );
        assert!(words("of the, and").is_empty());
    }
}
