//! `ingest`: documents become a layered graph.

use crate::failure::Failure;
use crate::output::{Reply, Table, count, printable, size, things};
use crate::progress::Progress;
use clap::Args;
use serde_json::{Value, json};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use stratigraph::Database;
use stratigraph_models::{
    ChatModel, Embedder, Endpoint, Lexical, ModelError, ModelSource, cached_minilm, open_embedder,
};
use stratigraph_rag::Document;
use stratigraph_rag::build::{BuildError, Built, Layers};
use stratigraph_rag::extract::{Domain, ExtractError};
use stratigraph_rag::ingest::{Ended, Forecast, Ingest as Run, Recipe, Report, System};
use stratigraph_rag::read::{Found, PathPattern, PdfParsing, ReadError, Source, Walk, Walked};

const EXAMPLE: &str = "\
Documents are Markdown, HTML, plain text with numbered headings, and PDF with a text layer; folders are
walked, and what lies in them keeps its path as its name. What was ingested before and has not changed is
left alone, and what has changed is changed in the graph: run it again whenever files change, or after
Ctrl-C, which loses nothing that was done or paid for. --prune takes out what is no longer there.

A document that cannot be read leaves the graph as it was; the others go on, and the exit code is 2.

--profile is decided once for a database: `structure` (headings and chunks), `bag` (instances under their
headings), `tag` (entities under chains of domains), `triples` (facts with their sources), `hybrid`
(chunks beside entities and facts). Without --llm, rules read the documents. With it a model does, at any
address that speaks OpenAI's chat completions; its key is read from STRATIGRAPH_LLM_KEY. --dry-run says
what that would cost.

--embedder is `lexical` (no files needed), `minilm` (what `cargo xtask setup --models` fetches), a folder
of a model, its wheel, or its name in the hub's cache.

Examples:
  stratigraph ingest docs/ --into library
  stratigraph ingest reports/ --into library --profile bag --metadata '{company}/{year}/*.md' --filter year
  stratigraph ingest docs/ --into library --profile triples --llm http://localhost:11434/v1 --model qwen3 --dry-run

JSON: path, profile, embedder, dry_run, documents, failed [{document, problem}] (the first 1000), count_failed, pruned,
bytes, pieces, written, deleted, vectors, stale, model {calls, kept, input_tokens, output_tokens, dropped},
milliseconds";

/// Arguments of `ingest`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Ingest {
    /// Documents, or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The database's folder; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Which layers are made: structure, bag, tag, triples, hybrid
    #[arg(long, value_name = "NAME", default_value = "structure")]
    profile: System,
    /// Whose vectors: lexical, minilm, a folder, a wheel, or a name in the hub's cache
    #[arg(long, value_name = "NAME", default_value = "lexical")]
    embedder: String,
    /// A model that reads: all of its address before /chat/completions
    #[arg(long, value_name = "URL", requires = "model")]
    llm: Option<String>,
    /// The model's name there
    #[arg(long, value_name = "NAME", requires = "llm")]
    model: Option<String>,
    /// How many calls of the model are under way at a time
    #[arg(long, value_name = "N", default_value_t = 4)]
    calls: usize,
    /// What the paths of documents say of them, such as {company}/{year}/*.md
    #[arg(long, value_name = "PATTERN")]
    metadata: Option<String>,
    /// Metadata that searches may be limited by
    #[arg(long, value_name = "NAME")]
    filter: Vec<String>,
    /// The domain that all chains begin with
    #[arg(long, value_name = "NAME", default_value = "All disciplines")]
    root: String,
    /// Take out documents of the database that are not among these
    #[arg(long)]
    prune: bool,
    /// Read everything, say what it would cost, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Why nothing was ingested.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IngestError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Extract(#[from] ExtractError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{0}")]
    Request(String),
}

impl From<IngestError> for Failure {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::Build(BuildError::Database(error)) => error.into(),
            IngestError::Extract(ExtractError::Cancelled) => stratigraph::Error::Cancelled.into(),
            error => Self::Ingest(Box::new(error)),
        }
    }
}

/// What the database is opened for.
struct Opened {
    recipe: Recipe,
    embedder: Arc<dyn Embedder>,
    model: Option<Arc<ChatModel>>,
}

