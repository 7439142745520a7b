//! Operators that take all rows before they give any, or that remember rows.
//!
//! What they keep is charged, and refused beyond the limit: nothing is written out to disk. Rows that they give
//! begin as a copy of the row that the whole run was given.
//!
//! | what | where |
//! |---|---|
//! | groups | `aggregate.rs` |
//! | order | `sort.rs` |
//! | rows that differ | `distinct.rs` |
//! | a wall between what reads and what writes | `eager.rs` |
//! | deleting, once all rows are known | `delete.rs` |
//! | subqueries in transactions | `in_transactions.rs`, `portion.rs` |
//!
//! Next: `aggregate.rs`.

mod aggregate;
mod delete;
mod distinct;
mod eager;
mod in_transactions;
mod portion;
mod sort;

pub(super) use aggregate::{Computing, Groups};
pub(super) use delete::Doomed;
pub(super) use distinct::Seen;
pub(super) use eager::Kept;
pub(super) use in_transactions::Portions;
pub(super) use sort::Sorting;

use super::stage::{Input, Poll};

/// Takes all rows, and gives none.
pub(super) fn drain(input: &mut Input) -> Poll {
    input.take();
    input.without_rows()
}
