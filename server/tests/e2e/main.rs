//! The server from outside, over real sockets, with the generated client.
//!
//! [`harness`] starts a server in a folder of its own and makes tokens and requests; each other file is about one thing.

mod access;
mod admin;
mod bulk;
mod data;
mod depth;
mod exports;
mod harness;
mod limits;
mod models;
mod paths;
mod query;
mod quick;
mod rag;
mod secrets;
mod shutdown;
mod tables;
mod tls;
mod transactions;
