//! `DatabaseService`, `AdminService`, metrics and probes.

use super::harness::{ENDLESS, Fixture, ask, http, reason, run};
use std::num::NonZeroU32;
use std::time::Duration;
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::database_service_client::DatabaseServiceClient;
use stratigraph_proto::v1::{
    self, backup_database_response as backup, check_database_response as check,
    compact_database_response as compact, restore_database_response as restore,
};
use tonic::{Code, Streaming};

/// The last message of a stream.
async fn last<M>(mut stream: Streaming<M>) -> M {
    let mut last = None;
    while let Some(message) = stream.message().await.unwrap() {
        last = Some(message);
    }
    last.unwrap()
}

fn on(database: &str, text: &str) -> v1::QueryRequest {
    v1::QueryRequest {
        database: database.to_owned(),
        ..ask(text)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_come_and_go() {
    let fixture = Fixture::start(|config, _| config.max_databases = 2).await;
    let mut databases = DatabaseServiceClient::new(fixture.channel().await);
    let mut queries = fixture.queries().await;
    let create = |name: &str, if_missing| v1::CreateDatabaseRequest {
        database: name.to_owned(),
        if_missing,
    };
    let made = databases
        .create_database(create("library", false))
        .await
        .unwrap()
        .into_inner();
    assert!(made.created && made.database.unwrap().name == "library");
    assert!(
        !databases
            .create_database(create("library", true))
            .await
            .unwrap()
            .into_inner()
            .created
    );
    assert_eq!(
        databases
            .create_database(create("library", false))
            .await
            .unwrap_err()
            .code(),
        Code::AlreadyExists
    );
    assert_eq!(
        databases
            .create_database(create("third", false))
            .await
            .unwrap_err()
            .code(),
        Code::ResourceExhausted
    );
    for name in ["", "../x", "a/b", "UPPER", ".hidden"] {
        assert_eq!(
            databases
                .create_database(create(name, false))
                .await
                .unwrap_err()
                .code(),
            Code::InvalidArgument,
            "{name}"
        );
    }
    run(&mut queries, on("library", "CREATE (:P)"))
        .await
        .unwrap();
    assert_eq!(
        run(
            &mut queries,
            on("default", "MATCH (n) RETURN count(n) AS n")
        )
        .await
        .unwrap()
        .number(),
        0
    );
    let listed = databases
        .list_databases(v1::ListDatabasesRequest::default())
        .await
        .unwrap()
        .into_inner();
    let names: Vec<_> = listed
        .databases
        .iter()
        .map(|one| (one.name.as_str(), one.is_default))
        .collect();
    assert_eq!(names, [("default", true), ("library", false)]);

    let running = queries.query(on("library", ENDLESS)).await.unwrap();
    let drop_one = |name: &str, if_exists| v1::DropDatabaseRequest {
        database: name.to_owned(),
        if_exists,
    };
    assert!(
        databases
            .drop_database(drop_one("library", false))
            .await
            .unwrap()
            .into_inner()
            .known
    );
    let mut parts = running.into_inner();
    let ended = loop {
        match parts.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it never ends by itself"),
            Err(status) => break status,
        }
    };
    // Whether it had begun or not.
    assert!(
        matches!(ended.code(), Code::Cancelled | Code::Unavailable),
        "{ended}"
    );
    assert_eq!(
        run(&mut queries, on("library", "RETURN 1"))
            .await
            .unwrap_err()
            .code(),
        Code::NotFound
    );
    assert_eq!(
        databases
            .drop_database(drop_one("library", false))
            .await
            .unwrap_err()
            .code(),
        Code::NotFound
    );
    assert!(
        !databases
            .drop_database(drop_one("library", true))
            .await
            .unwrap()
            .into_inner()
            .known
    );
    let refused = databases
        .drop_database(drop_one("default", false))
        .await
        .unwrap_err();
    assert_eq!(reason(&refused), "DefaultDatabase");
    let left: Vec<_> = fixture
        .folder
        .path()
        .join("data")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["default"], "nothing is left of it");
    databases
        .create_database(create("library", false))
        .await
        .unwrap();
    assert_eq!(
        run(
            &mut queries,
            on("library", "MATCH (n) RETURN count(n) AS n")
        )
        .await
        .unwrap()
        .number(),
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_names_no_database_gets_the_default_one() {
    let fixture = Fixture::start(|config, _| config.default_database = "shelf".to_owned()).await;
    let mut databases = DatabaseServiceClient::new(fixture.channel().await);
    let listed = databases.list_databases(v1::ListDatabasesRequest::default());
    let listed = listed.await.unwrap().into_inner().databases;
    let names: Vec<_> = listed
        .iter()
        .map(|one| (one.name.as_str(), one.is_default))
        .collect();
    assert_eq!(names, [("shelf", true)]);
    let mut queries = fixture.queries().await;
    run(&mut queries, ask("CREATE (:P)")).await.unwrap();
    let named = run(
        &mut queries,
        on("shelf", "MATCH (n:P) RETURN count(n) AS n"),
    );
    assert_eq!(named.await.unwrap().number(), 1);
    let drop = v1::DropDatabaseRequest {
        database: "shelf".to_owned(),
        ..v1::DropDatabaseRequest::default()
    };
    let refused = databases.drop_database(drop).await.unwrap_err();
    assert_eq!(reason(&refused), "DefaultDatabase");
}

#[tokio::test(flavor = "multi_thread")]
async fn backups_are_taken_listed_and_restored_into_a_new_database() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let mut queries = fixture.queries().await;
    run(
        &mut queries,
        ask("UNWIND range(1, 10) AS n CREATE (:P {n: n})"),
    )
    .await
    .unwrap();
    let made = admin
        .backup_database(v1::BackupDatabaseRequest::default())
        .await
        .unwrap()
        .into_inner();
    let Some(backup::Part::Backup(made)) = last(made).await.part else {
        panic!("no backup");
    };
    assert!(
        made.number == 1 && made.total_bytes > 0 && made.taken_at_ms > 1_600_000_000_000,
        "{made:?}"
    );
    run(&mut queries, ask("MATCH (n) DETACH DELETE n"))
        .await
        .unwrap();
    let listed = admin
        .list_backups(v1::ListBackupsRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(listed.backups.len(), 1);
    let restore = |new: &str, number| v1::RestoreDatabaseRequest {
        new_database: new.to_owned(),
        number,
        ..v1::RestoreDatabaseRequest::default()
    };
    let restored = admin
        .restore_database(restore("before", None))
        .await
        .unwrap()
        .into_inner();
    assert!(matches!(
        last(restored).await.part,
        Some(restore::Part::Backup(_))
    ));
    assert_eq!(
        run(&mut queries, on("before", "MATCH (n) RETURN count(n) AS n"))
            .await
            .unwrap()
            .number(),
        10
    );
    for (new, number, code) in [
        ("before", None, Code::AlreadyExists),
        ("later", Some(7), Code::NotFound),
        ("../out", None, Code::InvalidArgument),
    ] {
        let refused = match admin.restore_database(restore(new, number)).await {
            Err(status) => status,
            Ok(stream) => stream.into_inner().message().await.unwrap_err(),
        };
        assert_eq!(refused.code(), code, "{new}: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_are_checked_compacted_and_measured() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let mut queries = fixture.queries().await;
    run(
        &mut queries,
        ask("UNWIND range(1, 10) AS n CREATE (:P)-[:R]->(:Q)"),
    )
    .await
    .unwrap();
    let checked = admin
        .check_database(v1::CheckDatabaseRequest::default())
        .await
        .unwrap()
        .into_inner();
    let Some(check::Part::Report(report)) = last(checked).await.part else {
        panic!("no report");
    };
    assert!(
        report.findings.is_empty() && report.entries > 30,
        "{report:?}"
    );
    let compacted = admin
        .compact_database(v1::CompactDatabaseRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert!(matches!(
        last(compacted).await.part,
        Some(compact::Part::Report(_))
    ));
    let statistics = admin
        .get_statistics(v1::GetStatisticsRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert_eq!((statistics.nodes, statistics.relationships), (20, 10));
    assert_eq!(
        (
            statistics.nodes_by_label["P"],
            statistics.relationships_by_type["R"]
        ),
        (10, 10)
    );
    assert!(!statistics.families.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_statements_are_kept_with_their_plans_and_without_parameters() {
    let fixture = Fixture::start(|config, _| config.slow_query_time = "0ms".parse().unwrap()).await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let mut queries = fixture.queries().await;
    let mut request = ask("MATCH (n:P) WHERE n.x = $x RETURN n");
    let canary = v1::value::Kind::StringValue("canary".to_owned());
    request.parameters.insert("x".to_owned(), canary.into());
    run(&mut queries, request).await.unwrap();
    let mut slow = Vec::new();
    super::harness::until(
        "it is noted",
        std::time::Duration::from_secs(30),
        async || {
            let listed = admin
                .list_slow_queries(v1::ListSlowQueriesRequest::default())
                .await;
            slow = listed.unwrap().into_inner().queries;
            !slow.is_empty()
        },
    )
    .await;
    assert!(
        slow[0].text.starts_with("MATCH") && !slow[0].plan.is_empty() && slow[0].outcome == "Ok",
        "{slow:?}"
    );
    assert!(!format!("{slow:?}").contains("canary"));
}

#[tokio::test(flavor = "multi_thread")]
async fn so_many_slow_statements_are_kept_the_last_ones() {
    let fixture = Fixture::start(|config, _| {
        config.slow_query_time = "0ms".parse().unwrap();
        config.max_slow_queries = 2;
    })
    .await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let mut queries = fixture.queries().await;
    for text in [
        "RETURN 1 AS first",
        "RETURN 1 AS second",
        "RETURN 1 AS third",
    ] {
        run(&mut queries, ask(text)).await.unwrap();
    }
    super::harness::until("two are kept", Duration::from_secs(30), async || {
        let listed = admin.list_slow_queries(v1::ListSlowQueriesRequest::default());
        let slow = listed.await.unwrap().into_inner().queries;
        slow.len() == 2 && slow.iter().all(|one| one.text != "RETURN 1 AS first")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_and_probes_are_served_beside() {
    let fixture =
        Fixture::start(|config, _| config.metrics_listen = Some(([127, 0, 0, 1], 0).into())).await;
    let mut queries = fixture.queries().await;
    run(&mut queries, ask("UNWIND range(1, 5) AS n RETURN n"))
        .await
        .unwrap();
    let _ = run(&mut queries, ask("RETURN")).await;
    let address = fixture.server.metrics_address().unwrap();
    assert!(http(address, "/healthz").await.starts_with("HTTP/1.1 200"));
    assert!(http(address, "/readyz").await.contains("ready"));
    assert!(http(address, "/other").await.starts_with("HTTP/1.1 404"));
    let metrics = http(address, "/metrics").await;
    for line in [
        "stratigraph_calls_total{method=\"/stratigraph.v1.QueryService/Query\",code=\"InvalidArgument\"} 1",
        "stratigraph_rows_total 5",
        "stratigraph_call_duration_seconds_bucket",
        "stratigraph_query_duration_seconds_count{kind=\"read\"} 1",
        "stratigraph_connections 1",
        "stratigraph_database_commit_sequence{database=\"default\"}",
        "stratigraph_database_log_syncs_total{database=\"default\"}",
        "stratigraph_database_family_keys{database=\"default\",family=\"",
        "stratigraph_database_text_cache_bytes{database=\"default\"} 0",
        "stratigraph_database_value_set_bytes{database=\"default\"} 0",
        "stratigraph_database_projection_cache_bytes{database=\"default\"} 0",
        "stratigraph_request_memory_bytes 0",
        "# EOF",
    ] {
        assert!(metrics.contains(line), "{line}:\n{metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_use_is_not_dropped_and_the_message_says_why() {
    use stratigraph_proto::v1::bulk_service_client::BulkServiceClient;
    use stratigraph_proto::v1::bulk_write_request::Part;
    let fixture = Fixture::start(|config, _| {
        config.max_transaction_idle = "1h".parse().unwrap();
        config.max_transaction_time = "1h".parse().unwrap();
    })
    .await;
    let mut databases = DatabaseServiceClient::new(fixture.channel().await);
    let library = || "library".to_owned();
    let create = v1::CreateDatabaseRequest {
        database: library(),
        if_missing: false,
    };
    databases.create_database(create).await.unwrap();
    let drop_it = v1::DropDatabaseRequest {
        database: library(),
        if_exists: false,
    };
    let mut transactions = fixture.transactions().await;
    let begin = v1::BeginTransactionRequest {
        database: library(),
        ..v1::BeginTransactionRequest::default()
    };
    let begun = transactions.begin_transaction(begin).await.unwrap();
    let (parts, stream) = tokio::sync::mpsc::channel(4);
    let start = v1::BulkStart {
        database: library(),
        ..v1::BulkStart::default()
    };
    for part in [Part::Start(start), Part::Nodes(v1::BulkNodes::default())] {
        let part = v1::BulkWriteRequest { part: Some(part) };
        parts.send(part).await.unwrap();
    }
    let mut bulk = BulkServiceClient::new(fixture.channel().await)
        .bulk_write(tokio_stream::wrappers::ReceiverStream::new(stream))
        .await
        .unwrap()
        .into_inner();
    assert!(bulk.message().await.unwrap().is_some(), "it is under way");
    let refused = databases.drop_database(drop_it.clone()).await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::FailedPrecondition, "DatabaseInUse")
    );
    assert!(
        refused
            .message()
            .contains("1 bulk write, 1 open transaction"),
        "{refused}"
    );
    let commit = v1::CommitTransactionRequest {
        database: library(),
        transaction_id: begun.into_inner().transaction_id,
    };
    transactions.commit_transaction(commit).await.unwrap();
    drop((parts, bulk));
    super::harness::until("it is free", Duration::from_secs(30), async || {
        databases.drop_database(drop_it.clone()).await.is_ok()
    })
    .await;
}

/// A query that is to have a name.
fn all_nodes() -> v1::SaveNamedQueryRequest {
    let query = v1::NamedQuery {
        name: "all".to_owned(),
        text: "MATCH (n) RETURN n".to_owned(),
        ..v1::NamedQuery::default()
    };
    v1::SaveNamedQueryRequest {
        query: Some(query),
        ..v1::SaveNamedQueryRequest::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn named_queries_go_into_backups_and_come_back_with_them() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let mut queries = fixture.queries().await;
    queries.save_named_query(all_nodes()).await.unwrap();
    let backup = v1::BackupDatabaseRequest::default();
    last(admin.backup_database(backup).await.unwrap().into_inner()).await;
    let gone = v1::DropNamedQueryRequest {
        name: "all".to_owned(),
        ..v1::DropNamedQueryRequest::default()
    };
    assert!(
        queries
            .drop_named_query(gone)
            .await
            .unwrap()
            .into_inner()
            .known
    );
    let restore = v1::RestoreDatabaseRequest {
        new_database: "before".to_owned(),
        ..v1::RestoreDatabaseRequest::default()
    };
    last(admin.restore_database(restore).await.unwrap().into_inner()).await;
    let list = |database: &str| v1::ListNamedQueriesRequest {
        database: database.to_owned(),
    };
    let before = queries.list_named_queries(list("before")).await.unwrap();
    assert_eq!(before.into_inner().queries[0].name, "all");
    let now = queries.list_named_queries(list("default")).await.unwrap();
    assert!(now.into_inner().queries.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn so_many_backups_are_kept_and_older_ones_go_with_their_queries() {
    let keep = NonZeroU32::new(2);
    let fixture = Fixture::start(|config, _| config.backup_keep = keep).await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let mut queries = fixture.queries().await;
    queries.save_named_query(all_nodes()).await.unwrap();
    for _ in 0..4 {
        let backup = v1::BackupDatabaseRequest::default();
        last(admin.backup_database(backup).await.unwrap().into_inner()).await;
    }
    let listed = admin
        .list_backups(v1::ListBackupsRequest::default())
        .await
        .unwrap()
        .into_inner();
    let numbers: Vec<u64> = listed.backups.iter().map(|backup| backup.number).collect();
    assert_eq!(numbers, [3, 4]);
    let folder = fixture.folder.path().join("backups/default");
    let mut kept: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "files")
        .collect();
    kept.sort();
    assert_eq!(
        kept,
        [
            "000003.backup",
            "000003.queries.json",
            "000004.backup",
            "000004.queries.json"
        ]
    );
}
