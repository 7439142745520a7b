//! From a question to what answers it: operators over lists of items.
//!
//! Each operator is of use by itself. [`Vector`], [`Bm25`] and [`Mentions`] find, [`Expand`] and [`Ascend`] go on from
//! what was found, [`fuse()`] makes one list of several, [`pack()`] makes a text of it that a model can read.

mod error;
mod evidence;
mod fuse;
mod item;
mod mentions;
mod pack;
mod pipeline;
mod preset;
mod question;
mod receipt;
mod retrieved;
mod search;
#[cfg(test)]
mod tests;
mod walk;

pub use error::RetrieveError;
pub use evidence::{Evidence, Name, Place};
pub use fuse::{Fusion, fuse};
pub use item::{Item, Scale, Score, Step};
pub use mentions::Mentions;
pub use pack::{Packed, Passage, pack};
pub use pipeline::{First, Fuse, Operator, Pipeline, Stage, Traced};
pub use question::{Desk, Question};
pub use receipt::{Receipt, Standing, WayStep};
pub use retrieved::{Found, Retrieved};
pub use search::{Bm25, Layer, Vector};
pub use walk::{Along, Ascend, Emit, Expand};
