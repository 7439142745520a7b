//! The reader of the extract: `open.jsonl.zst` and `graphs.json` in one folder.
//!
//! Its format is described in the README beside the data. It must never guess: a record that it cannot
//! read wholly is an error of the whole run.
//!
//! Next: `feature/mod.rs`.

use crate::effects::Effects;
use crate::scenario::{Expectation, ExpectedError, Phase, Rows, Scenario, Stub};
use crate::value_text;
use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The file whose presence says that there is data.
pub const SCENARIOS: &str = "open.jsonl.zst";

#[derive(Deserialize)]
struct Record {
    id: String,
    folder: String,
    scenario: String,
    line: usize,
    graph: String,
    procedures: Vec<Procedure>,
    setup: Vec<String>,
    params: BTreeMap<String, String>,
    query: String,
    expect: Expected,
    side_effects: Option<Effects>,
    control: Vec<Control>,
}

#[derive(Deserialize)]
struct Procedure {
    signature: String,
    rows: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Control {
    query: String,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Expected {
    Rows {
        columns: Option<Vec<String>>,
        rows: Vec<Vec<String>>,
        ordered: bool,
        ignore_list_order: bool,
    },
    Error {
        #[serde(rename = "type")]
        error_type: String,
        phase: String,
        detail: String,
    },
}

#[derive(Deserialize)]
struct Graph {
    script: String,
}

/// Reads all scenarios of a folder.
///
/// # Errors
/// If a file is missing or is not what it should be.
pub fn read(folder: &Path) -> Result<Vec<Scenario>> {
    let graphs = folder.join("graphs.json");
    let graphs = fs::read_to_string(&graphs).with_context(|| format!("{}", graphs.display()))?;
    let path = folder.join(SCENARIOS);
    let file = File::open(&path).with_context(|| format!("{}", path.display()))?;
    let lines = ruzstd::decoding::StreamingDecoder::new(BufReader::new(file))
        .map_err(|error| anyhow!("{}: {error}", path.display()))?;
    from_lines(BufReader::new(lines), &graphs)
}

fn from_lines(lines: impl BufRead, graphs: &str) -> Result<Vec<Scenario>> {
    let graphs: BTreeMap<String, Graph> = serde_json::from_str(graphs).context("graphs.json")?;
    lines
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let record: Record =
                serde_json::from_str(&line?).with_context(|| format!("line {}", index + 1))?;
            let id = record.id.clone();
            scenario(record, &graphs).context(id)
        })
        .collect()
}

fn scenario(record: Record, graphs: &BTreeMap<String, Graph>) -> Result<Scenario> {
    let mut setup = Vec::new();
    if !matches!(record.graph.as_str(), "empty" | "any") {
        let graph = graphs
            .get(&record.graph)
            .ok_or_else(|| anyhow!("there is no graph `{}`", record.graph))?;
        setup.push(graph.script.clone());
    }
    setup.extend(record.setup);
    let control = record
        .control
        .into_iter()
        .map(|control| Ok((control.query, expectation(control.expect)?)));
    Ok(Scenario {
        id: record.id,
        folder: record.folder,
        name: record.scenario,
        line: record.line,
        procedures: record.procedures.iter().map(stub).collect::<Result<_>>()?,
        setup,
        parameters: record
            .params
            .into_iter()
            .map(|(name, text)| Ok((name, value_text::parse(&text)?)))
            .collect::<Result<_>>()?,
        query: record.query,
        expectation: expectation(record.expect)?,
        effects: record.side_effects,
        control: control.collect::<Result<_>>()?,
    })
}

fn stub(procedure: &Procedure) -> Result<Stub> {
    let mut stub = Stub::from_signature(&procedure.signature)?;
    stub.rows = cells(&procedure.rows)?;
    Ok(stub)
}

fn expectation(expected: Expected) -> Result<Expectation> {
    Ok(match expected {
        Expected::Rows {
            columns,
            rows,
            ordered,
            ignore_list_order,
        } => Expectation::Rows(Rows {
            columns,
            rows: cells(&rows)?,
            ordered,
            ignore_list_order,
        }),
        Expected::Error {
            error_type,
            phase,
            detail,
        } => Expectation::Error(ExpectedError {
            error_type,
            phase: Phase::from_name(&phase).ok_or_else(|| anyhow!("phase `{phase}`"))?,
            detail,
        }),
    })
}

fn cells(rows: &[Vec<String>]) -> Result<Vec<Vec<crate::cell::Cell>>> {
    rows.iter()
        .map(|row| row.iter().map(|cell| value_text::parse(cell)).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAPHS: &str = r#"{"small": {"script": "CREATE ()", "stats": {"nodes": []}}}"#;

    fn line(graph: &str, expect: &str, effects: &str) -> String {
        format!(
            r#"{{"id": "a/B#1", "folder": "a", "file": "B", "scenario": "[1] One", "line": 7,
               "graph": "{graph}", "setup": ["CREATE (:A)"], "params": {{"p": "[1]"}},
               "procedures": [{{"signature": "p(a :: INTEGER?) :: ()", "columns": ["a"],
               "rows": [["1"]]}}], "query": "RETURN 1", "expect": {expect},
               "side_effects": {effects}, "control": []}}"#
        )
        .replace('\n', " ")
    }

    #[test]
    fn a_record_becomes_a_scenario() {
        let rows = r#"{"kind": "rows", "columns": ["x"], "rows": [["'a'"]], "ordered": true,
                       "ignore_list_order": false}"#;
        let scenarios = from_lines(line("small", rows, r#"{"+nodes": 2}"#).as_bytes(), GRAPHS);
        let scenario = &scenarios.unwrap()[0];
        assert_eq!(scenario.setup, ["CREATE ()", "CREATE (:A)"]);
        assert_eq!(scenario.parameters[0].1.to_string(), "[1]");
        assert_eq!(scenario.procedures[0].rows[0][0].to_string(), "1");
        assert_eq!(scenario.effects.as_ref().unwrap()["+nodes"], 2);
        let Expectation::Rows(rows) = &scenario.expectation else {
            panic!()
        };
        assert!(rows.ordered && !rows.ignore_list_order);
        assert_eq!(rows.rows[0][0].to_string(), "'a'");
    }

    #[test]
    fn expected_errors_keep_their_three_words() {
        let error = r#"{"kind": "error", "type": "SyntaxError", "phase": "any", "detail": "*"}"#;
        let scenarios = from_lines(line("any", error, "null").as_bytes(), GRAPHS).unwrap();
        let Expectation::Error(error) = &scenarios[0].expectation else {
            panic!()
        };
        assert_eq!((error.phase, error.detail.as_str()), (Phase::Any, "*"));
        assert!(scenarios[0].effects.is_none());
    }

    #[test]
    fn what_cannot_be_read_wholly_is_an_error() {
        let rows = r#"{"kind": "rows", "columns": null, "rows": [["?"]], "ordered": false,
                       "ignore_list_order": false}"#;
        let phase = r#"{"kind": "error", "type": "S", "phase": "later", "detail": "*"}"#;
        let fine = r#"{"kind": "error", "type": "S", "phase": "any", "detail": "*"}"#;
        let wrong = [
            line("any", rows, "{}"),
            line("any", phase, "{}"),
            line("large", fine, "{}"),
        ];
        for line in wrong {
            assert!(from_lines(line.as_bytes(), GRAPHS).is_err(), "{line}");
        }
    }
}
