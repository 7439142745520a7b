//! A server from its start to its end.
//!
//! ```text
//! settings fit? ──> tokens, certificates ──> databases ──> listen ──> serve ──> end: nothing begins, what runs and
//! transactions that are open may finish within a limit, the rest is cancelled, databases are closed
//! ```

use crate::auth::{Authority, TokenFileError};
use crate::config::{Config, ConfigError};
use crate::connections;
use crate::databases::{Databases, StartError};
use crate::door::DoorLayer;
use crate::ending::Stage;
use crate::models::equipment;
use crate::probes;
use crate::services::{
    Admin, Bulk, DatabaseManagement, Query, Rag, Schema, Search, TransactionControl,
};
use crate::shared::Shared;
use crate::tls::{Tls, TlsError};
use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use stratigraph_proto::v1::admin_service_server::AdminServiceServer;
use stratigraph_proto::v1::bulk_service_server::BulkServiceServer;
use stratigraph_proto::v1::database_service_server::DatabaseServiceServer;
use stratigraph_proto::v1::query_service_server::QueryServiceServer;
use stratigraph_proto::v1::rag_service_server::RagServiceServer;
use stratigraph_proto::v1::schema_service_server::SchemaServiceServer;
use stratigraph_proto::v1::search_service_server::SearchServiceServer;
use stratigraph_proto::v1::transaction_service_server::TransactionServiceServer;
use stratigraph_rag::read::PdfParsing;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};
use tokio_stream::wrappers::ReceiverStream;
use tonic::codec::CompressionEncoding::{Gzip, Zstd};
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::server::HealthReporter;

