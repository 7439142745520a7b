//! Graphs from documents beside LightRAG and nano-graphrag: same documents, same model, same vectors.
//!
//! The model is a rule that answers at once, and its time and the embedder's are taken off on both sides: what is
//! left is the library's own, which is what each adds to the price of a model's call. Ours commits each few
//! documents durably; the peers keep JSON and GraphML files, written at the end of an insertion. What is asked is measured
//! both ways: as the peers ask, one call a chunk, and for TagRAG's graph, which takes 13 and keeps what was said (`chains_`).
//! Then questions are asked, and what is retrieved for a model to read is measured likewise.
//! Entities and relations are counted on both sides, and must be the same but for a hundredth.

mod content;
mod model;
mod ours;
mod peer;

use crate::measure::report::{Mark, Report};
use crate::measure::rounds::{Rounds, median};
use crate::measure::{Common, Setup, installed};
use anyhow::{Result, ensure};
use clap::Parser;
use ours::Asking;

/// So much the counts of entities and relations may differ: of 200 documents LightRAG has made 439 entities where we had
/// 441, and the same of 20.
const MOST_APART: f64 = 0.01;

/// What the peers read, beside their folders.
const DOCUMENTS: &str = "documents.jsonl";
const QUESTIONS: &str = "questions.json";

const PEERS: [&str; 2] = ["lightrag", "nano-graphrag"];

/// Measures graphs that are built from documents beside LightRAG and nano-graphrag, outside the model.
///
/// `python3 benches/peers/setup.py documents` installs them, and is run first if they are not there (five minutes). Example:
/// `documents --quick`
#[derive(Debug, Parser)]
#[command(name = "documents")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Beside these only.
    #[arg(long, value_delimiter = ',', value_parser = PEERS, default_values = PEERS)]
    peers: Vec<String>,
    /// Ours beside nobody: what a change does to it is seen in a minute.
    #[arg(long, conflicts_with = "peers")]
    alone: bool,
}

/// What one side has built, and how long it took without the model and the embedder.
#[derive(Clone, Copy, Debug)]
struct Built {
    /// All documents but the last.
    build_s: f64,
    /// The last one.
    one_more_s: f64,
    /// What is retrieved for a question.
    query_s: f64,
    chunks: f64,
    entities: f64,
    relations: f64,
    peak_mb: f64,
}

impl Built {
    fn is_like(&self, other: &Self) -> bool {
        let alike = |one: f64, other: f64| (one - other).abs() <= one * MOST_APART;
        self.chunks == other.chunks
            && alike(self.entities, other.entities)
            && alike(self.relations, other.relations)
    }
}

/// Runs the benchmark.
///
/// # Errors
/// Whatever fails underneath, and graphs that differ; a missed mark is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let summary = [
        "build_vs_lightrag",
        "one_more_vs_lightrag",
        "query_vs_lightrag",
        "build_vs_nano-graphrag",
        "one_more_vs_nano-graphrag",
        "query_vs_nano-graphrag",
        "chains_build_vs_lightrag",
        "chains_build_vs_nano-graphrag",
    ];
    arguments.common.run(
        "documents",
        &summary,
        |_, _| Ok(()),
        |setup, _| measure(setup, arguments),
    )
}

fn measure(setup: &Setup, arguments: &Arguments) -> Result<Report> {
    let texts = content::texts(setup.seed, setup.choose(20, 200), 300);
    let questions = content::questions(setup.seed, setup.choose(20, 100));
    content::write(&texts, &setup.dir.join(DOCUMENTS))?;
    std::fs::write(setup.dir.join(QUESTIONS), serde_json::to_vec(&questions)?)?;
    let mut report = Report::default();
    if arguments.alone {
        alone(setup, &texts, &questions, &mut report)?;
        return Ok(report);
    }
    // They are set up now if they are not there, and not behind our first round.
    installed::DOCUMENTS.python()?;
    for peer in &arguments.peers {
        compare(setup, peer, &texts, &questions, &mut report)?;
    }
    Ok(report)
}

