//! The demo as a step of the verb `test`: with the program that the tests were built with, and the embedder that needs
//! no model.
//!
//! It is called as anybody calls it, through this program's own command line; what it shows is read to its end.

use crate::cargo::Cargo;
use crate::places::Places;
use crate::shell;

/// What stands before the last part.
const NEXT: &str = "Three things to try next:";
/// What that names, in this order.
const VERBS: [&str; 3] = ["repl", "ask", "ingest"];

/// Takes the tour; it must come to its end, and say what there is to try then.
pub(crate) fn run(places: &Places, cargo: &Cargo<'_>) -> Result<(), String> {
    let program = cargo.debug("stratigraph")?;
    let this = std::env::current_exe()
        .map_err(|error| format!("cannot find this program itself: {error}"))?;
    let folder = places.target.join("stratigraph-demo-tried");
    let [this, program, folder] =
        [this, program, folder].map(|path| path.to_string_lossy().into_owned());
    let words = [
        "demo",
        "--embedder",
        "lexical",
        "--with",
        &program,
        "--into",
        &folder,
    ];
    names_what_is_next(&shell::output(&this, &words)?)
}

/// Whether the end of what it shows names the three things, each with a database that is there.
fn names_what_is_next(shown: &str) -> Result<(), String> {
    let (_, last) = shown.rsplit_once(NEXT).ok_or_else(|| {
        format!(
            "the demo does not say {NEXT:?}; its end is\n{}",
            end_of(shown)
        )
    })?;
    let commands = last.lines().map(str::trim);
    let commands = commands.filter_map(|line| line.strip_prefix("stratigraph "));
    let verbs: Vec<&str> = commands.filter_map(|line| line.split(' ').next()).collect();
    if verbs == VERBS {
        return Ok(());
    }
    Err(format!(
        "the demo ends with {verbs:?} and not with {VERBS:?}:\n{last}"
    ))
}

fn end_of(shown: &str) -> String {
    let lines: Vec<&str> = shown.lines().collect();
    lines[lines.len().saturating_sub(10)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_without_one_of_them_is_refused() {
        let whole = format!(
            "$ stratigraph ask strata Who?\n{NEXT}\n\n    cd here\n    stratigraph repl strata  # x\n    \
             stratigraph ask strata 'Why?'\n    stratigraph ingest A/ --into mine\n"
        );
        names_what_is_next(&whole).unwrap();
        for lacking in ["    stratigraph repl strata  # x\n", NEXT] {
            let why = names_what_is_next(&whole.replace(lacking, "")).unwrap_err();
            assert!(why.contains("stratigraph ask strata 'Why?'"), "{why}");
        }
    }
}
