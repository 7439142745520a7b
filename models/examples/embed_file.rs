//! Lines of text in, rows of little-endian `f32` out, one after another and without a header: the data of the
//! vector benchmarks.
//!
//! ```text
//! cargo run --release -p stratigraph-models --example embed_file -- lines.txt rows.f32 [model]
//! ```
//!
//! A model is a folder, a name of the hub whose cache has it (`BAAI/bge-small-en-v1.5`), or MiniLM's wheel. Every line
//! has its row, the empty one too, so that row and line have the same number. The output gets its name when it is
//! whole, so that a run cut short never looks like a short file.

use anyhow::{Context, ensure};
use std::env;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;
use stratigraph_models::{Embedder, ModelSource, cached_minilm, open_embedder};

/// Enough for batches of equal length, few enough for a word of progress every ten seconds or so.
const LINES_AT_ONCE: usize = 2048;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    ensure!(
        (2..=3).contains(&arguments.len()),
        "usage: embed_file LINES OUTPUT [MODEL]"
    );
    let (lines, output) = (&arguments[0], PathBuf::from(&arguments[1]));
    let named = arguments.get(2).map(|name| ModelSource::named(name));
    let source = named.or_else(|| cached_minilm().map(ModelSource::folder));
    let source = source.context("no model: run `cargo xtask setup --models`")?;
    let text = fs::read_to_string(lines).with_context(|| format!("cannot read {lines}"))?;
    let lines: Vec<&str> = text.lines().collect();
    let model = open_embedder(&source)?;

    let mut half = output.clone().into_os_string();
    half.push(".part");
    let half = PathBuf::from(half);
    let file = File::create(&half).with_context(|| format!("cannot create {}", half.display()))?;
    let mut file = BufWriter::new(file);
    let (started, mut done) = (Instant::now(), 0);
    for portion in lines.chunks(LINES_AT_ONCE) {
        for number in model.embed(portion)?.values() {
            file.write_all(&number.to_le_bytes())?;
        }
        done += portion.len();
        progress(done, lines.len(), started)?;
    }
    file.into_inner()?.sync_all()?;
    fs::rename(&half, &output)?;
    println!(
        "{} rows of {} numbers from {} in {}",
        lines.len(),
        model.dimensions(),
        model.name(),
        output.display()
    );
    Ok(())
}

/// One line that is written over on a terminal, and a line each time in a log.
fn progress(done: usize, all: usize, started: Instant) -> io::Result<()> {
    let seconds = started.elapsed().as_secs_f64();
    let per_second = done as f64 / seconds;
    let left = (all - done) as f64 / per_second;
    let mut stderr = io::stderr().lock();
    let end = match (stderr.is_terminal(), done == all) {
        (true, false) => "   \r",
        _ => "\n",
    };
    write!(
        stderr,
        "{done} of {all} lines in {seconds:.0} s, {per_second:.0} per second, {left:.0} s left{end}"
    )?;
    stderr.flush()
}
