//! EmPULIA: facts of exact texts, each with what is cited for it.

use serde::Deserialize;

use super::super::prompt::Filling;
use super::super::reply::Checked;
use super::super::task::Task;
use super::super::{Calls, ExtractError, Reading};
use super::{Asking, ByPrompts, place};

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
}

impl ByPrompts for Triples {
    fn calls(&self) -> &Calls {
        &self.calls
    }

    fn edition(&self) -> &str {
        &self.version
    }

    fn go_through(
        &self,
        reading: &Reading<'_>,
        asking: &mut Asking<'_>,
        checked: &mut Checked<'_>,
    ) -> Result<(), ExtractError> {
        let fillings = [
            Filling::new("place", &place(reading)),
            Filling::new("text", reading.text()),
        ];
        let reply = asking.ask::<Reply>(Task::Triples, &fillings, &[])?;
        let title = reading.document().title();
        for one in reply.into_iter().flat_map(|reply| reply.triples) {
            // What is cited has to be of this text, else the document alone is cited.
            let cited = checked.ground().says(&one.source);
            let source = if cited { one.source.trim() } else { "" };
            let source = match source.contains(title) {
                true => source.to_owned(),
                false if source.is_empty() => format!("[{title}]"),
                false => format!("[{title}]: {source}"),
            };
            checked.triple(&one.subject, &one.relation, &one.object, "", &source);
        }
        Ok(())
    }
}
