//! Retrieval over a large layered graph: each preset, its parts, and beside it the bare searches that it stands on.
//!
//! The embedder makes numbers up in no time, and there is no model: what is measured is ours. Questions name entities as
//! often as texts do, so that some name what half of the graph speaks of. Every other one that `strata` is asked names a year as
//! well, by which its chunks are looked for and lifted; no other preset looks for one, and what these are asked has none.

mod content;

use crate::measure::report::{Mark, Report};
use crate::measure::rest::{until_linked, until_quiet};
use crate::measure::{Common, Setup, memory};
use anyhow::{Result, bail, ensure};
use clap::Parser;
use content::{Content, Size, Topics, YEAR, field};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stratigraph::{Database, Read, ReadTxn};
use stratigraph_rag::build::{Label, Layers, NodeKey, Profile, Summary, canonical};
use stratigraph_rag::retrieve::{Bm25, Desk, Layer, Narrow, Operator, Pipeline, Question, Vector};

/// Measures `retrieve` of every preset over a generated graph.
///
/// Example: `retrieve --chunks 1000000 --dir /data --keep`, then `retrieve --chunks 1000000 --graph
/// /data/stratigraph-bench-…/retrieve/db`
#[derive(Debug, Parser)]
#[command(name = "retrieve")]
pub struct Arguments {
    /// How many chunks; there is one entity for five, and each has three mentions and two facts. 20,000 with --quick
    #[arg(long)]
    chunks: Option<usize>,
    /// The width of vectors
    #[arg(long, default_value_t = 384)]
    dimensions: usize,
    /// How many questions
    #[arg(long, default_value_t = 300)]
    questions: usize,
    /// Asks the database in this folder, which an earlier run with --keep and as many chunks has left, instead of building one
    #[arg(long, value_name = "DIR")]
    graph: Option<PathBuf>,
    /// Only this preset; may be given again
    #[arg(long, value_name = "NAME")]
    preset: Vec<String>,
    /// How many MiB of stored blocks are kept in memory, where 256 are the default of a database
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    cache_mib: usize,
    #[command(flatten)]
    common: Common,
}

impl Arguments {
    /// The presets to ask.
    fn presets(&self) -> Result<Vec<(&'static str, Held)>> {
        let is_none = |name: &&String| PRESETS.iter().all(|(known, _)| known != name);
        if let Some(other) = self.preset.iter().find(is_none) {
            let known = PRESETS.map(|(known, _)| known).join(", ");
            bail!("{other} is not measured; those that are: {known}");
        }
        let is_asked =
            |name: &str| self.preset.is_empty() || self.preset.iter().any(|asked| asked == name);
        Ok(PRESETS
            .into_iter()
            .filter(|(name, _)| is_asked(name))
            .collect())
    }
}

/// Every preset, and what its time is held against.
const PRESETS: [(&str, Held); 8] = [
    ("vector", Held::BesideSearches(Some(3.0))),
    ("tag", Held::BesideSearches(Some(3.0))),
    ("triples", Held::BesideSearches(Some(3.0))),
    ("hybrid", Held::BesideSearches(Some(3.0))),
    ("graph", Held::BesideSearches(None)),
    ("direct", Held::Nothing),
    ("bag", Held::Milliseconds(100.0)),
    ("strata", Held::Milliseconds(100.0)),
];

/// What the p99 of a preset is held against.
#[derive(Clone, Copy)]
enum Held {
    Nothing,
    /// The searches of vectors and of words that it makes itself, with its own `k`, and nothing after them; at most so many
    /// times that.
    BesideSearches(Option<f64>),
    Milliseconds(f64),
}

/// The preset that looks for properties of documents in a question.
const NARROWS: &str = "strata";
/// Documents of one commit.
const TOGETHER: usize = 20;

/// Measures and prints.
///
/// # Errors
/// What the database says, or a graph that is not as it was to be.
pub fn run(arguments: &Arguments) -> Result<()> {
    let summary = [
        "vector_p99_ratio",
        "tag_p99_ratio",
        "triples_p99_ratio",
        "hybrid_p99_ratio",
        "bag_p99_ms",
        "strata_p99_ms",
    ];
    arguments.common.run(
        "retrieve",
        &summary,
        |_, _| Ok(()),
        |setup, keep| measure(setup, arguments, keep),
    )
}

