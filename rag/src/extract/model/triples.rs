//! EmPULIA: facts of exact texts, each with what is cited for it.

use serde::Deserialize;

use super::super::prompt::Filling;
use super::super::reply::Checked;
use super::super::task::Task;
use super::super::{Calls, ExtractError, Extractor, Foreseen, Outcome, Reading};
use super::{Asking, Ended, ground, place};
use crate::chunk::Measure;

/// Reads triples with their sources.
#[derive(Clone, Debug)]
pub struct Triples {
    calls: Calls,
    version: String,
}

#[derive(Deserialize)]
struct Reply {
    triples: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    subject: String,
    relation: String,
    object: String,
    source: String,
}

impl Triples {
    /// Asks in this way.
    #[must_use]
    pub fn new(calls: Calls) -> Self {
        let version = format!("triples-1;{}", Task::Triples.versions());
        Self { calls, version }
    }

    fn read(
        &self,
        reading: &Reading<'_>,
        dry: Option<&dyn Measure>,
    ) -> Result<Ended, ExtractError> {
        let mut asking = Asking::new(&self.calls, reading.shown(), reading.text(), dry);
        let ground = ground(reading);
        let mut checked = Checked::new(&ground);
        let fillings = [
            Filling::new("place", &place(reading)),
            Filling::new("text", reading.text()),
        ];
        let reply = asking.ask::<Reply>(Task::Triples, &fillings, &[])?;
        let title = reading.document().title();
        for one in reply.into_iter().flat_map(|reply| reply.triples) {
            // What is cited has to be of this text, else the document alone is cited.
            let cited = ground.says(&one.source);
            let source = if cited { one.source.trim() } else { "" };
            let source = match source.contains(title) {
                true => source.to_owned(),
                false if source.is_empty() => format!("[{title}]"),
                false => format!("[{title}]: {source}"),
            };
            checked.triple(&one.subject, &one.relation, &one.object, "", &source);
        }
        Ok(asking.finish(checked))
    }
}

impl Extractor for Triples {
    fn version(&self) -> &str {
        &self.version
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        Ok(self.read(reading, None)?.outcome)
    }

    fn estimate(
        &self,
        reading: &Reading<'_>,
        measure: &dyn Measure,
    ) -> Result<Foreseen, ExtractError> {
        Ok(self.read(reading, Some(measure))?.foreseen())
    }
}
