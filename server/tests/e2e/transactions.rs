//! `TransactionService`.

use super::harness::{Answer, ENDLESS, Fixture, ask, reason, run, text_of};
use std::time::{Duration, Instant};
use stratigraph_proto::v1::transaction_service_client::TransactionServiceClient;
use stratigraph_proto::v1::{self, TransactionMode, run_in_transaction_response::Part};
use tonic::transport::Channel;
use tonic::{Code, Status};

type Client = TransactionServiceClient<Channel>;

async fn begin(client: &mut Client, mode: TransactionMode) -> Result<String, Status> {
    let request = v1::BeginTransactionRequest {
        mode: mode.into(),
        queue_timeout_ms: Some(400),
        ..v1::BeginTransactionRequest::default()
    };
    Ok(client
        .begin_transaction(request)
        .await?
        .into_inner()
        .transaction_id)
}

fn statement(id: &str, text: &str) -> v1::RunInTransactionRequest {
    v1::RunInTransactionRequest {
        transaction_id: id.to_owned(),
        statement: Some(text_of(text)),
        ..v1::RunInTransactionRequest::default()
    }
}

async fn within(client: &mut Client, id: &str, text: &str) -> Result<Answer, Status> {
    let mut parts = client
        .run_in_transaction(statement(id, text))
        .await?
        .into_inner();
    let mut answer = Answer::default();
    while let Some(part) = parts.message().await? {
        match part.part.unwrap() {
            Part::Header(header) => answer.columns = header.columns,
            Part::Rows(batch) => answer
                .rows
                .extend(batch.rows.into_iter().map(|row| row.values)),
            Part::Summary(summary) => answer.summary = summary,
        }
    }
    Ok(answer)
}

async fn commit(client: &mut Client, id: &str) -> Result<Option<u64>, Status> {
    let request = v1::CommitTransactionRequest {
        transaction_id: id.to_owned(),
        ..v1::CommitTransactionRequest::default()
    };
    Ok(client
        .commit_transaction(request)
        .await?
        .into_inner()
        .sequence)
}

async fn rollback(client: &mut Client, id: &str) -> Result<(), Status> {
    let request = v1::RollbackTransactionRequest {
        transaction_id: id.to_owned(),
        ..v1::RollbackTransactionRequest::default()
    };
    client.rollback_transaction(request).await.map(drop)
}

const COUNT: &str = "MATCH (n) RETURN count(n) AS n";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_is_seen_within_and_after_the_commit() {
    let fixture = Fixture::start(|_, _| ()).await;
    let (mut client, mut queries) = (fixture.transactions().await, fixture.queries().await);
    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    within(&mut client, &id, "CREATE (:P)").await.unwrap();
    let wrong = within(&mut client, &id, "CREATE (:Q) WITH 1 AS x RETURN x / 0")
        .await
        .unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidArgument, "{wrong}");
    assert_eq!(
        within(&mut client, &id, COUNT).await.unwrap().number(),
        1,
        "a failed statement has changed nothing"
    );
    assert_eq!(run(&mut queries, ask(COUNT)).await.unwrap().number(), 0);
    assert!(commit(&mut client, &id).await.unwrap().is_some());
    assert_eq!(run(&mut queries, ask(COUNT)).await.unwrap().number(), 1);
    assert_eq!(
        commit(&mut client, &id).await.unwrap_err().code(),
        Code::NotFound
    );

    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    within(&mut client, &id, "CREATE (:P)").await.unwrap();
    rollback(&mut client, &id).await.unwrap();
    assert_eq!(run(&mut queries, ask(COUNT)).await.unwrap().number(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_reads_sees_one_commit_and_writes_nothing() {
    let fixture = Fixture::start(|_, _| ()).await;
    let (mut client, mut queries) = (fixture.transactions().await, fixture.queries().await);
    let id = begin(&mut client, TransactionMode::Read).await.unwrap();
    assert_eq!(within(&mut client, &id, COUNT).await.unwrap().number(), 0);
    run(&mut queries, ask("CREATE (:P)")).await.unwrap();
    assert_eq!(within(&mut client, &id, COUNT).await.unwrap().number(), 0);
    let refused = within(&mut client, &id, "CREATE (:P)").await.unwrap_err();
    assert_eq!(reason(&refused), "ReadOnlyTransaction");
    assert_eq!(commit(&mut client, &id).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_stalls_holds_up_others_for_a_short_while_only() {
    let fixture = Fixture::start(|config, _| {
        config.max_transaction_idle = "300ms".parse().unwrap();
        config.max_write_queue_wait = "5s".parse().unwrap();
    })
    .await;
    let (mut client, mut queries) = (fixture.transactions().await, fixture.queries().await);
    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    within(&mut client, &id, "CREATE (:P)").await.unwrap();
    let began = Instant::now();
    run(&mut queries, ask("CREATE (:Q)")).await.unwrap();
    let waited = began.elapsed();
    assert!(
        waited > Duration::from_millis(100) && waited < Duration::from_secs(2),
        "{waited:?}"
    );
    assert_eq!(
        run(&mut queries, ask("MATCH (n) RETURN count(n) AS n"))
            .await
            .unwrap()
            .number(),
        1
    );
    let over = commit(&mut client, &id).await.unwrap_err();
    assert_eq!(
        (over.code(), reason(&over).as_str()),
        (Code::Aborted, "TransactionOver")
    );
    assert!(over.message().contains("rested"), "{over}");
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_wait_in_line_for_a_limited_time() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.transactions().await;
    let first = begin(&mut client, TransactionMode::Write).await.unwrap();
    let began = Instant::now();
    let refused = begin(&mut client, TransactionMode::Write)
        .await
        .unwrap_err();
    assert!(began.elapsed() >= Duration::from_millis(400));
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::ResourceExhausted, "QueueTimeout")
    );
    begin(&mut client, TransactionMode::Read).await.unwrap();
    commit(&mut client, &first).await.unwrap();
    begin(&mut client, TransactionMode::Write).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_is_cancelled_leaves_its_transaction_as_it_was() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.transactions().await;
    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    within(&mut client, &id, "CREATE (:P)").await.unwrap();
    let endless = client
        .run_in_transaction(statement(&id, ENDLESS))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(endless);
    assert_eq!(within(&mut client, &id, COUNT).await.unwrap().number(), 1);
    commit(&mut client, &id).await.unwrap();
}
