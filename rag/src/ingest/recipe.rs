//! What is made of documents: which layers, which pieces, and who reads them.

mod kept;

use std::fmt;
use std::str::FromStr;

use stratigraph::Analysis;
use thiserror::Error;

use crate::build::Profile;
use crate::chunk::{Chunker, Chunking, Chunks, Measure};
use crate::extract::model::{Bag, Tags, Triples, Typed};
use crate::extract::{Calls, Domain, ExtractError, Extractor, InTurn, Outcome, Reading, Rules};

/// A published system whose graph is made, or only the structure of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum System {
    /// Documents, sections and chunks.
    #[default]
    Structure,
    /// BAG-RAG: instances under the lowest headings.
    Bag,
    /// TagRAG: object tags under chains of domains.
    Tag,
    /// EmPULIA: facts with their sources.
    Triples,
    /// HybridRAG: chunks beside typed entities and facts.
    Hybrid,
    /// Ours: short pieces that keep to their headings, and what they name. Facts are those that a model or a list says: rules
    /// find what stands together, which pieces tell as well.
    Strata,
    /// All layers of these in one graph, which every preset can ask.
    Layered,
}

/// A name that no system has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "no system is called `{0}`: there are structure, bag, tag, triples, hybrid, strata and layered"
)]
pub struct UnknownSystem(String);

