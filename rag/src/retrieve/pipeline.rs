//! A way to retrieve, written down: named stages, each an operator over the lists of stages before it.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph::graph::Entity;

use super::operator::Done;
use super::{Desk, Item, Operator, RetrieveError};
use crate::extract::model::Writing;

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
    /// How a model writes an answer from what it finds.
    #[serde(default, skip_serializing_if = "Writing::is_usual")]
    pub answer: Writing,
    /// What it does; nothing finds nothing.
    #[serde(default, rename = "stage")]
    pub stages: Vec<Stage>,
}

/// So many units are packed if nothing is said, and at least so many count for a [confidence](super::Confidence).
pub(super) fn usual_budget() -> usize {
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

/// What a stage has done, or [packing](Self::PACK).
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
    /// what a model was paid; why it found nothing, if that may say nothing of the question; what packing left out, and why.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub detail: serde_json::Value,
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
        if let Some(problem) = self.answer.unfit() {
            return wrong(format!("`answer`: {problem}"));
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
            let taken = self.lists_of(stage, known.last().copied()).len();
            if let Some(problem) = stage.run.unfit(taken) {
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
            let traced = Traced {
                stage: stage.name.clone(),
                operator: stage.run.name().to_owned(),
                took,
                gave: given.len(),
                cut: inputs.difference(&outputs).count(),
                added: outputs.difference(&inputs).count(),
                not_there,
                detail,
            };
            desk.tell(&traced);
            trace.push(traced);
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
