//! The reader of examples in Markdown.
//!
//! A block fenced as `stratql` is run, and must give the table or the `error` block that follows it, or if
//! neither follows, no error. `stratql setup` only has to work; before the first section it holds for all of
//! them. A `parameters` block is for the next query. Each section begins with an empty database. It must
//! never run what is not fenced as `stratql`.
//!
//! Next: `table.rs`.

use super::{Case, Form, Outcome, Query, Statement, Step, table};
use crate::cell::Cell;
use crate::scenario::Rows;
use crate::value_text;
use anyhow::{Context, Result, bail};

/// Reads the examples of a document, one case per section that has any.
///
/// # Errors
/// If an example makes no sense, with its line.
pub fn read(text: &str) -> Result<Vec<Case>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut cases: Vec<Case> = Vec::new();
    let mut case = Case::default();
    let mut before = Vec::new();
    let mut parameters = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some(name) = heading(line) {
            let next = Case {
                name: name.to_owned(),
                line: at + 1,
                before: before.clone(),
                steps: Vec::new(),
            };
            cases.push(std::mem::replace(&mut case, next));
        }
        let Some(language) = line.strip_prefix("```") else {
            at += 1;
            continue;
        };
        let body = at + 1;
        let length = lines[body..]
            .iter()
            .position(|line| line.starts_with("```"));
        let end = body + length.with_context(|| format!("line {}: no closing fence", at + 1))?;
        let statement = || Statement {
            text: lines[body..end].join("\n"),
            line: body + 1,
        };
        at = end + 1;
        match language.trim() {
            "parameters" => {
                parameters = lines[body..end]
                    .iter()
                    .map(|line| parameter(line))
                    .collect::<Result<_>>()
                    .with_context(|| format!("line {}", body + 1))?;
            }
            "stratql setup" => {
                let parts = statement();
                if case.name.is_empty() {
                    before.extend(split(&parts));
                } else {
                    case.steps
                        .extend(split(&parts).into_iter().map(Step::Setup));
                }
            }
            "stratql" => {
                let place = format!("line {}", body + 1);
                let query = query(&lines, &statement(), end + 1).context(place)?;
                at = at.max(query.stated.end);
                case.steps.push(Step::Query(Query {
                    parameters: std::mem::take(&mut parameters),
                    ..query
                }));
            }
            _ => {}
        }
    }
    cases.push(case);
    cases.retain(|case| !case.steps.is_empty());
    Ok(cases)
}

/// Titles of the second level open a section; those below it belong to it.
fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("## ").map(str::trim)
}

fn parameter(line: &str) -> Result<(String, Cell)> {
    let (name, value) = line.split_once('=').context("no `=`")?;
    let name = name.trim().trim_start_matches('$').to_owned();
    Ok((name, value_text::parse(value.trim())?))
}

/// Several statements in one block end in semicolons at the end of a line.
fn split(block: &Statement) -> Vec<Statement> {
    let mut line = block.line;
    let mut statements = Vec::new();
    for part in block.text.split(";\n") {
        let text = part.trim_end().trim_end_matches(';');
        if !text.trim().is_empty() {
            statements.push(Statement {
                text: text.to_owned(),
                line,
            });
        }
        line += part.lines().count().max(1);
    }
    statements
}

/// A query with what follows it from line `after` on.
fn query(lines: &[&str], statement: &Statement, after: usize) -> Result<Query> {
    let rest = lines.get(after..).unwrap_or(&[]);
    let empty = rest
        .iter()
        .take_while(|line| line.trim().is_empty())
        .count();
    let start = after + empty;
    let first = lines.get(start).copied().unwrap_or("");
    let (outcome, end) = if first.starts_with('|') {
        let length = lines[start..]
            .iter()
            .take_while(|line| line.starts_with('|'))
            .count();
        let end = start + length;
        let found = table::read(lines[start..end].iter().copied());
        let (columns, rows) = found.context("no whole table")?;
        let rows = Rows {
            columns: Some(columns),
            rows,
            // A document that sorts shows the order.
            ordered: statement.text.to_uppercase().contains("ORDER BY"),
            ignore_list_order: false,
        };
        (Some(Outcome::Rows(rows)), end)
    } else if first.trim_end() == "```error" {
        let length = lines[start + 1..]
            .iter()
            .position(|line| line.starts_with("```"));
        let Some(length) = length else {
            bail!("the error has no closing fence");
        };
        let body = &lines[start + 1..start + 1 + length];
        (Some(Outcome::Error(body.join("\n"))), start + length + 2)
    } else {
        return Ok(Query {
            statement: trimmed(statement),
            parameters: Vec::new(),
            outcome: Some(Outcome::Anything),
            effects: None,
            counters: None,
            stated: after..after,
            form: Form::Document,
        });
    };
    Ok(Query {
        statement: trimmed(statement),
        parameters: Vec::new(),
        outcome,
        effects: None,
        counters: None,
        stated: start..end,
        form: Form::Document,
    })
}

/// A query in a document may end in a semicolon.
fn trimmed(statement: &Statement) -> Statement {
    Statement {
        text: statement.text.trim_end().trim_end_matches(';').to_owned(),
        line: statement.line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
# Title

```stratql setup
CREATE (:A);
CREATE (:B)
```

## Reading

```text
not run
```

```parameters
p = 1
```

```stratql
MATCH (n) RETURN $p AS p ORDER BY p;
```

| p |
|---|
| 1 |

### Below

```stratql
RETURN x
```
```error
SyntaxError at compile time: UndefinedVariable
```

## Nothing to run

## Writing

```stratql
CREATE (:C)
```

Words.
";

    #[test]
    fn sections_become_cases() {
        let cases = read(DOCUMENT).unwrap();
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["Reading", "Writing"]);
        assert_eq!(cases[1].before.len(), 2);
        assert_eq!(cases[1].before[1].line, 5);
        let [Step::Query(first), Step::Query(second)] = cases[0].steps.as_slice() else {
            panic!()
        };
        assert_eq!(first.statement.text, "MATCH (n) RETURN $p AS p ORDER BY p");
        assert_eq!((first.parameters.len(), first.stated.clone()), (1, 21..24));
        assert!(matches!(&first.outcome, Some(Outcome::Rows(rows)) if rows.ordered));
        assert!(matches!(&second.outcome, Some(Outcome::Error(_))));
        assert_eq!(second.stated, 30..33);
        let [Step::Query(last)] = cases[1].steps.as_slice() else {
            panic!()
        };
        assert!(matches!(last.outcome, Some(Outcome::Anything)));
    }

    #[test]
    fn open_fences_are_refused() {
        assert!(read("## A\n```stratql\nRETURN 1").is_err());
        assert!(read("## A\n```stratql\nRETURN 1\n```\n```error\nx").is_err());
    }
}
