//! SCORE: how good the candidates of a level are.
//!
//! Most scores are how like a property is to one vector; then the vectors of a level are read together and go
//! through the kernels. Any other expression is computed for each candidate, or for each way to it.
//!
//! Next: `by_codes.rs`.

use super::Of;
use super::shared::Shared;
use crate::algo::snapshot::VectorTable;
use crate::algo::traverse::{Candidates, Measure, NodeVectors, Scorer, VectorScorer, Wanted};
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::eval::eval;
use crate::query::exec::eval::host::call_many;
use crate::query::expr::{Expr, Slot};
use crate::query::functions::HostFunction;
use crate::query::functions::operators::with_article;
use crate::query::plan::{AtOnce, Scored};
use crate::query::similarity::numbers;
use crate::value::{NodeId, Value};
use std::cell::RefCell;

/// Candidates whose vectors are held at once.
const BLOCK: usize = 4096;

/// The scorer of a traversal, or of its RECOVER.
pub(super) struct Scoring<'a, 's, 't> {
    pub(super) shared: &'a RefCell<Shared<'s, 't>>,
    pub(super) of: &'a Of,
    pub(super) scored: &'a Scored,
    /// The slot of the candidate.
    node: Slot,
    /// What they are compared with, once it was asked for.
    like: Option<Option<Likeness<'a>>>,
}

/// One vector for all candidates.
pub(super) struct Likeness<'a> {
    pub(super) measure: Measure,
    pub(super) property: &'a str,
    pub(super) to: Vec<f32>,
}

impl<'a, 's, 't> Scoring<'a, 's, 't> {
    pub(super) fn new(
        shared: &'a RefCell<Shared<'s, 't>>,
        of: &'a Of,
        scored: &'a Scored,
        node: Slot,
    ) -> Self {
        Self {
            shared,
            of,
            scored,
            node,
            like: None,
        }
    }

    /// What a level is compared with as a whole. Where that is not possible, or goes wrong, each candidate is
    /// asked about, so that the answer and the error are the same.
    fn prepare(&mut self) {
        let (scored, shared) = (self.scored, self.shared);
        self.like.get_or_insert_with(|| {
            let Some(AtOnce::Likeness {
                function,
                property,
                to,
            }) = &scored.at_once
            else {
                return None;
            };
            let mut shared = shared.borrow_mut();
            let shared = &mut *shared;
            let to = eval(shared.context, to, &mut shared.row).ok()?;
            let to = numbers(&to).ok()??.into_owned();
            let measure = match *function {
                "vector.cosine" => Measure::Cosine,
                "vector.dot" => Measure::Dot,
                _ => Measure::NegativeL2,
            };
            Some(Likeness {
                measure,
                property,
                to,
            })
        });
    }

    /// Fills in the variables of one candidate, or of one way to it.
    fn fill(&self, candidates: Candidates<'_>, entry: usize, level: u32) -> Result<(), Fault> {
        let mut shared = self.shared.borrow_mut();
        shared.context.step()?;
        if self.scored.sees_way {
            shared.set_way(&self.of.step, candidates.arrival(entry));
        }
        if let Some(node) = candidates.nodes().get(entry) {
            shared.set_node(self.node, *node);
        }
        shared.set(self.of.level, i64::from(level));
        Ok(())
    }

    /// One candidate, or one way to it.
    fn one(&self, candidates: Candidates<'_>, entry: usize, level: u32) -> Result<f64, Fault> {
        self.fill(candidates, entry, level)?;
        let mut shared = self.shared.borrow_mut();
        let shared = &mut *shared;
        let value = eval(shared.context, &self.scored.expr, &mut shared.row)?;
        self.number(&value)
    }

    fn number(&self, value: &Value) -> Result<f64, Fault> {
        match value {
            Value::Null => Ok(f64::NAN),
            Value::Float(score) => Ok(*score),
            Value::Int(score) => Ok(*score as f64),
            other => {
                let kind = with_article(other.kind());
                let message = format!("a score is a number, and this is {kind}");
                Err(raise(Detail::InvalidArgumentType, message).at(self.scored.expr.span))
            }
        }
    }

