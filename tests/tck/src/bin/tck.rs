//! Runs the conformance scenarios and says how many of them pass.
//!
//! The last line is `tck rows=a/A compile_errors=b/B runtime_errors=c/C side_effects=d/D total=t/T`.
//! Exit code 0 if all passed, or as many as `--min` asks for; 1 if not; 3 if there is no data. It must
//! never leave a scenario out that was not left out by an argument.

use anyhow::{Context, Result, bail};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stratigraph_tck::bound::Bound;
use stratigraph_tck::engine::Variant;
use stratigraph_tck::journal::Journal;
use stratigraph_tck::pool::{self, Ended};
use stratigraph_tck::report::Report;
use stratigraph_tck::run::{self, Fault, Verdict};
use stratigraph_tck::scenario::{Expectation, Scenario};
use stratigraph_tck::selection::Sample;
use stratigraph_tck::{effects, feature, json_lines};

/// Conformance scenarios against the engine.
#[derive(Parser)]
#[command(name = "tck")]
struct Arguments {
    /// The folder of the extract: open.jsonl.zst and graphs.json.
    #[arg(long, value_name = "DIR", default_value = "../shared/tck")]
    data: PathBuf,
    /// Read upstream's feature files from this folder instead.
    #[arg(long, value_name = "DIR")]
    features: Option<PathBuf>,
    /// Run every variant.
    #[arg(long, conflicts_with = "variant")]
    all_variants: bool,
    /// Run these variants; `default` without it.
    #[arg(long, value_enum)]
    variant: Vec<Variant>,
    /// Run one scenario in N, chosen by the seed.
    #[arg(long, value_name = "N/SEED")]
    sample: Option<Sample>,
    /// Run only scenarios whose id contains this.
    filter: Option<String>,
    /// Write one line per failure into this file.
    #[arg(long, value_name = "FILE")]
    list_failures: Option<PathBuf>,
    /// Show a scenario (all whose id begins so) and what becomes of it.
    #[arg(long, value_name = "ID")]
    show: Option<String>,
    /// Succeed if so many scenarios pass.
    #[arg(long, value_name = "N")]
    min: Option<usize>,
    /// Succeed if all variants agree with the first one, whatever passes.
    #[arg(long)]
    same: bool,
    /// How many groups of failures to print.
    #[arg(long, value_name = "N", default_value_t = 40)]
    groups: usize,
    /// How many seconds a scenario may take.
    #[arg(long, value_name = "N", default_value_t = 60)]
    limit: u64,
    /// Written by the program itself when it starts itself: what has begun and what has ended.
    #[arg(long, value_name = "FILE", hide = true)]
    journal: Option<PathBuf>,
}

