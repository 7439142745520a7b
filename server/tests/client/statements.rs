//! Statements, prepared ones, and transactions.

use super::Fixture;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stratigraph_client::value::{Date, Node, Vector};
use stratigraph_client::{Admin, Error, ErrorKind, Position, RunningQuery, Value};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Person {
    name: String,
    born: Option<i64>,
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_parameters_rows_and_errors() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    let told = client
        .query("CREATE (p:Person {name: $name, born: $born, day: $day, v: $v}) RETURN p")
        .params(Person {
            name: "Ada".to_owned(),
            born: Some(1815),
        })
        .param(
            "day",
            Date {
                epoch_days: -56_270,
            },
        )
        .param("v", Vector(vec![0.5, 1.0]))
        .run()
        .await
        .unwrap();
    assert_eq!(told.counters.nodes_created, 1);
    let ada: Person = client
        .query("MATCH (p:Person) RETURN p")
        .read_only()
        .one()
        .await
        .unwrap();
    assert_eq!((&*ada.name, ada.born), ("Ada", Some(1815)));
    let mut rows = client
        .query("MATCH (p:Person) RETURN p, p.day AS day, p.v AS v, [1, {a: null}] AS list, duration('P1DT1S') AS d")
        .rows()
        .await
        .unwrap();
    let row = rows.next().await.unwrap().unwrap();
    assert_eq!(row.get::<Node>("p").unwrap().labels, ["Person"]);
    assert_eq!(row.get::<&str>("v").unwrap_err().kind(), ErrorKind::Request);
    assert_eq!(row.get::<String>("day").unwrap(), "1815-12-10");
    assert_eq!(
        row.get::<Date>("day").unwrap(),
        Date {
            epoch_days: -56_270
        }
    );
    assert_eq!(row.get::<Vec<f32>>("v").unwrap(), [0.5, 1.0]);
    assert_eq!(row.get::<String>("d").unwrap(), "P1DT1S");
    assert!(matches!(row.value("list"), Some(Value::List(list)) if list.len() == 2));
    assert!(rows.next().await.unwrap().is_none());
    assert!(rows.summary().unwrap().sequence.is_some());

    let error = client.query("RETURN\n persn").run().await.unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Request, Some("UndefinedVariable"))
    );
    let place = Position {
        line: 2,
        column: 2,
        length: 5,
    };
    assert_eq!(error.position(), Some(place));
    assert!(error.request_id().is_some());
    let error = client
        .query("CREATE ()")
        .read_only()
        .run()
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some("ReadOnlyQuery"));
    let error = client
        .query("UNWIND [1, 0] AS x RETURN 1 / x")
        .run()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request, "{error:?}");

    assert!(
        !client
            .query("MATCH (p) RETURN p")
            .explain()
            .await
            .unwrap()
            .plan
            .is_empty()
    );
    let profiled = client.query("MATCH (p) RETURN p").profile().await.unwrap();
    assert!(
        profiled
            .operators
            .iter()
            .any(|operator| operator.work.is_some_and(|work| work.rows == 1))
    );
    let many: Vec<i64> = client
        .query("UNWIND range(1, 50000) AS n RETURN n")
        .all()
        .await
        .unwrap();
    assert!(many.len() == 50_000 && many.is_sorted());
    fixture.server.shutdown().await.unwrap();
}

