//! The machine behind every traversal: candidates out, decisions in, level by level.
//!
//! [`Traverse::run`](super::Traverse::run) is a loop over it that lets a scorer decide. A host that
//! wants to decide by itself, such as one that asks a language model, drives it by hand. It must
//! never score and never look at what a scorer is; it only knows what was decided.
//!
//! Next: `stepper/expand.rs` for how a level is opened, `stepper/close.rs` for what is left of it.

mod close;
mod expand;

use super::arrivals::{ArrivalColumns, Group};
use super::error::TraverseError;
use super::node_set::NodeSet;
use super::options::{Budget, Columns, Emit, Keep, Levels, OnExceed, Recover};
use super::order;
use super::roots::RootsRecord;
use super::rows::{Rows, Summary, Traversal};
use super::scorer::{ArrivalView, Candidates, Scorer};
use super::steps::{Ascending, Steps};
use super::trail::Trail;
use super::verdict::Verdict;
use crate::clock::Clock;
use crate::storage::cancel::CancelToken;
use crate::value::NodeId;
use std::fmt;
use std::time::Duration;

/// The options that the machine itself needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) levels: Levels,
    pub(super) unfiltered: bool,
    pub(super) budget: Option<Budget>,
    pub(super) emit: Emit,
    pub(super) columns: Columns,
    /// RECOVER may find something up to this level, so until there empty levels go on.
    pub(super) recovers_to: Option<u32>,
    pub(super) needs_arrivals: bool,
}

/// A level that waits for a decision, or has one.
#[derive(Debug)]
struct Level {
    group: Group,
    verdict: Option<Verdict>,
}

/// The candidates of the level that is open.
#[derive(Clone, Copy, Debug)]
pub struct LevelCandidates<'s> {
    level: u32,
    group: &'s Group,
}

impl<'s> LevelCandidates<'s> {
    /// The level.
    #[must_use]
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The candidates: distinct, ascending. May be empty where RECOVER goes on.
    #[must_use]
    pub fn nodes(&self) -> &'s [NodeId] {
        &self.group.nodes
    }

    /// The ways to the candidate at this place, by parent and relationships; roots have none.
    pub fn arrivals(&self, candidate: usize) -> impl Iterator<Item = ArrivalView<'s>> {
        let group = self.group;
        let entries = match group.nodes.get(candidate) {
            Some(_) => group.entries(candidate),
            None => 0..0,
        };
        entries.filter_map(|entry| group.arrival(entry))
    }

    /// What a [`Scorer`] is asked: per node, or per way if it scores arrivals.
    #[must_use]
    pub fn for_scorer(&self, per_arrival: bool) -> Candidates<'s> {
        self.group.candidates(per_arrival)
    }
}

/// A traversal that waits for decisions.
///
/// [`next_level`](Self::next_level) hands out candidates, one of the `admit` methods decides, and so
/// on until there is no level; [`finish`](Self::finish) returns the rows.
pub struct TraverseStepper<'a, E> {
    settings: Settings,
    keep: Keep<'a, E>,
    clock: &'a dyn Clock,
    cancel: CancelToken,
    started: Duration,
    roots: Vec<NodeId>,
    /// The number of the level that is open, or will be opened next.
    level: u32,
    open: Option<Level>,
    done: bool,
    admitted: NodeSet,
    /// What was admitted on the level before, ascending.
    frontier: Vec<NodeId>,
    rows: Rows,
    record: Option<RootsRecord>,
    summary: Summary,
}

impl<'a, E> TraverseStepper<'a, E> {
    pub(super) fn new(
        settings: Settings,
        mut roots: Vec<NodeId>,
        keep: Keep<'a, E>,
        clock: &'a dyn Clock,
        cancel: CancelToken,
    ) -> Self {
        order::sort_distinct(&mut roots);
        let with_ways = settings.columns.arrivals || settings.columns.paths;
        let rows = Rows {
            arrivals: with_ways.then(ArrivalColumns::default),
            trail: settings.columns.paths.then(Trail::default),
            ..Rows::default()
        };
        Self {
            settings,
            keep,
            clock,
            cancel,
            started: clock.now(),
            roots,
            level: 0,
            open: None,
            done: false,
            admitted: NodeSet::default(),
            frontier: Vec::new(),
            rows,
            record: settings.columns.roots.then(RootsRecord::default),
            summary: Summary::default(),
        }
    }

