//! `eval diff`: what has become better from one run to another, what worse, and on which questions; and what that took.

use crate::failure::Failure;
use crate::output::{Reply, SHOWN, Table, first_of};
use clap::Args;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph_rag::evaluate::{Comparison, CostDifference, Difference, Saved, Verdict};

/// A larger file is no run of ours.
const LONGEST: u64 = 1 << 30;

/// Arguments of `eval diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
A file is what `eval --out` or `eval --json` has written. Runs of a set by one pipeline belong together; where both
files have only one pipeline for it, these two do. What `--refusal` has measured is compared if it is of as many
questions. The exit code is 2 if any measure is worse by more than chance: the 95 % interval of the difference, by bootstrap
over the questions that both have, lies below 0, and of `own_refused`, of which less is better, above it. Of each measure
that is better or worse by more than chance the questions are named that have changed most, ten of either kind. What
questions took (times, units, calls and tokens) stands beside it, and counts for nothing.

Examples:
  stratigraph eval diff before.json after.json
  stratigraph eval diff before.json after.json --questions r5

JSON: differences [{set, before, after, measure, mean_before, mean_after, low, high, questions, changed [{id, before,
after}]}], costs [{set, before, after, cost, value_before, value_after, questions}], unmatched [text], worse")]
pub(super) struct Diff {
    /// The run before
    before: PathBuf,
    /// The run after
    after: PathBuf,
    /// Tell every question of which this measure has changed, and no others
    #[arg(long, value_name = "MEASURE")]
    questions: Option<String>,
    /// Also tell measures and costs that have not changed
    #[arg(long)]
    all: bool,
    /// A file for the differences, also those of costs, as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// A file for a page with pictures of both runs
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Diff {
    /// Compares.
    ///
    /// # Errors
    /// What are no runs.
    pub(super) fn run(&self) -> Result<Reply, Failure> {
        let (before, after) = (read(&self.before)?, read(&self.after)?);
        let comparison = Comparison::of(&before, &after);
        let mut reply = Reply::new("eval");
        for text in &comparison.unmatched {
            reply.line(text);
        }
        if comparison.differences.is_empty() {
            return Err(Failure::of_request(format!(
                "the two runs have nothing in common: {}",
                comparison.unmatched.join("; ")
            )));
        }
        self.check_measure(&comparison)?;
        let headings = [
            "set",
            "pipelines",
            "measure",
            "before",
            "after",
            "difference",
            "95 % interval",
            "",
            "better",
            "worse",
        ];
        let mut table = Table::of_numbers(headings);
        for one in &comparison.differences {
            if self.all || !one.changed.is_empty() {
                table.row(row(one));
            }
        }
        reply.table(&table);
        self.tell_costs(&mut reply, &comparison.costs);
        for one in &comparison.differences {
            match &self.questions {
                Some(measure) if *measure == one.measure => all_changed(&mut reply, one),
                None if one.verdict() != Verdict::Alike => most_changed(&mut reply, one),
                _ => {}
            }
        }
        let worse = comparison.worse();
        let better = comparison.differences.iter();
        let better = better
            .filter(|one| one.verdict() == Verdict::Better)
            .count();
        reply.line(format!(
            "measures beyond chance: {better} better, {worse} worse; {} within it",
            comparison.differences.len() - better - worse
        ));
        super::write(self.csv.as_deref(), || comparison.csv())?;
        super::write(self.html.as_deref(), || both(before, after).page())?;
        reply.fields(&comparison)?.field("worse", worse);
        if worse > 0 {
            reply.incomplete();
        }
        Ok(reply)
    }

    /// What questions took, where that is otherwise.
    fn tell_costs(&self, reply: &mut Reply, costs: &[CostDifference]) {
        let headings = ["set", "pipelines", "cost", "before", "after", "difference"];
        let mut table = Table::of_numbers(headings);
        let mut is_any = false;
        for one in costs {
            if self.all || one.value_before != one.value_after {
                let [before, after, difference] = one.shown();
                table.row([
                    one.set.clone(),
                    pipelines(&one.before, &one.after),
                    one.cost.clone(),
                    before,
                    after,
                    difference,
                ]);
                is_any = true;
            }
        }
        if is_any {
            reply.table(&table);
        }
    }

    /// Whether there is the measure whose questions are wanted.
    fn check_measure(&self, comparison: &Comparison) -> Result<(), Failure> {
        let Some(wanted) = &self.questions else {
            return Ok(());
        };
        let known = comparison.differences.iter();
        let known: BTreeSet<&str> = known.map(|one| one.measure.as_str()).collect();
        if known.contains(wanted.as_str()) {
            return Ok(());
        }
        let known: Vec<&str> = known.into_iter().collect();
        Err(Failure::of_request(format!(
            "--questions {wanted}: that is no measure of both runs; there are {}",
            known.join(", ")
        )))
    }
}

fn read(file: &Path) -> Result<Saved, Failure> {
    let wrong =
        |error: &dyn std::fmt::Display| Failure::of_request(format!("{}: {error}", file.display()));
    let bytes = fs::metadata(file).map_err(|error| wrong(&error))?.len();
    if bytes > LONGEST {
        return Err(wrong(&format!(
            "has {bytes} bytes, and {LONGEST} are read at most"
        )));
    }
    let text = fs::read_to_string(file).map_err(|error| wrong(&error))?;
    serde_json::from_str(&text).map_err(|error| wrong(&error))
}

/// Every question of which a measure has changed.
fn all_changed(reply: &mut Reply, one: &Difference) {
    for changed in &one.changed {
        reply.line(format!(
            "{} {}: {} {:.3} -> {:.3}",
            one.set, changed.id, one.measure, changed.before, changed.after
        ));
    }
    if one.changed.is_empty() {
        reply.line(format!(
            "{}: {} is the same of each question",
            one.set, one.measure
        ));
    }
}

/// The questions of which a measure has changed most, those that are better and those that are worse.
fn most_changed(reply: &mut Reply, one: &Difference) {
    let of = format!("{} by {}", one.set, pipelines(&one.before, &one.after));
    for (verdict, changed) in [Verdict::Better, Verdict::Worse]
        .into_iter()
        .zip(one.sides())
    {
        if changed.is_empty() {
            continue;
        }
        let first = first_of(SHOWN, changed.iter().map(|one| one.id.as_str()));
        let (measure, is) = (&one.measure, verdict.name());
        reply.line(format!("{of}: {measure} is {is} of {first}"));
    }
}

/// Both pipelines, or the one that both are.
fn pipelines(before: &str, after: &str) -> String {
    match before == after {
        true => before.to_owned(),
        false => format!("{before} -> {after}"),
    }
}

fn row(one: &Difference) -> [String; 10] {
    let verdict = match one.verdict() {
        Verdict::Alike => "",
        verdict => verdict.name(),
    };
    let better = one.better();
    [
        one.set.clone(),
        pipelines(&one.before, &one.after),
        one.measure.clone(),
        format!("{:.3}", one.mean_before),
        format!("{:.3}", one.mean_after),
        format!("{:+.3}", one.mean_after - one.mean_before),
        format!("{:+.3} to {:+.3}", one.low, one.high),
        verdict.to_owned(),
        better.to_string(),
        (one.changed.len() - better).to_string(),
    ]
}

/// Both runs as one, the pipelines under names that tell which.
fn both(before: Saved, after: Saved) -> Saved {
    let mut all = Saved::default();
    for (saved, which) in [(before, "before"), (after, "after")] {
        for mut run in saved.evaluations {
            run.pipeline = format!("{} ({which})", run.pipeline);
            all.evaluations.push(run);
        }
        for mut refusal in saved.refusals {
            refusal.pipeline = format!("{} ({which})", refusal.pipeline);
            all.refusals.push(refusal);
        }
    }
    all
}
