//! What a pipeline retrieves: texts with their receipts, packed for a model, and how they were come to.

use serde::{Deserialize, Serialize};
use serde_json::json;
use stratigraph::Read;
use stratigraph_models::Usage;

use super::confidence::confidence;
use super::pack::{Packed, pack_while};
use super::pipeline::usual_budget;
use super::reader::{Reader, TOGETHER};
use super::receipt::receipt;
use super::{Confidence, Desk, Evidence, Item, Passage, Pipeline, Receipt, RetrieveError, Traced};
use crate::chunk::Tokens;
use crate::extract::Cost;

/// What was retrieved for a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retrieved {
    /// The pipeline.
    pub pipeline: String,
    /// The question.
    pub question: String,
    /// What was found, the best first.
    pub found: Vec<Found>,
    /// How many more there were, which are not told.
    pub untold: usize,
    /// What a model is given to read: as much of it as fits.
    pub context: String,
    /// How many units of text that is.
    pub units: usize,
    /// How far it can be trusted to have the answer.
    pub confidence: Confidence,
    /// Below which confidence an answer from it is refused; nothing if nobody has calibrated the pipeline, or it was run without
    /// a library, which is who knows.
    pub threshold: Option<f32>,
    /// What each stage took and gave, and behind them [what packing did](Traced::PACK).
    pub trace: Vec<Traced>,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// What it was found as.
    pub receipt: Receipt,
    /// The headings that it stands under, as one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// What it says.
    pub text: String,
    /// Whether it is in what a model is given to read.
    pub packed: bool,
}

impl Retrieved {
    /// Whether it is trusted less than the threshold says, so that an answer from it is refused.
    #[must_use]
    pub fn is_below_threshold(&self) -> bool {
        let value = self.confidence.value;
        self.threshold.is_some_and(|threshold| value < threshold)
    }

    /// Whether anything was looked up: a pipeline without stages, as that of the preset `direct`, only packs.
    #[must_use]
    pub fn has_searched(&self) -> bool {
        let mut stages = self.trace.iter();
        stages.any(|stage| stage.operator != Traced::PACK)
    }

    /// Whether an answer from it is refused before anybody writes one: nothing was found that can be read, nothing of it fits
    /// into the budget, or it is trusted less than the threshold says.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        !self.found.iter().any(|found| found.packed) || self.is_below_threshold()
    }

    /// Why nothing was found, if a stage says that this may say nothing of the question.
    #[must_use]
    pub fn why_nothing(&self) -> Option<&str> {
        let mut notes = self.trace.iter().filter_map(Traced::note);
        notes.next().filter(|_| self.found.is_empty())
    }

    /// What models were paid for it, as the operators that ask one say in the trace.
    #[must_use]
    pub fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        for stage in &self.trace {
            cost += stage.cost();
        }
        cost
    }
}

impl Traced {
    /// What the last of a trace is called, which is no stage: of what was found it took what is told, and gave what a model
    /// is given to read. It says of it beside which did not fit (`too_long`) and which another one says (`said_already`), by
    /// their places in what was found, from 1, and how many units the text has (`units`) of how many (`budget`).
    pub const PACK: &'static str = "pack";

    /// Why the stage found nothing, if that may say nothing of the question.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.detail["note"].as_str()
    }

    /// What models were paid for the stage.
    #[must_use]
    pub fn cost(&self) -> Cost {
        // A descent says it beside its levels, and a route beside what it has chosen.
        let told = [&self.detail, &self.detail["paid"], &self.detail["model"]];
        let told = told.into_iter().find(|told| told["calls"].is_u64());
        let number = |name: &str| {
            told.and_then(|told| told[name].as_u64())
                .unwrap_or_default()
        };
        Cost {
            calls: number("calls"),
            kept: number("kept"),
            usage: Usage {
                input_tokens: number("input_tokens"),
                output_tokens: number("output_tokens"),
            },
            dropped: number("dropped"),
        }
    }
}

