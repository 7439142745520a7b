//! The vector index beside other libraries: same vectors, same machine, same threads, recall beside every
//! speed.
//!
//! A set of vectors is made, its right answers are found by looking at every row, and ours is measured
//! beside one peer after the other. Speeds are queries per second of processor time at a recall, on one
//! thread; the wall clock's stand beside them. Start with `compare.rs`; `ours.rs` is all that knows our
//! index, and `../../peers` is where the others are.

mod compare;
mod cost;
pub(crate) mod curve;
mod driver;
mod filters;
pub(crate) mod generate;
mod in_process;
mod ours;
mod peer;
mod peers;
mod real;
mod scan;
mod sentences;
mod set;
mod table;
mod truth;
mod updates;

use crate::measure::report::Report;
use crate::measure::{Common, Setup};
use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use compare::{Compared, FilteredRow, Plan};
use filters::{Kind, PERCENTS};
use generate::{Recipe, generate, latent};
use in_process::InProcess;
use ours::Ours;
use peer::Peer;
use peers::{Known, PEERS, Places};
use scan::Scan;
use set::{QUERIES, VectorSet};
use std::path::PathBuf;

/// Measures the vector index beside other libraries.
///
/// `python3 benches/peers/setup.py` installs them, and is run first if they are not there (10 minutes). Example:
/// `vector --only 768 --peers hnswlib,faiss-sq8`
#[derive(Debug, Parser)]
#[command(name = "vector")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Measure one set of vectors only.
    #[arg(long)]
    only: Option<Group>,
    /// A million vectors as well: hours.
    #[arg(long)]
    long: bool,
    /// Neither filters nor updates, which are measured on the first set.
    #[arg(long)]
    plain: bool,
    /// Beside these peers only, however slow.
    #[arg(long, value_delimiter = ',', value_name = "NAME,..")]
    peers: Vec<String>,
    /// Where the texts of the real vectors are.
    #[arg(long, value_name = "DIR", default_value = "../shared/eval")]
    texts: PathBuf,
}

/// A set of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Sentences, 384 dimensions.
    Real,
    #[value(name = "384")]
    D384,
    #[value(name = "768")]
    D768,
    #[value(name = "1536")]
    D1536,
    /// A million of 384 dimensions.
    Million,
}

/// The figures of the summary line, in its order.
const SUMMARY: [&str; 9] = [
    "qps95_vs_hnswlib",
    "qps99_vs_hnswlib",
    "qps95_vs_best",
    "qps99_vs_best",
    "build_vs_hnswlib",
    "memory_vs_hnswlib",
    "filtered1_vs_scan",
    "filtered10_vs_best",
    "filtered50_vs_best",
];

/// Runs the benchmark.
///
/// # Errors
/// Whatever fails underneath; a peer that fails is named and left out, and a missed mark is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let refuse = |_: &_, _: &_| match arguments
        .peers
        .iter()
        .find(|name| PEERS.iter().all(|known| known.name != **name))
    {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = PEERS.iter().map(|known| known.name).collect();
            bail!("there is no peer `{name}`; there are: {}", names.join(" "))
        }
    };
    arguments
        .common
        .run("vector", &SUMMARY, refuse, |setup, keep| {
            measure(setup, arguments, keep)
        })
}

fn measure(setup: &Setup, arguments: &Arguments, keep: bool) -> Result<Report> {
    let places = Places::find()?;
    let groups = match (arguments.only, setup.quick) {
        (Some(only), _) => vec![only],
        (None, true) => vec![Group::D384],
        (None, false) => {
            let mut groups = vec![Group::Real, Group::D384, Group::D768, Group::D1536];
            groups.extend(arguments.long.then_some(Group::Million));
            groups
        }
    };
    let mut report = Report::default();
    let mut first = true;
    for group in groups {
        setup.progress(&format!("{group:?}: make the vectors"));
        let mut set = match make(setup, arguments, group) {
            Ok(set) => set,
            // The other sets can be measured without the embedder.
            Err(error) if group == Group::Real && arguments.only.is_none() => {
                println!("real       left out: {error:#}");
                continue;
            }
            Err(error) => return Err(error),
        };
        let whole = first && !arguments.plain;
        if whole {
            setup.progress("make the filters");
            add_filters(setup, &mut set)?;
        }
        let dir = setup.subfolder(set.name)?;
        set.write(&dir)?;
        let plan = plan(setup, &places, &arguments.peers, group);
        let compared = compare::compare(setup, &set, &plan, &dir)?;
        table::print(&set, &compared);
        table::figures(&set, &compared, first, &mut report);
        filtered(setup, &set, &plan, &compared, &mut report)?;
        if whole {
            setup.progress("searches while rows are replaced");
            with_updates(&set, plan.rounds, &mut report)?;
        }
        setup.done_with(&dir, keep)?;
        first = false;
    }
    Ok(report)
}

