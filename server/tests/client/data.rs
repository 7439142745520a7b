//! Bulk writes, schema, searches, databases and administration.

use super::Fixture;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use stratigraph_client::{
    BudgetUnit, BulkNode, Constraint, ConstraintKind, Entity, Hierarchy, Index, SchemaState,
    ScoreScale, Target, TextQuery, Value, VectorQuery,
};

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
