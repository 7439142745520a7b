//! The door: every call comes through here before anything of it is decoded.
//!
//! ```text
//! id of the request ──> rule of the method ──> who calls ──> the method ──> id, code and time of the answer
//! ```
//! A path that is not in the protocol is refused, so what the protocol does not know cannot be reached; `called.rs`
//! knows the paths and their rules.

use crate::auth::{Identity, Unknown};
use crate::called::Called;
use crate::caller::Caller;
use crate::ending::Stage;
use crate::failure::Failure;
use crate::intake::{Intake, Packing};
use crate::leaving::Leaving;
use crate::shared::Shared;
use crate::status::status;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime};
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, HeaderValue, Request, Response};
use tonic::{Code, Status};
use tower::{Layer, Service};
use tracing::Instrument as _;

/// The metadata with the id of a request.
pub(crate) const REQUEST_ID: &str = "x-request-id";
/// The longest id that is taken from a client.
const MAX_REQUEST_ID_BYTES: usize = 128;

/// Whoever declares something has no longer than a statement, whatever its client says.
const DECLARING: &str = "/stratigraph.v1.SchemaService/";

/// What the client of an open transaction may still call when the server ends: nothing else lets it finish.
const FINISHING: &[&str] = &[
    "/stratigraph.v1.TransactionService/RunInTransaction",
    "/stratigraph.v1.TransactionService/CommitTransaction",
    "/stratigraph.v1.TransactionService/RollbackTransaction",
];

/// Puts the door before services.
#[derive(Clone)]
pub(crate) struct DoorLayer(pub(crate) Arc<Shared>);

/// The door, with what is behind it.
#[derive(Clone)]
pub(crate) struct Door<S> {
    shared: Arc<Shared>,
    inner: S,
}

impl<S> Layer<S> for DoorLayer {
    type Service = Door<S>;

    fn layer(&self, inner: S) -> Door<S> {
        Door {
            shared: Arc::clone(&self.0),
            inner,
        }
    }
}

impl<S> Service<Request<Body>> for Door<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let began = Instant::now();
        let request_id = request_id(request.headers());
        // The clone that is ready is used, and the fresh one stays.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let shared = Arc::clone(&self.shared);
        let called = Called::of(request.uri().path());
        let admitted = admit(&shared, &request, called, &request_id, began);
        let token = admitted.as_ref().ok().map(|caller| caller.identity.name());
        // All of it at once: what a span is told later is written down anew.
        let span = tracing::info_span!(
            "call",
            request_id = &*request_id,
            method = %called.name(),
            token = token.map(|name| &**name),
        );
        let work = async move {
            let mut held = None;
            let mut response = match admitted {
                Ok(caller) => {
                    let method = called.method();
                    let packing = Packing::take(request.headers_mut());
                    let (head, body) = request.into_parts();
                    let bounds = shared.bounds(method);
                    let (body, weight) = Intake::of(body, method, packing, bounds, &shared.intake);
                    held = Some(weight);
                    let mut request = Request::from_parts(head, Body::new(body));
                    let patience = caller.deadline.map(|deadline| last_word(began, deadline));
                    request.extensions_mut().insert(caller);
                    // Who is answered at once has waited for nothing.
                    let over = async { shared.ending.reached(Stage::Over).await };
                    // What is dropped here cancels what it waits for.
                    tokio::select! {
                        biased;
                        answer = inner.call(request) => answer?,
                        () = over => status(&Failure::ShuttingDown).into_http(),
                        () = until(patience) => status(&Failure::Deadline).into_http(),
                    }
                }
                Err(failure) => status(&failure).into_http(),
            };
            blame_the_message(response.headers_mut());
            if let Ok(mut id) = HeaderValue::from_str(&request_id) {
                // No other answer has it: in HTTP/2's table of headers it would only push out those that come again.
                id.set_sensitive(true);
                response.headers_mut().insert(REQUEST_ID, id);
            }
            let code = Status::from_header_map(response.headers()).map(|status| status.code());
            let metrics = &shared.metrics;
            metrics.answered(called.name(), code, began.elapsed());
            tracing::debug!(code = ?code.unwrap_or(Code::Ok), elapsed_us = crate::convert::micros(began.elapsed()), "answered");
            let cut = match called {
                Called::Ours(_) => Stage::Over,
                Called::Foreign(..) | Called::Nothing => Stage::Closing,
            };
            Ok(response.map(|body| Leaving::until(&shared.ending, cut, body, held)))
        };
        Box::pin(work.instrument(span))
    }
}

