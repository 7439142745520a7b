//! From a question to what answers it: operators over lists of items.
//!
//! Each operator is of use by itself. [`Vector`], [`Bm25`] and [`Mentions`] find, and [`Descend`] goes down from heading
//! to heading; [`Route`] asks a declared query, [`MultiQuery`] and [`ExtractTriples`] what a model makes of the question. [`Expand`], [`Ascend`], [`Rank`] and [`Communities`] go on from what was found. [`Follow`], [`Around`] and
//! [`Together`] look at what it names, what stands next to it and what it is from, and [`Narrow`] whether the question names
//! that; [`Attest`] lifts what rests on texts that were found, and [`Support`] goes back to the texts that it rests on. Of facts, [`About`] lifts those about what the question names, [`Onward`] goes on from
//! them, and [`Gather`] adds everything that is stated of it. [`Threshold`], [`Limit`], [`Rerank`] and
//! [`Judge`] choose among it. [`fuse()`] makes one list of several, [`pack()`] makes a text of it that a model can read.

mod ablate;
mod about;
mod allowed;
mod around;
mod attest;
mod beyond;
mod choose;
mod communities;
mod confidence;
mod descend;
mod desk;
mod ends;
mod error;
mod evidence;
mod extract_triples;
mod filters;
mod follow;
mod fuse;
mod gather;
mod grounds;
mod implied;
mod item;
mod judge;
mod known;
mod mentions;
mod multi_query;
mod narrow;
mod needs;
mod onward;
mod operator;
mod pack;
mod pipeline;
mod preset;
mod question;
mod rank;
mod reader;
mod reading;
mod receipt;
mod rerank;
mod retrieved;
mod route;
mod search;
mod support;
#[cfg(test)]
mod tests;
mod titles;
mod together;
#[cfg(test)]
mod trial;
mod walk;

pub use about::About;
pub use around::Around;
pub use attest::Attest;
pub use choose::{Limit, Threshold};
pub use communities::{Communities, CommunityLayer};
pub(crate) use confidence::Wanted;
pub use confidence::{Confidence, ConfidenceParts};
pub use descend::{Descend, Descent, DescentLevel};
pub use desk::Desk;
pub use error::RetrieveError;
pub use evidence::{Evidence, Name, Place};
pub use extract_triples::{ExtractTriples, ReadAsTriples};
pub use follow::{Follow, Followed};
pub use fuse::{Fuse, Fusion, fuse};
pub use gather::Gather;
pub use item::{Item, Scale, Score, Step};
pub use judge::Judge;
pub use mentions::Mentions;
pub use multi_query::{MultiQuery, Reworded};
pub use narrow::Narrow;
pub use needs::Needs;
pub use onward::Onward;
pub use operator::Operator;
pub use pack::{Packed, Passage, pack};
pub use pipeline::{Pipeline, Stage, Traced};
pub use question::Question;
pub use rank::{Rank, Ranked, Walked};
pub use reading::Spent;
pub use receipt::{Receipt, Standing, WayStep};
pub use rerank::Rerank;
pub(crate) use retrieved::told;
pub use retrieved::{Found, Retrieved};
pub use route::{Route, RouteTaken};
pub use search::{Bm25, Layer, Vector};
pub use support::Support;
pub use together::Together;
pub use walk::{Along, Ascend, Emit, Expand, Facing};

/// Weights of nought are not written.
fn is_nought(weight: &f32) -> bool {
    *weight == 0.0
}
