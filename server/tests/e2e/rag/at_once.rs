//! Summaries that two ask for at once.

use super::*;

/// Has the summaries of entities written; how many were.
async fn written(channel: Channel) -> u64 {
    let mut rag = RagServiceClient::new(channel);
    let request = v1::ResummariseRequest {
        entities: true,
        ..v1::ResummariseRequest::default()
    };
    let mut told = rag.resummarise(request).await.unwrap().into_inner();
    while let Some(message) = told.message().await.unwrap() {
        if let Some(Summed::Verdict(verdict)) = message.part {
            assert_eq!((verdict.failed, verdict.left), (0, 0));
            return verdict.written;
        }
    }
    panic!("there is no verdict")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_two_want_at_once_is_paid_for_once() {
    // It takes a while, so that each would have asked before the other was done.
    let model = ScriptedServer::start(|_| {
        let summary = Step::text(r#"{"summary": "Basalt is a rock."}"#);
        Step::After(Duration::from_millis(200), Box::new(summary))
    })
    .unwrap();
    let url = model.url();
    let fixture = Fixture::start(|config, _| {
        config.llm = Some(url);
        config.model = Some("small".to_owned());
    })
    .await;
    let channel = fixture.channel().await;
    let fact = r#"{"subject": "Basalt", "relation": "is", "object": "rock"}"#;
    let facts = document("facts.jsonl", &format!("{fact}\n"));
    let parts = vec![start("triples"), facts, FINISH];
    let (reports, ended) = upsert(channel.clone(), parts).await;
    ended.unwrap();
    assert!(reports[0].taken_in && model.asked().is_empty());
    let (one, other) = tokio::join!(written(channel.clone()), written(channel));
    assert_eq!(one + other, 2);
    assert_eq!(model.asked().len(), 2);
    let summaries = count(&fixture, "(e:Entity) WHERE e.summary IS NOT NULL").await;
    assert_eq!(summaries, 2);
}
