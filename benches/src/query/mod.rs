//! Queries beside Kuzu: the same graph, the same questions, one thread each, answers compared.
//!
//! Both are embedded and take prepared statements. Ours is called from Rust, the peer from Python, which is how most of its
//! users call it; what a statement that does nothing takes it is told beside (`peer_floor_us`), so that
//! everybody can see how much of a short query that is.

mod cases;
mod columns;
mod growth;
mod levels;
mod lsqb;
mod ours;
mod peer;
mod planning;
mod social;
mod tree;

use crate::measure::installed::QUERY;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::{Rounds, median};
use crate::measure::{Common, Setup, memory};
use anyhow::{Context, Result, ensure};
use cases::{Answers, Asked, Case};
use clap::{Parser, ValueEnum};
use lsqb::Lsqb;
use ours::{Ours, comparable};
use peer::Peer;
use social::{Size, Social};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;
use stratigraph::Database;
use tree::Tree;

/// Measures queries beside Kuzu.
///
/// `python3 benches/peers/setup.py query` installs it, and is run first if it is not there (a minute). Example:
/// `query --quick --only social`
#[derive(Debug, Parser)]
#[command(name = "query")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Measure one group of figures only
    #[arg(long)]
    only: Option<Group>,
    /// How many persons; each knows twenty. 10,000 with --quick
    #[arg(long)]
    persons: Option<usize>,
    /// How many persons the graph of LSQB has, with forty relationships each. 1,000 with --quick
    #[arg(long)]
    lsqb_persons: Option<usize>,
    /// Measure instead how the time of each query grows with the graph, without the peer. Up to a tenth with --quick
    #[arg(long, conflicts_with = "only")]
    growth: bool,
    /// How many children a section has, in five levels: 31 make a million. 8 with --quick
    #[arg(long)]
    children: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Persons who know each other, posts, tags.
    Social,
    /// A tree of headings.
    Tree,
    /// The nine patterns of LSQB over a graph of its shape.
    Lsqb,
    /// Reading and planning, without a peer.
    Plan,
}

/// A case of which one pass takes longer is not repeated much.
const LONG: Duration = Duration::from_secs(2);

/// Runs the benchmark.
///
/// # Errors
/// Whatever fails underneath, and answers that differ; a missed mark is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let summary = [
        "lookup_vs_kuzu",
        "hop1_vs_kuzu",
        "hop2_vs_kuzu",
        "hop3_vs_kuzu",
        "scan_vs_kuzu",
        "filtered_search_vs_kuzu",
        "traverse_vs_kuzu",
        "lsqb_vs_kuzu",
        "plan_us",
    ];
    arguments.common.run(
        "query",
        &summary,
        |_, _| Ok(()),
        |setup, keep| measure(setup, arguments, keep),
    )
}

fn measure(setup: &Setup, arguments: &Arguments, keep: bool) -> Result<Report> {
    let mut report = Report::default();
    let wanted = |group| arguments.only.is_none_or(|only| only == group);
    let mut random = fastrand::Rng::with_seed(setup.seed);
    if arguments.growth {
        growth::measure(setup, keep, &mut report)?;
        return Ok(report);
    }
    if arguments.only != Some(Group::Plan) {
        // It is set up now if it is not there, and not between two groups.
        QUERY.python()?;
    }
    if wanted(Group::Plan) {
        planning::measure(setup, &mut report)?;
    }
    if wanted(Group::Social) {
        let persons = arguments.persons.unwrap_or(setup.choose(10_000, 100_000));
        setup.progress(&format!("social: {persons} persons"));
        let social = Social::make(setup, Size::of(persons));
        let dir = setup.subfolder("social")?;
        let (db, mut peer) = both(setup, &dir, |db| social.load(db), &social.write(&dir)?)?;
        floor(&mut peer, &mut report)?;
        for case in cases::local(&social, &mut random) {
            compare(setup, &db, &mut peer, &case, &mut report)?;
        }
        let mut ratios = Vec::new();
        for case in cases::whole() {
            ratios.push(compare(setup, &db, &mut peer, &case, &mut report)?);
        }
        let least = Some(Mark::AtLeast(0.5));
        report.count("scan_vs_kuzu", median(&ratios), None, "times", least);
        for case in cases::searches(&social, &mut random) {
            compare(setup, &db, &mut peer, &case, &mut report)?;
        }
        memory_of(&mut peer, "social", &mut report)?;
        drop(peer);
        db.close()?;
        setup.done_with(&dir, keep)?;
    }
    if wanted(Group::Lsqb) {
        let persons = arguments.lsqb_persons.unwrap_or(setup.choose(1_000, 5_000));
        let lsqb = Lsqb::make(setup, persons);
        let (nodes, relationships) = lsqb.size();
        setup.progress(&format!(
            "lsqb: {nodes} nodes, {relationships} relationships"
        ));
        let dir = setup.subfolder("lsqb")?;
        let (db, mut peer) = both(setup, &dir, |db| lsqb.load(db), &lsqb.write(&dir)?)?;
        let mut ratios = Vec::new();
        for case in lsqb::cases() {
            ratios.push(compare(setup, &db, &mut peer, &case, &mut report)?);
        }
        report.count("lsqb_vs_kuzu", median(&ratios), None, "times", None);
        memory_of(&mut peer, "lsqb", &mut report)?;
        drop(peer);
        db.close()?;
        setup.done_with(&dir, keep)?;
    }
    if wanted(Group::Tree) {
        let children = arguments.children.unwrap_or(setup.choose(8, 31));
        let tree = Tree::make(setup, children);
        setup.progress(&format!("tree: {} sections", tree.len()));
        let dir = setup.subfolder("tree")?;
        let (db, mut peer) = both(setup, &dir, |db| tree.load(db), &tree.write(&dir)?)?;
        for case in cases::descents(&tree, &mut random) {
            compare(setup, &db, &mut peer, &case, &mut report)?;
            levels::compare(setup, &db, &case, &mut report)?;
        }
        memory_of(&mut peer, "tree", &mut report)?;
        drop(peer);
        db.close()?;
        setup.done_with(&dir, keep)?;
    }
    Ok(report)
}

