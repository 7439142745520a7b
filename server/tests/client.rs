//! The server as it is met by those who use `stratigraph-client`: everything that the client has, over a real socket.

use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use stratigraph_client::value::{Date, Node, Vector};
use stratigraph_client::{
    Admin, BudgetUnit, BulkNode, Client, Constraint, ConstraintKind, Entity, Error, ErrorKind,
    Hierarchy, Index, Position, Retry, RunningQuery, SchemaState, ScoreScale, Target, TextQuery,
    Value, VectorQuery,
};
use stratigraph_server::auth::{Role, Secret, TokenRecord, add_token};
use stratigraph_server::{Config, Flags, Server};

struct Fixture {
    server: Server,
    _folder: tempfile::TempDir,
}

fn config(folder: &Path) -> Config {
    let mut config = Flags::default().resolve().unwrap();
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.backup_dir = Some(folder.join("backups"));
    config.cache_size = "8MiB".parse().unwrap();
    config
}

impl Fixture {
    async fn start(change: impl FnOnce(&mut Config, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(folder.path());
        change(&mut config, folder.path());
        let server = Server::start(&folder.path().join("data"), config)
            .await
            .unwrap();
        Self {
            server,
            _folder: folder,
        }
    }

    async fn client(&self) -> Client {
        Client::connect(format!("http://{}", self.server.address()))
            .await
            .unwrap()
    }
}

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

#[tokio::test(flavor = "multi_thread")]
async fn bulk_schema_and_searches() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    let schema = client.schema();
    schema
        .create_index(
            Index::vectors(Target::label("Chunk"), "v", 2)
                .named("chunks")
                .filterable(["lang"]),
        )
        .await
        .unwrap();
    schema
        .create_index(Index::words(Target::label("Chunk"), ["text"]).named("words"))
        .await
        .unwrap();
    let key = Constraint::new(Target::label("Chunk"), ["id"], ConstraintKind::Unique).named("ids");
    schema.create_constraint(key).await.unwrap();
    schema
        .create_hierarchy(Hierarchy::new("parts", "PART_OF"))
        .await
        .unwrap();

    #[derive(Serialize)]
    struct Chunk {
        id: u64,
        lang: &'static str,
        text: String,
    }
    let chunk = |id| Chunk {
        id,
        lang: if id % 2 == 0 { "en" } else { "it" },
        text: format!("chunk number {id}"),
    };
    let root: u64 = client
        .query("CREATE (n:Book) RETURN id(n)")
        .one()
        .await
        .unwrap();
    let seen = Arc::new(AtomicU64::new(0));
    let heard = Arc::clone(&seen);
    let mut bulk = client
        .bulk()
        .batch_bytes(2000)
        .on_progress(move |so_far| heard.store(so_far.nodes, Ordering::Relaxed))
        .start();
    for id in 0..500 {
        let node = bulk.node(["Chunk"], chunk(id)).await.unwrap();
        bulk.relationship(node, "PART_OF", BulkNode::existing(root), ())
            .await
            .unwrap();
        bulk.vector(node, "v", vec![1.0, id as f32]).await.unwrap();
    }
    let verdict = bulk.finish().await.unwrap();
    assert_eq!(
        (verdict.nodes, verdict.relationships, verdict.vectors),
        (500, 500, 500)
    );
    assert!(seen.load(Ordering::Relaxed) > 0, "no progress");

    let mut twice = client.bulk().start();
    twice.node(["Chunk"], chunk(7)).await.unwrap();
    let error = twice.finish().await.unwrap_err();
    assert_eq!(error.code(), Some("ConstraintViolation"), "{error:?}");
    assert_eq!(
        client
            .query("MATCH (c:Chunk) RETURN count(c)")
            .one::<i64>()
            .await
            .unwrap(),
        500
    );

    let search = client.search().returning(["id"]);
    let query = VectorQuery::new("chunks", vec![1.0, 0.0], 3)
        .equal("lang", "it")
        .exact();
    let nearest = search.clone().vectors(query.clone()).await.unwrap();
    assert_eq!(nearest.hits.len(), 3);
    assert_eq!(nearest.hits[0].properties["id"], Value::Int(1));
    assert!(matches!(nearest.hits[0].entity, Entity::Node(_)) && nearest.provenance.exact);
    let words = TextQuery::new("words", "499", 5);
    assert_eq!(
        search.clone().text(words.clone()).await.unwrap().hits.len(),
        1
    );
    assert_eq!(
        search
            .batch()
            .vectors(query)
            .text(words)
            .run()
            .await
            .unwrap()
            .len(),
        2
    );