    /// Closes the level that was decided and opens the next; nothing means the end.
    ///
    /// # Errors
    ///
    /// [`TraverseError::Undecided`] if the open level still waits, [`TraverseError::BudgetExceeded`],
    /// [`TraverseError::Cancelled`], or what the graph fails with. After the last three the traversal
    /// is over.
    pub fn next_level(
        &mut self,
        steps: &mut dyn Steps<E>,
    ) -> Result<Option<LevelCandidates<'_>>, TraverseError<E>> {
        self.close_level()?;
        if self.done {
            return Ok(None);
        }
        // Until the level is open, every way out of here is the end.
        self.done = true;
        let opened = if self.cancel.is_cancelled() {
            Err(TraverseError::Cancelled)
        } else if self.level == 0 {
            self.roots(steps).map(Ok)
        } else {
            self.expand(steps)
        };
        let group = match opened {
            Ok(Ok(group)) => group,
            Ok(Err((budget, used))) => return self.exceeded(budget, used),
            Err(error) => {
                self.summary.truncated = true;
                return Err(error);
            }
        };
        let recovers = self.settings.recovers_to.is_some_and(|to| self.level <= to);
        if group.nodes.is_empty() && !recovers {
            return Ok(None);
        }
        if let Some((budget, used)) = self.over_budget(group.nodes.len() as u64) {
            return self.exceeded(budget, used);
        }
        self.done = false;
        self.summary.candidates += group.nodes.len() as u64;
        let open = self.open.insert(Level {
            group,
            verdict: None,
        });
        Ok(Some(LevelCandidates {
            level: self.level,
            group: &open.group,
        }))
    }

    /// Decides the open level by name: these candidates are kept, the others rejected, and scores
    /// are null. KEEP and UNFILTERED are not asked.
    ///
    /// # Errors
    ///
    /// [`TraverseError::NothingToDecide`], or [`TraverseError::NotACandidate`]; then nothing happened.
    pub fn admit(&mut self, kept: &[NodeId]) -> Result<(), TraverseError<E>> {
        let level = self.level;
        let open = self.waiting()?;
        let mut kept = kept.to_vec();
        order::sort_distinct(&mut kept);
        let stranger = (kept.iter()).find(|node| open.group.nodes.binary_search(node).is_err());
        if let Some(node) = stranger {
            return Err(TraverseError::NotACandidate { node: *node, level });
        }
        open.verdict = Some(Verdict::by_nodes(&open.group, &kept));
        Ok(())
    }

    /// Decides the open level by scores, one per candidate and NaN for null, to which KEEP is applied.
    ///
    /// # Errors
    ///
    /// [`TraverseError::NothingToDecide`], [`TraverseError::WrongScores`], or what a condition fails
    /// with.
    pub fn admit_scores(&mut self, scores: &[f64]) -> Result<(), TraverseError<E>> {
        self.decide(scores.to_vec(), false)
    }

    /// Decides the open level by the scores of all ways, in the order of [`LevelCandidates`]. Roots
    /// have one score each.
    ///
    /// # Errors
    ///
    /// As for [`admit_scores`](Self::admit_scores).
    pub fn admit_arrival_scores(&mut self, scores: &[f64]) -> Result<(), TraverseError<E>> {
        self.decide(scores.to_vec(), true)
    }

    pub(super) fn decide(
        &mut self,
        scores: Vec<f64>,
        per_arrival: bool,
    ) -> Result<(), TraverseError<E>> {
        let level = self.level;
        let free = self.settings.unfiltered && level == 0;
        let open = self.open.as_mut().filter(|open| open.verdict.is_none());
        let open = open.ok_or(TraverseError::NothingToDecide)?;
        let expected = open.group.candidates(per_arrival).len();
        if scores.len() != expected {
            return Err(TraverseError::WrongScores {
                level,
                expected,
                found: scores.len(),
            });
        }
        let keep = &mut self.keep;
        let verdict = Verdict::by_scores(&open.group, level, scores, per_arrival, keep, free)?;
        open.verdict = Some(verdict);
        Ok(())
    }

    /// Adds nodes with their scores to a level that was decided; those it has already, kept or
    /// recovered, are left as they are, and of a node that is named twice the first score counts. A
    /// null score (NaN) passes no RECOVER: it adds nothing.
    ///
    /// # Errors
    ///
    /// [`TraverseError::NothingToDecide`] before the level was decided, and
    /// [`TraverseError::NotRecoverable`] at level 0 or for nodes of earlier levels; then nothing
    /// happened.
    pub fn recover(&mut self, found: &[(NodeId, f64)]) -> Result<(), TraverseError<E>> {
        let level = self.level;
        let admitted = &self.admitted;
        let Some(open) = &mut self.open else {
            return Err(TraverseError::NothingToDecide);
        };
        let Some(verdict) = &mut open.verdict else {
            return Err(TraverseError::NothingToDecide);
        };
        let stranger = (found.iter()).find(|(node, _)| level == 0 || admitted.contains(*node));
        if let Some((node, _)) = stranger {
            return Err(TraverseError::NotRecoverable { node: *node, level });
        }
        let mut known = Ascending::new(&open.group.nodes);
        // What an earlier call recovered comes first, and stays where a node comes twice.
        let scored = found.iter().filter(|(_, score)| !score.is_nan());
        let mut found = std::mem::take(&mut verdict.recovered);
        found.extend(scored);
        found.sort_by_key(|(node, _)| *node);
        found.dedup_by_key(|(node, _)| *node);
        found.retain(|(node, _)| {
            let status = known.find(*node).and_then(|at| verdict.statuses.get(at));
            status.is_none_or(|status| !status.is_admitted())
        });
        verdict.recover(&open.group, &found);
        Ok(())
    }

    /// RECOVER on the level that was just decided.
    pub(super) fn look_for_missing(
        &mut self,
        recover: &mut Recover<'_, E>,
        scorer: Option<&mut (dyn Scorer<E> + '_)>,
    ) -> Result<(), TraverseError<E>> {
        let Some(open) = &mut self.open else {
            return Err(TraverseError::NothingToDecide);
        };
        let Some(verdict) = &mut open.verdict else {
            return Err(TraverseError::NothingToDecide);
        };
        if self.level > 0 {
            let looked = recover.look(self.level, &open.group, verdict, &self.admitted, scorer)?;
            self.summary.recover_scanned += looked.scanned;
            self.summary.scored += looked.scored;
        }
        Ok(())
    }

    /// Counts scores that were asked for.
    pub(super) fn count_scored(&mut self, count: usize) {
        self.summary.scored += count as u64;
    }

    /// Ends the traversal. A level without a decision is left out, and the summary says `truncated`,
    /// as it does if nobody asked whether there are more levels.
    #[must_use]
    pub fn finish(self) -> Traversal {
        let unlimited = self.finish_holding(&mut |_| Ok::<(), std::convert::Infallible>(()));
        match unlimited {
            Ok(traversal) => traversal,
            Err(never) => match never {},
        }
    }

    /// The same, asking for the memory of what is only worked out now.
    pub(super) fn finish_holding<F>(
        mut self,
        hold: &mut dyn FnMut(usize) -> Result<(), F>,
    ) -> Result<Traversal, F> {
        if self.close_level().is_err() || !self.done {
            self.summary.truncated = true;
        }
        if let Some(record) = self.record.take() {
            self.rows.roots = Some(record.column(&self.rows, hold)?);
        }
        Ok(Traversal {
            rows: self.rows,
            summary: self.summary,
        })
    }

    /// The open level, if it has no decision.
    fn waiting(&mut self) -> Result<&mut Level, TraverseError<E>> {
        let open = self.open.as_mut().filter(|open| open.verdict.is_none());
        open.ok_or(TraverseError::NothingToDecide)
    }

    /// The end for want of budget.
    fn exceeded(
        &mut self,
        budget: Budget,
        used: u64,
    ) -> Result<Option<LevelCandidates<'_>>, TraverseError<E>> {
        self.summary.truncated = true;
        match budget.on_exceed {
            OnExceed::Stop => Ok(None),
            OnExceed::Error => Err(TraverseError::BudgetExceeded {
                level: self.level,
                budget,
                used,
            }),
        }
    }
}

impl<E> fmt::Debug for TraverseStepper<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraverseStepper")
            .field("level", &self.level)
            .field("done", &self.done)
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}
