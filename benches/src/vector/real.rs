//! Vectors of real sentences: MiniLM over the evaluation texts, embedded once and kept in the cache.

use super::sentences;
pub(super) use crate::measure::embedded::DIMS;
use crate::measure::embedded::embedded;
use anyhow::{Result, ensure};
use std::collections::HashSet;
use std::path::Path;

/// A little more than 100,000 rows are left over when the queries and what has one vector twice are gone.
const SENTENCES: usize = 103_000;
const LEAST: usize = 101_000;

/// The rows, from the cache if they are there.
pub(super) fn rows(texts: &Path, seed: u64) -> Result<Vec<f32>> {
    let lines = sentences::collect(texts, seed, SENTENCES)?;
    ensure!(
        lines.len() >= LEAST,
        "{} has only {} sentences",
        texts.display(),
        lines.len()
    );
    let rows = embedded("sentences", &lines)?;
    let rows = distinct(&rows);
    ensure!(
        rows.len() / DIMS >= LEAST,
        "only {} distinct vectors",
        rows.len() / DIMS
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
