use super::*;
use crate::fixture::Fixture;
use std::time::Duration;
use tokio_stream::StreamExt as _;
use tonic::Status;

/// Runs a statement that has so much time.
async fn run(fixture: &Fixture, text: &str, timeout: Duration) -> Result<(), Status> {
    let request = v1::QueryRequest {
        statement: Some(v1::Statement {
            source: Some(Source::Text(text.to_owned())),
        }),
        options: Some(v1::QueryOptions {
            timeout_ms: Some(u64::try_from(timeout.as_millis()).unwrap()),
            ..v1::QueryOptions::default()
        }),
        ..v1::QueryRequest::default()
    };
    let service = Query::new(Arc::clone(&fixture.shared));
    let mut parts = service.query(fixture.request(request)).await?.into_inner();
    while let Some(part) = parts.next().await {
        part?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declaration_takes_no_turn_to_write() {
    let fixture = Fixture::new();
    let database = fixture.shared.databases.get("default").unwrap();
    let long = Duration::from_secs(60);
    let turn = database.writer_turn(long).await.unwrap();
    // Whoever writes waits for the turn, and whoever declares does not.
    let waits = run(&fixture, "CREATE (:P)", Duration::from_millis(50)).await;
    assert!(waits.unwrap_err().message().contains("waited"));
    for declares in [
        "CREATE INDEX names FOR (p:P) ON (p.name)",
        "DROP INDEX names",
        "CREATE CONSTRAINT ids FOR (p:P) REQUIRE p.id IS UNIQUE",
    ] {
        run(&fixture, declares, long).await.unwrap();
    }
    drop(turn);
    run(&fixture, "CREATE (:P {id: 1})", long).await.unwrap();
}
