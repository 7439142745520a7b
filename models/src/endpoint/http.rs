//! One call over HTTP, repeated where that is safe and useful.
//!
//! Both calls only compute, so any may be made again; what costs money for nothing is not: a refusal that
//! says the request is wrong, and a stream that broke off after it had begun.

use super::limits::{Limits, Place};
use super::{EndpointBuilder, Key, again};
use crate::error::ModelError;
use crate::generate::Usage;
use serde_json::Value;
use std::io::Read;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use ureq::http::{Response, StatusCode, Uri};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body};

/// How much of a refusal is passed on.
const SHOWN_OF_REFUSAL: usize = 400;

/// An address, and how to talk to it.
#[derive(Debug)]
pub(super) struct Http {
    agent: Agent,
    url: String,
    key: Option<Key>,
    attempts: u32,
    max_response_bytes: usize,
    pub(super) limits: Limits,
}

/// A reply whose body is still to be read.
pub(super) struct Open<'a> {
    pub(super) body: Box<dyn Read + 'static>,
    _place: Place<'a>,
}

impl Http {
    pub(super) fn new(builder: EndpointBuilder, limits: Limits) -> Result<Self, ModelError> {
        let bad = |problem: &'static str| ModelError::BadAddress { problem };
        let uri: Uri = builder
            .url
            .parse()
            .map_err(|_| bad("it cannot be read as one"))?;
        let host = uri.host().ok_or_else(|| bad("it names no host"))?;
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        if authority.contains('@') {
            return Err(bad("it holds a name or password; give the key by itself"));
        }
        if builder.url.contains(['?', '#']) {
            return Err(bad(
                "it has a query or a fragment; give the part before `?`, and the key by itself",
            ));
        }
        let plain = match uri.scheme_str() {
            Some("https") => false,
            Some("http") => true,
            _ => return Err(bad("it begins neither with http:// nor with https://")),
        };
        let here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        if plain && builder.key.is_some() && !here && !builder.key_in_the_clear {
            return Err(bad(
                "the key would go over the network in the clear; use https://, or in a program `EndpointBuilder::send_key_in_the_clear`",
            ));
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(Duration::from_secs(10).min(builder.timeout)))
            .timeout_global(Some(builder.timeout));
        if !plain {
            config = config.tls_config(tls());
        }
        if here {
            // What is on this machine is not asked through another, which would read the key.
            config = config.proxy(None);
        }
        Ok(Self {
            agent: config.build().new_agent(),
            url: builder.url,
            key: builder.key,
            attempts: builder.attempts,
            max_response_bytes: builder.max_response_bytes,
            limits,
        })
    }

    /// The address, which has no part that must not be shown.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Calls, and reads the reply as JSON.
    pub(super) fn call(&self, path: &str, body: &Value) -> Result<Value, ModelError> {
        self.repeated(|again| {
            let mut open = self.open(path, body, again)?;
            let mut bytes = Vec::new();
            let limit = self.max_response_bytes as u64;
            let mut limited = open.body.by_ref().take(limit + 1);
            limited
                .read_to_end(&mut bytes)
                .map_err(|error| self.broken(&error))?;
            if bytes.len() as u64 > limit {
                return Err(self.failed(
                    None,
                    format!("gave more than the {limit} bytes that are read"),
                    None,
                ));
            }
            let reply: Value = serde_json::from_slice(&bytes).map_err(|error| {
                self.failed(
                    None,
                    format!("gave something that is no JSON: {error}"),
                    None,
                )
            })?;
            // While it still has its place: whoever takes that next must find it counted.
            self.limits.used(usage(&reply));
            Ok(reply)
        })
    }

