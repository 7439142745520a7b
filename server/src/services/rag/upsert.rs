//! A stream of documents: each a transaction of its own, each with its report.

use super::stream::{opened, silent};
use super::words::{bill, change, foreseen};
use super::{again, refused, why};
use crate::config::Config;
use crate::convert;
use crate::databases::OpenDatabase;
use crate::failure::Failure;
use crate::services::feeding::{Opened, Parts};
use crate::services::telling::{Teller, ToldStream, telling};
use crate::shared::Shared;
use crate::work::caught;
use std::sync::Arc;
use stratigraph_proto::v1;
use stratigraph_proto::v1::upsert_documents_request::Part;
use stratigraph_proto::v1::upsert_documents_response::Part as Told;
use stratigraph_rag::door::{DoorError, Incoming, LONGEST_METADATA, Open, Wanted, causes, datum};
use stratigraph_rag::ingest::{Ended, Problems, Progress, Report};
use tonic::{Request, Status, Streaming};

/// The most broken lines of one list that are told one by one.
const MOST_BROKEN_LINES: usize = 100;

/// Streams of documents.
static DOCUMENTS: Parts<v1::UpsertDocumentsRequest, Part, v1::UpsertStart> = Parts {
    part: |message| message.part,
    start: |part| match part {
        Part::Start(start) => Some(start),
        _ => None,
    },
    database: |start| &start.database,
    is_finish: |part| matches!(part, Part::Finish(_)),
    unfinished: "the stream ended without `finish`: what was reported is taken in, and nothing else",
    silent,
    may_outlast: false,
};

/// A stream of documents on its thread.
struct Job {
    shared: Arc<Shared>,
    database: Arc<OpenDatabase>,
    start: v1::UpsertStart,
    stream: Opened<Part>,
    teller: Teller<v1::UpsertDocumentsResponse>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    documents: u64,
    failed: u64,
}

pub(super) async fn upsert(
    shared: &Arc<Shared>,
    request: Request<Streaming<v1::UpsertDocumentsRequest>>,
) -> Result<ToldStream<v1::UpsertDocumentsResponse>, Status> {
    let (start, database, stream) = opened(shared, request, &DOCUMENTS).await?;
    let (teller, told) = telling(shared.config.max_ingestion_idle.0, &stream.cancel);
    let job = Job {
        shared: Arc::clone(shared),
        database,
        start,
        stream,
        teller,
        counts: Counts::default(),
    };
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(|| job.run()));
    Ok(told)
}

impl Job {
    fn run(mut self) {
        let done = caught(|| self.take_in());
        let done = done.map_err(|failure| why(&self.shared, self.stream.ends, failure));
        let Counts { documents, failed } = self.counts;
        tracing::info!(documents, failed, dry_run = self.start.dry_run, "documents");
        if let Err(failure) = done {
            self.teller.fail(&failure);
        }
    }

    fn take_in(&mut self) -> Result<(), Failure> {
        let mut open = match self.waits_for_a_document()? {
            true => None,
            false => Some(self.open(Vec::new())?),
        };
        loop {
            match self.stream.next_part()? {
                Part::Start(_) => return Err(Failure::request("part", "`start` comes once")),
                // Layers may be made without documents, and not for documents that nobody could read.
                Part::Finish(_) if open.is_none() && self.counts.documents == 0 => {
                    return self.open(Vec::new()).map(|_| ());
                }
                Part::Finish(_) => return Ok(()),
                Part::Document(document) => {
                    self.within_limit()?;
                    if open.is_none() {
                        open = self.open_for(&document)?;
                    }
                    let report = match &open {
                        Some(open) => self.one(open, document)?,
                        // What cannot be read is told, and the next one decides.
                        None => self.one(&self.imagined()?, document)?,
                    };
                    self.report(report)?;
                }
            }
        }
    }

    /// Whether the stream may have one more document.
    fn within_limit(&self) -> Result<(), Failure> {
        let most = self.shared.config.max_documents;
        if self.counts.documents < u64::from(most) {
            return Ok(());
        }
        Err(Failure::Limit {
            what: "the number of documents in a stream",
            limit: most.to_string(),
            hint: "send them in several streams",
        })
    }

