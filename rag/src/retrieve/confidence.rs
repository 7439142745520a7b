//! How far what was found can be trusted to have the answer: one number, made of parts that are told.
//!
//! A corpus always has something that is nearest. Whether that is near enough is a question of two things that can be
//! seen without asking anybody: how near it is, and whether it says the words of the question that are rare. A threshold
//! on the number is found by [`calibrate`](crate::calibrate), for one pipeline and one embedder.
//!
//! It is a question of what is known, and not of how much of that somebody wants to read: all that the usual budget holds
//! is looked at where less is packed, so that a threshold holds for any budget.

use std::collections::{BTreeMap, HashSet};

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::index::text::Query;
use stratigraph::{Analysis, Read, TextAnswer, TextSearch};

use super::{Desk, Found, RetrieveError};
use crate::build::CHUNK_TEXTS;
use crate::cosine::cosine;
use crate::extract::is_common;

/// So many of what is looked at are looked through for the question's words: the best.
const BEST: usize = 5;
/// So much of a question is looked up word by word.
const MOST_BYTES: usize = 4 << 10;

/// How far what was found can be trusted to have the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    /// From 0 to 1; 0 if nothing was found.
    pub value: f32,
    /// What it is made of.
    #[serde(flatten)]
    pub parts: ConfidenceParts,
}

/// What a confidence is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceParts {
    /// The best cosine of the question and something that was packed, or that the usual budget would hold; nothing if none
    /// of it has a vector.
    pub cosine: Option<f32>,
    /// The share of the question's words that the best of it say, each weighed by its rarity among all texts; nothing for
    /// a question of common words alone.
    pub coverage: Option<f32>,
}

impl Confidence {
    /// What the parts come to.
    #[must_use]
    pub fn of(parts: ConfidenceParts) -> Self {
        Self {
            value: weighed(parts),
            parts,
        }
    }
}

/// The one formula: the mean of both parts, or the one that there is. Of a sum, unlike a product, an answer in other words
/// than the question's keeps half, and so does one that says all of its words in a long text that is about much else.
fn weighed(parts: ConfidenceParts) -> f32 {
    let cosine = parts.cosine.map(|cosine| cosine.clamp(0.0, 1.0));
    match (cosine, parts.coverage) {
        (Some(cosine), Some(coverage)) => f32::midpoint(cosine, coverage),
        (one, other) => one.or(other).unwrap_or(0.0),
    }
}

/// The words of a question that say something, each with how much it says: as the index has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    analysis: Option<Analysis>,
    weights: BTreeMap<String, f32>,
}

impl Wanted {
    /// Those of a text, by how many documents have them.
    fn of(analysis: Analysis, text: &str, counted: Option<&TextAnswer>) -> Self {
        let documents = counted.map_or(0, |counted| counted.documents);
        let known = counted.into_iter().flat_map(|counted| &counted.terms);
        let known: BTreeMap<&str, u64> = known
            .map(|count| (count.term.as_str(), count.documents))
            .collect();
        let common = common(analysis, text);
        let terms = analysis.terms(text).into_iter();
        let terms = terms.filter(|term| term.weight > 0.0 && !common.contains(&term.text));
        let weights = terms.map(|term| {
            let with = known.get(term.text.as_str()).copied().unwrap_or_default();
            let weight = term.weight * word_weight(documents, with);
            (term.text, weight)
        });
        Self {
            analysis: Some(analysis),
            weights: weights.collect(),
        }
    }

    /// Those of the texts.
    pub(crate) fn terms_of<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> HashSet<String> {
        let analysis = self.analysis.unwrap_or(Analysis::Plain);
        let terms = texts.into_iter().flat_map(|text| analysis.terms(text));
        terms.map(|term| term.text).collect()
    }

    /// Those of a text that say something in any text.
    pub(crate) fn content_of(&self, text: &str) -> HashSet<String> {
        let analysis = self.analysis.unwrap_or(Analysis::Plain);
        let common = common(analysis, text);
        let terms = analysis.terms(text).into_iter();
        let terms = terms.filter(|term| term.weight > 0.0 && !common.contains(&term.text));
        terms.map(|term| term.text).collect()
    }

    /// The share of the words that are among these; nothing if there are no words.
    pub(crate) fn share(&self, among: &HashSet<String>) -> Option<f32> {
        let all: f32 = self.weights.values().sum();
        let found = self.weights.iter();
        let found: f32 = found
            .filter(|(term, _)| among.contains(*term))
            .map(|(_, weight)| weight)
            .sum();
        (all > 0.0).then(|| (found / all).min(1.0))
    }
}