/// Both sides with the same data.
fn both(
    setup: &Setup,
    dir: &Path,
    load: impl FnOnce(&Database) -> Result<()>,
    statements: &[String],
) -> Result<(Database, Peer)> {
    setup.progress("loading ours");
    let db = Database::create(dir.join("ours"))?;
    load(&db)?;
    setup.progress("loading theirs");
    let mut peer = Peer::start(&dir.join("theirs"))?;
    let seconds = peer.load(statements)?;
    setup.progress(&format!("loaded, theirs in {seconds:.1} s"));
    Ok((db, peer))
}

/// What the peer takes for nothing, so that short queries can be read right.
fn floor(peer: &mut Peer, report: &mut Report) -> Result<()> {
    let nothing = Asked::Statements {
        all: vec!["RETURN $id".into()],
        after: 0,
    };
    let parameters: Vec<_> = (0..300)
        .map(|number| serde_json::json!({ "id": number }))
        .collect();
    peer.run(&nothing, &parameters)?;
    let (seconds, _) = peer.run(&nothing, &parameters)?;
    let each = seconds / parameters.len() as f64 * 1e6;
    report.count("peer_floor_us", each, None, "us", None);
    Ok(())
}

/// One case on both sides in turns; the ratio of queries a second.
fn compare(
    setup: &Setup,
    db: &Database,
    peer: &mut Peer,
    case: &Case,
    report: &mut Report,
) -> Result<f64> {
    setup.progress(case.name);
    let ours = Ours::new(db, case.ours, &case.parameters).context(case.name)?;
    let (first, our_rows) = ours.run().context(case.name)?;
    let mut fastest: Option<(f64, &Asked, Vec<serde_json::Value>)> = None;
    for (number, asked) in case.theirs.iter().enumerate() {
        // The first time does not count.
        if let Err(error) = peer.run(asked, &case.parameters) {
            // Some of its ways fail for some data; another may not.
            setup.progress(&format!("{}, way {number}: {error:#}", case.name));
            continue;
        }
        let (seconds, rows) = peer.run(asked, &case.parameters)?;
        if fastest.as_ref().is_none_or(|(least, ..)| seconds < *least) {
            fastest = Some((seconds, asked, rows));
        }
    }
    let (_, asked, their_rows) =
        fastest.with_context(|| format!("{}: no way to ask the peer", case.name))?;
    let agreement = agreement(case, &our_rows, &their_rows)?;
    let count = case.parameters.len() as f64;
    // What takes seconds is not noise: one round says it.
    let rounds = match first > LONG {
        true => 1,
        false => setup.choose(3, 5),
    };
    let rounds = Rounds::run(
        rounds,
        |_| Ok(()),
        |()| Ok(ours.run()?.0),
        |()| {
            Ok(Duration::from_secs_f64(
                peer.run(asked, &case.parameters)?.0,
            ))
        },
    )?;
    let rates = rounds.map(|seconds| count / seconds);
    setup.progress(&format!("{}: {:.2} times", case.name, rates.ratio()));
    report.compare(case.name, &rates, "queries/s", case.mark.map(Mark::AtLeast));
    if case.answers == Answers::Approximate {
        let name = format!("{}_same", case.name.trim_end_matches("_vs_kuzu"));
        report.count(name, agreement, None, "of rows", None);
    }
    Ok(rates.ratio())
}

/// The share of rows that both have; all of them, where answers are exact.
fn agreement(
    case: &Case,
    ours: &[Vec<Vec<stratigraph::Value>>],
    theirs: &[serde_json::Value],
) -> Result<f64> {
    let (mut shared, mut all) = (0, 0);
    for (number, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let ours = comparable(ours)?;
        let theirs: Vec<String> = theirs
            .as_array()
            .context("no rows")?
            .iter()
            .map(ToString::to_string)
            .collect();
        let known: HashSet<&String> = theirs.iter().collect();
        let same = ours.iter().filter(|row| known.contains(row)).count();
        let whole = same == ours.len() && ours.len() == theirs.len();
        ensure!(
            whole || case.answers == Answers::Approximate,
            "{} answers differ with parameters {number}: ours {} rows, theirs {}, {same} the same; first {:?} and {:?}",
            case.name,
            ours.len(),
            theirs.len(),
            ours.first(),
            theirs.first(),
        );
        shared += same;
        all += ours.len().max(theirs.len());
    }
    ensure!(
        all > 0,
        "{}: nothing was found, whatever was asked",
        case.name
    );
    Ok(shared as f64 / all as f64)
}

fn memory_of(peer: &mut Peer, name: &str, report: &mut Report) -> Result<()> {
    let (version, theirs) = peer.told()?;
    println!("peer       kuzu {version}, one thread");
    let ours = (memory::own()? + memory::of_files()?) as f64 / 1e6;
    report.count(format!("{name}_rss_mb"), ours, Some(theirs), "MB", None);
    Ok(())
}
