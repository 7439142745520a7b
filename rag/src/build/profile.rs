//! Which layers a database has.

use std::collections::BTreeMap;

use stratigraph::Analysis;

use super::BuildError;

/// Which layers a database has, and how they are made. It is decided once for a database, and kept in it.
///
/// ```
/// use stratigraph_rag::build::Profile;
///
/// let profile = Profile::hybrid().filterable(["year"]).parameter("chunks", "text 1024/0");
/// assert!(profile.has_facts() && !profile.has_tags());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Profile {
    instances: bool,
    entities: bool,
    facts: bool,
    tags: bool,
    sources_in_vectors: bool,
    headings_in_vectors: bool,
    analysis: Analysis,
    filters: Vec<String>,
    parameters: BTreeMap<String, String>,
}

/// Names of properties that the layers use themselves.
const TAKEN: [&str; 13] = [
    "key",
    "id",
    "hash",
    "title",
    "document",
    "heading",
    "text",
    "start",
    "end",
    "called",
    "first_page",
    "last_page",
    "taken_in",
];

/// How statements lie in the graph: in 1, facts listed who states them; in 2, chunks did not know what they are called; in 3,
/// facts had no text to be searched.
const LAYOUT: (&str, &str) = ("layout", "4");

/// Ways in which words become terms.
const ANALYSES: [Analysis; 4] = [
    Analysis::Plain,
    Analysis::English,
    Analysis::Italian,
    Analysis::Chinese,
];

impl Profile {
    /// Documents, sections and chunks, and nothing of what they say.
    pub fn structure() -> Self {
        Self {
            instances: false,
            entities: false,
            facts: false,
            tags: false,
            sources_in_vectors: false,
            headings_in_vectors: true,
            analysis: Analysis::Plain,
            filters: Vec::new(),
            parameters: BTreeMap::new(),
        }
    }

    /// What each heading names, kept apart from what others name. As BAG-RAG has it.
    pub fn bag() -> Self {
        Self {
            instances: true,
            ..Self::structure()
        }
    }

    /// Entities under chains of domains, and facts between them. As TagRAG has it.
    pub fn tag() -> Self {
        Self {
            tags: true,
            ..Self::hybrid()
        }
    }

    /// Entities and facts with their sources, each fact with a vector with its source and one without. As EmPULIA
    /// has it.
    pub fn triples() -> Self {
        Self {
            sources_in_vectors: true,
            ..Self::hybrid()
        }
    }

    /// Entities and facts beside chunks. As HybridRAG has it.
    pub fn hybrid() -> Self {
        Self {
            entities: true,
            facts: true,
            ..Self::structure()
        }
    }

    /// Every layer there is.
    pub fn all() -> Self {
        Self {
            instances: true,
            tags: true,
            ..Self::triples()
        }
    }

    /// Metadata that searches may be limited by: chunks have it too. Other metadata is only with its document.
    pub fn filterable<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.filters = names.into_iter().map(Into::into).collect();
        self.filters.sort_unstable();
        self.filters.dedup();
        self
    }

    /// How words become terms of the full-text indexes; as they are if nothing is said.
    pub fn analysis(mut self, analysis: Analysis) -> Self {
        self.analysis = analysis;
        self
    }

    /// Leaves the headings out of the vectors of chunks.
    pub fn without_headings_in_vectors(mut self) -> Self {
        self.headings_in_vectors = false;
        self
    }

    /// A setting of what comes before, such as the chunker, that must be the same for all documents of a database.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// Whether there are instances.
    #[must_use]
    pub fn has_instances(&self) -> bool {
        self.instances
    }

    /// Whether there are entities.
    #[must_use]
    pub fn has_entities(&self) -> bool {
        self.entities
    }

    /// Whether there are facts between entities.
    #[must_use]
    pub fn has_facts(&self) -> bool {
        self.facts
    }

    /// Whether entities have domains.
    #[must_use]
    pub fn has_tags(&self) -> bool {
        self.tags
    }

    /// The metadata that searches may be limited by.
    #[must_use]
    pub fn filters(&self) -> &[String] {
        &self.filters
    }

    /// The setting of that name.
    #[must_use]
    pub fn parameter_named(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    pub(super) fn has_sources_in_vectors(&self) -> bool {
        self.sources_in_vectors
    }

    pub(super) fn has_headings_in_vectors(&self) -> bool {
        self.headings_in_vectors
    }

    /// How words become terms.
    #[must_use]
    pub fn analysis_of_texts(&self) -> Analysis {
        self.analysis
    }

    /// Everything that must stay the same, by name.
    pub(super) fn settings(&self) -> BTreeMap<String, String> {
        let on = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        let mut settings = BTreeMap::from([
            (LAYOUT.0.to_owned(), LAYOUT.1.to_owned()),
            ("instances".to_owned(), on(self.instances)),
            ("entities".to_owned(), on(self.entities)),
            ("facts".to_owned(), on(self.facts)),
            ("tags".to_owned(), on(self.tags)),
            ("sources in vectors".to_owned(), on(self.sources_in_vectors)),
            (
                "headings in vectors".to_owned(),
                on(self.headings_in_vectors),
            ),
            ("analysis".to_owned(), format!("{:?}", self.analysis)),
            ("filters".to_owned(), self.filters.join("\n")),
        ]);
        let parameters = self.parameters.iter();
        settings
            .extend(parameters.map(|(name, value)| (format!("parameter {name}"), value.clone())));
        settings
    }

    /// The profile of these settings; nothing if they are of none.
    pub(super) fn of_settings(settings: &BTreeMap<String, String>) -> Option<Self> {
        let on = |name: &str| match settings.get(name)?.as_str() {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        };
        if settings.get(LAYOUT.0)? != LAYOUT.1 {
            return None;
        }
        let analysis = settings.get("analysis")?;
        let filters = settings.get("filters")?.lines().map(str::to_owned);
        let parameters = settings.iter().filter_map(|(name, value)| {
            let name = name.strip_prefix("parameter ")?;
            Some((name.to_owned(), value.clone()))
        });
        Some(Self {
            instances: on("instances")?,
            entities: on("entities")?,
            facts: on("facts")?,
            tags: on("tags")?,
            sources_in_vectors: on("sources in vectors")?,
            headings_in_vectors: on("headings in vectors")?,
            analysis: ANALYSES
                .into_iter()
                .find(|known| format!("{known:?}") == *analysis)?,
            filters: filters.collect(),
            parameters: parameters.collect(),
        })
    }

    pub(super) fn check(&self) -> Result<(), BuildError> {
        let bad = |name: &String, reason| {
            Err(BuildError::BadFilter {
                name: name.clone(),
                reason,
            })
        };
        for name in &self.filters {
            if TAKEN.contains(&name.as_str()) || name == "metadata" || name.starts_with("embedding")
            {
                return bad(
                    name,
                    "chunks have a property of that name for something else",
                );
            }
            if name.is_empty() || name.len() > 200 || name.contains(char::is_control) {
                return bad(name, "names have 1 to 200 bytes and are one line");
            }
        }
        Ok(())
    }
}
