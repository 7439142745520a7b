//! The services with thin methods: each call is noted, and has one answer.

use super::bulk::Bulk;
use super::query::{Parts, Query};
use super::transactions::Transactions;
use super::{Answer, State};
use std::sync::Arc;
use stratigraph_proto::v1;
use stratigraph_proto::v1::admin_service_server::{AdminService, AdminServiceServer};
use stratigraph_proto::v1::bulk_service_server::BulkServiceServer;
use stratigraph_proto::v1::database_service_server::{DatabaseService, DatabaseServiceServer};
use stratigraph_proto::v1::query_service_server::QueryServiceServer;
use stratigraph_proto::v1::schema_service_server::{SchemaService, SchemaServiceServer};
use stratigraph_proto::v1::search_service_server::{SearchService, SearchServiceServer};
use stratigraph_proto::v1::transaction_service_server::TransactionServiceServer;
use tonic::codec::CompressionEncoding::Gzip;
use tonic::service::Routes;
use tonic::{Request, Response};

/// All services.
pub(crate) fn routes(state: &Arc<State>) -> Routes {
    let mut routes = Routes::builder();
    let query = QueryServiceServer::new(Query(Arc::clone(state)));
    routes
        .add_service(query.accept_compressed(Gzip).send_compressed(Gzip))
        .add_service(TransactionServiceServer::new(Transactions(Arc::clone(
            state,
        ))))
        .add_service(BulkServiceServer::new(Bulk(Arc::clone(state))))
        .add_service(SearchServiceServer::new(Rest(Arc::clone(state))))
        .add_service(SchemaServiceServer::new(Rest(Arc::clone(state))))
        .add_service(DatabaseServiceServer::new(Rest(Arc::clone(state))))
        .add_service(AdminServiceServer::new(Rest(Arc::clone(state))));
    routes.routes()
}

struct Rest(Arc<State>);

macro_rules! one {
    ($method:ident, $request:ident, $response:ident, |$sent:ident| $answer:expr) => {
        fn $method<'a, 'b>(
            &'a self,
            request: Request<v1::$request>,
        ) -> std::pin::Pin<Box<dyn Future<Output = Answer<v1::$response>> + Send + 'b>>
        where
            'a: 'b,
            Self: 'b,
        {
            let told = format!("{:?}", request.get_ref());
            let act = self.0.next(stringify!($method), &request, &told);
            let $sent = request.into_inner();
            let answer: v1::$response = $answer;
            Box::pin(async move { self.0.one(act, || Ok(answer)).await })
        }
    };
}

macro_rules! work {
    ($method:ident, $request:ident, $response:ident, $module:ident, $done:ident, $answer:expr) => {
        fn $method<'a, 'b>(
            &'a self,
            request: Request<v1::$request>,
        ) -> std::pin::Pin<Box<dyn Future<Output = Answer<Parts<v1::$response>>> + Send + 'b>>
        where
            'a: 'b,
            Self: 'b,
        {
            let told = format!("{:?}", request.get_ref());
            let _ = self.0.next(stringify!($method), &request, &told);
            let parts = [
                v1::$module::Part::Progress(v1::WorkProgress {
                    step: "reading".to_owned(),
                    done: 1,
                    total: 2,
                }),
                v1::$module::Part::$done($answer),
            ];
            let parts = parts.map(|part| Ok(v1::$response { part: Some(part) }));
            let parts: Parts<v1::$response> = Box::pin(tokio_stream::iter(parts));
            Box::pin(async move { Ok(Response::new(parts)) })
        }
    };
}

fn answer(node: u64) -> v1::SearchAnswer {
    v1::SearchAnswer {
        hits: vec![v1::SearchHit {
            entity: Some(v1::search_hit::Entity::NodeId(node)),
            score: 0.5,
            properties: [(
                "title".to_owned(),
                v1::value::Kind::StringValue("first".to_owned()).into(),
            )]
            .into(),
        }],
        provenance: Some(v1::SearchProvenance {
            exact: true,
            ..v1::SearchProvenance::default()
        }),
    }
}

impl SearchService for Rest {
    one!(
        search_vectors,
        SearchVectorsRequest,
        SearchVectorsResponse,
        |sent| {
            let wanted = sent.query.unwrap_or_default().k;
            v1::SearchVectorsResponse {
                answer: Some(answer(wanted.into())),
                sequence: 5,
            }
        }
    );
    one!(
        search_text,
        SearchTextRequest,
        SearchTextResponse,
        |_sent| {
            v1::SearchTextResponse {
                answer: Some(answer(2)),
                sequence: 5,
            }
        }
    );
    one!(
        search_batch,
        SearchBatchRequest,
        SearchBatchResponse,
        |sent| {
            v1::SearchBatchResponse {
                answers: (0..sent.queries.len() as u64).map(answer).collect(),
                sequence: 5,
            }
        }
    );
}

