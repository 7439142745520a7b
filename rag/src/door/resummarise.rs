//! Summaries that are stale are made anew, and those that were never made. Which these are, and who writes them, is said in
//! `unwritten.rs`.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use stratigraph::codec::DatabaseId;
use stratigraph::storage::cancel::CancelToken;

use super::subject::Subject;
use super::unwritten::{Fate, Unwritten, Writer};
use super::{DoorError, Open};
use crate::build::{BuildError, Inputs, NodeKey, Summary};
use crate::extract::{Cost, ExtractError};
use crate::ingest::of_database;
use crate::under_way::UnderWay;

/// The summaries that are being written in this process. Statements, calls of a server and programs open the same database anew,
/// and none knows of what another asks a model: who wants what somebody else is writing waits for it, looks then, and finds
/// that it stands. Other processes need not be thought of: a database is open in one that writes.
static UNDER_WAY: UnderWay<(DatabaseId, NodeKey)> = UnderWay::new();

/// Which summaries are made, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resummarise {
    /// At most so many; what is left stays stale, and the next call goes on.
    pub most: usize,
    /// Also those of domains that have none yet. Where a model writes, one that rules have written is none.
    pub domains: bool,
    /// Also those of entities, in the same way.
    pub entities: bool,
    /// Whether they are the most central sentences, without asking a model. If nothing is said, only where there is no
    /// model, and then what a model wrote before stays as it is; with `true` it is replaced where it is stale, and with `false` a
    /// model is needed.
    pub central: Option<bool>,
}

impl Default for Resummarise {
    /// What is stale, by the model if there is one.
    fn default() -> Self {
        Self {
            most: 1000,
            domains: false,
            entities: false,
            central: None,
        }
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Resummarised {
    /// Summaries that were made, in the order of their keys.
    pub mended: Vec<Mended>,
    /// Those that could not be made; they are as they were.
    pub failed: Vec<Unmended>,
    /// Of what the summary was taken away, as nothing is said of it any more.
    pub forgotten: Vec<NodeKey>,
    /// How many were left alone when their turn came: somebody else had made them by then, what they would be of had gone, or
    /// it has no text that a summary could be made from.
    pub passed: usize,
    /// How many were to be made.
    pub of: usize,
    /// Who writes here: the name of the model, or [`Summary::RULES`]; nothing if there is no model and nobody else may.
    pub by: Option<String>,
    /// How many are still stale; where the database does not say it any more, how many were not made.
    pub left: usize,
    /// The bill, that of what failed included.
    pub cost: Cost,
    /// Whether somebody said that it should stop.
    pub stopped: bool,
    /// Why it ended before its end, if the database takes or gives nothing any more. What was made before that stays, and all
    /// that was paid is in the bill.
    pub ended: Option<DoorError>,
}

impl Resummarised {
    /// How many of [`of`](Self::of) are done, well or not, as it is told while they are made.
    #[must_use]
    pub fn settled(&self) -> usize {
        self.mended.len() + self.failed.len() + self.forgotten.len() + self.passed
    }
}

/// A summary that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// What it is of.
    pub node: NodeKey,
    /// It.
    pub text: String,
    /// What it cost.
    pub cost: Cost,
}

/// A summary that could not be made.
#[derive(Debug)]
pub struct Unmended {
    /// What it would be of.
    pub node: NodeKey,
    /// Why not.
    pub error: DoorError,
}

/// What a call was asked, which all of its threads go by.
struct Going<'a> {
    wanted: &'a Resummarise,
    writer: &'a Writer,
    cancel: &'a CancelToken,
    told: &'a (dyn Fn(&Resummarised) + Sync),
}

/// What came of one summary.
enum Came {
    Made(String),
    Forgotten,
    Passed,
}

impl Open {
    /// Makes summaries: each is committed on its own, so what was made stays, whatever comes then. What one is made from is
    /// read when its turn comes, and what changes while it is being written is stale from the beginning. Several calls at once
    /// share what there is to do. `told` hears how far it is, first of all of how many.
    ///
    /// # Errors
    /// [`DoorError::NoModel`] if only a model may write, there is none, and something is to be summarised; what the database
    /// says before the first is made. What it says later is [told](Resummarised::ended) with what was done by then.
    pub fn resummarise(
        &self,
        wanted: &Resummarise,
        cancel: &CancelToken,
        told: &(dyn Fn(&Resummarised) + Sync),
    ) -> Result<Resummarised, DoorError> {
        let writer = self.writer(wanted.central);
        let unwritten = match self.unwritten(wanted, writer.as_ref(), cancel) {
            Err(DoorError::Extract(ExtractError::Cancelled)) => None,
            unwritten => Some(unwritten?),
        };
        let mut all = Resummarised {
            stopped: unwritten.is_none(),
            ..Resummarised::default()
        };
        let Unwritten { mut nodes, kept } = unwritten.unwrap_or_default();
        // The widest domains first: what lies below is told their summaries.
        nodes.sort_unstable();
        if !nodes.is_empty() {
            let going = Going {
                wanted,
                writer: writer.as_ref().ok_or(DoorError::NoModel)?,
                cancel,
                told,
            };
            all = self.make(nodes, &going);
        }
        let unmade = all.of.saturating_sub(all.settled());
        all.failed.extend(kept);
        all.mended.sort_by(|one, other| one.node.cmp(&other.node));
        all.failed.sort_by(|one, other| one.node.cmp(&other.node));
        all.forgotten.sort_unstable();
        all.left = match self.layers().stale() {
            Ok(stale) => stale.len(),
            Err(error) => {
                all.ended.get_or_insert(error.into());
                unmade
            }
        };
        all.by = writer.map(|writer| writer.name);
        Ok(all)
    }