impl Pipeline {
    /// Runs it, reads what it has found, and packs it.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn retrieve<R: Read>(&self, desk: &Desk<'_, R>) -> Result<Retrieved, RetrieveError> {
        self.retrieve_where(desk, |_| true)
    }

    /// The same of what may be found.
    pub(crate) fn retrieve_where<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        may_be_found: impl Fn(&Evidence) -> bool,
    ) -> Result<Retrieved, RetrieveError> {
        let (items, mut trace) = self.run(desk)?;
        let as_of = (desk.read().commit_seq().get(), desk.was_exact());
        let mut reader = Reader::new(desk.read()).among(desk.chosen()?);
        let mut found = Vec::new();
        let mut passages = Vec::new();
        let mut entities = Vec::new();
        let untold = items.len().saturating_sub(self.most);
        let (mut places, mut rest) = (self.most, items.as_slice());
        // As many as there is room for are read together; for what may not be found, others come.
        while places > 0 && !rest.is_empty() {
            let now = rest.len().min(places).min(TOGETHER);
            let (now, later) = rest.split_at(now);
            rest = later;
            places -= now.len();
            for (item, evidence) in reader.items(now)? {
                if !may_be_found(&evidence) {
                    places += 1;
                    continue;
                }
                let receipt = receipt(&reader, item, &evidence, as_of);
                let class = self.class_of(&receipt.name.kind);
                passages.push(passage(&receipt, &evidence, class));
                entities.push(item.entity);
                found.push(Found {
                    receipt,
                    heading: evidence.heading,
                    text: evidence.text,
                    packed: false,
                });
            }
        }
        let measure = Tokens(desk.embedder());
        let pack = |budget| pack_while(&passages, budget, &measure, || desk.may_go_on());
        let packed = pack(self.budget)?;
        for kept in &packed.kept {
            found[*kept].packed = true;
        }
        let packing = packing(&packed, found.len(), self.budget);
        desk.tell(&packing);
        trace.push(packing);
        // A threshold is kept for any budget: what is known is trusted no less because somebody wants to read little of it.
        let mut trusted = match self.budget < usual_budget() {
            true => pack(usual_budget())?.kept,
            false => packed.kept,
        };
        trusted.sort_unstable();
        let confidence = confidence(desk, &found, &entities, &trusted)?;
        Ok(Retrieved {
            pipeline: self.name.clone(),
            question: desk.text().to_owned(),
            found,
            untold,
            context: packed.text,
            units: packed.units,
            confidence,
            threshold: None,
            trace,
        })
    }

    /// When things of a kind are packed: lower classes first.
    fn class_of(&self, kind: &str) -> u8 {
        let place = self.pack_first.iter().position(|first| first == kind);
        u8::try_from(place.unwrap_or(self.pack_first.len())).unwrap_or(u8::MAX)
    }
}

/// What items say, each with its receipt: what a call of a declared query has found.
pub(crate) fn told<R: Read>(
    read: &R,
    items: &[Item],
    exact: bool,
) -> Result<Vec<Found>, RetrieveError> {
    let as_of = (read.commit_seq().get(), exact);
    let mut reader = Reader::new(read);
    let mut all = Vec::with_capacity(items.len());
    for items in items.chunks(TOGETHER) {
        for (item, evidence) in reader.items(items)? {
            all.push(Found {
                receipt: receipt(&reader, item, &evidence, as_of),
                heading: evidence.heading,
                text: evidence.text,
                packed: false,
            });
        }
    }
    Ok(all)
}

/// What packing did with so many passages, for the trace.
fn packing(packed: &Packed, passages: usize, budget: usize) -> Traced {
    let places = |passages: &[usize]| -> Vec<usize> {
        let mut places: Vec<usize> = passages.iter().map(|at| at + 1).collect();
        places.sort_unstable();
        places
    };
    let gave = packed.kept.len();
    Traced {
        stage: Traced::PACK.to_owned(),
        operator: Traced::PACK.to_owned(),
        took: passages,
        gave,
        cut: passages - gave,
        added: 0,
        not_there: false,
        detail: json!({
            "too_long": places(&packed.too_long),
            "said_already": places(&packed.said_already),
            "units": packed.units,
            "budget": budget,
        }),
    }
}

/// As it is packed: only a chunk's bytes are the document's own, and lie within others.
fn passage(receipt: &Receipt, evidence: &Evidence, class: u8) -> Passage {
    let place = match receipt.places.as_slice() {
        [place] if receipt.name.kind == "Chunk" => {
            Some((place.document.clone(), place.span.clone()))
        }
        _ => None,
    };
    let headings = match evidence.heading.as_str() {
        "" => Vec::new(),
        heading => vec![heading.to_owned()],
    };
    Passage {
        headings,
        text: evidence.text.clone(),
        place,
        class,
    }
}
