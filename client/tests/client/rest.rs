//! The thin methods: searches, schema, databases, administration.

use crate::fake::{Act, Fake};
use std::time::{Duration, SystemTime};
use stratigraph_client::{
    Constraint, ConstraintKind, Entity, Error, Hierarchy, Index, IndexKind, SchemaState, Target,
    TextQuery, Value, VectorMetric, VectorQuery,
};
use tonic::Status;

#[tokio::test]
async fn searches() {
    let fake = Fake::start([]).await;
    let search = fake.client().await.search().returning(["title"]);
    let query = VectorQuery::new("chunks", vec![1.0, 2.0], 10)
        .recall(0.9)
        .label("Chunk")
        .equal("language", "en");
    let nearest = search.clone().vectors(query.clone()).await.unwrap();
    assert_eq!(nearest.hits[0].entity, Entity::Node(10));
    assert_eq!(
        nearest.hits[0].properties["title"],
        Value::String("first".to_owned())
    );
    assert!(nearest.provenance.exact);
    let sent = fake.seen().pop().unwrap().what;
    for part in ["chunks", "title", "Recall(0.9)", "language"] {
        assert!(sent.contains(part), "{part} in {sent}");
    }
    let words = TextQuery::new("texts", "+graph", 3);
    assert_eq!(
        search.clone().text(words.clone()).await.unwrap().sequence,
        5
    );
    let answers = search
        .clone()
        .batch()
        .vectors(query)
        .text(words)
        .run()
        .await
        .unwrap();
    assert_eq!(answers.len(), 2);
    let wrong = VectorQuery::new("chunks", vec![1.0], 1).equal("x", u64::MAX);
    assert!(matches!(
        search.vectors(wrong).await,
        Err(Error::Parameter { .. })
    ));
}

#[tokio::test]
async fn schema() {
    let fake = Fake::start([]).await;
    let schema = fake.client().await.schema();
    let index = Index::vectors(Target::label("Chunk"), "embedding", 384)
        .named("chunks")
        .metric(VectorMetric::Dot);
    assert_eq!(schema.create_index(index).await.unwrap(), "chunks");
    let sent = fake.seen().pop().unwrap().what;
    assert!(
        sent.contains("if_missing: false") && sent.contains("Dot"),
        "{sent}"
    );
    let words = Index::words(Target::AnyNode, ["text"])
        .named("w")
        .weight("text", 2.0);
    schema
        .clone()
        .if_missing()
        .create_index(words)
        .await
        .unwrap();
    assert!(fake.seen().pop().unwrap().what.contains("if_missing: true"));
    let unique = Constraint::new(Target::label("P"), ["id"], ConstraintKind::Unique).named("u");
    assert_eq!(schema.create_constraint(unique).await.unwrap(), "u");
    assert_eq!(
        schema
            .create_hierarchy(Hierarchy::new("h", "IN").tree())
            .await
            .unwrap(),
        "h"
    );
    assert!(schema.drop_index("chunks").await.unwrap());
    assert!(schema.drop_constraint("u").await.unwrap());
    assert!(schema.drop_hierarchy("h").await.unwrap());
    let shown = schema.show().await.unwrap();
    assert_eq!(shown.indexes[0].state, SchemaState::Ready);
    assert!(matches!(
        shown.indexes[0].definition.kind,
        IndexKind::Vectors {
            dimensions: 3,
            metric: VectorMetric::Dot,
            ..
        }
    ));
    // Declaring something twice is not the same as declaring it once, unless it was said to be.
    fake.then([Act::Fail(Status::unavailable(""))]);
    let index = Index::values(Target::label("P"), ["name"]);
    let error = schema.create_index(index.clone()).await.unwrap_err();
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
    fake.then([Act::Fail(Status::unavailable(""))]);
    schema.if_missing().create_index(index).await.unwrap();
}

#[tokio::test]
async fn databases() {
    let fake = Fake::start([]).await;
    let databases = fake.client().await.databases();
    assert_eq!(databases.create("library").await.unwrap().name, "library");
    assert!(databases.create_if_missing("library").await.unwrap().1);
    assert_eq!(databases.list().await.unwrap().len(), 1);
    assert!(databases.remove("library").await.unwrap());
}

#[tokio::test]
async fn administration() {
    let fake = Fake::start([]).await;
    let admin = fake.client().await.admin();
    let mut steps = Vec::new();
    let backup = admin
        .backup(|so_far| steps.push(so_far.step))
        .await
        .unwrap();
    assert_eq!(steps, ["reading"]);
    assert_eq!(backup.number, 3);
    assert_eq!(
        backup.taken_at,
        SystemTime::UNIX_EPOCH + Duration::from_millis(1500)
    );
    assert_eq!(
        admin.restore(Some(3), "copy", |_| ()).await.unwrap().number,
        3
    );
    assert_eq!(admin.check(|_| ()).await.unwrap().entries, 12);
    assert_eq!(admin.compact(|_| ()).await.unwrap().bytes_after, 5);
    assert_eq!(admin.backups().await.unwrap().len(), 1);
    let statistics = admin.statistics().await.unwrap();
    assert_eq!((statistics.nodes, statistics.failure), (4, None));
    assert_eq!(admin.slow_queries(2).await.unwrap().len(), 2);
    let running = admin.running_queries().await.unwrap();
    assert!(admin.kill(&*running[0].query_id).await.unwrap());
    assert!(!admin.kill("q2").await.unwrap());
}
