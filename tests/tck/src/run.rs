//! One scenario in one session, and the verdict on it.
//!
//! A missing error is a failure, and so is one of another type, phase or detail. It must never stop the
//! run: whatever goes wrong becomes part of the verdict.
//!
//! Next: `pool.rs`.

use crate::compare;
use crate::effects::{self, Effects};
use crate::engine::{Engine, Refusal, Session, Variant};
use crate::scenario::{Expectation, ExpectedError, Phase, Scenario};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a scenario expects, for the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Rows.
    Rows,
    /// An error before anything ran.
    CompileError,
    /// An error while it ran, or at any time.
    RuntimeError,
}

impl Kind {
    /// The kind of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        match &scenario.expectation {
            Expectation::Rows(_) => Self::Rows,
            Expectation::Error(error) if error.phase == Phase::Compile => Self::CompileError,
            Expectation::Error(_) => Self::RuntimeError,
        }
    }
}

/// In which way a scenario failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Fault {
    /// There was no database to try it in.
    NoSession,
    /// A query that only makes the graph failed.
    Setup,
    /// An error instead of rows.
    UnexpectedError,
    /// Other rows or columns.
    WrongRows,
    /// No error.
    MissingError,
    /// An error, but of another type, phase or detail.
    WrongError,
    /// The graph was changed in another way.
    WrongEffects,
    /// A query afterwards did not give what it should.
    Control,
    /// A panic.
    Panic,
    /// No answer within the limit.
    Hung,
    /// The end of the whole process, as by a stack that overflows.
    Died,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSession => "no-session",
            Self::Setup => "setup",
            Self::UnexpectedError => "unexpected-error",
            Self::WrongRows => "wrong-rows",
            Self::MissingError => "missing-error",
            Self::WrongError => "wrong-error",
            Self::WrongEffects => "wrong-effects",
            Self::Control => "control",
            Self::Panic => "panic",
            Self::Hung => "hung",
            Self::Died => "died",
        })
    }
}

/// A failure in words.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// In which way.
    pub fault: Fault,
    /// What was expected.
    pub expected: String,
    /// What came.
    pub came: String,
}

/// What became of a scenario.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the query and its control queries gave what they should.
    pub answered: bool,
    /// Whether the graph was changed as it should be.
    pub effects: bool,
    /// The first thing that went wrong.
    pub failure: Option<Failure>,
}

impl Verdict {
    /// A verdict on a scenario that came to nothing.
    pub fn failed(fault: Fault, expected: impl Into<String>, came: impl Into<String>) -> Self {
        let mut verdict = Self::default();
        verdict.fails(fault, expected, came);
        verdict
    }

    /// Whether all went well.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }

    /// Makes this the verdict on both: nothing passes that does not pass in each.
    pub fn and(&mut self, other: &Self) {
        self.answered &= other.answered;
        self.effects &= other.effects;
        if self.failure.is_none() {
            self.failure.clone_from(&other.failure);
        }
    }

    fn fails(&mut self, fault: Fault, expected: impl Into<String>, came: impl Into<String>) {
        self.failure.get_or_insert_with(|| Failure {
            fault,
            expected: expected.into(),
            came: came.into(),
        });
    }
}

/// Tries a scenario in a database of its own.
pub fn run(scenario: &Scenario, engine: &dyn Engine, variant: Variant) -> Verdict {
    let mut session = match engine.session(variant, &scenario.procedures) {
        Ok(session) => session,
        Err(error) => {
            return Verdict::failed(Fault::NoSession, "a database", format!("{error:#}"));
        }
    };
    match judged(scenario, session.as_mut()) {
        Ok(verdict) => verdict,
        Err(error) => Verdict::failed(Fault::NoSession, "a readable graph", format!("{error:#}")),
    }
}

fn judged(scenario: &Scenario, session: &mut dyn Session) -> anyhow::Result<Verdict> {
    for query in &scenario.setup {
        if let Err(refusal) = session.run(statement(query), &[]) {
            let came = format!("{} in `{query}`", shown(&refusal));
            return Ok(Verdict::failed(Fault::Setup, "a graph", came));
        }
    }
    let mut verdict = Verdict::default();
    let before = session.state()?;
    let outcome = session.run(&scenario.query, &scenario.parameters);
    let after = session.state()?;
    match judge(&scenario.expectation, outcome) {
        Ok(()) => verdict.answered = true,
        Err(failure) => verdict.failure = Some(failure),
    }
    // Where nothing is stated, which is so for errors only, nothing may have changed.
    let none = Effects::new();
    let expected = scenario.effects.as_ref().unwrap_or(&none);
    let came = before.effects(&after);
    let ran = verdict
        .failure
        .as_ref()
        .is_none_or(|failure| failure.fault == Fault::WrongRows);
    verdict.effects = ran && *expected == came;
    if *expected != came {
        let (expected, came) = (effects::text(expected), effects::text(&came));
        verdict.fails(Fault::WrongEffects, expected, came);
    }
    for (query, expectation) in &scenario.control {
        if let Err(failure) = judge(expectation, session.run(query, &[])) {
            verdict.answered = false;
            verdict.fails(Fault::Control, failure.expected, failure.came);
        }
    }
    Ok(verdict)
}

/// A script of upstream ends in a semicolon, which is no part of a statement.
fn statement(text: &str) -> &str {
    text.trim_end().trim_end_matches(';')
}

/// Compares what a query gave with what it should.
///
/// # Errors
/// The difference.
pub fn judge(
    expectation: &Expectation,
    outcome: Result<compare::Answer, Refusal>,
) -> Result<(), Failure> {
    let failure = |fault, expected: String, came: String| {
        Err(Failure {
            fault,
            expected,
            came,
        })
    };
    match (expectation, outcome) {
        (Expectation::Rows(rows), Ok(answer)) => match compare::difference(rows, &answer) {
            None => Ok(()),
            Some(difference) => {
                let expected = format!("{} rows", rows.rows.len());
                failure(Fault::WrongRows, expected, difference)
            }
        },
        (Expectation::Rows(rows), Err(refusal)) => {
            let expected = format!("{} rows", rows.rows.len());
            failure(Fault::UnexpectedError, expected, shown(&refusal))
        }
        (Expectation::Error(error), Ok(answer)) => {
            let came = format!("{} rows", answer.rows.len());
            failure(Fault::MissingError, words(error), came)
        }
        (Expectation::Error(error), Err(refusal)) => {
            let same = error.error_type == refusal.error_type
                && (error.phase == Phase::Any || error.phase.name() == refusal.phase)
                && (error.detail == "*" || error.detail == refusal.detail);
            if same {
                Ok(())
            } else {
                failure(Fault::WrongError, words(error), shown(&refusal))
            }
        }
    }
}

fn words(error: &ExpectedError) -> String {
    let phase = error.phase.name();
    format!("{} at {phase}: {}", error.error_type, error.detail)
}

fn shown(refusal: &Refusal) -> String {
    format!("{} ({})", refusal.words(), refusal.message)
}

#[cfg(test)]
mod tests;
