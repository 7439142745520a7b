//! What a stage of a pipeline can do: each operator by its name, with how many lists it takes.
//!
//! The operators themselves are in files of their own; here is what they have in common. Next: `pipeline.rs`.

use serde::{Deserialize, Serialize};
use stratigraph::Read;

use super::walk::MOST_STEPS;
use super::{
    About, Around, Ascend, Attest, Bm25, Communities, Descend, Desk, Expand, ExtractTriples,
    Follow, Fuse, Gather, Item, Judge, Limit, Mentions, MultiQuery, Narrow, Onward, Rank, Rerank,
    RetrieveError, Route, Support, Threshold, Together, Vector, fuse,
};
use crate::extract::Cost;

/// The largest number that an operator may be told: whoever asks must not be able to ask for all memory there is.
const MOST_ASKED: u64 = 10_000_000;

/// What a stage does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operator {
    /// Finds what is near.
    Vector(Vector),
    /// Finds what has the words.
    Bm25(Bm25),
    /// Finds what the question names.
    Mentions(Mentions),
    /// Walks to neighbours.
    Expand(Expand),
    /// Climbs to the roots.
    Ascend(Ascend),
    /// Makes one list of several.
    Fuse(Fuse),
    /// Finds with other wordings of the question.
    MultiQuery(MultiQuery),
    /// Finds facts with the triples of the question.
    ExtractTriples(ExtractTriples),
    /// Goes down from heading to heading. Papers and other systems say traverse: it is read so, and written by its own name.
    #[serde(alias = "traverse")]
    Descend(Descend),
    /// Calls the declared query that the question is for.
    Route(Route),
    /// Reads what is named under headings, community by community.
    Communities(Communities),
    /// Ranks what a walk comes to that begins at what was found. It is read as `ppr`, personalised `PageRank`, too.
    #[serde(alias = "ppr")]
    Rank(Rank),
    /// Lifts what the best of it name by their titles.
    Follow(Follow),
    /// Adds what stands next to the best of it.
    Around(Around),
    /// Lifts what is of documents of which much was found.
    Together(Together),
    /// Lifts what rests on texts that were found.
    Attest(Attest),
    /// Lifts what is of documents that the question names by their properties.
    Narrow(Narrow),
    /// Lifts facts about what the question names.
    About(About),
    /// Goes on from facts to those that follow from them.
    Onward(Onward),
    /// Adds everything that is stated of what the question names.
    Gather(Gather),
    /// Finds the texts that what was found rests on.
    Support(Support),
    /// Keeps what scores above a number.
    Threshold(Threshold),
    /// Keeps the first ones.
    Limit(Limit),
    /// Orders by a model that reads question and text together.
    Rerank(Rerank),
    /// Keeps what a model says yes to.
    Judge(Judge),
}