    /// Calls, and gives the reply while it still comes.
    pub(super) fn open_stream(&self, path: &str, body: &Value) -> Result<Open<'_>, ModelError> {
        let mut open = self.repeated(|again| self.open(path, body, again))?;
        // What is more is cut off, and the reply is not whole then.
        open.body = Box::new(open.body.take(self.max_response_bytes as u64));
        Ok(open)
    }

    /// The reading of a reply failed.
    pub(super) fn broken(&self, error: &std::io::Error) -> ModelError {
        self.failed(
            None,
            format!("broke off its reply: {error}"),
            Some(Duration::ZERO),
        )
    }

    /// What the endpoint did wrong; when to try again, if that may help.
    pub(super) fn failed(
        &self,
        status: Option<u16>,
        problem: String,
        again: Option<Duration>,
    ) -> ModelError {
        ModelError::Endpoint {
            url: self.url.clone(),
            status,
            problem: self.without_key(problem),
            again,
        }
    }

    /// Words from there, which may repeat the key.
    pub(super) fn without_key(&self, words: String) -> String {
        match &self.key {
            Some(Key(key)) if !key.is_empty() => words.replace(key, "***"),
            _ => words,
        }
    }

    fn repeated<T>(
        &self,
        call: impl FnMut(bool) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        again::repeated(self.attempts, call, fastrand::f64, thread::sleep)
    }

    fn open(&self, path: &str, body: &Value, again: bool) -> Result<Open<'_>, ModelError> {
        let place = self.limits.enter()?;
        self.limits.called(again);
        let mut request = self
            .agent
            .post(format!("{}{path}", self.url))
            .content_type("application/json");
        if let Some(Key(key)) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let response = request.send(body.to_string().as_bytes()).map_err(|error| {
            let again = may_pass(&error).then_some(Duration::ZERO);
            self.failed(None, format!("cannot be asked: {error}"), again)
        })?;
        if response.status().is_success() {
            let body = Box::new(response.into_body().into_reader());
            return Ok(Open {
                body,
                _place: place,
            });
        }
        Err(self.refused(response))
    }

    fn refused(&self, mut response: Response<Body>) -> ModelError {
        let status = response.status();
        let passes = matches!(
            status.as_u16(),
            408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529
        );
        let after = response.headers().get("retry-after");
        let after = after.and_then(|after| after.to_str().ok()?.trim().parse().ok());
        let again = passes.then(|| Duration::from_secs(after.unwrap_or(0)));
        let mut said = Vec::new();
        // Whatever cannot be read of a refusal does not change that it is one.
        let _ = response
            .body_mut()
            .as_reader()
            .take(64 << 10)
            .read_to_end(&mut said);
        // Before anything is cut off: half of a key is not found any more.
        let mut said = self.without_key(message(&said));
        said.truncate(said.floor_char_boundary(SHOWN_OF_REFUSAL.min(said.len())));
        let hint = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => " (is the key right?)",
            StatusCode::NOT_FOUND => {
                " (is the address the part before /chat/completions, and the model there?)"
            }
            _ if status.is_redirection() => {
                " (redirects are not followed; give the address that it leads to)"
            }
            _ => "",
        };
        self.failed(
            Some(status.as_u16()),
            format!("refused with {status}{hint}: {said}"),
            again,
        )
    }
}

/// What a reply says that it cost.
pub(super) fn usage(reply: &Value) -> Usage {
    // No reply has so many, and sums of what one claims cannot overflow.
    let most = u64::from(u32::MAX);
    let count = |name: &str| {
        let claimed = reply.pointer(name).and_then(Value::as_u64);
        claimed.unwrap_or(0).min(most)
    };
    Usage {
        input_tokens: count("/usage/prompt_tokens"),
        output_tokens: count("/usage/completion_tokens"),
    }
}

/// Whether an error of the connection may be gone the next time.
fn may_pass(error: &ureq::Error) -> bool {
    use ureq::Error as E;
    matches!(
        error,
        E::Io(_) | E::Timeout(_) | E::ConnectionFailed | E::Protocol(_) | E::HostNotFound
    )
}

/// What a refusal says, as one line.
fn message(body: &[u8]) -> String {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let said = json.as_ref().and_then(|json| {
        json.pointer("/error/message")
            .or(json.get("message"))?
            .as_str()
    });
    let said = said.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
    let said: Vec<&str> = said.split_whitespace().collect();
    said.join(" ")
}

/// The machine's own roots, and ring: what the rest of the house uses.
fn tls() -> TlsConfig {
    let roots = rustls_native_certs::load_native_certs().certs;
    let roots = roots
        .iter()
        .map(|root| Certificate::from_der(root).to_owned());
    TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots.collect())))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}
