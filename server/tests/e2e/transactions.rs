//! `TransactionService`.

use super::harness::{Answer, ENDLESS, Fixture, ask, reason, run, text_of, until};
use std::time::{Duration, Instant};
use stratigraph_proto::v1::transaction_service_client::TransactionServiceClient;
use stratigraph_proto::v1::value::Kind;
use stratigraph_proto::v1::{self, TransactionMode, run_in_transaction_response::Part};
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};

type Client = TransactionServiceClient<Channel>;

async fn begin(client: &mut Client, mode: TransactionMode) -> Result<String, Status> {
    let request = v1::BeginTransactionRequest {
        mode: mode.into(),
        ..v1::BeginTransactionRequest::default()
    };
    begin_with(client, request).await
}

async fn begin_with(
    client: &mut Client,
    request: v1::BeginTransactionRequest,
) -> Result<String, Status> {
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
    read(&mut parts).await
}

async fn read(parts: &mut Streaming<v1::RunInTransactionResponse>) -> Result<Answer, Status> {
    let mut answer = Answer::default();
    let mut ended = false;
    while let Some(part) = parts.message().await? {
        match part.part.unwrap() {
            Part::Header(header) => answer.columns = header.columns,
            Part::Rows(batch) => answer
                .rows
                .extend(batch.rows.into_iter().map(|row| row.values)),
            Part::Summary(summary) => {
                answer.summary = summary;
                ended = true;
            }
        }
    }
    assert!(ended, "an answer ends with a summary or a status");
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
        config.max_transaction_idle = "1s".parse().unwrap();
        config.max_write_queue_wait = "30s".parse().unwrap();
    })
    .await;
    let (mut client, mut queries) = (fixture.transactions().await, fixture.queries().await);
    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    within(&mut client, &id, "CREATE (:P)").await.unwrap();
    run(&mut queries, ask("CREATE (:Q)")).await.unwrap();
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
    let hurried = v1::BeginTransactionRequest {
        mode: TransactionMode::Write.into(),
        queue_timeout_ms: Some(400),
        ..v1::BeginTransactionRequest::default()
    };
    let refused = begin_with(&mut client, hurried).await.unwrap_err();
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

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_twice_hears_the_same_twice() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.transactions().await;
    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    within(&mut client, &id, "CREATE (:P)").await.unwrap();
    let first = commit(&mut client, &id).await.unwrap();
    assert!(first.is_some());
    assert_eq!(commit(&mut client, &id).await.unwrap(), first);
    // Nothing else can be done with it, and nobody says that it was rolled back.
    for refused in [
        within(&mut client, &id, COUNT).await.map(drop),
        rollback(&mut client, &id).await,
    ] {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        assert!(refused.message().contains("it is committed"), "{refused}");
    }

    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    rollback(&mut client, &id).await.unwrap();
    rollback(&mut client, &id).await.unwrap();
    let refused = commit(&mut client, &id).await.unwrap_err();
    assert!(
        refused.message().contains("it was rolled back"),
        "{refused}"
    );
}

/// Rows that take long to read: 20 MB.
fn long(id: &str) -> v1::RunInTransactionRequest {
    let text = Kind::StringValue("x".repeat(10_000));
    v1::RunInTransactionRequest {
        parameters: [("text".to_owned(), text.into())].into(),
        ..statement(id, "UNWIND range(1, 2000) AS n RETURN n, $text AS text")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_trickles_holds_the_writers_place_no_longer_than_anybody_may() {
    let fixture = Fixture::start(|config, _| {
        config.max_transaction_time = "2s".parse().unwrap();
        config.max_write_queue_wait = "30s".parse().unwrap();
    })
    .await;
    let mut client = fixture.transactions().await;
    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    let mut parts = client
        .run_in_transaction(long(&id))
        .await
        .unwrap()
        .into_inner();
    // All of it takes minutes; a message comes far more often than `max_stall` asks for.
    let trickle = tokio::spawn(async move {
        loop {
            match parts.message().await {
                Ok(Some(_)) => tokio::time::sleep(Duration::from_millis(500)).await,
                Ok(None) => panic!("it has all its rows"),
                Err(status) => break status,
            }
        }
    });
    run(&mut fixture.queries().await, ask("CREATE (:Q)"))
        .await
        .unwrap();
    let over = commit(&mut client, &id).await.unwrap_err();
    assert_eq!(reason(&over), "TransactionOver");
    assert!(over.message().contains("lasted"), "{over}");
    assert_eq!(trickle.await.unwrap().code(), Code::DeadlineExceeded);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_in_a_transaction_that_ends_is_told_so() {
    let fixture = Fixture::start(|config, _| config.max_stall = "500ms".parse().unwrap()).await;
    let mut client = fixture.transactions().await;
    let id = begin(&mut client, TransactionMode::Read).await.unwrap();
    let _unread = client.run_in_transaction(long(&id)).await.unwrap();
    let refused = within(&mut client, &id, "RETURN 1").await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::Aborted, "TransactionOver")
    );
    assert!(refused.message().contains("took no rows"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_whose_time_is_over_while_its_rows_go_out_has_changed_nothing() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.transactions().await;
    let id = begin(&mut client, TransactionMode::Write).await.unwrap();
    let mut request = long(&id);
    request.statement = Some(text_of(
        "UNWIND range(1, 2000) AS n CREATE (:P) RETURN n, $text AS text",
    ));
    request.options = Some(v1::QueryOptions {
        timeout_ms: Some(4000),
        ..v1::QueryOptions::default()
    });
    let mut unread = client
        .run_in_transaction(request)
        .await
        .unwrap()
        .into_inner();
    assert!(matches!(
        unread.message().await.unwrap().unwrap().part,
        Some(Part::Header(_))
    ));
    // It waits until that one has ended.
    assert_eq!(within(&mut client, &id, COUNT).await.unwrap().number(), 0);
    let late = read(&mut unread).await.unwrap_err();
    assert_eq!(late.code(), Code::DeadlineExceeded);
    commit(&mut client, &id).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_in_a_transaction_takes_its_turn_like_any_other() {
    let fixture = Fixture::start(|config, _| {
        config.max_queries = 1;
        config.max_queue_wait = "200ms".parse().unwrap();
    })
    .await;
    let (mut client, mut queries) = (fixture.transactions().await, fixture.queries().await);
    let id = begin(&mut client, TransactionMode::Read).await.unwrap();
    let held = queries.query(ask(ENDLESS)).await.unwrap();
    let refused = within(&mut client, &id, COUNT).await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::ResourceExhausted, "QueueTimeout")
    );
    drop(held);
    // The transaction goes on.
    until("the turn is free", Duration::from_secs(30), async || {
        within(&mut client, &id, COUNT).await.is_ok()
    })
    .await;
    commit(&mut client, &id).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn those_that_read_take_no_places_of_those_that_write() {
    let fixture = Fixture::start(|config, _| config.max_transactions = 1).await;
    let mut client = fixture.transactions().await;
    begin(&mut client, TransactionMode::Read).await.unwrap();
    let refused = begin(&mut client, TransactionMode::Read).await.unwrap_err();
    assert_eq!(reason(&refused), "ServerBusy");
    begin(&mut client, TransactionMode::Write).await.unwrap();
}
