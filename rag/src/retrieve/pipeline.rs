//! A way to retrieve, written down: named stages, each an operator over the lists of stages before it.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph::graph::Entity;

use super::walk::MOST_STEPS;
use super::{
    About, Around, Ascend, Attest, Bm25, Communities, Descend, Desk, Expand, ExtractTriples,
    Follow, Fusion, Gather, Item, Judge, Limit, Mentions, MultiQuery, Narrow, Onward, Rank, Rerank,
    RetrieveError, Route, Support, Threshold, Together, Vector, fuse,
};
use crate::extract::Cost;

/// Stages in order; the last one's list is what is retrieved.
///
/// ```
/// use stratigraph_rag::retrieve::Pipeline;
///
/// let pipeline = Pipeline::parse(
///     r#"
///     name = "near"
///     about = "What is near, the first four of twenty."
///     [[stage]]
///     name = "considered"
///     run.vector = { of = "chunks", k = 20 }
///     [[stage]]
///     name = "kept"
///     run.limit = { k = 4 }
///     "#,
/// )?;
/// assert_eq!(pipeline.stages.len(), 2);
/// # Ok::<(), stratigraph_rag::retrieve::RetrieveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// What it is called.
    pub name: String,
    /// What it does, for people.
    #[serde(default)]
    pub about: String,
    /// How many units of text it packs at most.
    #[serde(default = "usual_budget")]
    pub budget: usize,
    /// How many of what it finds are told at most.
    #[serde(default = "usual_most")]
    pub most: usize,
    /// What is packed before everything else, as far as it fits, kind by kind: labels, and types of relationships, as receipts
    /// have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pack_first: Vec<String>,
    /// What it does; nothing finds nothing.
    #[serde(default, rename = "stage")]
    pub stages: Vec<Stage>,
}

fn usual_budget() -> usize {
    2000
}

fn usual_most() -> usize {
    50
}

/// The most stages of a pipeline.
const MOST_STAGES: usize = 64;
/// The most kinds that are packed before others.
const MOST_KINDS: usize = 64;
/// The most items that a stage hands on.
const MOST_ITEMS: usize = 100_000;
/// The largest number that an operator may be told: whoever asks must not be able to ask for all memory there is.
const MOST_ASKED: u64 = 10_000_000;

/// One operator, with where its lists come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// What its list is called.
    pub name: String,
    /// The stages whose lists it takes; the one before it if nothing is said, and none for what searches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// Whether it finds nothing, and is no error, where the graph has no such layer; and for what has a model read the question
    /// (`multi_query`, `extract_triples`) or judge headings (`descend`), whether it goes on with the question alone where there
    /// is no model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub if_there: bool,
    /// What it does.
    pub run: Operator,
}

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
    /// Goes down from heading to heading.
    Descend(Descend),
    /// Calls the declared query that the question is for.
    Route(Route),
    /// Reads what is named under headings, community by community.
    Communities(Communities),
    /// Ranks what a walk comes to that begins at what was found.
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

/// How several lists become one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fuse {
    /// In which way.
    #[serde(default)]
    pub by: Fusion,
    /// What each list weighs, where the way weighs them; 1 for those that nothing is said of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f32>,
}

/// What a stage has done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    /// The stage.
    pub stage: String,
    /// Its operator.
    pub operator: String,
    /// How many items were in the lists that it took.
    pub took: usize,
    /// How many it gave.
    pub gave: usize,
    /// How many of those that it took it did not give.
    pub cut: usize,
    /// How many it gave that it had not taken.
    pub added: usize,
    /// That it did nothing, because the graph has no such layer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_there: bool,
    /// What the operator says of it beside: the levels of a descent, the layers of communities, the length of a walk,
    /// what a model was paid; why it found nothing, if that says nothing of the question.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub detail: serde_json::Value,
}

