//! Documents on their way to a server, which reports of each.
//!
//! Next: `values.rs`.

use super::coming::unless_cancelled;
use super::server::Server;
use super::values;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::remote::RemoteFailure;
use std::sync::mpsc;
use stratigraph::Error as EngineError;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_client::{Document, DocumentReport, Error, Layers, Upserts};
use stratigraph_rag::door::Incoming;

/// So many documents are taken out with one request.
const PORTION: usize = 500;
/// What documents there are.
const DOCUMENTS: &str = "MATCH (d:Document) RETURN coalesce(d.id, d.key) AS id";

/// A stream of documents to a server.
pub(crate) struct Uploading<'s> {
    server: &'s Server,
    upserts: Upserts,
    reports: mpsc::Receiver<DocumentReport>,
    cancel: CancelToken,
}

/// What became of a document.
pub(crate) enum Sent {
    Yes,
    /// It alone was not sent.
    No(String),
}

impl<'s> Uploading<'s> {
    /// Begins to send.
    pub(crate) fn begin(
        server: &'s Server,
        layers: Layers,
        dry_run: bool,
        cancel: CancelToken,
    ) -> Self {
        let _within = server.runtime.enter();
        let (told, reports) = mpsc::channel();
        let mut settings = server.client.rag().upsert().layers(layers);
        if dry_run {
            settings = settings.dry_run();
        }
        // Whoever has gone wants no reports.
        let settings = settings.on_report(move |report| drop(told.send(report)));
        Self {
            server,
            upserts: settings.start(),
            reports,
            cancel,
        }
    }

    /// Sends a document.
    ///
    /// # Errors
    /// What ends all of it; what was reported is in.
    pub(crate) fn send(&mut self, document: Incoming) -> Result<Sent, Failure> {
        let mut sent = Document::new(document.id, document.bytes);
        if let Some(name) = document.format.and_then(Incoming::name_of_format) {
            sent = sent.format(name);
        }
        for (name, datum) in document.metadata {
            let value = values::sent(&datum.into());
            let value = match value {
                Ok(value) => value,
                Err(problem) => return Ok(Sent::No(format!("metadata {name}: {problem}"))),
            };
            sent = sent
                .metadata(name, value)
                .map_err(|error| self.failure(&error))?;
        }
        let sending = unless_cancelled(&self.cancel, self.upserts.send(sent));
        match self.server.runtime.block_on(sending) {
            None => Err(EngineError::Cancelled.into()),
            Some(Ok(())) => Ok(Sent::Yes),
            Some(Err(error @ Error::TooLarge { .. })) => Ok(Sent::No(error.to_string())),
            Some(Err(error)) => Err(self.failure(&error)),
        }
    }

    /// Hands on the reports that are there.
    pub(crate) fn heard(&self, tell: &mut impl FnMut(DocumentReport)) {
        self.reports.try_iter().for_each(tell);
    }

    /// Waits until all documents are reported.
    ///
    /// # Errors
    /// What ended it; what was reported is in.
    pub(crate) fn finish(self, tell: &mut impl FnMut(DocumentReport)) -> Result<(), Failure> {
        let finished = unless_cancelled(&self.cancel, self.upserts.finish());
        let finished = self.server.runtime.block_on(finished);
        self.reports.try_iter().for_each(tell);
        match finished {
            None => Err(EngineError::Cancelled.into()),
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(self.server.failure(&error, "").into()),
        }
    }

    fn failure(&self, error: &Error) -> Failure {
        self.server.failure(error, "").into()
    }
}

impl Server {
    /// The names of all documents of the database.
    ///
    /// # Errors
    /// Those of a statement.
    pub(crate) fn documents(&self) -> Result<Vec<String>, Failure> {
        use crate::statements::Place as _;
        let rows = self.look(DOCUMENTS)?.into_iter().flatten();
        let names = rows.map(|value| value.as_str().map(str::to_owned));
        let names: Option<Vec<String>> = names.collect();
        names.ok_or_else(|| {
            let problem = "a document has no name".to_owned();
            RemoteFailure::other(problem, Exit::Bug, "bug").into()
        })
    }

    /// Takes documents out.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn delete_documents(&self, ids: &[String]) -> Result<(), Failure> {
        for some in ids.chunks(PORTION) {
            let rag = self.client.rag();
            let deleted = rag.delete(some.iter().cloned());
            let deleted = self.runtime.block_on(deleted);
            deleted.map_err(|error| self.failure(&error, ""))?;
        }
        Ok(())
    }
}