impl Ingest {
    /// Reads all documents and takes them in.
    ///
    /// # Errors
    /// What the paths, the models or the engine refuse; of single documents the answer tells.
    pub(super) fn run(&self, quiet: bool, progress: &Progress) -> Result<Reply, Failure> {
        let started = Instant::now();
        let pattern = self.metadata.as_deref().map(PathPattern::new).transpose();
        let pattern = pattern.map_err(|error| IngestError::Request(error.to_string()))?;
        let walked = Walk::new().find(&self.paths).map_err(IngestError::Read)?;
        if self.prune && walked.count_left_out > 0 {
            let left_out = things(walked.count_left_out as u64, "file");
            let why = format!(
                "--prune would take out documents that are there but cannot be read: {left_out}; try without it, and see which"
            );
            return Err(IngestError::Request(why).into());
        }
        let opened = self.open()?;
        let documents = || {
            let pattern = pattern.as_ref();
            let readable = walked
                .files
                .iter()
                .filter(|found| found.format.is_document());
            readable.map(move |found| read(found, pattern))
        };
        let mut reply = Reply::new("ingest");
        if self.dry_run {
            let db = Database::in_memory()
                .map_err(BuildError::from)
                .map_err(IngestError::from)?;
            let forecast = self.forecast(&opened, &db, documents(), progress)?;
            self.tell_forecast(&mut reply, &forecast);
        } else {
            let db = Database::builder()
                .create_if_missing(true)
                .open(&self.into)?;
            let report = self.take_in(&opened, &db, documents(), &walked, progress)?;
            let pruned = match self.prune && report.ended.is_none() {
                true => self.take_out(&opened, &db, &walked)?,
                false => 0,
            };
            db.close()?;
            if !quiet {
                tell_failures(&report);
            }
            self.tell_report(&mut reply, report, pruned)?;
        }
        if !quiet {
            for left_out in &walked.left_out {
                // Nobody is left to hear that stderr is closed.
                let _ = writeln!(
                    io::stderr(),
                    "left out: {}",
                    printable(&left_out.to_string())
                );
            }
        }
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        reply
            .field("path", self.into.display().to_string())
            .field("profile", self.profile.name())
            .field("embedder", opened.embedder.name())
            .field("dry_run", self.dry_run)
            .field("milliseconds", milliseconds);
        Ok(reply)
    }

    fn open(&self) -> Result<Opened, IngestError> {
        let embedder = embedder(&self.embedder)?;
        let root = Domain {
            name: self.root.clone(),
            description: String::new(),
        };
        // A model without a limit of its own reads pieces of any length; people do not.
        let recipe = Recipe::new(self.profile, embedder.max_tokens().min(512))
            .filterable(self.filter.clone())
            .root(root);
        let model = match (&self.llm, &self.model) {
            (Some(url), Some(name)) => {
                let mut endpoint = Endpoint::builder(url).concurrent_calls(self.calls.max(1));
                if let Ok(key) = std::env::var("STRATIGRAPH_LLM_KEY") {
                    endpoint = endpoint.key(&key);
                }
                Some(Arc::new(endpoint.build()?.chat(name)))
            }
            _ => None,
        };
        Ok(Opened {
            recipe,
            embedder,
            model,
        })
    }

    fn layers(opened: &Opened, db: &Database) -> Result<Layers, IngestError> {
        let embedder = Arc::clone(&opened.embedder);
        Ok(Layers::open(db, opened.recipe.profile(), embedder)?)
    }

