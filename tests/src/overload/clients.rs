//! Clients: statements, and how they end.

use anyhow::Result;
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use stratigraph_proto::v1::statement::Source;
use stratigraph_proto::v1::value::Kind;
use stratigraph_proto::v1::{QueryRequest, QueryResponse, Statement, query_response::Part};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;

pub(super) type Client = QueryServiceClient<Channel>;

/// A statement that takes about for ever, and no memory.
pub(super) const ENDLESS: &str = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a + b < 0 RETURN count(*) AS n";

/// A connection of its own.
pub(super) async fn channel(address: &str) -> Result<Channel> {
    Ok(Endpoint::from_shared(format!("http://{address}"))?
        .connect()
        .await?)
}

pub(super) async fn client(address: &str) -> Result<Client> {
    Ok(QueryServiceClient::new(channel(address).await?))
}

pub(super) fn statement(text: &str) -> Option<Statement> {
    Some(Statement {
        source: Some(Source::Text(text.to_owned())),
    })
}

/// A statement with the parameter `$n`.
pub(super) fn request(text: &str, n: i64) -> QueryRequest {
    QueryRequest {
        statement: statement(text),
        parameters: [("n".to_owned(), Kind::IntValue(n).into())].into(),
        ..QueryRequest::default()
    }
}

/// Reads an answer to its end; the last number in it, if there is one.
pub(super) async fn drain(mut parts: Streaming<QueryResponse>) -> Result<i64, Status> {
    let (mut number, mut ended) = (0, false);
    while let Some(message) = parts.message().await? {
        match message.part {
            Some(Part::Rows(batch)) => {
                let value = batch.rows.last().and_then(|row| row.values.first());
                if let Some(Kind::IntValue(value)) = value.and_then(|value| value.kind.clone()) {
                    number = value;
                }
            }
            Some(Part::Summary(_)) => ended = true,
            _ => {}
        }
    }
    if ended {
        Ok(number)
    } else {
        Err(Status::data_loss("an answer without an end"))
    }
}

/// Runs a statement to its end.
pub(super) async fn run(client: &mut Client, request: QueryRequest) -> Result<i64, Status> {
    let parts = client.query(request).await?.into_inner();
    drain(parts).await
}

/// How a call has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    Answered,
    /// Refused for now, with a word when to come again.
    Shed,
    /// Neither: what it said.
    Wrong(String),
}

impl Ending {
    pub(super) fn of<T>(ended: &Result<T, Status>) -> Self {
        match ended {
            Ok(_) => Self::Answered,
            Err(status) if is_shed(status) => Self::Shed,
            Err(status) => Self::Wrong(format!("{:?}: {}", status.code(), status.message())),
        }
    }
}

/// Whether a refusal is `RESOURCE_EXHAUSTED` and says when to come again.
fn is_shed(status: &Status) -> bool {
    let details = status.get_error_details();
    let when = details.retry_info().and_then(|info| info.retry_delay);
    status.code() == Code::ResourceExhausted && when.is_some()
}
