//! `RagService.UpsertTables`: all of it in one commit or nothing, limits, and who may.

use super::harness::{Fixture, count, http, reason, token, tokens_file, until, with_token};
use std::net::SocketAddr;
use std::time::Duration;
use stratigraph_proto::v1;
use stratigraph_proto::v1::rag_service_client::RagServiceClient;
use stratigraph_proto::v1::upsert_tables_request::Part;
use stratigraph_server::auth::Role;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status};

/// A generous limit of patience.
const PATIENCE: Duration = Duration::from_secs(30);

const MAPPING: &str = r#"
[[nodes]]
file = "issues.csv"
label = "Issue"
key = "number"
[nodes.embed]
vector = "description"
[[nodes.links]]
type = "QUALIFIED_BY"
column = "clause"
to = "Clause"
[[nodes]]
file = "law/clauses.jsonl"
label = "Clause"
key = "id"
"#;

const ISSUES: &str = "number,description,clause\n1,Paid twice,c1\n2,No tender,c2\n";
const CLAUSES: &str =
    "{\"id\": \"c1\", \"text\": \"Once\"}\n{\"id\": \"c2\", \"text\": \"Openly\"}\n";

fn start(mapping: &str) -> Part {
    Part::Start(v1::TablesStart {
        id: "audit.toml".to_owned(),
        mapping: mapping.to_owned(),
        ..v1::TablesStart::default()
    })
}

fn file(name: &str, content: impl Into<Vec<u8>>) -> Part {
    Part::File(v1::TableFile {
        name: name.to_owned(),
        content: content.into(),
    })
}

const FINISH: Part = Part::Finish(v1::TablesFinish {});

/// All of the audit.
fn audit(issues: &str) -> Vec<Part> {
    vec![
        start(MAPPING),
        file("issues.csv", issues),
        file("law/clauses.jsonl", CLAUSES),
        FINISH,
    ]
}

fn request(part: Part) -> v1::UpsertTablesRequest {
    v1::UpsertTablesRequest { part: Some(part) }
}

async fn upsert(channel: Channel, parts: Vec<Part>) -> Result<v1::UpsertTablesResponse, Status> {
    let parts: Vec<_> = parts.into_iter().map(request).collect();
    let mut client = RagServiceClient::new(channel);
    let answer = client.upsert_tables(tokio_stream::iter(parts)).await?;
    Ok(answer.into_inner())
}

/// What messages, and tables that are kept, take.
async fn taken(fixture: &Fixture) -> u64 {
    let told = http(fixture.server.metrics_address().unwrap(), "/metrics").await;
    let line =
        { told.lines() }.find_map(|line| line.strip_prefix("stratigraph_request_memory_bytes "));
    line.unwrap().trim().parse().unwrap()
}

