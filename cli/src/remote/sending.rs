//! Many nodes and relationships on their way to a server: all of them, or none.
//!
//! The client puts them into batches and waits for a slow server, so that memory holds a few of them.
//!
//! Next: `values.rs`.

use super::coming::unless_cancelled;
use super::refused::RemoteFailure;
use super::server::Server;
use super::values;
use crate::failure::Failure;
use std::collections::BTreeMap;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::value::check_storable;
use stratigraph::{Error as EngineError, Value};
use stratigraph_client::value::Value as Sent;
use stratigraph_client::{BulkNode, BulkWriter, Error};

/// A bulk load of a server. One that is dropped was never there.
pub(crate) struct Sending<'s> {
    server: &'s Server,
    writer: BulkWriter,
    cancel: CancelToken,
    nodes: u64,
}

/// Why something was not sent.
pub(crate) enum Unsent {
    /// It alone is bad.
    One(String),
    /// Nothing goes on.
    All(Failure),
}

impl<'s> Sending<'s> {
    /// Begins to send.
    pub(crate) fn begin(server: &'s Server, cancel: CancelToken) -> Self {
        let _within = server.runtime.enter();
        Self {
            server,
            writer: server.client.bulk().load().start(),
            cancel,
            nodes: 0,
        }
    }

    /// Sends a node; its number, from 1.
    pub(crate) fn node(
        &mut self,
        labels: Vec<String>,
        properties: &[(String, Value)],
    ) -> Result<u64, Unsent> {
        let properties = named(properties)?;
        let sending = self.writer.node(labels, properties);
        let sent = unless_cancelled(&self.cancel, sending);
        self.server
            .runtime
            .block_on(sent)
            .ok_or_else(cancelled)?
            .map_err(|error| unsent(self.server, &error))?;
        self.nodes += 1;
        Ok(self.nodes)
    }

    /// Sends a relationship between nodes with those numbers.
    pub(crate) fn relationship(
        &mut self,
        (start, end): (u64, u64),
        of: &str,
        properties: &[(String, Value)],
    ) -> Result<(), Unsent> {
        let properties = named(properties)?;
        let (start, end) = (BulkNode::created(start), BulkNode::created(end));
        let sending = self.writer.relationship(start, of, end, properties);
        let sent = unless_cancelled(&self.cancel, sending);
        let sent = self.server.runtime.block_on(sent).ok_or_else(cancelled)?;
        sent.map_err(|error| unsent(self.server, &error))
    }

    /// Waits until all of it is durable; the commit.
    ///
    /// # Errors
    /// What the server refuses, and nothing has changed then; or nobody knows.
    pub(crate) fn finish(self) -> Result<u64, Failure> {
        let finished = unless_cancelled(&self.cancel, self.writer.finish());
        match self.server.runtime.block_on(finished) {
            None => Err(EngineError::Cancelled.into()),
            Some(Ok(verdict)) => Ok(verdict.sequence),
            Some(Err(error)) => Err(self.server.failure(&error, "").into()),
        }
    }
}

fn cancelled() -> Unsent {
    Unsent::All(EngineError::Cancelled.into())
}

fn unsent(server: &Server, error: &Error) -> Unsent {
    match error {
        Error::TooLarge { .. } | Error::Parameter { .. } => Unsent::One(error.to_string()),
        error => Unsent::All(RemoteFailure::of(error, &server.address, "").into()),
    }
}

/// Properties as they are sent. What no property can be is found here, where its place is known.
fn named(properties: &[(String, Value)]) -> Result<BTreeMap<&str, Sent>, Unsent> {
    let mut named = BTreeMap::new();
    for (name, value) in properties {
        check_storable(value).map_err(|error| Unsent::One(format!("{name}: {error}")))?;
        let value = values::sent(value).map_err(Unsent::One)?;
        if named.insert(name.as_str(), value).is_some() {
            return Err(Unsent::One(format!("there are two properties {name}")));
        }
    }
    Ok(named)
}
