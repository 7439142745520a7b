//! What is asked: the database, the two statements, and the messages that ours answers with, for the bare server.

use anyhow::{Context, Result, ensure};
use prost::Message as _;
use std::path::Path;
use stratigraph::{Database, Parameters};
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use stratigraph_proto::v1::statement::Source;
use stratigraph_proto::v1::value::Kind;
use stratigraph_proto::v1::{PrepareStatementRequest, QueryRequest, QueryResponse, Statement};
use tonic::transport::Channel;

/// One node by its id.
pub(super) const POINT: &str = "MATCH (n:Person {id: $id}) RETURN n.name";
/// Rows that cost the engine next to nothing, so that what is measured is how they get out.
pub(super) const STREAM: &str = "UNWIND range(1, $rows) AS id RETURN id, $name, $about";
/// All nodes, as large as those rows: with what it costs the engine to read them.
pub(super) const SCAN: &str = "MATCH (n:Person) RETURN n.id, n.name, n.about";

const NAME: &str = "person number 104711";

/// What is said about everybody.
fn about() -> String {
    "nothing that matters here, ".repeat(5)[..120].to_owned()
}

/// Makes the database.
pub(super) fn fill(dir: &Path, people: usize) -> Result<()> {
    let db = Database::create(dir)?;
    db.query("CREATE INDEX person_id FOR (n:Person) ON (n.id)", ())?;
    const AT_ONCE: usize = 10_000;
    for begin in (0..people).step_by(AT_ONCE) {
        let parameters = Parameters::new()
            .with("begin", begin as i64)
            .with("end", (begin + AT_ONCE).min(people) as i64 - 1)
            .with(
                "about",
                "nothing that matters here, ".repeat(5)[..120].to_owned(),
            );
        db.query(
            "UNWIND range($begin, $end) AS i
             CREATE (:Person {id: i, name: 'person number ' + toString(100000 + i), about: $about})",
            parameters,
        )?;
    }
    db.close()?;
    Ok(())
}

/// A client of its own, with a connection of its own.
pub(super) async fn client(address: &str) -> Result<QueryServiceClient<Channel>> {
    let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{address}"))?;
    Ok(QueryServiceClient::new(endpoint.connect().await?))
}

/// Prepares the statement about one node. The bare server answers too, and forgets it.
pub(super) async fn prepare(client: &mut QueryServiceClient<Channel>) -> Result<String> {
    let request = PrepareStatementRequest {
        text: POINT.to_owned(),
        ..PrepareStatementRequest::default()
    };
    Ok(client
        .prepare_statement(request)
        .await?
        .into_inner()
        .prepared_id)
}

/// Asks for one node.
pub(super) fn point(prepared: &str, id: usize) -> QueryRequest {
    let id = i64::try_from(id).unwrap_or(i64::MAX);
    QueryRequest {
        statement: Some(Statement {
            source: Some(Source::PreparedId(prepared.to_owned())),
        }),
        parameters: [("id".to_owned(), Kind::IntValue(id).into())].into(),
        ..QueryRequest::default()
    }
}

/// Asks for so many rows.
pub(super) fn stream(rows: usize) -> QueryRequest {
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let text = |text: &str| Kind::StringValue(text.to_owned()).into();
    QueryRequest {
        parameters: [
            ("rows".to_owned(), Kind::IntValue(rows).into()),
            ("name".to_owned(), text(NAME)),
            ("about".to_owned(), text(&about())),
        ]
        .into(),
        ..statement(STREAM)
    }
}

/// Asks for all nodes.
pub(super) fn scan() -> QueryRequest {
    statement(SCAN)
}

fn statement(text: &str) -> QueryRequest {
    QueryRequest {
        statement: Some(Statement {
            source: Some(Source::Text(text.to_owned())),
        }),
        ..QueryRequest::default()
    }
}

/// What the bare server gives.
pub(super) struct Recorded {
    pub(super) point: Vec<QueryResponse>,
    pub(super) stream: Vec<QueryResponse>,
    pub(super) scan: Vec<QueryResponse>,
}

/// Keeps what ours answers, so that the bare server can give the same.
pub(super) async fn record(address: &str, rows: usize, file: &Path) -> Result<()> {
    let mut client = client(address).await?;
    let prepared = prepare(&mut client).await?;
    let mut bytes = Vec::new();
    for request in [point(&prepared, 4711), stream(rows), scan()] {
        let mut parts = client.query(request).await?.into_inner();
        let mut messages = Vec::new();
        while let Some(part) = parts.message().await? {
            messages.push(part);
        }
        ensure!(
            messages.len() >= 3,
            "an answer has a header, rows and a summary"
        );
        bytes.extend(u32::try_from(messages.len())?.to_le_bytes());
        for message in messages {
            message.encode_length_delimited(&mut bytes)?;
        }
    }
    std::fs::write(file, bytes)?;
    Ok(())
}

impl Recorded {
    /// What was kept.
    pub(super) fn read(file: &Path) -> Result<Self> {
        let bytes = std::fs::read(file)?;
        let mut rest = bytes.as_slice();
        let mut next = || -> Result<Vec<QueryResponse>> {
            let (count, after) = rest.split_first_chunk().context("cut short")?;
            rest = after;
            let count = u32::from_le_bytes(*count);
            let read = (0..count).map(|_| QueryResponse::decode_length_delimited(&mut rest));
            Ok(read.collect::<Result<_, _>>()?)
        };
        Ok(Self {
            point: next()?,
            stream: next()?,
            scan: next()?,
        })
    }
}
