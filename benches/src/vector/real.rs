//! Vectors of real sentences: MiniLM over the evaluation texts, embedded once and kept in the cache.

use super::peers::cache;
use super::sentences;
use anyhow::{Context, Result, bail, ensure};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

pub(super) const DIMS: usize = 384;
/// A little more than 100,000 rows are left over when the queries and what has one vector twice are gone.
const SENTENCES: usize = 103_000;
const LEAST: usize = 101_000;

/// The rows, from the cache if they are there.
pub(super) fn rows(texts: &Path, seed: u64) -> Result<Vec<f32>> {
    let folder = cache()?.join("bench");
    std::fs::create_dir_all(&folder)?;
    let lines = sentences::collect(texts, seed, SENTENCES)?;
    ensure!(
        lines.len() >= LEAST,
        "{} has only {} sentences",
        texts.display(),
        lines.len()
    );
    let lines = lines.join("\n");
    // Other texts have other vectors: the file is named after what was embedded.
    let mut hash = DefaultHasher::new();
    lines.hash(&mut hash);
    let output = folder.join(format!("sentences-{:016x}.f32", hash.finish()));
    if !output.exists() {
        let input = output.with_extension("txt");
        std::fs::write(&input, lines)?;
        embed(&input, &output)?;
        std::fs::remove_file(input)?;
    }
    let bytes =
        std::fs::read(&output).with_context(|| format!("cannot read {}", output.display()))?;
    let rows: Vec<f32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    let rows = distinct(&rows);
    ensure!(
        rows.len() / DIMS >= LEAST,
        "only {} distinct vectors in {}",
        rows.len() / DIMS,
        output.display()
    );
    Ok(rows)
}

/// Two rows alike would make the truth a matter of chance.
fn distinct(rows: &[f32]) -> Vec<f32> {
    let mut seen = HashSet::new();
    let bits = |row: &[f32]| -> Vec<u32> { row.iter().map(|value| value.to_bits()).collect() };
    rows.chunks_exact(DIMS)
        .filter(|row| seen.insert(bits(row)))
        .flatten()
        .copied()
        .collect()
}

fn embed(input: &Path, output: &Path) -> Result<()> {
    if !Path::new("models/Cargo.toml").exists() {
        bail!("there is no embedder in this checkout");
    }
    eprintln!("embedding {SENTENCES} sentences once (10 minutes on two cores)");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_are_kept_once() {
        let mut rows = vec![1.0; DIMS];
        rows.extend(vec![2.0; DIMS]);
        rows.extend(vec![1.0; DIMS]);
        let kept = distinct(&rows);
        assert_eq!((kept.len(), kept[0], kept[DIMS]), (2 * DIMS, 1.0, 2.0));
    }
}
