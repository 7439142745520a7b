//! Documents into the graph, as `stratigraph ingest` takes them in: read, cut, written, found by words and vectors.
//!
//! There is no model, and the embedder only makes numbers up, so that what is measured is ours; its vectors are kept and
//! indexed as any others. Making the texts is not timed. Nobody else builds the same graph, so there is no peer: the
//! figures are megabytes of Markdown in a second of the wall clock and of the processors, and the most memory that the
//! process held: of its own (`own_mb`), and of mapped files (`files_mb`), which the system takes back when it wants to.
//! What grows with the input by design, the graphs of vector indexes, is told apart, and what has a bound: the store's cache
//! of blocks and its buffers. `own_mb_rest` is what is left of its own.

pub(crate) mod content;

use crate::measure::report::{Mark, Report};
use crate::measure::{Common, Setup, cpu_time, memory};
use anyhow::{Result, ensure};
use clap::Parser;
use content::{Numbers, Texts};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stratigraph::Database;
use stratigraph_rag::Document;
use stratigraph_rag::build::Layers;
use stratigraph_rag::chunk::Words;
use stratigraph_rag::ingest::{Ingest, Recipe, System};
use stratigraph_rag::read::{Format, ReadError, Source};

/// The most words of a piece: what `stratigraph ingest` gives.
const WORDS: usize = 512;

/// Measures the way of documents into the graph.
///
/// Example: `ingest --mb 1000`
#[derive(Debug, Parser)]
#[command(name = "ingest")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Megabytes of Markdown; 100 if nothing is said, 20 with --quick.
    #[arg(long)]
    mb: Option<usize>,
    /// Which layers are made, by rules where pieces are read: structure, bag, tag, triples, hybrid, strata, layered.
    #[arg(long, default_value = "structure")]
    system: System,
    /// How many numbers a vector has.
    #[arg(long, default_value_t = 384)]
    dimensions: usize,
}

/// Runs the benchmark; its last line is `ingest markdown_mb_s=... rss_mb=...`.
///
/// # Errors
/// Whatever fails underneath; a missed mark is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    arguments.common.run(
        "ingest",
        &["markdown_mb_s", "rss_mb"],
        |_, _| Ok(()),
        |setup, keep| measure(setup, arguments, keep),
    )
}

fn measure(setup: &Setup, arguments: &Arguments, keep: bool) -> Result<Report> {
    let dir = setup.subfolder("ingest")?;
    let bytes = arguments.mb.unwrap_or_else(|| setup.choose(20, 100)) * 1_000_000;
    let mut report = Report::default();
    steps(setup, arguments, &mut report)?;

    let db = Database::create(dir.join("db"))?;
    let recipe = Recipe::new(arguments.system, WORDS);
    let embedder = Arc::new(Numbers::new(arguments.dimensions));
    let layers = Layers::open(&db, recipe.profile(), embedder.clone())?;
    let mut texts = Texts::new(setup.seed);
    let (made, making) = (Cell::new(0), Cell::new(Duration::ZERO));
    let documents = std::iter::from_fn(|| {
        (made.get() < bytes).then(|| {
            let begun = Instant::now();
            let (id, text) = texts.next();
            making.set(making.get() + begun.elapsed());
            made.set(made.get() + text.len());
            read(&id, &text)
        })
    });
    let peaks = Peaks::of(bytes);
    let (begun, processor) = (Instant::now(), cpu_time::of_process());
    let report_of = Ingest::new(&layers, &recipe).measure(&Words).run(
        documents.inspect(|_| peaks.look(made.get(), &db, setup)),
        &|_| (),
    );
    let seconds = (begun.elapsed() - making.get() - embedder.took()).as_secs_f64();
    let processor = cpu_time::of_process() - processor;
    ensure!(
        report_of.problems.count_failed == 0 && report_of.ended.is_none(),
        "documents could not be taken in: {report_of:?}"
    );
    let megabytes = made.get() as f64 / 1e6;
    let change = &report_of.change;
    for (name, value, unit) in [
        ("documents", report_of.documents as f64, ""),
        ("pieces", report_of.pieces as f64, ""),
        ("written", change.written as f64, "entities"),
        ("vectors", change.vectors as f64, ""),
        ("embedding", embedder.took().as_secs_f64(), "s, left out"),
    ] {
        report.count(name, value, None, unit, None);
    }
    report.count(
        "markdown_mb_s",
        megabytes / seconds,
        None,
        "MB/s",
        (arguments.system == System::Structure).then_some(Mark::AtLeast(5.0)),
    );
    // Of all threads, with what linking vectors in the background and making the texts take: on a busy machine this
    // says more.
    report.count(
        "markdown_mb_cpu_s",
        megabytes / processor,
        None,
        "MB/cpu s",
        None,
    );
    for (share, held, known) in peaks.seen.take() {
        held.tell(known, &format!("_at_{share}"), &mut report);
    }
    let (held, known) = (peaks.most.get().and_now(), Known::of(&db));
    held.tell(known, "", &mut report);
    report.count("rss_mb", memory::peak()? as f64 / 1e6, None, "MB", None);
    drop(layers);
    db.close()?;
    setup.done_with(&dir, keep)?;
    Ok(report)
}

