//! What an index finds, asked by `SEARCH` and by procedures: the best first, and what is as good by id.
//!
//! More is always nearer: scores of vectors are on the scale of `query/similarity.rs`, scores of texts are BM25.
//!
//! Next: `flat/search/`.

use super::context::Context;
use super::kind::Kind;
use crate::catalog::VectorIndexDef;
use crate::error::Error;
use crate::index::text::{TextAnswer, TextSearch};
use crate::index::vector::{VectorAnswer, VectorSearch};
use crate::query::error::{Detail, Fault, raise};
use crate::query::similarity;
use crate::value::Value;
use roaring::RoaringTreemap;
use std::borrow::Cow;
use stratigraph_vector::{Effort, Metric};

/// What a hit takes, from the search to its row.
const HIT_BYTES: usize = 128;

/// Numbers of nodes or relationships, with their scores.
pub(crate) type Hits = Vec<(u64, f64)>;

/// What was found in a vector index, and how it has answered, if it was asked at all.
pub(crate) type Near = (Hits, Option<NearAnswer>);

/// How a vector index has answered.
pub(crate) struct NearAnswer {
    /// The answer.
    pub(crate) answer: VectorAnswer,
    /// How many candidates a walk keeps.
    pub(crate) breadth: Option<usize>,
}

/// How a search is limited.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// What the index is on.
    pub(crate) kind: Kind,
    /// How many are found at most.
    pub(crate) count: usize,
    /// Whether everything is compared.
    pub(crate) exact: bool,
    /// The numbers that may be found; any, if nothing is said.
    pub(crate) among: Option<&'a RoaringTreemap>,
}

/// The vector that a value is for an index; none for what is near to nothing: null, and what has no direction where
/// only that counts.
pub(crate) fn vector_for<'v>(
    index: &VectorIndexDef,
    value: &'v Value,
) -> Result<Option<Cow<'v, [f32]>>, Fault> {
    let Some(vector) = similarity::numbers(value)? else {
        return Ok(None);
    };
    let (name, dimensions) = (&index.name, index.dimensions);
    if vector.len() != dimensions as usize {
        let found = vector.len();
        let message = format!(
            "index `{name}` has vectors of {dimensions} dimensions, and this one has {found}"
        );
        return Err(raise(Detail::VectorDimensionMismatch, message)
            .hint("embed the query with the model that made the vectors of the index"));
    }
    let nowhere = index.metric == Metric::Cosine && vector.iter().all(|number| *number == 0.0);
    Ok((!nowhere).then_some(vector))
}

/// What is nearest to a vector.
pub(crate) fn nearest(
    context: &mut Context<'_>,
    index: &VectorIndexDef,
    vector: &[f32],
    wanted: Wanted<'_>,
) -> Result<Near, Fault> {
    let count = at_most(wanted, context)?;
    if count == 0 {
        return Ok((Hits::new(), None));
    }
    let mut search = VectorSearch::new(vector, count);
    if wanted.exact {
        search = search.effort(Effort::Exact);
    }
    if let Some(among) = wanted.among {
        search = search.among(among);
    }
    let breadth = search.breadth().map(|breadth| breadth.max(count));
    let before = context.memory.used();
    context.memory.charge(count.saturating_mul(HIT_BYTES))?;
    let answer = context.graph.search_vectors(&index.name, &search);
    let answer = answer.map_err(refused)?;
    context.work.distances += answer.compared;
    let hits = answer.hits.iter();
    let mut hits: Hits = hits
        .map(|hit| {
            let score = similarity::scaled(index.metric, hit.score);
            (hit.entity.number(), score)
        })
        .collect();
    // What differs by its raw score may be the same on the scale.
    hits.sort_by(|(one, score), (other, than)| than.total_cmp(score).then(one.cmp(other)));
    context.memory.reset(before);
    Ok((hits, Some(NearAnswer { answer, breadth })))
}

/// What matches a text best, and how the index has answered.
pub(crate) fn matching(
    context: &Context<'_>,
    index: &str,
    text: &str,
    wanted: Wanted<'_>,
) -> Result<(Hits, Option<TextAnswer>), Fault> {
    let count = at_most(wanted, context)?;
    if count == 0 {
        return Ok((Hits::new(), None));
    }
    let mut search = TextSearch::new(text, count);
    if let Some(among) = wanted.among {
        search = search.among(among);
    }
    let answer = context.graph.search_text(index, &search);
    let answer = answer.map_err(refused)?;
    let hits = answer.hits.iter();
    let hits = hits.map(|hit| (hit.entity.number(), f64::from(hit.score)));
    Ok((hits.collect(), Some(answer)))
}

/// There cannot be more hits than there are nodes, or relationships, or numbers that may be found; and room is made
/// for as many as are asked for.
fn at_most(wanted: Wanted<'_>, context: &Context<'_>) -> Result<usize, Fault> {
    let mut all = match wanted.kind {
        Kind::Nodes => context.graph.node_count(None)?,
        Kind::Relationships => context.graph.relationship_count(None)?,
    };
    if let Some(among) = wanted.among {
        all = all.min(among.len());
    }
    let all = usize::try_from(all).unwrap_or(usize::MAX);
    Ok(wanted.count.min(all))
}

/// What an index does not take is the query's mistake.
fn refused(error: Error) -> Fault {
    match error {
        Error::VectorIndex { .. } | Error::TooMany { .. } => {
            raise(Detail::InvalidArgumentValue, error.to_string())
        }
        other => other.into(),
    }
}
