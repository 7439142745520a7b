//! Measuring retrieval: how good lists are, and how far that can be trusted; and answers, where a model judges them (`jury/`).

mod accuracy;
mod compare;
mod confidence;
mod figures;
mod interval;
mod judge;
mod jury;
mod make;
mod metrics;
mod page;
mod refusal;
mod run;
mod saved;
mod set;
mod tags;
#[cfg(test)]
mod tests;

pub use accuracy::{ALIKE, Accuracy, bert_score, has_right_numbers, numbers_of};
pub use compare::{Changed, Comparison, CostDifference, Difference, Verdict};
pub use confidence::confidence_of;
pub use figures::Figure;
pub use interval::Mean;
pub use judge::{Judge, documents};
pub use jury::{
    AnswerFile, Given, Judged, Judgement, Jury, JuryError, Measured, System as JudgedSystem,
};
pub use make::{Counted, Made, MadeQuestion, Making, Phrased, Posing, UserSet, described};
pub use metrics::{
    all_recall_at, average_precision, context_precision, hit_at, ndcg_at, ordered_recall,
    recall_at, reciprocal_rank, set_recall,
};
pub use refusal::{Refusal, Refused};
pub use run::{Evaluated, Evaluation};
pub use saved::Saved;
pub use set::{EntityRow, FactRow, Gold, Labelled, LabelledSet, Posed, Row, SetError};
pub use tags::{LevelOfTags, TagGraph, TagMeasures};
