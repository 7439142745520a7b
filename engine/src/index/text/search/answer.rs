//! What a search is told, and what it has found.

use crate::index::text::{OwnerId, TermCount};
use roaring::RoaringTreemap;

/// What a search is told beside the query.
#[derive(Clone, Copy)]
pub struct SearchOptions<'a> {
    /// How many hits at most.
    pub k: usize,
    /// The owners that may be found; everybody if nothing is said.
    pub among: Option<&'a RoaringTreemap>,
    /// Hits with a lower score are left out.
    pub min_score: f32,
}

impl SearchOptions<'_> {
    /// The best k of everything.
    #[must_use]
    pub fn top(k: usize) -> Self {
        Self {
            k,
            among: None,
            min_score: 0.0,
        }
    }
}

/// Something that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Whose text it is.
    pub owner: OwnerId,
    /// How well it matches.
    pub score: f32,
}

/// How much a search has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Segments it looked into.
    pub segments: u64,
    /// Postings it unpacked.
    pub postings: u64,
    /// Blocks of postings it unpacked.
    pub blocks: u64,
    /// Postings that its terms have, unpacked or not.
    pub postings_of_terms: u64,
    /// Documents it scored.
    pub documents: u64,
    /// Windows of documents that it left out, since none could be among the best.
    pub windows_skipped: u64,
    /// Prefixes that have more terms than are looked for: what only the further ones find is missing.
    pub prefixes_cut: u64,
}

/// The answer of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The best first; of equal ones the lower owner.
    pub hits: Vec<Hit>,
    /// How many documents there are.
    pub documents: u64,
    /// The terms of the query, with their documents; nothing if nothing was looked for.
    pub terms: Vec<TermCount>,
    /// What it took.
    pub work: Work,
}
