//! A stream of documents, carried by a task of its own: reports are heard also while somebody sends.

use super::describe::{DocumentReport, RagProgress, UpsertOpened};
use crate::Error;
use crate::call::{Call, stub};
use crate::carried::Carried;
use crate::client::Client;
use crate::error::Safety;
use crate::made::Make;
use crate::value::entry_to_wire;
use serde::Serialize;
use std::fmt;
use std::time::Duration;
use stratigraph_proto::v1;
use stratigraph_proto::v1::upsert_documents_request::Part;
use stratigraph_proto::v1::upsert_documents_response::Part as Told;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// How many documents may wait for the connection.
const WAITING_DOCUMENTS: usize = 2;

/// What is made of documents: decided once for a database, which keeps to it in all that is not said. The default says
/// nothing, and makes `structure` of a new database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "it is to be given to the stream of documents"]
pub struct Layers(v1::RagLayers);

impl Layers {
    /// The layers of a profile: `structure`, `bag`, `tag`, `triples`, `hybrid`, `strata` or `layered`.
    pub fn new(profile: impl Into<String>) -> Self {
        Self(v1::RagLayers {
            profile: profile.into(),
            ..v1::RagLayers::default()
        })
    }

    /// One more name of metadata that searches may be limited by.
    pub fn filter(mut self, name: impl Into<String>) -> Self {
        self.0.filters.push(name.into());
        self
    }

    /// The domain that all chains begin with.
    pub fn root(mut self, name: impl Into<String>) -> Self {
        self.0.root = name.into();
        self
    }

    /// How words become terms of the full-text indexes: `plain`, `english`, `italian` or `chinese`; `plain` in a new
    /// database if nothing is said.
    pub fn language(mut self, name: impl Into<String>) -> Self {
        self.0.language = name.into();
        self
    }

    /// How documents are cut, such as `structure:256*3` or `tokens:1200/100`; in the profile's own way if nothing is said.
    pub fn chunks(mut self, chunks: impl Into<String>) -> Self {
        self.0.chunks = chunks.into();
        self
    }

    /// One more text of documents that will come, or how it begins: if the server's embedder cannot read them, a database
    /// without layers gets the one of letters. Without any, the first document decides.
    pub fn sample(mut self, text: impl Into<String>) -> Self {
        self.0.sample.push(text.into());
        self
    }

    /// With the server's embedder, whatever it can read.
    pub fn keep_embedder(mut self) -> Self {
        self.0.keep_embedder = true;
        self
    }
}

/// A document as its file has it.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "it is to be sent"]
pub struct Document(v1::RagDocument);

impl Document {
    /// A document with a name among all documents, and the bytes of its file. How it is read is told by the end of its
    /// name.
    pub fn new(id: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self(v1::RagDocument {
            id: id.into(),
            content: content.into(),
            ..v1::RagDocument::default()
        })
    }

    /// How it is read: `markdown`, `html`, `plain`, `pdf`, or `facts`.
    pub fn format(mut self, name: impl Into<String>) -> Self {
        self.0.format = name.into();
        self
    }

    /// Something that is known of it beside its text: a text, a number, a truth, or a list of those.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is no value.
    pub fn metadata(
        mut self,
        name: impl Into<String>,
        value: impl Serialize,
    ) -> Result<Self, Error> {
        self.0
            .metadata
            .extend([entry_to_wire(name.into(), &value)?]);
        Ok(self)
    }
}

/// Settings of a stream of documents.
#[must_use = "settings do nothing until the stream starts"]
pub struct UpsertBuilder {
    client: Client,
    start: v1::UpsertStart,
    timeout: Option<Duration>,
    heard: Heard,
}

/// What is done with what the server says.
struct Heard {
    progress: Box<dyn FnMut(RagProgress) + Send>,
    report: Box<dyn FnMut(DocumentReport) + Send>,
    opened: Box<dyn FnMut(UpsertOpened) + Send>,
}

impl UpsertBuilder {
    pub(super) fn new(client: Client) -> Self {
        let start = v1::UpsertStart {
            database: client.database.to_string(),
            ..v1::UpsertStart::default()
        };
        Self {
            client,
            start,
            timeout: None,
            heard: Heard {
                progress: Box::new(|_| ()),
                report: Box::new(|_| ()),
                opened: Box::new(|_| ()),
            },
        }
    }

    /// What is made of documents. Needed for a database that has none yet, and refused if it is something else than what
    /// was decided before.
    pub fn layers(mut self, layers: Layers) -> Self {
        self.start.layers = Some(layers.0);
        self
    }

