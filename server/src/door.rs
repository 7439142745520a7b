//! The door: every call comes through here before anything of it is decoded.
//!
//! ```text
//! id of the request ──> rule of the method ──> who calls ──> the method ──> id, code and time of the answer
//! ```
//! A path that is not in the protocol is refused, so what the protocol does not know cannot be reached. The
//! services of others (health, reflection) have their rules here, in one list.

use crate::auth::{Identity, Role, Unknown};
use crate::caller::Caller;
use crate::failure::Failure;
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

/// Services that are not ours: how their paths begin, and the role that they need on any database.
const FOREIGN: &[(&str, Option<Role>)] = &[
    // Who asks whether the server lives has no token: a load balancer, an orchestrator.
    ("/grpc.health.v1.Health/", None),
    ("/grpc.reflection.v1.ServerReflection/", Some(Role::Read)),
    (
        "/grpc.reflection.v1alpha.ServerReflection/",
        Some(Role::Read),
    ),
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
        let path = request.uri().path().to_owned();
        let admitted = admit(&shared, &request, &request_id, began);
        let span = tracing::info_span!(
            "call",
            request_id = &*request_id,
            method = %known_path(&path),
            token = tracing::field::Empty,
        );
        let work = async move {
            let mut response = match admitted {
                Ok(caller) => {
                    tracing::Span::current().record("token", &**caller.identity.name());
                    request.extensions_mut().insert(caller);
                    inner.call(request).await?
                }
                Err(failure) => status(&failure).into_http(),
            };
            blame_the_message(response.headers_mut());
            if let Ok(id) = HeaderValue::from_str(&request_id) {
                response.headers_mut().insert(REQUEST_ID, id);
            }
            let code = Status::from_header_map(response.headers()).map(|status| status.code());
            shared
                .metrics
                .answered(known_path(&path), code, began.elapsed());
            tracing::debug!(code = ?code.unwrap_or(Code::Ok), elapsed_us = crate::convert::micros(began.elapsed()), "answered");
            Ok(response)
        };
        Box::pin(work.instrument(span))
    }
}

/// Whether the call may go on, and as whose.
fn admit(
    shared: &Shared,
    request: &Request<Body>,
    request_id: &Arc<str>,
    began: Instant,
) -> Result<Caller, Failure> {
    let path = request.uri().path();
    let needs = rule(path)?;
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
    if shared.is_ending() && needs.is_some() {
        return Err(Failure::ShuttingDown);
    }
    let patience = grpc_timeout(headers)?;
    Ok(Caller {
        identity,
        request_id: Arc::clone(request_id),
        needs,
        began,
        deadline: patience.and_then(|patience| began.checked_add(patience)),
    })
}

/// The role that a method needs.
fn rule(path: &str) -> Result<Option<Role>, Failure> {
    if let Some(method) = stratigraph_proto::method(path) {
        return Role::needed(method.access).map_err(|_| Failure::Bug {
            what: "a method has no rule",
        });
    }
    let foreign = FOREIGN.iter().find(|(prefix, _)| path.starts_with(prefix));
    foreign
        .map(|(_, needs)| *needs)
        .ok_or_else(|| Failure::NoMethod {
            path: path.chars().take(200).collect(),
        })
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

/// The path, if it is one of ours; logs and metrics take nothing else from outside.
fn known_path(path: &str) -> &'static str {
    if let Some(method) = stratigraph_proto::method(path) {
        return method.path;
    }
    let foreign = FOREIGN.iter().find(|(prefix, _)| path.starts_with(prefix));
    foreign.map_or("unknown", |(prefix, _)| prefix)
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
        None => crate::ids::random_id().map_or_else(|_| "none".into(), Into::into),
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
    fn every_method_has_a_rule_and_nothing_else_is_reached() {
        for method in stratigraph_proto::METHODS {
            assert!(rule(method.path).is_ok(), "{}", method.path);
            assert_eq!(known_path(method.path), method.path);
        }
        assert_eq!(rule("/grpc.health.v1.Health/Check").unwrap(), None);
        for path in [
            "/",
            "",
            "/stratigraph.v1.QueryService/",
            "/stratigraph.v2.QueryService/Query",
            "/grpc.health.v1.HealthX/Check",
        ] {
            assert!(
                matches!(rule(path), Err(Failure::NoMethod { .. })),
                "{path}"
            );
            assert_eq!(known_path(path), "unknown");
        }
    }

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
}
