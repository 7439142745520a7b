//! Down the outline: the levels of headings as a tree, and as a picture together with what lies below them.

use super::gathered::{self, literal};
use super::program::Program;
use super::questions::QUESTIONS;
use crate::files;
use std::path::Path;

const PICTURE: &str = "descent.svg";

/// What the tree has to have, as its last line counts it. The question and the bounds of the declared query were chosen so that it
/// has all of it with either embedder.
const OUTCOMES: [&str; 3] = [" kept +", " recovered *", " cut ~"];

/// Shows the tree, and writes the picture.
pub(super) fn show(program: &Program, folder: &Path) -> Result<(), String> {
    let question = QUESTIONS[0];
    println!(
        "the declared query `descent` of tables/queries.toml is a TRAVERSE; the question: {question}"
    );
    let statement = format!(
        ":tree CALL rag.call('descent', {{question: {}}}) YIELD values RETURN values.heading AS node, \
         values.level AS level, values.score AS score, values.status AS status, values.parent AS parent\n",
        literal(question)
    );
    let words = program.with_embedder(&["repl", "strata"]);
    let tree = program.feed(&words, &statement)?;
    print!("{tree}");
    has_every_outcome(&tree)?;
    let drawn = gathered::picture(question, &mut |statement| program.rows("strata", statement))?;
    files::write(&folder.join(PICTURE), &drawn.draw())?;
    println!(
        "the same as a picture, with what lies below: {}",
        folder.join(PICTURE).display()
    );
    Ok(())
}

/// Whether something was kept, something cut, and something recovered.
fn has_every_outcome(tree: &str) -> Result<(), String> {
    let lacks = OUTCOMES.iter().find(|outcome| !tree.contains(**outcome));
    match lacks {
        None => Ok(()),
        Some(outcome) => Err(format!("no heading of the tree is{outcome}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_lacks_an_outcome_is_an_error() {
        let whole = "+ Lighthouses  0.6\n* Harbours    0.5  recovered on level 1\n~ Water       0.1  cut\n\
            1 kept +, 1 recovered *, 1 cut ~\n";
        has_every_outcome(whole).unwrap();
        for (lacking, told) in [
            ("1 kept +, ", "kept +"),
            ("1 recovered *, ", "recovered *"),
            (", 1 cut ~", "cut ~"),
        ] {
            let why = has_every_outcome(&whole.replace(lacking, "")).unwrap_err();
            assert!(why.ends_with(told), "{why}");
        }
    }
}
