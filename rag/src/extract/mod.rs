//! What a piece of text says, once someone has read it: a model, or rules.
//!
//! An [`Extractor`] is given a piece ([`Reading`]) and gives an [`Extracted`]: names, texts and spans,
//! nothing of the database. [`Rules`] reads without a model; those of [`model`] ask one, every time
//! through [`Calls`], which keeps replies in a [`CallCache`] (a database has one, and [`ReplyFile`] is one) and never asks the
//! same twice. [`Run`] works on many pieces at once.
//!
//! Whatever a model wrote is data here: it becomes values and names of nodes, never a query, an
//! identifier of the schema or an address.
//!
//! ```
//! use std::sync::Arc;
//! use stratigraph_models::Recorded;
//! use stratigraph_rag::chunk::{Chunker, Chunking, Words};
//! use stratigraph_rag::extract::model::Triples;
//! use stratigraph_rag::extract::{Calls, Extractor, MemoryCache, Rules, Run};
//! use stratigraph_rag::read::{Format, Source};
//!
//! let text = "# Rocks\n\nBasalt of Iceland was lava, says the Icelandic Survey.\n";
//! let document = Source::new("rocks.md", text.as_bytes()).read(Format::Markdown)?;
//! let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
//! let documents = [(&document, pieces.as_slice())];
//!
//! // Without a model.
//! let done = Run::new(&Rules::new()).extract(&documents, &|_| {});
//! let names: Vec<&str> = { done[0].as_ref() }.unwrap().pieces[0].entities.iter().map(|one| &*one.name).collect();
//! assert_eq!(names, ["Basalt of Iceland", "Icelandic Survey", "Rocks"]);
//!
//! // With one: here the reply is there already.
//! let reply = r#"{"triples": [{"subject": "Basalt", "relation": "was", "object": "lava", "source": ""}]}"#;
//! let calls = Calls::new(Arc::new(Recorded::in_order([reply])), Arc::new(MemoryCache::default()));
//! let triples = Triples::new(calls);
//! let run = Run::new(&triples).threads(8);
//! assert_eq!(run.estimate(&documents, &Words)?.calls, 1);
//! let done = run.extract(&documents, &|progress| assert!(progress.pieces <= progress.of));
//! let done = done[0].as_ref().unwrap();
//! assert_eq!((done.pieces[0].triples[0].object.as_str(), done.cost.calls), ("lava", 1));
//! // What was paid for is not asked again.
//! assert_eq!(run.estimate(&documents, &Words)?.calls, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calls;
mod cost;
mod error;
mod given;
mod in_turn;
mod language;
pub mod model;
mod named;
mod prompt;
mod reading;
mod reply;
mod reply_file;
mod rules;
mod run;
mod summary;
mod task;
mod together;
mod wide;

use std::ops::Range;

pub use calls::{CacheError, CallCache, CallKey, Calls, Kept, MemoryCache};
pub use cost::{Cost, Estimate};
pub use error::ExtractError;
pub use given::Given;
pub use in_turn::InTurn;
pub use language::Language;
pub(crate) use language::is_han;
pub(crate) use named::unsaid;
#[cfg(test)]
pub(crate) use prompt::text_at;
pub use reading::{OpenDocument, Reading};
pub use reply_file::ReplyFile;
pub use rules::{Dictionary, Rules};
pub(crate) use rules::{is_common, telling_title};
pub use run::{Done, Progress, Run};
pub use summary::{CentralSentences, Neighbour, Summariser, Summary, SummaryOf};
pub(crate) use task::reads_documents;
pub use wide::Wide;

/// Something that reads pieces.
pub trait Extractor: Send + Sync {
    /// What its results depend on beside the document and the replies of models: its rules and its
    /// prompts with their versions. Results of different versions are kept apart.
    fn version(&self) -> &str;

    /// Whether a piece that carries lines of the one before it is read along with what that one says. Such
    /// pieces are read one after the other.
    fn carries(&self) -> bool {
        false
    }

    /// What the piece says, and what it cost to know.
    ///
    /// # Errors
    ///
    /// When a model does not give what it is asked for, or replies cannot be kept. No text is an error by itself.
    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError>;

    /// What [`extract`](Self::extract) would cost, without asking anybody.
    ///
    /// # Errors
    ///
    /// When the replies that are kept cannot be read.
    fn estimate(
        &self,
        reading: &Reading<'_>,
        measure: &dyn crate::chunk::Measure,
    ) -> Result<Foreseen, ExtractError> {
        let _ = (reading, measure);
        Ok(Foreseen::default())
    }
}

/// What points to an extractor is one. Only a box of `dyn`: of any other the compiler cannot rule out that it goes
/// through prompts, and then it would be one twice.
impl Extractor for Box<dyn Extractor> {
    fn version(&self) -> &str {
        (**self).version()
    }

    fn carries(&self) -> bool {
        (**self).carries()
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        (**self).extract(reading)
    }

    fn estimate(
        &self,
        reading: &Reading<'_>,
        measure: &dyn crate::chunk::Measure,
    ) -> Result<Foreseen, ExtractError> {
        (**self).estimate(reading, measure)
    }
}

/// What is known of a piece before anybody is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foreseen {
    /// What it would cost to read it.
    pub estimate: Estimate,
    /// What it says, if all replies that this takes are there already.
    pub extracted: Option<Extracted>,
    /// As [`Outcome::by_reader`]; nothing of those whose replies are not all there, either.
    pub by_reader: Vec<Option<Extracted>>,
}

/// What came of reading a piece.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What it says.
    pub extracted: Extracted,
    /// What it cost.
    pub cost: Cost,
    /// What each of several readers says by itself, in their order: each is told this alone when the next piece is read
    /// along. Nothing of those who do not read along, and empty where there is one reader.
    pub by_reader: Vec<Option<Extracted>>,
}

/// What a piece says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// What it names.
    pub entities: Vec<Entity>,
    /// What it says of them.
    pub triples: Vec<Triple>,
    /// The chains of domains, from the widest, that its object tags belong to.
    pub chains: Vec<Chain>,
}

/// Something that a piece names: an entity, an instance, or an object tag, as the profile has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entity {
    /// Its name as it is shown.
    pub name: String,
    /// What kind of thing it is: a value, never a label of the graph.
    pub kind: Option<String>,
    /// What the piece says of it; empty if nothing.
    pub description: String,
    /// The sentences that name it, as spans of the document's text.
    pub sentences: Vec<Range<usize>>,
}

/// Something that a piece says: subject, predicate, object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Triple {
    /// The name of the subject.
    pub subject: String,
    /// The relation, as the piece has it.
    pub predicate: String,
    /// The name of the object.
    pub object: String,
    /// What the piece says of the relation; empty if nothing.
    pub description: String,
    /// What is cited for it: an article, a page, a passage; empty if nothing but the piece itself.
    pub source: String,
}

/// A chain of domain tags down to an object tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Chain {
    /// The domains from the root on, each with what is said of it.
    pub domains: Vec<Domain>,
    /// The name of the object tag, one of the piece's entities.
    pub object: String,
    /// What ties it to the last domain; empty if nothing is said.
    pub description: String,
}

/// A domain of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// What is said of it; empty if nothing.
    pub description: String,
}
