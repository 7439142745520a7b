//! `RagService`: documents and tables in and out, what is stale, and summaries.
//!
//! All of it is the library's work ([`stratigraph_rag::door`]); what is here is who may, how much, for how long, and
//! how it is told. No turn to write is held: models are asked for minutes, and the engine's queue of writers is only
//! entered for a commit.
//!
//! | what | where |
//! |---|---|
//! | a stream of documents | `upsert.rs` |
//! | a stream of tables | `tables.rs` |
//! | how such streams are opened | `stream.rs` |
//! | summaries | `resummarise.rs` |
//! | questions and receipts | `retrieve.rs` |
//! | answers, as they are written | `ask.rs` |
//! | thresholds | `calibrate.rs` |
//! | declared queries | `routes.rs` |
//! | into messages of the protocol | `words.rs` |

mod ask;
mod calibrate;
mod long;
mod resummarise;
mod retrieve;
mod routes;
mod stream;
mod tables;
mod upsert;
mod words;

use super::Answer;
use super::telling::ToldStream;
use crate::caller::Caller;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::work::Reading;
use retrieve::Asked;
use std::sync::Arc;
use std::time::Instant;
use stratigraph::ErrorKind;
use stratigraph_proto::v1;
use stratigraph_proto::v1::rag_service_server::RagService;
use stratigraph_rag::build::{BuildError, Change, TablesError};
use stratigraph_rag::calibrate::CalibrateError;
use stratigraph_rag::door::DoorError;
use stratigraph_rag::extract::ExtractError;
use stratigraph_rag::routes::RouteError;
use tonic::{Request, Response, Streaming};
use words::{change, subject};

/// `RagService`.
pub(crate) struct Rag(pub(crate) Arc<Shared>);

/// The most documents that one request takes out.
const MOST_DELETED: usize = 1000;
/// The most stale summaries of one answer.
const MOST_STALE: usize = 10_000;
/// How often something is tried that other writers come before.
const ATTEMPTS: usize = 8;

#[tonic::async_trait]
impl RagService for Rag {
    type UpsertDocumentsStream = ToldStream<v1::UpsertDocumentsResponse>;
    type ResummariseStream = ToldStream<v1::ResummariseResponse>;
    type AskStream = ToldStream<v1::AskResponse>;
    type CalibrateStream = ToldStream<v1::CalibrateResponse>;

    async fn upsert_documents(
        &self,
        request: Request<Streaming<v1::UpsertDocumentsRequest>>,
    ) -> Answer<Self::UpsertDocumentsStream> {
        Ok(Response::new(upsert::upsert(&self.0, request).await?))
    }

    async fn upsert_tables(
        &self,
        request: Request<Streaming<v1::UpsertTablesRequest>>,
    ) -> Answer<v1::UpsertTablesResponse> {
        Ok(Response::new(tables::upsert(&self.0, request).await?))
    }

    async fn delete_documents(
        &self,
        request: Request<v1::DeleteDocumentsRequest>,
    ) -> Answer<v1::DeleteDocumentsResponse> {
        let (_, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        if request.ids.len() > MOST_DELETED {
            return Err(Failure::Limit {
                what: "the number of documents that are taken out",
                limit: MOST_DELETED.to_string(),
                hint: "take them out in several requests",
            }
            .into());
        }
        let deleted = self.0.side.run(move || {
            let mut all = Change::default();
            for id in &request.ids {
                let change = again(|| database.library.delete(id).map_err(refused))?;
                all.written += change.written;
                all.deleted += change.deleted;
                all.unchanged += change.unchanged;
                all.vectors += change.vectors;
                all.stale.extend(change.stale);
            }
            Ok(all)
        });
        let change = Some(change(&deleted.await?));
        Ok(Response::new(v1::DeleteDocumentsResponse { change }))
    }

    async fn list_stale(
        &self,
        request: Request<v1::ListStaleRequest>,
    ) -> Answer<v1::ListStaleResponse> {
        let (_, _, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let stale = self
            .0
            .side
            .run(move || database.library.stale().map_err(refused));
        let stale = stale.await?;
        let count = stale.len() as u64;
        let first = stale.into_iter().take(MOST_STALE);
        Ok(Response::new(v1::ListStaleResponse {
            stale: first.map(|node| subject(&node)).collect(),
            count,
        }))
    }

    async fn resummarise(
        &self,
        request: Request<v1::ResummariseRequest>,
    ) -> Answer<Self::ResummariseStream> {
        Ok(Response::new(resummarise::resummarise(&self.0, request)?))
    }

    async fn retrieve(
        &self,
        request: Request<v1::RetrieveRequest>,
    ) -> Answer<v1::RetrieveResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let asked = Asked::read(request)?;
        let reading = Reading::new(&self.0, (caller, database), "retrieve", asked.shown())?;
        let retrieved = reading.run(move |reading| asked.run(reading)).await?;
        Ok(Response::new(retrieved))
    }

    async fn ask(&self, request: Request<v1::AskRequest>) -> Answer<Self::AskStream> {
        Ok(Response::new(ask::ask(&self.0, request)?))
    }

    async fn calibrate(
        &self,
        request: Request<v1::CalibrateRequest>,
    ) -> Answer<Self::CalibrateStream> {
        Ok(Response::new(calibrate::calibrate(&self.0, request)?))
    }

    async fn verify_receipts(
        &self,
        request: Request<v1::VerifyReceiptsRequest>,
    ) -> Answer<v1::VerifyReceiptsResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let shown = format!("a look at {} receipts", request.receipts.len());
        let reading = Reading::new(&self.0, (caller, database), "verify", shown)?;
        let standing = reading.run(move |reading| retrieve::verify(request.receipts, reading));
        Ok(Response::new(standing.await?))
    }