/// How much a word says that so many of the documents have: as BM25 has it. One that none has says most.
pub(super) fn word_weight(documents: u64, with: u64) -> f32 {
    let (all, with) = (documents as f64, with.min(documents) as f64);
    ((1.0 + (all - with + 0.5) / (with + 0.5)).ln()) as f32
}

/// The terms of the words of a text that say little in any text.
fn common(analysis: Analysis, text: &str) -> HashSet<String> {
    let words = text.split(|sign: char| !sign.is_alphanumeric());
    let words = words.map(str::to_lowercase).filter(|word| is_common(word));
    let terms = words.flat_map(|word| analysis.terms(&word));
    terms.map(|term| term.text).collect()
}

/// How the texts of a graph become terms.
fn analysis<R: Read>(read: &R) -> Analysis {
    let index = read.catalog().text_index_named(CHUNK_TEXTS);
    index.map_or(Analysis::Plain, |index| index.settings.analysis())
}

/// The words of the question.
pub(super) fn wanted<R: Read>(
    desk: &Desk<'_, R>,
    counted: Option<&TextAnswer>,
) -> Result<Wanted, RetrieveError> {
    let text = desk.text();
    let text = &text[..text.floor_char_boundary(MOST_BYTES.min(text.len()))];
    let analysis = analysis(desk.read());
    if counted.is_some() {
        return Ok(Wanted::of(analysis, text, counted));
    }
    // Nothing is looked for but how many have each word, and so among nothing.
    let nothing = RoaringTreemap::new();
    let search = TextSearch::of(Query::term(text), 1).among(&nothing);
    match desk.read().search_text(CHUNK_TEXTS, &search) {
        Ok(counted) => Ok(Wanted::of(analysis, text, Some(&counted))),
        // A graph of tables alone: no word is rarer than another.
        Err(stratigraph::Error::UnknownName { .. }) => Ok(Wanted::of(analysis, text, None)),
        Err(error) => Err(error.into()),
    }
}

/// How far these can be trusted, of which those at the places that are named are looked at, the best first.
pub(super) fn confidence<R: Read>(
    desk: &Desk<'_, R>,
    found: &[Found],
    entities: &[Entity],
    trusted: &[usize],
) -> Result<Confidence, RetrieveError> {
    if trusted.is_empty() {
        return Ok(Confidence::default());
    }
    let best = trusted.iter().take(BEST).map(|place| &found[*place]);
    let texts = best.flat_map(|found| [found.heading.as_str(), found.text.as_str()]);
    let wanted = desk.wanted()?;
    let entities: Vec<Entity> = trusted.iter().map(|place| entities[*place]).collect();
    Ok(Confidence::of(ConfidenceParts {
        cosine: nearest(desk, &entities)?,
        coverage: wanted.share(&wanted.terms_of(texts)),
    }))
}

