//! The layered graph of documents, kept up as they come, change and go.
//!
//! ```text
//! Document -HAS_CHILD-> Section -HAS_CHILD-> Chunk                          the hierarchy `outline`
//!                       Section -HAS_INSTANCE-> Instance -REFERS_TO-> Entity
//!                                               Chunk -MENTIONS-> Entity -FACT-> Entity
//!                                               Chunk -STATES-> Entity, the subject of a FACT
//!                                               Chunk -HAS_TAG-> Entity <-COVERS- DomainTag
//!                                               Chunk -DESCRIBES-> DomainTag -HAS_SUBDOMAIN-> DomainTag    `domains`
//! ```
//! A document becomes a [`Contribution`] without the database: a set of statements in keys and texts. The graph is
//! always what the union of all contributions says, whatever came and went before; [`Layers`] writes the
//! difference between what a document says now and what it said before, in one commit, and touches nothing else.
//! `docs/adr/0023` says why it is so.
//!
//! - `contribution/`, `called.rs`, `names.rs`, `property.rs`: from a document to statements; they know no database.
//! - `held.rs`: the statements of a document, read back from the graph.
//! - `apply/`, `domains/`: from one set of statements to the other.
//! - `vectors.rs`: which texts have vectors; `wording.rs`: how they are worded; `summary.rs`: texts of models, and whether they are stale;
//!   `subjects.rs`: what they are about.
//! - `tables/`: typed nodes and relationships of tables beside them.
//! - `agreed.rs`: names that somebody has agreed to put under others.
//! - `taken_in.rs`: how a document was taken in, by which one that is unchanged is known; `digest.rs`: hashes.
//! - `layers.rs`: what a user holds; `schema.rs`: what is declared; `calls.rs`: replies that are paid for.
//!
//! ```
//! use std::sync::Arc;
//! use stratigraph::{Database, Read};
//! use stratigraph_models::Lexical;
//! use stratigraph_rag::build::{Contribution, Layers, Profile};
//! use stratigraph_rag::chunk::{Chunker, Chunking, Words};
//! use stratigraph_rag::extract::{Extracted, Triple};
//! use stratigraph_rag::read::{Format, Source};
//!
//! let db = Database::in_memory()?;
//! let layers = Layers::open(&db, Profile::hybrid(), Arc::new(Lexical::new()))?;
//!
//! let text = "# Rocks\n\nBasalt was lava.\n\n# Rivers\n\nThey run.\n";
//! let document = Source::new("rocks.md", text.as_bytes()).read(Format::Markdown)?;
//! let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
//! let mut extracted = vec![Extracted::default(); pieces.len()];
//! extracted[0].triples.push(Triple {
//!     subject: "Basalt".into(),
//!     predicate: "was".into(),
//!     object: "lava".into(),
//!     ..Triple::default()
//! });
//! let contribution = Contribution::new(&document, &pieces, &extracted, layers.profile())?;
//! layers.upsert(&contribution)?;
//! assert_eq!(db.read()?.relationship_count(Some("FACT"))?, 1);
//!
//! // The same once more is nothing to do.
//! let again = layers.upsert(&contribution)?;
//! assert_eq!((again.written, again.deleted, again.vectors, again.keys), (0, 0, 0, 0));
//!
//! layers.delete("rocks.md")?;
//! assert_eq!(db.read()?.node_count(Some("Entity"))?, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreed;
mod apply;
mod called;
mod calls;
mod contribution;
mod cut_off;
mod digest;
mod domains;
mod error;
mod held;
mod layers;
mod names;
mod profile;
mod property;
mod schema;
mod standing;
mod subjects;
mod summary;
mod tables;
mod taken_in;
mod vectors;
mod wording;

pub use agreed::{Agreed, Called, MOST_AGREED};
pub(crate) use called::{MOST_WORDS, compared, words};
pub use calls::{Asked, KeptReply, Replies};
pub use contribution::{Contribution, Fact, Label, Link, LinkKind, NodeKey, Told};
pub use cut_off::CutOff;
pub use error::BuildError;
pub(crate) use held::{find_fact, key_of};
pub use layers::{Change, Layers};
pub(crate) use names::hash;
pub use names::{LONGEST_DOCUMENT_ID, canonical};
pub use profile::Profile;
pub use property::{Properties, Property};
pub use schema::{Built, DOMAINS, OUTLINE};
pub(crate) use schema::{
    CHUNK_CALLED, CHUNK_TEXTS, COVERS, ENTITY_NAMES, FACT, FACT_KEY, FACT_TEXTS, OBJECT_TAG,
    STATED, find, find_all,
};
pub(crate) use standing::Standing;
pub(crate) use subjects::Looked;
pub use summary::{Inputs, Summary};
pub use tables::{TablesError, TablesLimits, TablesProgress, TablesReport, TablesStep};
pub(crate) use tables::{is_of_layers, table_key_index};
pub(crate) use taken_in::hash_of;

#[cfg(test)]
mod tests;
