//! From a query to terms: what a search walks over.
//!
//! A word of a query becomes the terms that the same word of a text would have. A code has itself and its parts, of
//! which any will do, best all; a run of Han its words and pairs of characters. Pairs within a longer word or
//! across two words count half: they are there so that nothing is missed, and the words of a run would otherwise
//! count several times beside a word of letters. Where something is required or excluded, the parts of a code and
//! the characters of a run have to follow each other.

use super::Query;
use crate::index::text::analysis::{self, Analysis, Kind, Stems, Token};
use std::collections::{HashMap, HashSet};

/// What a pair of Han characters counts that is no word.
const PAIR_BOOST: f32 = 0.5;

/// The number of a distinct term in a plan.
pub(crate) type TermAt = usize;

/// What is walked over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plan {
    /// Finds nothing.
    Nothing,
    /// Documents with a term, by its score times the boost.
    Term(TermAt, f32),
    /// Documents with any of the parts, by the sum of their scores.
    Any(Vec<Plan>),
    /// Documents with all of `must` and none of `not`, by the scores of these and of `should`.
    All {
        must: Vec<Plan>,
        should: Vec<Plan>,
        not: Vec<Plan>,
    },
    /// Documents in which terms stand at these distances; scored as their terms are.
    Phrase {
        terms: Vec<(TermAt, u32)>,
        boost: f32,
    },
    /// Documents with any term that begins so; the boost is their score.
    Prefix {
        prefix: Vec<u8>,
        stem: Vec<u8>,
        boost: f32,
    },
}

/// A plan with its distinct terms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    pub(crate) terms: Vec<Vec<u8>>,
}

/// Plans a query for an index of this analysis.
pub(crate) fn plan(query: &Query, analysis: Analysis) -> Planned {
    let mut planner = Planner {
        analysis,
        stems: Stems::new(analysis),
        known: HashMap::new(),
        terms: Vec::new(),
    };
    let plan = planner.plan(query, 1.0, false);
    Planned {
        plan,
        terms: planner.terms,
    }
}

struct Planner {
    analysis: Analysis,
    stems: Stems,
    known: HashMap<Vec<u8>, TermAt>,
    terms: Vec<Vec<u8>>,
}

impl Planner {
    fn plan(&mut self, query: &Query, boost: f32, strict: bool) -> Plan {
        match query {
            Query::Term(text) => self.words(text, boost, strict),
            Query::Phrase(text) => self.phrase(text, boost),
            Query::Prefix(text) => self.prefix(text, boost),
            Query::Boosted(query, times) => self.plan(query, boost * times, strict),
            Query::Boolean { must, should, not } => {
                let mut all = |parts: &[Query], strict| -> Vec<Plan> {
                    parts
                        .iter()
                        .map(|part| self.plan(part, boost, strict))
                        .collect()
                };
                let must = all(must, true);
                let should = all(should, strict && must.is_empty());
                let not = all(not, true);
                combine(must, should, not)
            }
        }
    }

    /// The words of a text: any of them, each strictly or by any of its terms.
    fn words(&mut self, text: &str, boost: f32, strict: bool) -> Plan {
        let mut parts: Vec<Plan> = Vec::new();
        let analysis = self.analysis;
        let has_pairs = has_pairs(analysis, text);
        analysis.tokens(text, |token| {
            // In a run of two and more, pairs say what single characters do.
            if token.kind == Kind::Character && has_pairs.contains(&token.position) {
                return;
            }
            let weight = if token.kind == Kind::Pair && !token.is_word {
                PAIR_BOOST
            } else {
                1.0
            };
            self.each_term(token, |term| parts.push(Plan::Term(term, boost * weight)));
        });
        let any = combine(Vec::new(), parts, Vec::new());
        if !strict || !matches!(&any, Plan::Any(parts) if parts.len() > 1) {
            return any;
        }
        match self.phrase(text, 0.0) {
            // The phrase decides, the terms score.
            phrase @ Plan::Phrase { .. } => combine(vec![phrase], vec![any], Vec::new()),
            _ => any,
        }
    }

