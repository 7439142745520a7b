//! Transactions, as closures and step by step.

use crate::fake::{Act, End, Fake, numbers, refusal};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use stratigraph_client::{Error, ErrorKind};
use stratigraph_proto::v1::value::Kind;
use tonic::{Code, Status};

fn unavailable() -> Act {
    Act::Fail(Status::unavailable("gone"))
}

#[tokio::test]
async fn ok_commits_and_err_rolls_back() {
    let fake = Fake::start([Act::Usual, numbers([1]), Act::Usual]).await;
    let client = fake.client().await;
    let value: i64 = client
        .write(|txn| async move { txn.query("CREATE (n) RETURN 1").one().await })
        .await
        .unwrap();
    assert_eq!(value, 1);
    assert_eq!(*fake.state.committed.lock().unwrap(), ["transaction-0"]);

    let error: anyhow::Result<()> = client
        .write(|txn| async move {
            txn.query("CREATE (n)").run().await?;
            anyhow::bail!("the application has changed its mind")
        })
        .await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "the application has changed its mind"
    );
    assert_eq!(*fake.state.rolled_back.lock().unwrap(), ["transaction-1"]);
    assert_eq!(
        fake.calls("BeginTransaction"),
        2,
        "the application's own error was retried"
    );
}

#[tokio::test]
async fn a_read_transaction_reads_one_snapshot() {
    let fake = Fake::start([Act::Usual, numbers([1]), unavailable(), numbers([2])]).await;
    let client = fake.client().await;
    let sum = client
        .read(|txn| async move {
            assert_eq!(txn.sequence(), Some(7));
            let first: i64 = txn.query("a").one().await?;
            // A read within a transaction is made again in it.
            let second: i64 = txn.query("b").one().await?;
            Ok::<_, Error>(first + second)
        })
        .await
        .unwrap();
    assert_eq!(sum, 3);
    assert_eq!(fake.calls("BeginTransaction"), 1);
    assert_eq!(fake.seen()[0].what, "TRANSACTION_MODE_READ");
}

#[tokio::test]
async fn a_transaction_that_is_lost_is_done_again_as_a_whole() {
    let over = refusal(Code::Aborted, "TransactionOver", &[], None);
    let fake = Fake::start([
        // A statement of which nobody knows whether it ran.
        Act::Usual,
        Act::Cut,
        Act::Usual,
        // The server has rolled it back.
        Act::Usual,
        Act::Fail(over),
        Act::Usual,
        // And at last.
        Act::Usual,
        numbers([1]),
        Act::Usual,
    ])
    .await;
    let client = fake.client().await;
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let value = client
        .write(move |txn| {
            counted.fetch_add(1, Ordering::Relaxed);
            async move { txn.query("CREATE (n) RETURN 1").one::<i64>().await }
        })
        .await
        .unwrap();
    assert_eq!((value, runs.load(Ordering::Relaxed)), (1, 3));
    assert_eq!(*fake.state.committed.lock().unwrap(), ["transaction-2"]);
}

#[tokio::test]
async fn a_lost_transaction_is_not_committed_whatever_the_closure_says() {
    let fake = Fake::start([Act::Usual, Act::Cut]).await;
    let client = fake.client().await;
    let runs = AtomicUsize::new(0);
    client
        .write(|txn| {
            runs.fetch_add(1, Ordering::Relaxed);
            async move {
                // The error is swallowed.
                let _ = txn.query("CREATE (n)").run().await;
                Ok::<_, Error>(())
            }
        })
        .await
        .unwrap();
    assert_eq!(runs.load(Ordering::Relaxed), 2);
    assert_eq!(*fake.state.committed.lock().unwrap(), ["transaction-1"]);
}

