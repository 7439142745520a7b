//! A graph as text on its way to a client: chunk by chunk, no faster than the client takes them.

use super::telling::Teller;
use crate::databases::{Hold, OpenDatabase};
use crate::ending::UnderWay;
use crate::failure::Failure;
use crate::work::{HeldPlace, caught};
use std::sync::Arc;
use std::time::Instant;
use stratigraph::Error;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph_proto::v1::export_database_response::Part;
use stratigraph_proto::v1::{self, ExportForm};
use stratigraph_tables::export::{ExportError, Exported, Form, Outlet, export};

/// About how many bytes a message has.
const CHUNK_BYTES: usize = 64 << 10;

/// An export on its thread.
pub(super) struct Exporting {
    pub(super) database: Arc<OpenDatabase>,
    pub(super) form: Form,
    pub(super) teller: Teller<v1::ExportDatabaseResponse>,
    pub(super) cancel: CancelToken,
    /// When it is over, however far it is.
    pub(super) ends: Instant,
    pub(super) _hold: Hold,
    pub(super) _place: HeldPlace,
    pub(super) _under_way: UnderWay,
}

/// The form that was asked for.
pub(super) fn form_of(asked: &v1::ExportDatabaseRequest) -> Result<Form, Failure> {
    let form = ExportForm::try_from(asked.form)
        .map_err(|_| Failure::request("form", "this server does not know it"))?;
    let mut characters = asked.array_delimiter.chars();
    let array = match (characters.next(), characters.next()) {
        (None, _) => ';',
        (Some(one), None) => one,
        _ => return Err(Failure::request("array_delimiter", "is one character")),
    };
    Ok(match form {
        ExportForm::Unspecified | ExportForm::JsonLines => Form::JsonLines,
        ExportForm::Csv => Form::Csv { array },
        ExportForm::Script => Form::Script,
    })
}

impl Exporting {
    pub(super) fn run(self) {
        let done = caught(|| self.give());
        let told = done.and_then(|report| self.teller.surely(message(Part::Report(report))));
        if let Err(failure) = told {
            self.teller.fail(&failure);
        }
    }

    fn give(&self) -> Result<v1::ExportReport, Failure> {
        let mut chunks = Chunks {
            of: self,
            file: "",
            waiting: Vec::with_capacity(CHUNK_BYTES),
            is_begun: true,
            failed: None,
        };
        let mut report = |progress: Progress<'_>| {
            self.teller
                .perhaps(message(Part::Progress(v1::WorkProgress {
                    step: progress.step.to_owned(),
                    done: progress.done,
                    total: progress.total,
                })));
        };
        let mut watch = Watch::new(&mut report, self.cancel.clone());
        let engine = &self.database.engine;
        let exported = export(engine, self.form, &mut chunks, &mut watch);
        match (exported, chunks.failed) {
            (Ok(exported), _) => Ok(told(exported)),
            // The engine was told only that nobody wants it any more.
            (Err(_), Some(failure)) => Err(failure),
            (Err(ExportError::Engine(error)), None) => Err(error.into()),
            (Err(other), None) => Err(Failure::State {
                code: "NoForm",
                problem: other.to_string(),
            }),
        }
    }
}

fn told(exported: Exported) -> v1::ExportReport {
    v1::ExportReport {
        sequence: exported.commit,
        nodes: exported.nodes,
        relationships: exported.relationships,
        declarations: exported.declarations,
        members: exported.members,
        bytes: exported.bytes,
        left_out: exported.left_out,
    }
}

fn message(part: Part) -> v1::ExportDatabaseResponse {
    v1::ExportDatabaseResponse { part: Some(part) }
}

/// Bytes that wait for others to fill their message.
struct Chunks<'e> {
    of: &'e Exporting,
    file: &'static str,
    waiting: Vec<u8>,
    /// Whether the client knows of the file.
    is_begun: bool,
    /// Why nothing goes on.
    failed: Option<Failure>,
}

impl Chunks<'_> {
    fn send(&mut self) -> Result<(), Error> {
        if self.waiting.is_empty() && self.is_begun {
            return Ok(());
        }
        let content = std::mem::replace(&mut self.waiting, Vec::with_capacity(CHUNK_BYTES));
        let chunk = v1::ExportChunk {
            file: self.file.to_owned(),
            content,
        };
        let sent = if Instant::now() >= self.of.ends {
            Err(Failure::Deadline)
        } else {
            self.of.teller.surely(message(Part::Chunk(chunk)))
        };
        self.is_begun = true;
        sent.map_err(|failure| {
            self.failed = Some(failure);
            Error::Cancelled
        })
    }
}

impl Outlet for Chunks<'_> {
    fn file(&mut self, name: &'static str) -> Result<(), Error> {
        self.send()?;
        self.file = name;
        self.is_begun = false;
        Ok(())
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        // A line may have as many bytes as a value: a message must not.
        loop {
            let (fits, rest) = bytes.split_at(bytes.len().min(CHUNK_BYTES - self.waiting.len()));
            self.waiting.extend_from_slice(fits);
            if rest.is_empty() {
                return Ok(());
            }
            self.send()?;
            bytes = rest;
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.send()
    }
}
