//! Operators that make rows of each row, one row after the other.
//!
//! None of them may keep rows of one row while it works on the next.
//!
//! | what | where |
//! |---|---|
//! | nodes | `scan.rs`, `seek.rs` |
//! | what an index finds | `search/` |
//! | along relationships | `expand.rs`, `ends.rs`, `expand_many.rs`, `follow.rs`, `repeat.rs` |
//! | the shortest ways | `shortest.rs`, `breadth.rs`, `between.rs`, `field.rs`, `ranked.rs` |
//! | level by level | `traverse/mod.rs` |
//! | values of a row | `filter.rs`, `compute.rs`, `unwind.rs` |
//! | nested operators | `optional.rs`, `union.rs`, `apply.rs`, `foreach.rs` |
//! | procedures | `call.rs` |
//! | how many rows | `count.rs` |
//! | changes | `change.rs`, `merge.rs` |
//!
//! Next: `scan.rs`.

mod apart;
mod apply;
mod between;
mod breadth;
mod call;
mod change;
mod compute;
mod count;
mod ends;
mod expand;
mod expand_many;
mod field;
mod filter;
mod follow;
mod foreach;
mod merge;
mod optional;
mod ranked;
mod repeat;
mod scan;
mod search;
mod seek;
mod shortest;
mod traverse;
mod union;
mod unwind;

pub(super) use apply::{Applied, push_returned};
pub(super) use call::Called;
pub(super) use change::{create, remove, set};
pub(super) use compute::compute;
pub(super) use count::{Counted, row_count};
pub(super) use ends::EndsOf;
pub(super) use expand::Expanding;
pub(super) use expand_many::Trails;
pub(super) use filter::filter;
pub(super) use foreach::foreach;
pub(super) use merge::Merging;
pub(super) use optional::Optional;
pub(super) use repeat::Rounds;
pub(super) use scan::Scan;
pub(super) use search::Searching;
pub(super) use shortest::Ways;
pub(super) use traverse::Traversing;
pub(super) use union::Arms;
pub(super) use unwind::Unwind;

use super::batch::Batch;
use super::stage::Site;
use crate::query::error::{Detail, Fault, raise};
use crate::query::functions::operators::with_article;
use crate::value::{NodeId, Value};

/// An operator that makes rows of each row.
pub(super) trait Flat {
    /// What the plan says about it.
    type Of<'o>: Copy;

    /// Begins with a row.
    fn begin(
        &mut self,
        of: Self::Of<'_>,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault>;

    /// Adds rows that come of `row`, until there are enough; says whether the row is done with.
    fn give(
        &mut self,
        of: Self::Of<'_>,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault>;
}

/// The node in a slot, if it is not null.
pub(super) fn node_in(value: &Value) -> Result<Option<NodeId>, Fault> {
    match value {
        Value::Null => Ok(None),
        Value::Node(node) => Ok(Some(node.id())),
        other => {
            let kind = with_article(other.kind());
            let message = format!("a pattern goes on from a node, and {kind} is none");
            Err(raise(Detail::InvalidArgumentType, message))
        }
    }
}

/// Whether a slot holds this node.
fn is_node(value: &Value, node: NodeId) -> bool {
    matches!(value, Value::Node(held) if held.id() == node)
}
