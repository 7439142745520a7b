//! Property indexes: from values to the nodes or relationships that have them.
//!
//! ```text
//! prop_index  [index: 4 BE][values: ordered]([id: 8 BE])  ->  [] or, of a unique index, [id: 8 BE]
//! ```
//! The bytes of a key sort as the values do, so that equality, ranges and prefixes are scans. A
//! unique index has the id as its value: looking one up is a single read. Something that lacks one of
//! the properties has no entry. [`entry`] is what writers keep in step, [`lookup`] how it is read, [`sets`] what is kept of
//! that in memory. How an index comes to be while writers go on is in `database/schema`.

mod entry;
mod lookup;
mod sets;

pub use crate::catalog::sketch::Sketch;
pub(crate) use entry::{Entry, EntryKey, index_prefix, push};
pub use lookup::{Lookup, Matches};
pub use sets::ValueSets;
