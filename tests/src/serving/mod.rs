//! A server in a process of its own, for harnesses that ask it from outside and may kill it.
//!
//! The process is the harness itself with the subcommand `serve`, so a bug can be planted in it.

mod child;
mod memory;
mod served;
mod told;

pub(crate) use child::{ChildArgs, serve};
pub(crate) use served::{Holdings, PATIENCE, PATIENT_SETTINGS, Served};
pub(crate) use told::{PARTS, ToldMemory};
