//! Down the outline: the levels of headings as a tree, and as a picture together with what lies below them.

use super::gathered::{self, literal};
use super::program::Program;
use super::questions::QUESTIONS;
use crate::files;
use std::path::Path;

const PICTURE: &str = "descent.svg";

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
    print!("{}", program.feed(&words, &statement)?);
    let drawn = gathered::picture(question, &mut |statement| program.rows("strata", statement))?;
    files::write(&folder.join(PICTURE), &drawn.draw())?;
    println!(
        "the same as a picture, with what lies below: {}",
        folder.join(PICTURE).display()
    );
    Ok(())
}