    fn ingestion<'a>(
        &self,
        opened: &'a Opened,
        layers: &'a Layers,
        progress: &Progress,
    ) -> Run<'a> {
        let run = Run::new(layers, &opened.recipe).cancel(progress.interrupt().token());
        match &opened.model {
            Some(model) => run.model(Arc::clone(model) as _).threads(self.calls),
            None => run,
        }
    }

    fn forecast(
        &self,
        opened: &Opened,
        db: &Database,
        documents: impl Iterator<Item = Result<Document, ReadError>>,
        progress: &Progress,
    ) -> Result<Forecast, IngestError> {
        // Replies that are paid for are in the database, if there is one; it is read and not written to.
        let there = self
            .into
            .is_dir()
            .then(|| Database::builder().open_read_only(&self.into));
        let there = there.transpose().map_err(BuildError::from)?;
        let there = there.filter(|there| !matches!(Built::of(there), Ok(None)));
        let layers = Self::layers(opened, there.as_ref().unwrap_or(db))?;
        Ok(self
            .ingestion(opened, &layers, progress)
            .forecast(documents)?)
    }

    fn take_in(
        &self,
        opened: &Opened,
        db: &Database,
        documents: impl Iterator<Item = Result<Document, ReadError>>,
        walked: &Walked,
        progress: &Progress,
    ) -> Result<Report, IngestError> {
        let layers = Self::layers(opened, db)?;
        let bar = progress.bar(walked.files.len() as u64);
        let report = self
            .ingestion(opened, &layers, progress)
            .run(documents, &|now| {
                if let Some(bar) = &bar {
                    bar.set_position(now.documents as u64);
                    bar.set_message(match now.cost.calls {
                        0 => things(now.pieces as u64, "piece"),
                        calls => format!(
                            "{}, {}",
                            things(now.pieces as u64, "piece"),
                            things(calls, "call")
                        ),
                    });
                }
            });
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        Ok(report)
    }

    /// Takes out the documents that are not among those that were found.
    fn take_out(
        &self,
        opened: &Opened,
        db: &Database,
        walked: &Walked,
    ) -> Result<u64, IngestError> {
        let layers = Self::layers(opened, db)?;
        let mut pruned = 0;
        for id in layers.documents()? {
            // The ids of files are sorted.
            if walked
                .files
                .binary_search_by(|found| found.id.cmp(&id))
                .is_err()
            {
                layers.delete(&id)?;
                pruned += 1;
            }
        }
        Ok(pruned)
    }

    fn tell_forecast(&self, reply: &mut Reply, forecast: &Forecast) {
        let estimate = &forecast.estimate;
        let mut facts = Table::of_facts();
        facts
            .fact("documents", &count(forecast.documents as u64))
            .fact("unreadable", &count(forecast.unreadable as u64))
            .fact("read", &size(forecast.bytes))
            .fact("pieces", &count(forecast.pieces as u64))
            .fact("calls of the model", &count(estimate.calls))
            .fact("replies that are there", &count(estimate.kept))
            .fact("tokens read, about", &count(estimate.input_tokens))
            .fact("tokens written, about", &count(estimate.output_tokens));
        reply
            .table(&facts)
            .line("nothing was written: this was a dry run")
            .field("documents", forecast.documents)
            .field("count_failed", forecast.unreadable)
            .field("failed", Value::Array(Vec::new()))
            .field("pruned", 0)
            .field("bytes", forecast.bytes)
            .field("pieces", forecast.pieces)
            .field("written", 0)
            .field("deleted", 0)
            .field("vectors", 0)
            .field("stale", 0)
            .field(
                "model",
                json!({
                    "calls": estimate.calls,
                    "kept": estimate.kept,
                    "input_tokens": estimate.input_tokens,
                    "output_tokens": estimate.output_tokens,
                    "dropped": 0,
                }),
            );
    }

    fn tell_report(&self, reply: &mut Reply, report: Report, pruned: u64) -> Result<(), Failure> {
        match report.ended {
            Some(Ended::Database(error)) => return Err(error.into()),
            Some(_) => return Err(stratigraph::Error::Cancelled.into()),
            None => {}
        }
        let (change, cost) = (&report.change, &report.cost);
        let mut facts = Table::of_facts();
        facts
            .fact("path", &self.into.display())
            .fact("documents", &count(report.documents as u64))
            .fact("read", &size(report.bytes))
            .fact("pieces", &count(report.pieces as u64))
            .fact("written", &count(change.written))
            .fact("deleted", &count(change.deleted))
            .fact("vectors", &count(change.vectors))
            .fact("stale summaries", &count(change.stale.len() as u64));
        if self.prune {
            facts.fact("documents taken out", &count(pruned));
        }
        if self.llm.is_some() {
            facts
                .fact("calls of the model", &count(cost.calls))
                .fact("replies that were there", &count(cost.kept))
                .fact("tokens read", &count(cost.usage.input_tokens))
                .fact("tokens written", &count(cost.usage.output_tokens));
        }
        reply.table(&facts);
        if report.count_failed > 0 {
            let failed = things(report.count_failed as u64, "document");
            reply
                .line(format!("{failed} could not be taken in"))
                .incomplete();
        }
        let failed = report.failed.iter().map(
            |failed| json!({ "document": failed.document, "problem": failed.error.to_string() }),
        );
        reply
            .field("documents", report.documents)
            .field("failed", failed.collect::<Value>())
            .field("count_failed", report.count_failed)
            .field("pruned", pruned)
            .field("bytes", report.bytes)
            .field("pieces", report.pieces)
            .field("written", change.written)
            .field("deleted", change.deleted)
            .field("vectors", change.vectors)
            .field("stale", change.stale.len())
            .field(
                "model",
                json!({
                    "calls": cost.calls,
                    "kept": cost.kept,
                    "input_tokens": cost.usage.input_tokens,
                    "output_tokens": cost.usage.output_tokens,
                    "dropped": cost.dropped,
                }),
            );
        Ok(())
    }
}

fn read(found: &Found, pattern: Option<&PathPattern>) -> Result<Document, ReadError> {
    let bytes = found.read()?;
    let mut source = Source::new(&found.id, &bytes);
    if let Ok(program) = std::env::current_exe() {
        source = source.pdf(PdfParsing::in_child(program, [crate::READ_PDF.into()]));
    }
    if let Some(metadata) = pattern.and_then(|pattern| pattern.metadata(&found.id)) {
        source = source.metadata(metadata);
    }
    source.read(found.format)
}

fn embedder(name: &str) -> Result<Arc<dyn Embedder>, IngestError> {
    Ok(match name {
        "lexical" => Arc::new(Lexical::new()),
        "minilm" => {
            let folder = cached_minilm().ok_or_else(|| {
                IngestError::Request("MiniLM is not on this machine: fetch it with `cargo xtask setup --models`, or use --embedder lexical".to_owned())
            })?;
            Arc::from(open_embedder(&ModelSource::folder(folder))?)
        }
        name => Arc::from(open_embedder(&ModelSource::named(name))?),
    })
}

fn tell_failures(report: &Report) {
    for failed in &report.failed {
        let line = match &failed.document {
            Some(document) => format!("{document}: {}", causes(&*failed.error)),
            None => causes(&*failed.error),
        };
        // Nobody is left to hear that stderr is closed.
        let _ = writeln!(io::stderr(), "not taken in: {}", printable(&line));
    }
}

/// An error with what is behind it.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
