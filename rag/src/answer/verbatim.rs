//! Without a model: the sentences of the passages that fit the question best, word for word, in the order of reading. What only
//! says where facts are from (`citation.rs`) is told behind them, and only where none of them fits nearly as well. Where a
//! declared query has answered, its rows are the answer (`rows.rs`).

use std::collections::HashSet;

use stratigraph::graph::Entity;
use stratigraph::{Read, Value};

use super::citation::is_citation;
use super::{Answer, Answering, Sentence};
use crate::build::{Label, canonical};
use crate::chunk::telling_sentences;
use crate::cosine::cosine;
use crate::door::DoorError;
use crate::extract::Rules;
use crate::retrieve::{Found, RetrieveError};

/// So many sentences are looked through, of the first passages.
const MOST_READ: usize = 512;
/// So many of them, those with most of the question's words, get a vector.
const MOST_COMPARED: usize = 64;
/// An answer has so many sentences at most.
const MOST_TAKEN: usize = 3;
/// What fits less than this share of what fits best does not belong to the answer.
const LEAST_OF_BEST: f32 = 0.6;
/// Two sentences that share so much of their words say the same.
const SAME: f32 = 0.7;

/// A sentence that may be taken.
struct Candidate {
    number: usize,
    text: String,
    terms: HashSet<String>,
    /// The share of the question's words that it says.
    says: f32,
    score: f32,
    /// It is of a passage that passes for the address of something, and not for what is written there.
    is_address: bool,
}

