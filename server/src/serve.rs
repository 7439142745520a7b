//! A server as a process: its threads, its log, and the signals that end it.

use crate::config::{Config, LogFormat};
use crate::notify::{READY, STOPPING, notify};
use crate::server::{LAST_WAIT, Server, ServerError};
use std::io;
use std::path::Path;
use stratigraph_rag::read::PdfParsing;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{Level, Subscriber};
use tracing_subscriber::filter::{EnvFilter, FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Filter, Layer as _, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Threads that may block, beside those of statements and bulk writes.
const SPARE_THREADS: usize = 64;

/// Serves a folder until the process is told to end (SIGTERM, SIGINT). `started` is told when clients may come.
///
/// # Errors
/// [`ServerError`].
pub fn serve(
    folder: &Path,
    config: Config,
    started: impl FnOnce(&Server),
) -> Result<(), ServerError> {
    serve_with(folder, config, None, started)
}

/// The same, with somebody who parses the PDF that clients send.
///
/// # Errors
/// [`ServerError`].
pub fn serve_with(
    folder: &Path,
    config: Config,
    pdf: Option<PdfParsing>,
    started: impl FnOnce(&Server),
) -> Result<(), ServerError> {
    // Those of transactions are their own.
    let threads = [
        config.max_queries,
        config.max_queries.div_ceil(4),
        config.max_bulk_writes,
        // Exports, as many again.
        config.max_bulk_writes,
        config.max_ingestions,
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
        let server = tokio::spawn(async move { Server::start_with(&folder, config, pdf).await });
        let server = server
            .await
            .map_err(|error| ServerError::Serving(error.to_string()))??;
        started(&server);
        notify(READY);
        let told = either(&mut terminate, &mut interrupt);
        told.await;
        notify(STOPPING);
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

/// What is logged. The libraries below show what metadata holds at their finer levels, tokens among it: whatever is asked
/// for, and however it is spelled, only what is ours says more than `info`.
#[must_use]
pub fn log_filter<S>(config: &Config) -> impl Filter<S> + Send + Sync + use<S>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let asked = EnvFilter::try_new(&config.log_level).unwrap_or_else(|_| EnvFilter::new("info"));
    asked.and(filter_fn(|metadata| {
        *metadata.level() <= Level::INFO || metadata.target().starts_with("stratigraph")
    }))
}

/// Sends the log to stderr, as the settings say.
pub fn start_log(config: &Config) {
    let log = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .log_internal_errors(false);
    let everything = tracing_subscriber::registry();
    let started = match config.log_format {
        LogFormat::Text => everything
            .with(log.with_ansi(false).with_filter(log_filter(config)))
            .try_init(),
        LogFormat::Json => everything
            .with(
                log.json()
                    .flatten_event(true)
                    .with_filter(log_filter(config)),
            )
            .try_init(),
    };
    if started.is_err() {
        tracing::debug!("a log is there already");
    }
}