    /// Counts a document, and tells what has become of it.
    fn report(&mut self, report: v1::DocumentReport) -> Result<(), Failure> {
        let failed = u64::from(!report.taken_in);
        self.counts.documents += 1;
        self.counts.failed += failed;
        if !self.start.dry_run {
            self.shared.metrics.took_in(failed, report.bill.as_ref());
        }
        let part = Some(Told::Report(report));
        self.teller.surely(v1::UpsertDocumentsResponse { part })
    }

    /// Whether the first document that can be read decides on the embedder of new layers.
    fn waits_for_a_document(&self) -> Result<bool, Failure> {
        let Some(layers) = &self.start.layers else {
            return Ok(false);
        };
        // Layers that cannot be are refused before anything is sent.
        self.wanted(layers, Vec::new())?;
        if layers.keep_embedder || !layers.sample.is_empty() {
            return Ok(false);
        }
        self.database.library.wants_sample().map_err(refused)
    }

    /// Opens new layers for a document and those that will follow, if it can be read.
    fn open_for(&self, document: &v1::RagDocument) -> Result<Option<Open>, Failure> {
        let equipment = self.database.library.equipment();
        let incoming = self.incoming(document.clone()).ok();
        let text = incoming.and_then(|incoming| incoming.beginning(equipment));
        text.map(|text| self.open(vec![text])).transpose()
    }

    /// What the layers would be, for a document that cannot be read.
    fn imagined(&self) -> Result<Open, Failure> {
        let layers = self.start.layers.clone().unwrap_or_default();
        let wanted = self.wanted(&layers, Vec::new())?;
        self.database.library.imagine(&wanted).map_err(refused)
    }

    /// Opens the layers, or makes them for texts like these, and tells into what documents come.
    fn open(&self, sample: Vec<String>) -> Result<Open, Failure> {
        let library = &self.database.library;
        let open = match &self.start.layers {
            None => again(|| library.open().map_err(refused))?,
            Some(layers) => {
                let wanted = self.wanted(layers, sample)?;
                match self.start.dry_run {
                    // Nothing is written: of a database without layers, this is what they would be.
                    true => library.imagine(&wanted).map_err(refused)?,
                    false => again(|| library.create(&wanted).map_err(refused))?,
                }
            }
        };
        let note = open.intake_note().map_err(refused)?.unwrap_or_default();
        if !note.is_empty() {
            tracing::info!(note, "told of a stream of documents");
        }
        let opened = v1::UpsertOpened {
            embedder: open.embedder_name().to_owned(),
            note,
        };
        let part = Some(Told::Opened(opened));
        self.teller.surely(v1::UpsertDocumentsResponse { part })?;
        Ok(open)
    }

