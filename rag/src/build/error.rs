//! Why a document could not be built in.

use stratigraph_models::ModelError;
use thiserror::Error;

/// Why a document could not be built in. The graph is as it was before.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The database refuses.
    #[error(transparent)]
    Database(#[from] stratigraph::Error),
    /// The embedder cannot compute.
    #[error("the texts of {document} have no vectors: {source}")]
    Embedder {
        /// The document.
        document: String,
        /// What it says.
        source: ModelError,
    },
    /// The embedder gave other vectors than it promised.
    #[error("the embedder {embedder} gave {problem}: use another one")]
    BadVectors {
        /// Its name.
        embedder: String,
        /// What is wrong.
        problem: String,
    },
    /// The database was built with another embedder.
    #[error(
        "this database has vectors of {stored} ({stored_dimensions} numbers), and {given} ({given_dimensions}) gives others that must not be compared with them: open it with {stored}, or build a new database"
    )]
    OtherEmbedder {
        /// What it was built with.
        stored: String,
        /// The length of its vectors.
        stored_dimensions: usize,
        /// What it was opened with.
        given: String,
        /// The length of its vectors.
        given_dimensions: usize,
    },
    /// The database was built with other settings.
    #[error(
        "this database was built with {setting} = {stored}, not {given}: open it with that, or build a new database"
    )]
    OtherProfile {
        /// Which setting.
        setting: String,
        /// As it was built.
        stored: String,
        /// As it was opened.
        given: String,
    },
    /// A property of the layers was to be used as a filter.
    #[error("{name} cannot be a filter: {reason}")]
    BadFilter {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// There is not one extraction for each piece.
    #[error("{pieces} pieces and {extracted} extractions: there must be one for each")]
    Unmatched {
        /// How many pieces.
        pieces: usize,
        /// How many extractions.
        extracted: usize,
    },
    /// The name of a document cannot be a key.
    #[error("the name of a document has {bytes} bytes, and may have 1 to {limit}: {name}")]
    BadDocumentName {
        /// How it begins.
        name: String,
        /// Its length.
        bytes: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A name cannot stand for another.
    #[error("{name:?} {problem}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A document is written as a whole, and no transaction holds it.
    #[error(
        "{document} would take {bytes} bytes or more, and a transaction holds {limit_bytes}: divide it, or raise `transaction_bytes`"
    )]
    TooLarge {
        /// The document, or the first of several.
        document: String,
        /// What it would take, at the least.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// So many domains lie in each other in circles that nobody can say in time which assertions to leave out.
    #[error(
        "{assertions} assertions between domains are on cycles, too many to decide which to leave out: ask for chains that agree on what lies in what"
    )]
    Tangled {
        /// How many assertions are on cycles.
        assertions: usize,
    },
    /// Others change the same document all the time.
    #[error("{document} was changed by others each time before it could be written: try again")]
    Busy {
        /// The document.
        document: String,
    },
    /// The graph is not as the layers left it.
    #[error("{what} of {key} is not as it was built; build the database anew")]
    NotAsBuilt {
        /// What.
        what: &'static str,
        /// Where.
        key: String,
    },
}
