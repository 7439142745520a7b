//! Who may call what: every method of the protocol, as the descriptor has it, with every kind of token.

use super::harness::{Fixture, token, tokens_file, with_token};
use std::time::{SystemTime, UNIX_EPOCH};
use stratigraph_proto::v1::database_service_client::DatabaseServiceClient;
use stratigraph_proto::v1::{self, Access};
use stratigraph_proto::{METHODS, Method};
use stratigraph_server::auth::Role;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Code, Request};

/// The beginning of every request: field 1 is the name of the database. The lint of the protocol sees to it.
#[derive(Clone, PartialEq, prost::Message)]
struct Named {
    #[prost(string, tag = "1")]
    database: String,
}

/// The first part of a bulk write: field 1 is a message whose field 1 is the database.
#[derive(Clone, PartialEq, prost::Message)]
struct Started {
    #[prost(message, optional, tag = "1")]
    start: Option<Named>,
}

/// An answer that nobody looks at.
#[derive(Clone, PartialEq, prost::Message)]
struct Anything {}

/// Methods about the server as a whole: a role on one database is not enough.
const SERVER_WIDE: &[&str] = &["CreateDatabase", "DropDatabase", "RestoreDatabase"];

async fn call<M: prost::Message + Default + Clone + 'static>(
    channel: &Channel,
    method: &Method,
    message: M,
    token: Option<&str>,
) -> Code {
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let messages = tokio_stream::iter([message]);
    let mut request = match token {
        Some(token) => with_token(messages, token),
        None => Request::new(messages),
    };
    request.set_timeout(std::time::Duration::from_secs(10));
    let codec = tonic_prost::ProstCodec::<M, Anything>::default();
    let answered = client
        .streaming(request, PathAndQuery::from_static(method.path), codec)
        .await;
    let ended = match answered {
        Ok(response) => response.into_inner().message().await.map(drop),
        Err(status) => Err(status),
    };
    ended.map_or_else(|status| status.code(), |()| Code::Ok)
}

