//! Titles that are named in texts.

use std::collections::{HashMap, HashSet};

use stratigraph::graph::Entity;
use stratigraph::index::property::Lookup;
use stratigraph::{NodeId, Read};

use super::{Desk, RetrieveError};
use crate::build::{CHUNK_CALLED, MOST_WORDS, compared, words};

/// So many chunks of one title count: half of all sections may be called the same.
const MOST_CHUNKS: usize = 8;
/// So many words of a text are read.
const MOST_READ: usize = 2000;

/// Finds the chunks whose titles a text names.
pub(super) struct Titles<'a, R: Read> {
    desk: &'a Desk<'a, R>,
    index: Lookup<'a, R::Keys>,
    /// What was looked up.
    known: HashMap<String, Vec<NodeId>>,
    /// The first words of titles that are looked for even where they are no names by their looks.
    likely: HashSet<String>,
}

impl<'a, R: Read> Titles<'a, R> {
    /// The titles of all chunks. These are looked for wherever they stand; others where a capital letter or a figure says
    /// that something is named, as not each word of each text can be looked up.
    pub(super) fn new<'t>(
        desk: &'a Desk<'a, R>,
        likely: impl IntoIterator<Item = &'t str>,
    ) -> Result<Self, RetrieveError> {
        let likely = likely
            .into_iter()
            .filter_map(|title| title.split(' ').next());
        Ok(Self {
            desk,
            index: desk.read().index(CHUNK_CALLED)?,
            known: HashMap::new(),
            likely: likely.map(str::to_owned).collect(),
        })
    }

    /// The titles that a text names, with the chunks under them. Of titles within titles only the longer one counts: who
    /// speaks of New York does not speak of York. Of a `question` each word is looked up.
    pub(super) fn named_in(
        &mut self,
        text: &str,
        is_question: bool,
    ) -> Result<Vec<(String, Vec<NodeId>)>, RetrieveError> {
        let words = words(text).into_iter().take(MOST_READ);
        let words: Vec<(bool, String)> = words
            .map(|span| {
                let word = &text[span];
                let looks_named = |sign: char| sign.is_uppercase() || sign.is_numeric();
                let compared = compared(word);
                let is_likely =
                    is_question || word.starts_with(looks_named) || self.likely.contains(&compared);
                (is_likely, compared)
            })
            .collect();
        let mut found: Vec<(String, Vec<NodeId>)> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let most = MOST_WORDS.min(words.len() - at);
            let most = if words[at].0 { most } else { 0 };
            let mut length = most;
            while length > 0 {
                let name: Vec<&str> = words[at..at + length]
                    .iter()
                    .map(|(_, word)| word.as_str())
                    .collect();
                let name = name.join(" ");
                let chunks = self.chunks(&name)?;
                if !chunks.is_empty() {
                    if !found.iter().any(|(known, _)| *known == name) {
                        found.push((name, chunks));
                    }
                    break;
                }
                length -= 1;
            }
            at += length.max(1);
        }
        Ok(found)
    }

    /// The first chunks that are called so, of those that the question is about.
    fn chunks(&mut self, name: &str) -> Result<Vec<NodeId>, RetrieveError> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let allowed = self.desk.allowed()?;
        let mut chunks = Vec::new();
        for entity in self.index.equal(&[name.into()])? {
            let Entity::Node(chunk) = entity? else {
                continue;
            };
            if allowed.is_none_or(|allowed| allowed.contains(chunk.get())) {
                chunks.push(chunk);
            }
            if chunks.len() == MOST_CHUNKS {
                break;
            }
        }
        self.known.insert(name.to_owned(), chunks.clone());
        Ok(chunks)
    }
}
