//! Segments: the documents of one transaction, or of several that were merged, and the postings of their terms.
//!
//! A segment is written once and never changed; what changes is which of its documents are gone. Its terms lie
//! in pages of some kilobytes, in order, as in a sorted file: a key per term would cost a write a hundred times
//! as many keys. [`build`] writes one, [`view`] reads it, [`merge`] makes one of several.

pub(super) mod build;
pub(super) mod columns;
pub(super) mod directory;
pub(super) mod gone;
pub(super) mod merge;
pub(super) mod page;
pub(super) mod positions;
pub(super) mod view;
