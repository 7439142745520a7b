//! What must not be told is told nowhere: tokens and parameters, in logs at the finest level, statuses, metrics, lists.

use super::harness::{Fixture, ask, run, token, tokens_file, with_token};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::{self, value::Kind};
use stratigraph_server::auth::Role;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};

/// A log that is kept.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Kept {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

const PARAMETER: &str = "canary-parameter-7f3a";
const LITERAL: &str = "canary-literal-91bd";
const WRONG: &str = "canary-token-that-nobody-has";

#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_parameters_are_told_nowhere() {
    let mut secret = String::new();
    let log = Kept::default();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        secret = token(&file, "who-asks", &[("*", Role::Admin)], None);
        config.tokens = Some(file);
        // Whoever asks for more of a library by its parts does not get it.
        config.log_level = "trace,h2::codec=trace,hyper::proto=trace,[call]=trace".to_owned();
        config.slow_query_time = "0ms".parse().unwrap();
        config.metrics_listen = Some(([127, 0, 0, 1], 0).into());
        let kept = tracing_subscriber::fmt::layer().with_writer(log.clone());
        let kept = kept
            .json()
            .with_filter(stratigraph_server::log_filter(config));
        let subscriber = tracing_subscriber::registry().with(kept);
        tracing::subscriber::set_global_default(subscriber).unwrap();
    })
    .await;
    let mut client = fixture.queries().await;
    let mut told = String::new();
    for text in [
        "MATCH (n {x: $x}) RETURN n",
        "RETURN $x + missing",
        "CREATE (n:P {x: $x})",
        "RETURN toInteger($x) / 0",
        "MATCH (n {x: 'canary-literal-91bd'}) RETURN n // canary-literal-91bd",
        "CREATE (n:P {x: \"canary-literal-91bd\", y: $x}) RETURN n.y IS NULL",
    ] {
        let mut request = ask(text);
        request.parameters.insert(
            "x".to_owned(),
            Kind::StringValue(PARAMETER.to_owned()).into(),
        );
        for token in [secret.as_str(), WRONG] {
            let ended = run(&mut client, with_token(request.clone(), token)).await;
            told += &format!("{:?}", ended.err());
        }
    }
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let slow = admin
        .list_slow_queries(with_token(v1::ListSlowQueriesRequest::default(), &secret))
        .await;
    told += &format!("{slow:?}");
    let mut probe = tokio::net::TcpStream::connect(fixture.server.metrics_address().unwrap())
        .await
        .unwrap();
    probe
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    probe.read_to_string(&mut told).await.unwrap();
    fixture.server.shutdown().await.unwrap();
    let log = log.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let log = String::from_utf8(log).unwrap();
    assert!(
        log.contains("who-asks") && log.contains("slow query") && log.contains("DEBUG"),
        "the log is there"
    );
    for canary in [secret.as_str(), WRONG, PARAMETER, LITERAL] {
        assert!(
            !log.contains(canary),
            "in the log: {:?}",
            log.lines().find(|line| line.contains(canary))
        );
        assert!(!told.contains(canary), "told: {told}");
    }
}