    fn make(&self, nodes: Vec<(usize, NodeKey)>, going: &Going<'_>) -> Resummarised {
        let shared = Resummarised {
            of: nodes.len(),
            ..Resummarised::default()
        };
        (going.told)(&shared);
        let shared = Mutex::new(shared);
        let mut rest = VecDeque::from(nodes);
        // Level by level: what lies below reads the summaries of what is above, so it waits for them.
        while let Some(depth) = rest.front().map(|(depth, _)| *depth) {
            let count = rest.partition_point(|(other, _)| *other <= depth);
            let level: VecDeque<NodeKey> = rest.drain(..count).map(|(_, node)| node).collect();
            self.make_level(level, going, &shared);
            let shared = lock(&shared);
            if shared.ended.is_some() || shared.stopped {
                break;
            }
        }
        let mut done = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.layers().replies().sync() {
            done.ended.get_or_insert(error.into());
        }
        done
    }

    /// Makes summaries that do not read each other, several at a time.
    fn make_level(
        &self,
        level: VecDeque<NodeKey>,
        going: &Going<'_>,
        shared: &Mutex<Resummarised>,
    ) {
        let threads = self.equipment().its_calls().min(level.len());
        let rest = Mutex::new(level);
        let work = || {
            loop {
                let next = lock(&rest).pop_front();
                let Some(node) = next else { break };
                if going.cancel.is_cancelled() {
                    lock(shared).stopped = true;
                    break;
                }
                let mut cost = Cost::default();
                let came = self.one(&node, going, &mut cost);
                let mut shared = lock(shared);
                shared.take(node, cost, came);
                (going.told)(&shared);
                if shared.ended.is_some() {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
    }

    /// What becomes of one summary, and what it costs, also if nothing does. All that it is made from is read here, and
    /// whether it is to be made is asked once more: since it was listed hours may have passed.
    fn one(&self, node: &NodeKey, going: &Going<'_>, cost: &mut Cost) -> Result<Came, DoorError> {
        let (layers, writer) = (self.layers(), going.writer);
        let of = (layers.database().id(), node.clone());
        let Some(_turn) = UNDER_WAY.enter(of, || going.cancel.is_cancelled()) else {
            return Err(ExtractError::Cancelled.into());
        };
        let inputs = match self.fate(node, going.wanted, Some(writer))? {
            Fate::Made(inputs) => inputs,
            Fate::Forgotten(inputs) => return self.settle_silence(&inputs),
            Fate::Kept(model) => return Err(DoorError::WrittenByModel { model }),
            Fate::Untouched => return Ok(Came::Passed),
        };
        let subject = Subject::read(layers, &inputs, writer.is_rules())?;
        let above = subject.summaries_above(layers)?;
        let made = subject.with(&above, |of| writer.summariser.summarise(of));
        let made = made.inspect_err(|error| *cost = error.cost())?;
        *cost = made.cost;
        if made.text.trim().is_empty() {
            return self.settle_silence(&inputs);
        }
        let summary = Summary {
            text: made.text,
            model: writer.name.clone(),
            prompt: writer.summariser.version().to_owned(),
        };
        Ok(match layers.summarise(&inputs, &summary)? {
            true => Came::Made(summary.text),
            false => Came::Passed,
        })
    }

    /// What nothing is said of has no summary: the one that it had is taken away, so that this is told once.
    fn settle_silence(&self, inputs: &Inputs) -> Result<Came, DoorError> {
        Ok(match self.layers().forget_summary(inputs)? {
            true => Came::Forgotten,
            false => Came::Passed,
        })
    }
}

impl Resummarised {
    fn take(&mut self, node: NodeKey, cost: Cost, came: Result<Came, DoorError>) {
        self.cost += cost;
        match came.map_err(without_replies) {
            Ok(Came::Made(text)) => self.mended.push(Mended { node, text, cost }),
            Ok(Came::Forgotten) => self.forgotten.push(node),
            Ok(Came::Passed) => self.passed += 1,
            Err(DoorError::Extract(ExtractError::Cancelled)) => self.stopped = true,
            // Others that were at it may say the same: the first is told.
            Err(error) if ends_all(&error) => {
                self.ended.get_or_insert(error);
            }
            Err(error) => self.failed.push(Unmended { node, error }),
        }
    }
}

/// What the database says, if a reply could not be kept or found because of that.
fn without_replies(error: DoorError) -> DoorError {
    match error {
        DoorError::Extract(error) => match of_database(error) {
            Ok(error) => error.into(),
            Err(error) => error.into(),
        },
        error => error,
    }
}

/// Whether no other summary would fare better.
fn ends_all(error: &DoorError) -> bool {
    matches!(error, DoorError::Build(BuildError::Database(error)) if error.kind() != stratigraph::ErrorKind::Request)
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
