//! Texts that are right: where they stand in their documents, and how much of them was found.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::set::{Gold, LabelledSet, squeezed};
use crate::read::ReadError;
use crate::retrieve::Found;

/// Which bytes of which document a text is.
type Spans = Vec<(String, Range<u64>)>;

/// Where the texts stand that answer the questions of a set.
#[derive(Debug, Default)]
pub(super) struct Right {
    /// By question.
    spans: BTreeMap<String, Spans>,
    /// Texts that are in no document that is said to have them.
    pub(super) missing: usize,
}

impl Right {
    /// Looks all of them up. Each document is read once.
    pub(super) fn of(set: &LabelledSet) -> Result<Self, ReadError> {
        let mut right = Self::default();
        let mut wanted: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for question in &set.questions {
            let Gold::Texts(texts) = &question.gold else {
                continue;
            };
            for (document, passages) in texts {
                let passages = passages
                    .iter()
                    .map(|passage| (question.id.as_str(), passage.as_str()));
                wanted.entry(document).or_default().extend(passages);
            }
        }
        if wanted.is_empty() {
            return Ok(right);
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
                        let spans = right.spans.entry(question.to_owned()).or_default();
                        spans.push((document.id().to_owned(), span));
                    }
                    None => right.missing += 1,
                }
            }
        }
        right.missing += wanted.values().map(Vec::len).sum::<usize>();
        Ok(right)
    }

    /// Which share of the bytes that answer a question lies in these chunks; nothing if none of its texts is anywhere.
    pub(super) fn covered<'f>(
        &self,
        question: &str,
        found: impl Iterator<Item = &'f Found>,
    ) -> Option<f64> {
        let right = self.spans.get(question)?;
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
        Some(if all == 0 {
            0.0
        } else {
            there as f64 / all as f64
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::{Name, Place, Receipt, Scale};

    fn found(kind: &str, document: &str, span: Range<u64>) -> Found {
        let name = Name {
            kind: kind.to_owned(),
            key: String::new(),
        };
        let place = Place {
            document: document.to_owned(),
            version: String::new(),
            chunk: None,
            span,
            pages: None,
        };
        Found {
            receipt: Receipt {
                name,
                hash: String::new(),
                places: vec![place],
                score: Scale::Cosine.score(1.0),
                way: Vec::new(),
                as_of: 0,
                exact: true,
            },
            heading: String::new(),
            text: String::new(),
            packed: true,
        }
    }

    #[test]
    fn bytes_count_once_and_only_those_of_chunks() {
        let spans = vec![("a".to_owned(), 10..30), ("b".to_owned(), 0..20)];
        let right = Right {
            spans: [("q".to_owned(), spans)].into(),
            missing: 0,
        };
        let share = |found: &[Found]| right.covered("q", found.iter()).unwrap();
        // From 10 to 20, of which one half twice, and from 25 to 30: 15 of 40.
        let overlapping = [
            found("Chunk", "a", 15..20),
            found("Chunk", "a", 0..20),
            found("Chunk", "a", 12..18),
            found("Chunk", "a", 25..90),
        ];
        assert_eq!(share(&overlapping), 15.0 / 40.0);
        // The same bytes of another document are others, and a heading covers nothing.
        assert_eq!(share(&[found("Chunk", "c", 0..90)]), 0.0);
        assert_eq!(share(&[found("Section", "a", 0..90)]), 0.0);
        assert_eq!(share(&[found("Chunk", "b", 0..20)]), 0.5);
        assert_eq!(right.covered("other", [].iter()), None);
    }
}