async fn code(channel: &Channel, method: &Method, database: &str, token: Option<&str>) -> Code {
    let named = Named {
        database: database.to_owned(),
    };
    if method.client_streams {
        call(channel, method, Started { start: Some(named) }, token).await
    } else {
        call(channel, method, named, token).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_method_with_every_kind_of_token() {
    let mut kinds = Vec::new();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs();
        let mut made = |name: &'static str, roles: &[(&str, Role)], expires| {
            kinds.push((name, Some(token(&file, name, roles, expires))));
        };
        made("read", &[("default", Role::Read)], None);
        made("write", &[("default", Role::Write)], None);
        made("admin", &[("default", Role::Admin)], None);
        made("other", &[("other", Role::Admin)], None);
        made("everywhere", &[("*", Role::Admin)], None);
        made("expired", &[("*", Role::Admin)], Some(now - 1));
        kinds.push((
            "wrong",
            Some("stratigraph_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        ));
        kinds.push(("none", None));
        config.tokens = Some(file);
    })
    .await;
    let channel = fixture.channel().await;
    let mut tried = 0;
    for method in METHODS {
        let name = method.path.rsplit('/').next().unwrap();
        let needs = method.access;
        let lists_all = name == "ListDatabases";
        for (kind, token) in &kinds {
            let has = match *kind {
                "read" => Access::Read,
                "write" => Access::Write,
                "admin" | "everywhere" | "other" => Access::Admin,
                _ => Access::None,
            };
            let got = code(&channel, method, "default", token.as_deref()).await;
            tried += 1;
            let place = format!("{} with {kind}: {got:?}", method.path);
            let enough_here = *kind == "everywhere"
                || ((*kind != "other" || lists_all)
                    && !SERVER_WIDE.contains(&name)
                    && has as i32 >= needs as i32);
            match *kind {
                _ if needs == Access::None => assert_ne!(got, Code::PermissionDenied, "{place}"),
                "none" | "wrong" | "expired" => assert_eq!(got, Code::Unauthenticated, "{place}"),
                _ if enough_here => {
                    assert!(
                        !matches!(got, Code::PermissionDenied | Code::Unauthenticated),
                        "{place}"
                    );
                }
                _ => assert_eq!(got, Code::PermissionDenied, "{place}"),
            }
        }
    }
    println!("{tried} calls of {} methods", METHODS.len());
    assert_eq!(tried, METHODS.len() * kinds.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_database_is_called_says_nothing_to_who_may_not_see_it() {
    let mut tokens = Vec::new();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        tokens.push(token(&file, "mine", &[("default", Role::Admin)], None));
        tokens.push(token(&file, "all", &[("*", Role::Read)], None));
        config.tokens = Some(file);
    })
    .await;
    let query = METHODS
        .iter()
        .find(|method| method.path.ends_with("/Query"))
        .unwrap();
    let channel = fixture.channel().await;
    for name in ["default2", "nothing-there"] {
        assert_eq!(
            code(&channel, query, name, Some(&tokens[0])).await,
            Code::PermissionDenied
        );
        assert_eq!(
            code(&channel, query, name, Some(&tokens[1])).await,
            Code::NotFound
        );
    }
    for name in ["../default", "/etc", "a/b", "Default", "..", "a\0b"] {
        assert_eq!(
            code(&channel, query, name, Some(&tokens[1])).await,
            Code::InvalidArgument,
            "{name}"
        );
    }
    let mut databases = DatabaseServiceClient::new(channel);
    let seen =
        databases.list_databases(with_token(v1::ListDatabasesRequest::default(), &tokens[0]));
    let seen = seen.await.unwrap().into_inner().databases;
    assert_eq!(seen.len(), 1);
}

/// The role is the engine's business as well: what runs for a reader runs over a snapshot.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_cannot_write_whatever_the_statement_looks_like() {
    use super::harness::{ask, reason, run};
    let mut reader = String::new();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        reader = token(&file, "reader", &[("default", Role::Read)], None);
        config.tokens = Some(file);
    })
    .await;
    let mut client = fixture.queries().await;
    for text in [
        "CREATE ()",
        "MATCH (n) DETACH DELETE n",
        "/* MATCH */ MERGE (n:P)",
        "UNWIND [1] AS x CALL { CREATE (:P) } RETURN x",
        "CREATE INDEX i FOR (n:P) ON (n.x)",
        "PROFILE CREATE ()",
        "MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS RETURN count(*)",
    ] {
        let refused = run(&mut client, with_token(ask(text), &reader))
            .await
            .unwrap_err();
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::PermissionDenied, "PermissionDenied"),
            "{text}: {refused}"
        );
    }
    for text in [
        "MATCH (n) RETURN count(n)",
        "EXPLAIN CREATE ()",
        "SHOW INDEXES",
    ] {
        run(&mut client, with_token(ask(text), &reader))
            .await
            .unwrap();
    }
    let begin = v1::BeginTransactionRequest {
        mode: v1::TransactionMode::Write.into(),
        ..v1::BeginTransactionRequest::default()
    };
    let refused = fixture
        .transactions()
        .await
        .begin_transaction(with_token(begin, &reader))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_needs_no_token_and_reflection_does() {
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_client::HealthClient;
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
    let mut reader = String::new();
    let fixture = Fixture::start(|config, folder| {
        let file = tokens_file(folder);
        reader = token(&file, "reader", &[("default", Role::Read)], None);
        config.tokens = Some(file);
    })
    .await;
    let channel = fixture.channel().await;
    let mut health = HealthClient::new(channel.clone());
    let checked = health
        .check(HealthCheckRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(checked.status, 1);
    let mut reflection = ServerReflectionClient::new(channel);
    let request = || {
        tokio_stream::iter([ServerReflectionRequest {
            message_request: Some(MessageRequest::ListServices(String::new())),
            ..ServerReflectionRequest::default()
        }])
    };
    let refused = reflection
        .server_reflection_info(request())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let mut answer = reflection
        .server_reflection_info(with_token(request(), &reader))
        .await
        .unwrap()
        .into_inner();
    let Some(MessageResponse::ListServicesResponse(services)) =
        answer.message().await.unwrap().unwrap().message_response
    else {
        panic!("no list");
    };
    let names: Vec<_> = services
        .service
        .iter()
        .map(|service| service.name.as_str())
        .collect();
    assert!(names.contains(&"stratigraph.v1.QueryService"), "{names:?}");
}
