//! Work under way: who gets a turn, how long it may take, who may stop it, and how its rows get out.
//!
//! The engine blocks, so every statement has a thread of tokio's blocking pool while it runs; [`slots`] bounds how
//! many, and how much memory they may hold in all. Rows leave through a channel that holds so many bytes ([`outlet`]): a
//! reader that is slow slows the statement down for as long as it may run, one that stops ends it, and one that leaves
//! cancels it.
//!
//! Next: `slots.rs`, `places.rs`, `shares.rs`, `outlet.rs`, `stream.rs`, `running.rs`, `limits.rs`, `reading.rs`.

mod limits;
mod outlet;
mod places;
mod reading;
mod running;
mod shares;
mod side;
mod slots;
mod stream;

pub(crate) use limits::{Allowance, RunLimits};
pub(crate) use outlet::{Batch, Outlet, channel};
pub(crate) use places::{HeldPlace, Places};
pub(crate) use reading::Reading;
pub(crate) use running::{Running, Started};
pub(crate) use side::Side;
pub(crate) use slots::{Slot, Slots};
pub(crate) use stream::PartStream;

use crate::failure::Failure;
use std::panic::{AssertUnwindSafe, catch_unwind};
use stratigraph::storage::cancel::CancelToken;

/// Cancels what it holds when it goes: work stops when its caller has left.
pub(crate) struct CancelOnDrop(pub(crate) CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `work` on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let span = tracing::Span::current();
    let ran = tokio::task::spawn_blocking(move || span.in_scope(work)).await;
    ran.unwrap_or_else(|error| {
        tracing::error!(%error, "a statement has panicked");
        Err(Failure::Bug {
            what: "the work has panicked",
        })
    })
}

/// Runs `work`, and makes a failure of a panic: a thread that answers to a client must always answer.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Failure::Bug {
        what: "the work has panicked",
    }))
}
