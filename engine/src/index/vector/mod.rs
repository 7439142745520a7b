//! Vector indexes: `stratigraph-vector` bound to what is stored.
//!
//! ```text
//! a commit      vectors and a journal entry per index in one batch -> appended -> the index in memory
//! a search      the index at the reader's commit, or the vectors themselves while there is no index
//! a snapshot    parts in `vector_snapshot`, then in one batch: the head, and the journal made shorter
//! an open       snapshot + what the journal touched since = the index; without one it is built anew
//! ```
//! The family of vectors is the truth, and an index is derived from it: it is never ahead of, behind, or apart
//! from what a reader sees, because every row carries the commit at which it came and the one at which it
//! went. Losing an index loses time and nothing else.
//!
//! [`registry`] has the indexes of an open database, [`bound`] is one of them, [`bring_up`] makes one ready,
//! [`saved`] keeps it, [`loaded`] reads what was kept, [`leftovers`] removes what was not finished, [`search`] asks it,
//! and [`sift`] asks it for the scores of many.

mod asked;
mod best;
mod bound;
mod bring_up;
mod check;
mod head;
mod journal;
mod leftovers;
mod loaded;
mod prepared;
mod refusal;
mod registry;
mod request;
mod saved;
mod search;
mod sift;
mod stored_rows;
mod truth;

pub(crate) use bound::VectorSettings;
pub use bound::{VectorIndexInfo, VectorIndexState};
pub(crate) use check::differences;
pub(crate) use journal::JournalKey;
pub(crate) use journal::{decode_into as read_touched, encode as write_touched};
pub(crate) use prepared::Prepared;
pub(crate) use registry::VectorIndexes;
pub use request::{ServedBy, VectorAnswer, VectorHit, VectorSearch};
pub(crate) use search::Place;
pub(crate) use sift::{Compared, fitting};
