//! `RagService`: documents in and out, summaries, limits, and who may.

mod at_once;
mod ended;
mod told;

use super::harness::{
    Fixture, ask, count, http, reason, run, token, tokens_file, until, with_token,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stratigraph_models::{ScriptedServer, Step};
use stratigraph_proto::v1;
use stratigraph_proto::v1::rag_service_client::RagServiceClient;
use stratigraph_proto::v1::resummarise_response::Part as Summed;
use stratigraph_proto::v1::upsert_documents_request::Part;
use stratigraph_proto::v1::upsert_documents_response::Part as Told;
use stratigraph_server::auth::Role;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status};

const ROCKS: &str = "# Rocks\n\n## Basalt\n\nBasalt comes from Mount Etna in Sicily.\n";
/// A generous limit of patience.
const PATIENCE: Duration = Duration::from_secs(30);

fn start(profile: &str) -> Part {
    let layers = (!profile.is_empty()).then(|| v1::RagLayers {
        profile: profile.to_owned(),
        ..v1::RagLayers::default()
    });
    Part::Start(v1::UpsertStart {
        layers,
        ..v1::UpsertStart::default()
    })
}

fn document(id: &str, text: &str) -> Part {
    Part::Document(v1::RagDocument {
        id: id.to_owned(),
        content: text.as_bytes().to_vec(),
        ..v1::RagDocument::default()
    })
}

const FINISH: Part = Part::Finish(v1::UpsertFinish {});

fn request(part: Part) -> v1::UpsertDocumentsRequest {
    v1::UpsertDocumentsRequest { part: Some(part) }
}

