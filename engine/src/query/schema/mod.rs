//! Indexes and constraints: what the language declares, drops and shows.
//!
//! | what | where |
//! |---|---|
//! | `CREATE` and `DROP` | `command.rs` |
//! | the types that a constraint may demand | `typed.rs` |
//! | what the database refuses, as an error of the query | `refusal.rs` |
//! | `SHOW`, each a procedure | `shown/` |

mod command;
mod refusal;
mod shown;
mod typed;

pub(crate) use command::run;
pub(crate) use shown::{quoted, shown};
