//! BM25 as the books have it, over texts in memory: no segments, no blocks, no shortcuts.
//!
//! It shares the analysis (which has tests of its own) and the rounding of lengths with the index, and nothing
//! else: terms are counted from the tokens of each text, and documents with each term by looking at all.

use crate::catalog::{NameId, PropertyId};
use crate::index::text::analysis::{Kind, Stems};
use crate::index::text::postings::norm;
use crate::index::text::{Analysis, OwnerId, Query, TextField, TextIndex, TextSettings, Weight};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TITLE: u32 = 1;
pub(super) const BODY: u32 = 2;

pub(super) fn property(number: u32) -> PropertyId {
    PropertyId::from_number(number)
}

/// An index on titles, which count twice and a half, and bodies.
pub(super) fn index(analysis: Analysis) -> TextIndex {
    let field = |number, weight| TextField {
        property: property(number),
        weight: Weight::new(weight).unwrap(),
    };
    let settings = TextSettings::new(vec![field(TITLE, 2.5), field(BODY, 1.0)], analysis).unwrap();
    TextIndex::numbered(7, settings.with_parameters(1.1, 0.6).unwrap())
}

/// A title and a body.
pub(super) type Text = (String, String);

/// A document as the slow index has it.
struct Document {
    /// The positions of each term, in titles below 1,000,000, in bodies above.
    positions: BTreeMap<String, BTreeSet<u32>>,
    length: f64,
}

const BODY_BEGINS: u32 = 1_000_000;

impl Document {
    fn new(analysis: Analysis, text: &Text) -> Self {
        let mut positions: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut stems = Stems::new(analysis);
        let mut length = 0.0;
        for (base, weight, text) in [(0, 2.5, &text.0), (BODY_BEGINS, 1.0, &text.1)] {
            let count = analysis.tokens(text, |token| {
                stems.terms(token.text, token.kind, |term| {
                    positions
                        .entry(term.to_owned())
                        .or_default()
                        .insert(base + token.position);
                });
            });
            length += f64::from(count) * weight;
        }
        Self { positions, length }
    }

    fn frequency(&self, term: &str) -> f64 {
        let Some(positions) = self.positions.get(term) else {
            return 0.0;
        };
        positions
            .iter()
            .map(|position| if *position < BODY_BEGINS { 2.5 } else { 1.0 })
            .sum()
    }
}

/// The slow index.
pub(super) struct Slow {
    analysis: Analysis,
    documents: BTreeMap<OwnerId, Document>,
    average: f64,
    /// How many documents have each term that was asked for.
    with: RefCell<BTreeMap<String, f64>>,
}

impl Slow {
    pub(super) fn new(analysis: Analysis, texts: &BTreeMap<OwnerId, Text>) -> Self {
        let documents = texts
            .iter()
            .map(|(owner, text)| (*owner, Document::new(analysis, text)));
        let documents: BTreeMap<_, _> = documents
            .filter(|(_, document)| !document.positions.is_empty())
            .collect();
        let length: f64 = documents.values().map(|document| document.length).sum();
        Self {
            analysis,
            average: length / documents.len() as f64,
            documents,
            with: RefCell::default(),
        }
    }

    fn score(&self, document: &Document, term: &str) -> f64 {
        let (k1, b) = (f64::from(1.1_f32), f64::from(0.6_f32));
        let live = self.documents.len() as f64;
        let has = |document: &&Document| document.positions.contains_key(term);
        let count = || self.documents.values().filter(has).count() as f64;
        let with = *self
            .with
            .borrow_mut()
            .entry(term.to_owned())
            .or_insert_with(count);
        let idf = (1.0 + (live - with + 0.5) / (with + 0.5)).ln();
        // Lengths are rounded as they are stored, in halves.
        let length = f64::from(norm::decode(norm::encode((document.length * 2.0) as u32))) / 2.0;
        let frequency = document.frequency(term);
        idf * frequency * (k1 + 1.0) / (frequency + k1 * (1.0 - b + b * length / self.average))
    }

