//! `SchemaService` and `SearchService`.

use super::harness::{Fixture, ask, reason, run, running, until};
use std::time::Duration;
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::schema_service_client::SchemaServiceClient;
use stratigraph_proto::v1::search_service_client::SearchServiceClient;
use stratigraph_proto::v1::{
    self, SchemaState, index_definition, schema_target::Entity, value::Kind,
};
use tonic::Code;

fn on_label(label: &str) -> Option<v1::SchemaTarget> {
    Some(v1::SchemaTarget {
        entity: Some(Entity::Label(label.to_owned())),
    })
}

fn index(
    name: &str,
    property: &str,
    kind: Option<index_definition::Kind>,
) -> v1::CreateIndexRequest {
    v1::CreateIndexRequest {
        definition: Some(v1::IndexDefinition {
            name: name.to_owned(),
            target: on_label("Chunk"),
            properties: vec![property.to_owned()],
            kind,
        }),
        ..v1::CreateIndexRequest::default()
    }
}

fn vectors(dimensions: u32) -> Option<index_definition::Kind> {
    Some(index_definition::Kind::Vector(v1::VectorIndexOptions {
        dimensions,
        ..v1::VectorIndexOptions::default()
    }))
}

fn texts() -> Option<index_definition::Kind> {
    Some(index_definition::Kind::Text(v1::TextIndexOptions {
        analysis: "english".to_owned(),
        ..v1::TextIndexOptions::default()
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_declared_is_shown_and_dropped() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut schema = SchemaServiceClient::new(fixture.channel().await);
    for request in [
        index("by_title", "title", None),
        index("words", "text", texts()),
        index("near", "embedding", vectors(2)),
    ] {
        let name = request.definition.as_ref().unwrap().name.clone();
        assert_eq!(
            schema
                .create_index(request.clone())
                .await
                .unwrap()
                .into_inner()
                .name,
            name
        );
        let again = schema.create_index(request).await.unwrap_err();
        assert_eq!(again.code(), Code::AlreadyExists, "{again}");
    }
    let unnamed = schema
        .create_index(index("", "year", None))
        .await
        .unwrap()
        .into_inner()
        .name;
    assert!(!unnamed.is_empty());
    let constraint = v1::CreateConstraintRequest {
        definition: Some(v1::ConstraintDefinition {
            name: "one_id".to_owned(),
            target: on_label("Chunk"),
            properties: vec!["id".to_owned()],
            kind: v1::ConstraintKind::Unique.into(),
            ..v1::ConstraintDefinition::default()
        }),
        ..v1::CreateConstraintRequest::default()
    };
    schema.create_constraint(constraint).await.unwrap();
    let hierarchy = v1::CreateHierarchyRequest {
        definition: Some(v1::HierarchyDefinition {
            name: "book".to_owned(),
            relationship_type: "HAS".to_owned(),
            tree: true,
        }),
        ..v1::CreateHierarchyRequest::default()
    };
    schema.create_hierarchy(hierarchy).await.unwrap();
    let shown = schema
        .show_schema(v1::ShowSchemaRequest::default())
        .await
        .unwrap()
        .into_inner();
    let names: Vec<_> = shown
        .indexes
        .iter()
        .map(|one| one.definition.as_ref().unwrap().name.as_str())
        .collect();
    assert!(
        ["by_title", "words", "near"]
            .iter()
            .all(|name| names.contains(name)),
        "{names:?}"
    );
    let states: Vec<_> = shown
        .indexes
        .iter()
        .map(v1::IndexDescription::state)
        .collect();
    assert!(
        states.iter().all(|state| *state == SchemaState::Ready),
        "{states:?}"
    );
    assert!(
        shown
            .indexes
            .iter()
            .filter(|one| one.definition.as_ref().unwrap().name != "one_id")
            .all(|one| one.statement.starts_with("CREATE")),
        "{:?}",
        shown.indexes
    );
    assert_eq!((shown.constraints.len(), shown.hierarchies.len()), (1, 1));
    assert!(shown.hierarchies[0].definition.as_ref().unwrap().tree);
    for name in ["by_title", "words", "near"] {
        let drop = v1::DropIndexRequest {
            name: name.to_owned(),
            ..v1::DropIndexRequest::default()
        };
        assert!(
            schema
                .drop_index(drop.clone())
                .await
                .unwrap()
                .into_inner()
                .known
        );
        assert_eq!(
            schema.drop_index(drop.clone()).await.unwrap_err().code(),
            Code::NotFound
        );
        let drop = v1::DropIndexRequest {
            if_exists: true,
            ..drop
        };
        assert!(!schema.drop_index(drop).await.unwrap().into_inner().known);
    }
    let drop = v1::DropConstraintRequest {
        name: "one_id".to_owned(),
        ..v1::DropConstraintRequest::default()
    };
    assert!(
        schema
            .drop_constraint(drop)
            .await
            .unwrap()
            .into_inner()
            .known
    );
    let drop = v1::DropHierarchyRequest {
        name: "book".to_owned(),
        ..v1::DropHierarchyRequest::default()
    };
    assert!(
        schema
            .drop_hierarchy(drop)
            .await
            .unwrap()
            .into_inner()
            .known
    );
    let bare = v1::CreateIndexRequest::default();
    assert_eq!(
        schema.create_index(bare).await.unwrap_err().code(),
        Code::InvalidArgument
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_near_and_what_matches_is_found_alone_and_in_batches() {
    let fixture = Fixture::start(|config, _| config.max_search_results = 50).await;
    let mut schema = SchemaServiceClient::new(fixture.channel().await);
    schema
        .create_index(index("near", "embedding", vectors(2)))
        .await
        .unwrap();
    schema
        .create_index(index("words", "text", texts()))
        .await
        .unwrap();
    let mut queries = fixture.queries().await;
    let mut request = ask("CREATE (:Chunk {text: 'the white whale', embedding: $e})");
    for embedding in [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]] {
        let vector = Kind::VectorValue(v1::Vector {
            components: embedding.to_vec(),
        });
        request.parameters.insert("e".to_owned(), vector.into());
        run(&mut queries, request.clone()).await.unwrap();
    }
    let mut search = SearchServiceClient::new(fixture.channel().await);
    let near = |k| v1::VectorQuery {
        index: "near".to_owned(),
        vector: Some(v1::Vector {
            components: vec![1.0, 0.1],
        }),
        k,
        ..v1::VectorQuery::default()
    };
    let words = |text: &str| v1::TextQuery {
        index: "words".to_owned(),
        text: text.to_owned(),
        k: 10,
        ..v1::TextQuery::default()
    };
    let request = |query| v1::SearchVectorsRequest {
        query: Some(query),
        return_properties: vec!["text".to_owned(), "missing".to_owned()],
        ..v1::SearchVectorsRequest::default()
    };
    let found = search
        .search_vectors(request(near(2)))
        .await
        .unwrap()
        .into_inner();
    let answer = found.answer.unwrap();
    assert!(
        answer.hits.len() == 2 && answer.hits[0].score > answer.hits[1].score && found.sequence > 0
    );
    assert_eq!(answer.hits[0].properties.len(), 1);
    assert_eq!(answer.provenance.unwrap().index, "near");
    let text = v1::SearchTextRequest {
        query: Some(words("whales")),
        ..v1::SearchTextRequest::default()
    };
    assert_eq!(
        search
            .search_text(text)
            .await
            .unwrap()
            .into_inner()
            .answer
            .unwrap()
            .hits
            .len(),
        3
    );
    let query = |kind| v1::SearchQuery { kind: Some(kind) };
    let batch = v1::SearchBatchRequest {
        queries: vec![
            query(v1::search_query::Kind::Vectors(near(1))),
            query(v1::search_query::Kind::Text(words("nothing"))),
        ],
        ..v1::SearchBatchRequest::default()
    };
    let answers = search
        .search_batch(batch)
        .await
        .unwrap()
        .into_inner()
        .answers;
    assert_eq!(
        answers
            .iter()
            .map(|answer| answer.hits.len())
            .collect::<Vec<_>>(),
        [1, 0]
    );
    for (query, code) in [
        (near(0), Code::InvalidArgument),
        (near(51), Code::InvalidArgument),
        (
            v1::VectorQuery {
                index: "none".to_owned(),
                ..near(1)
            },
            Code::NotFound,
        ),
        (
            v1::VectorQuery {
                vector: None,
                ..near(1)
            },
            Code::InvalidArgument,
        ),
        (
            v1::VectorQuery {
                vector: Some(v1::Vector {
                    components: vec![1.0],
                }),
                ..near(1)
            },
            Code::InvalidArgument,
        ),
    ] {
        let refused = search.search_vectors(request(query)).await.unwrap_err();
        assert_eq!(refused.code(), code, "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_are_sampled_for_the_recall_of_their_index() {
    use stratigraph_proto::v1::vector_query::Effort;
    let fixture = Fixture::start(|config, _| {
        config.recall_sample_every = 1;
        config.metrics_listen = Some(([127, 0, 0, 1], 0).into());
    })
    .await;
    let embedding = |seed: u32| {
        let components = (0..8).map(|at| {
            f32::from(u8::try_from((seed * 37 + at * 101) * (seed + 7) % 251).unwrap()) - 125.0
        });
        v1::Vector {
            components: components.collect(),
        }
    };
    let mut queries = fixture.queries().await;
    let mut request = ask("UNWIND $es AS e CREATE (:Chunk {embedding: e})");
    let values = (0..3000).map(|seed| Kind::VectorValue(embedding(seed)).into());
    let list = v1::ListValue {
        values: values.collect(),
    };
    request
        .parameters
        .insert("es".to_owned(), Kind::ListValue(list).into());
    run(&mut queries, request).await.unwrap();
    SchemaServiceClient::new(fixture.channel().await)
        .create_index(index("near", "embedding", vectors(8)))
        .await
        .unwrap();
    let mut search = SearchServiceClient::new(fixture.channel().await);
    let address = fixture.server.metrics_address().unwrap();
    let mut told = String::new();
    super::harness::until("a search is sampled", Duration::from_secs(60), async || {
        let query = v1::VectorQuery {
            index: "near".to_owned(),
            vector: Some(embedding(77)),
            k: 5,
            effort: Some(Effort::Breadth(8)),
            ..v1::VectorQuery::default()
        };
        let request = v1::SearchVectorsRequest {
            query: Some(query),
            ..v1::SearchVectorsRequest::default()
        };
        search.search_vectors(request).await.unwrap();
        told = super::harness::http(address, "/metrics").await;
        told.contains("stratigraph_vector_recall_count{database=\"default\",index=\"near\"}")
    })
    .await;
    assert!(
        told.contains("stratigraph_vector_index_vectors{database=\"default\",index=\"near\"} 3000"),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_among_the_statements_that_run_and_can_be_killed() {
    let fixture = Fixture::start(|config, _| config.max_batch_searches = 100_000).await;
    let mut queries = fixture.queries().await;
    for text in [
        "CREATE VECTOR INDEX near FOR (c:Chunk) ON (c.e) OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "UNWIND range(1, 2000) AS n CREATE (:Chunk {e: vector([1.0, toFloat(n)])})",
    ] {
        run(&mut queries, ask(text)).await.unwrap();
    }
    let query = || v1::SearchQuery {
        kind: Some(v1::search_query::Kind::Vectors(v1::VectorQuery {
            index: "near".to_owned(),
            vector: Some(v1::Vector {
                components: vec![1.0, 0.5],
            }),
            k: 100,
            effort: Some(v1::vector_query::Effort::Exact(true)),
            ..v1::VectorQuery::default()
        })),
    };
    let batch = v1::SearchBatchRequest {
        queries: std::iter::repeat_with(query).take(50_000).collect(),
        ..v1::SearchBatchRequest::default()
    };
    let mut search = SearchServiceClient::new(fixture.channel().await);
    let asked = tokio::spawn(async move { search.search_batch(batch).await });
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    until("it is listed", Duration::from_secs(30), async || {
        !running(&mut admin).await.is_empty()
    })
    .await;
    let one = running(&mut admin).await.remove(0);
    assert!(
        one.text
            .starts_with("search of 100 in the vector index near"),
        "{}",
        one.text
    );
    let kill = v1::KillQueryRequest {
        query_id: one.query_id,
        ..v1::KillQueryRequest::default()
    };
    assert!(admin.kill_query(kill).await.unwrap().into_inner().known);
    assert_eq!(reason(&asked.await.unwrap().unwrap_err()), "Killed");
}
