//! A server made of the generated traits. Each call takes the next [`Act`] of the script, and is noted.
//!
//! Between it and the client is a relay of bytes, which can be cut.

mod bulk;
mod query;
mod rest;
mod transactions;

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stratigraph_client::{Client, ClientBuilder, Retry};
use stratigraph_proto::v1::{self, value::Kind};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::{Server, ServerTlsConfig};
use tonic::{Code, Request, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

pub(crate) type Answer<T> = Result<tonic::Response<T>, Status>;

/// What the server does with a call.
#[derive(Clone)]
pub(crate) enum Act {
    /// Refuses.
    Fail(Status),
    /// Answers: columns, batches of rows, and how it ends.
    Rows(Vec<&'static str>, Vec<Vec<Vec<Kind>>>, End),
    /// Answers after a while.
    Late(Duration, Box<Act>),
    /// Answers a call that has one answer as usual; so do calls when the script is over.
    Usual,
    /// Breaks all connections, without an answer.
    Cut,
    /// Breaks all connections once the work is done, before the answer.
    WorkAndCut,
    /// Never answers.
    Hang,
    /// Gives one batch after the other until nobody takes them.
    Endless,
}

#[derive(Clone)]
pub(crate) enum End {
    Summary(Box<v1::QuerySummary>),
    Nothing,
    Fail(Status),
    Cut,
    Hang,
}

/// What a call was.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) method: &'static str,
    pub(crate) metadata: HashMap<String, String>,
    /// Its text, its id, or whatever tells it from others.
    pub(crate) what: String,
    pub(crate) query: Option<v1::QueryRequest>,
}

#[derive(Default)]
pub(crate) struct State {
    script: Mutex<VecDeque<Act>>,
    seen: Mutex<Vec<Seen>>,
    relays: Mutex<Vec<JoinHandle<()>>>,
    connections: AtomicUsize,
    /// How many streams of rows have been given up by the client.
    pub(crate) given_up: AtomicUsize,
    /// Batches that went out of endless answers.
    pub(crate) batches: AtomicUsize,
    pub(crate) transactions: AtomicUsize,
    pub(crate) open: Mutex<Vec<String>>,
    pub(crate) committed: Mutex<Vec<String>>,
    pub(crate) rolled_back: Mutex<Vec<String>>,
    pub(crate) prepared: Mutex<Vec<String>>,
    pub(crate) taken: Mutex<bulk::Taken>,
}

impl State {
    /// Notes a call, and says what to do with it.
    fn next<T>(&self, method: &'static str, request: &Request<T>, what: &str) -> Act {
        let entries = request.metadata().as_ref().iter();
        let metadata = entries
            .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
        self.seen.lock().unwrap().push(Seen {
            method,
            metadata: metadata.collect(),
            what: what.to_owned(),
            query: None,
        });
        let act = self.script.lock().unwrap().pop_front();
        act.unwrap_or(Act::Usual)
    }

    /// What to do with a call that has one answer: `work` is what it usually does.
    async fn one<T>(&self, act: Act, work: impl FnOnce() -> Result<T, Status>) -> Answer<T> {
        let mut act = act;
        while let Act::Late(wait, then) = act {
            tokio::time::sleep(wait).await;
            act = *then;
        }
        match act {
            Act::Fail(status) => Err(status),
            Act::Cut => {
                self.cut();
                Err(Status::unknown("cut"))
            }
            Act::WorkAndCut => {
                let _ = work();
                self.cut();
                Err(Status::unknown("cut"))
            }
            Act::Hang => std::future::pending().await,
            _ => work().map(tonic::Response::new),
        }
    }

    /// Breaks all connections.
    pub(crate) fn cut(&self) {
        for relay in self.relays.lock().unwrap().drain(..) {
            relay.abort();
        }
    }
}

/// A server that does what it is told.
pub(crate) struct Fake {
    pub(crate) state: Arc<State>,
    pub(crate) address: SocketAddr,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
        self.state.cut();
    }
}

impl Fake {
    pub(crate) async fn start(script: impl IntoIterator<Item = Act>) -> Self {
        Self::start_with(script, None).await
    }

    pub(crate) async fn start_with(
        script: impl IntoIterator<Item = Act>,
        tls: Option<ServerTlsConfig>,
    ) -> Self {
        let state = Arc::new(State::default());
        state.script.lock().unwrap().extend(script);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let inner = listener.local_addr().unwrap();
        let mut server = Server::builder();
        if let Some(tls) = tls {
            server = server.tls_config(tls).unwrap();
        }
        let routes = rest::routes(&state);
        let serving = tokio::spawn(async move {
            let incoming = TcpListenerStream::new(listener);
            let _ = server
                .add_routes(routes)
                .serve_with_incoming(incoming)
                .await;
        });
        let front = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = front.local_addr().unwrap();
        let relays = Arc::clone(&state);
        let relaying = tokio::spawn(async move {
            while let Ok((mut client, _)) = front.accept().await {
                relays.connections.fetch_add(1, Ordering::Relaxed);
                let relay = tokio::spawn(async move {
                    let mut server = TcpStream::connect(inner).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
                relays.relays.lock().unwrap().push(relay);
            }
        });
        Self {
            state,
            address,
            tasks: vec![serving, relaying],
        }
    }

    /// A client that waits little between attempts.
    pub(crate) fn builder(&self) -> ClientBuilder {
        let retry = Retry::default().first_wait(Duration::from_millis(5));
        Client::builder(format!("http://{}", self.address)).retry(retry)
    }

    pub(crate) async fn client(&self) -> Client {
        self.builder().connect().await.unwrap()
    }

    pub(crate) fn then(&self, acts: impl IntoIterator<Item = Act>) {
        self.state.script.lock().unwrap().extend(acts);
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }

    /// How many connections there have been.
    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }

    /// How often a method was called.
    pub(crate) fn calls(&self, method: &str) -> usize {
        self.seen()
            .iter()
            .filter(|seen| seen.method == method)
            .count()
    }

    /// Waits until something is so.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        for _ in 0..500 {
            if is_so(&self.state) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("never: {what}");
    }
}

/// An answer with one column `n` and these numbers, a batch each.
pub(crate) fn numbers(numbers: impl IntoIterator<Item = i64>) -> Act {
    let batches: Vec<_> = numbers
        .into_iter()
        .map(|number| vec![vec![Kind::IntValue(number)]])
        .collect();
    let rows = batches.len() as u64;
    Act::Rows(vec!["n"], batches, summary(rows))
}

pub(crate) fn summary(rows: u64) -> End {
    End::Summary(Box::new(v1::QuerySummary {
        rows,
        elapsed_us: 1500,
        ..v1::QuerySummary::default()
    }))
}

/// A status as the server makes them.
pub(crate) fn refusal(
    code: Code,
    reason: &str,
    facts: &[(&str, &str)],
    again: Option<u64>,
) -> Status {
    let mut details = ErrorDetails::new();
    let facts: HashMap<String, String> = facts
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .chain([("retryable".to_owned(), again.is_some().to_string())])
        .collect();
    details.set_error_info(reason, stratigraph_proto::ERROR_DOMAIN, facts);
    if let Some(after_ms) = again {
        details.set_retry_info(Some(Duration::from_millis(after_ms)));
    }
    Status::with_error_details(code, format!("it is {reason}"), details)
}
