//! How a server starts and ends.

use super::harness::{ENDLESS, Fixture, ask, config, run, token, tokens_file, until, with_token};
use std::time::Duration;
use stratigraph_proto::v1;
use stratigraph_server::auth::Role;
use stratigraph_server::{Server, ServerError};
use tonic::Code;

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_may_finish_and_nothing_begins() {
    let fixture = Fixture::start(|config, _| config.shutdown_limit = "2min".parse().unwrap()).await;
    let mut client = fixture.queries().await;
    let mut other = fixture.queries().await;
    run(
        &mut client,
        ask("UNWIND range(1, 200) AS n CREATE (:P {n: n})"),
    )
    .await
    .unwrap();
    let long =
        "UNWIND range(1, 3) AS c MATCH (a:P), (b:P) WHERE a.n + b.n + c < 0 RETURN count(*) AS n";
    let asked = client.query(ask(long)).await.unwrap().into_inner();
    let asked = tokio::spawn(super::harness::read(asked));
    let Fixture { server, folder } = fixture;
    let ending = tokio::spawn(server.shutdown());
    until("nothing begins", Duration::from_secs(30), async || {
        run(&mut other, ask("RETURN 1")).await.is_err()
    })
    .await;
    assert_eq!(asked.await.unwrap().unwrap().number(), 0);
    ending.await.unwrap().unwrap();
    // All of it is there, and nobody holds it.
    let server = Server::start(&folder.path().join("data"), config(&folder))
        .await
        .unwrap();
    let again = Fixture { server, folder };
    let mut client = again.queries().await;
    assert_eq!(
        run(&mut client, ask("MATCH (n) RETURN count(n) AS n"))
            .await
            .unwrap()
            .number(),
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_too_long_is_cancelled() {
    let fixture =
        Fixture::start(|config, _| config.shutdown_limit = "200ms".parse().unwrap()).await;
    let mut client = fixture.queries().await;
    let asked = client.query(ask(ENDLESS)).await.unwrap().into_inner();
    let asked = tokio::spawn(super::harness::read(asked));
    fixture.server.shutdown().await.unwrap();
    let ended = asked.await.unwrap().unwrap_err();
    assert!(
        matches!(
            ended.code(),
            Code::Cancelled | Code::Unavailable | Code::Unknown
        ),
        "{ended}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_others_reach_is_refused_without_tls_and_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(&folder);
    config.listen = ([0, 0, 0, 0], 0).into();
    let refused = Server::start(folder.path(), config.clone())
        .await
        .map(drop)
        .unwrap_err();
    assert!(matches!(refused, ServerError::Config(_)), "{refused}");
    config.insecure_listen_without_tls_and_auth = true;
    Server::start(folder.path(), config)
        .await
        .unwrap()
        .shutdown()
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_its_own_is_served_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("library");
    let db = stratigraph::Database::create(&path).unwrap();
    db.query("CREATE (:P)", ()).unwrap();
    let held = Server::start(&path, config(&folder))
        .await
        .map(drop)
        .unwrap_err();
    assert!(held.to_string().contains("open elsewhere"), "{held}");
    db.close().unwrap();
    let server = Server::start(&path, config(&folder)).await.unwrap();
    let fixture = Fixture { server, folder };
    let mut client = fixture.queries().await;
    assert_eq!(
        run(&mut client, ask("MATCH (n) RETURN count(n) AS n"))
            .await
            .unwrap()
            .number(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_read_again_when_they_change() {
    let mut first = String::new();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        first = token(&file, "first", &[("*", Role::Read)], None);
        config.tokens = Some(file);
        config.reload_interval = "20ms".parse().unwrap();
    })
    .await;
    let mut client = fixture.queries().await;
    let file = tokens_file(fixture.folder.path());
    let second = token(&file, "second", &[("*", Role::Read)], None);
    until("the second is known", Duration::from_secs(30), async || {
        run(&mut client, with_token(ask("RETURN 1"), &second))
            .await
            .is_ok()
    })
    .await;
    std::fs::write(&file, "").unwrap();
    until("the first is gone", Duration::from_secs(30), async || {
        run(&mut client, with_token(ask("RETURN 1"), &first))
            .await
            .is_err()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_transaction_may_finish_while_nothing_else_begins() {
    use tonic_health::pb::health_client::HealthClient;
    use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
    let fixture = Fixture::start(|config, _| {
        config.shutdown_limit = "1h".parse().unwrap();
        config.max_transaction_idle = "1h".parse().unwrap();
        config.metrics_listen = Some(([127, 0, 0, 1], 0).into());
    })
    .await;
    let mut transactions = fixture.transactions().await;
    let mut health = HealthClient::new(fixture.channel().await);
    let mut queries = fixture.queries().await;
    let probes = fixture.server.metrics_address().unwrap();
    let mut watched = health
        .watch(HealthCheckRequest::default())
        .await
        .unwrap()
        .into_inner();
    let begun = transactions
        .begin_transaction(v1::BeginTransactionRequest {
            mode: v1::TransactionMode::Write.into(),
            ..v1::BeginTransactionRequest::default()
        })
        .await
        .unwrap()
        .into_inner();
    let id = begun.transaction_id;
    let Fixture { server, folder } = fixture;
    let ending = tokio::spawn(server.shutdown());
    let mut told = Vec::new();
    while told.last() != Some(&ServingStatus::NotServing) {
        let next = watched.message().await.unwrap().unwrap();
        told.push(ServingStatus::try_from(next.status).unwrap());
    }
    let asked = health.check(HealthCheckRequest::default()).await.unwrap();
    assert_eq!(
        asked.into_inner().status,
        i32::from(ServingStatus::NotServing)
    );
    let ready = super::harness::http(probes, "/readyz").await;
    assert!(ready.starts_with("HTTP/1.1 503"), "{ready}");
    let refused = run(&mut queries, ask("RETURN 1")).await.unwrap_err();
    assert_eq!(
        (refused.code(), super::harness::reason(&refused).as_str()),
        (Code::Unavailable, "ShuttingDown")
    );
    let refused = transactions
        .begin_transaction(v1::BeginTransactionRequest::default())
        .await
        .unwrap_err();
    assert_eq!(super::harness::reason(&refused), "ShuttingDown");
    let mut parts = transactions
        .run_in_transaction(v1::RunInTransactionRequest {
            transaction_id: id.clone(),
            statement: Some(super::harness::text_of("CREATE (:P)")),
            ..v1::RunInTransactionRequest::default()
        })
        .await
        .unwrap()
        .into_inner();
    while parts.message().await.unwrap().is_some() {}
    assert!(!ending.is_finished());
    transactions
        .commit_transaction(v1::CommitTransactionRequest {
            transaction_id: id,
            ..v1::CommitTransactionRequest::default()
        })
        .await
        .unwrap();
    // The limit is an hour: it ends because nothing is left, the watcher among it.
    ending.await.unwrap().unwrap();
    while let Ok(Some(_)) = watched.message().await {}
    let server = Server::start(&folder.path().join("data"), config(&folder))
        .await
        .unwrap();
    let again = Fixture { server, folder };
    let mut client = again.queries().await;
    let count = run(&mut client, ask("MATCH (n) RETURN count(n) AS n")).await;
    assert_eq!(count.unwrap().number(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_outlasts_the_limit_whatever_clients_do() {
    use stratigraph_proto::v1::bulk_service_client::BulkServiceClient;
    use stratigraph_proto::v1::bulk_write_request::Part;
    let fixture = Fixture::start(|config, _| {
        config.shutdown_limit = "1s".parse().unwrap();
        for period in [
            &mut config.max_transaction_idle,
            &mut config.max_transaction_time,
            &mut config.max_query_time,
            &mut config.max_stall,
        ] {
            *period = "1h".parse().unwrap();
        }
    })
    .await;
    // A bulk load whose client says no more, a transaction that nobody ends, and a reader that does not read.
    let (parts, stream) = tokio::sync::mpsc::channel(4);
    let start = v1::BulkStart {
        mode: v1::BulkMode::Load.into(),
        ..v1::BulkStart::default()
    };
    let nodes = v1::BulkNodes {
        nodes: vec![v1::BulkNode::default()],
    };
    for part in [Part::Start(start), Part::Nodes(nodes)] {
        let part = v1::BulkWriteRequest { part: Some(part) };
        parts.send(part).await.unwrap();
    }
    let mut load = BulkServiceClient::new(fixture.channel().await)
        .bulk_write(tokio_stream::wrappers::ReceiverStream::new(stream))
        .await
        .unwrap()
        .into_inner();
    assert!(load.message().await.unwrap().is_some(), "it is under way");
    let mut transactions = fixture.transactions().await;
    transactions
        .begin_transaction(v1::BeginTransactionRequest::default())
        .await
        .unwrap();
    let long = "UNWIND range(1, 1000000) AS n RETURN n, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' AS x";
    let unread = fixture.queries().await.query(ask(long)).await.unwrap();
    let Fixture { server, folder } = fixture;
    tokio::time::timeout(Duration::from_secs(60), server.shutdown())
        .await
        .expect("it ends")
        .unwrap();
    let cut = loop {
        match load.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("a load that was cut has no verdict"),
            Err(status) => break status,
        }
    };
    assert_eq!(
        (cut.code(), super::harness::reason(&cut).as_str()),
        (Code::Unavailable, "ShuttingDown")
    );
    // Nobody holds the database, and nothing of the load is in it.
    let server = Server::start(&folder.path().join("data"), config(&folder))
        .await
        .unwrap();
    let again = Fixture { server, folder };
    let mut client = again.queries().await;
    let count = run(&mut client, ask("MATCH (n) RETURN count(n) AS n")).await;
    assert_eq!(count.unwrap().number(), 0);
    drop((parts, unread));
}