fn measure(setup: &Setup, arguments: &Arguments, keep: bool) -> Result<Report> {
    let presets = arguments.presets()?;
    let dir = setup.subfolder("retrieve")?;
    let size = Size::of(arguments.chunks.unwrap_or(setup.choose(20_000, 200_000)));
    let mut report = Report::default();
    let dimensions = arguments.dimensions;
    let embedder = Arc::new(Topics { dimensions });
    let profile = Profile::all().filterable([YEAR]);
    let settings = Database::builder().cache_bytes(arguments.cache_mib << 20);
    let db = match &arguments.graph {
        Some(graph) => settings.open(graph)?,
        None => settings.create_if_missing(true).open(dir.join("db"))?,
    };
    let layers = Layers::open(&db, profile, embedder.clone())?;
    match arguments.graph {
        Some(_) => until_linked(&db)?,
        None => build(setup, &layers, size, &mut report)?,
    }
    let read = db.read()?;
    count(&read, size, &mut report)?;
    // Not of what is left of the numbers that the texts are made of: a graph that is there is asked the same.
    let mut asked = Content::new(size, setup.seed.wrapping_add(1));
    let questions = Questions::make(&mut asked, arguments.questions)?;
    questions.check(&read, &embedder)?;
    setup.progress("asking");
    for (name, held) in &presets {
        let pipeline = Pipeline::preset(name)?;
        let asked = questions.of(name);
        let whole = times(asked, |question| {
            let desk = Desk::new(&read, embedder.as_ref(), question);
            Ok(pipeline.retrieve(&desk)?.found.len())
        })?;
        let searches = match held {
            Held::BesideSearches(_) => Some(searches_of(&pipeline)?),
            _ => None,
        };
        let alone = searches.map(|searches| {
            times(asked, |question| {
                let desk = Desk::new(&read, embedder.as_ref(), question);
                let mut found = 0;
                for search in &searches {
                    found += search.run(&desk)?.0.len();
                }
                Ok(found)
            })
        });
        told(
            name,
            &whole,
            alone.transpose()?.as_ref(),
            *held,
            &mut report,
        );
    }
    let words = times(&questions.plain, |question| {
        let desk = Desk::new(&read, embedder.as_ref(), question);
        Ok(Bm25::new(100).run(&desk)?.len())
    })?;
    report.count("bm25_p50_ms", words.at(0.5), None, "ms", None);
    report.count("bm25_p99_ms", words.at(0.99), None, "ms", None);
    for (name, _) in &presets {
        parts(name, &read, &embedder, &questions, &mut report)?;
    }
    report.count("own_mb", memory::own()? as f64 / 1e6, None, "MB", None);
    report.count(
        "rss_peak_mb",
        memory::peak()? as f64 / 1e6,
        None,
        "MB",
        None,
    );
    drop(read);
    drop(layers);
    db.close()?;
    setup.done_with(&dir, keep)?;
    Ok(report)
}

/// The graph, and the summaries of its domains.
fn build(setup: &Setup, layers: &Layers, size: Size, report: &mut Report) -> Result<()> {
    let begun = Instant::now();
    let mut content = Content::new(size, setup.seed);
    let documents = size.documents();
    for first in (0..documents).step_by(TOGETHER) {
        let some = first..documents.min(first + TOGETHER);
        let some = some.map(|_| content.next(layers.profile()));
        let some: Vec<_> = some.collect::<Result<_>>()?;
        layers.upsert_all(&some)?;
        if (first / TOGETHER).is_multiple_of(100) {
            setup.progress(&format!("{first} of {documents} documents"));
        }
    }
    for topic in 0..size.topics {
        let key = NodeKey::new(Label::DomainTag, canonical(&field(topic)));
        let Some(inputs) = layers.inputs(&key)? else {
            continue;
        };
        let summary = Summary {
            text: format!("What is known of t{topic}"),
            model: "none".into(),
            prompt: "none".into(),
        };
        layers.summarise(&inputs, &summary)?;
    }
    setup.progress("waiting for the indexes");
    until_linked(layers.database())?;
    report.count("build_s", begun.elapsed().as_secs_f64(), None, "s", None);
    until_quiet();
    Ok(())
}

/// How much there is of everything.
fn count(read: &ReadTxn, size: Size, report: &mut Report) -> Result<()> {
    let chunks = read.node_count(Some("Chunk"))?;
    ensure!(
        chunks == size.chunks as u64,
        "the graph has {chunks} chunks: `--chunks {chunks}` asks it"
    );
    for (name, count) in [
        ("chunks", chunks),
        ("entities", read.node_count(Some("Entity"))?),
        ("mentions", read.relationship_count(Some("MENTIONS"))?),
        ("facts", read.relationship_count(Some("FACT"))?),
    ] {
        ensure!(count > 0, "there are no {name}");
        report.count(name, count as f64, None, "", None);
    }
    Ok(())
}

/// What is asked.
struct Questions {
    plain: Vec<Question>,
    /// The same, and every other one names a year.
    dated: Vec<Question>,
}

impl Questions {
    fn make(content: &mut Content, count: usize) -> Result<Self> {
        let texts: Vec<String> = (0..count).map(|_| content.question()).collect();
        let dated = texts.iter().enumerate();
        let dated = dated.map(|(number, text)| match number % 2 {
            // Half of that, so that all years are named.
            0 => Question::new(content.of_year(text, number / 2)),
            _ => Question::new(text.as_str()),
        });
        Ok(Self {
            dated: dated.collect::<Result<_, _>>()?,
            plain: texts
                .iter()
                .map(|text| Question::new(text.as_str()))
                .collect::<Result<_, _>>()?,
        })
    }

