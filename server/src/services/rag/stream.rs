//! A client's stream of documents or tables, with the place, the limits and the end of an ingestion.

use crate::databases::{INGESTION, OpenDatabase};
use crate::failure::Failure;
use crate::services::feeding::{Begun, Opened, Parts};
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Request, Status, Streaming};

/// Opens one, if its caller may still have something under way: its start, its database, and the rest of it.
pub(super) async fn opened<M: Send + 'static, P: Send + 'static, S: 'static>(
    shared: &Shared,
    request: Request<Streaming<M>>,
    parts: &'static Parts<M, P, S>,
) -> Result<(S, Arc<OpenDatabase>, Opened<P>), Status> {
    let config = &shared.config;
    let begun = Begun::read(shared, request, parts, config.max_ingestion_idle.0).await?;
    let place = shared.ingestions.take(begun.caller.identity.name())?;
    let hold = begun.database.holds.hold(INGESTION);
    Ok(begun.open(shared, hold, place, config.max_ingestion_time.0))
}

/// What is said of a client that sends nothing.
pub(super) fn silent(limit: Duration) -> Failure {
    Failure::Unsent { limit }
}
