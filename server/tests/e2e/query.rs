//! `QueryService`.

use super::harness::{ENDLESS, Fixture, ask, reason, run, running, until};
use std::time::Duration;
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::{self, ExecutionMode, value::Kind};
use tonic::{Code, Request};
use tonic_types::StatusExt as _;

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_gives_a_header_rows_in_batches_and_a_summary() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.queries().await;
    let mut request = ask("UNWIND range(1, $last) AS n RETURN n, 'x' AS x");
    request
        .parameters
        .insert("last".to_owned(), Kind::IntValue(5000).into());
    let answer = run(&mut client, request).await.unwrap();
    assert_eq!(answer.columns, ["n", "x"]);
    assert_eq!((answer.rows.len(), answer.summary.rows), (5000, 5000));
    assert!(answer.batches > 1, "{}", answer.batches);
    assert_eq!(answer.rows[4999][0].kind, Some(Kind::IntValue(5000)));
    assert!(answer.summary.sequence.is_some() && answer.summary.elapsed_us > 0);

    let answer = run(&mut client, ask("CREATE (:P {name: 'Ann'})-[:KNOWS]->(:P)"))
        .await
        .unwrap();
    let counters = answer.summary.counters.unwrap();
    assert_eq!(
        (
            counters.nodes_created,
            counters.relationships_created,
            counters.properties_set
        ),
        (2, 1, 1)
    );
    let count = run(&mut client, ask("MATCH (p:P) RETURN count(p) AS n"))
        .await
        .unwrap();
    assert_eq!(count.number(), 2);
    let shown = run(&mut client, ask("SHOW INDEXES")).await.unwrap();
    assert!(!shown.columns.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_are_explained_and_profiled_and_places_stay_where_they_are() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.queries().await;
    let with = |text: &str, mode: ExecutionMode| {
        let mut request = ask(text);
        request.options = Some(v1::QueryOptions {
            mode: mode.into(),
            ..v1::QueryOptions::default()
        });
        request
    };
    let explained = run(
        &mut client,
        with("CREATE (n) RETURN n", ExecutionMode::Explain),
    )
    .await
    .unwrap();
    assert!(!explained.summary.plan.is_empty() && !explained.summary.operators.is_empty());
    let none = run(&mut client, ask("MATCH (n) RETURN count(n)"))
        .await
        .unwrap();
    assert_eq!(none.number(), 0, "explaining changes nothing");
    let profiled = run(
        &mut client,
        with("UNWIND range(1, 10) AS n RETURN n", ExecutionMode::Profile),
    )
    .await
    .unwrap();
    assert!(
        profiled
            .summary
            .operators
            .iter()
            .any(|operator| operator.work.is_some_and(|work| work.rows == 10))
    );
    for mode in [
        ExecutionMode::Unspecified,
        ExecutionMode::Explain,
        ExecutionMode::Profile,
    ] {
        let wrong = run(&mut client, with("MATCH (person)\nRETURN persn", mode))
            .await
            .unwrap_err();
        assert_eq!(
            (wrong.code(), reason(&wrong).as_str()),
            (Code::InvalidArgument, "UndefinedVariable")
        );
        let details = wrong.get_error_details();
        let facts = &details.error_info().unwrap().metadata;
        assert_eq!(
            (
                facts["line"].as_str(),
                facts["column"].as_str(),
                facts["offset"].as_str()
            ),
            ("2", "8", "22"),
            "{mode:?}"
        );
        assert_eq!(facts["hint"], "did you mean `person`?");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn prepared_and_named_statements_run_by_what_they_are_called() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.queries().await;
    let text = "CREATE (p:P {name: $name}) RETURN p.name AS name";
    let prepare = v1::PrepareStatementRequest {
        text: text.to_owned(),
        ..v1::PrepareStatementRequest::default()
    };
    let prepared = client
        .prepare_statement(prepare)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (prepared.parameters.as_slice(), prepared.columns.as_slice()),
        (
            ["name".to_owned()].as_slice(),
            ["name".to_owned()].as_slice()
        )
    );
    assert!(prepared.writes);
    let mut request = ask("");
    let source = v1::statement::Source::PreparedId(prepared.prepared_id.clone());
    request.statement = Some(v1::Statement {
        source: Some(source),
    });
    request.parameters.insert(
        "name".to_owned(),
        Kind::StringValue("Ann".to_owned()).into(),
    );
    assert_eq!(
        run(&mut client, request.clone()).await.unwrap().rows.len(),
        1
    );
    let forget = v1::ForgetStatementRequest {
        prepared_id: prepared.prepared_id,
        ..v1::ForgetStatementRequest::default()
    };
    assert!(
        client
            .forget_statement(forget.clone())
            .await
            .unwrap()
            .into_inner()
            .known
    );
    assert!(
        !client
            .forget_statement(forget)
            .await
            .unwrap()
            .into_inner()
            .known
    );
    assert_eq!(
        run(&mut client, request.clone()).await.unwrap_err().code(),
        Code::NotFound
    );

    let save = |name: &str, text: &str| v1::SaveNamedQueryRequest {
        query: Some(v1::NamedQuery {
            name: name.to_owned(),
            text: text.to_owned(),
            ..v1::NamedQuery::default()
        }),
        ..v1::SaveNamedQueryRequest::default()
    };
    let saved = client
        .save_named_query(save("people", "MATCH (p:P) RETURN count(p) AS n"))
        .await
        .unwrap();
    assert!(!saved.into_inner().query.unwrap().writes);
    for (name, text) in [("../x", "RETURN 1"), ("", "RETURN 1"), ("fine", "RETURN")] {
        let refused = client.save_named_query(save(name, text)).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{name}");
    }
    request.statement = Some(v1::Statement {
        source: Some(v1::statement::Source::Name("people".to_owned())),
    });
    request.parameters.clear();
    assert_eq!(run(&mut client, request.clone()).await.unwrap().number(), 1);
    let all = client
        .list_named_queries(v1::ListNamedQueriesRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(all.queries.len(), 1);
    let drop = v1::DropNamedQueryRequest {
        name: "people".to_owned(),
        ..v1::DropNamedQueryRequest::default()
    };
    assert!(
        client
            .drop_named_query(drop)
            .await
            .unwrap()
            .into_inner()
            .known
    );
    assert_eq!(
        run(&mut client, request).await.unwrap_err().code(),
        Code::NotFound
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_of_requests_come_back_and_are_made_if_there_are_none() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.queries().await;
    let mut request = Request::new(ask("RETURN 1"));
    request
        .metadata_mut()
        .insert("x-request-id", "mine-1".parse().unwrap());
    let response = client.query(request).await.unwrap();
    assert_eq!(response.metadata().get("x-request-id").unwrap(), "mine-1");
    let response = client.query(ask("RETURN 1")).await.unwrap();
    assert_eq!(response.metadata().get("x-request-id").unwrap().len(), 22);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_stops_the_statement_at_once() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.queries().await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    for _ in 0..20 {
        let stream = client.query(ask(ENDLESS)).await.unwrap();
        until("it begins", Duration::from_secs(30), async || {
            !running(&mut admin).await.is_empty()
        })
        .await;
        drop(stream);
        until("it stops", Duration::from_secs(30), async || {
            running(&mut admin).await.is_empty()
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_gives_up_while_waiting_leaves_the_line() {
    let fixture = Fixture::start(|config, _| config.max_queries = 1).await;
    let (mut client, mut other) = (fixture.queries().await, fixture.queries().await);
    let first = client.query(ask(ENDLESS)).await.unwrap();
    let mut late = Request::new(ask("RETURN 1"));
    late.set_timeout(Duration::from_millis(100));
    assert!(run(&mut other, late).await.is_err());
    drop(first);
    assert_eq!(
        run(&mut other, ask("RETURN 7 AS n"))
            .await
            .unwrap()
            .number(),
        7
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_stops_a_statement() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.queries().await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let asked = tokio::spawn(async move { run(&mut client, ask(ENDLESS)).await });
    until("it begins", Duration::from_secs(30), async || {
        !running(&mut admin).await.is_empty()
    })
    .await;
    let one = running(&mut admin).await.remove(0);
    assert!(one.text.starts_with("UNWIND"));
    let kill = v1::KillQueryRequest {
        query_id: one.query_id,
        ..v1::KillQueryRequest::default()
    };
    assert!(
        admin
            .kill_query(kill.clone())
            .await
            .unwrap()
            .into_inner()
            .known
    );
    let killed = asked.await.unwrap().unwrap_err();
    assert_eq!(
        (killed.code(), reason(&killed).as_str()),
        (Code::Aborted, "Killed")
    );
    assert!(!admin.kill_query(kill).await.unwrap().into_inner().known);
}