    /// Only asks what it would cost.
    pub fn dry_run(mut self) -> Self {
        self.start.dry_run = true;
        self
    }

    /// How long all of it may take. Unlimited if nothing is said, whatever the client's own limit is.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What to do when the server says what documents come into, once and before the first report.
    pub fn on_opened(mut self, on_opened: impl FnMut(UpsertOpened) + Send + 'static) -> Self {
        self.heard.opened = Box::new(on_opened);
        self
    }

    /// What to do when the server says how far it is.
    pub fn on_progress(mut self, on_progress: impl FnMut(RagProgress) + Send + 'static) -> Self {
        self.heard.progress = Box::new(on_progress);
        self
    }

    /// What to do with the report of each document, in the order in which they were sent. From then on it is durable.
    pub fn on_report(mut self, on_report: impl FnMut(DocumentReport) + Send + 'static) -> Self {
        self.heard.report = Box::new(on_report);
        self
    }

    /// Starts it. Must be called within a tokio runtime.
    pub fn start(self) -> Upserts {
        let (parts, waiting) = mpsc::channel(WAITING_DOCUMENTS);
        // There is room for the first part.
        let _ = parts.try_send(request(Part::Start(self.start)));
        let client = self.client.with_timeout(None);
        let send_bytes = client.inner.limits.send_bytes;
        let call = Call::new(&client, Safety::MayWrite, self.timeout).once();
        Upserts {
            parts: Carried::new(parts, tokio::spawn(carry(call, waiting, self.heard))),
            send_bytes,
            sent: 0,
        }
    }
}

impl fmt::Debug for UpsertBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("UpsertBuilder")
            .field("client", &self.client)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

/// A stream of documents under way. When it is dropped, documents that were not reported are as they were before.
#[must_use = "a stream of documents that is not finished may not take all of them in"]
pub struct Upserts {
    parts: Carried<v1::UpsertDocumentsRequest, u64>,
    send_bytes: usize,
    sent: u64,
}

impl Upserts {
    /// Sends a document, and waits while the server is busy with those before it.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if it does not fit into a message: nothing of it was sent, and the stream goes on. Any other
    /// error ends the stream; documents that were reported are in.
    pub async fn send(&mut self, document: Document) -> Result<(), Error> {
        let message = request(Part::Document(document.0));
        let (bytes, limit) = (prost::Message::encoded_len(&message), self.send_bytes);
        if bytes > limit {
            return Err(Error::TooLarge {
                setting: "max_send_bytes",
                problem: format!("a document of {bytes} bytes, and the limit is {limit}"),
            });
        }
        self.parts.send(message).await?;
        self.sent += 1;
        Ok(())
    }

    /// Waits until all documents are reported; how many there were.
    ///
    /// # Errors
    /// What ended the stream; documents that were reported are in.
    pub async fn finish(self) -> Result<u64, Error> {
        let last = request(Part::Finish(v1::UpsertFinish {}));
        let reported = self.parts.finish(last).await?;
        if reported == self.sent {
            return Ok(reported);
        }
        Err(Error::protocol("not as many reports as documents"))
    }
}

impl fmt::Debug for Upserts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Upserts")
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}

/// Carries the call to its end; how many documents were reported.
async fn carry(
    call: Call,
    waiting: mpsc::Receiver<v1::UpsertDocumentsRequest>,
    mut heard: Heard,
) -> Result<u64, Error> {
    let attempt = call.attempt();
    let mut stub = stub!(attempt, rag_service_client::RagServiceClient);
    let worked = call.in_time(async {
        let answer = stub.upsert_documents(attempt.stream(ReceiverStream::new(waiting)));
        let mut told = answer.await?.into_inner();
        let mut reported = 0;
        while let Some(part) = told.message().await? {
            match part.part {
                Some(Told::Progress(progress)) => (heard.progress)(progress.make()),
                Some(Told::Opened(opened)) => (heard.opened)(opened.make()),
                Some(Told::Report(report)) => {
                    reported += 1;
                    (heard.report)(report.make());
                }
                None => {}
            }
        }
        Ok(reported)
    });
    match worked.await {
        Some(Ok(reported)) => Ok(reported),
        Some(Err(status)) => Err(call.failure(&status).error),
        None => Err(call.too_late()),
    }
}

fn request(part: Part) -> v1::UpsertDocumentsRequest {
    v1::UpsertDocumentsRequest { part: Some(part) }
}
