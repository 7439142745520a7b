//! `eval diff`: what has become better from one run to another, what worse, and on which questions.

use crate::failure::Failure;
use crate::output::{Reply, Table};
use clap::Args;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph_rag::evaluate::{Comparison, Difference, Saved, Verdict};

/// A larger file is no run of ours.
const LONGEST: u64 = 1 << 30;

/// Arguments of `eval diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
A file is what `eval --out` or `eval --json` has written. Runs of a set by one pipeline belong together; where both
files have only one pipeline for it, these two do. What `--refusal` has measured is compared if it is of as many
questions. The exit code is 2 if any measure is worse by more than chance: the 95 % interval of the difference, by bootstrap
over the questions that both have, lies below 0, and of `own_refused`, of which less is better, above it.

Example:
  stratigraph eval diff before.json after.json --questions r5

JSON: differences [{set, before, after, measure, mean_before, mean_after, low, high, questions, changed [{id, before,
after}]}], unmatched [text], worse")]
pub(super) struct Diff {
    /// The run before
    before: PathBuf,
    /// The run after
    after: PathBuf,
    /// Tell every question of which this measure has changed
    #[arg(long, value_name = "MEASURE")]
    questions: Option<String>,
    /// Also tell measures that have not changed
    #[arg(long)]
    all: bool,
    /// A file for the differences, as CSV
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
        let chosen = comparison.differences.iter();
        for one in chosen.filter(|one| Some(&one.measure) == self.questions.as_ref()) {
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

fn row(one: &Difference) -> [String; 10] {
    let pipelines = match one.before == one.after {
        true => one.before.clone(),
        false => format!("{} -> {}", one.before, one.after),
    };
    let verdict = match one.verdict() {
        Verdict::Alike => "",
        verdict => verdict.name(),
    };
    let better = one.better();
    [
        one.set.clone(),
        pipelines,
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
