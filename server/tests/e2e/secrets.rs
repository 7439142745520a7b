//! What must not be told is told nowhere: tokens, parameters and keys of models, in logs at the finest level, statuses,
//! metrics, lists and backups.

use super::harness::{Fixture, ask, http, run, token, tokens_file, with_token};
use serde_json::json;
use std::fmt::Debug;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use stratigraph::Database;
use stratigraph::storage::cancel::Watch;
use stratigraph_models::{Asked, ScriptedServer, Step};
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::rag_service_client::RagServiceClient;
use stratigraph_proto::v1::upsert_documents_request::Part;
use stratigraph_proto::v1::{self, value::Kind};
use stratigraph_server::auth::Role;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tonic::Streaming;
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
/// Whoever asks for more of a library by its parts does not get it.
const FINEST: &str = "trace,h2::codec=trace,hyper::proto=trace,ureq=trace,[call]=trace";

#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_parameters_are_told_nowhere() {
    let mut secret = String::new();
    let log = Kept::default();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        secret = token(&file, "who-asks", &[("*", Role::Admin)], None);
        config.tokens = Some(file);
        config.log_level = FINEST.to_owned();
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

/// Keys of models, each in its variable.
const KEYS: [(&str, &str); 3] = [
    ("STRATIGRAPH_LLM_KEY", "canary-llm-5c1e"),
    ("STRATIGRAPH_EMBEDDER_KEY", "canary-embedder-a04d"),
    ("STRATIGRAPH_RERANKER_KEY", "canary-reranker-e83b"),
];
/// What has the words of a question, in the order of a model.
const JUDGED: &str = "name = 'judged'\n[[stage]]\nname = 'words'\nrun.bm25 = { k = 9 }\n[[stage]]\nname = 'best'\nrun.rerank = { take = 9 }\n";

/// Runs this test once more with keys in its environment, as no test may change its own, and looks through what
/// that one logs.
#[tokio::test(flavor = "multi_thread")]
async fn keys_of_models_are_told_nowhere() {
    const GIVEN: &str = "STRATIGRAPH_TEST_HAS_KEYS";
    if std::env::var_os(GIVEN).is_some() {
        return with_keys().await;
    }
    let this = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "secrets::keys_of_models_are_told_nowhere"])
        .env(GIVEN, "yes")
        .envs(KEYS)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&this.stdout);
    let log = String::from_utf8_lossy(&this.stderr);
    assert!(
        this.status.success() && said.contains("1 passed"),
        "{said}{log}"
    );
    assert!(
        log.contains("documents=2 failed=1") && log.contains("DEBUG"),
        "the log is there: {log}"
    );
    for (_, key) in KEYS {
        assert!(
            !log.contains(key),
            "in the log: {:?}",
            log.lines().find(|line| line.contains(key))
        );
    }
}