/// What reading and cutting take by themselves.
fn steps(setup: &Setup, arguments: &Arguments, report: &mut Report) -> Result<()> {
    let mut texts = Texts::new(setup.seed);
    let texts: Vec<_> = std::iter::repeat_with(|| texts.next()).take(100).collect();
    let megabytes = texts.iter().map(|(_, text)| text.len()).sum::<usize>() as f64 / 1e6;
    let begun = Instant::now();
    let documents: Vec<Document> = texts
        .iter()
        .map(|(id, text)| read(id, text))
        .collect::<Result<_, _>>()?;
    let took = begun.elapsed().as_secs_f64();
    report.count("read_mb_s", megabytes / took, None, "MB/s", None);
    let chunker = Recipe::new(arguments.system, WORDS);
    let chunker = chunker.chunker(&Words);
    let begun = Instant::now();
    let pieces: usize = documents.iter().map(|one| chunker.pieces(one).len()).sum();
    ensure!(pieces > 0, "nothing was cut");
    let took = begun.elapsed().as_secs_f64();
    report.count("cut_mb_s", megabytes / took, None, "MB/s", None);
    Ok(())
}

pub(crate) fn read(id: &str, text: &str) -> Result<Document, ReadError> {
    Source::new(id, text.as_bytes()).read(Format::Markdown)
}

/// The most memory when a tenth and a half were in.
struct Peaks {
    bytes: usize,
    seen: RefCell<Vec<(&'static str, Held, Known)>>,
    most: Cell<Held>,
}

/// Memory of the process: its own, and what it has mapped of files.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    own: u64,
    of_files: u64,
}

impl Held {
    /// The most of each, of before and now. A figure that cannot be read is told at the end.
    fn and_now(self) -> Self {
        Self {
            own: self.own.max(memory::own().unwrap_or_default()),
            of_files: self.of_files.max(memory::of_files().unwrap_or_default()),
        }
    }

    fn tell(self, known: Known, at: &str, report: &mut Report) {
        let all = known.graphs + known.blocks + known.buffers;
        for (name, bytes) in [
            ("own_mb", self.own),
            ("files_mb", self.of_files),
            ("vector_indexes_mb", known.graphs),
            ("block_cache_mb", known.blocks),
            ("write_buffers_mb", known.buffers),
            ("own_mb_rest", self.own.saturating_sub(all)),
        ] {
            let name = format!("{name}{at}");
            report.count(name, bytes as f64 / 1e6, None, "MB", None);
        }
    }
}

/// What of it is known to be for something. A figure that cannot be read is none.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    graphs: u64,
    blocks: u64,
    buffers: u64,
}

impl Known {
    fn of(db: &Database) -> Self {
        let store = db.store().metrics();
        let indexes = db.vector_indexes().unwrap_or_default();
        Self {
            graphs: indexes.iter().map(|index| index.memory_bytes).sum(),
            blocks: store.block_cache_bytes,
            buffers: store.memtable_bytes,
        }
    }
}

impl Peaks {
    fn of(bytes: usize) -> Self {
        Self {
            bytes,
            seen: RefCell::default(),
            most: Cell::default(),
        }
    }

    fn look(&self, made: usize, db: &Database, setup: &Setup) {
        self.most.set(self.most.get().and_now());
        let mut seen = self.seen.borrow_mut();
        let marks = [("tenth", self.bytes / 10), ("half", self.bytes / 2)];
        if let Some((share, at)) = marks.get(seen.len())
            && made >= *at
        {
            setup.progress(&format!("a {share} is in"));
            seen.push((share, self.most.get(), Known::of(db)));
        }
    }
}