#[tokio::test]
async fn a_commit_without_an_answer_is_not_made_again() {
    let fake = Fake::start([Act::Usual, numbers([1]), Act::WorkAndCut]).await;
    let client = fake.client().await;
    let runs = AtomicUsize::new(0);
    let error = client
        .write(|txn| {
            runs.fetch_add(1, Ordering::Relaxed);
            async move { txn.query("CREATE (n) RETURN 1").one::<i64>().await }
        })
        .await
        .unwrap_err();
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
    assert_eq!(runs.load(Ordering::Relaxed), 1);
    assert_eq!(fake.calls("CommitTransaction"), 1);
    assert_eq!(fake.state.committed.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_statement_that_fails_leaves_the_transaction_open() {
    let wrong = refusal(Code::InvalidArgument, "UndefinedVariable", &[], None);
    let busy = refusal(Code::ResourceExhausted, "ServerBusy", &[], Some(1));
    let fake = Fake::start([Act::Usual, Act::Fail(wrong), Act::Fail(busy), numbers([1])]).await;
    let txn = fake
        .client()
        .await
        .transaction()
        .begin_write()
        .await
        .unwrap();
    let error = txn.query("RETURN x").run().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert_eq!(
        txn.query("CREATE (n) RETURN 1").one::<i64>().await.unwrap(),
        1
    );
    assert_eq!(txn.commit().await.unwrap(), Some(8));
}

#[tokio::test]
async fn statements_run_one_after_the_other() {
    let many = Act::Rows(vec!["n"], vec![vec![vec![Kind::IntValue(1)]]; 3], End::Hang);
    let fake = Fake::start([Act::Usual, many, numbers([2])]).await;
    let txn = fake
        .client()
        .await
        .transaction()
        .begin_read()
        .await
        .unwrap();
    let mut rows = txn.query("a").rows().await.unwrap();
    rows.next().await.unwrap();
    assert!(matches!(
        txn.query("b").run().await,
        Err(Error::TransactionBusy)
    ));
    drop(rows);
    assert_eq!(txn.query("b").one::<i64>().await.unwrap(), 2);
    txn.rollback().await.unwrap();
}

#[tokio::test]
async fn giving_up_a_statement_that_only_reads_keeps_the_transaction() {
    let fake = Fake::start([Act::Usual, Act::Hang, numbers([1]), Act::Hang]).await;
    let client = fake.client().await;
    let txn = client.transaction().begin_write().await.unwrap();
    assert_eq!(
        (txn.idle_timeout(), txn.total_timeout()),
        (Duration::from_secs(1), Duration::from_secs(2))
    );
    let short = Duration::from_millis(20);
    let given_up = tokio::time::timeout(short, txn.query("a").read_only().rows()).await;
    assert!(given_up.is_err(), "it never answers");
    assert_eq!(txn.query("b").read_only().one::<i64>().await.unwrap(), 1);
    let given_up = tokio::time::timeout(short, txn.query("CREATE (n)").rows()).await;
    assert!(given_up.is_err(), "it never answers");
    assert!(matches!(
        txn.query("c").run().await,
        Err(Error::TransactionOver { .. })
    ));
}

#[tokio::test]
async fn a_transaction_that_is_dropped_is_rolled_back() {
    let fake = Fake::start([]).await;
    let client = fake.client().await;
    let txn = client.transaction().begin_write().await.unwrap();
    let leftover = (*txn).clone();
    drop(txn);
    assert!(
        fake.state.rolled_back.lock().unwrap().is_empty(),
        "a clone still holds it"
    );
    drop(leftover);
    fake.until("rolled back", |state| {
        state.rolled_back.lock().unwrap().len() == 1
    })
    .await;

    let txn = client.transaction().begin_write().await.unwrap();
    let leftover = (*txn).clone();
    txn.commit().await.unwrap();
    assert!(matches!(
        leftover.query("x").run().await,
        Err(Error::TransactionOver { .. })
    ));
}

#[tokio::test]
async fn a_statement_that_is_given_up_before_its_answer_cannot_be_committed() {
    let fake = Fake::start([Act::Usual, Act::Hang]).await;
    let txn = fake
        .client()
        .await
        .transaction()
        .begin_write()
        .await
        .unwrap();
    let statement = txn.query("CREATE (n)").run();
    assert!(
        tokio::time::timeout(Duration::from_millis(50), statement)
            .await
            .is_err()
    );
    let error = txn.commit().await.unwrap_err();
    assert!(matches!(error, Error::TransactionOver { .. }), "{error:?}");
    assert_eq!(fake.calls("CommitTransaction"), 0);
    fake.until("rolled back", |state| {
        state.rolled_back.lock().unwrap().len() == 1
    })
    .await;
}

#[tokio::test]
async fn timeouts_of_transactions_are_asked_for() {
    let fake = Fake::start([]).await;
    let client = fake.client().await.database("library");
    let txn = client
        .transaction()
        .queue_timeout(Duration::from_secs(1))
        .idle_timeout(Duration::from_secs(2))
        .total_timeout(Duration::from_secs(3))
        .begin_write()
        .await
        .unwrap();
    assert!(txn.writes());
    txn.rollback().await.unwrap();
    assert_eq!(*fake.state.rolled_back.lock().unwrap(), ["transaction-0"]);
}