    /// All at once, by a function of the host.
    fn by_host(
        &self,
        (function, arguments): (&HostFunction, &[Expr]),
        (candidates, level): (Candidates<'_>, u32),
        scores: &mut [f64],
    ) -> Result<(), Fault> {
        let mut columns = vec![Vec::with_capacity(candidates.len()); arguments.len()];
        let mut held = 0;
        for entry in 0..candidates.len() {
            self.fill(candidates, entry, level)?;
            let mut shared = self.shared.borrow_mut();
            let shared = &mut *shared;
            for (argument, column) in arguments.iter().zip(&mut columns) {
                let value = eval(shared.context, argument, &mut shared.row)?;
                held += shared.context.memory.hold(&value)?;
                column.push(value);
            }
        }
        let mut shared = self.shared.borrow_mut();
        let results = call_many(shared.context, function, columns, candidates.len());
        shared.context.memory.release(held);
        let results = results.map_err(|fault| fault.at(self.scored.expr.span))?;
        for (value, score) in results.iter().zip(scores) {
            *score = self.number(value)?;
        }
        Ok(())
    }

    /// All at once, as far as they have a vector of the right length.
    pub(super) fn by_vectors(
        &self,
        like: &Likeness<'_>,
        (candidates, level): (Candidates<'_>, u32),
        scores: &mut [f64],
    ) -> Result<(), Fault> {
        let (property, dimension) = (like.property, like.to.len());
        let blocks = candidates.nodes().chunks(BLOCK);
        for (nodes, scores) in blocks.zip(scores.chunks_mut(BLOCK)) {
            let mut shared = self.shared.borrow_mut();
            shared.context.steps(nodes.len())?;
            let table = shared.context.graph.vectors(property, nodes, dimension)?;
            shared.context.work.distances += table.nodes().len() as u64;
            drop(shared);
            let mut missing = Vec::new();
            score_table(&table, like, nodes, scores, &mut missing)?;
            for at in missing {
                if let Some(score) = scores.get_mut(at) {
                    *score = self.one(Candidates::of(nodes), at, level)?;
                }
            }
        }
        Ok(())
    }
}

/// Scores the nodes of a table, and notes the places of the others.
fn score_table(
    table: &VectorTable,
    like: &Likeness<'_>,
    nodes: &[NodeId],
    scores: &mut [f64],
    missing: &mut Vec<usize>,
) -> Result<(), Fault> {
    let mut found = vec![f64::NAN; table.nodes().len()];
    if !found.is_empty() {
        let rows = table.rows()?;
        let vectors = NodeVectors::of_nodes(table.nodes(), rows);
        let vectors = vectors.ok_or_else(|| crate::Error::bug("vectors out of order"))?;
        let mut scorer = VectorScorer::new(&vectors, &like.to, like.measure)
            .map_err(|_| crate::Error::bug("a table of vectors of another length"))?;
        let candidates = Candidates::of(table.nodes());
        Scorer::<crate::Error>::score(&mut scorer, 0, candidates, &mut found)?;
    }
    let mut known = table.nodes().iter().zip(found).peekable();
    for (at, (node, score)) in nodes.iter().zip(scores).enumerate() {
        match known.next_if(|(known, _)| *known == node) {
            Some((_, likeness)) => {
                *score = match like.measure {
                    // As a distance, which it is in the language.
                    Measure::NegativeL2 => -likeness,
                    Measure::Cosine | Measure::Dot => likeness,
                };
            }
            None => missing.push(at),
        }
    }
    Ok(())
}

impl Scorer<Fault> for Scoring<'_, '_, '_> {
    fn scores_arrivals(&self) -> bool {
        self.scored.sees_way
    }

    fn score(
        &mut self,
        level: u32,
        candidates: Candidates<'_>,
        scores: &mut [f64],
    ) -> Result<(), Fault> {
        self.prepare();
        if let Some(Some(like)) = &self.like {
            return self.by_vectors(like, (candidates, level), scores);
        }
        if let Some(AtOnce::Batch {
            function,
            arguments,
        }) = &self.scored.at_once
        {
            return self.by_host((function, arguments), (candidates, level), scores);
        }
        for (entry, score) in scores.iter_mut().enumerate() {
            *score = self.one(candidates, entry, level)?;
        }
        Ok(())
    }
    fn score_wanted(
        &mut self,
        level: u32,
        candidates: Candidates<'_>,
        wanted: Wanted,
        scores: &mut [f64],
    ) -> Result<(), Fault> {
        self.prepare();
        if let Some(Some(like)) = &self.like
            && self.by_codes(like, (candidates, level), wanted, scores)?
        {
            return Ok(());
        }
        self.score(level, candidates, scores)
    }
}
