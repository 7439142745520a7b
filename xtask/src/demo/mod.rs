//! The verb `demo`: the whole of it in one command, on a small corpus of our own.
//!
//! It builds the program, takes the guide, the register and the tables of `samples/halvren` in for every published system
//! and for ours, asks all of them the same questions, walks down a level at a time, answers, edits, measures, and
//! leaves what it has made to be played with. It shows each command as one would type it, and it
//! must never show what it has not just run. It fails where something is not as it says. It writes to a folder of its own and to
//! nothing else.
//!
//! Next: `systems.rs`, then the steps in the order of `tour`.

mod answers;
mod descent;
mod farewell;
mod folder;
mod gathered;
mod measures;
mod options;
mod picture;
mod program;
mod questions;
mod receipts;
mod systems;
pub(crate) mod tried;

use crate::cargo::Cargo;
use crate::models;
use crate::places::Places;
use crate::shell;
use crate::verbs::Failure;
use options::{Embedder, Options};
use program::Program;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where the sample lies in the checkout.
const SAMPLE: &str = "samples/halvren";

/// `cargo xtask demo [--embedder minilm|lexical] [--into DIR] [--with PROGRAM]`
pub(crate) fn run(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    let options = Options::read(arguments)?;
    shell::say("demo: build, then a tour (under 3 minutes; the first build 40)");
    let binary = match &options.with {
        Some(binary) => binary.clone(),
        None => build(places)?,
    };
    // The promise is of all that comes after the build: fetching the model is part of it.
    let started = Instant::now();
    let embedder = embedder(places, options.embedder);
    let folder = options
        .into
        .unwrap_or_else(|| places.target.join("stratigraph-demo"));
    folder::make(&folder, &places.checkout.join(SAMPLE))?;
    let program = Program::new(binary, folder.clone(), embedder);
    let left = |why: String| {
        format!(
            "{why}\nthe folder is left as it is, to look at: {}",
            folder.display()
        )
    };
    tour(&program, &folder).map_err(left)?;
    farewell::say(&program, &folder, started.elapsed());
    Ok(())
}

/// The program in release mode, and whatever of this machine it needs to be built.
fn build(places: &Places) -> Result<PathBuf, String> {
    let cargo = Cargo::linking(places)?;
    cargo.run(&["build", "--release", "--package", "stratigraph-cli"])?;
    Ok(cargo.release("stratigraph"))
}

/// The small model, or the embedder that needs none, and then it says so.
fn embedder(places: &Places, wanted: Option<Embedder>) -> &'static str {
    if wanted == Some(Embedder::Lexical) {
        return Embedder::Lexical.name();
    }
    match models::ensure(places) {
        Ok(_) => Embedder::Minilm.name(),
        Err(why) => {
            shell::say(&why);
            shell::say(
                "going on with the lexical embedder, which needs no model and knows letters but no meaning",
            );
            Embedder::Lexical.name()
        }
    }
}

fn tour(program: &Program, folder: &Path) -> Result<(), String> {
    shell::say("1. documents, facts and tables become layered graphs, one for each system");
    systems::ingest(program)?;
    shell::say("2. the same questions through all presets");
    questions::ask(program)?;
    shell::say(
        "3. down the outline, level by level: kept, cut, and recovered under a heading that was cut",
    );
    descent::show(program, folder)?;
    shell::say("4. answers with receipts, and a question that the documents do not answer");
    answers::show(program)?;
    shell::say("5. a sentence is edited: exactly the receipts that rest on it fall");
    receipts::show(program, folder)?;
    shell::say("6. how good is it? questions of which we have written down what answers them");
    measures::show(program, folder)
}