/// Waits until so many statements run.
async fn running(admin: &Admin, count: usize) -> Vec<RunningQuery> {
    let began = Instant::now();
    loop {
        let running = admin.running_queries().await.unwrap();
        if running.len() == count {
            return running;
        }
        let waited = began.elapsed();
        assert!(waited < Duration::from_secs(30), "{running:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deadlines_and_statements_that_are_left() {
    const ENDLESS: &str = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a + b < 0 RETURN count(*) AS n";
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    let limit = Duration::from_millis(300);
    let error = client
        .query(ENDLESS)
        .read_only()
        .timeout(limit)
        .run()
        .await
        .unwrap_err();
    let is_about_time = matches!(error, Error::Deadline { .. })
        || error
            .refusal()
            .is_some_and(|said| said.code() == "TimeLimit");
    assert!(is_about_time, "{error:?}");

    let admin = client.admin();
    // The server may notice a moment later that the time of the first one is over.
    running(&admin, 0).await;
    let rows = client
        .query("UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN a, b")
        .rows()
        .await
        .unwrap();
    running(&admin, 1).await;
    drop(rows);
    running(&admin, 0).await;
    let victim = client.clone();
    let killed = tokio::spawn(async move { victim.query(ENDLESS).read_only().run().await });
    let victim = running(&admin, 1).await.remove(0);
    assert!(admin.kill(victim.query_id).await.unwrap());
    assert_eq!(killed.await.unwrap().unwrap_err().code(), Some("Killed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn prepared_and_named_statements() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    let prepared = client.prepare("RETURN $x + 1 AS n").await.unwrap();
    assert_eq!(
        (prepared.parameters(), prepared.columns()),
        (&["x".to_owned()][..], &["n".to_owned()][..])
    );
    assert!(!prepared.writes());
    assert_eq!(
        prepared.query().param("x", 4).one::<i64>().await.unwrap(),
        5
    );
    // The server forgets it; it is prepared again by itself.
    assert!(prepared.clone().forget().await.unwrap());
    assert_eq!(
        prepared.query().param("x", 5).one::<i64>().await.unwrap(),
        6
    );
    let sum = client
        .read(|txn| {
            let query = txn.prepared(&prepared).param("x", 1);
            async move { query.one::<i64>().await }
        })
        .await
        .unwrap();
    assert_eq!(sum, 2);
    let kept = client
        .named_queries()
        .save("double", "RETURN 2 * $x AS n", "twice")
        .await
        .unwrap();
    assert_eq!(kept.parameters, ["x"]);
    assert_eq!(
        client
            .named("double")
            .param("x", 4)
            .one::<i64>()
            .await
            .unwrap(),
        8
    );
    assert_eq!(client.named_queries().list().await.unwrap().len(), 1);
    assert!(client.named_queries().remove("double").await.unwrap());
    let error = client.named("double").run().await.unwrap_err();
    assert_eq!(error.code(), Some("NotFound"));
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    let count = "MATCH (n:N) RETURN count(n)";
    let inside: i64 = client
        .write(|txn| async move {
            txn.query("CREATE (:N), (:N)").run().await?;
            // A mistake in between changes nothing, and the transaction goes on.
            assert!(txn.query("CREATE (:N").run().await.is_err());
            txn.query(count).one().await
        })
        .await
        .unwrap();
    assert_eq!(inside, 2);
    let refused: Result<(), Error> = client
        .write(|txn| async move {
            txn.query("CREATE (:N)").run().await?;
            txn.query("RETURN 1 / 0").run().await?;
            Ok(())
        })
        .await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Request);
    assert_eq!(client.query(count).one::<i64>().await.unwrap(), 2);

    let reader = client.transaction().begin_read().await.unwrap();
    assert!(reader.sequence().is_some());
    client.query("CREATE (:N)").run().await.unwrap();
    assert_eq!(
        reader.query(count).one::<i64>().await.unwrap(),
        2,
        "not one snapshot"
    );
    let error = reader.query("CREATE (:N)").run().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request, "{error:?}");
    reader.commit().await.unwrap();

    // One that rests too long is rolled back, and says so.
    let resting = client.transaction().idle_timeout(Duration::from_secs(1));
    let txn = resting.begin_write().await.unwrap();
    txn.query("CREATE (:N)").run().await.unwrap();
    // Another one that writes has its turn only when this one is over.
    client.query("CREATE (:Next)").run().await.unwrap();
    let error = txn.commit().await.unwrap_err();
    assert!(matches!(error, Error::TransactionOver { .. }), "{error:?}");
    assert_eq!(error.kind(), ErrorKind::Conflict);
    // As a closure it is done again: it rests once only.
    let rests = AtomicBool::new(true);
    resting
        .write(|txn| {
            let (rests, other) = (rests.swap(false, Ordering::Relaxed), client.clone());
            async move {
                if rests {
                    other.query("CREATE (:Next)").run().await?;
                }
                txn.query("CREATE (:N)").run().await
            }
        })
        .await
        .unwrap();
    assert_eq!(client.query(count).one::<i64>().await.unwrap(), 4);
    // One that is dropped gives the writer's place back at once.
    drop(client.transaction().begin_write().await.unwrap());
    client.query("CREATE (:N)").run().await.unwrap();
}
