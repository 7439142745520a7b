//! `ingest`: documents become a layered graph.

mod told;

use crate::failure::Failure;
use crate::output::{Reply, things};
use crate::progress::Progress;
use crate::remote::Address;
use clap::Args;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use stratigraph::Database;
use stratigraph_models::{
    ChatModel, Embedder, Endpoint, Lexical, ModelError, ModelSource, cached_minilm, open_embedder,
};
use stratigraph_rag::build::{BuildError, Built, Layers};
use stratigraph_rag::extract::{Domain, ExtractError};
use stratigraph_rag::ingest::{Ended, FactList, Forecast, Ingest as Run, Recipe, Report, System};
use stratigraph_rag::read::{
    Format, Found, PathPattern, PdfParsing, ReadError, Source, Walk, Walked,
};
use stratigraph_rag::{Document, Metadata};

const EXAMPLE: &str = "\
Documents are Markdown, HTML, plain text with numbered headings, PDF with a text layer, and, where the
profile has facts, lists of them as JSON lines: {\"subject\", \"relation\", \"object\", \"source\"}. Folders are
walked, and what lies in them keeps its path as its name. What was ingested before and has not changed is
left alone, and what has changed is changed in the graph: run it again whenever files change, or after
Ctrl-C, which loses nothing that was done or paid for. --prune takes out what is no longer there; with
--dry-run it says what that would be. It refuses if no document was found at all.

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

JSON: path, profile, embedder, dry_run, documents, failed [{document, problem}] (the first 1000), count_failed, broken_lines
[problem] (the first 1000), count_broken_lines, pruned, pruned_documents [id] (the first 1000), bytes, pieces, written, deleted, vectors, stale, model {calls, kept, input_tokens, output_tokens, dropped},
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
    has_facts: bool,
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
        let into = self.into.to_string_lossy();
        if Address::is_meant_by(&into) {
            let why = format!(
                "{into} is an address, and documents are ingested into a folder; serve it then, with `stratigraph serve`"
            );
            return Err(IngestError::Request(why).into());
        }
        let pattern = self.metadata.as_deref().map(PathPattern::new).transpose();
        let pattern = pattern.map_err(|error| IngestError::Request(error.to_string()))?;
        let walked = Walk::new().find(&self.paths).map_err(IngestError::Read)?;
        let opened = self.open()?;
        if self.prune {
            opened.check_prune(&walked)?;
        }
        let documents = || {
            let pattern = pattern.as_ref();
            let readable = walked
                .files
                .iter()
                .filter(|found| found.format.is_document());
            readable.map(move |found| read(found, pattern))
        };
        let lists = || {
            let pattern = pattern.as_ref();
            let lists = walked.files.iter().filter(|found| opened.takes_list(found));
            lists.map(move |found| list(found, pattern))
        };
        let mut reply = Reply::new("ingest");
        if self.dry_run {
            let found = (documents(), lists());
            let (forecast, pruned) = self.forecast(&opened, found, &walked, progress)?;
            told::forecast(&mut reply, &forecast, self.prune.then_some(&pruned));
        } else {
            let db = Database::builder()
                .create_if_missing(true)
                .open(&self.into)?;
            let mut report =
                self.take_in(&opened, &db, (documents(), lists()), &walked, progress)?;
            let pruned = match self.prune && report.ended.is_none() {
                true => self.take_out(&opened, &db, &walked, progress),
                false => Pruned::default(),
            };
            if pruned.is_stopped {
                report.ended = Some(Ended::Stopped);
            }
            db.close()?;
            if !quiet {
                told::failures(&report, &pruned);
            }
            let asked = told::Asked {
                path: self.into.display().to_string(),
                prunes: self.prune,
                has_model: self.llm.is_some(),
            };
            told::report(&mut reply, report, &pruned, &asked)?;
        }
        if !quiet {
            told::left_out(&walked, |found| opened.takes(found));
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
        let recipe = match &model {
            Some(model) => recipe.read_by(Arc::clone(model) as _),
            None => recipe,
        };
        Ok(Opened {
            has_facts: recipe.profile().has_facts(),
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

    /// What it would cost, and which documents it would take out.
    fn forecast(
        &self,
        opened: &Opened,
        (documents, lists): (
            impl Iterator<Item = Result<Document, ReadError>>,
            impl Iterator<Item = Result<FactList, ReadError>>,
        ),
        walked: &Walked,
        progress: &Progress,
    ) -> Result<(Forecast, Pruned), IngestError> {
        // Replies that are paid for are in the database, if there is one; it is read and not written to.
        let there = self
            .into
            .is_dir()
            .then(|| Database::builder().open_read_only(&self.into));
        let there = there.transpose().map_err(BuildError::from)?;
        let there = there.filter(|there| !matches!(Built::of(there), Ok(None)));
        let layers = match &there {
            Some(there) => Self::layers(opened, there)?,
            None => Self::layers(opened, &Database::in_memory().map_err(BuildError::from)?)?,
        };
        let ingestion = self.ingestion(opened, &layers, progress);
        let forecast = ingestion
            .forecast(documents)?
            .and(ingestion.forecast_lists(lists));
        if progress.interrupt().token().is_cancelled() {
            return Err(ExtractError::Cancelled.into());
        }
        let mut pruned = Pruned::default();
        if self.prune {
            for id in opened.gone(&layers, walked)? {
                pruned.took(id);
            }
        }
        Ok((forecast, pruned))
    }

    fn take_in(
        &self,
        opened: &Opened,
        db: &Database,
        (documents, lists): (
            impl Iterator<Item = Result<Document, ReadError>>,
            impl Iterator<Item = Result<FactList, ReadError>>,
        ),
        walked: &Walked,
        progress: &Progress,
    ) -> Result<Report, IngestError> {
        let layers = Self::layers(opened, db)?;
        let bar = progress.bar(walked.files.len() as u64);
        let tell = |now: stratigraph_rag::ingest::Progress, before: usize| {
            if let Some(bar) = &bar {
                bar.set_position((before + now.documents) as u64);
                let pieces = things(now.pieces as u64, "piece");
                bar.set_message(match now.cost.calls {
                    0 => pieces,
                    calls => format!("{pieces}, {}", things(calls, "call")),
                });
            }
        };
        let ingestion = self.ingestion(opened, &layers, progress);
        let mut report = ingestion.run(documents, &|now| tell(now, 0));
        if report.ended.is_none() {
            let before = report.documents + report.count_failed;
            report = report.and(ingestion.run_lists(lists, &|now| tell(now, before)));
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        Ok(report)
    }

    /// Takes out the documents that are not among those that were found. Whatever comes in between, it says which are
    /// out.
    fn take_out(
        &self,
        opened: &Opened,
        db: &Database,
        walked: &Walked,
        progress: &Progress,
    ) -> Pruned {
        let mut pruned = Pruned::default();
        let token = progress.interrupt().token();
        let taken = Self::layers(opened, db).and_then(|layers| {
            for id in opened.gone(&layers, walked)? {
                if token.is_cancelled() {
                    pruned.is_stopped = true;
                    break;
                }
                layers.delete(&id)?;
                pruned.took(id);
            }
            Ok(())
        });
        pruned.problem = taken.err();
        pruned
    }
}

/// What was taken out, or would be.
#[derive(Default)]
struct Pruned {
    /// The first of them.
    ids: Vec<String>,
    count: u64,
    /// Why the others are still there.
    problem: Option<IngestError>,
    is_stopped: bool,
}

impl Pruned {
    fn took(&mut self, id: String) {
        self.count += 1;
        if self.ids.len() < Report::MOST_TOLD {
            self.ids.push(id);
        }
    }
}

impl Opened {
    /// Refuses to take documents out that may be there: because nothing was found, or not everything that was can
    /// be read.
    fn check_prune(&self, walked: &Walked) -> Result<(), IngestError> {
        if !walked.files.iter().any(|found| self.takes(found)) {
            let why = "--prune would take everything out, since no document was found: look whether the paths are right, or delete the database";
            return Err(IngestError::Request(why.to_owned()));
        }
        let Some(first) = walked.left_out.first() else {
            return Ok(());
        };
        let left_out = things(walked.count_left_out as u64, "file");
        Err(IngestError::Request(format!(
            "--prune would take out documents that are there but cannot be read: {left_out}, first {first}; try without it, and see which"
        )))
    }

    /// The documents of a database that are not among those that were found.
    fn gone(&self, layers: &Layers, walked: &Walked) -> Result<Vec<String>, BuildError> {
        let mut ids = layers.documents()?;
        // The ids of files are sorted.
        ids.retain(|id| {
            let found = walked.files.binary_search_by(|found| found.id.cmp(id));
            found.is_err()
        });
        Ok(ids)
    }

    /// Whether a file is a list of facts for these layers.
    fn takes_list(&self, found: &Found) -> bool {
        found.format == Format::JsonLines && self.has_facts
    }

    /// Whether anything can be made of a file.
    fn takes(&self, found: &Found) -> bool {
        found.format.is_document() || self.takes_list(found)
    }
}

/// What the path of a file says of it.
fn metadata(found: &Found, pattern: Option<&PathPattern>) -> Metadata {
    let said = pattern.and_then(|pattern| pattern.metadata(&found.id));
    said.unwrap_or_default()
}

fn list(found: &Found, pattern: Option<&PathPattern>) -> Result<FactList, ReadError> {
    Ok(FactList {
        id: found.id.clone(),
        metadata: metadata(found, pattern),
        lines: Box::new(Cursor::new(found.read()?)),
    })
}

fn read(found: &Found, pattern: Option<&PathPattern>) -> Result<Document, ReadError> {
    let bytes = found.read()?;
    let mut source = Source::new(&found.id, &bytes).metadata(metadata(found, pattern));
    if let Ok(program) = std::env::current_exe() {
        source = source.pdf(PdfParsing::in_child(program, [crate::READ_PDF.into()]));
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