    /// What a preset is asked.
    fn of(&self, preset: &str) -> &[Question] {
        if preset == NARROWS {
            &self.dated
        } else {
            &self.plain
        }
    }

    /// Refuses to measure if a year that is named lifts nothing.
    fn check(&self, read: &ReadTxn, embedder: &Arc<Topics>) -> Result<()> {
        for question in self.dated.iter().step_by(2) {
            let desk = Desk::new(read, embedder.as_ref(), question);
            let near = Vector::new(Layer::Chunks, 100).narrowed().run(&desk)?;
            let lifted = Narrow::new(0.5).run(&desk, near.clone())?;
            ensure!(lifted != near, "{} names no year", question.text());
        }
        Ok(())
    }
}

/// How long each question took, in order.
struct Times(Vec<Duration>);

impl Times {
    /// In milliseconds, what `share` of them are not above.
    fn at(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let place = ((share * self.0.len() as f64) as usize).min(last);
        self.0
            .get(place)
            .map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }
}

/// All questions twice: what is in no cache the first time is measured by nobody.
fn times(questions: &[Question], mut ask: impl FnMut(&Question) -> Result<usize>) -> Result<Times> {
    for question in questions {
        ask(question)?;
    }
    let mut all = Vec::with_capacity(questions.len());
    for question in questions {
        let begun = Instant::now();
        std::hint::black_box(ask(question)?);
        all.push(begun.elapsed());
    }
    all.sort_unstable();
    Ok(Times(all))
}

/// The searches of vectors and of words that a preset makes, each a pipeline of its own. To find what a question names
/// is not one of them: that is work of the preset, which looks a name up for every run of words.
fn searches_of(preset: &Pipeline) -> Result<Vec<Pipeline>> {
    let searches = preset.stages.iter().filter(|stage| {
        use Operator::{Bm25, Vector};
        matches!(stage.run, Vector(_) | Bm25(_))
    });
    let searches: Vec<_> = searches
        .map(|stage| {
            let mut alone = preset.clone();
            alone.stages = vec![stage.clone()];
            alone
        })
        .collect();
    ensure!(!searches.is_empty(), "{} searches nothing", preset.name);
    Ok(searches)
}

fn told(name: &str, whole: &Times, alone: Option<&Times>, held: Held, report: &mut Report) {
    for (share, label) in [(0.5, "p50"), (0.99, "p99")] {
        let beside = alone.map(|alone| alone.at(share));
        let mark = match held {
            Held::Milliseconds(most) if share > 0.9 => Some(Mark::AtMost(most)),
            _ => None,
        };
        report.count(
            format!("{name}_{label}_ms"),
            whole.at(share),
            beside,
            "ms",
            mark,
        );
        if let (Some(beside), Held::BesideSearches(most), true) = (beside, held, share > 0.9) {
            let ratio = whole.at(share) / beside;
            let mark = most.map(Mark::AtMost);
            report.count(
                format!("{name}_{label}_ratio"),
                ratio,
                None,
                "x its searches",
                mark,
            );
        }
    }
}

/// What the stages of a preset take, by leaving off what comes after; what is left is the making of receipts.
fn parts(
    name: &str,
    read: &ReadTxn,
    embedder: &Arc<Topics>,
    questions: &Questions,
    report: &mut Report,
) -> Result<()> {
    let questions = questions.of(name);
    let whole = Pipeline::preset(name)?;
    let mut before = 0.0;
    for count in 1..=whole.stages.len() {
        let mut some = whole.clone();
        some.stages.truncate(count);
        let took = times(questions, |question| {
            let desk = Desk::new(read, embedder.as_ref(), question);
            Ok(some.run(&desk)?.0.len())
        })?;
        let stage = &some.stages[count - 1].name;
        let own = (took.at(0.5) - before).max(0.0);
        report.count(format!("{name}/{stage}"), own, None, "ms at p50", None);
        before = took.at(0.5);
    }
    let took = times(questions, |question| {
        let desk = Desk::new(read, embedder.as_ref(), question);
        Ok(whole.retrieve(&desk)?.found.len())
    })?;
    let own = (took.at(0.5) - before).max(0.0);
    report.count(format!("{name}, receipts"), own, None, "ms at p50", None);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_is_held_against_its_searches_of_vectors_and_words_alone() {
        for (name, held) in PRESETS {
            let wanted: &[&str] = match name {
                "vector" | "hybrid" => &["considered"],
                "tag" => &["texts", "summaries"],
                "triples" => &["facts"],
                "graph" => &["entities"],
                _ => {
                    assert!(!matches!(held, Held::BesideSearches(_)), "{name}");
                    continue;
                }
            };
            let searches = searches_of(&Pipeline::preset(name).unwrap()).unwrap();
            let stages = searches.iter().flat_map(|search| &search.stages);
            let names: Vec<&str> = stages.map(|stage| stage.name.as_str()).collect();
            assert_eq!(names, wanted, "{name}");
        }
    }
}
