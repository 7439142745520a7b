//! Changing the graph, for each row: what `CREATE`, `MERGE`, `SET`, `REMOVE` and `DELETE` do.
//!
//! Whatever is changed is counted here and nowhere else. The operators decide for which rows; nothing here
//! knows of the others. A statement that fails is taken back as a whole by whoever runs it, so nothing here
//! undoes anything.
//!
//! | what | where |
//! |---|---|
//! | nodes and relationships, and what `MERGE` must not look for | `create.rs` |
//! | `SET` | `set.rs` |
//! | `REMOVE` | `remove.rs` |
//! | `DELETE` | `delete.rs` |
//! | properties, labels and types as they are written | `written.rs` |
//! | what the engine refuses, as an error of the query | `refusal.rs` |

mod create;
mod delete;
mod refusal;
mod remove;
mod set;
mod written;

#[cfg(test)]
mod tests;

pub(crate) use create::{check_merge, create};
pub(crate) use delete::{apply_deletions, delete, settle};
pub(crate) use refusal::refused;
pub(crate) use remove::remove;
pub(crate) use set::set;
