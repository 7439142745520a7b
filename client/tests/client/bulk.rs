//! Bulk writes.

use crate::fake::{Act, End, Fake, refusal};
use serde::Serialize;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stratigraph_client::{BulkNode, Error};
use stratigraph_proto::v1::node_reference;
use tonic::Code;

#[derive(Serialize)]
struct Person {
    name: String,
    nick: Option<String>,
}

fn person(name: impl Into<String>) -> Person {
    Person {
        name: name.into(),
        nick: None,
    }
}

#[tokio::test]
async fn what_is_written_arrives_in_batches_with_progress_and_one_verdict() {
    let fake = Fake::start([]).await;
    let client = fake.client().await.database("library");
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let mut bulk = client
        .bulk()
        .batch_bytes(1000)
        .on_progress(move |so_far| heard.lock().unwrap().push(so_far.nodes))
        .start();
    let mut before = BulkNode::existing(77);
    for number in 0..200 {
        let node = bulk
            .node(["Person"], person(format!("number {number}")))
            .await
            .unwrap();
        bulk.relationship(node, "AFTER", before, ()).await.unwrap();
        bulk.vector(node, "embedding", vec![0.5; 3]).await.unwrap();
        before = node;
    }
    let verdict = bulk.finish().await.unwrap();
    assert_eq!(
        (verdict.nodes, verdict.relationships, verdict.vectors),
        (200, 200, 200)
    );
    assert_eq!(verdict.sequence, 9);

    let taken = fake.state.taken.lock().unwrap().clone();
    assert_eq!(taken.started.unwrap().database, "library");
    assert!(
        (20..200).contains(&taken.messages),
        "{} messages",
        taken.messages
    );
    let references: Vec<u64> = taken.nodes.iter().map(|node| node.reference).collect();
    assert_eq!(references, (1..=200).collect::<Vec<_>>());
    assert!(
        !taken.nodes[0].properties.contains_key("nick"),
        "a null is no property"
    );
    let target = |number: usize| taken.relationships[number].target.unwrap().node.unwrap();
    assert_eq!(target(0), node_reference::Node::Id(77));
    assert_eq!(target(9), node_reference::Node::Reference(9));
    let told = told.lock().unwrap();
    assert!(told.len() > 10 && told.is_sorted(), "{told:?}");
}

#[tokio::test]
async fn a_slow_server_makes_the_writer_wait() {
    let fake = Fake::start([Act::Hang]).await;
    let client = fake.client().await;
    let mut bulk = client.bulk().batch_bytes(64 << 10).start();
    let text = "x".repeat(32 << 10);
    let mut written = 0;
    loop {
        let wrote = bulk.node(["Person"], person(&*text));
        match tokio::time::timeout(Duration::from_millis(500), wrote).await {
            Ok(wrote) => wrote.unwrap(),
            Err(_waited) => break,
        };
        written += 1;
        assert!(
            written < 2000,
            "64 MB were taken by a server that reads nothing"
        );
    }
    // One that is dropped changes nothing.
    drop(bulk);
    assert!(!fake.state.taken.lock().unwrap().is_finished);
}

#[tokio::test]
async fn a_writer_that_is_dropped_tells_the_server() {
    let fake = Fake::start([]).await;
    let client = fake.client().await;
    let mut bulk = client.bulk().batch_bytes(1).start();
    bulk.node(["Person"], person("Ada")).await.unwrap();
    fake.until("it is there", |state| {
        !state.taken.lock().unwrap().nodes.is_empty()
    })
    .await;
    drop(bulk);
    fake.until("the stream is over", |state| {
        state.taken.lock().unwrap().is_over
    })
    .await;
    assert!(!fake.state.taken.lock().unwrap().is_finished);
}

#[tokio::test]
async fn a_refusal_in_the_middle_reaches_the_writer() {
    let status = refusal(Code::FailedPrecondition, "ConstraintViolation", &[], None);
    let fake = Fake::start([Act::Rows(vec![], vec![], End::Fail(status))]).await;
    let client = fake.client().await;
    let mut bulk = client.bulk().batch_bytes(1).start();
    let error = loop {
        if let Err(error) = bulk.node(["Person"], person("Ada")).await {
            break error;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(error.code(), Some("ConstraintViolation"));
    // And stays.
    let again = bulk.node(["Person"], person("Bob")).await.unwrap_err();
    assert_eq!(again.code(), Some("ConstraintViolation"));
    assert_eq!(
        bulk.finish().await.unwrap_err().code(),
        Some("ConstraintViolation")
    );
}

#[tokio::test]
async fn a_verdict_that_does_not_come_is_an_unknown_outcome() {
    let fake = Fake::start([Act::WorkAndCut]).await;
    let client = fake.client().await;
    let mut bulk = client.bulk().start();
    bulk.node(["Person"], person("Ada")).await.unwrap();
    let error = bulk.finish().await.unwrap_err();
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
    assert_eq!(fake.calls("BulkWrite"), 1);
}

#[tokio::test]
async fn wrong_properties_are_refused_here_and_the_write_goes_on() {
    let fake = Fake::start([]).await;
    let client = fake.builder().max_send_bytes(4000).connect().await.unwrap();
    let mut bulk = client.bulk().load().start();
    let long = person("x".repeat(2000));
    let refused = bulk.node(["Person"], long).await.unwrap_err();
    assert!(matches!(refused, Error::TooLarge { .. }), "{refused:?}");
    let refused = bulk.node(["Person"], 7).await.unwrap_err();
    assert!(matches!(refused, Error::Parameter { .. }), "{refused:?}");
    bulk.node(["Person"], person("Ada")).await.unwrap();
    let verdict = bulk.finish().await.unwrap();
    assert_eq!(verdict.nodes, 1);
    let started = fake.state.taken.lock().unwrap().started.clone().unwrap();
    assert_eq!(started.mode(), stratigraph_proto::v1::BulkMode::Load);
}
