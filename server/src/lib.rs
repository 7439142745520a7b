//! The gRPC door of Stratigraph.
//!
//! [`Server::start`] takes a folder and a [`Config`] and serves what is in it. The protocol is `stratigraph-proto`'s; what
//! a query means is the engine's. What is here is between them: who may call what, how much at a time, for how long,
//! and how it is told.
//!
//! ```
//! use stratigraph_server::{Flags, Server};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path().join("data");
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let mut config = Flags::default().resolve().unwrap(); // what flags, the environment or a file would set
//! config.listen = ([127, 0, 0, 1], 0).into(); // whichever port is free
//! let server = Server::start(&folder, config).await?;
//! println!("serving gRPC on {}", server.address());
//! server.shutdown().await?; // what runs may finish
//! # Ok::<(), stratigraph_server::ServerError>(())
//! # }).unwrap();
//! ```
//!
//! ```text
//! connection ──> door ──> method ──> turn ──> thread ──> engine ──> outlet ──> stream
//! connections.rs  door.rs  services/  work/slots.rs  run.rs          work/outlet.rs
//! ```
//!
//! | what | where |
//! |---|---|
//! | settings: one table, three sources | `config/` |
//! | tokens, roles, identities | `auth/` |
//! | the way in: rules, ids of requests, times | `door.rs`, `called.rs`, `caller.rs`, `patience.rs` |
//! | requests on their way in: unpacked, weighed, paid for | `intake/` |
//! | databases by name, their writer's place, prepared and named statements | `databases/` |
//! | turns, limits, rows on their way out, what runs | `work/` |
//! | one statement; what is over before a thread wakes | `run.rs`, `quick.rs` |
//! | transactions, a thread each | `transactions/` |
//! | the methods | `services/` |
//! | values of the protocol and of the engine | `convert/` |
//! | how it ends, and answers that are cut then | `ending.rs`, `leaving.rs` |
//! | what goes wrong, and the one function that makes a status of it | `failure.rs`, `status.rs` |
//! | what tells that a file has changed | `stamp.rs` |
//! | TLS that is read again, connections, metrics and probes | `tls.rs`, `connections.rs`, `metrics/`, `probes.rs` |
//! | how well vector indexes find, now and then | `recall.rs` |
//! | start and end; as a process; what systemd is told | `server.rs`, `serve.rs`, `notify.rs` |
//! | the models that documents are read with | `models.rs` |
//! | texts without secrets | `literals.rs` |
//!
//! Nothing here reads data but through the engine, and no message of the protocol reaches the engine unconverted.

#![forbid(unsafe_code)]

pub mod auth;
mod called;
mod caller;
pub mod config;
mod connections;
mod convert;
mod databases;
mod door;
mod ending;
mod failure;
#[cfg(test)]
mod fixture;
mod ids;
mod intake;
mod leaving;
mod literals;
mod metrics;
mod models;
mod notify;
mod patience;
mod probes;
mod quick;
mod recall;
mod run;
mod serve;
mod server;
mod services;
mod shared;
mod stamp;
mod status;
mod tls;
mod transactions;
mod work;

pub use config::{Config, ConfigError, Flags, PerMillion, Period, Size};
pub use databases::StartError;
pub use serve::{log_filter, serve, serve_with, start_log};
pub use server::{Server, ServerError};
pub use tls::TlsError;
