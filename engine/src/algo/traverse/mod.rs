//! TRAVERSE: the level-wise operator of retrieval over layered knowledge.
//!
//! It starts from roots, steps from level to level, scores what it reaches, and admits per level
//! what KEEP lets through; RECOVER may add what the steps missed. One level is scored by one call
//! with all its candidates, so a scorer may be a SIMD kernel, a reranker or a language model.
//!
//! # Meaning
//!
//! ```text
//! C(0) = roots;   for l = 0 .. last:
//!   arrivals(b) = all ways (parent, relationships) that reach b at this level
//!   score(b)    = of the best arrival, by score descending, null last, parent, relationships
//!   K = what of C(l) the WHERE is true for;      level 0 with UNFILTERED: all of it, and no TOP
//!   T = the first k of K by score descending and id;   PER PARENT: k per parent, of any parent
//!   M = RECOVER, from level 1 on: members not admitted and not in T, that pass its own KEEP
//!   P(l) = T + M;   admitted += P(l);   C(l+1) = what a step reaches from P(l) and is not admitted
//! ```
//!
//! A root that the graph does not have is none. It ends when no candidate is left, and with RECOVER
//! only at the last level, or behind the last one that has members, if they know it. A node is
//! admitted once, at the first level that lets it in; one that was refused may come back at a later
//! level.
//!
//! A null score (NaN is null) passes no threshold, no TOP and no RECOVER; without KEEP it is
//! admitted as null. Rows come by level, score descending with null last, id. Their order, and
//! everything else but a budget in milliseconds, is the same every time.
//!
//! # Laws
//!
//! They are tested in `tests/laws.rs` on random graphs.
//!
//! 1. Without KEEP, levels are the distances of a breadth-first search.
//! 2. TOP k with k at least as large as the widest level is no TOP, where no score is null.
//! 3. Without TOP, what is admitted only grows as the threshold falls.
//! 4. In strict layers, RECOVER with the same score and threshold is a flat scan of every level:
//!    the hierarchy no longer matters. That is why RECOVER must bring its own KEEP.
//! 5. Null scores are never admitted by a threshold or by TOP.
//! 6. The order in which the graph hands over edges and roots does not matter.
//! 7. TOP k admits at most k per level.
//! 8. A node is admitted once.
//!
//! **TOP is not monotone in k.** A wider beam may lose nodes: the additional node of one level leads
//! to better candidates of the next, and these push out others. It happened on 319 of 4,000 random
//! graphs. Only a threshold promises that asking for more returns no less.
//!
//! # Cost
//!
//! A level costs its edges, one score per candidate (or per arrival, if the scorer looks at
//! those), and a sort of its rows. Sets are bitmaps over dense ids, columns are arrays, and nothing
//! is allocated per candidate. Parents, paths and roots are only worked out when asked for.
//!
//! `cargo xtask bench graph --only traverse` measures it on a tree of a million sections in five levels with 128
//! dimensions, every one of them scored once by KEEP or RECOVER. On one core of a Xeon (Sapphire
//! Rapids) the kernel alone takes 35 ms for the million rows, and the operator in processor time:
//!
//! | rows returned | ids by level | ids shuffled over the levels |
//! |---|---|---|
//! | 200,000 | 58 ms, 1.7 x | 82 ms, 2.4 x |
//! | 600,000 | 90 ms, 2.6 x | 134 ms, 3.9 x |
//! | 600,000 with parent and edge | 127 ms, 3.7 x | 211 ms, 6.1 x |
//! | 1,000,000 | 103 ms, 3.0 x | 137 ms, 4.0 x |
//!
//! What is not the kernel is, in that order, fresh memory from the system, the sort of the rows by
//! score, and walking candidates and members side by side.
//!
//! # Where to go next
//!
//! `stepper.rs` is the machine, and [`Traverse::run`] below the loop over it. `verdict.rs` is KEEP,
//! `recover.rs` is RECOVER, `arrivals.rs` groups what comes in. `steps.rs` and `scorer.rs` are the
//! two faces a caller implements. `tests/model.rs` says the same as all of them, slowly.
//!
//! # Example
//!
//! ```
//! use stratigraph::algo::snapshot::{ProjectionSteps, Selection};
//! use stratigraph::algo::traverse::{Keep, NodeScorer, Traverse, Where};
//! use stratigraph::clock::SystemClock;
//! use stratigraph::{Database, Error, NO_LABELS, NO_PROPERTIES, NodeId};
//!
//! let db = Database::in_memory()?;
//! let mut txn = db.write()?;
//! for _ in 0..4 {
//!     txn.create_node(NO_LABELS, NO_PROPERTIES)?;
//! }
//! // 0 leads to 1 and 2, and 1 leads to 3.
//! for (parent, child) in [(0, 1), (0, 2), (1, 3)] {
//!     txn.create_relationship(NodeId::new(parent), "HAS", NodeId::new(child), NO_PROPERTIES)?;
//! }
//! txn.commit()?;
//! let graph = db.read()?.project(&Selection::all().with_relationships())?;
//!
//! let scores = [0.9, 0.4, 0.8, 0.7];
//! let result = Traverse::from([NodeId::new(0)])
//!     .scorer(NodeScorer(|node: NodeId, _level| {
//!         Ok::<_, Error>(scores.get(node.get() as usize).copied())
//!     }))
//!     .keep(Keep::all().only(Where::Above(0.5)))
//!     .run(&mut ProjectionSteps::new(&graph)?, &SystemClock::new())?;
//!
//! // 1 is refused, so nobody gets to 3.
//! assert_eq!(result.rows.nodes(), [0, 2].map(NodeId::new));
//! assert_eq!(result.summary.scored, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod arrivals;
mod error;
mod node_set;
mod options;
mod order;
mod recover;
mod roots;
mod rows;
mod scorer;
mod stepper;
mod steps;
mod trail;
mod vector_scorer;
mod verdict;

