//! Documents on their way to a server, which reports of each.
//!
//! Next: `values.rs`.

use super::coming::unless_cancelled;
use super::server::Server;
use super::values;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::remote::RemoteFailure;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Error as EngineError, Value};
use stratigraph_client::{Document, DocumentReport, Error, Layers, UpsertOpened, Upserts};
use stratigraph_rag::door::{Alike, Incoming};
use stratigraph_rag::ingest::{System, UnknownSystem};

/// So many documents are taken out with one request.
const PORTION: usize = 500;
/// How documents are taken in.
const SYSTEM: &str = "CALL rag.layers() YIELD profile RETURN profile";
/// What documents there are.
const DOCUMENTS: &str = "MATCH (d:Document) RETURN coalesce(d.id, d.key) AS id";

/// Which relations mean the same by their names.
const ALIKE: &str = "CALL rag.relations() YIELD name, standsFor, distance, opposite RETURN name, standsFor, distance, opposite";
/// That one is called by another's name.
const AGREE: &str = "CALL rag.agree('relation', $name, $stands) YIELD changed RETURN changed";

/// A stream of documents to a server.
pub(crate) struct Uploading<'s> {
    server: &'s Server,
    upserts: Upserts,
    reports: mpsc::Receiver<DocumentReport>,
    opened: Arc<Mutex<UpsertOpened>>,
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
        let opened = Arc::<Mutex<UpsertOpened>>::default();
        let known = Arc::clone(&opened);
        let settings = settings.on_opened(move |opened| {
            *known.lock().unwrap_or_else(PoisonError::into_inner) = opened;
        });
        // Whoever has gone wants no reports.
        let settings = settings.on_report(move |report| drop(told.send(report)));
        Self {
            server,
            upserts: settings.start(),
            reports,
            opened,
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

    /// Waits until all documents are reported; what they came into.
    ///
    /// # Errors
    /// What ended it; what was reported is in.
    pub(crate) fn finish(
        self,
        tell: &mut impl FnMut(DocumentReport),
    ) -> Result<UpsertOpened, Failure> {
        let finished = unless_cancelled(&self.cancel, self.upserts.finish());
        let finished = self.server.runtime.block_on(finished);
        self.reports.try_iter().for_each(tell);
        match finished {
            None => Err(EngineError::Cancelled.into()),
            Some(Ok(_)) => {
                let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(opened.clone())
            }
            Some(Err(error)) => Err(self.server.failure(&error, "").into()),
        }
    }

    fn failure(&self, error: &Error) -> Failure {
        self.server.failure(error, "").into()
    }
}

impl Server {
    /// The system whose graph documents become, if anybody has said it.
    ///
    /// # Errors
    /// Those of a statement; a system that this program does not know.
    pub(crate) fn system(&self) -> Result<Option<System>, Failure> {
        use crate::statements::Place as _;
        let rows = self.look(SYSTEM)?.into_iter().flatten();
        let mut named = rows.map(|value| value.as_str().unwrap_or_default().parse());
        named.next().transpose().map_err(|error: UnknownSystem| {
            let problem = format!("{error}: use the program of the server's version");
            RemoteFailure::other(problem, Exit::Request, "request").into()
        })
    }

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

    /// Which relations mean the same by their names.
    ///
    /// # Errors
    /// Those of a statement.
    pub(crate) fn alike(&self, cancel: &CancelToken) -> Result<Vec<Alike>, Failure> {
        let rows = self.until(cancel, async {
            let mut rows = self.client.query(ALIKE).read_only().rows().await?;
            let mut all = Vec::new();
            while let Some(row) = rows.next().await? {
                all.push(row.into_values());
            }
            Ok(all)
        })?;
        let rows = rows.map_err(|error: Error| self.failure(&error, ALIKE))?;
        let told = |row: Vec<_>| -> Option<Alike> {
            let row = row.into_iter().map(values::received);
            let row = row.collect::<Result<Vec<Value>, String>>().ok()?;
            let text = |place: usize| row.get(place)?.as_str().map(str::to_owned);
            let Some(Value::Float(distance)) = row.get(2) else {
                return None;
            };
            Some(Alike {
                name: text(0)?,
                stands_for: text(1),
                distance: *distance as f32,
                opposite: text(3),
            })
        };
        let alike: Option<Vec<Alike>> = rows.into_iter().map(told).collect();
        alike.ok_or_else(|| {
            let problem = "the names of relations cannot be read".to_owned();
            RemoteFailure::other(problem, Exit::Bug, "bug").into()
        })
    }

    /// Lets a relation be called by another's name from now on. Whether that is new.
    ///
    /// # Errors
    /// Those of a statement.
    pub(crate) fn agree(
        &self,
        name: &str,
        stands: &str,
        cancel: &CancelToken,
    ) -> Result<bool, Failure> {
        let query = self.client.query(AGREE);
        let query = query.params(BTreeMap::from([("name", name), ("stands", stands)]));
        let changed = self.until(cancel, async {
            let mut rows = query.rows().await?;
            let row = rows.next().await?;
            while rows.next().await?.is_some() {}
            Ok(row)
        })?;
        let row = changed.map_err(|error: Error| self.failure(&error, AGREE))?;
        let value = row.and_then(|row| row.into_values().into_iter().next());
        let value = value.and_then(|value| values::received(value).ok());
        Ok(matches!(value, Some(Value::Bool(true))))
    }

    /// Takes documents out; `told` hears which are gone.
    ///
    /// # Errors
    /// What the server refuses; Ctrl-C, for which no request under way is left.
    pub(crate) fn delete_documents(
        &self,
        ids: &[String],
        cancel: &CancelToken,
        told: &mut dyn FnMut(&[String]),
    ) -> Result<(), Failure> {
        for some in ids.chunks(PORTION) {
            cancel.check()?;
            let rag = self.client.rag();
            let deleted = rag.delete(some.iter().cloned());
            let deleted = self.runtime.block_on(deleted);
            deleted.map_err(|error| self.failure(&error, ""))?;
            told(some);
        }
        Ok(())
    }
}
