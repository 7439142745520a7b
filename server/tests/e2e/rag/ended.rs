//! Streams of documents that end before their end: broken off, left, or out of time.

use super::*;
use tonic::Streaming;

/// How a stream ends that does not end well.
async fn end_of<M>(mut told: Streaming<M>) -> Status {
    loop {
        match told.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it ended well"),
            Err(status) => return status,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_that_break_off_keep_what_they_have_reported() {
    let fixture = Fixture::start(|config, _| {
        config.max_documents = 2;
        config.max_document_size = "4KiB".parse().unwrap();
        config.max_ingestion_idle = "300ms".parse().unwrap();
    })
    .await;
    let channel = fixture.channel().await;
    let (_, ended) = upsert(channel.clone(), vec![start(""), FINISH]).await;
    assert_eq!(reason(&ended.unwrap_err()), "NoLayers");
    let (_, ended) = upsert(channel.clone(), vec![start("cake"), FINISH]).await;
    assert_eq!(ended.unwrap_err().code(), Code::InvalidArgument);
    let (_, ended) = upsert(channel.clone(), vec![document("a.md", ROCKS)]).await;
    assert_eq!(ended.unwrap_err().code(), Code::InvalidArgument);
    let (reports, ended) =
        upsert(channel.clone(), vec![start("bag"), document("a.md", ROCKS)]).await;
    assert_eq!(
        (reports.len(), ended.unwrap_err().code()),
        (1, Code::InvalidArgument)
    );
    let long = "word ".repeat(2000);
    let parts = vec![
        start("bag"),
        document("long.md", &long),
        document("b.md", ROCKS),
        document("c.md", ROCKS),
        FINISH,
    ];
    let (reports, ended) = upsert(channel.clone(), parts).await;
    assert!(
        !reports[0].taken_in && reports[0].problems[0].contains("at most 4KiB"),
        "{reports:?}"
    );
    assert_eq!(
        (reports.len(), reason(&ended.unwrap_err()).as_str()),
        (2, "LimitExceeded")
    );
    assert_eq!(count(&fixture, "(:Document)").await, 2);
    // A client that falls silent holds its place no longer than that.
    let (sender, waiting) = mpsc::channel(4);
    sender.send(request(start("bag"))).await.unwrap();
    let mut client = RagServiceClient::new(channel.clone());
    let mut told = client
        .upsert_documents(ReceiverStream::new(waiting))
        .await
        .unwrap()
        .into_inner();
    let opened = told.message().await.unwrap().unwrap();
    assert!(matches!(opened.part, Some(Told::Opened(_))), "{opened:?}");
    let silent = told.message().await.unwrap_err();
    assert_eq!(reason(&silent), "ClientStalled");
    let ids = vec!["x".to_owned(); 1001];
    let request = v1::DeleteDocumentsRequest {
        ids,
        ..v1::DeleteDocumentsRequest::default()
    };
    let many = client.delete_documents(request).await.unwrap_err();
    assert_eq!(reason(&many), "LimitExceeded");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_stops_the_model_and_changes_nothing() {
    let (asked, answers) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicBool::new(false)),
    );
    let (was_asked, may_answer) = (Arc::clone(&asked), Arc::clone(&answers));
    let model = ScriptedServer::start(move |_| {
        was_asked.store(true, Ordering::Release);
        while !may_answer.load(Ordering::Acquire) {
            std::thread::yield_now();
            std::thread::sleep(Duration::from_millis(5));
        }
        Step::text(r#"{"triples": []}"#)
    })
    .unwrap();
    let url = model.url();
    let fixture = Fixture::start(|config, _| {
        config.llm = Some(url);
        config.model = Some("small".to_owned());
        config.max_ingestions = 1;
    })
    .await;
    let channel = fixture.channel().await;
    let (sender, waiting) = mpsc::channel(4);
    let sections =
        (0..60).map(|number| format!("# Rock {number}\n\nBasalt {number} comes from Etna.\n\n"));
    let long: String = sections.collect();
    for part in [start("triples"), document("a.md", &long)] {
        sender.send(request(part)).await.unwrap();
    }
    let mut client = RagServiceClient::new(channel.clone());
    let told = client
        .upsert_documents(ReceiverStream::new(waiting))
        .await
        .unwrap();
    until("the model is asked", PATIENCE, async || {
        asked.load(Ordering::Acquire)
    })
    .await;
    // The one place is taken, and writers are not held up by it.
    let (_, busy) = upsert(channel.clone(), vec![start("triples"), FINISH]).await;
    assert_eq!(reason(&busy.unwrap_err()), "ServerBusy");
    let mut queries = fixture.queries().await;
    run(&mut queries, ask("CREATE (:Other)")).await.unwrap();
    drop((told, sender));
    answers.store(true, Ordering::Release);
    until("the place is free", PATIENCE, async || {
        upsert(channel.clone(), vec![start("triples"), FINISH])
            .await
            .1
            .is_ok()
    })
    .await;
    assert_eq!(count(&fixture, "(:Document)").await, 0);
    let asked = model.asked().len();
    assert!(asked < 20, "{asked} of 20 pieces");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_ends_is_ended_however_quick_it_is() {
    let fixture = Fixture::start(|config, _| {
        config.max_ingestion_time = "500ms".parse().unwrap();
    })
    .await;
    let mut client = RagServiceClient::new(fixture.channel().await);
    // Refused each, which is as quick as can be.
    let nothing = || request(document("nothing", "x"));
    let endless = std::iter::once(request(start("bag"))).chain(std::iter::repeat_with(nothing));
    let told = client.upsert_documents(tokio_stream::iter(endless)).await;
    let ended = end_of(told.unwrap().into_inner());
    let ended = tokio::time::timeout(PATIENCE, ended).await;
    assert_eq!(ended.unwrap().code(), Code::DeadlineExceeded);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_whose_time_is_over_changes_nothing_whatever_waits_behind_it() {
    let model = ScriptedServer::start(|_| {
        let reply = Step::text(r#"{"triples": []}"#);
        Step::After(Duration::from_millis(500), Box::new(reply))
    })
    .unwrap();
    let url = model.url();
    let fixture = Fixture::start(|config, _| {
        config.llm = Some(url);
        config.model = Some("small".to_owned());
        config.model_calls = 1;
        config.max_ingestion_time = "1s".parse().unwrap();
    })
    .await;
    let long: String = (0..60)
        .map(|number| format!("# Rock {number}\n\nBasalt {number} comes from Etna.\n\n"))
        .collect();
    let mut parts = vec![start("triples")];
    parts.extend((0..8).map(|number| document(&format!("{number}.md"), &long)));
    parts.push(FINISH);
    let (reports, ended) = upsert(fixture.channel().await, parts).await;
    assert_eq!(ended.unwrap_err().code(), Code::DeadlineExceeded);
    assert!(reports.is_empty(), "{reports:?}");
    assert_eq!(count(&fixture, "(:Document)").await, 0);
    let asked = model.asked().len();
    assert!((1..10).contains(&asked), "{asked} of 20 pieces");
    // Summaries have as much time, and say the same when it is over.
    let facts: String = (0..5)
        .map(|number| {
            format!(
                r#"{{"subject": "Rock {number}", "relation": "lies on", "object": "Isle {number}"}}\n"#
            )
        })
        .collect();
    let call = format!(
        "CALL rag.upsertDocument({{id: 'facts.jsonl', content: '{facts}'}}) YIELD pieces RETURN pieces AS n"
    );
    run(&mut fixture.queries().await, ask(&call)).await.unwrap();
    let mut rag = RagServiceClient::new(fixture.channel().await);
    let wanted = v1::ResummariseRequest {
        entities: true,
        ..v1::ResummariseRequest::default()
    };
    let told = rag.resummarise(wanted).await.unwrap().into_inner();
    let ended = tokio::time::timeout(PATIENCE, end_of(told)).await.unwrap();
    assert_eq!(ended.code(), Code::DeadlineExceeded, "{ended:?}");
}