/// The best cosine of the question and any of these that has a vector: its own, or that of its summary.
fn nearest<R: Read>(desk: &Desk<'_, R>, of: &[Entity]) -> Result<Option<f32>, RetrieveError> {
    let own = desk.read().vectors_of(of, "embedding")?;
    let without = of.iter().zip(&own).filter(|(_, own)| own.is_none());
    let without: Vec<Entity> = without.map(|(entity, _)| *entity).collect();
    let summaries = match without.is_empty() {
        true => Vec::new(),
        false => desk.read().vectors_of(&without, "summary_embedding")?,
    };
    let mut best: Option<f32> = None;
    for vector in own.iter().chain(&summaries).flatten() {
        let near = cosine(desk.vector()?, vector.as_slice());
        best = near.into_iter().chain(best).reduce(f32::max);
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::super::trial::Trial;
    use super::super::{Pipeline, Question, Retrieved};
    use super::*;

    #[test]
    fn the_formula_is_the_mean_of_what_there_is() {
        let of = |cosine, coverage| Confidence::of(ConfidenceParts { cosine, coverage }).value;
        assert_eq!(of(Some(0.5), Some(1.0)), 0.75);
        assert_eq!(of(Some(-0.5), Some(0.5)), 0.25);
        assert_eq!(of(None, Some(0.25)), 0.25);
        assert_eq!(of(Some(0.5), None), 0.5);
        assert_eq!(of(None, None), 0.0);
    }

    #[test]
    fn what_none_has_says_most_and_what_all_have_least() {
        let rarities = [0, 1, 10, 999, 1000].map(|with| word_weight(1000, with));
        assert!(
            rarities.is_sorted_by(|rare, common| rare > common),
            "{rarities:?}"
        );
        assert!(word_weight(0, 0) > 0.0);
    }

    fn trial() -> Trial {
        let trial = Trial::new();
        trial.put("one.md", 2021, "# Rocks\n\nBasalt was lava 0.8.\n", &[]);
        trial.put("two.md", 2021, "# Sea\n\nSalt is in it 0.4.\n", &[]);
        trial.put("three.md", 2021, "# Wind\n\nIt blows and blows 0.2.\n", &[]);
        trial
    }

    fn asked(trial: &Trial, question: &Question, pipeline: &str) -> Confidence {
        let pipeline = Pipeline::preset(pipeline).unwrap();
        trial.ask_for(question, |desk| pipeline.retrieve(desk).unwrap().confidence)
    }

    #[test]
    fn it_is_the_best_cosine_and_the_share_of_rare_words() {
        let trial = trial();
        let all = asked(
            &trial,
            &Question::new("What was the lava?").unwrap(),
            "vector",
        );
        assert!((all.parts.cosine.unwrap() - 0.8).abs() < 1e-5, "{all:?}");
        assert_eq!(all.parts.coverage, Some(1.0));
        // A word that no text has is worth more than one that one of them has.
        let half = asked(&trial, &Question::new("lava or granite").unwrap(), "vector");
        assert!(
            (0.2..0.5).contains(&half.parts.coverage.unwrap()),
            "{half:?}"
        );
        let none = asked(&trial, &Question::new("granite").unwrap(), "vector");
        assert_eq!(none.parts.coverage, Some(0.0));
        // Common words alone say nothing.
        let common = asked(&trial, &Question::new("What is it?").unwrap(), "vector");
        assert_eq!(common.parts.coverage, None);
        assert_eq!(common.value, common.parts.cosine.unwrap());
        let direct = asked(&trial, &Question::new("lava").unwrap(), "direct");
        assert_eq!(direct, Confidence::default());
    }

    fn retrieved(trial: &Trial, pipeline: &Pipeline, budget: usize) -> Retrieved {
        let mut pipeline = pipeline.clone();
        pipeline.budget = budget;
        trial.ask("lava", |desk| pipeline.retrieve(desk).unwrap())
    }

    fn packs_something(retrieved: &Retrieved) -> bool {
        retrieved.found.iter().any(|found| found.packed)
    }

    #[test]
    fn what_may_not_be_found_is_not_trusted() {
        let trial = trial();
        let question = Question::new("lava").unwrap().only("year", 1999);
        assert_eq!(asked(&trial, &question, "vector"), Confidence::default());
    }

    #[test]
    fn a_smaller_budget_is_no_reason_to_trust_it_less() {
        let (trial, pipeline) = (trial(), Pipeline::preset("vector").unwrap());
        let usual = retrieved(&trial, &pipeline, pipeline.budget);
        assert!(packs_something(&usual) && usual.confidence.value > 0.5);
        for budget in [1, 5, 10] {
            let less = retrieved(&trial, &pipeline, budget);
            assert_eq!(less.found.len(), usual.found.len());
            assert_eq!(less.confidence, usual.confidence, "{budget}");
        }
        assert!(!packs_something(&retrieved(&trial, &pipeline, 1)));
    }

    #[test]
    fn what_no_usual_budget_holds_counts_where_it_is_packed() {
        let trial = Trial::new();
        // Of eighty words each, so that the usual budget holds half of them. The nearest has the word once, and is last.
        for number in 0..50 {
            let (words, cosine) = match number {
                0 => (format!("lava {}", "sand ".repeat(78)), 0.9),
                _ => ("lava ".repeat(79), 0.1),
            };
            let text = format!("# Rocks\n\n{} {words}{cosine}\n", number + 2);
            trial.put(&format!("{number}.md"), 2021, &text, &[]);
        }
        let by_words = "name = 'words'\n[[stage]]\nname = 'words'\nrun.bm25 = { k = 50 }";
        let by_words = Pipeline::parse(by_words).unwrap();
        let cosine = |budget: usize| {
            let found = retrieved(&trial, &by_words, budget);
            assert_eq!(found.found.len(), 50);
            found.confidence.parts.cosine.unwrap()
        };
        for (budget, expected) in [(30, 0.1), (2000, 0.1), (10_000, 0.9)] {
            assert!((cosine(budget) - expected).abs() < 1e-5, "{budget}");
        }
    }

    #[test]
    fn a_search_that_was_made_is_not_made_again() {
        let trial = trial();
        let question = Question::new("lava or granite").unwrap();
        let by_words = "name = 'words'\n[[stage]]\nname = 'words'\nrun.bm25 = { k = 9 }";
        let by_words = Pipeline::parse(by_words).unwrap();
        let counted = trial.ask_for(&question, |desk| {
            by_words.run(desk).unwrap();
            desk.wanted().unwrap().clone()
        });
        let searched = trial.ask_for(&question, |desk| desk.wanted().unwrap().clone());
        assert_eq!(counted, searched);
    }
}
