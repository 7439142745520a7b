//! Which summaries are to be made, by whom, and what that would cost.
//!
//! Who writes is decided once for a call: the model of the process, or, where there is none and nobody insists on one, the
//! most central sentences. A model that is there and fails has failed: nobody writes in its place. And what a model has
//! written stays where there is none now, stale as it is, unless somebody asks for the sentences by name.
//!
//! A run may take hours, and meanwhile documents come and others write summaries. So what is listed first is keys alone, and what is
//! to become of each is asked again when its turn comes: [`Open::fate`] answers both times.

use std::collections::BTreeSet;
use std::sync::Arc;

use stratigraph::storage::cancel::CancelToken;

use super::resummarise::{Resummarise, Unmended};
use super::subject::{Subject, depth, is_silent};
use super::{DoorError, Open};
use crate::build::{Inputs, Label, Looked, NodeKey, Summary};
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

impl Writer {
    /// Whether it is rules that write.
    pub(super) fn is_rules(&self) -> bool {
        self.kind != Kind::Model
    }
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
    /// Of what summaries are to be made, or taken away, each with how deep it lies.
    pub(super) nodes: Vec<(usize, NodeKey)>,
    /// What a model has summarised, and there is none now.
    pub(super) kept: Vec<Unmended>,
}

/// What is to become of a summary, as things are when it is looked at.
pub(super) enum Fate {
    /// It is made from these.
    Made(Inputs),
    /// It is taken away: these, which say nothing, are left.
    Forgotten(Inputs),
    /// It stays although it is stale: the model of this name has written it, and there is none now.
    Kept(String),
    /// None is made: it stands, there is nothing to make it from, or what it would be of has gone.
    Untouched,
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
        for (_, node) in &unwritten.nodes {
            let writer = writer.as_ref().ok_or(DoorError::NoModel)?;
            stop(cancel)?;
            // What nothing is said of any more loses its summary, and nobody is asked.
            let Fate::Made(inputs) = self.fate(node, wanted, Some(writer))? else {
                continue;
            };
            let subject = Subject::read(self.layers(), &inputs, writer)?;
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
        let is_by_model = writer.is_some_and(|writer| writer.kind == Kind::Model);
        let labels = [
            (wanted.domains, Label::DomainTag),
            (wanted.entities, Label::Entity),
        ];
        let mut labels = labels.into_iter().filter(|(is_wanted, _)| *is_wanted);
        let mut unwritten = Unwritten::default();
        let mut seen = BTreeSet::new();
        let mut next = Some(layers.stale()?);
        while let Some(nodes) = next {
            for node in layers.widest_first(nodes)? {
                if unwritten.nodes.len() >= wanted.most {
                    return Ok(unwritten);
                }
                stop(cancel)?;
                if !seen.insert(node.clone()) {
                    continue;
                }
                match self.fate(&node, wanted, writer)? {
                    Fate::Made(inputs) | Fate::Forgotten(inputs) => {
                        unwritten.nodes.push((depth(layers, &inputs)?, node));
                    }
                    Fate::Kept(model) if unwritten.kept.len() < wanted.most => {
                        let error = DoorError::WrittenByModel { model };
                        unwritten.kept.push(Unmended { node, error });
                    }
                    Fate::Kept(_) | Fate::Untouched => {}
                }
            }
            let without = labels.next().map(|(_, label)| match is_by_model {
                true => layers.without_model_summary(label),
                false => layers.without_summary(label),
            });
            next = without.transpose()?;
        }
        Ok(unwritten)
    }

    /// What is to become of the summary of a node now.
    pub(super) fn fate(
        &self,
        node: &NodeKey,
        wanted: &Resummarise,
        writer: Option<&Writer>,
    ) -> Result<Fate, DoorError> {
        let layers = self.layers();
        let kind = writer.map(|writer| writer.kind);
        let Some(Looked { inputs, summary }) = layers.look(node)? else {
            return Ok(Fate::Untouched);
        };
        let is_asked_for = match node.label {
            Label::DomainTag => wanted.domains,
            _ => wanted.entities,
        };
        let is_stale = summary.as_ref().is_some_and(|there| there.is_stale);
        let by = summary.as_ref().and_then(|there| there.by.as_deref());
        // Where a model writes, what rules have written is as good as none.
        let is_missing =
            summary.is_none() || (kind == Some(Kind::Model) && by == Some(Summary::RULES));
        if !(is_stale || is_asked_for && is_missing) {
            return Ok(Fate::Untouched);
        }
        if is_silent(layers, &inputs)? {
            return Ok(match is_stale {
                true => Fate::Forgotten(inputs),
                false => Fate::Untouched,
            });
        }
        Ok(match by.filter(|by| *by != Summary::RULES) {
            Some(model) if kind == Some(Kind::RulesForWant) => Fate::Kept(model.to_owned()),
            _ => Fate::Made(inputs),
        })
    }
}

/// Ends it if somebody says so.
fn stop(cancel: &CancelToken) -> Result<(), DoorError> {
    match cancel.is_cancelled() {
        true => Err(ExtractError::Cancelled.into()),
        false => Ok(()),
    }
}
