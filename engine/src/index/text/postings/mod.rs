//! Postings as bytes: which documents have a term, how often, and how long they are.
//!
//! [`block`] packs up to 128 of them, [`norm`] makes a length a byte, [`impact`] keeps what the best score of a
//! block is made of, and [`list`] puts a term's blocks together.

pub(super) mod bits;
pub(super) mod block;
pub(super) mod impact;
pub(super) mod list;
pub(super) mod norm;

/// A greater frequency scores no better, and would not fit the bits that a block has for one less than it.
pub(super) const MAX_FREQUENCY: u32 = 1 << 31;

/// One document of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// Its number, counted from the segment's first.
    pub(super) document: u32,
    /// How often it has the term, in units of weight: from 1 to [`MAX_FREQUENCY`].
    pub(super) frequency: u32,
    /// Its length, as [`norm`] writes it.
    pub(super) norm: u8,
}
