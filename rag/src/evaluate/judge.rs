//! How good what was retrieved for a question is, by what is known to be right.

use std::collections::BTreeMap;
use std::ops::Range;

use super::set::{Gold, Labelled, LabelledSet, squeezed};
use super::{all_recall_at, average_precision, hit_at, ndcg_at, recall_at, reciprocal_rank};
use crate::read::ReadError;
use crate::retrieve::{Found, Retrieved};

/// Which bytes of which document a text is.
type Spans = Vec<(String, Range<u64>)>;

/// Judges what is retrieved for the questions of a set.
#[derive(Debug)]
pub struct Judge {
    /// The bytes of the texts that are right, by question.
    right: BTreeMap<String, Spans>,
    /// Texts of a gold that are in no document that it names.
    missing: usize,
}

impl Judge {
    /// For a set. Where the texts that are right stand in their documents is looked up once.
    ///
    /// # Errors
    /// A document cannot be read.
    pub fn new(set: &LabelledSet) -> Result<Self, ReadError> {
        let mut judge = Self {
            right: BTreeMap::new(),
            missing: 0,
        };
        let of_texts = set
            .questions
            .iter()
            .filter_map(|question| match &question.gold {
                Gold::Texts(texts) => Some((question, texts)),
                _ => None,
            });
        let mut wanted: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for (question, texts) in of_texts {
            for (document, passages) in texts {
                let passages = passages
                    .iter()
                    .map(|passage| (question.id.as_str(), passage.as_str()));
                wanted.entry(document).or_default().extend(passages);
            }
        }
        if wanted.is_empty() {
            return Ok(judge);
        }
        for document in set.documents() {
            let document = document?;
            let Some(passages) = wanted.remove(document.id()) else {
                continue;
            };
            let text = Squeezed::new(document.text());
            for (question, passage) in passages {
                match text.find(passage) {
                    Some(span) => {
                        let right = judge.right.entry(question.to_owned()).or_default();
                        right.push((document.id().to_owned(), span));
                    }
                    None => judge.missing += 1,
                }
            }
        }
        judge.missing += wanted.values().map(Vec::len).sum::<usize>();
        Ok(judge)
    }

    /// How many texts that are said to be right are in no document that is said to have them.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// All measures that the question's gold allows, by name.
    #[must_use]
    pub fn values(&self, question: &Labelled, retrieved: &Retrieved) -> BTreeMap<String, f64> {
        let mut values = BTreeMap::new();
        let mut put = |name: &str, value: f64| values.insert(name.to_owned(), value);
        let found = &retrieved.found;
        match &question.gold {
            Gold::Documents(grades) => {
                let found = documents(found);
                let gold: Vec<String> = grades.iter().map(|(id, _)| id.clone()).collect();
                put("r1", recall_at(&found, &gold, 1));
                put("r2", recall_at(&found, &gold, 2));
                put("r5", recall_at(&found, &gold, 5));
                put("all5", all_recall_at(&found, &gold, 5));
                put("hit1", hit_at(&found, &gold, 1));
                put("hit3", hit_at(&found, &gold, 3));
                put("hit4", hit_at(&found, &gold, 4));
                put("mrr", reciprocal_rank(&found, &gold));
                put("ap", average_precision(&found, &gold));
                put("ndcg10", ndcg_at(&found, grades, 10));
            }
            Gold::Texts(_) => {
                if let Some(right) = self.right.get(&question.id) {
                    let packed = found.iter().filter(|found| found.packed);
                    put("covered", covered(right, packed));
                    put("covered5", covered(right, found.iter().take(5)));
                    put("covered10", covered(right, found.iter().take(10)));
                }
            }
            Gold::Nothing => {
                put("refused", f64::from(u8::from(found.is_empty())));
            }
        }
        if !question.answers.is_empty() && question.gold != Gold::Nothing {
            let context = squeezed(&retrieved.context.to_lowercase());
            let mut answers = question.answers.iter();
            let is_in = answers.any(|answer| context.contains(&squeezed(&answer.to_lowercase())));
            put("answer_in_context", f64::from(u8::from(is_in)));
        }
        values
    }
}

/// The documents of what was found, each where it is first.
#[must_use]
pub fn documents(found: &[Found]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let places = found.iter().flat_map(|found| &found.receipt.places);
    let documents = places.map(|place| &place.document);
    documents
        .filter(|document| seen.insert(*document))
        .cloned()
        .collect()
}

/// Which share of the right bytes lies in what was found.
fn covered<'f>(right: &Spans, found: impl Iterator<Item = &'f Found>) -> f64 {
    let chunks = found.filter(|found| found.receipt.name.kind == "Chunk");
    let places: Vec<_> = chunks.flat_map(|found| &found.receipt.places).collect();
    let (mut there, mut all) = (0, 0);
    for (document, span) in right {
        all += span.end - span.start;
        let mut within: Vec<Range<u64>> = places
            .iter()
            .filter(|place| place.document == *document)
            .map(|place| place.span.start.max(span.start)..place.span.end.min(span.end))
            .filter(|both| both.start < both.end)
            .collect();
        within.sort_by_key(|both| both.start);
        let mut end = 0;
        for both in within {
            there += both.end.saturating_sub(both.start.max(end));
            end = end.max(both.end);
        }
    }
    if all == 0 {
        0.0
    } else {
        there as f64 / all as f64
    }
}

/// A text without its blanks, with where each sign was.
struct Squeezed {
    text: String,
    /// The place in `text`, and in the text with blanks, of each sign.
    places: Vec<(usize, usize)>,
}

impl Squeezed {
    fn new(whole: &str) -> Self {
        let signs = whole
            .char_indices()
            .filter(|(_, sign)| !sign.is_whitespace());
        let (mut text, mut places) = (String::new(), Vec::new());
        for (at, sign) in signs {
            places.push((text.len(), at));
            text.push(sign);
        }
        Self { text, places }
    }

    /// Which bytes of the text with blanks another text is.
    fn find(&self, text: &str) -> Option<Range<u64>> {
        let text = squeezed(text);
        let last = text.chars().next_back()?;
        let start = self.text.find(&text)?;
        let end = start + text.len() - last.len_utf8();
        let place = |at| {
            let found = self
                .places
                .binary_search_by_key(&at, |(squeezed, _)| *squeezed);
            found.ok().map(|found| self.places[found].1 as u64)
        };
        Some(place(start)?..place(end)? + last.len_utf8() as u64)
    }
}
