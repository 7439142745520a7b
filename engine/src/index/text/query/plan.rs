//! From a query to terms: what a search walks over.
//!
//! A word of a query becomes the terms that the same word of a text would have. A code has itself and its parts, of
//! which any will do, best all; a run of Han its words and pairs of characters. Pairs within a longer word or
//! across two words count half: they are there so that nothing is missed, and the words of a run would otherwise
//! count several times beside a word of letters. Where something is required or excluded, the parts of a code and
//! the characters of a run have to follow each other.

use super::{Query, QueryLimits};
use crate::error::{Error, Result};
use crate::index::text::analysis::{self, Analysis, Kind, Stems, Token};
use std::collections::HashMap;
use std::ops::Range;

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
    /// Documents with any term that begins as a prefix does; the boost is their score.
    Prefix(PrefixAt, f32),
}

/// The number of a distinct prefix in a plan.
pub(crate) type PrefixAt = usize;

/// How terms begin that are looked for, and the stem of this beginning, which may be a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    pub(crate) prefix: Vec<u8>,
    pub(crate) stem: Vec<u8>,
}

/// A plan with its distinct terms and prefixes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    pub(crate) terms: Vec<Vec<u8>>,
    pub(crate) prefixes: Vec<Prefix>,
}

/// Plans a query for an index of this analysis.
///
/// # Errors
/// [`Error::TooMany`] if it has more terms than may be.
pub(crate) fn plan(query: &Query, analysis: Analysis, limits: QueryLimits) -> Result<Planned> {
    let mut planner = Planner {
        analysis,
        stems: Stems::new(analysis),
        known: HashMap::new(),
        terms: Vec::new(),
        prefixes: Vec::new(),
    };
    let plan = planner.plan(query, 1.0, false);
    let count = planner.terms.len();
    if count > limits.terms {
        return Err(Error::TooMany {
            what: "terms of a text query",
            count: count as u64,
            limit: limits.terms as u64,
        });
    }
    Ok(Planned {
        plan,
        terms: planner.terms,
        prefixes: planner.prefixes,
    })
}

struct Planner {
    analysis: Analysis,
    stems: Stems,
    known: HashMap<Vec<u8>, TermAt>,
    terms: Vec<Vec<u8>>,
    prefixes: Vec<Prefix>,
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
        let paired = analysis.paired(text);
        analysis.tokens(text, |token| {
            // In a run of two and more, pairs say what single characters do.
            if token.kind == Kind::Character && paired.contains(&token.position) {
                return;
            }
            let weight = if token.kind == Kind::Pair && !token.is_word {
                analysis::PAIR_WEIGHT
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

    /// The terms of a text at their distances.
    fn phrase(&mut self, text: &str, boost: f32) -> Plan {
        self.phrase_before(text, text.len(), boost)
    }

    /// The terms up to byte `end` of a text, at their distances. The words of Han are left out, and so is the whole of
    /// a code, as they add nothing; but `C++` is more than its only part says.
    fn phrase_before(&mut self, text: &str, end: usize, boost: f32) -> Plan {
        let mut terms: Vec<(TermAt, u32)> = Vec::new();
        let analysis = self.analysis;
        let paired = analysis.paired(text);
        analysis.tokens(text, |token| {
            let is_needed = match token.kind {
                Kind::Word | Kind::Exact | Kind::Pair | Kind::Signed => true,
                Kind::Character => !paired.contains(&token.position),
                Kind::Whole | Kind::HanWord => false,
            };
            if is_needed && token.span.end <= end {
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

    /// The last word of a text, as the beginning of terms; what is before it has to be there. A run of Han is looked
    /// for as it is: wherever it stands, its words go on.
    fn prefix(&mut self, text: &str, boost: f32) -> Plan {
        let mut last: Option<(String, Kind, Range<usize>)> = None;
        self.analysis.tokens(text, |token| {
            // The whole of a code comes before its parts.
            let is_part = last.as_ref().is_some_and(|(_, kind, span)| {
                matches!(kind, Kind::Whole | Kind::Signed) && token.span.end <= span.end
            });
            if !is_part {
                last = Some((token.text.to_owned(), token.kind, token.span.clone()));
            }
        });
        let Some((word, kind, span)) = last else {
            return Plan::Nothing;
        };
        if matches!(kind, Kind::Character | Kind::Pair | Kind::HanWord) {
            return self.phrase(text, boost);
        }
        let prefix = analysis::folded(&word).into_bytes();
        if prefix.is_empty() {
            return Plan::Nothing;
        }
        let mut stem = Vec::new();
        self.stems.terms(&word, kind, |term| {
            if stem.is_empty() {
                stem = term.as_bytes().to_vec();
            }
        });
        let wanted = Prefix { prefix, stem };
        let known = self.prefixes.iter().position(|known| *known == wanted);
        let at = known.unwrap_or_else(|| {
            self.prefixes.push(wanted);
            self.prefixes.len() - 1
        });
        let head = self.phrase_before(text, span.start, boost);
        combine(vec![head, Plan::Prefix(at, boost)], Vec::new(), Vec::new())
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

/// Puts parts together, without groups that do nothing. Terms that are named twice count twice. What has no terms, as
/// `!!!`, is passed over wherever it stands: it can neither be there nor be missing.
fn combine(must: Vec<Plan>, should: Vec<Plan>, not: Vec<Plan>) -> Plan {
    let must = joined(some(must));
    let not = some(not);
    let mut any: Vec<Plan> = Vec::new();
    for part in some(should) {
        match part {
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

/// The parts that have any terms.
fn some(parts: Vec<Plan>) -> Vec<Plan> {
    let parts = parts.into_iter();
    parts.filter(|part| *part != Plan::Nothing).collect()
}

/// Adds up the boosts of a term or prefix that is there several times.
fn joined(parts: Vec<Plan>) -> Vec<Plan> {
    let mut known: HashMap<(bool, usize), usize> = HashMap::new();
    let mut joined: Vec<Plan> = Vec::new();
    for part in parts {
        if let Plan::Term(at, boost) | Plan::Prefix(at, boost) = part {
            let key = (matches!(part, Plan::Prefix(..)), at);
            let before = known.get(&key).and_then(|at| joined.get_mut(*at));
            if let Some(Plan::Term(_, sum) | Plan::Prefix(_, sum)) = before {
                *sum += boost;
                continue;
            }
            known.insert(key, joined.len());
        }
        joined.push(part);
    }
    joined
}
