//! One case in one database.
//!
//! What came is kept beside what was wrong, so that it can be accepted. It must never go on after a step
//! that only had to work and did not.
//!
//! Next: `rewrite.rs`.

use super::{Case, Form, Outcome, Query, Statement, Step};
use crate::compare::{self, Answer};
use crate::effects::{self, Effects};
use crate::engine::{Engine, Refusal, Session, Variant};
use anyhow::Result;
use std::ops::Range;

/// Something that went otherwise than it was stated.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The line of the statement.
    pub line: usize,
    /// In words.
    pub words: String,
    /// What would have to be stated; `None` where nothing can be.
    pub came: Option<Box<Came>>,
}

/// What came of a query.
#[derive(Clone, Debug)]
pub struct Came {
    /// Where the present statement is.
    pub stated: Range<usize>,
    /// How it is written.
    pub form: Form,
    /// Whether the order of rows counts.
    pub ordered: bool,
    /// Rows or an error.
    pub result: Result<Answer, Refusal>,
    /// What it did to the graph; `None` if that does not count.
    pub effects: Option<Effects>,
    /// What the engine said that it changed, if that was stated.
    pub counters: Option<String>,
}

/// Runs a case to its end, or to where it cannot go on.
pub fn attempt(case: &Case, engine: &dyn Engine, variant: Variant) -> Vec<Difference> {
    let mut session = match engine.session(variant, &[]) {
        Ok(session) => session,
        Err(error) => return vec![difference(case.line, format!("no database: {error:#}"))],
    };
    let session = session.as_mut();
    for statement in &case.before {
        if let Err(difference) = work(session, statement) {
            return vec![difference];
        }
    }
    let mut differences = Vec::new();
    for step in &case.steps {
        match step {
            Step::Setup(statement) => {
                if let Err(difference) = work(session, statement) {
                    differences.push(difference);
                    return differences;
                }
            }
            Step::Query(query) => match judged(session, query, variant) {
                Ok(found) => differences.extend(found),
                Err(error) => {
                    let words = format!("the graph cannot be read: {error:#}");
                    differences.push(difference(query.statement.line, words));
                    return differences;
                }
            },
        }
    }
    differences
}

fn difference(line: usize, words: String) -> Difference {
    Difference {
        line,
        words,
        came: None,
    }
}

fn work(session: &mut dyn Session, statement: &Statement) -> Result<(), Difference> {
    match session.run(&statement.text, &[]) {
        Ok(_) => Ok(()),
        Err(refusal) => {
            let words = format!("this only has to work, but:\n{}", text(&refusal));
            Err(difference(statement.line, words))
        }
    }
}

fn judged(
    session: &mut dyn Session,
    query: &Query,
    variant: Variant,
) -> Result<Option<Difference>> {
    let before = session.state()?;
    let result = session.run(&query.statement.text, &query.parameters);
    let did = before.effects(&session.state()?);
    if variant == Variant::NoRules && result.is_ok() && is_explained(&query.statement.text) {
        // Without the rules it is another plan, and only has to come.
        return Ok(None);
    }
    let mut wrong = Vec::new();
    match (&query.outcome, &result) {
        (None, _) => wrong.push("no outcome is stated (`--accept` writes what came)".to_owned()),
        (Some(Outcome::Anything), Ok(_)) => {}
        (Some(Outcome::Rows(rows)), Ok(answer)) => wrong.extend(compare::difference(rows, answer)),
        (Some(Outcome::Rows(_) | Outcome::Anything), Err(refusal)) => {
            wrong.push(format!("expected no error, got:\n{}", text(refusal)));
        }
        (Some(Outcome::Error(words)), Ok(answer)) => {
            wrong.push(format!("expected {words}, got {} rows", answer.rows.len()));
        }
        (Some(Outcome::Error(words)), Err(refusal)) => {
            let came = text(refusal);
            let same = if words.contains('\n') {
                words.trim_end() == came.trim_end()
            } else {
                words.trim() == refusal.words()
            };
            if !same {
                wrong.push(format!("expected:\n{words}\ngot:\n{came}"));
            }
        }
    }
    if let Some(stated) = &query.effects
        && *stated != did
    {
        let (stated, did) = (effects::text(stated), effects::text(&did));
        wrong.push(format!("expected the effects: {stated}; got: {did}"));
    }
    let said = result.as_ref().map_or("", |answer| &answer.counters);
    if let Some(stated) = &query.counters
        && stated != said
    {
        wrong.push(format!("expected the counters: {stated}; got: {said}"));
    }
    if wrong.is_empty() {
        return Ok(None);
    }
    Ok(Some(Difference {
        line: query.statement.line,
        words: wrong.join("\n"),
        came: Some(Box::new(Came {
            stated: query.stated.clone(),
            form: query.form,
            ordered: matches!(&query.outcome, Some(Outcome::Rows(rows)) if rows.ordered),
            counters: query.counters.is_some().then(|| said.to_owned()),
            result,
            effects: query.effects.is_some().then_some(did),
        })),
    }))
}

/// Whether a plan is asked for.
fn is_explained(statement: &str) -> bool {
    let first = statement.split_whitespace().next();
    first.is_some_and(|word| word.eq_ignore_ascii_case("EXPLAIN"))
}

/// An error as a script states it: its words, then all that people are shown.
pub fn text(refusal: &Refusal) -> String {
    let lines = refusal.shown.lines().map(str::trim_end);
    let shown: Vec<&str> = lines.collect();
    format!("{}\n{}", refusal.words(), shown.join("\n"))
}