    /// The terms of a text with their positions, as a text of a document has them.
    fn terms(&self, text: &str) -> Vec<(Kind, u32, String)> {
        let mut terms = Vec::new();
        let mut stems = Stems::new(self.analysis);
        self.analysis.tokens(text, |token| {
            stems.terms(token.text, token.kind, |term| {
                terms.push((token.kind, token.position, term.to_owned()));
            });
        });
        terms
    }

    /// The terms that have to follow each other: without the wholes of codes, and without characters that are in
    /// a pair.
    fn phrase(&self, text: &str) -> Vec<(u32, String)> {
        let all = self.terms(text);
        let is_paired = |at: u32| {
            all.iter().any(|(kind, position, _)| {
                *kind == Kind::Pair && (*position == at || position + 1 == at)
            })
        };
        let needed = all.iter().filter(|(kind, position, _)| match kind {
            Kind::Whole => false,
            Kind::Character => !is_paired(*position),
            _ => true,
        });
        needed
            .map(|(_, position, term)| (*position, term.clone()))
            .collect()
    }

    fn has_phrase(&self, document: &Document, text: &str) -> bool {
        let wanted = self.phrase(text);
        let Some((first, term)) = wanted.first() else {
            return false;
        };
        let starts = document.positions.get(term).into_iter().flatten();
        starts.into_iter().any(|start| {
            wanted.iter().all(|(position, term)| {
                let at = start + position - first;
                document
                    .positions
                    .get(term)
                    .is_some_and(|positions| positions.contains(&at))
            })
        })
    }

    /// Whether a query of plain words finds a document, and with what score. `strict`: the parts of a code have to
    /// follow each other.
    fn find(&self, document: &Document, query: &Query, strict: bool) -> Option<f64> {
        match query {
            Query::Term(text) => {
                let terms = self.terms(text);
                if strict && terms.len() > 1 && !self.has_phrase(document, text) {
                    return None;
                }
                let has = terms
                    .iter()
                    .any(|(_, _, term)| document.positions.contains_key(term));
                has.then(|| {
                    terms
                        .iter()
                        .filter(|(_, _, term)| document.positions.contains_key(term))
                })
                .map(|terms| terms.map(|(_, _, term)| self.score(document, term)).sum())
            }
            Query::Phrase(text) => self.has_phrase(document, text).then(|| {
                let distinct: BTreeSet<String> = self
                    .phrase(text)
                    .into_iter()
                    .map(|(_, term)| term)
                    .collect();
                distinct.iter().map(|term| self.score(document, term)).sum()
            }),
            Query::Prefix(text) => {
                let prefix = text.to_lowercase();
                document
                    .positions
                    .keys()
                    .any(|term| term.starts_with(&prefix))
                    .then_some(1.0)
            }
            Query::Boosted(query, boost) => self
                .find(document, query, strict)
                .map(|score| score * f64::from(*boost)),
            Query::Boolean { must, should, not } => {
                let mut sum = 0.0;
                for part in must {
                    sum += self.find(document, part, true)?;
                }
                if not
                    .iter()
                    .any(|part| self.find(document, part, true).is_some())
                {
                    return None;
                }
                let inner = strict && must.is_empty();
                let found = should
                    .iter()
                    .filter_map(|part| self.find(document, part, inner));
                let found: Vec<f64> = found.collect();
                (!must.is_empty() || !found.is_empty()).then(|| sum + found.iter().sum::<f64>())
            }
        }
    }

    /// Everything that a query finds, the best first.
    pub(super) fn search(
        &self,
        query: &Query,
        allowed: impl Fn(OwnerId) -> bool,
    ) -> Vec<(OwnerId, f64)> {
        let mut found: Vec<(OwnerId, f64)> = self
            .documents
            .iter()
            .filter(|(owner, _)| allowed(**owner))
            .filter_map(|(owner, document)| Some((*owner, self.find(document, query, false)?)))
            .collect();
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        found
    }
}
