//! Statements.

use super::{Act, Answer, End, State};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use stratigraph_proto::v1;
use stratigraph_proto::v1::query_response::Part;
use stratigraph_proto::v1::query_service_server::QueryService;
use stratigraph_proto::v1::statement::Source;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Code, Request, Response, Status};

pub(crate) struct Query(pub(crate) Arc<State>);

pub(crate) type Parts<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// What a statement says of itself.
pub(crate) fn told(statement: Option<&v1::Statement>) -> String {
    match statement.and_then(|statement| statement.source.as_ref()) {
        Some(Source::Text(text)) => text.clone(),
        Some(Source::PreparedId(id)) => format!("prepared {id}"),
        Some(Source::Name(name)) => format!("named {name}"),
        None => String::new(),
    }
}

/// Plays an act as the parts of an answer.
pub(crate) async fn play(state: &Arc<State>, mut act: Act) -> Result<Parts<Part>, Status> {
    while let Act::Late(wait, then) = act {
        tokio::time::sleep(wait).await;
        act = *then;
    }
    let (columns, batches, end) = match act {
        Act::Fail(status) => return Err(status),
        Act::Cut | Act::WorkAndCut => {
            state.cut();
            return Err(Status::unknown("cut"));
        }
        Act::Hang => std::future::pending().await,
        Act::Usual => (vec![], vec![], super::summary(0)),
        Act::Rows(columns, batches, end) => (columns, batches, end),
        Act::Endless => return Ok(endless(state)),
        Act::Late(..) => unreachable!(),
    };
    let (parts, stream) = mpsc::channel(1);
    let state = Arc::clone(state);
    tokio::spawn(async move {
        let header = Part::Header(v1::QueryHeader {
            columns: columns.into_iter().map(Into::into).collect(),
        });
        let mut all = vec![Ok(header)];
        for batch in batches {
            let rows = batch.into_iter().map(|row| v1::Row {
                values: row.into_iter().map(Into::into).collect(),
            });
            all.push(Ok(Part::Rows(v1::RowBatch {
                rows: rows.collect(),
                ..v1::RowBatch::default()
            })));
        }
        match &end {
            End::Summary(summary) => all.push(Ok(Part::Summary((**summary).clone()))),
            End::Fail(status) => all.push(Err(status.clone())),
            End::Nothing | End::Cut | End::Hang => {}
        }
        for part in all {
            if parts.send(part).await.is_err() {
                state.given_up.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        match end {
            End::Cut => {
                // What was sent should be there before.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                state.cut();
            }
            End::Hang => {
                parts.closed().await;
                state.given_up.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    });
    Ok(Box::pin(ReceiverStream::new(stream)))
}

fn endless(state: &Arc<State>) -> Parts<Part> {
    let (parts, stream) = mpsc::channel(1);
    let state = Arc::clone(state);
    tokio::spawn(async move {
        let header = Part::Header(v1::QueryHeader {
            columns: vec!["text".to_owned()],
        });
        let _ = parts.send(Ok(header)).await;
        let row = v1::Row {
            values: vec![v1::value::Kind::StringValue("x".repeat(1000)).into()],
        };
        let batch = v1::RowBatch {
            rows: vec![row; 50],
            ..v1::RowBatch::default()
        };
        while parts.send(Ok(Part::Rows(batch.clone()))).await.is_ok() {
            state.batches.fetch_add(1, Ordering::Relaxed);
        }
        state.given_up.fetch_add(1, Ordering::Relaxed);
    });
    Box::pin(ReceiverStream::new(stream))
}

#[tonic::async_trait]
impl QueryService for Query {
    type QueryStream = Parts<v1::QueryResponse>;

    async fn query(&self, request: Request<v1::QueryRequest>) -> Answer<Self::QueryStream> {
        let what = told(request.get_ref().statement.as_ref());
        let act = self.0.next("Query", &request, &what);
        if let Some(seen) = self.0.seen.lock().unwrap().last_mut() {
            seen.query = Some(request.get_ref().clone());
        }
        if let Some(id) = what.strip_prefix("prepared ")
            && !self
                .0
                .prepared
                .lock()
                .unwrap()
                .iter()
                .any(|known| known == id)
        {
            return Err(unknown("prepared statement", id));
        }
        let parts = play(&self.0, act).await?;
        let parts = parts.map(|part| part.map(|part| v1::QueryResponse { part: Some(part) }));
        Ok(Response::new(Box::pin(parts)))
    }

    async fn prepare_statement(
        &self,
        request: Request<v1::PrepareStatementRequest>,
    ) -> Answer<v1::PrepareStatementResponse> {
        let text = request.get_ref().text.clone();
        let act = self.0.next("PrepareStatement", &request, &text);
        let work = || {
            let mut prepared = self.0.prepared.lock().unwrap();
            let prepared_id = format!(
                "id-{}",
                100 + self.0.transactions.fetch_add(1, Ordering::Relaxed)
            );
            prepared.push(prepared_id.clone());
            Ok(v1::PrepareStatementResponse {
                prepared_id,
                parameters: vec!["x".to_owned()],
                columns: vec!["n".to_owned()],
                writes: text.contains("CREATE"),
            })
        };
        self.0.one(act, work).await
    }

    async fn forget_statement(
        &self,
        request: Request<v1::ForgetStatementRequest>,
    ) -> Answer<v1::ForgetStatementResponse> {
        let id = request.get_ref().prepared_id.clone();
        let act = self.0.next("ForgetStatement", &request, &id);
        let work = || {
            let mut prepared = self.0.prepared.lock().unwrap();
            let before = prepared.len();
            prepared.retain(|known| *known != id);
            let known = prepared.len() < before;
            Ok(v1::ForgetStatementResponse { known })
        };
        self.0.one(act, work).await
    }

    async fn save_named_query(
        &self,
        request: Request<v1::SaveNamedQueryRequest>,
    ) -> Answer<v1::SaveNamedQueryResponse> {
        let query = request.get_ref().query.clone();
        let act = self.0.next("SaveNamedQuery", &request, "");
        self.0
            .one(act, || Ok(v1::SaveNamedQueryResponse { query }))
            .await
    }

    async fn list_named_queries(
        &self,
        request: Request<v1::ListNamedQueriesRequest>,
    ) -> Answer<v1::ListNamedQueriesResponse> {
        let act = self.0.next("ListNamedQueries", &request, "");
        let queries = vec![v1::NamedQuery {
            name: "all".to_owned(),
            text: "MATCH (n) RETURN n".to_owned(),
            ..v1::NamedQuery::default()
        }];
        self.0
            .one(act, || Ok(v1::ListNamedQueriesResponse { queries }))
            .await
    }

    async fn drop_named_query(
        &self,
        request: Request<v1::DropNamedQueryRequest>,
    ) -> Answer<v1::DropNamedQueryResponse> {
        let act = self.0.next("DropNamedQuery", &request, "");
        self.0
            .one(act, || Ok(v1::DropNamedQueryResponse { known: true }))
            .await
    }
}

/// As the server says that something is not there.
pub(crate) fn unknown(what: &str, name: &str) -> Status {
    let plain = super::refusal(Code::NotFound, "NotFound", &[], None);
    Status::with_details_and_metadata(
        Code::NotFound,
        format!("there is no {what} {name}: make another"),
        plain.details().to_vec().into(),
        plain.metadata().clone(),
    )
}
