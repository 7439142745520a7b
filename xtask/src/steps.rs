//! The steps of a long verb: each is named before it runs and timed, and a summary closes the run.
//!
//! The summary is printed on failure too, with the step that failed and the steps that were
//! skipped, because that is when somebody reads it.

use crate::shell;
use std::time::{Duration, Instant};

/// What became of a step.
enum Outcome {
    Passed,
    Failed,
    Skipped(String),
}

struct Step {
    name: &'static str,
    took: Duration,
    outcome: Outcome,
}

/// The steps so far.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<Step>,
}

impl Steps {
    /// Runs one step. The caller stops at the first error, so cheap steps come first.
    pub(crate) fn run<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        shell::say(&format!("[{name}]"));
        let started = Instant::now();
        let result = work();
        let outcome = if result.is_ok() {
            Outcome::Passed
        } else {
            Outcome::Failed
        };
        self.done.push(Step {
            name,
            took: started.elapsed(),
            outcome,
        });
        result
    }

    /// Says visibly that something was left out, and why.
    pub(crate) fn skip(&mut self, name: &'static str, why: &str) {
        shell::say(&format!("{name}: skipped, {why}"));
        self.done.push(Step {
            name,
            took: Duration::ZERO,
            outcome: Outcome::Skipped(why.to_owned()),
        });
    }

    fn summary(&self) -> String {
        let mut text = String::new();
        for step in &self.done {
            let seconds = step.took.as_secs_f64();
            text += &match &step.outcome {
                Outcome::Passed => format!("    {:<12} {seconds:>8.1} s\n", step.name),
                Outcome::Failed => format!("    {:<12} {seconds:>8.1} s  FAILED\n", step.name),
                Outcome::Skipped(why) => format!("    {:<12}   skipped: {why}\n", step.name),
            };
        }
        let total: Duration = self.done.iter().map(|step| step.took).sum();
        text + &format!("    {:<12} {:>8.1} s\n", "total", total.as_secs_f64())
    }
}

/// Runs a verb made of steps and prints its summary, whether it went well or not.
pub(crate) fn summarised(
    verb: &str,
    work: impl FnOnce(&mut Steps) -> Result<(), String>,
) -> Result<(), String> {
    let mut steps = Steps::default();
    let result = work(&mut steps);
    let skipped = steps
        .done
        .iter()
        .any(|step| matches!(step.outcome, Outcome::Skipped(_)));
    let verdict = match (&result, skipped) {
        (Err(_), _) => "FAILED",
        (Ok(()), true) => "passed, but for what was skipped",
        (Ok(()), false) => "all passed",
    };
    shell::say(&format!("{verb}: {verdict}"));
    eprint!("{}", steps.summary());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_every_step_and_what_became_of_it() {
        let mut steps = Steps::default();
        steps.run("fmt", || Ok(())).unwrap();
        steps.skip("deny", "cargo-deny is not installed");
        let error = steps
            .run("tests", || Err::<(), _>("two failed".into()))
            .unwrap_err();
        assert_eq!(error, "two failed");
        let summary = steps.summary();
        let lines: Vec<&str> = summary.lines().map(str::trim).collect();
        assert!(
            lines[0].starts_with("fmt") && lines[0].ends_with(" s"),
            "{summary}"
        );
        assert!(
            lines[1].ends_with("skipped: cargo-deny is not installed"),
            "{summary}"
        );
        assert!(
            lines[2].starts_with("tests") && lines[2].ends_with("FAILED"),
            "{summary}"
        );
        assert!(lines[3].starts_with("total"), "{summary}");
    }
}
