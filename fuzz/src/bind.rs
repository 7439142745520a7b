//! Binds and plans arbitrary text over a small graph. Every mistake has its place and its words, and what is
//! printed has the same plan as what was written, or the same mistake.
//!
//! Input: text as `fuzz/src/lib.rs` makes it. Next: `engine/src/query/compile.rs`.

use crate::{busy, graph, mistake, text};
use std::sync::OnceLock;
use std::time::Duration;
use stratigraph::{Database, Error, QueryOptions};
use stratigraph_query_lang::ast::Mode;
use stratigraph_query_lang::{ParseErrorKind, parse};

/// One input.
pub fn input(data: &[u8]) {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    let database = DATABASE.get_or_init(graph::database);
    let text = text(data);
    let start = busy();
    let planned = database.prepare(&text);
    let took = busy() - start;
    assert!(took < Duration::from_secs(1), "this took {took:?}");
    let unchanged = database.prepare_with(&text, &QueryOptions::new().optimise(false));
    match (&planned, &unchanged) {
        (Ok(_), Ok(_)) => {}
        (Err(one), Err(other)) => assert_eq!(mistake::of(one, &text), mistake::of(other, &text)),
        _ => panic!("the rules decide whether it is right:\n{text}\n{planned:?}\n{unchanged:?}"),
    }
    let Ok(mut statement) = parse(&text) else {
        assert!(planned.is_err());
        return;
    };
    let asked = format!("EXPLAIN {text}");
    statement.mode = Mode::Explain;
    let printed = statement.to_string();
    // What says `PROFILE` or `CYPHER` cannot be asked so, and parentheses that the text did without may take it
    // over the limit.
    if parse(&asked).is_err()
        || parse(&printed).is_err_and(|mistake| mistake.kind == ParseErrorKind::NestingTooDeep)
    {
        return;
    }
    let (written, again) = (plan(database, &asked), plan(database, &printed));
    assert_eq!(written, again, "{text}\n{printed}");
}

/// The operators of a plan, or what is wrong.
fn plan(database: &Database, text: &str) -> Result<Vec<String>, String> {
    let rows = database.query(text, graph::parameters());
    let rows = rows.map_err(|error| mistake::of(&error, text))?;
    let lines = rows.map(|row| row?.get::<String>("plan"));
    let lines: Result<Vec<String>, Error> = lines.collect();
    Ok(lines
        .expect("a plan is text")
        .iter()
        .map(|line| operator(line))
        .collect())
}

/// An operator without its expressions, which are shown as they were written.
fn operator(line: &str) -> String {
    let inner = line.trim_start();
    let word = inner.split(' ').next().unwrap_or_default();
    let patterns = ["AllNodes", "NodesByLabel", "Expand", "ExpandInto", "Ends"];
    let shown = if patterns.contains(&word) {
        inner
    } else {
        word
    };
    format!("{}{shown}", " ".repeat(line.len() - inner.len()))
}