/// Sends parts; the reports, and how it ended.
async fn upsert(
    channel: Channel,
    parts: Vec<Part>,
) -> (Vec<v1::DocumentReport>, Result<(), Status>) {
    let mut client = RagServiceClient::new(channel);
    let parts: Vec<_> = parts.into_iter().map(request).collect();
    let mut reports = Vec::new();
    let answer = client.upsert_documents(tokio_stream::iter(parts)).await;
    let mut told = match answer {
        Ok(answer) => answer.into_inner(),
        Err(status) => return (reports, Err(status)),
    };
    loop {
        match told.message().await {
            Ok(Some(message)) => match message.part.unwrap() {
                Told::Progress(_) | Told::Opened(_) => {}
                Told::Report(report) => reports.push(report),
            },
            Ok(None) => return (reports, Ok(())),
            Err(status) => return (reports, Err(status)),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_come_in_each_with_its_report_and_go_out() {
    let fixture = Fixture::start(|config, _| {
        config.metrics_listen = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    })
    .await;
    let channel = fixture.channel().await;
    let mut bad = v1::RagDocument {
        id: "bad.md".to_owned(),
        content: vec![0xFF, 0xFF],
        ..v1::RagDocument::default()
    };
    let parts = vec![
        start("bag"),
        document("a.md", ROCKS),
        Part::Document(bad.clone()),
        document("nothing", "x"),
        document("b.md", ROCKS),
        FINISH,
    ];
    let (reports, ended) = upsert(channel.clone(), parts).await;
    ended.unwrap();
    let told: Vec<(&str, bool)> = { reports.iter() }
        .map(|report| (report.id.as_str(), report.taken_in))
        .collect();
    assert_eq!(
        told,
        [
            ("a.md", true),
            ("bad.md", false),
            ("nothing", false),
            ("b.md", true)
        ]
    );
    assert!(reports[0].pieces == 1 && reports[0].bytes == ROCKS.len() as u64);
    assert!(reports[0].change.as_ref().unwrap().written > 3);
    assert!(reports[1].problems[0].contains("UTF-8"), "{reports:?}");
    assert!(reports[2].problems[0].contains("format"), "{reports:?}");
    assert_eq!(count(&fixture, "(:Document)").await, 2);
    // The layers are known by now, and what has not changed is left alone.
    let (reports, ended) = upsert(
        channel.clone(),
        vec![start(""), document("a.md", ROCKS), FINISH],
    )
    .await;
    ended.unwrap();
    assert_eq!(reports[0].change.as_ref().unwrap().written, 0);
    let (_, ended) = upsert(channel.clone(), vec![start("tag"), FINISH]).await;
    assert_eq!(reason(&ended.unwrap_err()), "OtherLayers");
    let mut rag = RagServiceClient::new(channel.clone());
    let ids = ["a.md", "never.md"].map(str::to_owned).to_vec();
    let request = v1::DeleteDocumentsRequest {
        ids,
        ..v1::DeleteDocumentsRequest::default()
    };
    let gone = rag.delete_documents(request).await.unwrap().into_inner();
    assert!(gone.change.unwrap().deleted > 3);
    assert_eq!(count(&fixture, "(:Document)").await, 1);
    let metrics = http(fixture.server.metrics_address().unwrap(), "/metrics").await;
    assert!(
        metrics.contains("stratigraph_rag_documents_total 5"),
        "{metrics}"
    );
    assert!(
        metrics.contains("stratigraph_rag_documents_failed_total 2"),
        "{metrics}"
    );
    // The same through statements.
    let mut queries = fixture.queries().await;
    let call =
        "CALL rag.upsertDocument({id: 'c.md', content: '# C'}) YIELD pieces RETURN pieces AS n";
    run(&mut queries, ask(call)).await.unwrap();
    assert_eq!(count(&fixture, "(:Document)").await, 2);
    bad.id = String::new();
    let (reports, _) = upsert(channel, vec![start(""), Part::Document(bad), FINISH]).await;
    assert!(!reports[0].taken_in);
}

#[tokio::test(flavor = "multi_thread")]
async fn summaries_are_written_by_the_servers_model() {
    let model = ScriptedServer::start(|asked| {
        let is_summary = asked.question().contains("Basalt comes from Etna.");
        Step::text(if is_summary {
            r#"{"summary": "Basalt comes from Etna."}"#
        } else {
            r#"{"triples": [{"subject": "Basalt", "relation": "comes from", "object": "Etna", "source": ""}]}"#
        })
    })
    .unwrap();
    let url = model.url();
    let fixture = Fixture::start(|config, _| {
        config.llm = Some(url);
        config.model = Some("small".to_owned());
    })
    .await;
    let channel = fixture.channel().await;
    let parts = vec![start("triples"), document("a.md", ROCKS), FINISH];
    let (reports, ended) = upsert(channel.clone(), parts).await;
    ended.unwrap();
    let bill = reports[0].bill.unwrap();
    assert!(bill.calls >= 1 && bill.kept == 0, "{bill:?}");
    let dry = Part::Start(v1::UpsertStart {
        dry_run: true,
        ..v1::UpsertStart::default()
    });
    let (reports, ended) = upsert(
        channel.clone(),
        vec![
            dry,
            document("a.md", ROCKS),
            document("b.md", "# New\n\nText.\n"),
            FINISH,
        ],
    )
    .await;
    ended.unwrap();
    let bills: Vec<(u64, u64)> = { reports.iter() }
        .map(|one| (one.bill.unwrap().calls, one.bill.unwrap().kept))
        .collect();
    assert_eq!((bills[0].0, bills[1].0), (0, 1), "{bills:?}");
    assert_eq!(count(&fixture, "(:Document)").await, 1);
    let mut rag = RagServiceClient::new(channel);
    let stale = rag
        .list_stale(v1::ListStaleRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(stale.count, 0);
    let mut told = rag
        .resummarise(v1::ResummariseRequest {
            entities: true,
            ..v1::ResummariseRequest::default()
        })
        .await
        .unwrap()
        .into_inner();
    let (mut texts, mut verdict) = (Vec::new(), None);
    while let Some(message) = told.message().await.unwrap() {
        match message.part.unwrap() {
            Summed::Progress(_) => {}
            Summed::Summary(summary) => texts.push(summary.text),
            Summed::Verdict(one) => verdict = Some(one),
        }
    }
    let verdict = verdict.unwrap();
    assert_eq!((verdict.written, verdict.failed, verdict.left), (2, 0, 0));
    assert!(
        !verdict.by.is_empty() && verdict.by != "rules",
        "{}",
        verdict.by
    );
    assert_eq!(texts, ["Basalt comes from Etna."; 2]);
    assert_eq!(
        count(&fixture, "(e:Entity) WHERE e.summary IS NOT NULL").await,
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_only_look_and_transactions_take_no_documents() {
    let mut tokens = Vec::new();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        tokens.push(token(&file, "reader", &[("default", Role::Read)], None));
        tokens.push(token(&file, "writer", &[("default", Role::Write)], None));
        config.tokens = Some(file);
    })
    .await;
    let mut queries = fixture.queries().await;
    for text in [
        "CALL rag.createLayers('bag')",
        "CALL rag.deleteDocument('a')",
    ] {
        let refused = run(&mut queries, with_token(ask(text), &tokens[0]))
            .await
            .unwrap_err();
        assert_eq!(reason(&refused), "PermissionDenied", "{text}");
    }
    run(
        &mut queries,
        with_token(ask("CALL rag.stale()"), &tokens[0]),
    )
    .await
    .unwrap();
    run(
        &mut queries,
        with_token(ask("CALL rag.createLayers('bag')"), &tokens[1]),
    )
    .await
    .unwrap();
    let mut rag = RagServiceClient::new(fixture.channel().await);
    let stale = rag.list_stale(with_token(v1::ListStaleRequest::default(), &tokens[0]));
    assert_eq!(stale.await.unwrap().into_inner().count, 0);
    // What is declared a reader may call, and not declare.
    let declaring = || v1::DeclareQueriesRequest {
        definitions: r#"{"name": "one", "description": "One.", "statement": "RETURN 1 AS one"}"#
            .to_owned(),
        ..v1::DeclareQueriesRequest::default()
    };
    let refused = rag.declare_queries(with_token(declaring(), &tokens[0]));
    assert_eq!(reason(&refused.await.unwrap_err()), "PermissionDenied");
    let declared = rag.declare_queries(with_token(declaring(), &tokens[1]));
    assert_eq!(declared.await.unwrap().into_inner().declared.len(), 1);
    let call = v1::CallDeclaredQueryRequest {
        name: "one".to_owned(),
        ..v1::CallDeclaredQueryRequest::default()
    };
    let called = rag.call_declared_query(with_token(call, &tokens[0])).await;
    assert_eq!(called.unwrap().into_inner().rows[0].values, r#"{"one":1}"#);
    let drop = v1::DropDeclaredQueryRequest {
        name: "one".to_owned(),
        ..v1::DropDeclaredQueryRequest::default()
    };
    let refused = rag.drop_declared_query(with_token(drop, &tokens[0]));
    assert_eq!(reason(&refused.await.unwrap_err()), "PermissionDenied");
    let mut told = rag
        .resummarise(with_token(
            v1::ResummariseRequest {
                central: Some(true),
                ..v1::ResummariseRequest::default()
            },
            &tokens[1],
        ))
        .await
        .unwrap()
        .into_inner();
    assert!(matches!(
        told.message().await.unwrap().unwrap().part,
        Some(Summed::Verdict(_))
    ));
    let begin = v1::BeginTransactionRequest {
        mode: v1::TransactionMode::Write.into(),
        ..v1::BeginTransactionRequest::default()
    };
    let mut transactions = fixture.transactions().await;
    let begun = transactions
        .begin_transaction(with_token(begin, &tokens[1]))
        .await
        .unwrap()
        .into_inner();
    let within = v1::RunInTransactionRequest {
        transaction_id: begun.transaction_id,
        statement: Some(super::harness::text_of("CALL rag.deleteDocument('a')")),
        ..v1::RunInTransactionRequest::default()
    };
    let answer = transactions
        .run_in_transaction(with_token(within, &tokens[1]))
        .await;
    let refused = match answer {
        Err(status) => status,
        Ok(answer) => answer.into_inner().message().await.unwrap_err(),
    };
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::FailedPrecondition, "InvalidTransaction")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_asked_and_receipts_looked_at() {
    let fixture = Fixture::start(|_, _| ()).await;
    let channel = fixture.channel().await;
    let parts = vec![start("hybrid"), document("a.md", ROCKS), FINISH];
    upsert(channel.clone(), parts).await.1.unwrap();
    let mut rag = RagServiceClient::new(channel.clone());
    let asked = v1::RetrieveRequest {
        pipeline: "hybrid".to_owned(),
        question: "Where does Basalt come from?".to_owned(),
        ..v1::RetrieveRequest::default()
    };
    let told = rag.retrieve(asked.clone()).await.unwrap().into_inner();
    let chunk = &told.found[0];
    assert_eq!(chunk.heading, "Rocks");
    let receipts: Vec<v1::Receipt> = { told.found.iter() }
        .map(|found| found.receipt.clone().unwrap())
        .collect();
    let place = &receipts[0].places[0];
    assert_eq!(&ROCKS[place.start as usize..place.end as usize], chunk.text);
    let stages: Vec<&str> = told
        .trace
        .iter()
        .map(|stage| stage.operator.as_str())
        .collect();
    let all = ["vector", "limit", "mentions", "expand", "fuse", "pack"];
    assert_eq!(stages, all);
    let few = v1::RetrieveRequest {
        most: 1,
        ..asked.clone()
    };
    let few = rag.retrieve(few).await.unwrap().into_inner();
    assert_eq!(
        (few.found.len() as u64, few.untold),
        (1, told.found.len() as u64 - 1)
    );
    let look = v1::VerifyReceiptsRequest {
        receipts,
        ..v1::VerifyReceiptsRequest::default()
    };
    let standing = rag
        .verify_receipts(look.clone())
        .await
        .unwrap()
        .into_inner();
    let all = vec![v1::Standing::Stands as i32; told.found.len()];
    assert_eq!(standing.standing, all);
    rag.delete_documents(v1::DeleteDocumentsRequest {
        ids: vec!["a.md".to_owned()],
        ..v1::DeleteDocumentsRequest::default()
    })
    .await
    .unwrap();
    let standing = rag
        .verify_receipts(look.clone())
        .await
        .unwrap()
        .into_inner();
    assert!(
        standing
            .standing
            .iter()
            .all(|one| *one == v1::Standing::Gone as i32)
    );
    // What cannot be asked, and what is no receipt.
    for (change, code, part) in [
        (
            v1::RetrieveRequest {
                pipeline: "best".to_owned(),
                ..asked.clone()
            },
            Code::InvalidArgument,
            "`best`",
        ),
        (
            v1::RetrieveRequest {
                pipeline: "bag".to_owned(),
                ..asked.clone()
            },
            Code::FailedPrecondition,
            "`stratigraph ingest --profile bag`",
        ),
        (
            v1::RetrieveRequest {
                question: " ?".to_owned(),
                ..asked.clone()
            },
            Code::InvalidArgument,
            "no letter and no digit",
        ),
        (
            v1::RetrieveRequest {
                question: "x".repeat(20 << 10),
                ..asked.clone()
            },
            Code::InvalidArgument,
            "bytes",
        ),
        (
            v1::RetrieveRequest {
                only: [(
                    "month".to_owned(),
                    v1::Value {
                        kind: Some(v1::value::Kind::IntValue(5)),
                    },
                )]
                .into(),
                ..asked
            },
            Code::FailedPrecondition,
            "`month`",
        ),
    ] {
        let status = rag.retrieve(change).await.unwrap_err();
        assert_eq!(status.code(), code, "{status:?}");
        assert!(status.message().contains(part), "{status:?}");
    }
    let mut odd = look;
    odd.receipts[0].scale = "metres".to_owned();
    let status = rag.verify_receipts(odd).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
}
