//! Which summaries are to be made, by whom, and what that would cost.
//!
//! Who writes is decided once for a call: the model of the process, or, where there is none and nobody insists on one, the
//! most central sentences. A model that is there and fails has failed: nobody writes in its place. And what a model has
//! written stays where there is none now, stale as it is, unless somebody asks for the sentences by name.

use std::collections::BTreeSet;
use std::sync::Arc;

use stratigraph::storage::cancel::CancelToken;

use super::resummarise::{Resummarise, Unmended};
use super::subject::Subject;
use super::{DoorError, Open};
use crate::build::{Inputs, Label, NodeKey, Summary};
use crate::chunk::Tokens;
use crate::extract::model::Summaries;
use crate::extract::{Calls, CentralSentences, Estimate, ExtractError, Summariser};

/// What making summaries would cost.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ForeseenSummaries {
    /// How many would be made.
    pub summaries: usize,
    /// Who would write them: the name of the model, or [`Summary::RULES`]; nothing if there is no model and nobody else may.
    pub by: Option<String>,
    /// Those that could not be.
    pub failed: Vec<Unmended>,
    /// What the model would be asked.
    pub estimate: Estimate,
}

/// Who writes summaries.
pub(super) struct Writer {
    pub(super) summariser: Box<dyn Summariser>,
    /// The name that they are kept under.
    pub(super) name: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Model,
    /// Rules, in the place of whatever is there.
    Rules,
    /// Rules because there is no model: what one wrote stays.
    RulesForWant,
}

/// What there is to do.
#[derive(Default)]
pub(super) struct Unwritten {
    pub(super) subjects: Vec<(Inputs, Subject)>,
    /// What a model has summarised, and there is none now.
    pub(super) kept: Vec<Unmended>,
}

impl Open {
    /// What [`resummarise`](Self::resummarise) would cost, without asking a model or writing anything. What lies below is
    /// told the summaries that are there above it now, which may be others by then.
    ///
    /// # Errors
    /// As [`resummarise`](Self::resummarise); [`ExtractError::Cancelled`].
    pub fn foresee_summaries(
        &self,
        wanted: &Resummarise,
        cancel: &CancelToken,
    ) -> Result<ForeseenSummaries, DoorError> {
        let writer = self.writer(wanted.central);
        let unwritten = self.unwritten(wanted, writer.as_ref(), cancel)?;
        let mut foreseen = ForeseenSummaries {
            by: writer.as_ref().map(|writer| writer.name.clone()),
            failed: unwritten.kept,
            ..ForeseenSummaries::default()
        };
        let measure = Tokens(self.embedder());
        for (_, subject) in &unwritten.subjects {
            let writer = writer.as_ref().ok_or(DoorError::NoModel)?;
            stop(cancel)?;
            // What nothing is said of any more loses its summary, and nobody is asked.
            if subject.is_silent() {
                continue;
            }
            let above = subject.summaries_above(self.layers())?;
            foreseen.summaries += 1;
            foreseen.estimate +=
                subject.with(&above, |of| writer.summariser.estimate(of, &measure))?;
        }
        Ok(foreseen)
    }

    /// Who writes: nobody if a model is to do it, and there is none.
    pub(super) fn writer(&self, central: Option<bool>) -> Option<Writer> {
        let model = self.equipment().its_model();
        let kind = match (central, model) {
            (Some(true), _) => Kind::Rules,
            (_, Some(model)) => {
                let replies = Arc::new(self.layers().replies().clone());
                let calls = Calls::new(Arc::clone(model), replies);
                return Some(Writer {
                    summariser: Box::new(Summaries::new(calls)),
                    name: model.name().to_owned(),
                    kind: Kind::Model,
                });
            }
            (Some(false), None) => return None,
            (None, None) => Kind::RulesForWant,
        };
        Some(Writer {
            summariser: Box::new(CentralSentences::default()),
            name: Summary::RULES.to_owned(),
            kind,
        })
    }

    /// What is to be summarised: what is stale, then what never was and has something to be made from. Where a model
    /// writes, what rules have written counts as what never was.
    pub(super) fn unwritten(
        &self,
        wanted: &Resummarise,
        writer: Option<&Writer>,
        cancel: &CancelToken,
    ) -> Result<Unwritten, DoorError> {
        let layers = self.layers();
        let kind = writer.map(|writer| writer.kind);
        let mut unwritten = Unwritten::default();
        let mut seen = BTreeSet::new();
        for node in layers.widest_first(layers.stale()?)? {
            if unwritten.subjects.len() >= wanted.most {
                return Ok(unwritten);
            }
            stop(cancel)?;
            let Some((inputs, subject)) = self.subject(&node)? else {
                continue;
            };
            seen.insert(node.clone());
            let stays = match kind {
                Some(Kind::RulesForWant) if !subject.is_silent() => layers.summary_model(&node)?,
                _ => None,
            };
            match stays {
                None => unwritten.subjects.push((inputs, subject)),
                Some(model) if unwritten.kept.len() < wanted.most => {
                    let error = DoorError::WrittenByModel { model };
                    unwritten.kept.push(Unmended { node, error });
                }
                Some(_) => {}
            }
        }
        let labels = [
            (wanted.domains, Label::DomainTag),
            (wanted.entities, Label::Entity),
        ];
        for (_, label) in labels.into_iter().filter(|(is_wanted, _)| *is_wanted) {
            let nodes = match kind {
                Some(Kind::Model) => layers.without_model_summary(label)?,
                _ => layers.without_summary(label)?,
            };
            for node in layers.widest_first(nodes)? {
                if unwritten.subjects.len() >= wanted.most {
                    return Ok(unwritten);
                }
                stop(cancel)?;
                if seen.contains(&node) {
                    continue;
                }
                if let Some((inputs, subject)) = self.subject(&node)?
                    && !subject.is_silent()
                {
                    unwritten.subjects.push((inputs, subject));
                }
            }
        }
        Ok(unwritten)
    }

    /// What a summary of it is made from; nothing if it has gone.
    fn subject(&self, node: &NodeKey) -> Result<Option<(Inputs, Subject)>, DoorError> {
        let Some(inputs) = self.layers().inputs(node)? else {
            return Ok(None);
        };
        let subject = Subject::read(self.layers(), &inputs)?;
        Ok(Some((inputs, subject)))
    }
}

/// Ends it if somebody says so.
fn stop(cancel: &CancelToken) -> Result<(), DoorError> {
    match cancel.is_cancelled() {
        true => Err(ExtractError::Cancelled.into()),
        false => Ok(()),
    }
}
