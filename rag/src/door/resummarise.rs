//! Summaries that are stale are made anew, and those that were never made. Which these are, and who writes them, is said in
//! `unwritten.rs`.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use stratigraph::storage::cancel::CancelToken;

use super::subject::Subject;
use super::unwritten::Writer;
use super::{DoorError, Open};
use crate::build::{BuildError, Inputs, NodeKey, Summary};
use crate::extract::{Cost, ExtractError};

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
    /// How many were to be made.
    pub of: usize,
    /// Who writes here: the name of the model, or [`Summary::RULES`]; nothing if there is no model and nobody else may.
    pub by: Option<String>,
    /// How many are still stale.
    pub left: usize,
    /// The bill, that of what failed included.
    pub cost: Cost,
    /// Whether somebody said that it should stop.
    pub stopped: bool,
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

/// What threads share.
#[derive(Default)]
struct Shared {
    done: Resummarised,
    ended: Option<DoorError>,
}

impl Open {
    /// Makes summaries: each is committed on its own, so what was made stays, whatever comes then. What changes while
    /// its summary is being written is stale from the beginning. `told` hears how far it is, first of all of how many.
    ///
    /// # Errors
    /// [`DoorError::NoModel`] if only a model may write, there is none, and something is to be summarised; what the database
    /// says.
    pub fn resummarise(
        &self,
        wanted: &Resummarise,
        cancel: &CancelToken,
        told: &(dyn Fn(&Resummarised) + Sync),
    ) -> Result<Resummarised, DoorError> {
        let writer = self.writer(wanted.central);
        let unwritten = match self.unwritten(wanted, writer.as_ref(), cancel) {
            Err(DoorError::Extract(ExtractError::Cancelled)) => {
                return Ok(Resummarised {
                    stopped: true,
                    ..Resummarised::default()
                });
            }
            unwritten => unwritten?,
        };
        let mut subjects = unwritten.subjects;
        // The widest domains first: what lies below is told their summaries.
        subjects.sort_by(|(one, above), (other, below)| {
            (above.depth(), &one.node).cmp(&(below.depth(), &other.node))
        });
        let mut all = Resummarised::default();
        if !subjects.is_empty() {
            let writer = writer.as_ref().ok_or(DoorError::NoModel)?;
            all = self.make(subjects, writer, cancel, told)?;
        }
        all.failed.extend(unwritten.kept);
        all.mended.sort_by(|one, other| one.node.cmp(&other.node));
        all.failed.sort_by(|one, other| one.node.cmp(&other.node));
        all.left = self.layers().stale()?.len();
        all.by = writer.map(|writer| writer.name);
        Ok(all)
    }

    fn make(
        &self,
        subjects: Vec<(Inputs, Subject)>,
        writer: &Writer,
        cancel: &CancelToken,
        told: &(dyn Fn(&Resummarised) + Sync),
    ) -> Result<Resummarised, DoorError> {
        let shared = Mutex::new(Shared::default());
        {
            let mut shared = lock(&shared);
            shared.done.of = subjects.len();
            told(&shared.done);
        }
        let mut rest = VecDeque::from(subjects);
        // Level by level: what lies below reads the summaries of what is above, so it waits for them.
        while let Some(depth) = rest.front().map(|(_, subject)| subject.depth()) {
            let count = rest.partition_point(|(_, subject)| subject.depth() <= depth);
            let level: VecDeque<_> = rest.drain(..count).collect();
            self.make_level(level, writer, (cancel, told), &shared);
            let shared = lock(&shared);
            if shared.ended.is_some() || shared.done.stopped {
                break;
            }
        }
        self.layers().replies().sync().map_err(BuildError::from)?;
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        match shared.ended {
            Some(error) => Err(error),
            None => Ok(shared.done),
        }
    }

    /// Makes summaries that do not read each other, several at a time.
    fn make_level(
        &self,
        level: VecDeque<(Inputs, Subject)>,
        writer: &Writer,
        (cancel, told): (&CancelToken, &(dyn Fn(&Resummarised) + Sync)),
        shared: &Mutex<Shared>,
    ) {
        let threads = self.equipment().its_calls().min(level.len());
        let rest = Mutex::new(level);
        let work = || {
            loop {
                let next = lock(&rest).pop_front();
                let Some((inputs, subject)) = next else { break };
                if cancel.is_cancelled() {
                    lock(shared).done.stopped = true;
                    break;
                }
                let (cost, made) = self.one(&inputs, &subject, writer);
                let mut shared = lock(shared);
                if shared.ended.is_some() {
                    break;
                }
                shared.take(inputs.node, cost, made);
                told(&shared.done);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
    }

    /// What one summary has cost, and its text; none if what it is of has gone meanwhile.
    fn one(
        &self,
        inputs: &Inputs,
        subject: &Subject,
        writer: &Writer,
    ) -> (Cost, Result<Option<String>, DoorError>) {
        if subject.is_silent() {
            return (Cost::default(), self.settle_silence(inputs));
        }
        let above = match subject.summaries_above(self.layers()) {
            Ok(above) => above,
            Err(error) => return (Cost::default(), Err(error.into())),
        };
        let made = match subject.with(&above, |of| writer.summariser.summarise(of)) {
            Ok(made) => made,
            Err(error) => return (error.cost(), Err(error.into())),
        };
        if made.text.trim().is_empty() {
            return (made.cost, self.settle_silence(inputs));
        }
        let summary = Summary {
            text: made.text,
            model: writer.name.clone(),
            prompt: writer.summariser.version().to_owned(),
        };
        let kept = self.layers().summarise(inputs, &summary);
        let kept = kept.map(|is_kept| is_kept.then_some(summary.text));
        (made.cost, kept.map_err(DoorError::from))
    }
}

impl Open {
    /// What nothing is said of has no summary: the one that it had is taken away, so that this is told once.
    fn settle_silence(&self, inputs: &Inputs) -> Result<Option<String>, DoorError> {
        match self.layers().forget_summary(inputs)? {
            true => Err(DoorError::request(
                inputs.node.key.as_str(),
                "is said nothing of that could be summarised, so it has no summary any more",
            )),
            false => Ok(None),
        }
    }
}

impl Shared {
    fn take(&mut self, node: NodeKey, cost: Cost, made: Result<Option<String>, DoorError>) {
        match made {
            Ok(None) => self.done.cost += cost,
            Ok(Some(text)) => {
                self.done.cost += cost;
                self.done.mended.push(Mended { node, text, cost });
            }
            Err(DoorError::Extract(ExtractError::Cancelled)) => self.done.stopped = true,
            Err(error) => {
                self.done.cost += cost;
                if ends_all(&error) {
                    self.ended = Some(error);
                } else {
                    self.done.failed.push(Unmended { node, error });
                }
            }
        }
    }
}

/// Whether no other summary would fare better.
fn ends_all(error: &DoorError) -> bool {
    matches!(error, DoorError::Build(BuildError::Database(error)) if error.kind() != stratigraph::ErrorKind::Request)
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