/// Nothing has come in, and nothing is declared for it.
async fn assert_empty(fixture: &Fixture, after: &str) {
    assert_eq!(count(fixture, "(n)").await, 0, "{after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_what_their_rows_state_now() {
    let fixture = Fixture::start(|config, _| {
        config.metrics_listen = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    })
    .await;
    let channel = fixture.channel().await;
    // Only read, as often as one likes.
    let dry = Part::Start(v1::TablesStart {
        id: "audit.toml".to_owned(),
        mapping: MAPPING.to_owned(),
        dry_run: true,
        ..v1::TablesStart::default()
    });
    let mut parts = audit(ISSUES);
    parts[0] = dry;
    let told = upsert(channel.clone(), parts).await.unwrap();
    assert_eq!((told.nodes, told.relationships), (4, 2), "{told:?}");
    assert_eq!(told.change.unwrap(), v1::GraphChange::default());
    assert_empty(&fixture, "a dry run").await;
    let told = upsert(channel.clone(), audit(ISSUES)).await.unwrap();
    assert_eq!((told.nodes, told.relationships, told.untaken), (4, 2, 0));
    assert_eq!(told.embedder, "lexical-1");
    let note = "the database is of the profile structure from now on";
    assert!(told.note.starts_with(note), "{}", told.note);
    assert_eq!(told.change.unwrap().vectors, 2);
    assert_eq!(
        count(&fixture, "(:Issue)-[:QUALIFIED_BY]->(:Clause)").await,
        2
    );
    let again = upsert(channel.clone(), audit(ISSUES)).await.unwrap();
    assert_eq!(again.note, "");
    let change = again.change.unwrap();
    assert_eq!((change.written, change.vectors), (0, 0), "{change:?}");
    // One says something else, one is broken and so not there, and a file is missing: it has stated the clauses' texts.
    let parts = |start: Part| {
        vec![
            start,
            file("issues.csv", "number,description,clause\n1,Paid thri"),
            file("./issues.csv", "ce,c1\n2,No ten"),
            file("issues.csv", "der\n"),
            FINISH,
        ]
    };
    // Nothing of it, unless it is meant.
    let refused = upsert(channel.clone(), parts(start(MAPPING))).await;
    let refused = refused.unwrap_err();
    let said = refused.message();
    assert!(
        reason(&refused) == "NotTakenIn" && said.starts_with("law/clauses.jsonl: no row"),
        "{refused:?}"
    );
    assert_eq!(
        count(&fixture, "(c:Clause) WHERE c.text = 'Openly'").await,
        1
    );
    let meant = Part::Start(v1::TablesStart {
        id: "audit.toml".to_owned(),
        mapping: MAPPING.to_owned(),
        prune: true,
        ..v1::TablesStart::default()
    });
    let told = upsert(channel.clone(), parts(meant)).await.unwrap();
    assert_eq!((told.nodes, told.count_problems), (2, 2), "{told:?}");
    assert!(
        told.problems[0].contains("issues.csv, line 3: this record has 2 fields"),
        "{told:?}"
    );
    assert!(
        told.problems[1].starts_with("law/clauses.jsonl: it cannot be read: it is not there"),
        "{told:?}"
    );
    assert_eq!(
        count(&fixture, "(i:Issue) WHERE i.description = 'Paid thrice'").await,
        1
    );
    let metrics = http(fixture.server.metrics_address().unwrap(), "/metrics").await;
    for line in ["rag_tables_total 3", "rag_rows_broken_total 2"] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    let gone = v1::DeleteDocumentsRequest {
        ids: vec!["audit.toml".to_owned()],
        ..v1::DeleteDocumentsRequest::default()
    };
    let mut rag = RagServiceClient::new(channel);
    let gone = rag.delete_documents(gone).await.unwrap().into_inner();
    assert!(gone.change.unwrap().deleted > 2);
    assert_eq!(count(&fixture, "(:Issue)").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_come_as_it_must_changes_nothing() {
    let fixture = Fixture::start(|config, _| {
        config.max_tables_size = "4KiB".parse().unwrap();
        config.max_ingestion_idle = "300ms".parse().unwrap();
    })
    .await;
    let channel = fixture.channel().await;
    let rule = |file: &str| format!("[[nodes]]\nfile = '{file}'\nlabel = 'A'\nkey = 'id'\n");
    let (good, row) = (rule("a.csv"), "id\n1\n");
    let secret = fixture.folder.path().join("secret.csv");
    std::fs::write(&secret, "id\nsecret\n").unwrap();
    let secret = secret.to_str().unwrap();
    let outside = "files lie in the folder of the mapping or below it";
    for (parts, said) in [
        (vec![file("a.csv", row), FINISH], "the first part is"),
        (
            vec![start(&good), file("a.csv", row), start(&good), FINISH],
            "comes once",
        ),
        (
            vec![start(&good), file("a.csv", row)],
            "ended without `finish`",
        ),
        (
            vec![start(&good), file("b.csv", row), FINISH],
            "audit.toml: b.csv: the mapping names no such file; send the files",
        ),
        (vec![start(&good), file("../a.csv", row), FINISH], outside),
        (vec![start(&rule("../a.csv")), FINISH], outside),
        (vec![start(&rule(secret)), FINISH], outside),
        (
            vec![start("[[nodes]]\nlabel = 'A'\n"), FINISH],
            "audit.toml, line 1",
        ),
        (vec![start(""), FINISH], "it maps no file"),
    ] {
        let refused = upsert(channel.clone(), parts).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{said}: {refused:?}");
        assert!(refused.message().contains(said), "{said}: {refused:?}");
        assert_empty(&fixture, said).await;
    }
    // The mapping counts, and so does each of its files.
    let half = "1\n".repeat(1000);
    let pieces = |count: usize| {
        let mut parts = vec![start(&good), file("a.csv", "id\n")];
        parts.extend((0..count).map(|_| file("a.csv", half.as_bytes())));
        parts.push(FINISH);
        parts
    };
    let large = [
        pieces(3),
        vec![
            start(&(rule("a.csv") + &rule("b.csv"))),
            file("a.csv", half.as_bytes()),
            file("b.csv", [half.as_bytes(), half.as_bytes()].concat()),
            FINISH,
        ],
        vec![start(&format!("{good}# {}", "x".repeat(5000))), FINISH],
    ];
    for parts in large {
        let refused = upsert(channel.clone(), parts).await.unwrap_err();
        assert_eq!(reason(&refused), "LimitExceeded", "{refused:?}");
        let said = refused.message();
        assert!(
            said.contains("4KiB") && said.contains("max_tables_size"),
            "{said}"
        );
        assert_empty(&fixture, said).await;
    }
    assert_eq!(upsert(channel.clone(), pieces(1)).await.unwrap().nodes, 1);
    // A label of the layers, and a node of another mapping.
    let taken = good.replace("'A'", "'Chunk'");
    for (id, mapping, said) in [
        ("audit.toml", &taken, "Chunk is a name of the layers"),
        ("other.toml", &good, "is stated by audit.toml already"),
        ("", &good, "name"),
    ] {
        let start = Part::Start(v1::TablesStart {
            id: id.to_owned(),
            mapping: mapping.clone(),
            ..v1::TablesStart::default()
        });
        let refused = upsert(channel.clone(), vec![start, file("a.csv", row), FINISH]).await;
        let refused = refused.unwrap_err();
        assert_eq!(reason(&refused), "NotTakenIn", "{refused:?}");
        assert!(refused.message().contains(said), "{refused:?}");
    }
    // A file that is cut off within a row, after which there were others.
    let cut_off = vec![start(&good), file("a.csv", "id\n\"2"), FINISH];
    let refused = upsert(channel.clone(), cut_off).await.unwrap_err();
    assert_eq!(reason(&refused), "NotTakenIn", "{refused:?}");
    let place = "a.csv, line 2, column 1: a quote is opened here";
    assert!(refused.message().contains(place), "{refused:?}");
    assert_eq!(count(&fixture, "(:A)").await, 1);
    // A client that falls silent holds its place no longer than that.
    let (sender, waiting) = mpsc::channel(4);
    sender.send(request(start(&good))).await.unwrap();
    let mut client = RagServiceClient::new(channel);
    let silent = client.upsert_tables(ReceiverStream::new(waiting)).await;
    assert_eq!(reason(&silent.unwrap_err()), "ClientStalled");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_until_the_end_is_reserved_and_what_rows_take_has_an_end() {
    let fixture = Fixture::start(|config, _| {
        config.max_request_memory = "4MiB".parse().unwrap();
        config.max_tables_size = "4MiB".parse().unwrap();
        config.metrics_listen = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    })
    .await;
    let channel = fixture.channel().await;
    let mapping = "[[nodes]]\nfile = 'a.csv'\nlabel = 'A'\nkey = 'id'\n";
    let long = |count: usize| {
        let rows = (0..count).map(|number| {
            let text = "x".repeat(200 << 10);
            file("a.csv", format!("{number},{text}\n"))
        });
        let head = [start(mapping), file("a.csv", "id,text\n")];
        head.into_iter().chain(rows).collect::<Vec<_>>()
    };
    let (sender, waiting) = mpsc::channel(32);
    for part in long(10) {
        sender.send(request(part)).await.unwrap();
    }
    let mut client = RagServiceClient::new(channel.clone());
    let open =
        tokio::spawn(async move { client.upsert_tables(ReceiverStream::new(waiting)).await });
    until("the pieces are kept", PATIENCE, async || {
        taken(&fixture).await > 13 * (200 << 10)
    })
    .await;
    let mut others = long(10);
    others.push(FINISH);
    let refused = upsert(channel.clone(), others.clone()).await.unwrap_err();
    assert_eq!(reason(&refused), "ServerBusy", "{refused:?}");
    // Who leaves gives it back.
    open.abort();
    drop(sender);
    until("it is free again", PATIENCE, async || {
        taken(&fixture).await == 0
    })
    .await;
    let told = upsert(channel.clone(), others).await.unwrap();
    assert_eq!(told.nodes, 10);
    // Small rows take more than they are long.
    let rows: String = (0..40_000).map(|number| format!("{number}\n")).collect();
    let many = vec![start(mapping), file("a.csv", format!("id\n{rows}")), FINISH];
    let refused = upsert(channel, many).await.unwrap_err();
    assert!(refused.message().contains("bytes of memory"), "{refused:?}");
    assert_eq!(count(&fixture, "(:A)").await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_have_places_and_an_end() {
    let fixture = Fixture::start(|config, _| {
        config.metrics_listen = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        config.max_ingestions = 1;
        config.max_ingestion_time = "2s".parse().unwrap();
    })
    .await;
    let channel = fixture.channel().await;
    let (sender, waiting) = mpsc::channel(4);
    let long = format!("{MAPPING}# {}", "x".repeat(100_000));
    sender.send(request(start(&long))).await.unwrap();
    let mut client = RagServiceClient::new(channel.clone());
    let open =
        tokio::spawn(async move { client.upsert_tables(ReceiverStream::new(waiting)).await });
    // As a message, and as what is kept by whoever has a place.
    until("the one place is taken", PATIENCE, async || {
        taken(&fixture).await > 200_000
    })
    .await;
    let busy = upsert(channel.clone(), audit(ISSUES)).await.unwrap_err();
    assert_eq!(reason(&busy), "ServerBusy", "{busy:?}");
    open.abort();
    drop(sender);
    until("the place is free", PATIENCE, async || {
        upsert(channel.clone(), audit(ISSUES)).await.is_ok()
    })
    .await;
    // However quick the client is.
    let nothing = || request(file("issues.csv", ""));
    let endless = std::iter::once(request(start(MAPPING))).chain(std::iter::repeat_with(nothing));
    let mut client = RagServiceClient::new(channel);
    let ended = client.upsert_tables(tokio_stream::iter(endless));
    let ended = tokio::time::timeout(PATIENCE, ended).await.unwrap();
    assert_eq!(ended.unwrap_err().code(), Code::DeadlineExceeded);
    assert_eq!(count(&fixture, "(:Issue)").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_brings_no_tables() {
    let mut tokens = Vec::new();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        tokens.push(token(&file, "reader", &[("default", Role::Read)], None));
        tokens.push(token(&file, "writer", &[("default", Role::Write)], None));
        config.tokens = Some(file);
    })
    .await;
    let mut rag = RagServiceClient::new(fixture.channel().await);
    let stream = || tokio_stream::iter(audit(ISSUES).into_iter().map(request).collect::<Vec<_>>());
    let refused = rag.upsert_tables(with_token(stream(), &tokens[0])).await;
    assert_eq!(reason(&refused.unwrap_err()), "PermissionDenied");
    let told = rag.upsert_tables(with_token(stream(), &tokens[1])).await;
    assert_eq!(told.unwrap().into_inner().nodes, 4);
}
