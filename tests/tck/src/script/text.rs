//! The reader of `.test` files.
//!
//! A line that begins with `# ` opens a case, a word at the margin opens a section, and what is indented
//! below it is its body. It must never skip a line that it does not understand.
//!
//! Next: `document.rs`.

use super::{Case, Form, Outcome, Query, Statement, Step, table};
use crate::effects::{COUNTED, Effects};
use crate::scenario::Rows;
use crate::value_text;
use anyhow::{Context, Result, bail};
use std::ops::Range;

struct Section<'a> {
    title: &'a str,
    /// The lines of the body without their common indent.
    body: Vec<&'a str>,
    /// The line of the title, from 0.
    at: usize,
    /// The title and the body, without empty lines at the end.
    lines: Range<usize>,
}

/// Reads all cases of a file.
///
/// # Errors
/// If a line makes no sense, with its number.
pub fn read(text: &str) -> Result<Vec<Case>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut cases = Vec::new();
    let mut before: Vec<Statement> = Vec::new();
    let mut parameters = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if line.trim().is_empty() || line.starts_with("//") {
            at += 1;
            continue;
        }
        if let Some(name) = line.strip_prefix("# ") {
            if !parameters.is_empty() {
                bail!("line {}: parameters without a query before it", at + 1);
            }
            cases.push(Case {
                name: name.trim().to_owned(),
                line: at + 1,
                before: before.clone(),
                steps: Vec::new(),
            });
            at += 1;
            continue;
        }
        let section = section(&lines, at)?;
        at = section.lines.end;
        let place = || format!("line {}: `{}`", section.at + 1, section.title);
        match cases.last_mut() {
            Some(case) => add(case, &mut parameters, &section).with_context(place)?,
            None if section.title == "setup" => before.extend(statements(&section)),
            None => bail!("{} before the first case", place()),
        }
    }
    Ok(cases)
}

fn section<'a>(lines: &[&'a str], at: usize) -> Result<Section<'a>> {
    let title = lines[at];
    if title.starts_with([' ', '\t']) {
        bail!("line {}: indented below nothing", at + 1);
    }
    let inside = |line: &str| line.starts_with([' ', '\t']) || line.trim().is_empty();
    let rest = &lines[at + 1..];
    let mut length = rest.iter().take_while(|line| inside(line)).count();
    while length > 0 && rest[length - 1].trim().is_empty() {
        length -= 1;
    }
    let body = &rest[..length];
    let indent = |line: &&&str| line.len() - line.trim_start().len();
    let common = body
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| indent(&line))
        .min()
        .unwrap_or(0);
    Ok(Section {
        title: title.trim_end(),
        body: body
            .iter()
            .map(|line| line.get(common..).unwrap_or("").trim_end())
            .collect(),
        at,
        lines: at..at + 1 + length,
    })
}

fn add(
    case: &mut Case,
    parameters: &mut Vec<(String, crate::cell::Cell)>,
    section: &Section<'_>,
) -> Result<()> {
    match section.title {
        "setup" => case
            .steps
            .extend(statements(section).into_iter().map(Step::Setup)),
        "parameters" => {
            for line in &section.body {
                let (name, value) = line.split_once('=').context("no `=`")?;
                let value = value_text::parse(value.trim())?;
                parameters.push((name.trim().trim_start_matches('$').to_owned(), value));
            }
        }
        "query" => case.steps.push(Step::Query(Query {
            statement: Statement {
                text: section.body.join("\n"),
                line: section.at + 2,
            },
            parameters: std::mem::take(parameters),
            outcome: None,
            effects: Some(Effects::new()),
            counters: None,
            stated: section.lines.end..section.lines.end,
            form: Form::Sections,
        })),
        _ => {
            let Some(Step::Query(query)) = case.steps.last_mut() else {
                bail!("this belongs to no query");
            };
            if section.title == "effects" {
                query.effects = Some(effects(&section.body)?);
            } else if section.title == "counters" {
                query.counters = Some(section.body.join(" "));
            } else if query.outcome.is_some() {
                bail!("this query has an outcome already");
            } else {
                query.outcome = Some(outcome(section)?);
            }
            if query.stated.is_empty() {
                query.stated = section.lines.clone();
            } else {
                query.stated.end = section.lines.end;
            }
        }
    }
    Ok(())
}

/// Statements end where a line ends in a semicolon.
fn statements(section: &Section<'_>) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut open = false;
    for (index, line) in section.body.iter().enumerate() {
        if !open && line.trim().is_empty() {
            continue;
        }
        let (part, ends) = match line.strip_suffix(';') {
            Some(part) => (part, true),
            None => (*line, false),
        };
        match found.last_mut() {
            Some(statement) if open => {
                statement.text.push('\n');
                statement.text.push_str(part);
            }
            _ => found.push(Statement {
                text: part.to_owned(),
                line: section.at + 2 + index,
            }),
        }
        open = !ends;
    }
    found
}

fn outcome(section: &Section<'_>) -> Result<Outcome> {
    let ordered = match section.title {
        "error" => return Ok(Outcome::Error(section.body.join("\n"))),
        "no rows" => return Ok(Outcome::Rows(Rows::default())),
        "works" => return Ok(Outcome::Anything),
        "rows" => false,
        "rows in order" => true,
        _ => bail!("there is no such section"),
    };
    let (columns, rows) = table::read(section.body.iter().copied()).context("no whole table")?;
    Ok(Outcome::Rows(Rows {
        columns: Some(columns),
        rows,
        ordered,
        ignore_list_order: false,
    }))
}

fn effects(body: &[&str]) -> Result<Effects> {
    let mut effects = Effects::new();
    for line in body {
        let (word, count) = line.split_once(' ').context("no count")?;
        let known = word
            .strip_prefix(['+', '-'])
            .is_some_and(|word| COUNTED.contains(&word));
        if !known {
            bail!("`{word}` is not counted");
        }
        effects.insert(word.to_owned(), count.trim().parse()?);
    }
    Ok(effects)
}

#[cfg(test)]
mod tests;