impl Operator {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Vector(_) => "vector",
            Self::Bm25(_) => "bm25",
            Self::Mentions(_) => "mentions",
            Self::MultiQuery(_) => "multi_query",
            Self::ExtractTriples(_) => "extract_triples",
            Self::Expand(_) => "expand",
            Self::Ascend(_) => "ascend",
            Self::Fuse(_) => "fuse",
            Self::Descend(_) => "descend",
            Self::Route(_) => "route",
            Self::Communities(_) => "communities",
            Self::Rank(_) => "rank",
            Self::Follow(_) => "follow",
            Self::Around(_) => "around",
            Self::Together(_) => "together",
            Self::Attest(_) => "attest",
            Self::Narrow(_) => "narrow",
            Self::About(_) => "about",
            Self::Onward(_) => "onward",
            Self::Gather(_) => "gather",
            Self::Support(_) => "support",
            Self::Threshold(_) => "threshold",
            Self::Limit(_) => "limit",
            Self::Rerank(_) => "rerank",
            Self::Judge(_) => "judge",
        }
    }

    /// A setting that cannot be, if there is one, and what it would have to be.
    fn unfit(&self) -> Option<(String, String)> {
        let written = serde_json::to_value(self).unwrap_or_default();
        unfit_within(written.as_object()?.values().next()?)
    }

    /// How many lists it takes, at least and at most.
    fn takes(&self) -> (usize, usize) {
        match self {
            Self::Vector(_)
            | Self::Bm25(_)
            | Self::Mentions(_)
            | Self::MultiQuery(_)
            | Self::ExtractTriples(_)
            | Self::Descend(_)
            | Self::Route(_) => (0, 0),
            // What is lifted, and by what.
            Self::Attest(_) => (2, 2),
            Self::Fuse(_) | Self::Rank(_) | Self::Gather(_) => (1, usize::MAX),
            _ => (1, 1),
        }
    }

    fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut lists: Vec<Vec<Item>>,
        if_there: bool,
    ) -> Result<Done, RetrieveError> {
        let given = match self {
            Self::Vector(vector) => {
                let found = vector.run(desk)?;
                match vector.why_nothing(desk, &found)? {
                    Some(why) => {
                        return Ok(Done::detailed(found, &serde_json::json!({"note": why})));
                    }
                    None => found,
                }
            }
            Self::Bm25(bm25) => bm25.run(desk)?,
            Self::Mentions(mentions) => mentions.run(desk)?,
            Self::MultiQuery(multi_query) => {
                let reader = desk.question_reader(self.name(), if_there)?;
                let (found, told) = multi_query.run_traced(desk, reader)?;
                return Ok(Done::detailed(found, &told));
            }
            Self::ExtractTriples(extract_triples) => {
                let reader = desk.question_reader(self.name(), if_there)?;
                let (found, told) = extract_triples.run_traced(desk, reader)?;
                return Ok(Done::detailed(found, &told));
            }
            Self::Descend(descend) => {
                let (descent, cost) = descend.run_as_set(desk, if_there)?;
                let Some(cost) = cost else {
                    return Ok(Done::detailed(descent.items, &descent.levels));
                };
                let told = serde_json::json!({"levels": descent.levels, "paid": paid(&cost)});
                return Ok(Done::detailed(descent.items, &told));
            }
            Self::Route(route) => {
                let (found, taken) = route.run_traced(desk)?;
                return Ok(Done::detailed(found, &taken));
            }
            Self::Expand(expand) => expand.run(desk, &joined(lists))?,
            Self::Ascend(ascend) => ascend.run(desk, &joined(lists))?,
            Self::Communities(communities) => {
                let (kept, layers) = communities.run_traced(desk, &joined(lists))?;
                return Ok(Done::detailed(kept, &layers));
            }
            Self::Rank(rank) => {
                let (ranked, walked) = rank.run_traced(desk, &joined(lists))?;
                return Ok(Done::detailed(ranked, &walked));
            }
            Self::Follow(follow) => {
                let (items, followed) = follow.run_traced(desk, joined(lists))?;
                return Ok(Done::detailed(items, &followed));
            }
            Self::Around(around) => around.run(desk, joined(lists))?,
            Self::Together(together) => together.run(desk, joined(lists))?,
            Self::Attest(attest) => {
                let texts = lists.pop().unwrap_or_default();
                attest.run(desk, joined(lists), &texts)?
            }
            Self::Narrow(narrow) => narrow.run(desk, joined(lists))?,
            Self::About(about) => about.run(desk, joined(lists))?,
            Self::Onward(onward) => onward.run(desk, &joined(lists))?,
            Self::Gather(gather) => gather.run(desk, &joined(lists))?,
            Self::Support(support) => support.run(desk, &joined(lists))?,
            Self::Threshold(threshold) => threshold.run(joined(lists))?,
            Self::Limit(limit) => limit.run(joined(lists)),
            Self::Rerank(rerank) => {
                let reranker = desk.reranker()?;
                let judged = rerank.run(desk, reranker, joined(lists))?;
                // It gets all of them in one call, however many requests its endpoint makes of it, and counts no tokens.
                let calls = u64::from(!judged.is_empty());
                let told = serde_json::json!({"model": reranker.name(), "calls": calls});
                return Ok(Done::detailed(judged, &told));
            }
            Self::Judge(judge) => {
                let relevance = desk.relevance(self.name())?;
                let (kept, cost) = judge.run(desk, relevance, joined(lists))?;
                return Ok(Done::detailed(kept, &paid(&cost)));
            }
            Self::Fuse(Fuse { by, weights }) => {
                let weights = weights.iter().copied().chain(std::iter::repeat(1.0));
                fuse(*by, lists.into_iter().zip(weights).collect())
            }
        };
        Ok(given.into())
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
struct Done {
    given: Vec<Item>,
    detail: serde_json::Value,
}

impl Done {
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

impl Pipeline {
    /// Reads one, from TOML or, where it begins with a brace, from JSON.
    ///
    /// # Errors
    /// [`RetrieveError::Pipeline`] with the place of what is wrong.
    pub fn parse(text: &str) -> Result<Self, RetrieveError> {
        let wrong = |reason: String| RetrieveError::Pipeline { reason };
        let pipeline: Self = match text.trim_start().starts_with('{') {
            true => serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?,
            false => toml::from_str(text).map_err(|error| wrong(error.to_string()))?,
        };
        pipeline.check()?;
        Ok(pipeline)
    }

    /// Whether each stage takes as many lists as it can, of stages before it, and is told nothing that cannot be.
    ///
    /// # Errors
    /// [`RetrieveError::Pipeline`].
    pub fn check(&self) -> Result<(), RetrieveError> {
        let wrong = |reason: String| Err(RetrieveError::Pipeline { reason });
        if self.stages.len() > MOST_STAGES {
            return wrong(format!("more than {MOST_STAGES} stages"));
        }
        if self.pack_first.len() > MOST_KINDS {
            return wrong(format!("more than {MOST_KINDS} kinds in `pack_first`"));
        }
        let mut known: Vec<&str> = Vec::new();
        for stage in &self.stages {
            let name = &stage.name;
            if name.is_empty() || known.contains(&name.as_str()) {
                return wrong(format!(
                    "each stage needs a name of its own, and there is a second `{name}`"
                ));
            }
            if let Some(from) = stage
                .from
                .iter()
                .find(|from| !known.contains(&from.as_str()))
            {
                return wrong(format!(
                    "stage `{name}` takes from `{from}`, which is no stage before it: there are {}",
                    told(&known)
                ));
            }
            let (least, most) = stage.run.takes();
            let taken = self.lists_of(stage, known.last().copied()).len();
            if taken < least || taken > most {
                return wrong(format!(
                    "stage `{name}`: `{}` takes {}, and is given {taken}",
                    stage.run.name(),
                    match (least, most) {
                        (0, 0) => "no list",
                        (1, 1) => "one list",
                        (2, 2) => "two lists",
                        _ => "one list or more",
                    },
                ));
            }
            if matches!(&stage.run, Operator::Expand(expand) if expand.is_too_far()) {
                return wrong(format!(
                    "stage `{name}`: `steps` of `expand` is more than {MOST_STEPS}"
                ));
            }
            if let Some((setting, problem)) = stage.run.unfit() {
                return wrong(format!(
                    "stage `{name}`: `{setting}` of `{}` {problem}",
                    stage.run.name()
                ));
            }
            if let Operator::Fuse(fuse) = &stage.run
                && let Some(problem) = fuse.unfit(taken)
            {
                return wrong(format!("stage `{name}`: {problem}"));
            }
            known.push(name);
        }
        Ok(())
    }

    /// The stages whose lists a stage takes, of which `before` is the one before it.
    pub(super) fn lists_of<'s>(&self, stage: &'s Stage, before: Option<&'s str>) -> Vec<&'s str> {
        match (stage.run.takes(), before) {
            ((1.., _), Some(before)) if stage.from.is_empty() => vec![before],
            _ => stage.from.iter().map(String::as_str).collect(),
        }
    }

    /// Runs it. What each stage took and gave is told beside what was found.
    ///
    /// # Errors
    /// See [`RetrieveError`]. A stage whose layer is not in the graph is one, unless it says `if_there`.
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
    ) -> Result<(Vec<Item>, Vec<Traced>), RetrieveError> {
        self.check()?;
        let mut lists: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
        let mut trace = Vec::with_capacity(self.stages.len());
        let mut before = None;
        for stage in &self.stages {
            let from = self.lists_of(stage, before);
            let taken = from.iter().filter_map(|name| lists.get(name)).cloned();
            let taken: Vec<Vec<Item>> = taken.collect();
            let inputs: HashSet<Entity> = taken.iter().flatten().map(|item| item.entity).collect();
            let took = taken.iter().map(Vec::len).sum();
            let (done, not_there) = match stage.run.run(desk, taken, stage.if_there) {
                Ok(done) => (done, false),
                Err(error) if stage.if_there && error.is_of_a_missing_layer() => {
                    (Vec::new().into(), true)
                }
                Err(error) => return Err(self.lacking(stage, error)),
            };
            let Done { mut given, detail } = done;
            desk.keep_allowed(&mut given)?;
            given.truncate(MOST_ITEMS);
            let outputs: HashSet<Entity> = given.iter().map(|item| item.entity).collect();
            trace.push(Traced {
                stage: stage.name.clone(),
                operator: stage.run.name().to_owned(),
                took,
                gave: given.len(),
                cut: inputs.difference(&outputs).count(),
                added: outputs.difference(&inputs).count(),
                not_there,
                detail,
            });
            lists.insert(&stage.name, given);
            before = Some(stage.name.as_str());
        }
        let found = before.and_then(|last| lists.remove(last));
        Ok((found.unwrap_or_default(), trace))
    }

    /// What the database says of an index that it has not, in words of whoever asks.
    fn lacking(&self, stage: &Stage, error: RetrieveError) -> RetrieveError {
        match error {
            RetrieveError::Database(stratigraph::Error::UnknownName { .. }) => {
                RetrieveError::MissingLayer {
                    pipeline: self.name.clone(),
                    stage: stage.name.clone(),
                    system: self.needs().system(),
                }
            }
            error => error,
        }
    }
}

fn told(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}
