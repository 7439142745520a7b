//! Settings of a client, and how it connects.

use crate::client::{Client, Inner, Limits};
use crate::{Error, Retry, Tls, Token};
use std::sync::Arc;
use std::time::Duration;
use tonic::codec::CompressionEncoding;
use tonic::transport::{Channel, Endpoint};

/// How messages are made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// gzip.
    Gzip,
    /// Zstandard.
    #[cfg(feature = "zstd")]
    Zstd,
}

impl Compression {
    pub(crate) fn encoding(self) -> CompressionEncoding {
        match self {
            Self::Gzip => CompressionEncoding::Gzip,
            #[cfg(feature = "zstd")]
            Self::Zstd => CompressionEncoding::Zstd,
        }
    }
}

/// Settings of a client.
///
/// ```no_run
/// # async fn example() -> Result<(), stratigraph_client::Error> {
/// use std::time::Duration;
/// use stratigraph_client::{Client, Tls};
///
/// let client = Client::builder("https://graph.example:7687")
///     .tls(Tls::new().ca_file("ca.pem")?)
///     .token("the token")
///     .database("library")
///     .timeout(Duration::from_secs(10))
///     .connect()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until it connects"]
pub struct ClientBuilder {
    endpoint: String,
    tls: Option<Tls>,
    token: Option<Token>,
    allow_token_in_clear: bool,
    database: String,
    connections: usize,
    connect_timeout: Duration,
    keep_alive: Option<(Duration, Duration)>,
    timeout: Option<Duration>,
    retry: Retry,
    limits: Limits,
}

impl ClientBuilder {
    pub(crate) fn new(endpoint: String) -> Self {
        Self {
            endpoint,
            tls: None,
            token: None,
            allow_token_in_clear: false,
            database: String::new(),
            connections: 1,
            connect_timeout: Duration::from_secs(10),
            keep_alive: Some((Duration::from_secs(30), Duration::from_secs(10))),
            timeout: None,
            retry: Retry::default(),
            limits: Limits {
                receive_bytes: 64 << 20,
                send_bytes: 64 << 20,
                compress: None,
            },
        }
    }

    /// Whom to trust, and who to be. An address that begins with `https` needs nothing of it if the system trusts the server.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Who calls.
    pub fn token(mut self, token: impl Into<Token>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Sends the token without TLS to another machine, where everybody between can read it. Without this it is refused.
    pub fn allow_token_in_clear(mut self) -> Self {
        self.allow_token_in_clear = true;
        self
    }

    /// The database that calls are about; the server's default one if nothing is said.
    pub fn database(mut self, name: impl Into<String>) -> Self {
        self.database = name.into();
        self
    }

    /// How many connections there are; calls take turns on them. One carries many calls at a time, and is enough for most; more
    /// help when one processor cannot keep up with one connection.
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections.clamp(1, 64);
        self
    }

    /// How long connecting may take; 10 seconds if nothing is said.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How often the server is asked whether it is still there, and how long it may take to answer; 30 and 10 seconds if nothing is
    /// said. `None` asks never, and a network that swallows everything is noticed only by timeouts.
    pub fn keep_alive(mut self, every: Option<(Duration, Duration)>) -> Self {
        self.keep_alive = every;
        self
    }

    /// How long a call may take with all its attempts, if the call itself says nothing. Unlimited at first: the server's limit
    /// holds. It does not hold for what takes long by its nature: bulk writes, backups and their kin, making indexes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How often and when calls that failed are made again, where that is safe.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// The largest message that is taken from the server, after it was decompressed; 64 MiB if nothing is said.
    pub fn max_receive_bytes(mut self, bytes: usize) -> Self {
        self.limits.receive_bytes = bytes;
        self
    }

    /// The largest message that is sent, before it is compressed; 64 MiB if nothing is said. The server has a limit of its own.
    pub fn max_send_bytes(mut self, bytes: usize) -> Self {
        self.limits.send_bytes = bytes;
        self
    }

    /// Makes messages smaller in both directions. Worth it between machines far apart; costs time where the network is fast.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.limits.compress = Some(compression);
        self
    }

    /// Connects, and waits until the first connection stands.
    ///
    /// # Errors
    /// [`Error::Settings`] if the settings cannot be, [`Error::Connect`] if the server cannot be reached.
    pub async fn connect(self) -> Result<Client, Error> {
        let endpoint = self.endpoint()?;
        let first = endpoint.connect().await.map_err(|error| Error::Connect {
            endpoint: self.endpoint.clone(),
            problem: chain(&error),
        })?;
        self.client(&endpoint, Some(first))
    }

    /// A client that connects when it is used first.
    ///
    /// Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Settings`] if the settings cannot be.
    pub fn connect_lazy(self) -> Result<Client, Error> {
        let endpoint = self.endpoint()?;
        self.client(&endpoint, None)
    }

    fn client(self, endpoint: &Endpoint, first: Option<Channel>) -> Result<Client, Error> {
        let authorization = self.token.as_ref().map(Token::header).transpose()?;
        let rest = self.connections - usize::from(first.is_some());
        let mut channels: Vec<Channel> = first.into_iter().collect();
        channels.extend((0..rest).map(|_| endpoint.connect_lazy()));
        Ok(Client {
            inner: Arc::new(Inner::new(
                self.endpoint,
                channels,
                authorization,
                self.limits,
                self.retry,
            )),
            database: self.database.into(),
            timeout: self.timeout,
        })
    }

    fn endpoint(&self) -> Result<Endpoint, Error> {
        let refused = |problem: String| Error::settings("endpoint", problem);
        let mut endpoint = Endpoint::from_shared(self.endpoint.clone())
            .map_err(|error| refused(format!("{}: {}", self.endpoint, chain(&error))))?
            .connect_timeout(self.connect_timeout)
            .tcp_nodelay(true);
        let uri = endpoint.uri();
        let is_tls = match (uri.scheme_str(), uri.host()) {
            (Some("https"), Some(_)) => true,
            (Some("http"), Some(_)) => false,
            _ => {
                return Err(refused(format!(
                    "{} must be `https://host:port`, or `http://host:port` without TLS",
                    self.endpoint
                )));
            }
        };
        let is_near = uri.host().is_some_and(is_loopback);
        if is_tls {
            let tls = self.tls.clone().unwrap_or_default().config();
            endpoint = endpoint
                .tls_config(tls)
                .map_err(|error| Error::settings("tls", chain(&error)))?;
        } else if self.tls.is_some() {
            return Err(refused(
                "TLS is set, and the address begins with `http`: write `https`".to_owned(),
            ));
        } else if self.token.is_some() && !is_near && !self.allow_token_in_clear {
            return Err(Error::settings(
                "token",
                "everybody between could read it: write `https`, or say `allow_token_in_clear`",
            ));
        }
        if let Some((every, patience)) = self.keep_alive {
            endpoint = endpoint
                .http2_keep_alive_interval(every)
                .keep_alive_timeout(patience)
                .keep_alive_while_idle(true);
        }
        Ok(endpoint)
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address: Option<std::net::IpAddr> = bare.parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
}

/// An error with what is behind it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(next) = source {
        let text = next.to_string();
        if !said.contains(&text) {
            said.push_str(": ");
            said.push_str(&text);
        }
        source = next.source();
    }
    said
}
