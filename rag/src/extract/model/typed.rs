//! HybridRAG: a piece is condensed, and from that come entities of given kinds and facts with given verbs.

use serde::Deserialize;

use super::super::prompt::{Choice, Filling};
use super::super::reply::Checked;
use super::super::task::Task;
use super::super::{Calls, ExtractError, Reading};
use super::{Asking, ByPrompts, not_empty, place};

/// Reads entities of given kinds, and facts with given verbs.
#[derive(Clone, Debug)]
pub struct Typed {
    calls: Calls,
    kinds: Vec<String>,
    verbs: Vec<String>,
    version: String,
}

#[derive(Deserialize)]
struct Condensed {
    text: String,
}

#[derive(Deserialize)]
struct Reply {
    entities: Vec<OneEntity>,
    triples: Vec<OneTriple>,
}

#[derive(Deserialize)]
struct OneEntity {
    name: String,
    kind: String,
}

#[derive(Deserialize)]
struct OneTriple {
    subject: String,
    verb: String,
    object: String,
}

impl Typed {
    /// What talks about companies name.
    pub const KINDS: [&'static str; 7] = [
        "company",
        "financial metric",
        "executive",
        "product or service",
        "place",
        "corporate event",
        "law or regulation",
    ];

    /// What companies do and what is said of them.
    pub const VERBS: [&'static str; 24] = [
        "has",
        "is part of",
        "leads",
        "works for",
        "produces",
        "sells",
        "buys",
        "invests in",
        "acquires",
        "partners with",
        "competes with",
        "supplies",
        "operates in",
        "reports",
        "increases",
        "decreases",
        "amounts to",
        "expects",
        "plans",
        "announces",
        "is affected by",
        "causes",
        "complies with",
        "is regulated by",
    ];

    /// Asks in this way, with the kinds and verbs above.
    #[must_use]
    pub fn new(calls: Calls) -> Self {
        let own = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let (kinds, verbs) = (own(&Self::KINDS), own(&Self::VERBS));
        Self::of(calls, kinds, verbs)
    }

    /// Asks in this way, with kinds and verbs of one's own.
    ///
    /// # Errors
    ///
    /// [`ExtractError::Setting`] if one of the lists is empty.
    pub fn with(
        calls: Calls,
        kinds: Vec<String>,
        verbs: Vec<String>,
    ) -> Result<Self, ExtractError> {
        not_empty("the list of kinds", &kinds)?;
        not_empty("the list of verbs", &verbs)?;
        Ok(Self::of(calls, kinds, verbs))
    }

    fn of(calls: Calls, kinds: Vec<String>, verbs: Vec<String>) -> Self {
        let tasks = [Task::Condense, Task::TypedTriples]
            .map(Task::versions)
            .join(";");
        let version = format!("typed-1;{tasks};{kinds:?};{verbs:?}");
        Self {
            calls,
            kinds,
            verbs,
            version,
        }
    }
}

impl ByPrompts for Typed {
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
        let choices: [Choice<'_>; 2] = [("kinds", &self.kinds), ("verbs", &self.verbs)];
        let place = Filling::new("place", &place(reading));
        let fillings = [place.clone(), Filling::new("text", reading.text())];
        let Some(condensed) = asking.ask::<Condensed>(Task::Condense, &fillings, &[])? else {
            let half = reading.text().len() / 2;
            let half = &reading.text()[..reading.text().floor_char_boundary(half)];
            return asking.guess(Task::TypedTriples, &["place", "text"], half, &choices, 1);
        };
        // It is a model's text: what it adds is no ground for names.
        let fillings = [place, Filling::new("text", &condensed.text)];
        let reply = asking.ask::<Reply>(Task::TypedTriples, &fillings, &choices)?;
        let reply = reply.unwrap_or(Reply {
            entities: Vec::new(),
            triples: Vec::new(),
        });
        for one in &reply.entities {
            checked.entity(&one.name, Some(&one.kind), "", Vec::new());
        }
        for one in &reply.triples {
            checked.triple(&one.subject, &one.verb, &one.object, "", "");
        }
        Ok(())
    }
}
