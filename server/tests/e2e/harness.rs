//! A server in a folder of its own, and what it takes to talk to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use stratigraph_proto::v1::transaction_service_client::TransactionServiceClient;
use stratigraph_proto::v1::{self, query_response, statement::Source, value::Kind};
use stratigraph_server::auth::{Role, Secret, TokenRecord, add_token};
use stratigraph_server::{Config, Flags, Server};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};
use tonic_types::StatusExt as _;

/// A server that runs, and its folder.
pub(crate) struct Fixture {
    pub(crate) server: Server,
    pub(crate) folder: tempfile::TempDir,
}

/// The usual settings, on a free port, with databases under `data` in `folder`.
pub(crate) fn config(folder: &tempfile::TempDir) -> Config {
    let mut config = Flags::default().resolve().unwrap();
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.backup_dir = Some(folder.path().join("backups"));
    config.cache_size = "8MiB".parse().unwrap();
    config
}

impl Fixture {
    /// A server with settings that are changed by `change`.
    pub(crate) async fn start(change: impl FnOnce(&mut Config, &std::path::Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(&folder);
        change(&mut config, folder.path());
        let server = Server::start(&folder.path().join("data"), config)
            .await
            .unwrap();
        Self { server, folder }
    }

    pub(crate) async fn channel(&self) -> Channel {
        let address = format!("http://{}", self.server.address());
        Endpoint::from_shared(address)
            .unwrap()
            .connect()
            .await
            .unwrap()
    }

    pub(crate) async fn queries(&self) -> QueryServiceClient<Channel> {
        QueryServiceClient::new(self.channel().await)
    }

    pub(crate) async fn transactions(&self) -> TransactionServiceClient<Channel> {
        TransactionServiceClient::new(self.channel().await)
    }
}

/// A new token in a file of tokens.
pub(crate) fn token(
    file: &std::path::Path,
    name: &str,
    roles: &[(&str, Role)],
    expires: Option<u64>,
) -> String {
    let secret = Secret::new_token().unwrap();
    let record = TokenRecord {
        name: name.to_owned(),
        hash: secret.hash().to_string(),
        expires,
        roles: roles
            .iter()
            .map(|(name, role)| ((*name).to_owned(), *role))
            .collect(),
    };
    add_token(file, record).unwrap();
    secret.expose().to_owned()
}

/// The file of tokens of a fixture.
pub(crate) fn tokens_file(folder: &std::path::Path) -> PathBuf {
    folder.join("tokens.toml")
}

/// A request with a token.
pub(crate) fn with_token<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    let value = format!("Bearer {token}").parse().unwrap();
    request.metadata_mut().insert("authorization", value);
    request
}

/// A statement as a request.
pub(crate) fn ask(text: &str) -> v1::QueryRequest {
    v1::QueryRequest {
        statement: Some(text_of(text)),
        ..v1::QueryRequest::default()
    }
}

pub(crate) fn text_of(text: &str) -> v1::Statement {
    v1::Statement {
        source: Some(Source::Text(text.to_owned())),
    }
}

/// All of an answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<v1::Value>>,
    pub(crate) batches: usize,
    pub(crate) summary: v1::QuerySummary,
}

impl Answer {
    /// The one number that is the answer.
    pub(crate) fn number(&self) -> i64 {
        match self
            .rows
            .first()
            .and_then(|row| row.first())
            .and_then(|value| value.kind.clone())
        {
            Some(Kind::IntValue(number)) => number,
            other => panic!("no number: {other:?}"),
        }
    }
}

/// Reads an answer to its end.
pub(crate) async fn read(mut parts: Streaming<v1::QueryResponse>) -> Result<Answer, Status> {
    let mut answer = Answer::default();
    let mut ended = false;
    while let Some(part) = parts.message().await? {
        assert!(!ended, "nothing comes after the summary");
        match part.part.unwrap() {
            query_response::Part::Header(header) => answer.columns = header.columns,
            query_response::Part::Rows(batch) => {
                answer.batches += 1;
                answer
                    .rows
                    .extend(batch.rows.into_iter().map(|row| row.values));
            }
            query_response::Part::Summary(summary) => {
                answer.summary = summary;
                ended = true;
            }
        }
    }
    assert!(ended, "an answer ends with a summary or a status");
    Ok(answer)
}

/// Runs a statement.
pub(crate) async fn run(
    client: &mut QueryServiceClient<Channel>,
    request: impl tonic::IntoRequest<v1::QueryRequest>,
) -> Result<Answer, Status> {
    read(client.query(request).await?.into_inner()).await
}

/// How often something is in the default database.
pub(crate) async fn count(fixture: &Fixture, what: &str) -> i64 {
    let text = format!("MATCH {what} RETURN count(*) AS n");
    let mut queries = fixture.queries().await;
    run(&mut queries, ask(&text)).await.unwrap().number()
}

/// The stable code in a status.
pub(crate) fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    details
        .error_info()
        .map(|info| info.reason.clone())
        .unwrap_or_default()
}

/// The statements that run in the default database.
pub(crate) async fn running(admin: &mut AdminServiceClient<Channel>) -> Vec<v1::RunningQuery> {
    let all = admin.list_running_queries(v1::ListRunningQueriesRequest::default());
    all.await.unwrap().into_inner().queries
}

/// Waits until something is true, for a while.
pub(crate) async fn until(
    what: &str,
    limit: Duration,
    mut is: impl AsyncFnMut() -> bool,
) -> Duration {
    let began = Instant::now();
    while !is().await {
        assert!(began.elapsed() < limit, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    began.elapsed()
}

/// A statement that takes about for ever, and no memory.
pub(crate) const ENDLESS: &str = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a + b < 0 RETURN count(*) AS n";

/// What a server of HTTP answers.
pub(crate) async fn http(address: std::net::SocketAddr, path: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
