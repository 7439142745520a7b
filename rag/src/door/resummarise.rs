//! Summaries that are stale are made anew, and those that were never made.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use stratigraph::storage::cancel::CancelToken;

use super::subject::Subject;
use super::{DoorError, Open};
use crate::build::{BuildError, Inputs, Label, NodeKey, Summary};
use crate::extract::model::Summaries;
use crate::extract::{Calls, CentralSentences, Cost, ExtractError, Summariser};

/// Which summaries are made, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resummarise {
    /// At most so many; what is left stays stale, and the next call goes on.
    pub most: usize,
    /// Also those of domains that have none yet.
    pub domains: bool,
    /// Also those of entities that have none yet.
    pub entities: bool,
    /// The most central sentences, without asking a model.
    pub central: bool,
}

impl Default for Resummarise {
    /// What is stale, by a model.
    fn default() -> Self {
        Self {
            most: 1000,
            domains: false,
            entities: false,
            central: false,
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
    /// its summary is being written is stale from the beginning.
    ///
    /// # Errors
    /// [`DoorError::NoModel`] if there is none and something is to be summarised; what the database says.
    pub fn resummarise(
        &self,
        wanted: &Resummarise,
        cancel: &CancelToken,
        told: &(dyn Fn(&Resummarised) + Sync),
    ) -> Result<Resummarised, DoorError> {
        let mut subjects = self.subjects(wanted)?;
        // The widest domains first: what lies below is told their summaries.
        subjects.sort_by(|(one, above), (other, below)| {
            (above.depth(), &one.node).cmp(&(below.depth(), &other.node))
        });
        let mut all = Resummarised::default();
        if !subjects.is_empty() {
            all = self.make(subjects, wanted, cancel, told)?;
        }
        all.mended.sort_by(|one, other| one.node.cmp(&other.node));
        all.failed.sort_by(|one, other| one.node.cmp(&other.node));
        all.left = self.layers().stale()?.len();
        Ok(all)
    }

    /// What is to be summarised: what is stale, then what never was and has something to be made from.
    fn subjects(&self, wanted: &Resummarise) -> Result<Vec<(Inputs, Subject)>, DoorError> {
        let layers = self.layers();
        let mut subjects = Vec::new();
        for node in layers
            .widest_first(layers.stale()?)?
            .into_iter()
            .take(wanted.most)
        {
            let Some(inputs) = layers.inputs(&node)? else {
                continue;
            };
            let subject = Subject::read(layers, &inputs)?;
            subjects.push((inputs, subject));
        }
        let labels = [
            (wanted.domains, Label::DomainTag),
            (wanted.entities, Label::Entity),
        ];
        for (_, label) in labels.into_iter().filter(|(is_wanted, _)| *is_wanted) {
            for node in layers.widest_first(layers.without_summary(label)?)? {
                if subjects.len() >= wanted.most {
                    return Ok(subjects);
                }
                let Some(inputs) = layers.inputs(&node)? else {
                    continue;
                };
                let subject = Subject::read(layers, &inputs)?;
                if !subject.is_silent() {
                    subjects.push((inputs, subject));
                }
            }
        }
        Ok(subjects)
    }

    /// Who summarises, and the name that it is kept under.
    fn summariser(&self, central: bool) -> Result<(Box<dyn Summariser>, String), DoorError> {
        if central {
            return Ok((Box::new(CentralSentences::default()), "rules".to_owned()));
        }
        let model = self.equipment().its_model().ok_or(DoorError::NoModel)?;
        let calls = Calls::new(Arc::clone(model), Arc::new(self.layers().replies().clone()));
        Ok((Box::new(Summaries::new(calls)), model.name().to_owned()))
    }

    fn make(
        &self,
        subjects: Vec<(Inputs, Subject)>,
        wanted: &Resummarise,
        cancel: &CancelToken,
        told: &(dyn Fn(&Resummarised) + Sync),
    ) -> Result<Resummarised, DoorError> {
        let (summariser, model) = self.summariser(wanted.central)?;
        let shared = Mutex::new(Shared::default());
        let mut rest = VecDeque::from(subjects);
        // Level by level: what lies below reads the summaries of what is above, so it waits for them.
        while let Some(depth) = rest.front().map(|(_, subject)| subject.depth()) {
            let count = rest.partition_point(|(_, subject)| subject.depth() <= depth);
            let level: VecDeque<_> = rest.drain(..count).collect();
            self.make_level(level, (&*summariser, &model), (cancel, told), &shared);
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
        (summariser, model): (&dyn Summariser, &str),
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
                let (cost, made) = self.one(&inputs, &subject, summariser, model);
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
        summariser: &dyn Summariser,
        model: &str,
    ) -> (Cost, Result<Option<String>, DoorError>) {
        if subject.is_silent() {
            return (Cost::default(), self.settle_silence(inputs));
        }
        let above = match subject.summaries_above(self.layers()) {
            Ok(above) => above,
            Err(error) => return (Cost::default(), Err(error.into())),
        };
        let made = match subject.with(&above, |of| summariser.summarise(of)) {
            Ok(made) => made,
            Err(error) => return (error.cost(), Err(error.into())),
        };
        if made.text.trim().is_empty() {
            return (made.cost, self.settle_silence(inputs));
        }
        let summary = Summary {
            text: made.text,
            model: model.to_owned(),
            prompt: summariser.version().to_owned(),
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
            Ok(None) => {}
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
