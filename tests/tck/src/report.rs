//! The sums: what passed of what, which groups of failures are the largest, and the list of failures.
//!
//! The last line is read by machines and must never change its form. Nothing is judged here.
//!
//! Next: `bin/tck.rs`.

use crate::engine::Variant;
use crate::run::{Failure, Fault, Kind, Verdict};
use crate::scenario::Scenario;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// How many went well.
    pub passed: usize,
    /// How many there were.
    pub all: usize,
}

impl Rate {
    fn count(&mut self, passed: bool) {
        self.all += 1;
        self.passed += usize::from(passed);
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.passed, self.all)
    }
}

/// The sums of one or more runs.
#[derive(Debug, Default)]
pub struct Report {
    rows: Rate,
    compile_errors: Rate,
    runtime_errors: Rate,
    effects: Rate,
    /// Whole scenarios.
    pub total: Rate,
    folders: BTreeMap<String, Rate>,
    /// By what failed and, for errors, with which words.
    groups: BTreeMap<String, (usize, String)>,
    failures: String,
}

impl Report {
    /// Adds the verdict on one scenario.
    pub fn add(&mut self, scenario: &Scenario, variant: Variant, verdict: &Verdict) {
        let rate = match Kind::of(scenario) {
            Kind::Rows => &mut self.rows,
            Kind::CompileError => &mut self.compile_errors,
            Kind::RuntimeError => &mut self.runtime_errors,
        };
        rate.count(verdict.answered);
        if scenario.effects.is_some() {
            self.effects.count(verdict.effects);
        }
        self.total.count(verdict.passed());
        let folder = self.folders.entry(scenario.folder.clone()).or_default();
        folder.count(verdict.passed());
        if let Some(failure) = &verdict.failure {
            self.fails(scenario, variant, failure);
        }
    }

    fn fails(&mut self, scenario: &Scenario, variant: Variant, failure: &Failure) {
        let first = || (0, scenario.id.clone());
        self.groups.entry(group(failure)).or_insert_with(first).0 += 1;
        let _ = writeln!(
            self.failures,
            "{}\t{}\t{}\texpected {}\tgot {}",
            scenario.id,
            variant.name(),
            failure.fault,
            one_line(&failure.expected),
            one_line(&failure.came)
        );
    }

    /// One line per failure: id, variant, fault, what was expected, what came.
    pub fn failures(&self) -> &str {
        &self.failures
    }

    /// The largest groups of failures first, and the folders that are not whole.
    pub fn groups(&self, at_most: usize) -> String {
        let mut text = String::new();
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        if !groups.is_empty() {
            text += "failures, the largest groups first (with one of each):\n";
        }
        for (group, (count, example)) in groups.iter().take(at_most) {
            let _ = writeln!(text, "{count:>6}  {group}  [{example}]");
        }
        if groups.len() > at_most {
            let _ = writeln!(text, "        and {} more groups", groups.len() - at_most);
        }
        let mut folders: Vec<_> = self
            .folders
            .iter()
            .filter(|(_, rate)| rate.passed < rate.all)
            .collect();
        folders.sort_by_key(|(_, rate)| std::cmp::Reverse(rate.all - rate.passed));
        if !folders.is_empty() {
            text += "folders, the most failures first:\n";
        }
        for (folder, rate) in folders {
            let _ = writeln!(text, "{:>6}  {folder}  {rate}", rate.all - rate.passed);
        }
        text
    }

    /// The sums in the form that machines read.
    pub fn last_line(&self) -> String {
        format!(
            "tck rows={} compile_errors={} runtime_errors={} side_effects={} total={}",
            self.rows, self.compile_errors, self.runtime_errors, self.effects, self.total
        )
    }
}

/// What failures have in common: the fault, and the words of an error or the beginning of a message.
fn group(failure: &Failure) -> String {
    let words = |text: &str| {
        let text = one_line(text);
        let first = text.split(['`', '\'', '"']).next().unwrap_or_default();
        first.chars().take(90).collect::<String>()
    };
    match failure.fault {
        Fault::MissingError | Fault::WrongEffects | Fault::Hung => {
            format!("{}: expected {}", failure.fault, words(&failure.expected))
        }
        Fault::WrongError => format!(
            "{}: expected {}, got {}",
            failure.fault,
            words(&failure.expected),
            words(&failure.came)
        ),
        Fault::WrongRows => format!("{}", failure.fault),
        _ => format!("{}: {}", failure.fault, words(&failure.came)),
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::Effects;
    use crate::scenario::{Expectation, ExpectedError, Phase};

    fn scenario(phase: Option<Phase>, effects: Option<Effects>) -> Scenario {
        let error = |phase| {
            Expectation::Error(ExpectedError {
                error_type: "TypeError".into(),
                phase,
                detail: "*".into(),
            })
        };
        Scenario {
            id: "a/B#1".into(),
            folder: "a".into(),
            expectation: phase.map_or_else(Expectation::default, error),
            effects,
            ..Scenario::default()
        }
    }

    #[test]
    fn each_kind_is_counted_apart() {
        let mut report = Report::default();
        let fine = Verdict {
            answered: true,
            effects: true,
            failure: None,
        };
        let mut changed = fine.clone();
        changed.effects = false;
        changed.failure = Verdict::failed(Fault::WrongEffects, "none", "+nodes 1").failure;
        let wrong = Verdict::failed(Fault::MissingError, "TypeError\nat runtime: *", "1 rows");
        let stated = || Some(Effects::new());
        let cases = [
            (scenario(None, stated()), &fine),
            (scenario(None, stated()), &changed),
            (scenario(Some(Phase::Compile), None), &fine),
            (scenario(Some(Phase::Any), None), &wrong),
            (scenario(Some(Phase::Runtime), None), &fine),
        ];
        for (scenario, verdict) in &cases {
            report.add(scenario, Variant::Default, verdict);
        }
        assert_eq!(
            report.last_line(),
            "tck rows=2/2 compile_errors=1/1 runtime_errors=1/2 side_effects=1/2 total=3/5"
        );
        assert_eq!(report.failures().lines().count(), 2);
        assert!(
            report
                .failures()
                .contains("missing-error\texpected TypeError at runtime: *")
        );
        let groups = report.groups(1);
        assert!(
            groups.contains("and 1 more groups") && groups.contains("3/5"),
            "{groups}"
        );
    }
}