fn make(setup: &Setup, arguments: &Arguments, group: Group) -> Result<VectorSet> {
    let (name, rows, dims) = match group {
        Group::Real => {
            let rows = real::rows(&arguments.texts, setup.seed)?;
            return VectorSet::new("real", real::DIMS, rows);
        }
        Group::D384 => ("384", setup.choose(30_000, 100_000), 384),
        Group::D768 => ("768", setup.choose(30_000, 100_000), 768),
        Group::D1536 => ("1536", setup.choose(20_000, 50_000), 1536),
        Group::Million => ("million", 1_000_000, 384),
    };
    let recipe = Recipe {
        rows: rows + QUERIES,
        dims,
        latent: latent(rows),
        seed: setup.seed,
    };
    VectorSet::new(name, dims, generate(recipe)?)
}

fn plan<'a>(setup: &Setup, places: &'a Places, named: &[String], group: Group) -> Plan<'a> {
    let is_wanted = |known: &&Known| match (named, group) {
        ([], Group::Million) => known.million,
        ([], _) => known.quick || !setup.quick,
        (named, _) => named.iter().any(|name| name == known.name),
    };
    Plan {
        places,
        peers: PEERS.iter().filter(is_wanted).collect(),
        rounds: 3,
        // Elsewhere it is the searches that matter, and a million takes a quarter of an hour.
        builds: match group {
            Group::Real => setup.choose(1, 3),
            Group::Million => 0,
            _ => 1,
        },
        two_threads: !setup.quick && group != Group::Million,
    }
}

fn add_filters(setup: &Setup, set: &mut VectorSet) -> Result<()> {
    let kinds: &[(Kind, usize)] = setup.choose(
        &[(Kind::Random, 100)],
        &[(Kind::Random, 100), (Kind::Near, 50), (Kind::Far, 50)],
    );
    let percents = setup.choose(&PERCENTS[2..], &PERCENTS[..]);
    for &(kind, queries) in kinds {
        for &percent in percents {
            let case = filters::case(set, kind, percent, queries, setup.seed)?;
            set.cases.push(case);
        }
    }
    Ok(())
}

/// The filtered searches: the peers' are measured with their other searches, the scan's here.
fn filtered(
    setup: &Setup,
    set: &VectorSet,
    plan: &Plan<'_>,
    compared: &Compared,
    report: &mut Report,
) -> Result<()> {
    if set.cases.is_empty() {
        return Ok(());
    }
    setup.progress("filters beside a bare scan");
    let mut ours = InProcess::<Ours>::new(set);
    let mut scan = InProcess::<Scan>::new(set);
    ours.build(1)?;
    scan.build(1)?;
    let mut scans: Vec<(String, FilteredRow)> = Vec::new();
    for case in &set.cases {
        let row = compare::filtered_beside(
            &case.name,
            plan.rounds,
            &mut ours,
            &mut scan,
            compare::fastest,
        )?;
        scans.extend(row.map(|row| (case.name.clone(), row)));
    }
    let rows = scans.iter().flat_map(|(case, scan)| {
        let peers = compared.peers.iter().flat_map(move |peer| {
            let rows = peer.filtered.iter().filter(move |(known, _)| known == case);
            rows.map(move |(_, row)| (case.as_str(), peer.row.name, row))
        });
        std::iter::once((case.as_str(), "scan", scan)).chain(peers)
    });
    table::print_filtered(rows);
    table::filter_figures(compared, &scans, report);
    Ok(())
}

fn with_updates(set: &VectorSet, rounds: usize, report: &mut Report) -> Result<()> {
    let measured = updates::measure(set, rounds)?;
    for (threads, times) in [("two", &measured.two), ("three", &measured.three)] {
        for (name, seconds) in [("p99", &times.p99), ("median", &times.median)] {
            let name = format!("{name}_with_updates_{threads}_threads");
            report.compare(&name, &seconds.map(|s| s * 1e6), "us beside none", None);
        }
    }
    let all = set.base.len() * size_of::<f32>();
    let touched = measured.touched / 1e6;
    report.count(
        "vectors_touched",
        touched,
        Some(all as f64 / 1e6),
        "MB of all",
        None,
    );
    Ok(())
}
