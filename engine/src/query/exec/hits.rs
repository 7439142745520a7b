//! What an index finds, asked by `SEARCH` and by procedures: the best first, and what is as good by id.
//!
//! More is always nearer: scores of vectors are on the scale of `query/similarity.rs`, scores of texts are BM25.
//!
//! Next: `flat/search/`.

use super::context::Context;
use crate::catalog::{Counter, Scope, TextIndexDef, VectorIndexDef};
use crate::error::Error;
use crate::index::text::{TextAnswer, TextSearch};
use crate::index::vector::{VectorAnswer, VectorHit, VectorSearch};
use crate::query::error::{Detail, Fault, raise};
use crate::query::similarity;
use crate::value::Value;
use roaring::RoaringTreemap;
use std::borrow::Cow;
use stratigraph_vector::{Effort, How, Metric};

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
    /// How many are found at most.
    pub(crate) count: usize,
    /// Whether nothing that is nearer is missed.
    pub(crate) exact: bool,
    /// The numbers that may be found; any, if nothing is said.
    pub(crate) among: Option<&'a RoaringTreemap>,
}

impl Wanted<'_> {
    /// About how many bytes the index takes to know what may be found.
    fn bytes(&self) -> usize {
        self.among.map_or(0, RoaringTreemap::serialized_size)
    }
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
    let count = at_most(wanted, index.scope, context)?;
    if count == 0 {
        return Ok((Hits::new(), None));
    }
    let mut search = VectorSearch::new(vector, count);
    if wanted.exact || context.exact {
        // The answer of comparing every vector, bit for bit, for less.
        search = search.effort(Effort::Proven);
    }
    if let Some(among) = wanted.among {
        search = search.among(among);
    }
    let breadth = search.breadth().map(|breadth| breadth.max(count));
    let before = context.memory.used();
    context.memory.charge(wanted.bytes())?;
    let answer = asked(context, index, &search, count)?;
    let mut hits = scaled(index, &answer);
    hits.truncate(count);
    context.memory.reset(before);
    Ok((hits, Some(NearAnswer { answer, breadth })))
}

/// The answer of the index: what is among the best `count` on the scale of searches, and maybe more.
///
/// Raw scores may differ that are the same on the scale, where the lower id comes first. So an index that has
/// compared everything is asked for more, as long as what comes next may be as good as the last.
fn asked(
    context: &mut Context<'_>,
    index: &VectorIndexDef,
    search: &VectorSearch<'_>,
    count: usize,
) -> Result<VectorAnswer, Fault> {
    let mut compared = 0;
    let mut more = count;
    loop {
        context.memory.charge(more.saturating_mul(HIT_BYTES))?;
        let search = search.clone().best(more);
        let answer = context.graph.search_vectors(&index.name, &search);
        let mut answer = answer.map_err(refused)?;
        compared += answer.compared;
        let wanted = count.checked_sub(1).and_then(|at| answer.hits.get(at));
        let on_scale = |hit: &VectorHit| similarity::scaled(index.metric, hit.score);
        let ties_may_follow = wanted.is_some_and(|wanted| {
            let is_last = |hit: &VectorHit| on_scale(hit) == on_scale(wanted);
            answer.hits.len() == more
                && answer.hits.last().is_some_and(is_last)
                && similarity::is_shared(index.metric, wanted.score)
        });
        if answer.how != How::Exact || !ties_may_follow {
            context.work.distances += compared;
            answer.compared = compared;
            return Ok(answer);
        }
        more = more.saturating_mul(4);
    }
}

/// The hits on the scale of searches: what differs by its raw score may be the same there.
fn scaled(index: &VectorIndexDef, answer: &VectorAnswer) -> Hits {
    let hits = answer.hits.iter();
    let hits = hits.map(|hit| {
        let score = similarity::scaled(index.metric, hit.score);
        (hit.entity.number(), score)
    });
    let mut hits: Hits = hits.collect();
    hits.sort_by(|(one, score), (other, than)| than.total_cmp(score).then(one.cmp(other)));
    hits
}

/// What matches a text best, and how the index has answered.
pub(crate) fn matching(
    context: &mut Context<'_>,
    index: &TextIndexDef,
    text: &str,
    wanted: Wanted<'_>,
) -> Result<(Hits, Option<TextAnswer>), Fault> {
    let count = at_most(wanted, index.scope, context)?;
    if count == 0 {
        return Ok((Hits::new(), None));
    }
    let mut search = TextSearch::new(text, count);
    if let Some(among) = wanted.among {
        search = search.among(among);
    }
    let before = context.memory.used();
    let bytes = count.saturating_mul(HIT_BYTES);
    context
        .memory
        .charge(bytes.saturating_add(wanted.bytes()))?;
    let answer = context.graph.search_text(&index.name, &search);
    let answer = answer.map_err(refused)?;
    let hits = answer.hits.iter();
    let hits = hits.map(|hit| (hit.entity.number(), f64::from(hit.score)));
    let hits = hits.collect();
    context.memory.reset(before);
    Ok((hits, Some(answer)))
}

/// There cannot be more hits than there are nodes that the index is on, or relationships, or numbers that may be
/// found; and room is made for as many as are asked for.
fn at_most(wanted: Wanted<'_>, scope: Scope, context: &Context<'_>) -> Result<usize, Fault> {
    let mut all = context.graph.count(match scope {
        Scope::AnyNode => Counter::Nodes,
        Scope::AnyRelationship => Counter::Relationships,
        Scope::Label(label) => Counter::Label(label),
        Scope::Type(of) => Counter::Type(of),
    })?;
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
