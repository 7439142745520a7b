//! Databases of a server, over the client: the other kind of [`Place`](crate::statements::Place).
//!
//! Statements, commands and what is printed are the same as over a folder. What differs is said where it happens: a
//! connection that breaks, a transaction that the server has ended, a statement of which nobody knows whether it ran.
//! Nothing here knows the protocol: that is the client's.
//!
//! | what | where |
//! |---|---|
//! | `grpc://host:port/database` | `address.rs` |
//! | what is said beside it: certificates, a token, a database | `access.rs` |
//! | statements and transactions | `server.rs` |
//! | rows as they come | `coming.rs` |
//! | what goes wrong, in the words that a folder has for it | `refused.rs` |
//! | whether a statement only reads, so that it may be sent again | `reading.rs` |
//! | what is declared before that | `declaring.rs` |
//! | many nodes at once | `sending.rs` |
//! | all of a graph, as text | `exporting.rs` |
//! | documents | `uploading.rs` |
//! | summaries | `summarising.rs` |
//! | tables | `tables.rs` |
//! | questions and receipts | `retrieving.rs` |
//! | answers and thresholds | `answering.rs` |
//! | declared queries | `routing.rs` |
//! | values, there and back | `values.rs` |
//!
//! Next: `server.rs`.

mod access;
mod address;
mod answering;
mod coming;
mod declaring;
mod exporting;
mod reading;
mod refused;
mod retrieving;
mod routing;
mod sending;
mod server;
mod summarising;
mod tables;
mod uploading;
mod values;

pub(crate) use access::Access;
pub(crate) use address::Address;
pub(crate) use answering::Inquiry;
pub(crate) use refused::RemoteFailure;
pub(crate) use retrieving::Asked;
pub(crate) use sending::{Sending, Unsent};
pub(crate) use server::{Manner, Server};
pub(crate) use tables::{SendingTables, TablesHead, UnsentTable};
pub(crate) use uploading::{Sent, Uploading};
