//! The call of a bulk write, in a task of its own.

use super::{BulkProgress, BulkVerdict, OnProgress};
use crate::Error;
use crate::call::{Call, stub};
use crate::error::Safety;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stratigraph_proto::v1;
use stratigraph_proto::v1::bulk_write_response::Part as Told;
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

/// Carries the call to its end.
pub(super) async fn carry(
    mut call: Call,
    waiting: mpsc::Receiver<v1::BulkWriteRequest>,
    is_finishing: Arc<AtomicBool>,
    mut on_progress: Option<OnProgress>,
) -> Result<BulkVerdict, Error> {
    let attempt = call.attempt();
    let mut stub = stub!(attempt, bulk_service_client::BulkServiceClient);
    let worked = call
        .in_time(async {
            let answer = stub.bulk_write(attempt.stream(ReceiverStream::new(waiting)));
            let mut told = answer.await?.into_inner();
            while let Some(part) = told.next().await {
                match part?.part {
                    Some(Told::Progress(progress)) => {
                        if let Some(on_progress) = &mut on_progress {
                            on_progress(BulkProgress {
                                step: progress.step,
                                nodes: progress.nodes,
                                relationships: progress.relationships,
                                vectors: progress.vectors,
                            });
                        }
                    }
                    Some(Told::Verdict(verdict)) => return Ok(Some(verdict)),
                    None => {}
                }
            }
            Ok(None)
        })
        .await;
    // Before the last part was on its way nothing can have been committed.
    if is_finishing.load(Ordering::Acquire) {
        call.safety = Safety::MayWrite;
    }
    match worked {
        Some(Ok(Some(verdict))) => Ok(BulkVerdict {
            sequence: verdict.sequence,
            nodes: verdict.nodes,
            relationships: verdict.relationships,
            vectors: verdict.vectors,
        }),
        Some(Ok(None)) => {
            let problem = "the server ended the call without a verdict".to_owned();
            Err(match call.safety {
                Safety::MayWrite => Error::OutcomeUnknown {
                    request_id: call.request_id.clone(),
                    problem,
                },
                Safety::Reads => Error::protocol(problem),
            })
        }
        Some(Err(status)) => Err(call.failure(&status).error),
        None => Err(call.too_late()),
    }
}
