//! What can be asked of a text index, and what is answered.

use super::{Query, Work};
use crate::graph::Entity;
use roaring::RoaringTreemap;

/// What is looked for in a text index.
///
/// ```
/// use stratigraph::{Database, Read, TextIndex, TextSearch};
///
/// let db = Database::in_memory()?;
/// db.create_text_index(TextIndex::on_nodes("Book", ["title"]).named("titles"))?;
/// let mut txn = db.write()?;
/// let whale = txn.create_node(["Book"], [("title", "Moby-Dick; or, The Whale")])?;
/// txn.create_node(["Book"], [("title", "Bartleby, the Scrivener")])?;
/// txn.commit()?;
/// let answer = db.read()?.search_text("titles", &TextSearch::new("whales", 10))?;
/// assert_eq!(answer.hits[0].entity, whale.into());
/// // One of two documents has the term that `whales` and `whale` are.
/// assert_eq!((answer.documents, answer.terms[0].documents), (2, 1));
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a search is only described until a transaction makes it"]
pub struct TextSearch<'a> {
    pub(crate) query: Query,
    pub(crate) k: usize,
    pub(crate) threshold: f32,
    pub(crate) among: Option<&'a RoaringTreemap>,
    pub(crate) label: Option<&'a str>,
}

impl<'a> TextSearch<'a> {
    /// The `k` best for what somebody typed: words of which any may be there, `"a phrase"`, `word*`, `+must` and
    /// `-not`.
    pub fn new(text: &str, k: usize) -> Self {
        Self::of(Query::parse(text), k)
    }

    /// The `k` best for a query.
    pub fn of(query: Query, k: usize) -> Self {
        Self {
            query,
            k,
            threshold: 0.0,
            among: None,
            label: None,
        }
    }

    /// Only what scores at least so much.
    pub fn threshold(mut self, score: f32) -> Self {
        self.threshold = score;
        self
    }

    /// Only among nodes, or relationships, with these ids.
    pub fn among(mut self, ids: &'a RoaringTreemap) -> Self {
        self.among = Some(ids);
        self
    }

    /// Only nodes with this label, or relationships of this type.
    pub fn labelled(mut self, label: &'a str) -> Self {
        self.label = Some(label);
        self
    }
}

/// One that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// Whose text it is.
    pub entity: Entity,
    /// How well it matches: BM25.
    pub score: f32,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TextAnswer {
    /// The best first; of those that score the same, the one with the smaller id.
    pub hits: Vec<TextHit>,
    /// How many documents the index has.
    pub documents: u64,
    /// The terms of the query, and how many documents have them; nothing in an index without documents.
    pub terms: Vec<TermCount>,
    /// What it took.
    pub work: Work,
}

/// A term of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermCount {
    /// As the index has it.
    pub term: String,
    /// How many documents have it, whatever else the search was limited to.
    pub documents: u64,
}