/// Takes documents in, retrieves and makes a backup, with models that want keys. One document is refused in words that
/// repeat the key.
async fn with_keys() {
    let models = || ScriptedServer::start(answer).unwrap();
    let (writer, embedder, judge) = (models(), models(), models());
    let fixture = Fixture::start(|config, _| {
        config.llm = Some(writer.url());
        config.model = Some("writer".to_owned());
        config.embedder = Some(embedder.url());
        config.embedder_model = Some("tiny".to_owned());
        config.reranker = Some(judge.url());
        config.reranker_model = Some("judge".to_owned());
        config.log_level = FINEST.to_owned();
        config.slow_query_time = "0ms".parse().unwrap();
        config.metrics_listen = Some(([127, 0, 0, 1], 0).into());
        stratigraph_server::start_log(config);
    })
    .await;
    let layers = v1::RagLayers {
        profile: "triples".to_owned(),
        ..v1::RagLayers::default()
    };
    let mut parts = vec![Part::Start(v1::UpsertStart {
        layers: Some(layers),
        ..v1::UpsertStart::default()
    })];
    parts.extend(["Basalt", "Granite"].map(|rock| {
        Part::Document(v1::RagDocument {
            id: format!("{rock}.md"),
            content: format!("# {rock}\n\n{rock} comes from Mount Etna.\n").into_bytes(),
            ..v1::RagDocument::default()
        })
    }));
    parts.push(Part::Finish(v1::UpsertFinish {}));
    let parts = parts.into_iter();
    let parts = parts.map(|part| v1::UpsertDocumentsRequest { part: Some(part) });
    let parts = parts.collect::<Vec<_>>();
    let mut rag = RagServiceClient::new(fixture.channel().await);
    let reports = rag.upsert_documents(tokio_stream::iter(parts)).await;
    let mut told = all(reports.unwrap().into_inner()).await;
    assert!(told.contains("you sent") && told.contains("***"), "{told}");
    let request = v1::RetrieveRequest {
        pipeline: JUDGED.to_owned(),
        question: "Where does Basalt come from?".to_owned(),
        ..v1::RetrieveRequest::default()
    };
    told += &format!("{:?}", rag.retrieve(request).await.unwrap());
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let request = v1::BackupDatabaseRequest::default();
    let backup = admin.backup_database(request).await.unwrap();
    told += &all(backup.into_inner()).await;
    told += &http(fixture.server.metrics_address().unwrap(), "/metrics").await;
    for ((_, key), model) in KEYS.into_iter().zip([&writer, &embedder, &judge]) {
        let (asked, heard) = (model.asked(), format!("Bearer {key}"));
        let mut heard_by = asked.iter().map(|one| one.authorization.as_deref());
        assert!(
            !asked.is_empty() && heard_by.all(|by| by == Some(heard.as_str())),
            "each model hears its own key: {asked:?}"
        );
    }
    fixture.server.shutdown().await.unwrap();
    // Files are packed, so what is in the backup is read as well.
    let folder = fixture.folder.path();
    let (backups, again) = (folder.join("backups/default"), folder.join("again"));
    stratigraph::restore(backups, None, &again, &mut Watch::quiet()).unwrap();
    let db = Database::open(&again).unwrap();
    let mut dump = Vec::new();
    db.dump_canonical(&mut dump, &mut Watch::quiet()).unwrap();
    db.close().unwrap();
    let dump = String::from_utf8(dump).unwrap();
    assert!(dump.contains("Mount Etna"), "the backup is there: {dump}");
    told += &dump;
    for (_, key) in KEYS {
        assert!(!told.contains(key), "told: {told}");
    }
    for file in files(folder) {
        let bytes = std::fs::read(&file).unwrap();
        let has = |key: &str| bytes.windows(key.len()).any(|part| part == key.as_bytes());
        let found = KEYS.into_iter().find(|(_, key)| has(key));
        assert_eq!(found, None, "in {}", file.display());
    }
}

/// What a model says, of whichever kind it is. One that writes wants nothing to do with granite.
fn answer(asked: &Asked) -> Step {
    match asked.path.as_str() {
        "/v1/embeddings" => {
            let texts = asked.body["input"].as_array().unwrap();
            Step::vectors(&vec![vec![1.0, 2.0]; texts.len()])
        }
        "/v1/rerank" => {
            let passages = asked.body["documents"].as_array().unwrap().len();
            let result = |index: usize| json!({"index": index, "relevance_score": 0.5});
            let results: Vec<_> = (0..passages).map(result).collect();
            Step::Json(json!({"results": results}))
        }
        _ if asked.question().contains("Granite") => Step::Refuse {
            status: 400,
            retry_after: None,
            message: format!("you sent {:?}", asked.authorization),
        },
        _ => Step::text("{\"triples\": []}"),
    }
}

/// All that a stream tells.
async fn all<M: Debug>(mut stream: Streaming<M>) -> String {
    let mut told = String::new();
    while let Some(message) = stream.message().await.unwrap() {
        told += &format!("{message:?}");
    }
    told
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files
}
