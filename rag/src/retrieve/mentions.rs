//! What the question names.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph::graph::Entity;

use super::{Desk, Item, RetrieveError, Scale};
use crate::build::{canonical, words};

/// The entities whose whole names are in the question, the longest names first. Of names within names only the
/// longer one counts: who asks for New York does not ask for York.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Mentions {
    k: usize,
}

/// So many words a name has at most. Scripts without blanks count by character.
const MOST_WORDS: usize = 12;

impl Mentions {
    /// The first `k`.
    pub fn new(k: usize) -> Self {
        Self { k }
    }

    /// Looks all runs of words up. Their number is that of the question's words times a dozen.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(&self, desk: &Desk<'_, R>) -> Result<Vec<Item>, RetrieveError> {
        let text = desk.text();
        let words = parts(text);
        let index = desk.read().index("entity_key")?;
        let mut seen: BTreeMap<String, Option<Entity>> = BTreeMap::new();
        let mut taken = vec![false; words.len()];
        let mut found: Vec<Item> = Vec::new();
        for length in (1..=MOST_WORDS.min(words.len())).rev() {
            for first in 0..=words.len() - length {
                let last = first + length - 1;
                if taken[first..=last].contains(&true) {
                    continue;
                }
                let name = canonical(&text[words[first].start..words[last].end]);
                let entity = match seen.get(&name) {
                    Some(known) => *known,
                    None => {
                        let mut equal = index.equal(&[name.as_str().into()])?;
                        let entity = equal.next().transpose()?;
                        seen.insert(name, entity);
                        entity
                    }
                };
                let Some(entity) = entity else { continue };
                taken[first..=last].fill(true);
                if found.iter().all(|item| item.entity != entity) {
                    let share = length as f32 / words.len() as f32;
                    found.push(Item::found(entity, Scale::Named.score(share)));
                }
            }
        }
        found.truncate(self.k);
        Ok(found)
    }
}

/// Where the words of a text are, divided at apostrophes as well: in `un'amministrazione` and in `Kerry's` what is named is
/// one of two parts. A name that has one itself is found as a run of both.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    for word in words(text) {
        let mut start = word.start;
        for part in text[word].split_inclusive(is_apostrophe) {
            let end = start + part.trim_end_matches(is_apostrophe).len();
            if end > start {
                parts.push(start..end);
            }
            start += part.len();
        }
    }
    parts
}

fn is_apostrophe(sign: char) -> bool {
    matches!(sign, '\'' | '’')
}
