//! `/metrics`, `/healthz` and `/readyz` over plain HTTP, on an address of their own: nothing of the data is there.

use crate::shared::Shared;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::routing::get;
use std::sync::Arc;

/// The routes.
pub(crate) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(shared)
}

async fn metrics(
    State(shared): State<Arc<Shared>>,
) -> ([(header::HeaderName, &'static str); 1], String) {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], shared.metrics.text(&shared))
}

/// Whether calls are answered: not while the server ends, and not when a database cannot be written any more.
async fn ready(State(shared): State<Arc<Shared>>) -> (StatusCode, String) {
    // Before calls are refused, somebody may have stopped sending them.
    if shared.is_ending() {
        return (StatusCode::SERVICE_UNAVAILABLE, "ending\n".to_owned());
    }
    let all = shared.databases.all();
    let failed = all
        .iter()
        .find(|database| database.engine.info().failure.is_some());
    match failed {
        Some(database) => {
            let told = format!("database {} cannot be written\n", database.name);
            (StatusCode::SERVICE_UNAVAILABLE, told)
        }
        None => (StatusCode::OK, "ready\n".to_owned()),
    }
}
