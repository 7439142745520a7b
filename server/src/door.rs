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
use crate::patience::{grpc_timeout, last_word, until};
use crate::shared::Shared;
use crate::status::status;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime};
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

#[cfg(test)]
mod tests;
