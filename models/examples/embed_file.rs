//! Lines of text in, rows of little-endian `f32` out, one after another and without a header: the data of the
//! vector benchmarks.
//!
//! ```text
//! cargo run --release -p stratigraph-models --example embed_file -- lines.txt rows.f32 [model folder]
//! ```
//!
//! The output gets its name when it is whole, so that a run cut short never looks like a short file.

use anyhow::{Context, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use stratigraph_models::{Embedder, MiniLm, cached_minilm};

/// Enough for batches of equal length, few enough for a bar that moves.
const LINES_AT_ONCE: usize = 4096;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    ensure!(
        (2..=3).contains(&arguments.len()),
        "usage: embed_file LINES OUTPUT [MODEL FOLDER]"
    );
    let (lines, output) = (&arguments[0], PathBuf::from(&arguments[1]));
    let folder = arguments.get(2).map(PathBuf::from).or_else(cached_minilm);
    let folder = folder.context("no model: run `cargo xtask setup --models`")?;
    let text = fs::read_to_string(lines).with_context(|| format!("cannot read {lines}"))?;
    let lines: Vec<&str> = text.lines().collect();
    let model = MiniLm::load(&folder)?;

    let mut half = output.clone().into_os_string();
    half.push(".part");
    let half = PathBuf::from(half);
    let file = File::create(&half).with_context(|| format!("cannot create {}", half.display()))?;
    let mut file = BufWriter::new(file);
    let bar = ProgressBar::new(lines.len() as u64).with_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} lines, {per_sec}, {eta} left",
    )?);
    for portion in lines.chunks(LINES_AT_ONCE) {
        for number in model.embed(portion)?.values() {
            file.write_all(&number.to_le_bytes())?;
        }
        bar.inc(portion.len() as u64);
    }
    file.into_inner()?.sync_all()?;
    fs::rename(&half, &output)?;
    bar.finish();
    println!(
        "{} rows of {} numbers from {} in {}",
        lines.len(),
        model.dimensions(),
        model.name(),
        output.display()
    );
    Ok(())
}