    let shown = schema.show().await.unwrap();
    let index = shown
        .indexes
        .iter()
        .find(|index| index.definition.name == "chunks")
        .unwrap();
    assert_eq!(index.state, SchemaState::Ready);
    assert_eq!(index.definition.target, Target::label("Chunk"));
    assert!(
        shown
            .hierarchies
            .iter()
            .any(|one| one.definition.name == "parts")
    );
    assert!(schema.drop_index("words").await.unwrap());
    assert!(!schema.drop_index("words").await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_and_administration() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    assert_eq!(
        client.databases().create("library").await.unwrap().name,
        "library"
    );
    assert!(
        !client
            .databases()
            .create_if_missing("library")
            .await
            .unwrap()
            .1
    );
    let library = client.database("library");
    library
        .query("CREATE (:Book)-[:BY]->(:Author)")
        .run()
        .await
        .unwrap();
    assert_eq!(
        client
            .query("MATCH (n) RETURN count(n)")
            .one::<i64>()
            .await
            .unwrap(),
        0
    );
    let statistics = library.admin().statistics().await.unwrap();
    assert_eq!(
        (statistics.nodes, statistics.nodes_by_label["Book"]),
        (2, 1)
    );
    let backup = library.admin().backup(|_| ()).await.unwrap();
    assert_eq!(library.admin().backups().await.unwrap().len(), 1);
    library
        .admin()
        .restore(Some(backup.number), "copy", |_| ())
        .await
        .unwrap();
    let copied: i64 = client
        .database("copy")
        .query("MATCH (n) RETURN count(n)")
        .one()
        .await
        .unwrap();
    assert_eq!(copied, 2);
    let report = library.admin().check(|_| ()).await.unwrap();
    assert!(report.findings.is_empty() && report.entries > 0);
    library.admin().compact(|_| ()).await.unwrap();
    library.admin().slow_queries(5).await.unwrap();
    assert_eq!(client.databases().list().await.unwrap().len(), 3);
    assert!(client.databases().remove("copy").await.unwrap());
    let error = client
        .database("copy")
        .query("RETURN 1")
        .run()
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some("DatabaseNotFound"));
}

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

#[tokio::test(flavor = "multi_thread")]
async fn summaries_tell_what_searches_and_traversals_have_done() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    for text in [
        "CREATE (a:Part {name: 'a', v: vector([1, 0])})-[:HAS]->(b:Part {name: 'b', v: vector([0, 1])}), (b)-[:HAS]->(:Part {name: 'c'})",
        "CREATE VECTOR INDEX near FOR (n:Part) ON n.v OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}",
        "CREATE FULLTEXT INDEX words FOR (n:Part) ON EACH [n.name]",
    ] {
        client.query(text).run().await.unwrap();
    }
    let near = "MATCH (p:Part) SEARCH p IN (VECTOR INDEX near FOR [1.0, 0.0] LIMIT 1) RETURN p.name AS name";
    let told = client.query(near).profile().await.unwrap();
    let search = &told.searches[0];
    assert_eq!(
        (&*search.index, search.scale),
        ("near", Some(ScoreScale::HalfOfOnePlusCosine))
    );
    let reads = told.operators.iter().filter_map(|operator| operator.work);
    assert!(reads.map(|work| work.read_bytes).sum::<u64>() > 0);
    assert!(told.traversals.is_empty());

    let levels = "TRAVERSE FROM (r:Part {name: 'a'}) STEP (x)-[:HAS]->(y) \
         BUDGET 1 NODES ON EXCEED STOP YIELD node RETURN node.name AS name";
    let told = client.query(levels).run().await.unwrap();
    let traversal = told.traversals[0];
    assert!(traversal.truncated && told.truncated);
    let budget = traversal.budget.unwrap();
    assert_eq!((budget.unit, budget.limit), (Some(BudgetUnit::Nodes), 1));
    assert!(budget.used <= 1 && traversal.runs == 1 && traversal.candidates >= 1);
}
