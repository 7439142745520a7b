//! Measuring retrieval: how good lists are, and how far that can be trusted.

mod interval;
mod judge;
mod metrics;
mod run;
mod set;
#[cfg(test)]
mod tests;

pub use interval::Mean;
pub use judge::{Judge, documents};
pub use metrics::{
    all_recall_at, average_precision, context_precision, hit_at, ndcg_at, ordered_recall,
    recall_at, reciprocal_rank, set_recall,
};
pub use run::{Evaluated, Evaluation};
pub use set::{Gold, Labelled, LabelledSet, Row, SetError};