pub use error::TraverseError;
pub use options::{
    Budget, BudgetUnit, Columns, Considered, Emit, Keep, Levels, Members, OnExceed, Recover, Test,
    Where,
};
pub use rows::{Row, Rows, Summary, Traversal};
pub use scorer::{ArrivalScorer, ArrivalView, Candidates, NodeScorer, Scorer, Wanted};
pub use stepper::{LevelCandidates, TraverseStepper};
pub use steps::{Arrival, Hop, Steps};
pub use trail::Path;
pub use vector_scorer::{Measure, NodeVectors, VectorScorer};
pub use verdict::Status;

use crate::clock::Clock;
use crate::storage::cancel::CancelToken;
use crate::value::NodeId;
use stepper::Settings;

/// One TRAVERSE, with its options; each method is the clause of the same name.
///
/// `E` is what the graph, the scorer and the members may fail with.
#[must_use]
#[derive(Debug)]
pub struct Traverse<'a, E> {
    roots: Vec<NodeId>,
    settings: Settings,
    scorer: Scoring<'a, E>,
    keep: Keep<'a, E>,
    recover: Option<Recover<'a, E>>,
    cancel: CancelToken,
}

/// The scorer, in a wrapper that can be printed.
struct Scoring<'a, E>(Option<Box<dyn Scorer<E> + 'a>>);

impl<E> std::fmt::Debug for Scoring<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Some(..)" } else { "None" })
    }
}

impl<'a, E> Traverse<'a, E> {
    /// FROM: the roots, in any order and as often as they like.
    pub fn from(roots: impl IntoIterator<Item = NodeId>) -> Self {
        Self {
            roots: roots.into_iter().collect(),
            settings: Settings {
                levels: Levels {
                    first: 0,
                    last: None,
                },
                unfiltered: false,
                budget: None,
                emit: Emit::Kept,
                columns: Columns::default(),
                recovers_to: None,
                needs_arrivals: false,
            },
            scorer: Scoring(None),
            keep: Keep::all(),
            recover: None,
            cancel: CancelToken::new(),
        }
    }

    /// UNFILTERED: roots are admitted without KEEP.
    pub fn unfiltered(mut self) -> Self {
        self.settings.unfiltered = true;
        self
    }

    /// LEVELS first..last; without a last one until no candidate is left.
    pub fn levels(mut self, first: u32, last: Option<u32>) -> Self {
        self.settings.levels = Levels { first, last };
        self
    }

    /// SCORE. Without one, all scores are null.
    pub fn scorer(mut self, scorer: impl Scorer<E> + 'a) -> Self {
        self.scorer = Scoring(Some(Box::new(scorer)));
        self
    }

