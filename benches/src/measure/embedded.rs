//! Vectors of real texts by MiniLM, made once and kept in the cache.

use super::cache::cache;
use anyhow::{Context, Result, bail, ensure};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

/// How many numbers a vector has.
pub(crate) const DIMS: usize = 384;

/// The vectors of lines, one after another.
pub(crate) fn embedded(name: &str, lines: &[impl AsRef<str>]) -> Result<Vec<f32>> {
    let folder = cache()?.join("bench");
    std::fs::create_dir_all(&folder)?;
    let all: Vec<&str> = lines.iter().map(AsRef::as_ref).collect();
    ensure!(
        all.iter().all(|line| !line.contains('\n')),
        "a line has a line break"
    );
    let all = all.join("\n");
    // Other texts have other vectors: the file is named after what was embedded.
    let mut hash = DefaultHasher::new();
    all.hash(&mut hash);
    let output = folder.join(format!("{name}-{:016x}.f32", hash.finish()));
    if !output.exists() {
        let input = output.with_extension("txt");
        std::fs::write(&input, all)?;
        eprintln!("embedding {} lines once, which takes minutes", lines.len());
        embed(&input, &output)?;
        std::fs::remove_file(input)?;
    }
    let bytes =
        std::fs::read(&output).with_context(|| format!("cannot read {}", output.display()))?;
    let numbers = bytes.as_chunks::<4>().0.iter();
    let rows: Vec<f32> = numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect();
    ensure!(
        rows.len() == lines.len() * DIMS,
        "{} has {} numbers for {} lines",
        output.display(),
        rows.len(),
        lines.len()
    );
    Ok(rows)
}

fn embed(input: &Path, output: &Path) -> Result<()> {
    if !Path::new("models/Cargo.toml").exists() {
        bail!("there is no embedder in this checkout");
    }
    let status = Command::new("cargo")
        .args(["run", "--release", "--package", "stratigraph-models"])
        .args(["--example", "embed_file", "--"])
        .arg(input)
        .arg(output)
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "embed_file failed with {status}");
    Ok(())
}
