//! What is to be made of documents, as doors are told it.

use std::collections::BTreeSet;

use stratigraph::Analysis;
use stratigraph_models::Embedder;

use super::DoorError;
use crate::build::BuildError;
use crate::chunk::{BadChunks, Chunks};
use crate::extract::Domain;
use crate::ingest::{Recipe, System};

/// The most tokens of a piece: a model without a limit of its own reads pieces of any length, and people do not.
const LONGEST_PIECE: usize = 512;

/// What is to be made of documents: decided once for a database. Of what is said nothing, a database that has its layers
/// keeps to what it was made with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Which layers there are; [`System::Structure`] in a new database if nothing is said.
    pub system: Option<System>,
    /// Metadata that searches may be limited by.
    pub filters: Vec<String>,
    /// The domain that all chains begin with; in a new database one that stands for everything if nothing is said.
    pub root: Option<String>,
    /// How words become terms of the full-text indexes; in a new database [`Analysis::Plain`] if nothing is said.
    pub analysis: Option<Analysis>,
    /// How documents are cut; in a new database as the system does it if nothing is said.
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
        self.analysis = Some(*analysis);
        Ok(self)
    }

    /// The name of its language, if one is said.
    #[must_use]
    pub fn language_name(&self) -> Option<&'static str> {
        self.analysis.map(language_name)
    }

    /// The layers of a system.
    #[must_use]
    pub fn new(system: System) -> Self {
        Self {
            system: Some(system),
            ..Self::default()
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

    /// How that is made in a new database with vectors of this embedder.
    pub fn recipe(&self, embedder: &dyn Embedder) -> Recipe {
        let tokens = embedder.max_tokens().min(LONGEST_PIECE);
        let recipe = Recipe::new(self.system.unwrap_or_default(), tokens)
            .filterable(self.filters.clone())
            .analysis(self.analysis.unwrap_or(Analysis::Plain));
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

    /// The recipe that a database has its layers by, if nothing is said that is not so.
    pub(super) fn again(&self, kept: Recipe) -> Result<Recipe, BuildError> {
        let profile = kept.profile();
        let filters = (!self.filters.is_empty()).then(|| listed(&self.filters));
        let language = language_name(profile.analysis_of_texts());
        let root = kept.its_root().unwrap_or_default();
        let said = [
            (
                "profile",
                kept.system().to_string(),
                self.system.map(|system| system.to_string()),
            ),
            ("filters", listed(profile.filters()), filters),
            ("root", root.to_owned(), self.root.clone()),
            (
                "language",
                language.to_owned(),
                self.language_name().map(str::to_owned),
            ),
            (
                "chunks",
                kept.its_chunks().to_string(),
                self.chunks.map(|chunks| chunks.to_string()),
            ),
        ];
        let other = said.into_iter().find_map(|(setting, stored, given)| {
            let given = given.filter(|given| *given != stored)?;
            Some(BuildError::OtherProfile {
                setting: setting.to_owned(),
                stored,
                given,
            })
        });
        other.map_or(Ok(kept), Err)
    }

    /// Refuses what is said for another system than this.
    pub(super) fn check(&self, system: System) -> Result<(), DoorError> {
        match &self.root {
            Some(_) if !system.has_domains() => Err(DoorError::request(
                "root",
                format!("is the domain that chains begin with, and {system} has no chains"),
            )),
            _ => Ok(()),
        }
    }
}

/// Names in the order of their letters.
fn listed(names: &[String]) -> String {
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.into_iter().collect::<Vec<_>>().join(", "),
    }
}

/// The name by which doors take it.
pub(super) fn language_name(analysis: Analysis) -> &'static str {
    let mut known = LANGUAGES.iter();
    let found = known.find(|known| known.1 == analysis);
    found.map_or("plain", |known| known.0)
}