/// Why a server does not start, or has ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The settings do not fit together, or cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The tokens cannot be read.
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
    /// The certificates cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The databases cannot be opened.
    #[error(transparent)]
    Databases(#[from] StartError),
    /// An address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// The models cannot be used.
    #[error(transparent)]
    Models(#[from] Box<stratigraph_models::ModelError>),
    /// Serving ended by itself.
    #[error("serving has ended: {0}")]
    Serving(String),
}

/// A server that runs.
#[must_use = "it ends when it is dropped"]
pub struct Server {
    address: SocketAddr,
    metrics_address: Option<SocketAddr>,
    shared: Arc<Shared>,
    health: HealthReporter,
    serving: tokio::task::JoinHandle<Result<(), ServerError>>,
}

impl Server {
    /// Starts to serve the databases in a folder. Must be called within a tokio runtime of several threads.
    ///
    /// # Errors
    /// [`ServerError`]; nothing listens then.
    pub async fn start(folder: &Path, config: Config) -> Result<Self, ServerError> {
        Self::start_with(folder, config, None).await
    }

    /// The same, with somebody who parses the PDF that clients send.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn start_with(
        folder: &Path,
        config: Config,
        pdf: Option<PdfParsing>,
    ) -> Result<Self, ServerError> {
        let findings = config.check();
        if !findings.is_empty() {
            return Err(ConfigError::Refused { findings }.into());
        }
        let config = Arc::new(config);
        let authority = Authority::new(config.tokens.clone())?;
        let tls = Tls::new(&config)?.map(Arc::new);
        let databases = tokio::task::block_in_place(|| {
            let equipment = equipment(&config, pdf).map_err(Box::new)?;
            Databases::open(folder, &config, &equipment).map_err(ServerError::from)
        })?;
        let (listener, address) = listen(config.listen).await?;
        let scheme = if tls.is_some() { "grpcs" } else { "grpc" };
        databases.announce(format!("{scheme}://{address}"));
        let shared = Shared::new(Arc::clone(&config), databases, authority);
        let metrics_address = match config.metrics_listen {
            Some(wanted) => Some(serve_probes(wanted, &shared).await?),
            None => None,
        };
        tokio::spawn(watch_files(Arc::clone(&shared), tls.clone()));
        let (health, health_service) = tonic_health::server::health_reporter();
        health
            .set_service_status(QUERY_SERVICE, ServingStatus::Serving)
            .await;
        let serving = tokio::spawn(serve(listener, tls, Arc::clone(&shared), health_service));
        tracing::info!(%address, tls = config.tls_certificate.is_some(), tokens = config.tokens.is_some(), "serving");
        Ok(Self {
            address,
            metrics_address,
            shared,
            health,
            serving,
        })
    }

    /// Where gRPC is served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where metrics are served, if they are.
    #[must_use]
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// Serves until `told` comes true, then ends: what runs may finish within the limit, and is cancelled after it.
    ///
    /// # Errors
    /// [`ServerError::Serving`] if serving ended by itself.
    pub async fn run_until(mut self, told: impl Future<Output = ()>) -> Result<(), ServerError> {
        tokio::select! {
            ended = &mut self.serving => return ended.unwrap_or_else(|error| Err(ServerError::Serving(error.to_string()))),
            () = told => {}
        }
        self.shutdown().await
    }

    /// Ends it: nothing begins any more; what runs, and transactions that are open, may finish within the limit. What
    /// has not is cancelled a little before the limit, so that databases can be closed within it.
    ///
    /// # Errors
    /// [`ServerError::Serving`] if serving ended badly.
    pub async fn shutdown(mut self) -> Result<(), ServerError> {
        let (shared, ending) = (Arc::clone(&self.shared), Arc::clone(&self.shared.ending));
        let limit = shared.config.shutdown_limit.0;
        // The process takes a moment to end as well.
        let ends = Instant::now() + limit - (limit / 10).min(LAST_WAIT);
        let cut = ends - (limit / 4).min(CLOSING_TIME);
        tracing::info!(transactions = shared.open_transactions(), "ending");
        ending.reach(Stage::Draining);
        for service in ["", QUERY_SERVICE] {
            self.health
                .set_service_status(service, ServingStatus::NotServing)
                .await;
        }
        let _ = timeout_at(cut, until(|| shared.open_transactions() == 0)).await;
        ending.reach(Stage::Closing);
        let served = timeout_at(cut, &mut self.serving).await;
        let is_quiet = || shared.running.count() + ending.work() + shared.open_transactions() == 0;
        if served.is_err() || !is_quiet() {
            tracing::warn!(
                statements = shared.running.count(),
                transactions = shared.open_transactions(),
                other_work = ending.work(),
                "some work is cancelled"
            );
        }
        ending.reach(Stage::Over);
        shared.running.cancel_all();
        for database in shared.databases.all() {
            database.transactions.end_all("the server is shutting down");
        }
        if served.is_err() {
            // What is cut leaves at once; a client that does not read is left.
            let last = ends - (limit / 8).min(CLOSING_TIME / 2);
            let _ = timeout_at(last, &mut self.serving).await;
            self.serving.abort();
        }
        ending.reach(Stage::Gone);
        let _ = timeout_at(ends, until(is_quiet)).await;
        // What is acknowledged is safe, also if there is no time to close a database: its log has it.
        let closing = tokio::task::spawn_blocking(move || shared.databases.close());
        let least = Instant::now() + LEAST_CLOSING_TIME;
        if timeout_at(ends.max(least), closing).await.is_err() {
            tracing::warn!(
                "databases were not closed in time; they will read their logs when they are opened"
            );
        }
        tracing::info!("ended");
        match served {
            Ok(Ok(served)) => served,
            Ok(Err(error)) => Err(ServerError::Serving(error.to_string())),
            Err(_) => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ending.reach(Stage::Gone);
    }
}

/// Waits until something is so.
async fn until(is: impl Fn() -> bool) {
    while !is() {
        tokio::time::sleep(GLANCE).await;
    }
}

async fn listen(wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), ServerError> {
    let failed = |source| ServerError::Listen {
        address: wanted,
        source,
    };
    let listener = TcpListener::bind(wanted).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

async fn serve_probes(wanted: SocketAddr, shared: &Arc<Shared>) -> Result<SocketAddr, ServerError> {
    let (listener, address) = listen(wanted).await?;
    let routes = probes::routes(Arc::clone(shared));
    // Who asks is told to the last that nothing is served any more.
    let end = shared.ending.reached(Stage::Over);
    tokio::spawn(async move {
        let served = axum::serve(listener, routes)
            .with_graceful_shutdown(end)
            .await;
        if let Err(error) = served {
            tracing::error!(%error, "metrics are not served any more");
        }
    });
    Ok(address)
}

/// Looks at certificates and tokens from time to time.
async fn watch_files(shared: Arc<Shared>, tls: Option<Arc<Tls>>) {
    let mut ended = std::pin::pin!(shared.ending.reached(Stage::Closing));
    let mut every = tokio::time::interval(shared.config.reload_interval.0);
    loop {
        tokio::select! {
            _ = every.tick() => {}
            () = &mut ended => return,
        }
        if let Some(tls) = &tls {
            match tls.reload() {
                Ok(true) => tracing::info!("certificates were read again"),
                Ok(false) => {}
                Err(error) => {
                    tracing::error!(%error, "certificates have changed and cannot be used; the old ones stay");
                }
            }
        }
        match shared.authority.reload() {
            Ok(true) => tracing::info!("tokens were read again"),
            Ok(false) => {}
            Err(error) => {
                tracing::error!(%error, "tokens have changed and cannot be used; the old ones stay");
            }
        }
    }
}

/// Serves gRPC until it is told to end and what was under way has ended.
async fn serve(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    shared: Arc<Shared>,
    health: HealthServer<impl Health>,
) -> Result<(), ServerError> {
    let config = Arc::clone(&shared.config);
    let routes =
        routes(&shared, health).map_err(|error| ServerError::Serving(error.to_string()))?;
    let end = shared.ending.reached(Stage::Closing);
    let header_bytes = u32::try_from(config.max_header_size.0).unwrap_or(u32::MAX);
    tonic::transport::Server::builder()
        .max_concurrent_streams(config.max_streams_per_connection)
        .http2_max_header_list_size(header_bytes)
        .http2_keepalive_interval(Some(config.keep_alive_interval.0))
        .http2_keepalive_timeout(Some(config.keep_alive_timeout.0))
        .http2_max_pending_accept_reset_streams(Some(RESETS))
        .layer(DoorLayer(Arc::clone(&shared)))
        .add_routes(routes)
        .serve_with_incoming_shutdown(
            ReceiverStream::new(connections::take_in(listener, tls, shared)),
            end,
        )
        .await
        .map_err(|error| ServerError::Serving(error.to_string()))
}

/// Every service, each with the limits of its messages.
fn routes(
    shared: &Arc<Shared>,
    health: HealthServer<impl Health>,
) -> Result<Routes, tonic_reflection::server::Error> {
    let config = &shared.config;
    // The door has unpacked and bounded each message before it comes here.
    let largest = config.max_request_size.max(config.max_bulk_message_size);
    macro_rules! bounded {
        ($service:ident, $implementation:expr) => {{
            let service = $service::new($implementation)
                .max_decoding_message_size(largest.bytes())
                .max_encoding_message_size(
                    config
                        .max_response_size
                        .bytes()
                        .saturating_add(MESSAGE_ROOM),
                )
                .accept_compressed(Zstd)
                .accept_compressed(Gzip);
            if config.compress_responses {
                service.send_compressed(Zstd).send_compressed(Gzip)
            } else {
                service
            }
        }};
    }
    let mut routes = Routes::builder();
    routes
        .add_service(health)
        .add_service(bounded!(QueryServiceServer, Query::new(Arc::clone(shared))))
        .add_service(bounded!(
            TransactionServiceServer,
            TransactionControl(Arc::clone(shared))
        ))
        .add_service(bounded!(
            DatabaseServiceServer,
            DatabaseManagement(Arc::clone(shared))
        ))
        .add_service(bounded!(BulkServiceServer, Bulk(Arc::clone(shared))))
        .add_service(bounded!(RagServiceServer, Rag(Arc::clone(shared))))
        .add_service(bounded!(SchemaServiceServer, Schema(Arc::clone(shared))))
        .add_service(bounded!(SearchServiceServer, Search(Arc::clone(shared))))
        .add_service(bounded!(AdminServiceServer, Admin(Arc::clone(shared))));
    if config.reflection {
        // Both versions: grpcurl and Python's library still ask for the older one.
        let described = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(stratigraph_proto::FILE_DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        routes.add_service(described().build_v1()?);
        routes.add_service(described().build_v1alpha()?);
    }
    Ok(routes.routes())
}

/// A message of rows may be over the limit by what stands around the last row.
const MESSAGE_ROOM: usize = 1 << 20;
/// How many calls of a connection may be taken back before they were begun.
const RESETS: usize = 64;
/// How long before the limit of the end work is cancelled, so that databases can be closed within it.
const CLOSING_TIME: Duration = Duration::from_secs(3);
/// How long threads that do not hear are waited for when everything else has ended.
pub(crate) const LAST_WAIT: Duration = Duration::from_millis(500);
/// How long databases may be closed, however short the limit is.
const LEAST_CLOSING_TIME: Duration = Duration::from_millis(200);
/// How often something is looked at that says nothing by itself.
const GLANCE: Duration = Duration::from_millis(10);
/// The service whose health is told beside that of the whole server.
const QUERY_SERVICE: &str = "stratigraph.v1.QueryService";
