//! From a question to what answers it: operators over lists of items.
//!
//! Each operator is of use by itself: [`fuse`] makes one list of several, [`pack`] makes a text of what was found
//! that a model can read.

mod fuse;
mod item;
mod pack;

pub use fuse::{Fusion, fuse};
pub use item::{Item, Scale, Score, Step};
pub use pack::{Packed, Passage, pack};