impl Operator {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.named().0
    }

    /// How many lists it takes, at least and at most.
    pub(super) fn takes(&self) -> (usize, usize) {
        self.named().1
    }

    /// What it is called, and how many lists it takes. Without a `_`: a new operator has to say both.
    fn named(&self) -> (&'static str, (usize, usize)) {
        const NO_LIST: (usize, usize) = (0, 0);
        const ONE: (usize, usize) = (1, 1);
        const TWO: (usize, usize) = (2, 2);
        const ONE_OR_MORE: (usize, usize) = (1, usize::MAX);
        match self {
            Self::Vector(_) => ("vector", NO_LIST),
            Self::Bm25(_) => ("bm25", NO_LIST),
            Self::Mentions(_) => ("mentions", NO_LIST),
            Self::MultiQuery(_) => ("multi_query", NO_LIST),
            Self::ExtractTriples(_) => ("extract_triples", NO_LIST),
            Self::Expand(_) => ("expand", ONE),
            Self::Ascend(_) => ("ascend", ONE),
            Self::Fuse(_) => ("fuse", ONE_OR_MORE),
            Self::Descend(_) => ("descend", NO_LIST),
            Self::Route(_) => ("route", NO_LIST),
            Self::Communities(_) => ("communities", ONE),
            Self::Rank(_) => ("rank", ONE_OR_MORE),
            Self::Follow(_) => ("follow", ONE),
            Self::Around(_) => ("around", ONE),
            Self::Together(_) => ("together", ONE),
            // What is lifted, and by what.
            Self::Attest(_) => ("attest", TWO),
            Self::Narrow(_) => ("narrow", ONE),
            Self::About(_) => ("about", ONE),
            Self::Onward(_) => ("onward", ONE),
            Self::Gather(_) => ("gather", ONE_OR_MORE),
            Self::Support(_) => ("support", ONE),
            Self::Threshold(_) => ("threshold", ONE),
            Self::Limit(_) => ("limit", ONE),
            Self::Rerank(_) => ("rerank", ONE),
            Self::Judge(_) => ("judge", ONE),
        }
    }

    /// What is wrong with what it is told where it is given so many lists; nothing if it can be run.
    pub(super) fn unfit(&self, lists: usize) -> Option<String> {
        let (least, most) = self.takes();
        if lists < least || lists > most {
            return Some(format!(
                "`{}` takes {}, and is given {lists}",
                self.name(),
                match (least, most) {
                    (0, 0) => "no list",
                    (1, 1) => "one list",
                    (2, 2) => "two lists",
                    _ => "one list or more",
                },
            ));
        }
        if matches!(self, Self::Expand(expand) if expand.is_too_far()) {
            return Some(format!("`steps` of `expand` is more than {MOST_STEPS}"));
        }
        let written = serde_json::to_value(self).unwrap_or_default();
        let settings = written.as_object().and_then(|named| named.values().next());
        if let Some((setting, problem)) = settings.and_then(unfit_within) {
            return Some(format!("`{setting}` of `{}` {problem}", self.name()));
        }
        match self {
            Self::Fuse(fuse) => fuse.unfit(lists),
            _ => None,
        }
    }

    /// Does it, with the lists that it takes. Where the stage says `if_there`, what has a model read does without one.
    pub(super) fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut lists: Vec<Vec<Item>>,
        if_there: bool,
    ) -> Result<Done, RetrieveError> {
        Ok(match self {
            Self::Vector(vector) => {
                let found = vector.run(desk)?;
                let why = vector.why_nothing(desk, &found)?;
                Done::noted(found, why)
            }
            Self::Bm25(bm25) => bm25.run(desk)?.into(),
            Self::Mentions(mentions) => mentions.run(desk)?.into(),
            Self::MultiQuery(multi_query) => {
                let reader = desk.question_reader(self.name(), if_there)?;
                Done::traced(multi_query.run_traced(desk, reader)?)
            }
            Self::ExtractTriples(extract_triples) => {
                let reader = desk.question_reader(self.name(), if_there)?;
                Done::traced(extract_triples.run_traced(desk, reader)?)
            }
            Self::Descend(descend) => match descend.run_as_set(desk, if_there)? {
                (descent, None) => Done::detailed(descent.items, &descent.levels),
                (descent, Some(cost)) => {
                    let told = serde_json::json!({"levels": descent.levels, "paid": paid(&cost)});
                    Done::detailed(descent.items, &told)
                }
            },
            Self::Route(route) => Done::traced(route.run_traced(desk)?),
            Self::Expand(expand) => expand.run(desk, &joined(lists))?.into(),
            Self::Ascend(ascend) => ascend.run(desk, &joined(lists))?.into(),
            Self::Communities(communities) => {
                Done::traced(communities.run_traced(desk, &joined(lists))?)
            }
            Self::Rank(rank) => Done::traced(rank.run_traced(desk, &joined(lists))?),
            Self::Follow(follow) => Done::traced(follow.run_traced(desk, joined(lists))?),
            Self::Around(around) => around.run(desk, joined(lists))?.into(),
            Self::Together(together) => together.run(desk, joined(lists))?.into(),
            Self::Attest(attest) => {
                let texts = lists.pop().unwrap_or_default();
                attest.run(desk, joined(lists), &texts)?.into()
            }
            Self::Narrow(narrow) => narrow.run(desk, joined(lists))?.into(),
            Self::About(about) => about.run(desk, joined(lists))?.into(),
            Self::Onward(onward) => onward.run(desk, &joined(lists))?.into(),
            Self::Gather(gather) => gather.run(desk, &joined(lists))?.into(),
            Self::Support(support) => support.run(desk, &joined(lists))?.into(),
            Self::Threshold(threshold) => {
                let (kept, why) = threshold.run_traced(joined(lists))?;
                Done::noted(kept, why)
            }
            Self::Limit(limit) => limit.run(joined(lists)).into(),
            Self::Rerank(rerank) => {
                let reranker = desk.reranker()?;
                let judged = rerank.run(desk, reranker, joined(lists))?;
                // It gets all of them in one call, however many requests its endpoint makes of it, and counts no tokens.
                let calls = u64::from(!judged.is_empty());
                let told = serde_json::json!({"model": reranker.name(), "calls": calls});
                Done::detailed(judged, &told)
            }
            Self::Judge(judge) => {
                let relevance = desk.relevance(self.name())?;
                let (kept, cost) = judge.run(desk, relevance, joined(lists))?;
                Done::detailed(kept, &paid(&cost))
            }
            Self::Fuse(Fuse { by, weights }) => {
                let weights = weights.iter().copied().chain(std::iter::repeat(1.0));
                fuse(*by, lists.into_iter().zip(weights).collect()).into()
            }
        })
    }
}

