//! What a user holds.

use crate::builder::{ClientBuilder, Compression};
use crate::query::{Query, Source};
use crate::{Error, Retry};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;

/// A client of a server, for one of its databases.
///
/// Cloning it is cheap, and clones share its connections. It connects again by itself.
///
/// ```no_run
/// # async fn example() -> Result<(), stratigraph_client::Error> {
/// let client = stratigraph_client::Client::connect("http://localhost:7687").await?;
/// let mut rows = client.query("MATCH (n:Person) RETURN n.name AS name").rows().await?;
/// while let Some(row) = rows.next().await? {
///     println!("{}", row.get::<&str>("name")?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
    pub(crate) database: Arc<str>,
    pub(crate) timeout: Option<Duration>,
}

/// What clones share.
pub(crate) struct Inner {
    pub(crate) endpoint: String,
    channels: Vec<Channel>,
    turn: AtomicUsize,
    pub(crate) authorization: Option<MetadataValue<Ascii>>,
    pub(crate) limits: Limits,
    pub(crate) retry: Retry,
}

/// What messages may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) receive_bytes: usize,
    pub(crate) send_bytes: usize,
    pub(crate) compress: Option<Compression>,
}

impl Inner {
    pub(crate) fn new(
        endpoint: String,
        channels: Vec<Channel>,
        authorization: Option<MetadataValue<Ascii>>,
        limits: Limits,
        retry: Retry,
    ) -> Self {
        Self {
            endpoint,
            channels,
            turn: AtomicUsize::new(0),
            authorization,
            limits,
            retry,
        }
    }

    /// The connection whose turn it is.
    pub(crate) fn channel(&self) -> Channel {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        self.channels[turn % self.channels.len()].clone()
    }
}

impl Client {
    /// Connects to `https://host:port`, or `http://host:port` without TLS, with the usual settings.
    ///
    /// # Errors
    /// [`Error::Settings`] if that is no address, [`Error::Connect`] if nobody answers there.
    pub async fn connect(endpoint: impl Into<String>) -> Result<Self, Error> {
        Self::builder(endpoint).connect().await
    }

    /// A client with settings, for `https://host:port`, or `http://host:port` without TLS.
    pub fn builder(endpoint: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(endpoint.into())
    }

    /// The same client for another database of the server.
    #[must_use]
    pub fn database(&self, name: &str) -> Self {
        Self {
            database: name.into(),
            ..self.clone()
        }
    }

    /// The name of its database; empty for the server's default one.
    #[must_use]
    pub fn database_name(&self) -> &str {
        &self.database
    }

    /// The same client with another limit for calls that say nothing themselves.
    #[must_use]
    pub fn with_timeout(&self, timeout: Option<Duration>) -> Self {
        Self {
            timeout,
            ..self.clone()
        }
    }

    /// A statement.
    pub fn query(&self, text: impl Into<String>) -> Query {
        Query::new(self.clone(), Source::Text(text.into()))
    }

    /// A statement that the database keeps under a name.
    pub fn named(&self, name: impl Into<String>) -> Query {
        Query::new(self.clone(), Source::Name(name.into()))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Client")
            .field("endpoint", &self.inner.endpoint)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}
