//! The graph floor: batches of operations on nodes and relationships, one transaction each, or now and
//! then one bulk load.
//!
//! ```text
//! writer:  draw(.., graph before) -> operations    GraphHand carries them out
//! oracle:  draw(.., graph before) -> graph after   ask_model(graph) == ask_database(db)
//! ```
//! A writer has labels, relationship types, indexes, constraints and hierarchies of its own
//! ([`names`]), and a small graph that stays bounded ([`model`]). Ids are handed out by the engine, so
//! nothing is compared by id: everything has a unique key property, and the map from keys to ids is
//! made anew whenever a writer is taken up.
//!
//! What is compared is the answers to every question that the graph can be asked ([`face`]), each in
//! words. The model answers them from its maps ([`model_face`]), the database from what is stored
//! ([`stored_face`]): degrees, counts, sets, index entries and levels are questions too, so that one
//! that is not in step with the others always shows.
//!
//! Every transaction changes a record, a long text, a vector, a relationship with its entries both ways,
//! and an index entry, in a way that no other batch does; a bulk load adds what no other batch has.
//! Some batches have a load before them that must fail, or is cancelled halfway, and leave nothing.

mod content;
mod draw;
mod face;
mod hand;
mod model;
mod model_face;
mod names;
mod operation;
mod stored_face;

pub use draw::{Drawn, draw, may_be_undeclared};
pub use face::Answers;
pub use hand::GraphHand;
pub(crate) use hand::finish_declaring;
pub use model::Graph;

use super::Writer;
use face::ask;
use model_face::ModelFace;
use names::Names;
use stored_face::StoredFace;
use stratigraph::ReadTxn;

/// The key of a node, or of a relationship. No two batches give the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u64);

/// What a writer's part of the graph must answer.
#[must_use]
pub fn ask_model(graph: &Graph, writer: Writer) -> Answers {
    ask(&ModelFace::new(graph, Names::of(writer)))
}

/// What a writer's part of the graph does answer. Errors are in the answers, beside what could be
/// read all the same.
#[must_use]
pub fn ask_database(read: &ReadTxn, writer: Writer) -> Answers {
    let face = StoredFace::explore(read, Names::of(writer));
    let mut answers = ask(&face);
    answers.errors.append(&mut face.into_errors());
    answers
}