/// Whether the call may go on, and as whose.
fn admit(
    shared: &Shared,
    request: &Request<Body>,
    called: Called,
    request_id: &Arc<str>,
    began: Instant,
) -> Result<Caller, Failure> {
    let path = request.uri().path();
    let needs = called.needs(path)?;
    let headers = request.headers();
    let identity = match shared.authority.identify(headers, SystemTime::now()) {
        Ok(identity) => identity,
        Err(Unknown::NoToken) if needs.is_none() => Identity::stranger(),
        Err(unknown) => return Err(unauthenticated(unknown)),
    };
    if let Some(needs) = needs
        && identity.best_role().is_none_or(|best| best < needs)
    {
        return Err(Failure::Denied {
            needs,
            database: "any database".to_owned(),
        });
    }
    let may_begin = match shared.ending.stage() {
        Stage::Serving => true,
        Stage::Draining => FINISHING.contains(&path),
        Stage::Closing | Stage::Over | Stage::Gone => false,
    };
    if !may_begin && needs.is_some() {
        return Err(Failure::ShuttingDown);
    }
    let patience = match (grpc_timeout(headers)?, path.starts_with(DECLARING)) {
        (patience, false) => patience,
        // Statements have this limit from where they are run; what is half-made then is taken back.
        (patience, true) => {
            let limit = shared.config.max_query_time.0;
            Some(patience.map_or(limit, |patience| patience.min(limit)))
        }
    };
    Ok(Caller {
        identity,
        request_id: Arc::clone(request_id),
        needs,
        began,
        deadline: patience.and_then(|patience| began.checked_add(patience)),
    })
}

/// When a call that nobody has answered is given up: a little before its client's time is over. tonic has a timer for
/// that time as well, whose status says nothing of what can be done.
fn last_word(began: Instant, deadline: Instant) -> Instant {
    let patience = deadline.saturating_duration_since(began);
    let earlier = (patience / 10).min(Duration::from_millis(10));
    began + (patience - earlier)
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

/// A message that is too large, or is none, ends within tonic before a method is asked, as if it were something of
/// ours. Failures of ours always carry details; these do not.
fn blame_the_message(headers: &mut HeaderMap) {
    let Some(status) = Status::from_header_map(headers) else {
        return;
    };
    let code = match status.code() {
        Code::OutOfRange if status.details().is_empty() => Code::ResourceExhausted,
        Code::Internal if status.details().is_empty() => Code::InvalidArgument,
        _ => return,
    };
    headers.insert("grpc-status", HeaderValue::from(code as i32));
}

fn unauthenticated(unknown: Unknown) -> Failure {
    let problem = match unknown {
        Unknown::NoToken => {
            "this server needs a token: send the metadata `authorization: Bearer TOKEN`"
        }
        Unknown::NotBearer => "the metadata `authorization` must be `Bearer TOKEN`",
        Unknown::WrongToken => "nobody has that token",
        Unknown::Expired => "the token has expired",
    };
    Failure::Unauthenticated { problem }
}

/// The client's id of the request, if it is one that can stand in a log, else a new one.
fn request_id(headers: &HeaderMap) -> Arc<str> {
    let sent = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let fine = |id: &&str| {
        let allowed = |one: char| one.is_ascii_alphanumeric() || "-_.:/".contains(one);
        !id.is_empty() && id.len() <= MAX_REQUEST_ID_BYTES && id.chars().all(allowed)
    };
    match sent.filter(fine) {
        Some(id) => id.into(),
        None => crate::ids::call_id().into(),
    }
}

/// How long the client waits: up to eight digits and a unit.
fn grpc_timeout(headers: &HeaderMap) -> Result<Option<Duration>, Failure> {
    let Some(sent) = headers.get("grpc-timeout") else {
        return Ok(None);
    };
    let refused = || {
        Failure::request(
            "grpc-timeout",
            "must be up to 8 digits and one of H, M, S, m, u, n",
        )
    };
    let sent = sent.to_str().map_err(|_| refused())?;
    let unit = sent.chars().last().ok_or_else(refused)?;
    let digits = sent.get(..sent.len() - unit.len_utf8()).unwrap_or_default();
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|one| one.is_ascii_digit()) {
        return Err(refused());
    }
    let number: u64 = digits.parse().map_err(|_| refused())?;
    Ok(Some(match unit {
        'H' => Duration::from_secs(number * 3600),
        'M' => Duration::from_secs(number * 60),
        'S' => Duration::from_secs(number),
        'm' => Duration::from_millis(number),
        'u' => Duration::from_micros(number),
        'n' => Duration::from_nanos(number),
        _ => return Err(refused()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_as_grpc_writes_them() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().unwrap());
            grpc_timeout(&headers).ok().flatten()
        };
        assert_eq!(read("250m"), Some(Duration::from_millis(250)));
        assert_eq!(read("3S"), Some(Duration::from_secs(3)));
        assert_eq!(
            read("99999999H"),
            Some(Duration::from_secs(99_999_999 * 3600))
        );
        for text in ["", "S", "5", "5x", "-5S", "123456789S", "1.5S"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn timeouts_have_six_units() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().unwrap());
            grpc_timeout(&headers).unwrap().unwrap()
        };
        assert_eq!(read("2H"), Duration::from_secs(7_200));
        assert_eq!(read("2M"), Duration::from_secs(120));
        assert_eq!(read("2S"), Duration::from_secs(2));
        assert_eq!(read("2m"), Duration::from_millis(2));
        assert_eq!(read("2u"), Duration::from_micros(2));
        assert_eq!(read("2n"), Duration::from_nanos(2));
    }

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
        let began = Instant::now();
        for millis in [1, 50, 3_600_000] {
            let patience = Duration::from_millis(millis);
            let ours = last_word(began, began + patience) - began;
            assert!(
                ours < patience && ours >= patience * 8 / 10,
                "before tonic's timer"
            );
        }
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
}
