//! The client over real sockets, against a small server that does what a test tells it.

mod bulk;
mod connecting;
mod exports;
mod fake;
mod queries;
mod rest;
mod retries;
mod transactions;
mod tree;