    /// What is to be made of documents, for texts like these if the request has none.
    fn wanted(&self, layers: &v1::RagLayers, sample: Vec<String>) -> Result<Wanted, Failure> {
        let said = (!layers.profile.is_empty()).then(|| layers.profile.parse());
        let system = said.transpose();
        let system = system.map_err(|error: stratigraph_rag::ingest::UnknownSystem| {
            Failure::request("start.layers.profile", error.to_string())
        })?;
        let within = |setting: &'static str| {
            move |error: DoorError| match error {
                DoorError::Request { problem, .. } => Failure::request(setting, problem),
                other => refused(other),
            }
        };
        let mut wanted = Wanted {
            system,
            filters: layers.filters.clone(),
            root: (!layers.root.is_empty()).then(|| layers.root.clone()),
            ..Wanted::default()
        };
        if !layers.language.is_empty() {
            let language = wanted.language(&layers.language);
            wanted = language.map_err(within("start.layers.language"))?;
        }
        if !layers.chunks.is_empty() {
            let chunked = wanted.chunked(&layers.chunks);
            wanted = chunked.map_err(within("start.layers.chunks"))?;
        }
        wanted.sample = match (layers.keep_embedder, layers.sample.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => sample,
            (false, false) => layers.sample.clone(),
        };
        Ok(wanted)
    }

    /// Takes a document in, or says what that would be.
    fn one(&self, open: &Open, document: v1::RagDocument) -> Result<v1::DocumentReport, Failure> {
        let id = document.id.clone();
        let reported = match self.incoming(document) {
            Err(problem) => Err(problem),
            Ok(incoming) if self.start.dry_run => self.forecast(open, incoming),
            Ok(incoming) => self.taken_in(open, &incoming)?,
        };
        let report = reported.unwrap_or_else(|problem| v1::DocumentReport {
            problems: vec![problem],
            ..v1::DocumentReport::default()
        });
        Ok(v1::DocumentReport { id, ..report })
    }

    /// What a document would be and cost, or what is wrong with it.
    fn forecast(&self, open: &Open, incoming: Incoming) -> Result<v1::DocumentReport, String> {
        let forecast = open.forecast(incoming, &self.stream.cancel);
        let forecast = forecast.map_err(|error| causes(&error))?;
        Ok(v1::DocumentReport {
            taken_in: forecast.documents > 0,
            bytes: forecast.bytes,
            pieces: forecast.pieces as u64,
            unchanged: forecast.unchanged > 0,
            added: forecast.added_documents > 0,
            changed: forecast.changed_documents > 0,
            change: Some(v1::GraphChange {
                vectors: forecast.vectors,
                vector_tokens: forecast.vector_tokens,
                ..v1::GraphChange::default()
            }),
            bill: Some(foreseen(&forecast.estimate, &self.shared.config)),
            ..with_problems(&forecast.problems)
        })
    }

    /// Takes a document in: what has become of it, or what is wrong with it. A failure is the end of the stream.
    fn taken_in(
        &self,
        open: &Open,
        incoming: &Incoming,
    ) -> Result<Result<v1::DocumentReport, String>, Failure> {
        let tell = |now: Progress| {
            let progress = v1::RagProgress {
                done: self.counts.documents,
                pieces: now.pieces as u64,
                bill: Some(bill(&now.cost, &self.shared.config)),
                of: 0,
            };
            let part = Some(Told::Progress(progress));
            self.teller.perhaps(v1::UpsertDocumentsResponse { part });
        };
        let taken = again(|| {
            let mut report = match open.upsert(incoming.clone(), &self.stream.cancel, &tell) {
                Ok(report) => report,
                Err(error) => return Ok(Err(causes(&error))),
            };
            match report.ended.take() {
                Some(Ended::Database(error)) => Err(Failure::Engine(error)),
                Some(_) => Err(Failure::Cancelled),
                None => Ok(Ok(report)),
            }
        })?;
        Ok(taken.map(|report| told(&report, &self.shared.config)))
    }

    fn incoming(&self, document: v1::RagDocument) -> Result<Incoming, String> {
        let (found, limit) = (document.content.len(), self.shared.config.max_document_size);
        if found > limit.bytes() {
            return Err(format!(
                "it has {found} bytes, and documents of at most {limit} are taken in over the network"
            ));
        }
        if document.metadata.len() > LONGEST_METADATA {
            let found = document.metadata.len();
            return Err(format!(
                "its metadata have {found} entries, and at most {LONGEST_METADATA} are kept"
            ));
        }
        let format = match document.format.as_str() {
            "" => None,
            name => Some(Incoming::format_named(name).map_err(|error| error.to_string())?),
        };
        let metadata = document.metadata.into_iter().map(|(name, value)| {
            let value = convert::value_in(value, "metadata").map_err(|error| error.to_string())?;
            let value = datum(&name, &value).map_err(|error| error.to_string())?;
            Ok((name, value))
        });
        Ok(Incoming {
            id: document.id,
            bytes: document.content,
            format,
            metadata: metadata.collect::<Result<_, String>>()?,
        })
    }
}

fn told(report: &Report, config: &Config) -> v1::DocumentReport {
    v1::DocumentReport {
        taken_in: report.documents > 0,
        bytes: report.bytes,
        pieces: report.pieces as u64,
        bill: Some(bill(&report.cost, config)),
        change: Some(change(&report.change)),
        warnings: report.unread.iter().map(|unread| causes(unread)).collect(),
        unchanged: report.unchanged > 0,
        added: report.change.added_documents > 0,
        changed: report.change.changed_documents > 0,
        ..with_problems(&report.problems)
    }
}

/// A report that says what is wrong with a document, and nothing else.
fn with_problems(problems: &Problems) -> v1::DocumentReport {
    let failed = problems.failed.iter();
    let broken_lines = problems.broken_lines.iter().take(MOST_BROKEN_LINES);
    v1::DocumentReport {
        problems: failed.map(|failed| causes(&*failed.error)).collect(),
        broken_lines: broken_lines.map(|error| causes(error)).collect(),
        count_broken_lines: problems.count_broken_lines,
        ..v1::DocumentReport::default()
    }
}
