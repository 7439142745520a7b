//! What the steps of upstream's features mean.
//!
//! Each sentence there is, is matched here in full. It must never accept a step that it does not know.
//!
//! Next: `../engine.rs`.

use super::gherkin::Step;
use crate::cell::Cell;
use crate::effects::{COUNTED, Effects};
use crate::scenario::{Expectation, ExpectedError, Phase, Rows, Scenario, Stub};
use crate::value_text;
use anyhow::{Result, anyhow, bail};

/// Which query the steps that follow speak of.
enum Asked {
    Nothing,
    Query,
    Control(String),
}

/// Makes a scenario of its steps.
pub(super) fn scenario(steps: &[Step], graph: &dyn Fn(&str) -> Option<String>) -> Result<Scenario> {
    let mut scenario = Scenario::default();
    let mut asked = Asked::Nothing;
    let mut judged = false;
    for step in steps {
        let sentence = step.sentence.trim_end_matches(':').trim();
        if let Some(expectation) = expectation(sentence, step)? {
            match std::mem::replace(&mut asked, Asked::Nothing) {
                Asked::Nothing => bail!("`{sentence}` belongs to no query"),
                Asked::Query => {
                    scenario.expectation = expectation;
                    judged = true;
                }
                Asked::Control(query) => scenario.control.push((query, expectation)),
            }
            continue;
        }
        match sentence {
            "an empty graph" | "any graph" => {}
            "having executed" => scenario.setup.push(text(step)?),
            "parameters are" => scenario.parameters = parameters(step)?,
            "executing query" => {
                scenario.query = text(step)?;
                asked = Asked::Query;
            }
            "executing control query" => asked = Asked::Control(text(step)?),
            "no side effects" => scenario.effects = Some(Effects::new()),
            "the side effects should be" => scenario.effects = Some(effects(step)?),
            other => {
                if let Some(signature) = other.strip_prefix("there exists a procedure ") {
                    scenario.procedures.push(stub(signature, step)?);
                } else if let Some(name) = named_graph(other) {
                    let script = graph(name).ok_or_else(|| anyhow!("no graph `{name}`"))?;
                    scenario.setup.insert(0, script);
                } else {
                    bail!("the step `{other}` is not known");
                }
            }
        }
    }
    if !judged {
        bail!("nothing is expected of a query");
    }
    Ok(scenario)
}

fn named_graph(sentence: &str) -> Option<&str> {
    let name = sentence.strip_prefix("the ")?.strip_suffix(" graph")?;
    (!name.contains(' ')).then_some(name)
}

fn text(step: &Step) -> Result<String> {
    step.text
        .clone()
        .ok_or_else(|| anyhow!("`{}` without a text", step.sentence))
}

fn cells(rows: &[Vec<String>]) -> Result<Vec<Vec<Cell>>> {
    rows.iter()
        .map(|row| row.iter().map(|cell| value_text::parse(cell)).collect())
        .collect()
}

fn expectation(sentence: &str, step: &Step) -> Result<Option<Expectation>> {
    if let Some(rest) = sentence.strip_prefix("the result should be") {
        if rest.trim() == "empty" {
            return Ok(Some(Expectation::default()));
        }
        let (ordered, ignore_list_order) = match rest.trim_start_matches(',').trim() {
            "in any order" => (false, false),
            "in order" => (true, false),
            "in any order (ignoring element order for lists)"
            | "(ignoring element order for lists)" => (false, true),
            "in order (ignoring element order for lists)" => (true, true),
            other => bail!("results in the order `{other}` are not known"),
        };
        let Some((columns, rows)) = step.table.split_first() else {
            bail!("a result without a table");
        };
        return Ok(Some(Expectation::Rows(Rows {
            columns: Some(columns.clone()),
            rows: cells(rows)?,
            ordered,
            ignore_list_order,
        })));
    }
    let Some((error_type, rest)) = sentence.split_once(" should be raised at ") else {
        return Ok(None);
    };
    let error_type = error_type
        .strip_prefix("an ")
        .or_else(|| error_type.strip_prefix("a "))
        .unwrap_or(error_type);
    let (phase, detail) = rest.split_once(':').unwrap_or((rest, "*"));
    Ok(Some(Expectation::Error(ExpectedError {
        error_type: error_type.trim().to_owned(),
        phase: Phase::from_name(phase.trim()).ok_or_else(|| anyhow!("phase `{phase}`"))?,
        detail: detail.trim().to_owned(),
    })))
}

fn parameters(step: &Step) -> Result<Vec<(String, Cell)>> {
    step.table
        .iter()
        .map(|row| match row.as_slice() {
            [name, value] => Ok((name.clone(), value_text::parse(value)?)),
            other => bail!("{other:?} is no parameter"),
        })
        .collect()
}

fn effects(step: &Step) -> Result<Effects> {
    let mut effects = Effects::new();
    for row in &step.table {
        let [word, count] = row.as_slice() else {
            bail!("{row:?} is no side effect");
        };
        if !COUNTED.contains(&word.trim_start_matches(['+', '-'])) {
            bail!("the side effect `{word}` is not known");
        }
        match count.parse()? {
            0 => {}
            count => {
                effects.insert(word.clone(), count);
            }
        }
    }
    Ok(effects)
}

/// A procedure without rows has a table of one empty line, or none at all.
fn stub(signature: &str, step: &Step) -> Result<Stub> {
    let mut stub = Stub::from_signature(signature)?;
    stub.rows = match step.table.split_first() {
        Some((header, rows)) if !header.is_empty() => cells(rows)?,
        _ => Vec::new(),
    };
    Ok(stub)
}