impl<R: Read> Answering<'_, R> {
    /// Takes the best sentences, or the rows of the query that the question is for.
    pub(super) fn verbatim(&self, answer: &mut Answer) -> Result<(), DoorError> {
        if self.tells_rows(answer) {
            return Ok(());
        }
        let mut candidates = self.candidates()?;
        self.check()?;
        self.compare(&mut candidates)?;
        leave_out_addresses(&mut candidates);
        let (best, best_address) = (best_of(&candidates, false), best_of(&candidates, true));
        // Others leave a place to what passes for an address and may be what answers.
        let has_address = candidates.iter().any(|one| one.is_address);
        let most_others = MOST_TAKEN - usize::from(has_address);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        // Addresses last; of two that fit as well, the one that is read first.
        order.sort_by(|one, other| {
            let (one, other) = (&candidates[*one], &candidates[*other]);
            let by_score = other.score.total_cmp(&one.score);
            one.is_address.cmp(&other.is_address).then(by_score)
        });
        let mut taken: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in order {
            let candidate = &candidates[at];
            let (best, most) = match candidate.is_address {
                true => (best_address, MOST_TAKEN),
                false => (best, most_others),
            };
            if candidate.score < best * LEAST_OF_BEST {
                continue;
            }
            let known = taken
                .iter()
                .position(|(known, _)| same(&candidates[*known].terms, &candidate.terms));
            match known {
                // Who says the same is cited for it, too.
                Some(place) => {
                    let sources = &mut taken[place].1;
                    if !sources.contains(&candidate.number) {
                        sources.push(candidate.number);
                    }
                }
                None if taken.len() < most => taken.push((at, vec![candidate.number])),
                None => {}
            }
        }
        taken.sort_unstable_by_key(|(at, _)| (candidates[*at].is_address, *at));
        let passages: HashSet<usize> = taken
            .iter()
            .flat_map(|(_, sources)| sources.clone())
            .collect();
        answer.analysis = format!(
            "Sentences of {} of {} passages, word for word: those that are nearest to the question and say most of its words.",
            passages.len(),
            self.passages().count()
        );
        let sentences = taken.into_iter().map(|(at, mut sources)| {
            sources.sort_unstable();
            Sentence {
                text: candidates[at].text.clone(),
                sources,
                supported: true,
                score: candidates[at].score,
                lacks: Vec::new(),
            }
        });
        answer.answer = sentences.collect();
        Ok(())
    }

    /// All sentences in the order of reading.
    fn candidates(&self) -> Result<Vec<Candidate>, RetrieveError> {
        let wanted = self.desk.wanted()?;
        let mut candidates = Vec::new();
        for (number, found) in self.passages() {
            if is_bare_name(found) || self.says_only_together(found)? {
                continue;
            }
            let is_address = is_citation(self.desk, found)?;
            let heading = wanted.terms_of([found.heading.as_str()]);
            for span in telling_sentences(&found.text) {
                if candidates.len() >= MOST_READ {
                    return Ok(candidates);
                }
                let words: Vec<&str> = found.text[span].split_whitespace().collect();
                let text = words.join(" ");
                // A chunk may begin with its own heading, which answers nothing, in whatever format it is.
                let bare = text.trim_start_matches('#').trim();
                let is_heading = found.heading.split(" > ").any(|part| part == bare);
                if is_heading || !text.contains(char::is_alphanumeric) {
                    continue;
                }
                let terms = wanted.terms_of([text.as_str()]);
                let share = |terms: &HashSet<String>| wanted.share(terms).unwrap_or(0.0);
                // What stands above a sentence is half said by it.
                let with_heading = terms.union(&heading).cloned().collect();
                let says = f32::midpoint(share(&terms), share(&with_heading));
                candidates.push(Candidate {
                    number,
                    text,
                    terms,
                    says,
                    score: says / 2.0,
                    is_address,
                });
            }
        }
        Ok(candidates)
    }

    /// Whether it is a fact of rules that says only that two things are named in one sentence, which answers nothing.
    fn says_only_together(&self, found: &Found) -> Result<bool, RetrieveError> {
        // Few texts have these words, and of those it is looked up.
        if !found.text.contains(Rules::CO_OCCURS) {
            return Ok(false);
        }
        let read = self.desk.read();
        let Some(Entity::Relationship(id)) = found.receipt.name.entity(read)? else {
            return Ok(false);
        };
        let fact = read.relationship_with(id, &["predicate"])?;
        let predicate = fact.as_ref().and_then(|fact| fact.get("predicate"));
        Ok(predicate.and_then(Value::as_str) == Some(Rules::CO_OCCURS))
    }

    /// Adds how near those are that say most.
    fn compare(&self, candidates: &mut [Candidate]) -> Result<(), DoorError> {
        let mut most: Vec<usize> = (0..candidates.len()).collect();
        most.sort_by(|one, other| candidates[*other].says.total_cmp(&candidates[*one].says));
        most.truncate(MOST_COMPARED);
        let texts: Vec<&str> = most
            .iter()
            .map(|at| candidates[*at].text.as_str())
            .collect();
        let rows = self
            .desk
            .embedder()
            .embed(&texts)
            .map_err(RetrieveError::from)?;
        let question = self.desk.vector()?;
        let near: Vec<f32> = rows
            .iter()
            .map(|row| cosine(question, row).unwrap_or(0.0).max(0.0))
            .collect();
        for (at, near) in most.into_iter().zip(near) {
            candidates[at].score = f32::midpoint(candidates[at].says, near);
        }
        Ok(())
    }
}

/// Leaves addresses out where something else answers: it fits nearly as well. Where nothing does, what has no word of the question
/// is left out, so that it is not told before one.
fn leave_out_addresses(candidates: &mut Vec<Candidate>) {
    let least = best_of(candidates, true) * LEAST_OF_BEST;
    let mut others = candidates.iter().filter(|one| !one.is_address);
    let is_answered = others.any(|one| one.score >= least);
    candidates.retain(|one| match one.is_address {
        true => !is_answered,
        false => is_answered || one.says > 0.0,
    });
}

/// How well the best fits of those that are addresses, or of the others.
fn best_of(candidates: &[Candidate], is_address: bool) -> f32 {
    let of_them = candidates.iter();
    let of_them = of_them.filter(|one| one.is_address == is_address);
    of_them.map(|one| one.score).fold(0.0, f32::max)
}

/// Whether it says no more than what it is called, as an entity that nobody describes: a name answers nothing.
fn is_bare_name(found: &Found) -> bool {
    let name = &found.receipt.name;
    name.kind == Label::Entity.name() && canonical(&found.text) == name.key
}

/// Whether two sentences say the same: in the same words, or one within the other.
fn same(one: &HashSet<String>, other: &HashSet<String>) -> bool {
    let both = one.intersection(other).count();
    let all = one.len() + other.len() - both;
    let least = one.len().min(other.len());
    all > 0 && (both as f32 >= SAME * all as f32 || (both == least && least >= 4))
}
