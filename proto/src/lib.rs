//! The protocol of Stratigraph's gRPC door, version 1, and the code generated from it; nothing else.
//!
//! The `.proto` files in `proto/stratigraph/v1/` are the truth: read them first, one file a service. [`v1`] is what
//! prost and tonic make of them, clients and servers both, without a transport: who connects brings
//! `tonic::transport` himself.
//!
//! ```
//! use stratigraph_proto::v1::{QueryRequest, Statement, statement::Source, value::Kind};
//!
//! let request = QueryRequest {
//!     database: String::new(), // the server's default one
//!     statement: Some(Statement { source: Some(Source::Text("RETURN $n AS n".to_owned())) }),
//!     parameters: [("n".to_owned(), Kind::IntValue(7).into())].into(),
//!     options: None,
//! };
//! // With a channel of `tonic::transport`:
//! // let mut client = stratigraph_proto::v1::query_service_client::QueryServiceClient::new(channel);
//! // let mut parts = client.query(request).await?.into_inner(); // header, batches of rows, summary
//! # let _ = request;
//! ```
//!
//! What is not in a message travels as metadata: `authorization: Bearer TOKEN`, `x-request-id` (made by the server
//! if there is none, and always given back), `grpc-timeout`. Errors carry `google.rpc.ErrorInfo`: its domain is
//! [`ERROR_DOMAIN`], its reason a stable code, its metadata the place in the text (`line`, `column`, `length`), a
//! `hint` and whether it is `retryable`; `google.rpc.RetryInfo` says when.
//!
//! Who may call a method is an option of the method itself, and [`METHODS`] is the table of them. A method without
//! one does not build. Whether a change of the files is compatible with clients that are out there is decided by
//! `tests/compatibility.rs`, and `tests/lint.rs` keeps the style.
//!
//! The generated types stay at the borders of `server` and `client`, which convert them; no other crate names them.

#![forbid(unsafe_code)]

mod access;
mod rows;
mod values;
mod weight;

/// Version 1, as generated.
#[allow(
    missing_docs,
    clippy::all,
    clippy::allow_attributes,
    rustdoc::all,
    unreachable_pub,
    reason = "generated"
)]
pub mod v1 {
    tonic::include_proto!("stratigraph.v1");

    pub use crate::rows::RowBatch;
}

pub use access::{METHODS, Method, method};
pub use v1::Access;
pub use weight::{Overweight, weigh};

/// The domain of our errors in `google.rpc.ErrorInfo`.
pub const ERROR_DOMAIN: &str = "stratigraph";

/// The descriptors of all files and what they import, encoded, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptor.bin"));
