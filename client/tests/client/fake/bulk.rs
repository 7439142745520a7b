//! Bulk writes.

use super::query::Parts;
use super::{Act, Answer, End, State};
use std::sync::Arc;
use std::time::Duration;
use stratigraph_proto::v1;
use stratigraph_proto::v1::bulk_service_server::BulkService;
use stratigraph_proto::v1::bulk_write_request::Part;
use stratigraph_proto::v1::bulk_write_response::Part as Told;
use stratigraph_proto::v1::export_database_response::Part as Given;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

pub(crate) struct Bulk(pub(crate) Arc<State>);

/// What bulk writes brought.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taken {
    pub(crate) started: Option<v1::BulkStart>,
    pub(crate) nodes: Vec<v1::BulkNode>,
    pub(crate) relationships: Vec<v1::BulkRelationship>,
    pub(crate) vectors: Vec<v1::BulkVector>,
    pub(crate) messages: usize,
    pub(crate) is_finished: bool,
    /// The stream ended, or broke.
    pub(crate) is_over: bool,
}

#[tonic::async_trait]
impl BulkService for Bulk {
    type BulkWriteStream = Parts<v1::BulkWriteResponse>;
    type ExportDatabaseStream = Parts<v1::ExportDatabaseResponse>;

    async fn bulk_write(
        &self,
        request: Request<Streaming<v1::BulkWriteRequest>>,
    ) -> Answer<Self::BulkWriteStream> {
        let act = self.0.next("BulkWrite", &request, "");
        if let Act::Fail(status) = act {
            return Err(status);
        }
        let (parts, stream) = mpsc::channel(1);
        let (state, mut sent) = (Arc::clone(&self.0), request.into_inner());
        tokio::spawn(async move {
            let failed = take(&state, &mut sent, &act, &parts).await;
            state.taken.lock().unwrap().is_over = true;
            if let Err(status) = failed {
                let _ = parts.send(Err(status)).await;
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }

    /// One chunk that names what was asked for, and a report unless the script says otherwise.
    async fn export_database(
        &self,
        request: Request<v1::ExportDatabaseRequest>,
    ) -> Answer<Self::ExportDatabaseStream> {
        let act = self.0.next("ExportDatabase", &request, "");
        let asked = request.into_inner();
        let content = format!("{} {}", asked.database, asked.array_delimiter);
        let mut parts = vec![Given::Chunk(v1::ExportChunk {
            file: "nodes.csv".to_owned(),
            content: content.into_bytes(),
        })];
        match act {
            Act::Fail(status) => return Err(status),
            Act::Rows(_, _, End::Nothing) => {}
            _ => parts.push(Given::Report(v1::ExportReport {
                nodes: 7,
                ..v1::ExportReport::default()
            })),
        }
        let parts = parts
            .into_iter()
            .map(|part| Ok(v1::ExportDatabaseResponse { part: Some(part) }));
        let parts: Vec<_> = parts.collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(parts))))
    }
}

async fn take(
    state: &State,
    sent: &mut Streaming<v1::BulkWriteRequest>,
    act: &Act,
    parts: &mpsc::Sender<Result<v1::BulkWriteResponse, Status>>,
) -> Result<(), Status> {
    while let Some(part) = sent.message().await? {
        let told = {
            let mut taken = state.taken.lock().unwrap();
            taken.messages += 1;
            match part.part {
                Some(Part::Start(start)) => taken.started = Some(start),
                Some(Part::Nodes(nodes)) => taken.nodes.extend(nodes.nodes),
                Some(Part::Relationships(all)) => taken.relationships.extend(all.relationships),
                Some(Part::Vectors(vectors)) => taken.vectors.extend(vectors.vectors),
                Some(Part::Finish(_)) => taken.is_finished = true,
                None => {}
            }
            taken.clone()
        };
        match act {
            // A refusal in the middle.
            Act::Rows(_, _, super::End::Fail(status)) if !told.nodes.is_empty() => {
                return Err(status.clone());
            }
            Act::Hang => std::future::pending().await,
            Act::Late(wait, _) => tokio::time::sleep(*wait).await,
            Act::WorkAndCut if told.is_finished => {
                state.cut();
                return Ok(());
            }
            _ => {}
        }
        let (nodes, relationships, vectors) = (
            told.nodes.len() as u64,
            told.relationships.len() as u64,
            told.vectors.len() as u64,
        );
        let answer = if told.is_finished {
            Told::Verdict(v1::BulkVerdict {
                sequence: 9,
                nodes,
                relationships,
                vectors,
            })
        } else {
            Told::Progress(v1::BulkProgress {
                step: "taking in".to_owned(),
                nodes,
                relationships,
                vectors,
            })
        };
        let answer = v1::BulkWriteResponse { part: Some(answer) };
        let _ = parts.send(Ok(answer)).await;
        tokio::time::sleep(Duration::ZERO).await;
    }
    Ok(())
}
