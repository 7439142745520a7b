//! Where a text matches a query: byte spans in the text as it is, and the part of it that shows most.
//!
//! It looks at a text that the caller has, by the index's analysis; nothing of the index is read. Phrases light up
//! where they stand as a whole, and what a query excludes never does.

use super::analysis;
use super::query::plan::{Plan, Planned, Prefix, plan};
use super::query::{Query, QueryLimits};
use super::settings::TextSettings;
use crate::error::Result;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Where a text matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlight {
    /// The matching bytes, rising, apart from each other, at characters.
    pub spans: Vec<Range<usize>>,
    /// The part of the text with the most distinct matches, at most as long as was asked for; it begins and ends
    /// between words where it can.
    pub window: Range<usize>,
}

/// Marks texts for one query.
pub struct Highlighter {
    analysis: analysis::Analysis,
    terms: HashMap<Vec<u8>, usize>,
    /// Terms that light up wherever they are.
    alone: HashSet<usize>,
    phrases: HashSet<Vec<(usize, u32)>>,
    prefixes: Vec<Vec<u8>>,
}

/// A token that may match.
struct Place {
    span: Range<usize>,
    position: u32,
    terms: Vec<usize>,
    /// Whether it lights up by itself, and as what: equal ones count once for the window.
    shown_as: Option<usize>,
}

impl Highlighter {
    /// A highlighter for the texts of an index.
    ///
    /// # Errors
    /// As a search with the query.
    pub fn new(settings: &TextSettings, query: &Query) -> Result<Self> {
        query.check(QueryLimits::DEFAULT)?;
        let planned = plan(query, settings.analysis(), QueryLimits::DEFAULT)?;
        let Planned {
            plan,
            terms,
            prefixes,
        } = planned;
        let mut highlighter = Self {
            analysis: settings.analysis(),
            terms: terms
                .into_iter()
                .enumerate()
                .map(|(at, term)| (term, at))
                .collect(),
            alone: HashSet::new(),
            phrases: HashSet::new(),
            prefixes: Vec::new(),
        };
        highlighter.collect(&plan, &prefixes);
        Ok(highlighter)
    }

    fn collect(&mut self, plan: &Plan, prefixes: &[Prefix]) {
        match plan {
            Plan::Nothing => {}
            Plan::Term(term, _) => {
                self.alone.insert(*term);
            }
            Plan::Any(parts) => parts.iter().for_each(|part| self.collect(part, prefixes)),
            Plan::All { must, should, .. } => must
                .iter()
                .chain(should)
                .for_each(|part| self.collect(part, prefixes)),
            Plan::Phrase { terms, .. } => {
                self.phrases.insert(terms.clone());
            }
            Plan::Prefix(at, _) => {
                let Some(Prefix { prefix, stem }) = prefixes.get(*at) else {
                    return;
                };
                self.prefixes.push(prefix.clone());
                let next = self.terms.len();
                let at = *self.terms.entry(stem.clone()).or_insert(next);
                self.alone.insert(at);
            }
        }
    }

