//! What is made again, and what is not.

use crate::fake::{Act, Fake, numbers, refusal};
use std::time::{Duration, Instant};
use stratigraph_client::{Error, ErrorKind, Retry};
use tonic::{Code, Status};

fn unavailable() -> Act {
    Act::Fail(Status::unavailable("nobody is there"))
}

fn busy(after_ms: u64) -> Act {
    Act::Fail(refusal(
        Code::ResourceExhausted,
        "ServerBusy",
        &[],
        Some(after_ms),
    ))
}

#[tokio::test]
async fn a_read_survives_a_server_that_is_away_twice() {
    let fake = Fake::start([unavailable(), unavailable(), numbers([1])]).await;
    let client = fake.client().await;
    assert_eq!(client.query("x").read_only().one::<i64>().await.unwrap(), 1);
    assert_eq!(fake.calls("Query"), 3);
    let ids: Vec<_> = fake
        .seen()
        .into_iter()
        .map(|seen| seen.metadata["x-request-id"].clone())
        .collect();
    assert!(
        ids.iter().all(|id| *id == ids[0]),
        "attempts of one call have one id"
    );
}

#[tokio::test]
async fn attempts_come_to_an_end() {
    let fake = Fake::start(vec![unavailable(); 10]).await;
    let client = fake.client().await;
    let error = client.query("x").read_only().run().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(fake.calls("Query"), 4);
    let fake = Fake::start([unavailable()]).await;
    let client = fake
        .builder()
        .retry(Retry::never())
        .connect()
        .await
        .unwrap();
    assert!(client.query("x").read_only().run().await.is_err());
    assert_eq!(fake.calls("Query"), 1);
}

#[tokio::test]
async fn a_statement_that_may_write_is_not_made_again_when_nobody_knows_what_it_did() {
    let fake = Fake::start([unavailable(), Act::Cut, Act::Fail(Status::internal("?"))]).await;
    let client = fake.client().await;
    for made in 1..=3 {
        let error = client.query("CREATE ()").run().await.unwrap_err();
        assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
        assert!(error.request_id().is_some());
        assert!(!error.is_retryable());
        assert_eq!(fake.calls("Query"), made);
    }
}

#[tokio::test]
async fn a_read_survives_a_broken_connection() {
    let fake = Fake::start([Act::Cut, Act::Cut, numbers([3])]).await;
    let client = fake.client().await;
    assert_eq!(client.query("x").read_only().one::<i64>().await.unwrap(), 3);
    assert_eq!(fake.calls("Query"), 3);
}

#[tokio::test]
async fn a_server_that_sheds_load_is_asked_again_when_it_says() {
    let fake = Fake::start([busy(200), numbers([1])]).await;
    let client = fake.client().await;
    let began = Instant::now();
    // It may write: the server has said that it did nothing.
    assert_eq!(
        client
            .query("CREATE (n) RETURN 1")
            .one::<i64>()
            .await
            .unwrap(),
        1
    );
    assert!(
        began.elapsed() >= Duration::from_millis(200),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(fake.calls("Query"), 2);
}

#[tokio::test]
async fn a_refusal_that_is_final_is_not_made_again() {
    for (code, reason, kind) in [
        (Code::ResourceExhausted, "LimitExceeded", ErrorKind::Request),
        (
            Code::InvalidArgument,
            "UnexpectedSyntax",
            ErrorKind::Request,
        ),
        (Code::Unauthenticated, "Unauthenticated", ErrorKind::Denied),
        (
            Code::PermissionDenied,
            "PermissionDenied",
            ErrorKind::Denied,
        ),
        (Code::Aborted, "Killed", ErrorKind::Conflict),
        (Code::DataLoss, "Corruption", ErrorKind::Corrupt),
        (Code::Internal, "Bug", ErrorKind::Bug),
    ] {
        let fake = Fake::start([Act::Fail(refusal(code, reason, &[], None))]).await;
        let error = fake
            .client()
            .await
            .query("x")
            .read_only()
            .run()
            .await
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.code()),
            (kind, Some(reason)),
            "{error:?}"
        );
        assert_eq!(fake.calls("Query"), 1, "{reason}");
    }
}

#[tokio::test]
async fn what_the_server_cannot_know_is_unknown() {
    let status = refusal(Code::Unknown, "OutcomeUnknown", &[], None);
    let fake = Fake::start([Act::Fail(status)]).await;
    let error = fake
        .client()
        .await
        .query("CREATE ()")
        .run()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
}

#[tokio::test]
async fn no_attempt_begins_that_cannot_end_in_time() {
    let fake = Fake::start([busy(60_000), numbers([1])]).await;
    let client = fake.client().await;
    let began = Instant::now();
    let error = client
        .query("x")
        .timeout(Duration::from_secs(5))
        .run()
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.kind()),
        (Some("ServerBusy"), ErrorKind::Retry)
    );
    assert!(error.is_retryable());
    assert_eq!(
        error.refusal().unwrap().retry_after(),
        Some(Duration::from_secs(60))
    );
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_call_that_reached_nobody_is_made_again_even_if_it_writes() {
    let fake = Fake::start([]).await;
    let address = fake.address;
    drop(fake);
    let retry = Retry::default().first_wait(Duration::from_millis(5));
    let client = stratigraph_client::Client::builder(format!("http://{address}"))
        .retry(retry)
        .connect_lazy()
        .unwrap();
    let error = client.query("CREATE ()").run().await.unwrap_err();
    assert!(
        matches!(&error, Error::Connect { endpoint, .. } if endpoint.contains("127.0.0.1")),
        "{error:?}"
    );
    assert!(error.is_retryable(), "it changed nothing");
}
