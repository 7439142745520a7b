//! The full-text index beside tantivy: same texts, same questions, one thread, what is found beside every speed.
//!
//! Ours is a database on disk with durable commits, in which each portion of texts is one transaction and visible at
//! its commit; tantivy commits after the same portions and is opened for searches once, at the end. Both search
//! for any of a question's words with English stems. Inserting is timed by the wall clock, since both write files
//! and use threads of their own; searching by processor time.

mod fused;
mod ours;
mod peer;
mod set;

use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use crate::measure::{Common, Setup};
use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use ours::Ours;
use peer::Tantivy;
use set::TextSet;
use std::path::{Path, PathBuf};

/// Where the evaluation texts are.
const TEXTS: &str = "../shared/eval";
/// How many hits a question wants.
const K: usize = 10;
/// So many texts are one commit.
const PORTION: usize = 1000;

/// Measures the full-text index beside tantivy.
///
/// `python3 benches/peers/setup.py` installs it, and is run first if it is not there (10 minutes). Example:
/// `text --only scifact --quick`
#[derive(Debug, Parser)]
#[command(name = "text")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Measure one set of texts only.
    #[arg(long)]
    only: Option<Group>,
    /// Where the texts are.
    #[arg(long, value_name = "DIR", default_value = TEXTS)]
    texts: PathBuf,
    /// The Rust peers' program, in place of the one that the setup has built.
    #[arg(long, value_name = "FILE")]
    peer: Option<PathBuf>,
}

/// A set of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Scientific abstracts, with what people judged right.
    Scifact,
    /// Passages of all English texts.
    Passages,
}

/// Runs the benchmark; its last lines are `text set=... ndcg@10=...`, one for each set.
///
/// # Errors
/// Whatever fails underneath; a missed mark is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let summary: &[&str] = match arguments.only {
        Some(Group::Passages) => &["passages_qps_vs_tantivy", "passages_insert_vs_tantivy"],
        _ => &[
            "scifact_ndcg",
            "scifact_fused_ndcg",
            "scifact_qps_vs_tantivy",
            "scifact_insert_vs_tantivy",
            "passages_qps_vs_tantivy",
            "passages_insert_vs_tantivy",
        ],
    };
    arguments.common.run(
        "text",
        summary,
        |_, _| Ok(()),
        |setup, keep| measure(setup, arguments, keep),
    )
}

fn measure(setup: &Setup, arguments: &Arguments, keep: bool) -> Result<Report> {
    let mut report = Report::default();
    for group in [Group::Scifact, Group::Passages] {
        if arguments.only.is_some_and(|only| only != group) {
            continue;
        }
        measure_group(
            setup,
            group,
            (&arguments.texts, arguments.peer.as_deref()),
            keep,
            &mut report,
        )?;
    }
    Ok(report)
}

/// The scientific abstracts, for the benchmark of indexes.
pub(crate) fn measure_scifact(setup: &Setup, keep: bool, report: &mut Report) -> Result<()> {
    measure_group(
        setup,
        Group::Scifact,
        (Path::new(TEXTS), None),
        keep,
        report,
    )
}

fn measure_group(
    setup: &Setup,
    group: Group,
    (texts, peer): (&Path, Option<&Path>),
    keep: bool,
    report: &mut Report,
) -> Result<()> {
    let (name, set) = match group {
        Group::Scifact => ("scifact", TextSet::scifact(texts)?),
        Group::Passages => {
            let count = setup.choose(10_000, usize::MAX);
            ("passages", TextSet::passages(texts, count)?)
        }
    };
    setup.progress(&format!(
        "{name}: {} texts, {} questions",
        set.texts.len(),
        set.questions.len()
    ));
    let dir = setup.subfolder(name)?;
    set.write(&dir)?;
    let mut peer = Tantivy::start(peer, &dir)?;
    let mut line = compare(setup, name, &set, &dir, &mut peer, report)?;
    drop(peer);
    if let Group::Scifact = group {
        setup.progress("scifact: texts and vectors");
        let fused = fused::measure(&set, &dir, report)?;
        line.push_str(&format!(" fused_ndcg@10={fused:.4}"));
    }
    report.say_last(line);
    setup.done_with(&dir, keep)
}

fn compare(
    setup: &Setup,
    name: &str,
    set: &TextSet,
    dir: &Path,
    peer: &mut Tantivy,
    report: &mut Report,
) -> Result<String> {
    let mut ours: Option<Ours> = None;
    let (mut inserts, mut searches) = (Rounds::default(), Rounds::default());
    for round in 0..setup.choose(2, 4) {
        setup.progress(&format!("{name}: insert, round {round}"));
        drop(ours.take());
        let (our_s, new) = Ours::build(&dir.join(format!("ours-{round}")), set, PORTION)?;
        let peer_s = peer.insert(PORTION)?;
        ours = Some(new);
        // The first round finds cold files.
        if round > 0 {
            inserts.push(
                set.texts.len() as f64 / our_s,
                set.texts.len() as f64 / peer_s,
            );
        }
    }
    let ours = ours.context("no round was run")?;
    setup.progress(&format!("{name}: search"));
    let (mut found, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..=setup.choose(3, 9) {
        let (our_s, peer_s);
        (our_s, found) = ours.search(&set.questions, K)?;
        (peer_s, theirs) = peer.search(K)?;
        if round > 0 {
            let count = set.questions.len() as f64;
            searches.push(count / our_s, count / peer_s);
        }
    }
    let overlap = set::overlap(&found, &theirs);
    let (qps, insert) = (searches.ratio(), inserts.ratio());
    report.compare(
        format!("{name}_qps_vs_tantivy"),
        &searches,
        "questions/s",
        Some(Mark::AtLeast(0.7)),
    );
    report.compare(
        format!("{name}_insert_vs_tantivy"),
        &inserts,
        "texts/s",
        Some(Mark::AtLeast(0.3)),
    );
    report.count(
        format!("{name}_overlap"),
        overlap,
        None,
        "of the best 10",
        None,
    );
    report.count(
        format!("{name}_postings"),
        ours.postings_per_question(&set.questions)?,
        None,
        "per question",
        None,
    );
    report.count(
        format!("{name}_file_bytes"),
        ours.bytes()? as f64 / 1e6,
        Some(peer.bytes(dir)? as f64 / 1e6),
        "MB",
        None,
    );
    let ndcg = set
        .ndcg(&found)
        .map(|ours| (ours, set.ndcg(&theirs).unwrap_or_default()));
    if let Some((ours, theirs)) = ndcg {
        report.count(
            format!("{name}_ndcg"),
            ours,
            Some(theirs),
            "nDCG@10",
            Some(Mark::AtLeast(0.67)),
        );
    }
    let shown = ndcg.map_or("-".to_owned(), |(ours, _)| format!("{ours:.4}"));
    Ok(format!(
        "text set={name} ndcg@10={shown} qps_vs_tantivy={qps:.3} insert_vs_tantivy={insert:.3}"
    ))
}