/// A setting that cannot be, also of a search within an operator, and what is wrong with it.
fn unfit_within(settings: &serde_json::Value) -> Option<(String, String)> {
    let mut settings = settings.as_object()?.iter();
    settings.find_map(|(name, value)| {
        // What is not said is not written, so that nothing is null but what is no number.
        let list = value.as_array().into_iter().flatten();
        if std::iter::once(value)
            .chain(list)
            .any(serde_json::Value::is_null)
        {
            return Some((name.clone(), "has to be finite".to_owned()));
        }
        let is_vast = |number: f64| number > MOST_ASKED as f64;
        // Where a search for communities begins is any number.
        match value.as_f64().is_some_and(is_vast) && name != "seed" {
            true => Some((name.clone(), format!("is more than {MOST_ASKED}"))),
            false => unfit_within(value),
        }
    })
}

/// What a model was paid for judging.
fn paid(cost: &Cost) -> serde_json::Value {
    serde_json::json!({
        "calls": cost.calls,
        "kept": cost.kept,
        "input_tokens": cost.usage.input_tokens,
        "output_tokens": cost.usage.output_tokens,
    })
}

/// One list after the other; most operators take one anyway.
fn joined(lists: Vec<Vec<Item>>) -> Vec<Item> {
    lists.into_iter().flatten().collect()
}

/// What an operator gives, and what it says of it.
pub(super) struct Done {
    pub(super) given: Vec<Item>,
    pub(super) detail: serde_json::Value,
}

impl Done {
    fn traced((given, detail): (Vec<Item>, impl Serialize)) -> Self {
        Self::detailed(given, &detail)
    }

    /// With why nothing was found, if that may say nothing of the question.
    fn noted(given: Vec<Item>, why: Option<String>) -> Self {
        match why {
            Some(why) => Self::detailed(given, &serde_json::json!({"note": why})),
            None => given.into(),
        }
    }

    fn detailed(given: Vec<Item>, detail: &impl Serialize) -> Self {
        // Numbers and names: there is nothing in it that JSON has not.
        let detail = serde_json::to_value(detail).unwrap_or_default();
        Self { given, detail }
    }
}

impl From<Vec<Item>> for Done {
    fn from(given: Vec<Item>) -> Self {
        let detail = serde_json::Value::Null;
        Self { given, detail }
    }
}
