//! What a query has while it runs: the graph, its parameters, time, randomness, and its limits.
//!
//! It must never outlive the transaction that it runs in.
//!
//! Next: `graph.rs`.

use super::graph::Graph;
use super::memory::Memory;
use super::profile::{Mark, Profile, Spent};
use crate::clock::Clock;
use crate::database::Database;
use crate::error::Error;
use crate::query::compile::Compiled;
use crate::query::counters::Counters;
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::Span;
use crate::query::functions::{Moments, Random};
use crate::query::plan::{Op, Rules};
use crate::query::provenance::Provenance;
use crate::storage::cancel::{CancelToken, Progress, Watch};
use crate::value::{NodeId, RelationshipId, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How many steps go by until somebody is asked whether the query may go on.
const STEPS_BETWEEN_CHECKS: u64 = 256;

/// What a query has while it runs.
pub(crate) struct Context<'t> {
    /// The graph.
    pub(crate) graph: Graph<'t>,
    /// The parameters, by their numbers.
    pub(crate) parameters: Vec<Value>,
    /// What was changed so far.
    pub(crate) counters: Counters,
    /// What the delete operator that is running has collected.
    pub(crate) deletions: Deletions,
    /// Time.
    pub(crate) moments: Moments,
    /// Randomness.
    pub(crate) random: RefCell<Random>,
    /// How many rows go through at once, at least one.
    pub(crate) batch_rows: usize,
    /// How much memory may be held.
    pub(crate) memory: Memory,
    /// What was done so far.
    pub(crate) work: Work,
    /// The planner's rules that are followed.
    rules: Rules,
    /// Whether no search of a vector index misses anything.
    pub(crate) exact: bool,
    /// To how many threads long work is shared out.
    pub(crate) threads: usize,
    /// How its rows came about.
    pub(crate) provenance: Provenance,
    /// What each operator has done, if somebody wants to know.
    pub(crate) profile: Option<Box<Profile>>,
    /// Nodes that were deleted while they still had relationships, and where: those must be gone in the end.
    pub(crate) connected: BTreeMap<NodeId, Span>,
    /// Where the next transaction comes from, for subqueries in transactions.
    pub(crate) database: Option<Database>,
    cancel: CancelToken,
    /// The same, and the end of its time: for what works long without coming back here.
    stop: CancelToken,
    clock: Arc<dyn Clock>,
    /// When it began, and how long it may run.
    began: Duration,
    time: Option<Duration>,
    /// How much work it may be.
    steps: Option<u64>,
    until_check: u64,
}

/// What bounds a query.
pub(crate) struct Limits {
    /// How many rows go through at once.
    pub(crate) batch_rows: usize,
    /// How many bytes it may hold.
    pub(crate) memory_bytes: usize,
    /// How long it may run.
    pub(crate) time: Option<Duration>,
    /// How much work it may be.
    pub(crate) steps: Option<u64>,
    /// Whether no search of a vector index misses anything.
    pub(crate) exact: bool,
    /// The planner's rules that are followed where a procedure runs a text of its own.
    pub(crate) rules: Rules,
    /// To how many threads long work is shared out.
    pub(crate) threads: usize,
    /// Who may stop it.
    pub(crate) cancel: CancelToken,
    /// What the time is measured with.
    pub(crate) clock: Arc<dyn Clock>,
}

/// What a query has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Rows that operators gave to each other.
    pub(crate) rows: u64,
    /// Relationships that were looked at.
    pub(crate) relationships: u64,
    /// Distances between vectors that were computed.
    pub(crate) distances: u64,
}

/// What is to be deleted once all rows of a delete operator are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deletions {
    /// Nodes.
    pub(crate) nodes: BTreeSet<NodeId>,
    /// Relationships.
    pub(crate) relationships: BTreeSet<RelationshipId>,
    /// Whether the relationships of the nodes go with them.
    pub(crate) detach: bool,
}

impl<'t> Context<'t> {
    /// A query that has done nothing yet.
    pub(crate) fn new(
        graph: Graph<'t>,
        parameters: Vec<Value>,
        moments: Moments,
        random: Random,
        limits: Limits,
    ) -> Self {
        let began = limits.clock.now();
        let stop = match limits.time.and_then(|time| began.checked_add(time)) {
            Some(end) => limits.cancel.until(end, Arc::clone(&limits.clock)),
            None => limits.cancel.clone(),
        };
        Self {
            graph: graph.stopped_by(&stop),
            parameters,
            counters: Counters::default(),
            deletions: Deletions::default(),
            moments,
            random: RefCell::new(random),
            batch_rows: limits.batch_rows.max(1),
            memory: Memory::new(limits.memory_bytes),
            work: Work::default(),
            rules: limits.rules,
            exact: limits.exact,
            threads: limits.threads.max(1),
            provenance: Provenance::default(),
            profile: None,
            connected: BTreeMap::new(),
            database: None,
            cancel: limits.cancel,
            stop,
            began,
            clock: limits.clock,
            time: limits.time,
            steps: limits.steps,
            until_check: STEPS_BETWEEN_CHECKS,
        }
    }

