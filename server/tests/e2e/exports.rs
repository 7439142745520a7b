//! `BulkService.ExportDatabase`: what it refuses, and clients that do not take it. That its bytes are those of a folder the
//! tests of the command show.

use super::harness::{Fixture, ask, reason, run};
use std::time::{Duration, Instant};
use stratigraph_proto::v1::bulk_service_client::BulkServiceClient;
use stratigraph_proto::v1::database_service_client::DatabaseServiceClient;
use stratigraph_proto::v1::export_database_response::Part;
use stratigraph_proto::v1::{self, ExportForm};
use tonic::{Code, Status};

/// How long a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn asked(form: ExportForm) -> v1::ExportDatabaseRequest {
    v1::ExportDatabaseRequest {
        form: form.into(),
        ..v1::ExportDatabaseRequest::default()
    }
}

/// All of an answer: the files with their bytes, and the report.
async fn export(
    fixture: &Fixture,
    request: v1::ExportDatabaseRequest,
) -> Result<(Vec<(String, Vec<u8>)>, v1::ExportReport), Status> {
    let mut client = BulkServiceClient::new(fixture.channel().await);
    let mut parts = client.export_database(request).await?.into_inner();
    let (mut files, mut told): (Vec<(String, Vec<u8>)>, _) = (Vec::new(), None);
    while let Some(message) = parts.message().await? {
        match message.part.unwrap() {
            Part::Progress(_) => {}
            Part::Chunk(chunk) => match files.last_mut() {
                Some((file, bytes)) if *file == chunk.file => bytes.extend(chunk.content),
                _ => files.push((chunk.file, chunk.content)),
            },
            Part::Report(report) => assert!(told.replace(report).is_none(), "there is one report"),
        }
    }
    Ok((files, told.expect("an answer without a report")))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_exported_is_told_and_the_rest_comes_in_messages_of_a_size() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut queries = fixture.queries().await;
    let text = "CREATE (:P {t: reduce(s = 'xy', i IN range(1, 18) | s + s)})-[:R {n: 1}]->(:P)";
    run(&mut queries, ask(text)).await.unwrap();
    for (request, problem) in [
        (
            v1::ExportDatabaseRequest {
                form: 99,
                ..asked(ExportForm::Csv)
            },
            "form",
        ),
        (
            v1::ExportDatabaseRequest {
                array_delimiter: "ab".to_owned(),
                ..asked(ExportForm::Csv)
            },
            "one character",
        ),
    ] {
        let refused = export(&fixture, request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
        assert!(refused.message().contains(problem), "{refused}");
    }
    let (files, report) = export(&fixture, asked(ExportForm::Unspecified))
        .await
        .unwrap();
    assert_eq!((report.nodes, report.relationships), (2, 1));
    assert_eq!(files.len(), 1);
    assert!(report.bytes > 1 << 19 && files[0].1.len() as u64 == report.bytes);
    let (files, _) = export(&fixture, asked(ExportForm::Csv)).await.unwrap();
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    // The last one is empty, and there all the same.
    assert_eq!(names, ["nodes.csv", "relationships.csv", "schema.jsonl"]);
    assert!(files[2].1.is_empty());
    // A label that holds the delimiter has no form in CSV.
    run(&mut queries, ask("CREATE (:`a;b`)")).await.unwrap();
    let refused = export(&fixture, asked(ExportForm::Csv)).await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::FailedPrecondition, "NoForm")
    );
    let other = v1::ExportDatabaseRequest {
        array_delimiter: "|".to_owned(),
        ..asked(ExportForm::Csv)
    };
    export(&fixture, other).await.unwrap();
}

/// A database of which more is exported than waits in the server, in the system and in the client.
async fn large(fixture: &Fixture) -> v1::ExportDatabaseRequest {
    let database = "large".to_owned();
    let mut databases = DatabaseServiceClient::new(fixture.channel().await);
    let create = v1::CreateDatabaseRequest {
        database: database.clone(),
        if_missing: false,
    };
    databases.create_database(create).await.unwrap();
    let text = "WITH reduce(s = 'xy', i IN range(1, 16) | s + s) AS t UNWIND range(1, 250) AS n CREATE (:P {t: t})";
    let fill = v1::QueryRequest {
        database: database.clone(),
        ..ask(text)
    };
    run(&mut fixture.queries().await, fill).await.unwrap();
    v1::ExportDatabaseRequest {
        database,
        ..asked(ExportForm::JsonLines)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_keeps_its_database_until_its_client_leaves() {
    let fixture = Fixture::start(|_, _| ()).await;
    let request = large(&fixture).await;
    let drop_it = || v1::DropDatabaseRequest {
        database: "large".to_owned(),
        if_exists: false,
    };
    let mut databases = DatabaseServiceClient::new(fixture.channel().await);
    let mut client = BulkServiceClient::new(fixture.channel().await);
    let export = client.export_database(request).await.unwrap().into_inner();
    let refused = databases.drop_database(drop_it()).await.unwrap_err();
    assert!(refused.message().contains("1 export"), "{refused}");
    drop(export);
    let begun = Instant::now();
    while let Err(refused) = databases.drop_database(drop_it()).await {
        assert!(begun.elapsed() < PATIENCE, "{refused}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_takes_nothing_loses_the_export_and_hears_why_however_late() {
    let fixture = Fixture::start(|config, _| config.max_stall = "200ms".parse().unwrap()).await;
    let request = large(&fixture).await;
    let mut client = BulkServiceClient::new(fixture.channel().await);
    let mut export = client.export_database(request).await.unwrap().into_inner();
    // Nobody takes anything until the server has let go of it.
    let mut databases = DatabaseServiceClient::new(fixture.channel().await);
    let drop_it = || v1::DropDatabaseRequest {
        database: "large".to_owned(),
        if_exists: false,
    };
    let begun = Instant::now();
    while let Err(refused) = databases.drop_database(drop_it()).await {
        assert!(begun.elapsed() < PATIENCE, "{refused}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let ended = loop {
        match export.message().await {
            Ok(message) => assert!(message.is_some(), "it ended as if all were well"),
            Err(status) => break status,
        }
    };
    assert_eq!(ended.code(), Code::Aborted, "{ended}");
}
