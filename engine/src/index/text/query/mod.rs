//! What is searched for: a tree of words, phrases, prefixes and boolean groups.
//!
//! A tree is made by hand or from what a person typed ([`Query::parse`], in `parse.rs`); [`plan`] turns it into
//! terms by the index's analysis. Its text is not analysed before: the same query works on every index.

mod parse;
pub(super) mod plan;

use crate::error::{Error, Result};

/// How large a query may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// Words, phrases and prefixes together.
    pub leaves: usize,
    /// Groups within groups.
    pub depth: usize,
    /// Bytes of all text together.
    pub bytes: usize,
    /// Distinct terms, of which a leaf may have many: each is looked up in each segment.
    pub terms: usize,
}

impl QueryLimits {
    /// What every query has to keep to.
    pub const DEFAULT: Self = Self {
        leaves: 1024,
        depth: 16,
        bytes: 64 << 10,
        terms: 4096,
    };
}

/// What a part counts at most, all boosts around it together.
const MAX_BOOST: f32 = 1e6;

/// A query.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// A word or a text of several: any of its words. Where it is required or excluded and is a code or a run of
    /// Han, which have several terms, it is a phrase of them.
    Term(String),
    /// The words of a text, one right after the other.
    Phrase(String),
    /// Terms that begin with the last word of a text; the words before it have to be there, one right after the
    /// other. The index's terms are stems: of a language with endings, a prefix longer than a word's stem finds the
    /// word only if it has the same stem.
    Prefix(String),
    /// What has all of `must`, none of `not` and, if nothing must be, one of `should` at least. Each part that
    /// matches adds to the score.
    Boolean {
        /// All of these.
        must: Vec<Query>,
        /// Better with these.
        should: Vec<Query>,
        /// None of these.
        not: Vec<Query>,
    },
    /// A query that counts more, or less.
    Boosted(Box<Query>, f32),
}

impl Query {
    /// A word.
    #[must_use]
    pub fn term(text: impl Into<String>) -> Self {
        Self::Term(text.into())
    }

    /// Words one right after the other.
    #[must_use]
    pub fn phrase(text: impl Into<String>) -> Self {
        Self::Phrase(text.into())
    }

    /// Words that begin with a text.
    #[must_use]
    pub fn prefix(text: impl Into<String>) -> Self {
        Self::Prefix(text.into())
    }

    /// What has any of the parts.
    #[must_use]
    pub fn any(parts: impl IntoIterator<Item = Query>) -> Self {
        Self::Boolean {
            must: Vec::new(),
            should: parts.into_iter().collect(),
            not: Vec::new(),
        }
    }

    /// What has all of the parts.
    #[must_use]
    pub fn all(parts: impl IntoIterator<Item = Query>) -> Self {
        Self::Boolean {
            must: parts.into_iter().collect(),
            should: Vec::new(),
            not: Vec::new(),
        }
    }

    /// The same without what `excluded` finds. Where there is nothing it could be taken from, nothing is found.
    #[must_use]
    pub fn and_not(self, excluded: Query) -> Self {
        Self::Boolean {
            must: vec![self],
            should: Vec::new(),
            not: vec![excluded],
        }
    }

    /// The same with its score multiplied.
    #[must_use]
    pub fn boosted(self, boost: f32) -> Self {
        Self::Boosted(Box::new(self), boost)
    }

    /// Whether it keeps to limits.
    ///
    /// # Errors
    /// [`Error::TooMany`], [`Error::TooLarge`], and [`Error::BadDeclaration`] for a boost that is not a number
    /// from 0 to 1,000,000, or boosts within each other that together are not. How many terms there are is seen
    /// when it is planned.
    pub fn check(&self, limits: QueryLimits) -> Result<()> {
        let (mut leaves, mut bytes) = (0, 0);
        self.measure(limits, 0, 1.0, &mut leaves, &mut bytes)
    }

    fn measure(
        &self,
        limits: QueryLimits,
        depth: usize,
        boost: f32,
        leaves: &mut usize,
        bytes: &mut usize,
    ) -> Result<()> {
        let too_many = |what, count: usize, limit: usize| {
            Err(Error::TooMany {
                what,
                count: count as u64,
                limit: limit as u64,
            })
        };
        if depth > limits.depth {
            return too_many("levels of a text query", depth, limits.depth);
        }
        match self {
            Self::Term(text) | Self::Phrase(text) | Self::Prefix(text) => {
                *leaves += 1;
                *bytes += text.len();
                if *leaves > limits.leaves {
                    return too_many("parts of a text query", *leaves, limits.leaves);
                }
                if *bytes > limits.bytes {
                    return Err(Error::TooLarge {
                        what: "text query",
                        bytes: *bytes as u64,
                        limit_bytes: limits.bytes as u64,
                    });
                }
                Ok(())
            }
            Self::Boolean { must, should, not } => {
                let mut parts = must.iter().chain(should).chain(not);
                parts.try_for_each(|part| part.measure(limits, depth + 1, boost, leaves, bytes))
            }
            Self::Boosted(query, times) => {
                let boost = boost * times;
                if !(0.0..=MAX_BOOST).contains(times) || boost > MAX_BOOST {
                    return Err(Error::BadDeclaration {
                        what: "text query",
                        reason: "a boost is a number from 0 to 1,000,000, and so are boosts within each other together",
                    });
                }
                query.measure(limits, depth + 1, boost, leaves, bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests;
