//! From a question to the declared queries that are called for it, in order: by a model if there is one, otherwise, and
//! where it gives nothing that can be called, by the rule.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use stratigraph::Read;
use stratigraph_models::{Embedder, Generator};

use super::RouteError;
use super::choose::{Candidate, Understood, candidates};
use super::declared::Declared;
use super::defaults::defaults;
use super::facts::Facts;
use super::model::{AskedModel, ask};
use super::names::named;
use super::store::{Kept, kept};
use super::types::types;

/// So many candidates are told.
const MOST_TOLD: usize = 10;
/// So many names are told.
const MOST_NAMES: usize = 20;

/// Which query a question is for, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Routing {
    /// Who has chosen.
    pub by: By,
    /// Whether the queries were declared by somebody; otherwise they were made up from the types of the graph.
    pub declared: bool,
    /// What the model said and cost, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<AskedModel>,
    /// The query that is called first, if any can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// What the question names of the graph.
    pub named: Vec<NamedInQuestion>,
    /// The queries with the arguments that they would be called with, the best first.
    pub candidates: Vec<Candidate>,
}

/// Who has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A model, by calling it.
    Model,
    /// What the question names, and what the queries say of themselves.
    Rule,
}

/// Something that the question names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedInQuestion {
    /// As it stands there.
    pub text: String,
    /// The label of what is called so.
    pub label: String,
    /// Which property of it that is.
    pub property: String,
}

/// What was chosen, with what can be called.
pub(crate) struct Choice {
    queries: Vec<Kept>,
    pub(crate) routing: Routing,
    /// The calls in the order in which they are tried: the query, its arguments, and how well it fits.
    calls: Vec<(usize, Json, f32)>,
}

impl Choice {
    /// Looks at a question.
    pub(crate) fn of<R: Read>(
        read: &R,
        embedder: &dyn Embedder,
        generator: Option<&dyn Generator>,
        text: &str,
    ) -> Result<Self, RouteError> {
        let types = types(read)?;
        let known: Vec<Kept> = kept(read)?.into_values().collect();
        let declared = !known.is_empty();
        let queries = match declared {
            true => known,
            false => { defaults(&types, embedder.dimensions()).into_iter() }
                .map(|declared| Kept {
                    declared,
                    phrases: Vec::new(),
                })
                .collect(),
        };
        if queries.is_empty() {
            return Err(RouteError::NothingDeclared);
        }
        let named = named(read, &types, text)?;
        let facts = Facts::of(text);
        let asked = Understood {
            text,
            named: &named,
            facts: &facts,
        };
        let mut candidates = candidates(read, embedder, &queries, &asked)?;
        let (chosen, model) = match generator {
            Some(generator) => {
                let (chosen, told) = ask(generator, &queries, text)?;
                (chosen, Some(told))
            }
            None => (None, None),
        };
        let by = if chosen.is_some() {
            By::Model
        } else {
            By::Rule
        };
        let by_rule = candidates.iter().filter(|one| one.is_possible());
        let by_rule = by_rule.filter_map(|one| {
            let at = queries
                .iter()
                .position(|query| query.declared.name == one.name)?;
            Some((at, Json::Object(one.arguments.clone()), one.score))
        });
        // What a model has chosen comes first; where that gives no rows the rule goes on.
        let chosen = chosen.map(|(at, arguments)| (at, arguments, 1.0));
        let calls: Vec<(usize, Json, f32)> = chosen.into_iter().chain(by_rule).collect();
        let first = calls
            .first()
            .map(|(at, ..)| queries[*at].declared.name.clone());
        candidates.truncate(MOST_TOLD);
        let told = named.iter().take(MOST_NAMES).map(|one| NamedInQuestion {
            text: one.text.clone(),
            label: one.label.clone(),
            property: one.property.clone(),
        });
        let routing = Routing {
            by,
            declared,
            model,
            chosen: first,
            named: told.collect(),
            candidates,
        };
        Ok(Self {
            queries,
            routing,
            calls,
        })
    }

    /// What is called, in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&Declared, &Json, f32)> {
        let calls = self.calls.iter();
        calls.map(|(at, arguments, score)| (&self.queries[*at].declared, arguments, *score))
    }
}

/// What is declared; where nothing is, what is made up from the types of the graph.
pub(crate) fn offered<R: Read>(
    read: &R,
    dimensions: usize,
) -> Result<Vec<Declared>, stratigraph::Error> {
    let known = kept(read)?;
    if known.is_empty() {
        return Ok(defaults(&types(read)?, dimensions));
    }
    Ok(known.into_values().map(|kept| kept.declared).collect())
}
