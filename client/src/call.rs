//! One call: its metadata, its time, and its attempts.

use crate::client::Client;
use crate::error::{Failure, Safety, read_failure};
use crate::{Error, Retry};
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;
use tonic::metadata::AsciiMetadataValue;
use tonic::transport::Channel;
use tonic::{Request, Response, Status};

/// The metadata with the id of a request.
pub(crate) const REQUEST_ID: &str = "x-request-id";
/// The largest number that fits into the metadata with the time, which has eight digits.
const MAX_TIMEOUT: Duration = Duration::from_secs(99_999_999);

/// A call with what all its attempts share.
pub(crate) struct Call {
    pub(crate) client: Client,
    pub(crate) safety: Safety,
    pub(crate) request_id: String,
    allowed: Option<Duration>,
    deadline: Option<Instant>,
    retry: Retry,
}

/// A stub for one attempt, with the limits of the client.
macro_rules! stub {
    ($attempt:expr, $module:ident :: $stub:ident) => {{
        let attempt: &$crate::call::Attempt = &$attempt;
        let limits = attempt.limits;
        let stub = ::stratigraph_proto::v1::$module::$stub::new(attempt.channel.clone())
            .max_decoding_message_size(limits.receive_bytes)
            .max_encoding_message_size(limits.send_bytes);
        match limits.compress {
            Some(compress) => stub
                .send_compressed(compress.encoding())
                .accept_compressed(compress.encoding()),
            None => stub,
        }
    }};
}
pub(crate) use stub;

/// A call with one request and one answer.
macro_rules! unary {
    ($client:expr, $safety:expr, $module:ident :: $stub:ident, $method:ident, $request:expr) => {{
        let request = $request;
        $crate::call::Call::new($client, $safety, None)
            .answer(|attempt| {
                let request = request.clone();
                async move {
                    let mut stub = $crate::call::stub!(attempt, $module::$stub);
                    stub.$method(attempt.request(request)?).await
                }
            })
            .await
    }};
}
pub(crate) use unary;

/// One attempt of a call.
pub(crate) struct Attempt {
    pub(crate) channel: Channel,
    pub(crate) limits: crate::client::Limits,
    request: Request<()>,
}

impl Attempt {
    /// The message with the metadata of the call, if it is not too large to be sent. tonic would say so too, but in a
    /// way that looks like a broken connection.
    pub(crate) fn request<M: prost::Message>(self, message: M) -> Result<Request<M>, Status> {
        let (bytes, limit) = (message.encoded_len(), self.limits.send_bytes);
        if bytes > limit {
            return Err(Status::out_of_range(format!(
                "encoded message length too large: {bytes} bytes, and the limit is {limit}"
            )));
        }
        Ok(self.stream(message))
    }

    /// A stream of messages with the metadata of the call.
    pub(crate) fn stream<S>(self, messages: S) -> Request<S> {
        let (metadata, extensions, ()) = self.request.into_parts();
        Request::from_parts(metadata, extensions, messages)
    }
}

impl Call {
    /// A call that may take as long as `timeout` says, or else as the client says.
    pub(crate) fn new(client: &Client, safety: Safety, timeout: Option<Duration>) -> Self {
        let allowed = timeout.or(client.timeout);
        Self {
            client: client.clone(),
            safety,
            request_id: format!("{:032x}", fastrand::u128(..)),
            allowed,
            deadline: allowed.and_then(|allowed| Instant::now().checked_add(allowed)),
            retry: client.inner.retry,
        }
    }

    /// A call that is made once.
    pub(crate) fn once(mut self) -> Self {
        self.retry = Retry::never();
        self
    }

    /// When its time is over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// How long it may take with all its attempts.
    pub(crate) fn allowed(&self) -> Option<Duration> {
        self.allowed
    }

    /// The same in milliseconds, for the server.
    pub(crate) fn allowed_ms(&self) -> Option<u64> {
        let allowed = self.allowed?.as_millis().max(1);
        Some(u64::try_from(allowed).unwrap_or(u64::MAX))
    }

    /// A new attempt, on the connection whose turn it is.
    pub(crate) fn attempt(&self) -> Attempt {
        let inner = &self.client.inner;
        let mut request = Request::new(());
        if let Some(authorization) = &inner.authorization {
            let authorization = authorization.clone();
            request
                .metadata_mut()
                .insert("authorization", authorization);
        }
        if let Ok(mut id) = self.request_id.parse::<AsciiMetadataValue>() {
            // It never comes again: HTTP/2 need not remember it.
            id.set_sensitive(true);
            request.metadata_mut().insert(REQUEST_ID, id);
        }
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            request.set_timeout(left.min(MAX_TIMEOUT));
        }
        Attempt {
            channel: inner.channel(),
            limits: inner.limits,
            request,
        }
    }

    /// Makes the call, again where that is safe, until it is answered or the time is over.
    pub(crate) async fn answer<T, F, A>(&self, mut call: F) -> Result<T, Error>
    where
        F: FnMut(Attempt) -> A,
        A: Future<Output = Result<Response<T>, Status>>,
    {
        let mut made = 0;
        loop {
            let failure = match self.in_time(call(self.attempt())).await {
                Some(Ok(response)) => return Ok(response.into_inner()),
                Some(Err(status)) => self.failure(&status),
                None => return Err(self.too_late()),
            };
            made += 1;
            let Some(wait) = self.pause(made, &failure) else {
                return Err(failure.error);
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// How long to wait before the next attempt; none if this failure is the answer.
    pub(crate) fn pause(&self, made: u32, failure: &Failure) -> Option<Duration> {
        let wait = self.retry.wait(made, failure.again?)?;
        let ends = Instant::now().checked_add(wait)?;
        // An attempt that has no time left tells less than this failure.
        let fits = self.deadline.is_none_or(|deadline| ends < deadline);
        fits.then_some(wait)
    }

    /// What comes before the time of the call is over; none if it is.
    pub(crate) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        match self.deadline {
            Some(deadline) => tokio::time::timeout_at(deadline, work).await.ok(),
            None => Some(work.await),
        }
    }

    /// What a status means for this call.
    pub(crate) fn failure(&self, status: &Status) -> Failure {
        let endpoint = &self.client.inner.endpoint;
        let failure = read_failure(status, self.safety, &self.request_id, endpoint);
        let is_known =
            self.safety == Safety::MayWrite && matches!(failure.error, Error::Refused(_));
        if self.is_over() && is_about_time(status) && !is_known {
            return Failure {
                error: self.too_late(),
                again: None,
            };
        }
        failure
    }

    /// The time of the call is over, and no answer has come.
    pub(crate) fn too_late(&self) -> Error {
        let allowed = self.allowed.unwrap_or_default();
        match self.safety {
            Safety::Reads => Error::Deadline { allowed },
            Safety::MayWrite => Error::OutcomeUnknown {
                request_id: self.request_id.clone(),
                problem: format!("no answer came within {} ms", allowed.as_millis()),
            },
        }
    }

    fn is_over(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() + CLOCKS_DIFFER >= deadline)
    }
}

/// The server's clock, and tonic's, may be a little ahead of ours.
const CLOCKS_DIFFER: Duration = Duration::from_millis(20);

fn is_about_time(status: &Status) -> bool {
    matches!(
        status.code(),
        tonic::Code::DeadlineExceeded | tonic::Code::Cancelled
    )
}
