//! Postings as bytes: which documents have a term, how often, and how long they are.
//!
//! [`block`] packs up to 128 of them, [`norm`] makes a length a byte, [`impact`] keeps what the best score of a
//! block is made of, and [`list`] puts a term's blocks together.

pub(super) mod bits;
pub(super) mod block;
pub(super) mod impact;
pub(super) mod list;
pub(super) mod norm;

/// One document of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// Its number, counted from the segment's first.
    pub(super) document: u32,
    /// How often it has the term, in units of weight; at least 1.
    pub(super) frequency: u32,
    /// Its length, as [`norm`] writes it.
    pub(super) norm: u8,
}
