//! How a server starts and ends.

use super::harness::{ENDLESS, Fixture, ask, config, run, token, tokens_file, until, with_token};
use std::time::Duration;
use stratigraph_server::auth::Role;
use stratigraph_server::{Server, ServerError};
use tonic::Code;

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_may_finish_and_nothing_begins() {
    let fixture = Fixture::start(|config, _| config.shutdown_limit = "60s".parse().unwrap()).await;
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
