//! The same tasks beside other databases and indexes, on the same data, in one run: loading, searching at equal recall, with
//! filters, after changes; walks and descents; `kill -9`; the disk, memory, and how long opening takes.
//!
//! Every side, ours too, is a process of its own that is asked in JSON lines and times itself: `driver.rs`; what the others
//! are asked with is in `peers/python/peers`. Right answers come from `truth.rs` alone. What a side cannot do it says, and
//! stands in the table so. Times of searches are processor time of all its threads, of loading and changing the wall clock's.

mod crash;
mod data;
mod driver;
mod growth;
mod ladder;
mod life;
mod ours;
mod page;
mod plot;
mod search;
mod sheet;
mod tables;
mod truth;
mod walk;

use crate::measure::installed::{BESIDE, benches};
use crate::measure::machine::Machine;
use crate::measure::report::Report;
use crate::measure::{Common, Setup};
use anyhow::{Context, Result, bail};
use clap::Parser;
use data::{DIMENSIONS, Data, K};
use driver::{Driver, OURS};
use serde_json::{Value, json};
use sheet::{Better, Sheet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tables::About;

/// Measures the same tasks beside other databases.
///
/// `python3 benches/peers/setup.py beside` installs them, and is run first if they are not there (five minutes); who does not
/// install is named with the reason. Example: `peers --quick --peers kuzu,faiss`
#[derive(Debug, Parser)]
#[command(name = "peers")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// How many nodes; each has ten relationships. 5,000 with --quick
    #[arg(long)]
    nodes: Option<usize>,
    /// Beside these only; all that are installed if nothing is said
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// Measure instead how our own operations grow, from ten thousand nodes up to this many
    #[arg(long, value_name = "NODES", num_args = 0..=1, default_missing_value = "1000000")]
    growth: Option<usize>,
    /// Only these parts of it; all of them if nothing is said
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "PART,..",
        requires = "growth"
    )]
    growth_parts: Vec<growth::Part>,
    /// A side that takes longer for one task is given up, in seconds
    #[arg(long, default_value_t = 300)]
    patience: u64,
    /// Put the tables into docs/benchmarks.md, and the pictures beside it
    #[arg(long)]
    write: bool,
    /// Answer requests over a database in this folder, as a side
    #[arg(long, hide = true, requires = "data")]
    serve: Option<PathBuf>,
    #[arg(long, hide = true)]
    data: Option<PathBuf>,
}

/// One that is measured.
struct Side {
    name: String,
    driver: Option<Driver>,
}

/// All that the tasks work on.
struct Run<'a> {
    setup: &'a Setup,
    data: &'a Data,
    python: &'a Path,
    sides: Vec<Side>,
    sheet: Sheet,
    rounds: usize,
    patience: Duration,
}

/// Where the others are, and who is not there.
struct Installed {
    python: PathBuf,
    names: Vec<String>,
    missing: Vec<(String, String)>,
}

/// Runs the benchmark.
///
/// # Errors
/// Whatever fails on our side; what fails on another's stands in its column.
pub fn run(arguments: &Arguments) -> Result<()> {
    if let (Some(folder), Some(data)) = (&arguments.serve, &arguments.data) {
        return ours::serve(folder, data);
    }
    arguments.common.run(
        "peers",
        &[
            "search",
            "filter of 1 %",
            "vector, then two hops",
            "descent of five levels",
        ],
        |_, _| Ok(()),
        |setup, keep| measure(setup, arguments, keep),
    )
}

