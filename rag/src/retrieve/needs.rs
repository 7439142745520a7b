//! Which layers a pipeline asks for: what a graph must have that it can be run on.

use serde_json::Value as Json;

use super::{Along, Pipeline};
use crate::ingest::System;

/// What a pipeline asks for beside documents, chunks and what they name. What a stage takes only `if_there` is not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needs {
    /// What each heading names.
    pub instances: bool,
    /// Domains.
    pub domains: bool,
    /// Facts.
    pub facts: bool,
    /// Facts with a vector of what they say with its source.
    pub sources: bool,
}

impl Needs {
    /// The system whose graph has it: that of all layers where no published one has all of it.
    #[must_use]
    pub fn system(self) -> System {
        match (self.instances, self.domains, self.sources) {
            (true, false, false) if !self.facts => System::Bag,
            (false, true, false) => System::Tag,
            (false, false, true) => System::Triples,
            (false, false, false) => System::Hybrid,
            _ => System::Layered,
        }
    }
}

impl Pipeline {
    /// What it asks for.
    ///
    /// ```
    /// use stratigraph_rag::ingest::System;
    /// use stratigraph_rag::retrieve::Pipeline;
    ///
    /// let system = |preset| Pipeline::preset(preset).unwrap().needs().system();
    /// assert_eq!(system("bag"), System::Bag);
    /// assert_eq!(system("tag"), System::Tag);
    /// assert_eq!(system("triples"), System::Triples);
    /// assert_eq!(system("hybrid"), System::Hybrid);
    /// assert!(!Pipeline::preset("vector").unwrap().needs().facts);
    /// ```
    #[must_use]
    pub fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        for stage in self.stages.iter().filter(|stage| !stage.if_there) {
            // As it is written: the operators keep their settings to themselves.
            let written = serde_json::to_value(&stage.run).unwrap_or_default();
            let first = |written: &'_ Json| -> Option<(String, Json)> {
                let (name, settings) = written.as_object()?.iter().next()?;
                Some((name.clone(), settings.clone()))
            };
            let Some((operator, settings)) = first(&written) else {
                continue;
            };
            // What searches with other words asks for what its search does.
            let within = settings.get("search").and_then(first);
            let (operator, settings) = within.unwrap_or((operator, settings));
            let has = |name: &str, value: &str| match &settings[name] {
                Json::String(text) => text == value,
                Json::Array(list) => list.iter().any(|one| one == value),
                _ => false,
            };
            let follows =
                |along: &str, kind: Along| has("along", along) || has("types", kind.name());
            needs.instances |= operator == "communities"
                || has("of", "instances")
                || follows("related", Along::Related)
                || follows("instances", Along::Instances)
                || follows("refers", Along::Refers);
            needs.domains |=
                operator == "ascend" || has("of", "domains") || follows("covers", Along::Covers);
            needs.facts |=
                has("of", "facts") || (operator == "expand" && follows("facts", Along::Facts));
            needs.sources |= has("of", "facts_with_sources");
        }
        needs
    }
}