    /// Terms at their distances; the whole of a code and the words of Han are left out, as they add nothing.
    fn phrase(&mut self, text: &str, boost: f32) -> Plan {
        let mut terms: Vec<(TermAt, u32)> = Vec::new();
        let analysis = self.analysis;
        let has_pairs = has_pairs(analysis, text);
        analysis.tokens(text, |token| {
            let is_needed = match token.kind {
                Kind::Word | Kind::Exact | Kind::Pair => true,
                Kind::Character => !has_pairs.contains(&token.position),
                Kind::Whole | Kind::HanWord => false,
            };
            if is_needed {
                // Of two stems either would do; the first is what texts with the accent have as well.
                let mut first = true;
                self.each_term(token, |term| {
                    if std::mem::take(&mut first) {
                        terms.push((term, token.position));
                    }
                });
            }
        });
        let first = terms.first().map_or(0, |first| first.1);
        terms.iter_mut().for_each(|term| term.1 -= first);
        match terms.as_slice() {
            [] => Plan::Nothing,
            [(term, _)] => Plan::Term(*term, boost),
            _ => Plan::Phrase { terms, boost },
        }
    }

    /// The longest word of a text, as the beginning of terms. A run of Han is looked for as it is: wherever it
    /// stands, its words go on.
    fn prefix(&mut self, text: &str, boost: f32) -> Plan {
        let mut longest: Option<(String, Kind)> = None;
        self.analysis.tokens(text, |token| {
            let is_word = matches!(token.kind, Kind::Word | Kind::Exact | Kind::Whole);
            if is_word
                && longest
                    .as_ref()
                    .is_none_or(|(known, _)| known.len() < token.text.len())
            {
                longest = Some((token.text.to_owned(), token.kind));
            }
        });
        let Some((word, kind)) = longest else {
            return self.phrase(text, boost);
        };
        let mut stem = Vec::new();
        self.stems.terms(&word, kind, |term| {
            if stem.is_empty() {
                stem = term.as_bytes().to_vec();
            }
        });
        Plan::Prefix {
            prefix: analysis::folded(&word).into_bytes(),
            stem,
            boost,
        }
    }

    fn each_term(&mut self, token: &Token<'_>, mut visit: impl FnMut(TermAt)) {
        let (known, terms) = (&mut self.known, &mut self.terms);
        self.stems.terms(token.text, token.kind, |term| {
            let at = *known.entry(term.as_bytes().to_vec()).or_insert_with(|| {
                terms.push(term.as_bytes().to_vec());
                terms.len() - 1
            });
            visit(at);
        });
    }
}

/// The positions of characters that are in a pair, as its first or its second.
fn has_pairs(analysis: Analysis, text: &str) -> HashSet<u32> {
    let mut paired = HashSet::new();
    if text.is_ascii() {
        return paired;
    }
    analysis.tokens(text, |token| {
        if token.kind == Kind::Pair {
            paired.extend([token.position, token.position + 1]);
        }
    });
    paired
}

/// Puts parts together, without groups that do nothing. Terms that are named twice count twice.
fn combine(must: Vec<Plan>, should: Vec<Plan>, not: Vec<Plan>) -> Plan {
    if must.contains(&Plan::Nothing) {
        return Plan::Nothing;
    }
    let not: Vec<Plan> = not
        .into_iter()
        .filter(|part| *part != Plan::Nothing)
        .collect();
    let mut any: Vec<Plan> = Vec::new();
    for part in should {
        match part {
            Plan::Nothing => {}
            Plan::Any(parts) => any.extend(parts),
            other => any.push(other),
        }
    }
    let any = joined(any);
    if must.is_empty() {
        let some = match any.len() {
            0 => return Plan::Nothing,
            1 => any.into_iter().next().unwrap_or(Plan::Nothing),
            _ => Plan::Any(any),
        };
        if not.is_empty() {
            return some;
        }
        return Plan::All {
            must: vec![some],
            should: Vec::new(),
            not,
        };
    }
    if let ([_], [], []) = (must.as_slice(), any.as_slice(), not.as_slice()) {
        return must.into_iter().next().unwrap_or(Plan::Nothing);
    }
    Plan::All {
        must,
        should: any,
        not,
    }
}

/// Adds up the boosts of a term that is there several times.
fn joined(parts: Vec<Plan>) -> Vec<Plan> {
    let mut boosts: HashMap<TermAt, usize> = HashMap::new();
    let mut joined: Vec<Plan> = Vec::new();
    for part in parts {
        if let Plan::Term(term, boost) = part {
            if let Some(Plan::Term(_, sum)) = boosts.get(&term).and_then(|at| joined.get_mut(*at)) {
                *sum += boost;
                continue;
            }
            boosts.insert(term, joined.len());
        }
        joined.push(part);
    }
    joined
}
