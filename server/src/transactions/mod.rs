//! Transactions over the network: each has a thread of its own, which holds the engine's transaction and takes commands.
//!
//! ```text
//! Begin ──> turn to write ──> thread: [ rest <= idle limit ──> command ]* ──> commit, roll back, or expire
//! ```
//! The thread watches the time itself: it waits for the next command no longer than the transaction may rest, and rolls
//! back then. A client that stalls, or is gone, holds up the other writers for that long and no longer. A statement
//! whose reader has stopped ends by `max_stall`, the transaction with it; one whose reader takes its rows slowly ends
//! when its own time or that of the transaction is over.
//!
//! How each has ended is remembered for a while: a commit that is asked for twice is answered twice.
//!
//! Next: `thread.rs`, `table.rs`.

mod table;
mod thread;

pub(crate) use table::{Transactions, over};
pub(crate) use thread::{Begin, Command, Statement, begin};
