//! Indexes and constraints: what the language declares, drops and shows.
//!
//! | what | where |
//! |---|---|
//! | `CREATE` and `DROP` | `command.rs` |
//! | of vector indexes, full-text indexes and hierarchies | `vector.rs`, `fulltext.rs`, `hierarchy.rs` |
//! | `OPTIONS` | `options.rs` |
//! | names | `naming.rs` |
//! | the indexes that searches ask | `searched.rs` |
//! | the types that a constraint may demand | `typed.rs` |
//! | what the database refuses, as an error of the query | `refusal.rs` |
//! | `SHOW`, each a procedure | `shown/` |

mod command;
mod fulltext;
mod hierarchy;
mod naming;
mod options;
mod refusal;
mod searched;
mod shown;
mod typed;
mod vector;

pub(crate) use command::{Place, run};
pub(crate) use searched::{searched_text, searched_vectors};
pub(crate) use shown::shown;
