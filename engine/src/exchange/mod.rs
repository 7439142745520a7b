//! A database as text and back: the logical dump, for moving, reading, editing and comparing.
//!
//! ```text
//! header, names, declarations, nodes, relationships, members of hierarchies, end    one JSON object a line
//! ```
//! The format is described in `docs/dump-format.md`. [`dump`] writes one snapshot, line by line;
//! [`read`] takes a dump apart and trusts none of it, [`decode`] being about single lines and
//! [`reader`] about what they say together; [`load`] makes a database of it. [`canonical`] leaves ids
//! out, so that equal graphs give equal text.
//!
//! A dump must never depend on how things are stored: no number of a name or a family is in it.
//! Nothing here may panic over a line, or hold more of a dump than its longest line and a portion.

mod canonical;
mod declared;
mod decode;
mod dump;
mod error;
mod lines;
mod load;
mod names;
mod output;
mod read;
mod reader;
mod schema;
mod sink;
mod text;
mod values;

pub use canonical::{MAX_CANONICAL_NODES, MAX_CANONICAL_RELATIONSHIPS};
pub use dump::DumpReport;
pub use error::DumpError;
pub use load::LoadReport;
pub use read::{DumpContents, LoadOptions, verify_dump};
pub use schema::{DeclarationLines, named_members};

/// The version of the format that is written, and the only one that is read.
pub const FORMAT: u64 = 1;
/// Watchers hear of progress once in so many lines.
const LINES_PER_STEP: u64 = 1024;
