//! Sentences per CPU second, to be put beside `models/reference/speed.py`, which measures PyTorch on the
//! same sentences in the same way.
//!
//! ```text
//! cargo run --release -p stratigraph-models --example speed -- sentences.txt [threads] [batch tokens] [model folder]
//! ```

use anyhow::{Context, bail};
use std::env;
use std::fs;
use std::time::Instant;
use stratigraph_models::{Embedder, LocalEmbedder, cached_minilm};

fn main() -> anyhow::Result<()> {
    let mut arguments = env::args().skip(1);
    let Some(file) = arguments.next() else {
        bail!("which file? one sentence a line");
    };
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let texts: Vec<&str> = text.lines().collect();
    let mut builder = LocalEmbedder::builder();
    if let Some(threads) = arguments.next() {
        builder = builder.threads(threads.parse().context("threads is a number")?);
    }
    if let Some(tokens) = arguments.next() {
        builder = builder.batch_tokens(tokens.parse().context("batch tokens is a number")?);
    }
    let folder = arguments.next().map(Into::into).or_else(cached_minilm);
    let folder = folder.context("no model: run `cargo xtask setup --models`")?;
    let model = builder.load(folder)?;
    // Once before the clock starts, for the memory and the processor's frequency.
    model.embed(&texts[..texts.len().min(100)])?;
    let (cpu, wall) = (cpu_seconds()?, Instant::now());
    let rows = model.embed(&texts)?;
    let (cpu, wall) = (cpu_seconds()? - cpu, wall.elapsed().as_secs_f64());
    println!(
        "{}: {} sentences, {cpu:.2} CPU s, {wall:.2} s; per CPU second {:.1}, per second {:.1}",
        model.name(),
        rows.len(),
        rows.len() as f64 / cpu,
        rows.len() as f64 / wall
    );
    Ok(())
}

/// User and system time of this process, all threads, as Linux counts it.
fn cpu_seconds() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat").context("CPU time is read on Linux only")?;
    // The name in brackets may hold blanks; what comes behind it does not.
    let behind = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = behind.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    let (Some(user), Some(system)) = (ticks(11), ticks(12)) else {
        bail!("/proc/self/stat is not what it was");
    };
    // The tick of every Linux that people run is a hundredth of a second.
    Ok((user + system) / 100.0)
}
