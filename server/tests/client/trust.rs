//! Who a client is, and what it survives.

use super::{Fixture, config};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use stratigraph_client::{Client, Error, ErrorKind, Retry};
use stratigraph_server::Server;
use stratigraph_server::auth::{Role, Secret, TokenRecord, add_token};

#[tokio::test(flavor = "multi_thread")]
async fn tokens_decide_what_a_client_may_do() {
    let secret = Secret::new_token().unwrap();
    let fixture = Fixture::start(|config, folder| {
        let file = folder.join("tokens.toml");
        let record = TokenRecord {
            name: "reader".to_owned(),
            hash: secret.hash().to_string(),
            expires: None,
            roles: [("*".to_owned(), Role::Read)].into(),
        };
        add_token(&file, record).unwrap();
        config.tokens = Some(file);
    })
    .await;
    let endpoint = format!("http://{}", fixture.server.address());
    let reader = Client::builder(endpoint.clone())
        .token(secret.expose())
        .connect()
        .await
        .unwrap();
    assert_eq!(reader.query("RETURN 1").one::<i64>().await.unwrap(), 1);
    let error = reader.query("CREATE ()").run().await.unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Denied, Some("PermissionDenied"))
    );
    for token in [None, Some("wrong")] {
        let mut builder = Client::builder(endpoint.clone());
        if let Some(token) = token {
            builder = builder.token(token);
        }
        let error = builder
            .connect()
            .await
            .unwrap()
            .query("RETURN 1")
            .run()
            .await
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.code()),
            (ErrorKind::Denied, Some("Unauthenticated"))
        );
    }
}

/// Waits until each of these has grown by so much.
async fn grow(counts: &[&AtomicU64], by: u64) {
    let began = Instant::now();
    for count in counts {
        let wanted = count.load(Ordering::Relaxed) + by;
        while count.load(Ordering::Relaxed) < wanted {
            assert!(began.elapsed() < Duration::from_secs(60), "nothing goes on");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_retries_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Server::start(&data, config(folder.path())).await.unwrap();
    let address = server.address();
    let retry = Retry::default()
        .attempts(300)
        .first_wait(Duration::from_millis(20));
    let retry = retry.longest_wait(Duration::from_millis(200));
    let client = Client::builder(format!("http://{address}"))
        .retry(retry)
        .connect()
        .await
        .unwrap();
    let ends = Arc::new(AtomicBool::new(false));
    let (reader, writer) = (client.clone(), client.clone());
    let (read_ends, write_ends) = (Arc::clone(&ends), Arc::clone(&ends));
    let reads = Arc::new(AtomicU64::new(0));
    let sure = Arc::new(AtomicU64::new(0));
    let (made, written) = (Arc::clone(&reads), Arc::clone(&sure));
    let reader = tokio::spawn(async move {
        while !read_ends.load(Ordering::Relaxed) {
            reader
                .query("MATCH (n) RETURN count(n)")
                .read_only()
                .one::<i64>()
                .await
                .unwrap();
            made.fetch_add(1, Ordering::Relaxed);
        }
    });
    let writer = tokio::spawn(async move {
        let mut unknown = 0;
        while !write_ends.load(Ordering::Relaxed) {
            match writer
                .write(async |txn| txn.query("CREATE (:N)").run().await)
                .await
            {
                Ok(_) => drop(written.fetch_add(1, Ordering::Relaxed)),
                Err(Error::OutcomeUnknown { .. }) => unknown += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        unknown
    });
    let both = [&*reads, &*sure];
    grow(&both, 10).await;
    server.shutdown().await.unwrap();
    let mut again = config(folder.path());
    again.listen = address;
    let server = Server::start(&data, again).await.unwrap();
    grow(&both, 10).await;
    ends.store(true, Ordering::Relaxed);
    reader.await.unwrap();
    let (unknown, sure) = (writer.await.unwrap(), sure.load(Ordering::Relaxed));
    let there: u64 = client
        .query("MATCH (n:N) RETURN count(n)")
        .one()
        .await
        .unwrap();
    assert!(
        (sure..=sure + unknown).contains(&there),
        "{there}: {sure} + {unknown}"
    );
    server.shutdown().await.unwrap();
}