impl DatabaseService for Rest {
    one!(
        create_database,
        CreateDatabaseRequest,
        CreateDatabaseResponse,
        |sent| {
            v1::CreateDatabaseResponse {
                database: Some(v1::DatabaseDescription {
                    name: sent.database,
                    ..v1::DatabaseDescription::default()
                }),
                created: true,
            }
        }
    );
    one!(
        list_databases,
        ListDatabasesRequest,
        ListDatabasesResponse,
        |_sent| {
            v1::ListDatabasesResponse {
                databases: vec![v1::DatabaseDescription::default()],
            }
        }
    );
    one!(
        drop_database,
        DropDatabaseRequest,
        DropDatabaseResponse,
        |sent| {
            v1::DropDatabaseResponse {
                known: sent.if_exists,
            }
        }
    );
}

impl SchemaService for Rest {
    one!(
        show_schema,
        ShowSchemaRequest,
        ShowSchemaResponse,
        |_sent| {
            v1::ShowSchemaResponse {
                indexes: vec![v1::IndexDescription {
                    definition: Some(v1::IndexDefinition {
                        name: "chunks".to_owned(),
                        kind: Some(v1::index_definition::Kind::Vector(v1::VectorIndexOptions {
                            dimensions: 3,
                            metric: v1::VectorMetric::Dot.into(),
                            ..v1::VectorIndexOptions::default()
                        })),
                        ..v1::IndexDefinition::default()
                    }),
                    state: v1::SchemaState::Ready.into(),
                    statement: "CREATE VECTOR INDEX chunks".to_owned(),
                }],
                ..v1::ShowSchemaResponse::default()
            }
        }
    );
    one!(
        create_index,
        CreateIndexRequest,
        CreateIndexResponse,
        |sent| {
            v1::CreateIndexResponse {
                name: sent.definition.unwrap_or_default().name,
            }
        }
    );
    one!(drop_index, DropIndexRequest, DropIndexResponse, |sent| {
        v1::DropIndexResponse {
            known: sent.if_exists,
        }
    });
    one!(
        create_constraint,
        CreateConstraintRequest,
        CreateConstraintResponse,
        |sent| {
            v1::CreateConstraintResponse {
                name: sent.definition.unwrap_or_default().name,
            }
        }
    );
    one!(
        drop_constraint,
        DropConstraintRequest,
        DropConstraintResponse,
        |sent| {
            v1::DropConstraintResponse {
                known: sent.if_exists,
            }
        }
    );
    one!(
        create_hierarchy,
        CreateHierarchyRequest,
        CreateHierarchyResponse,
        |sent| {
            v1::CreateHierarchyResponse {
                name: sent.definition.unwrap_or_default().name,
            }
        }
    );
    one!(
        drop_hierarchy,
        DropHierarchyRequest,
        DropHierarchyResponse,
        |sent| {
            v1::DropHierarchyResponse {
                known: sent.if_exists,
            }
        }
    );
}

fn backup() -> v1::BackupDescription {
    v1::BackupDescription {
        number: 3,
        taken_at_ms: 1500,
        ..v1::BackupDescription::default()
    }
}

impl AdminService for Rest {
    type BackupDatabaseStream = Parts<v1::BackupDatabaseResponse>;
    type RestoreDatabaseStream = Parts<v1::RestoreDatabaseResponse>;
    type CheckDatabaseStream = Parts<v1::CheckDatabaseResponse>;
    type CompactDatabaseStream = Parts<v1::CompactDatabaseResponse>;

    work!(
        backup_database,
        BackupDatabaseRequest,
        BackupDatabaseResponse,
        backup_database_response,
        Backup,
        backup()
    );
    work!(
        restore_database,
        RestoreDatabaseRequest,
        RestoreDatabaseResponse,
        restore_database_response,
        Backup,
        backup()
    );
    work!(
        check_database,
        CheckDatabaseRequest,
        CheckDatabaseResponse,
        check_database_response,
        Report,
        v1::CheckReport {
            entries: 12,
            ..v1::CheckReport::default()
        }
    );
    work!(
        compact_database,
        CompactDatabaseRequest,
        CompactDatabaseResponse,
        compact_database_response,
        Report,
        v1::CompactReport {
            bytes_before: 10,
            bytes_after: 5,
        }
    );
    one!(
        list_backups,
        ListBackupsRequest,
        ListBackupsResponse,
        |_sent| {
            v1::ListBackupsResponse {
                backups: vec![backup()],
            }
        }
    );
    one!(
        get_statistics,
        GetStatisticsRequest,
        GetStatisticsResponse,
        |_sent| {
            v1::GetStatisticsResponse {
                nodes: 4,
                ..v1::GetStatisticsResponse::default()
            }
        }
    );
    one!(
        list_slow_queries,
        ListSlowQueriesRequest,
        ListSlowQueriesResponse,
        |sent| {
            v1::ListSlowQueriesResponse {
                queries: vec![v1::SlowQuery::default(); sent.limit as usize],
            }
        }
    );
    one!(
        list_running_queries,
        ListRunningQueriesRequest,
        ListRunningQueriesResponse,
        |_sent| {
            v1::ListRunningQueriesResponse {
                queries: vec![v1::RunningQuery {
                    query_id: "q1".to_owned(),
                    ..v1::RunningQuery::default()
                }],
            }
        }
    );
    one!(kill_query, KillQueryRequest, KillQueryResponse, |sent| {
        v1::KillQueryResponse {
            known: sent.query_id == "q1",
        }
    });
}