impl System {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Structure,
        Self::Bag,
        Self::Tag,
        Self::Triples,
        Self::Hybrid,
        Self::Strata,
        Self::Layered,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Bag => "bag",
            Self::Tag => "tag",
            Self::Triples => "triples",
            Self::Hybrid => "hybrid",
            Self::Strata => "strata",
            Self::Layered => "layered",
        }
    }

    /// Whether its graph has facts, so that lists of them can be taken in.
    #[must_use]
    pub fn has_facts(self) -> bool {
        Recipe::new(self, 16).profile().has_facts()
    }

    /// Whether its graph has domains, which are found by their summaries.
    #[must_use]
    pub fn has_domains(self) -> bool {
        Recipe::new(self, 16).profile().has_tags()
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for System {
    type Err = UnknownSystem;

    fn from_str(name: &str) -> Result<Self, UnknownSystem> {
        let mut all = Self::ALL.into_iter();
        all.find(|system| system.name() == name)
            .ok_or_else(|| UnknownSystem(name.chars().take(64).collect()))
    }
}

/// What is made of documents.
#[derive(Clone, Debug)]
#[must_use]
pub struct Recipe {
    system: System,
    chunking: Chunking,
    join: usize,
    root: Domain,
    filters: Vec<String>,
    analysis: Analysis,
}

impl Recipe {
    /// The lines that a piece carries of the one before it; the paper says "a few".
    const CARRIED_LINES: usize = 3;
    /// What HybridRAG reads at once, which is more than what it searches.
    const READ: Chunking = Chunking::Text {
        size: 2024,
        overlap: 204,
    };
    /// The most tokens of a short piece. What stands around a piece is found by it, so that it need not hold all of it; and
    /// more of them go into a context.
    const SHORT: usize = 320;
    /// How many pieces EmPULIA joins.
    const JOINED: usize = 3;

    /// As this system does it, with pieces that a model can read which takes so many tokens.
    pub fn new(system: System, tokens: usize) -> Self {
        let limit = tokens.max(16);
        let (chunking, join) = match system {
            System::Structure => (Chunking::Structure { limit }, 1),
            // All presets search the same pieces, each of which stands under one heading, as instances and chains do.
            System::Strata | System::Layered => {
                let limit = limit.min(Self::SHORT);
                (Chunking::Structure { limit }, 1)
            }
            System::Bag => {
                let carried_lines = Self::CARRIED_LINES;
                (
                    Chunking::Headings {
                        limit,
                        carried_lines,
                    },
                    1,
                )
            }
            System::Tag => (
                Chunking::Windows {
                    size: 1200,
                    overlap: 100,
                },
                1,
            ),
            System::Triples => (Chunking::Structure { limit }, Self::JOINED),
            System::Hybrid => (
                Chunking::Text {
                    size: 1024,
                    overlap: 0,
                },
                1,
            ),
        };
        Self {
            system,
            chunking,
            join,
            root: Domain {
                name: "All disciplines".to_owned(),
                description: "Everything that documents are about.".to_owned(),
            },
            filters: Vec::new(),
            analysis: Analysis::Plain,
        }
    }

    /// Cuts documents in this way instead.
    pub fn chunking(self, chunking: Chunking) -> Self {
        self.chunks(Chunks { chunking, join: 1 })
    }

    /// Cuts documents in this way instead, and joins so many pieces.
    pub fn chunks(mut self, chunks: Chunks) -> Self {
        (self.chunking, self.join) = (chunks.chunking, chunks.join.max(1));
        self
    }

    /// How documents are cut.
    #[must_use]
    pub fn its_chunks(&self) -> Chunks {
        Chunks {
            chunking: self.chunking,
            join: self.join,
        }
    }

    /// The domain that all chains begin with.
    pub fn root(mut self, root: Domain) -> Self {
        self.root = root;
        self
    }

    /// The name of that domain, where there are chains.
    #[must_use]
    pub fn its_root(&self) -> Option<&str> {
        self.system.has_domains().then_some(self.root.name.as_str())
    }

    /// Metadata that searches may be limited by.
    pub fn filterable<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.filters = names.into_iter().map(Into::into).collect();
        self
    }

    /// How words become terms of the full-text indexes; as they are if nothing is said.
    pub fn analysis(mut self, analysis: Analysis) -> Self {
        self.analysis = analysis;
        self
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> System {
        self.system
    }

    /// The layers that a database of it has.
    pub fn profile(&self) -> Profile {
        let profile = match self.system {
            System::Structure => Profile::structure(),
            System::Bag => Profile::bag(),
            System::Tag => Profile::tag(),
            System::Triples => Profile::triples(),
            System::Hybrid | System::Strata => Profile::hybrid(),
            System::Layered => Profile::all(),
        };
        let profile = profile.analysis(self.analysis);
        self.kept_in(profile.filterable(self.filters.iter().cloned()))
    }

    /// Cuts documents, measured so. HybridRAG's sizes are in characters, whatever the model counts.
    #[must_use]
    pub fn chunker<'m>(&self, measure: &'m dyn Measure) -> Chunker<'m> {
        let measure = match self.chunking {
            Chunking::Text { .. } => &crate::chunk::Characters,
            _ => measure,
        };
        let chunker = Chunker::new(self.chunking, measure).join(self.join);
        match self.system {
            // What stands around a piece is found by it, so that its end counts for little: it need not be shorter for that.
            System::Strata | System::Layered => chunker,
            _ => chunker.beside_headings(),
        }
    }

    /// Who reads the pieces: the model, if there is one, else rules.
    #[must_use]
    pub fn extractor(&self, model: Option<Calls>) -> Box<dyn Extractor> {
        match (self.system, model) {
            (System::Structure, _) => Box::new(Nobody),
            (System::Bag, Some(model)) => Box::new(Bag::new(model)),
            (System::Tag, Some(model)) => Box::new(Tags::new(model, self.root.clone())),
            (System::Triples, Some(model)) => Box::new(Triples::new(model)),
            (System::Strata, Some(model)) => Box::new(Typed::new(model)),
            (System::Strata, None) => Box::new(Rules::new().co_occurrence(false)),
            (System::Hybrid, Some(model)) => {
                let reader = Typed::new(model);
                Box::new(crate::extract::Wide::new(reader, Self::READ))
            }
            // One reader for each layer. BAG-RAG's is the last, as tags are in capitals.
            (System::Layered, Some(model)) => Box::new(InTurn::new(vec![
                Box::new(Tags::new(model.clone(), self.root.clone())),
                Box::new(Triples::new(model.clone())),
                Box::new(Bag::new(model)),
            ])),
            (System::Tag | System::Layered, None) => {
                Box::new(Rules::new().chains_from(self.root.clone()))
            }
            (System::Bag | System::Triples | System::Hybrid, None) => Box::new(Rules::new()),
        }
    }
}

/// Reads nothing, where nothing is kept of what pieces say.
struct Nobody;

impl Extractor for Nobody {
    fn version(&self) -> &str {
        "nobody-1"
    }

    fn extract(&self, _: &Reading<'_>) -> Result<Outcome, ExtractError> {
        Ok(Outcome::default())
    }
}
