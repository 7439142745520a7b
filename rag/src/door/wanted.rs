//! What is to be made of documents, as doors are told it.

use stratigraph::Analysis;
use stratigraph_models::Embedder;

use super::DoorError;
use crate::chunk::{BadChunks, Chunks};
use crate::extract::Domain;
use crate::ingest::{Recipe, System};

/// The most tokens of a piece: a model without a limit of its own reads pieces of any length, and people do not.
const LONGEST_PIECE: usize = 512;

/// What is to be made of documents: decided once for a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Which layers there are.
    pub system: System,
    /// Metadata that searches may be limited by.
    pub filters: Vec<String>,
    /// The domain that all chains begin with; one that stands for everything if nothing is said.
    pub root: Option<String>,
    /// How words become terms of the full-text indexes.
    pub analysis: Analysis,
    /// How documents are cut; as the system does it if nothing is said.
    pub chunks: Option<Chunks>,
    /// Texts of documents that will come, or how they begin. If the embedder cannot read them, a new database gets the one of
    /// letters; without any it gets the embedder of the process. It says nothing to a database that has its layers.
    pub sample: Vec<String>,
}

/// How words become terms, by the names that doors take.
const LANGUAGES: [(&str, Analysis); 4] = [
    ("plain", Analysis::Plain),
    ("english", Analysis::English),
    ("italian", Analysis::Italian),
    ("chinese", Analysis::Chinese),
];

impl Wanted {
    /// With texts of this language, of which the full-text indexes know words: plain, english, italian or chinese.
    ///
    /// # Errors
    /// [`DoorError::Request`] if it is none of them.
    pub fn language(mut self, name: &str) -> Result<Self, DoorError> {
        let known = LANGUAGES.iter().find(|(known, _)| *known == name);
        let (_, analysis) = known.ok_or_else(|| {
            let name: String = name.chars().take(64).collect();
            let known = LANGUAGES.map(|(known, _)| known).join(", ");
            DoorError::request(
                "language",
                format!("{name:?} is not known: there are {known}"),
            )
        })?;
        self.analysis = *analysis;
        Ok(self)
    }

    /// The name of its language.
    #[must_use]
    pub fn language_name(&self) -> &'static str {
        let mut known = LANGUAGES.iter();
        let found = known.find(|(_, analysis)| *analysis == self.analysis);
        found.map_or("plain", |(name, _)| name)
    }

    /// The layers of a system.
    #[must_use]
    pub fn new(system: System) -> Self {
        Self {
            system,
            filters: Vec::new(),
            root: None,
            analysis: Analysis::Plain,
            chunks: None,
            sample: Vec::new(),
        }
    }

    /// With documents cut in this way, as [`Chunks`] is written.
    ///
    /// # Errors
    /// [`DoorError::Request`] if it is none.
    pub fn chunked(mut self, chunks: &str) -> Result<Self, DoorError> {
        let chunks = chunks.parse();
        let chunks =
            chunks.map_err(|error: BadChunks| DoorError::request("chunks", error.to_string()))?;
        self.chunks = Some(chunks);
        Ok(self)
    }

    /// How that is made with vectors of this embedder.
    pub fn recipe(&self, embedder: &dyn Embedder) -> Recipe {
        let tokens = embedder.max_tokens().min(LONGEST_PIECE);
        let recipe = Recipe::new(self.system, tokens).filterable(self.filters.clone());
        let recipe = recipe.analysis(self.analysis);
        let recipe = match self.chunks {
            Some(chunks) => recipe.chunks(chunks),
            None => recipe,
        };
        match &self.root {
            Some(name) => recipe.root(Domain {
                name: name.clone(),
                description: String::new(),
            }),
            None => recipe,
        }
    }
}