    /// What measures its time, and what stops it: somebody, or the end of its time.
    pub(crate) fn clock_and_stop(&self) -> (Arc<dyn Clock>, CancelToken) {
        (Arc::clone(&self.clock), self.stop.clone())
    }

    /// Reads and plans a text that runs within this query.
    pub(crate) fn compile(&self, text: &str) -> Result<Arc<Compiled>, Error> {
        self.graph.compile(text, self.rules)
    }

    /// An operator is asked: how things stand, if they are counted.
    pub(super) fn mark(&mut self) -> Option<Mark> {
        self.profile.as_ref()?;
        let now = self.spent();
        self.profile.as_mut().map(|profile| profile.begin(now))
    }

    /// An operator has answered with so many rows, and holds so many bytes.
    pub(super) fn note(&mut self, op: &Op, mark: Option<Mark>, rows: usize, bytes: usize) {
        if let Some(mark) = mark {
            let now = self.spent();
            if let Some(profile) = &mut self.profile {
                profile.end(op, &mark, now, rows, bytes);
            }
        }
    }

    fn spent(&self) -> Spent {
        let (seeks, properties) = self.graph.reads();
        Spent {
            seeks,
            properties,
            read_bytes: self.graph.read_bytes(),
            distances: self.work.distances,
            time: self.clock.now(),
        }
    }

    /// Says that a row was produced.
    pub(crate) fn step(&mut self) -> Result<(), Fault> {
        self.steps(1)
    }

    /// Says that some rows were produced.
    pub(crate) fn steps(&mut self, rows: usize) -> Result<(), Fault> {
        self.work.rows += rows as u64;
        self.go_on(rows as u64)
    }

    /// Says that some relationships were looked at.
    pub(crate) fn look(&mut self, relationships: usize) -> Result<(), Fault> {
        self.work.relationships += relationships as u64;
        self.go_on(relationships as u64)
    }

    /// Says that a value is in hand, which may be long to look through. A list counts also if it is short, for
    /// it may hold long ones.
    pub(crate) fn handle(&mut self, value: &Value) -> Result<(), Fault> {
        let steps = match value {
            Value::List(elements) => 16 + elements.len() / 16,
            Value::Map(entries) => 16 + entries.len() / 16,
            Value::String(text) => text.len() / 1024,
            _ => return Ok(()),
        };
        self.go_on(steps as u64)
    }

    /// Whether it may go on, asked from time to time.
    fn go_on(&mut self, steps: u64) -> Result<(), Fault> {
        match self.until_check.checked_sub(steps.max(1)) {
            Some(left) => {
                self.until_check = left;
                Ok(())
            }
            None => self.check(),
        }
    }

    /// Whether it may go on.
    pub(crate) fn check(&mut self) -> Result<(), Fault> {
        self.until_check = STEPS_BETWEEN_CHECKS;
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled.into());
        }
        let done = self.work.rows + self.work.relationships;
        if let Some(steps) = self.steps.filter(|steps| done > *steps) {
            return Err(laborious(steps));
        }
        let Some(time) = self.time else {
            return Ok(());
        };
        if self.clock.now().saturating_sub(self.began) > time {
            return Err(late(time));
        }
        Ok(())
    }

    /// How much work it may still do.
    pub(crate) fn steps_left(&self) -> u64 {
        let done = self.work.rows.saturating_add(self.work.relationships);
        self.steps
            .map_or(u64::MAX, |steps| steps.saturating_sub(done))
    }

    /// How long it may run.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.time
    }

    /// Runs long work that says how far it is. It ends early when somebody stops the query, and when its time is
    /// over.
    pub(crate) fn watched<T, E: Into<Fault>>(
        &self,
        work: impl FnOnce(&Graph<'t>, &mut Watch<'_>) -> Result<T, E>,
    ) -> Result<T, Fault> {
        let mut nobody = |_: Progress<'_>| {};
        let mut watch = Watch::new(&mut nobody, self.stop.clone());
        work(&self.graph, &mut watch).map_err(|error| self.told(error.into()))
    }

    /// What has ended the query: what was stopped below knows nothing of its time.
    pub(crate) fn told(&self, fault: Fault) -> Fault {
        let Fault::Engine(error) = &fault else {
            return fault;
        };
        match (&**error, self.time) {
            (Error::Cancelled, Some(time))
                if self.stop.is_cancelled() && !self.cancel.is_cancelled() =>
            {
                late(time)
            }
            _ => fault,
        }
    }
}

/// The time is over.
fn laborious(steps: u64) -> Fault {
    let message = format!("the query would go through more than {steps} rows and relationships");
    let hint = "let it do less, or raise the setting `max_steps`";
    raise(Detail::StepLimit, message).hint(hint)
}

fn late(time: Duration) -> Fault {
    let message = format!("the query ran for longer than {time:?}");
    let hint = "let it do less, or raise the query's setting `timeout`";
    raise(Detail::TimeLimit, message).hint(hint)
}
