//! The end: how long it took, what is left, and what to try next.

use super::program::Program;
use crate::shell;
use std::path::Path;
use std::time::Duration;

/// The promise of README.md and of the table of verbs: under so much after the build, fetching the model included.
const PROMISED: Duration = Duration::from_secs(180);

/// Says it.
pub(super) fn say(program: &Program, folder: &Path, took: Duration) {
    shell::say(&took_so_long(took, program.embedder()));
    let embedder = match program.embedder() {
        "lexical" => String::new(),
        other => format!(" --embedder {other}"),
    };
    println!(
        "\neverything is left in {folder}: the databases strata, bag, tag, triples and hybrid, the guide, and what was found.\n\
         Three things to try next:\n\n\
         \x20   cd {folder} && alias stratigraph={binary}\n\
         \x20   stratigraph repl strata          # MATCH (w:Work)-[:STONE_FROM]->(q:Quarry) RETURN q.name, count(*);\n\
         \x20   stratigraph ask strata 'Why is the viaduct of brick?'{embedder}\n\
         \x20   stratigraph ingest ANYTHING/ --into mine --profile strata{embedder}    # then ask it",
        folder = folder.display(),
        binary = program.binary().display(),
    );
}

fn took_so_long(took: Duration, embedder: &str) -> String {
    let verdict = match took <= PROMISED {
        true => "as promised, under 3 minutes",
        false => {
            "longer than the 3 minutes that were promised: the machine or its network is slow or busy"
        }
    };
    format!(
        "it took {:.0} s after the build with the {embedder} embedder, {verdict}",
        took.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_promises_the_same() {
        // And with it the table of verbs, which a test of its own compares with the readme.
        let promise = format!("under {} minutes after the build", PROMISED.as_secs() / 60);
        let readme = include_str!("../../../README.md");
        assert!(readme.contains(&promise), "it does not say {promise:?}");
    }

    #[test]
    fn it_says_whether_the_promise_was_kept() {
        assert!(took_so_long(Duration::from_secs(31), "minilm").contains("31 s after"));
        assert!(took_so_long(Duration::from_secs(31), "minilm").ends_with("under 3 minutes"));
        assert!(took_so_long(Duration::from_secs(181), "lexical").contains("longer than"));
    }
}
