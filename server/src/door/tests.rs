use super::*;
use std::time::Duration;

#[test]
fn only_what_tonic_says_of_a_message_is_blamed_on_it() {
    let blamed = |status: Status| {
        let mut headers = HeaderMap::new();
        status.add_header(&mut headers).unwrap();
        blame_the_message(&mut headers);
        Status::from_header_map(&headers).unwrap().code()
    };
    let ours = |code| Status::with_details(code, "ours", vec![1].into());
    for (code, instead) in [
        (Code::OutOfRange, Code::ResourceExhausted),
        (Code::Internal, Code::InvalidArgument),
        (Code::NotFound, Code::NotFound),
    ] {
        assert_eq!(blamed(Status::new(code, "tonic's")), instead);
        assert_eq!(blamed(ours(code)), code);
    }
}

#[test]
fn ids_that_could_fool_a_log_are_replaced() {
    let id = |text: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(
            REQUEST_ID,
            HeaderValue::from_bytes(text.as_bytes()).unwrap(),
        );
        request_id(&headers).to_string()
    };
    assert_eq!(id("abc-1.2:3/4_5"), "abc-1.2:3/4_5");
    for text in ["", "a b", "a\tb", "a\"b", &"a".repeat(129)] {
        let made = id(text);
        assert!(made != text && made.len() == 22, "{made}");
    }
}

const QUERY: &str = "/stratigraph.v1.QueryService/Query";
const HEALTH: &str = "/grpc.health.v1.Health/Watch";

fn shared(folder: &std::path::Path) -> Arc<Shared> {
    shared_with(folder, crate::Flags::default().resolve().unwrap())
}

fn shared_with(folder: &std::path::Path, config: crate::Config) -> Arc<Shared> {
    let config = Arc::new(config);
    let databases = crate::databases::Databases::open(
        folder,
        &config,
        &stratigraph_rag::door::Equipment::default(),
    )
    .unwrap();
    let authority = crate::auth::Authority::new(None).unwrap();
    Shared::new(config, databases, authority)
}

/// What a door says before a service that answers with what `answer` gives, or never.
async fn ask(
    shared: &Arc<Shared>,
    path: &str,
    patience: &str,
    answer: Option<Body>,
) -> Response<Body> {
    let answer = Arc::new(parking_lot::Mutex::new(answer));
    let behind = tower::service_fn(move |_: Request<Body>| {
        let answer = answer.lock().take();
        async move {
            match answer {
                Some(body) => Ok::<_, std::convert::Infallible>(Response::new(body)),
                None => std::future::pending().await,
            }
        }
    });
    let mut request = Request::post(path);
    if !patience.is_empty() {
        request = request.header("grpc-timeout", patience);
    }
    let request = request.body(Body::empty()).unwrap();
    let mut door = DoorLayer(Arc::clone(shared)).layer(behind);
    door.call(request).await.unwrap()
}

#[tokio::test]
async fn a_declaration_has_the_time_of_a_statement_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = crate::Flags::default().resolve().unwrap();
    config.max_query_time = "50ms".parse().unwrap();
    let shared = shared_with(folder.path(), config);
    // Whether its client says how long it waits, or not.
    for patience in ["1H", ""] {
        let answer = ask(
            &shared,
            "/stratigraph.v1.SchemaService/CreateIndex",
            patience,
            None,
        );
        let answer = tokio::time::timeout(Duration::from_secs(30), answer).await;
        let (code, message) = told(answer.unwrap().headers());
        assert_eq!(code, Code::DeadlineExceeded, "{message}");
    }
    // Others have limits of their own.
    let other = ask(
        &shared,
        "/stratigraph.v1.AdminService/CheckDatabase",
        "",
        None,
    );
    let other = tokio::time::timeout(Duration::from_millis(500), other).await;
    assert!(other.is_err());
}

fn told(headers: &HeaderMap) -> (Code, String) {
    use tonic_types::StatusExt as _;
    let status = Status::from_header_map(headers).unwrap();
    let info = status.get_error_details().error_info().cloned();
    (
        status.code(),
        info.map(|info| info.reason).unwrap_or_default(),
    )
}

#[tokio::test]
async fn a_call_that_nobody_answers_ends_with_its_time_or_the_server_and_details() {
    let folder = tempfile::tempdir().unwrap();
    let shared = shared(folder.path());
    let late = ask(&shared, QUERY, "50m", None).await;
    assert_eq!(
        told(late.headers()),
        (Code::DeadlineExceeded, "DeadlineExceeded".to_owned())
    );
    let (over, answered) = (
        async { shared.ending.reach(Stage::Over) },
        ask(&shared, HEALTH, "1H", None),
    );
    let (answered, ()) = tokio::join!(answered, over);
    assert_eq!(
        told(answered.headers()),
        (Code::Unavailable, "ShuttingDown".to_owned())
    );
    assert_eq!(
        told(ask(&shared, QUERY, "1H", None).await.headers()).1,
        "ShuttingDown"
    );
}

/// A body that never says anything.
struct Silent;

impl http_body::Body for Silent {
    type Data = tonic::codegen::Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Self::Data>, Status>>> {
        Poll::Pending
    }
}

#[tokio::test]
async fn answers_without_an_end_are_cut_at_their_stage() {
    use http_body_util::BodyExt as _;
    for (path, stage) in [(HEALTH, Stage::Closing), (QUERY, Stage::Over)] {
        let folder = tempfile::tempdir().unwrap();
        let shared = shared(folder.path());
        let mut body = ask(&shared, path, "1H", Some(Body::new(Silent)))
            .await
            .into_body();
        shared.ending.reach(Stage::Draining);
        if stage > Stage::Closing {
            shared.ending.reach(Stage::Closing);
        }
        let waits = tokio::time::timeout(Duration::from_millis(20), body.frame()).await;
        assert!(waits.is_err(), "{path}");
        shared.ending.reach(stage);
        let frame = body.frame().await.unwrap().unwrap();
        assert_eq!(
            told(&frame.into_trailers().unwrap()),
            (Code::Unavailable, "ShuttingDown".to_owned())
        );
        assert!(body.frame().await.is_none());
    }
}