    /// Marks a text; the window has at most `window_bytes` bytes.
    #[must_use]
    pub fn mark(&self, text: &str, window_bytes: usize) -> Highlight {
        let (mut places, words) = self.places(text);
        self.show_phrases(&mut places);
        let mut shown: Vec<(Range<usize>, usize)> = places
            .into_iter()
            .filter_map(|place| Some((place.span, place.shown_as?)))
            .collect();
        shown.sort_by_key(|(span, _)| (span.start, span.end));
        let window = window(text, &shown, &words, window_bytes);
        let mut spans: Vec<Range<usize>> = Vec::new();
        for (span, _) in shown {
            match spans.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => spans.push(span),
            }
        }
        Highlight { spans, window }
    }

    /// The tokens that may match, and the spans of all words.
    fn places(&self, text: &str) -> (Vec<Place>, Vec<Range<usize>>) {
        let mut stems = analysis::Stems::new(self.analysis);
        let (mut places, mut words) = (Vec::new(), Vec::new());
        self.analysis.tokens(text, |token| {
            let mut terms = Vec::new();
            let mut shown_as = None;
            stems.terms(token.text, token.kind, |term| {
                if let Some(term) = self.terms.get(term.as_bytes()) {
                    terms.push(*term);
                    if self.alone.contains(term) {
                        shown_as = Some(*term);
                    }
                }
                let prefix = self
                    .prefixes
                    .iter()
                    .position(|prefix| term.as_bytes().starts_with(prefix));
                shown_as = shown_as.or(prefix.map(|at| self.terms.len() + at));
            });
            if !terms.is_empty() || shown_as.is_some() {
                places.push(Place {
                    span: token.span.clone(),
                    position: token.position,
                    terms,
                    shown_as,
                });
            }
            words.push(token.span.clone());
        });
        (places, words)
    }

    /// Lights up the tokens of phrases that stand as a whole.
    fn show_phrases(&self, places: &mut [Place]) {
        if self.phrases.is_empty() {
            return;
        }
        let mut stands: HashSet<(usize, u32)> = HashSet::new();
        let mut positions: HashMap<usize, Vec<u32>> = HashMap::new();
        for place in places.iter() {
            for term in &place.terms {
                if stands.insert((*term, place.position)) {
                    positions.entry(*term).or_default().push(place.position);
                }
            }
        }
        let mut lit: HashSet<(usize, u32)> = HashSet::new();
        for phrase in &self.phrases {
            let first = phrase.first().and_then(|(term, _)| positions.get(term));
            for begin in first.into_iter().flatten() {
                let mut places = phrase
                    .iter()
                    .map(|(term, distance)| (*term, begin + distance));
                if places.clone().all(|place| stands.contains(&place)) {
                    lit.extend(places.by_ref());
                }
            }
        }
        for place in places.iter_mut() {
            let term = place
                .terms
                .iter()
                .find(|term| lit.contains(&(**term, place.position)));
            place.shown_as = place.shown_as.or(term.copied());
        }
    }
}

/// The part of a text with the most distinct matches, then the most matches; the first of equals.
fn window(
    text: &str,
    shown: &[(Range<usize>, usize)],
    words: &[Range<usize>],
    bytes: usize,
) -> Range<usize> {
    if text.len() <= bytes {
        return 0..text.len();
    }
    let mut best = (0, 0, 0..0);
    // The matches from each one on that fit, which begin and end later with each.
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let mut to = 0;
    for (at, (first, term)) in shown.iter().enumerate() {
        to = to.max(at);
        while let Some((span, term)) = shown.get(to)
            && span.end <= first.start + bytes
        {
            *counts.entry(*term).or_default() += 1;
            to += 1;
        }
        if to == at {
            continue;
        }
        let end = shown.get(to - 1).map_or(first.end, |(last, _)| last.end);
        if (counts.len(), to - at) > (best.0, best.1) {
            best = (counts.len(), to - at, first.start..end);
        }
        if let Entry::Occupied(mut count) = counts.entry(*term) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
    let core = best.2;
    // What is left of the length goes to both sides, but not through a word.
    let spare = bytes.saturating_sub(core.len());
    let from = core.start.saturating_sub(spare / 2);
    let to = (from + bytes).min(text.len());
    let from = if to == text.len() {
        to.saturating_sub(bytes)
    } else {
        from
    };
    let begin = words
        .iter()
        .map(|word| word.start)
        .find(|start| *start >= from);
    let begin = if from == 0 {
        0
    } else {
        begin.unwrap_or(core.start).min(core.start)
    };
    let end = words
        .iter()
        .map(|word| word.end)
        .take_while(|end| *end <= to)
        .max();
    let end = if to == text.len() {
        to
    } else {
        end.unwrap_or(core.end).max(core.end)
    };
    at_characters(text, begin..end.max(begin))
}

fn at_characters(text: &str, range: Range<usize>) -> Range<usize> {
    text.floor_char_boundary(range.start)..text.floor_char_boundary(range.end)
}
