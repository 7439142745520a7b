//! `BulkService`.

use super::harness::{Fixture, ask, reason, run};
use std::time::Duration;
use stratigraph_proto::v1::bulk_service_client::BulkServiceClient;
use stratigraph_proto::v1::bulk_write_request::Part;
use stratigraph_proto::v1::bulk_write_response::Part as Told;
use stratigraph_proto::v1::node_reference::Node as Referred;
use stratigraph_proto::v1::{self, BulkMode, value::Kind};
use tonic::transport::Channel;
use tonic::{Code, Status};

fn start(mode: BulkMode) -> Part {
    Part::Start(v1::BulkStart {
        mode: mode.into(),
        ..v1::BulkStart::default()
    })
}

fn nodes(from: u64, count: u64) -> Part {
    let nodes = (from..from + count).map(|reference| v1::BulkNode {
        reference,
        labels: vec!["Chunk".to_owned()],
        properties: [(
            "n".to_owned(),
            Kind::IntValue(i64::try_from(reference).unwrap()).into(),
        )]
        .into(),
    });
    Part::Nodes(v1::BulkNodes {
        nodes: nodes.collect(),
    })
}

fn reference(reference: u64) -> Option<v1::NodeReference> {
    Some(v1::NodeReference {
        node: Some(Referred::Reference(reference)),
    })
}

fn chain(from: u64, count: u64) -> Part {
    let relationships = (from..from + count).map(|one| v1::BulkRelationship {
        source: reference(one),
        target: reference(one + 1),
        r#type: "NEXT".to_owned(),
        ..v1::BulkRelationship::default()
    });
    Part::Relationships(v1::BulkRelationships {
        relationships: relationships.collect(),
    })
}

async fn write(channel: Channel, parts: Vec<Part>) -> Result<(v1::BulkVerdict, usize), Status> {
    let mut client = BulkServiceClient::new(channel);
    let messages = parts
        .into_iter()
        .map(|part| v1::BulkWriteRequest { part: Some(part) });
    let mut told = client
        .bulk_write(tokio_stream::iter(messages.collect::<Vec<_>>()))
        .await?
        .into_inner();
    let (mut verdict, mut progress) = (None, 0);
    while let Some(message) = told.message().await? {
        match message.part.unwrap() {
            Told::Progress(_) => progress += 1,
            Told::Verdict(one) => assert!(verdict.replace(one).is_none(), "there is one verdict"),
        }
    }
    Ok((verdict.unwrap(), progress))
}

const FINISH: Part = Part::Finish(v1::BulkFinish {});

#[tokio::test(flavor = "multi_thread")]
async fn many_nodes_and_relationships_come_with_one_verdict() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut queries = fixture.queries().await;
    for (mode, all) in [(BulkMode::Transaction, 1000), (BulkMode::Load, 2000)] {
        let parts = vec![
            start(mode),
            nodes(1, 500),
            nodes(501, 500),
            chain(1, 999),
            FINISH,
        ];
        let (verdict, progress) = write(fixture.channel().await, parts).await.unwrap();
        assert_eq!((verdict.nodes, verdict.relationships), (1000, 999));
        assert!(verdict.sequence > 0 && progress > 0);
        let count = run(&mut queries, ask("MATCH (n) RETURN count(n) AS n"))
            .await
            .unwrap();
        assert_eq!(count.number(), all);
    }
    let vector = Part::Vectors(v1::BulkVectors {
        vectors: vec![v1::BulkVector {
            node: reference(1),
            property: "e".to_owned(),
            vector: Some(v1::Vector {
                components: vec![1.0, 2.0],
            }),
        }],
    });
    let parts = vec![start(BulkMode::Transaction), nodes(1, 1), vector, FINISH];
    let (verdict, _) = write(fixture.channel().await, parts).await.unwrap();
    assert_eq!((verdict.nodes, verdict.vectors), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_write_that_fails_has_changed_nothing() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut queries = fixture.queries().await;
    for mode in [BulkMode::Transaction, BulkMode::Load] {
        for (parts, code) in [
            (vec![start(mode), nodes(1, 10)], Code::InvalidArgument),
            (
                vec![start(mode), nodes(1, 10), nodes(5, 1), FINISH],
                Code::InvalidArgument,
            ),
            (
                vec![start(mode), nodes(1, 10), chain(9, 5), FINISH],
                Code::InvalidArgument,
            ),
            (
                vec![start(mode), nodes(1, 10), start(mode), FINISH],
                Code::InvalidArgument,
            ),
            (vec![nodes(1, 10), FINISH], Code::InvalidArgument),
        ] {
            let refused = write(fixture.channel().await, parts).await.unwrap_err();
            assert_eq!(refused.code(), code, "{refused}");
        }
    }
    assert_eq!(
        run(&mut queries, ask("MATCH (n) RETURN count(n) AS n"))
            .await
            .unwrap()
            .number(),
        0
    );
    run(&mut queries, ask("CREATE (:P)")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_client_that_stalls_does_not_hold_up_the_others() {
    let fixture =
        Fixture::start(|config, _| config.max_transaction_idle = "1s".parse().unwrap()).await;
    let mut client = BulkServiceClient::new(fixture.channel().await);
    let (feed, fed) = tokio::sync::mpsc::channel(4);
    for part in [start(BulkMode::Load), nodes(1, 10)] {
        feed.send(v1::BulkWriteRequest { part: Some(part) })
            .await
            .unwrap();
    }
    let stream = tokio_stream::wrappers::ReceiverStream::new(fed);
    let mut told = client.bulk_write(stream).await.unwrap().into_inner();
    run(&mut fixture.queries().await, ask("CREATE (:P)"))
        .await
        .unwrap();
    let ended = loop {
        match told.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("no verdict"),
            Err(status) => break status,
        }
    };
    assert_eq!(
        (ended.code(), reason(&ended).as_str()),
        (Code::Aborted, "TransactionOver")
    );
    drop(feed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_client_that_never_ends_is_ended_however_quick_it_is() {
    let fixture = Fixture::start(|config, _| config.max_bulk_time = "500ms".parse().unwrap()).await;
    let mut client = BulkServiceClient::new(fixture.channel().await);
    let nothing = || v1::BulkWriteRequest {
        part: Some(Part::Nodes(v1::BulkNodes::default())),
    };
    let first = v1::BulkWriteRequest {
        part: Some(start(BulkMode::Transaction)),
    };
    let endless = std::iter::once(first).chain(std::iter::repeat_with(nothing));
    let told = client.bulk_write(tokio_stream::iter(endless)).await;
    let mut told = told.unwrap().into_inner();
    let ended = async {
        loop {
            match told.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("no verdict"),
                Err(status) => break status,
            }
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(60), ended).await;
    assert_eq!(ended.unwrap().code(), Code::DeadlineExceeded);
}