    /// KEEP. Without one, everything is admitted.
    pub fn keep(mut self, keep: Keep<'a, E>) -> Self {
        self.keep = keep;
        self
    }

    /// RECOVER.
    pub fn recover(mut self, recover: Recover<'a, E>) -> Self {
        self.recover = Some(recover);
        self
    }

    /// EMIT.
    pub fn emit(mut self, emit: Emit) -> Self {
        self.settings.emit = emit;
        self
    }

    /// BUDGET.
    pub fn budget(mut self, limit: u64, unit: BudgetUnit, on_exceed: OnExceed) -> Self {
        self.settings.budget = Some(Budget {
            limit,
            unit,
            on_exceed,
        });
        self
    }

    /// YIELD: the columns that are only worked out when asked for.
    pub fn columns(mut self, columns: Columns) -> Self {
        self.settings.columns = columns;
        self
    }

    /// Lets `token` stop it: between levels and while edges are read, not while a scorer works.
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.cancel = token;
        self
    }

    /// Runs it to the end.
    ///
    /// # Errors
    ///
    /// [`TraverseError::LevelsReversed`], [`TraverseError::UnboundedRecover`] and
    /// [`TraverseError::RecoverWithoutKeep`] before anything is read, [`TraverseError::BudgetExceeded`],
    /// [`TraverseError::Cancelled`], and what the graph, the scorer or the members fail with.
    pub fn run(
        mut self,
        steps: &mut dyn Steps<E>,
        clock: &dyn Clock,
    ) -> Result<Traversal, TraverseError<E>> {
        self.check()?;
        let Self {
            roots,
            mut settings,
            scorer: Scoring(mut scorer),
            keep,
            mut recover,
            cancel,
        } = self;
        if let Some(recover) = &mut recover {
            settings.recovers_to = recover.members.last_level()?.or(settings.recovers_to);
        }
        let per_arrival = scorer.as_ref().is_some_and(|it| it.scores_arrivals());
        settings.needs_arrivals = per_arrival
            || settings.columns.arrivals
            || settings.columns.paths
            || keep.per_parent
            || keep.condition.sees_arrivals();
        let mut stepper = TraverseStepper::new(settings, roots, keep, clock, cancel);
        while let Some(level) = stepper.next_level(steps)? {
            let candidates = level.for_scorer(per_arrival);
            let mut scores = vec![f64::NAN; candidates.len()];
            let mut scored = 0;
            if let Some(scorer) = scorer.as_mut().filter(|_| !candidates.is_empty()) {
                scorer.score(level.level(), candidates, &mut scores)?;
                scored = scores.len();
            }
            stepper.count_scored(scored);
            stepper.decide(scores, per_arrival)?;
            if let Some(recover) = &mut recover {
                stepper.look_for_missing(recover, scorer.as_deref_mut())?;
            }
        }
        Ok(stepper.finish())
    }

    /// Lets a host decide level by level. The scorer is not asked; KEEP is applied where the host
    /// hands in scores. With [`recover`](Self::recover) its members are not asked either, but levels
    /// without candidates are handed out until the last one, so that the host can recover there.
    ///
    /// # Errors
    ///
    /// [`TraverseError::LevelsReversed`], [`TraverseError::UnboundedRecover`] and
    /// [`TraverseError::RecoverWithoutKeep`].
    pub fn stepper(
        mut self,
        clock: &'a dyn Clock,
    ) -> Result<TraverseStepper<'a, E>, TraverseError<E>> {
        self.check()?;
        self.settings.needs_arrivals = true;
        Ok(TraverseStepper::new(
            self.settings,
            self.roots,
            self.keep,
            clock,
            self.cancel,
        ))
    }

    /// Whether the options fit together.
    fn check(&mut self) -> Result<(), TraverseError<E>> {
        let Levels { first, last } = self.settings.levels;
        if let Some(last) = last.filter(|last| *last < first) {
            return Err(TraverseError::LevelsReversed { first, last });
        }
        self.settings.recovers_to = self.recover.is_some().then_some(u32::MAX);
        let Some(recover) = &self.recover else {
            return Ok(());
        };
        if last.is_none() {
            return Err(TraverseError::UnboundedRecover);
        }
        if recover.keep.top.is_none() && matches!(recover.keep.condition, Where::Always) {
            return Err(TraverseError::RecoverWithoutKeep);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