    async fn list_declared_queries(
        &self,
        request: Request<v1::ListDeclaredQueriesRequest>,
    ) -> Answer<v1::ListDeclaredQueriesResponse> {
        let (_, _, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let listed = self.0.side.run(move || routes::list(&database.library));
        Ok(Response::new(listed.await?))
    }

    async fn declare_queries(
        &self,
        request: Request<v1::DeclareQueriesRequest>,
    ) -> Answer<v1::DeclareQueriesResponse> {
        let (_, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let declared = self.0.side.run(move || {
            let all = routes::read(&request.definitions)?;
            again(|| routes::declare(&database.library, &all))
        });
        Ok(Response::new(declared.await?))
    }

    async fn drop_declared_query(
        &self,
        request: Request<v1::DropDeclaredQueryRequest>,
    ) -> Answer<v1::DropDeclaredQueryResponse> {
        let (_, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let dropped = self.0.side.run(move || {
            again(|| {
                let open = database.library.open().map_err(refused)?;
                open.undeclare(&request.name).map_err(refused)
            })
        });
        let dropped = dropped.await?;
        Ok(Response::new(v1::DropDeclaredQueryResponse { dropped }))
    }

    async fn call_declared_query(
        &self,
        request: Request<v1::CallDeclaredQueryRequest>,
    ) -> Answer<v1::CallDeclaredQueryResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let call = routes::Call::read(request)?;
        let reading = Reading::new(&self.0, (caller, database), "call", call.shown())?;
        let called = reading.run(move |reading| call.run(reading)).await?;
        Ok(Response::new(called))
    }
}

/// Does what other writers came before once more: models are not asked twice, as their replies are kept.
fn again<T>(mut work: impl FnMut() -> Result<T, Failure>) -> Result<T, Failure> {
    for _ in 1..ATTEMPTS {
        match work() {
            Err(Failure::Engine(error)) if error.kind() == ErrorKind::Retry => {}
            done => return done,
        }
    }
    work()
}

/// What was cancelled because the server's time is over, or its own, says so.
fn why(shared: &Shared, ends: Instant, failure: Failure) -> Failure {
    match failure {
        Failure::Cancelled | Failure::Engine(stratigraph::Error::Cancelled) => {}
        failure => return failure,
    }
    if shared.is_ending() {
        return Failure::ShuttingDown;
    }
    match Instant::now() >= ends {
        true => Failure::Deadline,
        false => Failure::Cancelled,
    }
}

/// Why nothing went through the door.
fn refused(error: DoorError) -> Failure {
    match error {
        DoorError::Build(BuildError::Database(error))
        | DoorError::Tables(TablesError::Build(BuildError::Database(error))) => {
            Failure::Engine(error)
        }
        DoorError::Extract(ExtractError::Cancelled) => Failure::Cancelled,
        DoorError::NoLayers => state("NoLayers", &error),
        DoorError::NoRecipe => state("NoRecipe", &error),
        DoorError::NoModel => state("NoModel", &error),
        DoorError::Calibrate(CalibrateError::Setting { setting, problem }) => {
            Failure::request(setting, problem)
        }
        DoorError::Calibrate(error) => state("NotCalibrated", &error),
        DoorError::NoEmbedder { .. } | DoorError::Build(BuildError::OtherEmbedder { .. }) => {
            state("OtherEmbedder", &error)
        }
        DoorError::Build(BuildError::OtherProfile { .. }) => state("OtherLayers", &error),
        DoorError::Request { what, problem } => Failure::request(what, problem),
        DoorError::Route(RouteError::Argument { place, problem, .. }) => {
            Failure::request(format!("arguments, {place}"), problem)
        }
        DoorError::Route(error @ (RouteError::Declaration { .. } | RouteError::Writes { .. })) => {
            Failure::request("definitions", error.to_string())
        }
        DoorError::Route(error @ RouteError::Unknown { .. }) => state("NotDeclared", &error),
        DoorError::Route(error) => state("NotCalled", &error),
        error => state("NotTakenIn", &error),
    }
}

fn state(code: &'static str, error: &(dyn std::error::Error + 'static)) -> Failure {
    let problem = stratigraph_rag::door::causes(error);
    Failure::State { code, problem }
}
