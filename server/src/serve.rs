//! A server as a process: its threads, its log, and the signals that end it.

use crate::config::{Config, LogFormat};
use crate::server::{Server, ServerError};
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// Threads that may block, beside those of statements and bulk writes.
const SPARE_THREADS: usize = 64;
/// How long threads that do not hear are waited for at the end.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// Serves a folder until the process is told to end (SIGTERM, SIGINT). `started` is told when clients may come.
///
/// # Errors
/// [`ServerError`].
pub fn serve(
    folder: &Path,
    config: Config,
    started: impl FnOnce(&Server),
) -> Result<(), ServerError> {
    // Those of transactions are their own.
    let threads = [
        config.max_queries,
        config.max_queries.div_ceil(4),
        config.max_bulk_writes,
    ];
    let threads = threads.iter().map(|many| *many as usize).sum::<usize>() + SPARE_THREADS;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(threads)
        .thread_name("stratigraph")
        .build()
        .map_err(|error| ServerError::Serving(error.to_string()))?;
    let served = runtime.block_on(async {
        let failed = |error: io::Error| ServerError::Serving(error.to_string());
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        // On the runtime's own threads: opening databases blocks.
        let (folder, config) = (folder.to_path_buf(), config);
        let server = tokio::spawn(async move { Server::start(&folder, config).await });
        let server = server
            .await
            .map_err(|error| ServerError::Serving(error.to_string()))??;
        started(&server);
        let told = either(&mut terminate, &mut interrupt);
        told.await;
        let ended = tokio::spawn(server.shutdown());
        ended
            .await
            .map_err(|error| ServerError::Serving(error.to_string()))?
    });
    runtime.shutdown_timeout(LAST_WAIT);
    served
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

/// What is logged. The libraries below show what metadata holds at their finer levels, tokens among it: they stay at
/// `info`, whatever is asked for.
#[must_use]
pub fn log_filter(config: &Config) -> EnvFilter {
    let mut filter =
        EnvFilter::try_new(&config.log_level).unwrap_or_else(|_| EnvFilter::new("info"));
    for quiet in [
        "h2=info",
        "hyper=info",
        "hyper_util=info",
        "rustls=info",
        "tonic=info",
        "tower=info",
    ] {
        if let Ok(directive) = quiet.parse() {
            filter = filter.add_directive(directive);
        }
    }
    filter
}

/// Sends the log to stderr, as the settings say.
pub fn start_log(config: &Config) {
    let log = tracing_subscriber::fmt()
        .with_env_filter(log_filter(config))
        .with_writer(io::stderr)
        .log_internal_errors(false);
    let started = match config.log_format {
        LogFormat::Text => log.with_ansi(false).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    if started.is_err() {
        tracing::debug!("a log is there already");
    }
}