/// Ours, round by round; the median is told.
fn alone(
    setup: &Setup,
    texts: &[content::Text],
    questions: &[String],
    report: &mut Report,
) -> Result<()> {
    let names = [
        "build",
        "one_more",
        "query",
        "chains_build",
        "chains_one_more",
    ];
    let mut figures: [Vec<f64>; 5] = Default::default();
    for round in 0..setup.choose(1, 5) {
        setup.progress(&format!("round {round}"));
        let folder = setup.subfolder(&format!("alone-{round}"))?;
        let ours = ours::build(&folder.join("ours"), texts, questions, Asking::Alike)?;
        let deeper = ours::build(&folder.join("chains"), texts, questions, Asking::Chains)?;
        let taken = [
            ours.build_s,
            ours.one_more_s,
            deeper.query_s,
            deeper.build_s,
            deeper.one_more_s,
        ];
        figures
            .iter_mut()
            .zip(taken)
            .for_each(|(all, one)| all.push(one));
        setup.done_with(&folder, false)?;
    }
    for (name, all) in names.into_iter().zip(figures) {
        report.count(name, median(&all) * 1e3, None, "ms", None);
    }
    Ok(())
}

fn compare(
    setup: &Setup,
    peer: &str,
    texts: &[content::Text],
    questions: &[String],
    report: &mut Report,
) -> Result<()> {
    let (mut build, mut one_more) = (Rounds::default(), Rounds::default());
    let mut query = Rounds::default();
    let mut chains = [Rounds::default(), Rounds::default()];
    for round in 0..setup.choose(1, 3) {
        let folder = setup.dir.join(format!("{peer}-{round}"));
        std::fs::create_dir(&folder)?;
        setup.progress(&format!("ours beside {peer}, round {round}"));
        let ours = ours::build(&folder.join("ours"), texts, questions, Asking::Alike)?;
        let deeper = ours::build(&folder.join("chains"), texts, questions, Asking::Chains)?;
        setup.progress(&format!("{peer}, round {round}"));
        let [documents, asked] = [DOCUMENTS, QUESTIONS].map(|name| setup.dir.join(name));
        let theirs = peer::build(peer, &documents, &asked, &folder.join("theirs"))?;
        for ours in [&ours, &deeper] {
            ensure!(
                ours.is_like(&theirs),
                "the graphs differ: ours is {ours:?}, that of {peer} {theirs:?}"
            );
        }
        build.push(ours.build_s, theirs.build_s);
        one_more.push(ours.one_more_s, theirs.one_more_s);
        query.push(deeper.query_s, theirs.query_s);
        chains[0].push(deeper.build_s, theirs.build_s);
        chains[1].push(deeper.one_more_s, theirs.one_more_s);
        if round == 0 {
            let both = |name: &str, unit: &str, count: fn(&Built) -> f64, report: &mut Report| {
                report.count(
                    format!("{peer}_{name}"),
                    count(&ours),
                    Some(count(&theirs)),
                    unit,
                    None,
                );
            };
            both("chunks", "chunks", |built| built.chunks, report);
            both("entities", "entities", |built| built.entities, report);
            both("relations", "relations", |built| built.relations, report);
            both("peak", "MB", |built| built.peak_mb, report);
        }
        std::fs::remove_dir_all(&folder)?;
    }
    // A tenth of theirs.
    let mark = Some(Mark::AtMost(0.1));
    report.compare(format!("build_vs_{peer}"), &build, "s", mark);
    report.compare(format!("one_more_vs_{peer}"), &one_more, "s", mark);
    report.compare(format!("query_vs_{peer}"), &query, "s", mark);
    for (name, rounds) in ["build", "one_more"].iter().zip(&chains) {
        report.compare(format!("chains_{name}_vs_{peer}"), rounds, "s", mark);
    }
    Ok(())
}
