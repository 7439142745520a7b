//! How the searches of a query were answered: which index, how thoroughly, by whom, on which scale.
//!
//! Next: `traversals.rs`.

use super::Merged;
use crate::index::vector::ServedBy;
use crate::query::exec::hits::NearAnswer;
use std::fmt;
use std::sync::Arc;
use stratigraph_vector::{How, Metric, Strategy};

/// How one `SEARCH` of a query was answered, one call of a procedure that searches, or one `RECOVER` by the codes of a vector
/// index.
///
/// It may have run for many rows: counts are of all of them, and what may differ from one to the next is that of
/// the least.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SearchReport {
    /// The name of the index.
    pub index: Arc<str>,
    /// Whether it is a full-text index, and no vector index.
    pub fulltext: bool,
    /// What its scores mean.
    pub scale: ScoreScale,
    /// How often it was asked. Rows that ask for the same share an answer.
    pub runs: u64,
    /// How many were found; by a `RECOVER`, how many were left that might be kept: their vectors were read.
    pub found: u64,
    /// Whether none can be missing. Full-text indexes are always exact.
    pub exact: bool,
    /// How many candidates a walk through a vector index keeps, known as `ef`; none if everything was compared.
    pub breadth: Option<u64>,
    /// Which way was taken through a vector index.
    pub strategy: Option<Strategy>,
    /// Who has answered of a vector index: it, or the stored vectors while it is being made.
    pub served_by: Option<ServedBy>,
    /// How many vectors or codes were compared, or documents scored.
    pub compared: u64,
    /// Which share of the true nearest was most likely found, if the index has measured it.
    pub estimated_recall: Option<f32>,
    /// Among how many it was searched, if there was a `WHERE`: of the last run.
    pub among: Option<u64>,
}

/// What the scores of a search mean. More is always nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScoreScale {
    /// (1 + cosine) / 2, from 0 to 1: of a `SEARCH` in an index of cosines.
    HalfOfOnePlusCosine,
    /// 1 / (1 + distance squared), from 0 to 1: of a `SEARCH` in an index of distances.
    OneByOnePlusSquaredDistance,
    /// The cosine, from -1 to 1: of a `RECOVER`.
    Cosine,
    /// The dot product, which has no bounds.
    Dot,
    /// BM25, from 0 on, which has no upper bound: of a full-text index.
    Bm25,
}

impl ScoreScale {
    fn of_searches(metric: Metric) -> Self {
        match metric {
            Metric::Cosine => Self::HalfOfOnePlusCosine,
            Metric::Euclidean => Self::OneByOnePlusSquaredDistance,
            Metric::Dot => Self::Dot,
        }
    }
}

impl fmt::Display for ScoreScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HalfOfOnePlusCosine => "(1 + cosine) / 2",
            Self::OneByOnePlusSquaredDistance => "1 / (1 + distance^2)",
            Self::Cosine => "cosine",
            Self::Dot => "dot product",
            Self::Bm25 => "BM25",
        })
    }
}

impl SearchReport {
    /// A vector index has answered.
    pub(crate) fn of_vectors(
        (index, metric): (&Arc<str>, Metric),
        near: &NearAnswer,
        among: Option<u64>,
    ) -> Self {
        let answer = &near.answer;
        let misses_nothing = matches!(answer.strategy, Strategy::Exact | Strategy::Proven);
        let breadth = near.breadth.filter(|_| !misses_nothing);
        Self {
            index: Arc::clone(index),
            fulltext: false,
            scale: ScoreScale::of_searches(metric),
            runs: 1,
            found: answer.hits.len() as u64,
            exact: answer.how == How::Exact,
            breadth: breadth.map(|breadth| breadth as u64),
            strategy: Some(answer.strategy),
            served_by: Some(answer.served_by),
            compared: answer.compared,
            estimated_recall: answer.estimated_recall,
            among,
        }
    }

    /// Codes of a vector index have told who of so many members of a level may be kept: how many were compared,
    /// and how many are left.
    pub(crate) fn of_codes(
        (index, metric): (&Arc<str>, Metric),
        (compared, found): (u64, u64),
        among: u64,
    ) -> Self {
        Self {
            index: Arc::clone(index),
            fulltext: false,
            scale: match metric {
                Metric::Cosine => ScoreScale::Cosine,
                other => ScoreScale::of_searches(other),
            },
            runs: 1,
            found,
            exact: true,
            breadth: None,
            strategy: Some(Strategy::Proven),
            served_by: Some(ServedBy::Index),
            compared,
            estimated_recall: Some(1.0),
            among: Some(among),
        }
    }

    /// A full-text index has answered.
    pub(crate) fn of_texts(
        index: &Arc<str>,
        (found, compared): (usize, u64),
        among: Option<u64>,
    ) -> Self {
        Self {
            index: Arc::clone(index),
            fulltext: true,
            scale: ScoreScale::Bm25,
            runs: 1,
            found: found as u64,
            exact: true,
            breadth: None,
            strategy: None,
            served_by: None,
            compared,
            estimated_recall: None,
            among,
        }
    }
}

impl Merged for SearchReport {
    fn merge(&mut self, new: Self) {
        self.runs += new.runs;
        self.found += new.found;
        self.compared += new.compared;
        self.among = new.among;
        if self.exact || !new.exact {
            self.strategy = new.strategy;
            self.served_by = new.served_by;
        }
        self.exact &= new.exact;
        self.breadth = self.breadth.max(new.breadth);
        self.estimated_recall = match (self.estimated_recall, new.estimated_recall) {
            (Some(one), Some(other)) => Some(one.min(other)),
            _ => None,
        };
    }

    fn runs(&self) -> u64 {
        self.runs
    }
}