/// So many deaths are too many to go on.
const MOST_DEATHS: usize = 200;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.journal {
        Some(journal) => work(&arguments, journal),
        None => supervise(),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("tck: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs this program as a child, again when it dies: `journal.rs` says why.
fn supervise() -> Result<ExitCode> {
    let folder = tempfile::tempdir()?;
    let journal = folder.path().join("journal");
    for _ in 0..MOST_DEATHS {
        let mut child = Command::new(std::env::current_exe()?);
        child.args(std::env::args_os().skip(1));
        let status = child.arg("--journal").arg(&journal).status()?;
        match status.code() {
            Some(code) => return Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
            None => eprintln!("tck: the run died ({status}); it goes on with what is left"),
        }
    }
    bail!("the run died {MOST_DEATHS} times");
}

fn work(arguments: &Arguments, journal: &Path) -> Result<ExitCode> {
    let folder = arguments.features.as_ref().unwrap_or(&arguments.data);
    let there = match &arguments.features {
        Some(features) => features.is_dir(),
        None => folder.join(json_lines::SCENARIOS).is_file(),
    };
    if !there {
        eprintln!(
            "tck: there are no scenarios in {}: nothing was run. Say --data DIR or --features DIR.",
            folder.display()
        );
        println!("tck skipped: no data at {}", folder.display());
        return Ok(ExitCode::from(3));
    }
    let mut scenarios = read(arguments, folder)?;
    scenarios.retain(|scenario| {
        let id = scenario.id.as_str();
        arguments.sample.is_none_or(|sample| sample.holds(id))
            && arguments
                .filter
                .as_ref()
                .is_none_or(|word| id.contains(word.as_str()))
            && arguments
                .show
                .as_ref()
                .is_none_or(|begin| id.starts_with(begin.as_str()))
    });
    let variants = match (arguments.all_variants, arguments.variant.as_slice()) {
        (true, _) => Variant::ALL.to_vec(),
        (false, []) => vec![Variant::Default],
        (false, some) => some.to_vec(),
    };
    let scenarios = Arc::new(scenarios);
    let journal = Arc::new(Journal::open(journal)?);
    // A scenario passes if it passes in every variant.
    let mut merged: Vec<Verdict> = Vec::new();
    let mut differing = 0;
    let mut all = Report::default();
    for variant in &variants {
        let started = Instant::now();
        let verdicts = verdicts(arguments, &scenarios, *variant, &journal)?;
        let mut report = Report::default();
        for (scenario, verdict) in scenarios.iter().zip(&verdicts) {
            report.add(scenario, *variant, verdict);
            if !verdict.passed() {
                all.add(scenario, *variant, verdict);
            }
            if arguments.show.is_some() {
                show(scenario, verdict);
            }
        }
        if merged.is_empty() {
            merged = verdicts;
        } else {
            for ((scenario, first), other) in scenarios.iter().zip(&mut merged).zip(&verdicts) {
                differing += differences(scenario, *variant, first, other);
                first.and(other);
            }
        }
        if variants.len() > 1 {
            println!(
                "{:<9} {} in {:.1} s",
                variant.name(),
                report.last_line().trim_start_matches("tck "),
                started.elapsed().as_secs_f64()
            );
        }
    }
    if let Some(file) = &arguments.list_failures {
        std::fs::write(file, all.failures()).with_context(|| format!("{}", file.display()))?;
    }
    let mut sums = Report::default();
    for (scenario, verdict) in scenarios.iter().zip(&merged) {
        sums.add(scenario, Variant::Default, verdict);
    }
    print!("{}", sums.groups(arguments.groups));
    if variants.len() > 1 {
        println!("differences between variants: {differing}");
    }
    if let Some(sample) = arguments.sample {
        println!("one scenario in {}, seed {}", sample.one_in, sample.seed);
    }
    println!("{}", sums.last_line());
    let good = if arguments.same {
        differing == 0
    } else {
        sums.total.passed >= arguments.min.unwrap_or(sums.total.all)
    };
    Ok(ExitCode::from(u8::from(!good)))
}

/// Whether a scenario fails in a variant but not before; each such is told at once.
fn differences(scenario: &Scenario, variant: Variant, before: &Verdict, now: &Verdict) -> usize {
    match &now.failure {
        Some(failure) if before.passed() => {
            println!(
                "only in {}: {} {}: expected {}, got {}",
                variant.name(),
                scenario.id,
                failure.fault,
                failure.expected,
                failure.came
            );
            1
        }
        _ => 0,
    }
}

fn read(arguments: &Arguments, folder: &Path) -> Result<Vec<Scenario>> {
    match &arguments.features {
        Some(features) => feature::read(features),
        None => json_lines::read(folder),
    }
}

fn verdicts(
    arguments: &Arguments,
    scenarios: &Arc<Vec<Scenario>>,
    variant: Variant,
    journal: &Arc<Journal>,
) -> Result<Vec<Verdict>> {
    let limit = Duration::from_secs(arguments.limit);
    let mut verdicts: Vec<Option<Verdict>> = scenarios
        .iter()
        .map(|scenario| journal.verdict(variant, &scenario.id))
        .collect();
    let open = |index: &usize| verdicts[*index].is_none();
    let (suspects, rest): (Vec<usize>, Vec<usize>) = (0..scenarios.len())
        .filter(open)
        .partition(|index| journal.suspect(variant, &scenarios[*index].id));
    let alone = suspects.into_iter().map(|index| vec![index]);
    for group in alone.chain([rest]) {
        let (shared, own, indexes) = (Arc::clone(scenarios), Arc::clone(journal), group.clone());
        let ended = pool::map(group.len(), limit, move |at| {
            let scenario = &shared[indexes[at]];
            own.begins(variant, &scenario.id);
            let verdict = run::run(scenario, &Bound, variant);
            own.ends(variant, &scenario.id, &verdict);
            verdict
        })?;
        for (index, ended) in group.into_iter().zip(ended) {
            let verdict = match ended {
                Ended::Returned(verdict) => verdict,
                Ended::Panicked(words) => Verdict::failed(Fault::Panic, "no panic", words),
                Ended::Hung => {
                    let expected = format!("an end within {} s", arguments.limit);
                    Verdict::failed(Fault::Hung, expected, "none")
                }
            };
            // Those that did not return have not ended in the journal either.
            journal.ends(variant, &scenarios[index].id, &verdict);
            verdicts[index] = Some(verdict);
        }
    }
    Ok(verdicts.into_iter().flatten().collect())
}

fn show(scenario: &Scenario, verdict: &Verdict) {
    println!("{} {} (line {})", scenario.id, scenario.name, scenario.line);
    for stub in &scenario.procedures {
        println!("  procedure {} with {} rows", stub.name, stub.rows.len());
    }
    for query in &scenario.setup {
        println!("  setup: {}", query.replace('\n', "\n         "));
    }
    for (name, value) in &scenario.parameters {
        println!("  ${name} = {value}");
    }
    println!("  query: {}", scenario.query.replace('\n', "\n         "));
    match &scenario.expectation {
        Expectation::Error(error) => println!(
            "  expects {} at {}: {}",
            error.error_type,
            error.phase.name(),
            error.detail
        ),
        Expectation::Rows(rows) => {
            println!("  expects columns {:?}", rows.columns);
            for row in &rows.rows {
                let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
                println!("    | {} |", cells.join(" | "));
            }
        }
    }
    if let Some(stated) = &scenario.effects {
        println!("  side effects: {}", effects::text(stated));
    }
    match &verdict.failure {
        None => println!("  passed"),
        Some(failure) => println!(
            "  FAILED {}: expected {}\n  got {}",
            failure.fault, failure.expected, failure.came
        ),
    }
}
