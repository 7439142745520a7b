//! Titles that are named in texts.

use std::collections::{BTreeSet, HashMap, HashSet};

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::index::property::Lookup;
use stratigraph::index::text::Query;
use stratigraph::{NodeId, Read, TextSearch, Value};

use super::{Desk, RetrieveError};
use crate::build::{CHUNK_CALLED, CHUNK_TEXTS, MOST_WORDS, compared, words};

/// So many chunks of one title count: half of all sections may be called the same.
const MOST_CHUNKS: usize = 8;
/// So many words of a text are read.
const MOST_READ: usize = 2000;

/// A title that a text names.
#[derive(Clone)]
pub(super) struct Named {
    /// Its words.
    pub(super) title: String,
    /// The chunks that are called so.
    pub(super) chunks: Vec<NodeId>,
    /// How much it says that a text names it, from 0 to 1: by the rarest of its words among all texts, and the less the more
    /// chunks are called so.
    pub(super) weight: f32,
}

/// Finds the chunks whose titles a text names.
pub(super) struct Titles<'a, R: Read> {
    desk: &'a Desk<'a, R>,
    index: Lookup<'a, R::Keys>,
    /// What was looked up.
    known: HashMap<String, Option<Named>>,
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
    ) -> Result<Vec<Named>, RetrieveError> {
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
        self.leave_out(&words)?;
        let mut found: Vec<Named> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let most = MOST_WORDS.min(words.len() - at);
            let mut length = if words[at].0 { most } else { 0 };
            while length > 0 {
                let title = words[at..at + length].iter().map(|(_, word)| word.as_str());
                let title: Vec<&str> = title.collect();
                if let Some(named) = self.looked_up(&title.join(" "))? {
                    if found.iter().all(|known| known.title != named.title) {
                        found.push(named);
                    }
                    break;
                }
                length -= 1;
            }
            at += length.max(1);
        }
        Ok(found)
    }

    /// Notes which runs of words nothing is called by: most are none, and all are looked up with one cursor.
    fn leave_out(&mut self, words: &[(bool, String)]) -> Result<(), RetrieveError> {
        let mut runs: BTreeSet<String> = BTreeSet::new();
        for (at, (is_likely, _)) in words.iter().enumerate() {
            let mut run = String::new();
            let most = if *is_likely { MOST_WORDS } else { 0 };
            for (_, word) in words.iter().skip(at).take(most) {
                if !run.is_empty() {
                    run.push(' ');
                }
                run.push_str(word);
                if !self.known.contains_key(&run) {
                    runs.insert(run.clone());
                }
            }
        }
        let values: Vec<Value> = runs.iter().map(|run| Value::from(run.as_str())).collect();
        let found = self.index.equal_each(&values, 1)?;
        let none = runs.into_iter().zip(found);
        let none = none.filter(|(_, found)| found.is_empty());
        self.known.extend(none.map(|(run, _)| (run, None)));
        Ok(())
    }

    fn looked_up(&mut self, title: &str) -> Result<Option<Named>, RetrieveError> {
        if let Some(known) = self.known.get(title) {
            return Ok(known.clone());
        }
        let chunks = self.chunks(title)?;
        let named = match chunks.len() {
            0 => None,
            count => Some(Named {
                title: title.to_owned(),
                weight: self.rarity(title)? / count as f32,
                chunks,
            }),
        };
        self.known.insert(title.to_owned(), named.clone());
        Ok(named)
    }

    /// From 0 for what all texts have to 1 for what one has, of the rarest word.
    fn rarity(&self, title: &str) -> Result<f32, RetrieveError> {
        // Nothing is looked for but how many have each word, and so among nothing.
        let nothing = RoaringTreemap::new();
        let search = TextSearch::of(Query::term(title), 1).among(&nothing);
        let counted = self.desk.read().search_text(CHUNK_TEXTS, &search)?;
        let rarest = counted.terms.iter().map(|term| term.documents).min();
        Ok(rarity(counted.documents, rarest.unwrap_or(1)))
    }

    /// The first chunks that are called so, of those that the question is about.
    fn chunks(&self, title: &str) -> Result<Vec<NodeId>, RetrieveError> {
        let allowed = self.desk.allowed()?;
        let mut chunks = Vec::new();
        for entity in self.index.equal(&[title.into()])? {
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
        Ok(chunks)
    }
}

/// How much it says that something is what so many of all have: 1 for what one has, 0 for what all have.
pub(super) fn rarity(all: u64, with: u64) -> f32 {
    let (all, with) = (all.max(2) as f32, with.max(1) as f32);
    (1.0 - with.ln() / all.ln()).max(0.0)
}