fn measure(setup: &Setup, arguments: &Arguments, keep: bool) -> Result<Report> {
    let checkout = benches().join("..");
    let mut report = Report::default();
    if let Some(most) = arguments.growth {
        let sizes = growth::sizes(most)?;
        let machine = Machine::look(&setup.dir)?.lines();
        let grown = growth::measure(setup, &sizes, &arguments.growth_parts, keep)?;
        println!("{}", tables::growth(&grown));
        for operation in &grown {
            if let Some(slope) = operation.slope {
                report.count(operation.name.clone(), slope, None, "log/log", None);
            }
        }
        if arguments.write {
            let is_whole = arguments.growth_parts.is_empty();
            page::write_growth(&checkout, &machine, &grown, is_whole)?;
        }
        return Ok(report);
    }
    let nodes = arguments.nodes.unwrap_or(setup.choose(5_000, 100_000));
    let installed = installed(&arguments.peers)?;
    // The load at the start is told: not that of setting them up.
    let machine = Machine::look(&setup.dir)?.lines();
    setup.progress(&format!("data: {nodes} nodes"));
    let folder = setup.subfolder("data")?;
    let data = Data::make(&folder, nodes, setup.seed)?;
    let mut run = Run {
        setup,
        data: &data,
        python: &installed.python,
        sides: Vec::new(),
        sheet: Sheet::default(),
        rounds: 3,
        patience: Duration::from_secs(arguments.patience),
    };
    let mut about = About {
        quick: setup.quick,
        machine,
        parameters: format!(
            "{nodes} nodes with {K} nearest of {DIMENSIONS} dimensions, {} relationships and a tree of as many sections; \
             seed {}, {} rounds, one thread each where it can be said",
            10 * nodes,
            setup.seed,
            run.rounds
        ),
        versions: Vec::new(),
        missing: installed.missing,
    };
    for name in std::iter::once(OURS.to_owned()).chain(installed.names) {
        match version(&run, &name) {
            Ok(version) => {
                about.versions.push((name.clone(), version));
                run.sheet.sides.push(name.clone());
                run.sides.push(Side { name, driver: None });
            }
            Err(error) if name == OURS => return Err(error),
            Err(error) => about.missing.push((name, format!("{error:#}"))),
        }
    }
    about.missing.extend(life::loads(&mut run)?);
    search::searches(&mut run)?;
    walk::hops(&mut run)?;
    walk::descent(&mut run)?;
    life::reopened(&mut run)?;
    life::churned(&mut run)?;
    // They have what others need for the last task: memory, and processors.
    run.sides.iter_mut().for_each(|side| side.driver = None);
    crash::kills(&mut run)?;
    let ahead = tables::ahead(&run.sheet, OURS);
    println!("\n### Where a peer is better\n\n{ahead}");
    println!("{}", tables::all(&about, &run.sheet));
    figures(&run.sheet, &mut report);
    if arguments.write {
        page::write(&checkout, &about, &run.sheet, OURS)?;
    }
    Ok(report)
}

/// Ours beside the best of the others.
fn figures(sheet: &Sheet, report: &mut Report) {
    for figure in &sheet.figures {
        let Some(ours) = sheet.number(&figure.name, OURS) else {
            continue;
        };
        let others = sheet.sides.iter().filter(|side| *side != OURS);
        let others = others.filter_map(|side| sheet.number(&figure.name, side));
        let best = others.reduce(|one, other| match figure.better {
            Better::Less => one.min(other),
            Better::More | Better::Neither => one.max(other),
        });
        report.count(figure.name.clone(), ours, best, figure.unit, None);
    }
}

fn version(run: &Run<'_>, name: &str) -> Result<String> {
    let folder = run.setup.dir.join(format!("{name}-asked"));
    let mut driver = Driver::start(name, run.python, &run.data.folder, &folder, run.patience)?;
    let said = driver.must(&json!({ "do": "tell" }))?;
    Ok(said["version"].as_str().context("no version")?.to_owned())
}

/// What `benches/peers/setup.py beside` has written down.
fn installed(wanted: &[String]) -> Result<Installed> {
    let places = BESIDE.places()?;
    let names: Vec<String> = serde_json::from_value(places["peers"].clone())?;
    let missing = places["missing"]
        .as_object()
        .context("no list of who is missing")?;
    let missing = missing
        .iter()
        .map(|(name, why)| (name.clone(), why.as_str().unwrap_or_default().to_owned()));
    let missing: Vec<(String, String)> = missing.collect();
    for name in wanted {
        if !names.contains(name) && missing.iter().all(|(known, _)| known != name) {
            bail!("there is no peer `{name}`; there are: {}", names.join(", "));
        }
    }
    let chosen = |name: &String| wanted.is_empty() || wanted.contains(name);
    Ok(Installed {
        python: places["python"].as_str().context("no Python")?.into(),
        names: names.iter().filter(|name| chosen(name)).cloned().collect(),
        missing: missing
            .into_iter()
            .filter(|(name, _)| chosen(name))
            .collect(),
    })
}

/// Lists of numbers, as all sides answer.
fn numbers(said: &Value) -> Result<Vec<Vec<u32>>> {
    serde_json::from_value(said.clone()).context("lists of numbers were expected")
}
