//! Our index as a peer: int8 codes in two halves, the best ranked again by their `f32` rows in a mapped
//! file.
//!
//! The memory that is quoted is that of this configuration. The pages of the file are not in it: they are
//! the system's, and it takes them back when it needs them.

use super::filters::Group;
use super::in_process::Index;
use super::set::VectorSet;
use super::truth::K;
use anyhow::{Context, Result};
use std::path::Path;
use std::sync::Arc;
use stratigraph_vector::{Effort, Metric, Query, Rerank, Settings};
use tempfile::NamedTempFile;

/// More than any set takes.
const MEMORY_LIMIT: usize = 16 << 30;

pub(super) struct Ours {
    index: stratigraph_vector::Index,
    /// Removed with the index.
    _rows: NamedTempFile,
}

/// The rows of a set, linked, in one commit: rows are slots, which is what the filters are made of.
pub(super) fn index(
    set: &VectorSet,
    rows: &Path,
    threads: usize,
) -> Result<stratigraph_vector::Index> {
    let index = Settings::new(set.dims, Metric::Cosine)
        .rerank(Rerank::File(rows.to_owned()))
        .memory_limit(MEMORY_LIMIT)
        .threads(threads)
        .build()?;
    let index = Arc::new(index);
    // One thread links what it has written, again and again; with more, the others link meanwhile.
    let tender = match threads {
        1 => None,
        _ => Some(index.tend_in_background(|| 0)?),
    };
    for (row, vector) in (0..).zip(set.base.chunks_exact(set.dims)) {
        index.insert(1, row, vector)?;
    }
    drop(tender);
    index.tend(1);
    Arc::into_inner(index).context("somebody still tends")
}

impl Index for Ours {
    fn build(set: &VectorSet, threads: usize) -> Result<Self> {
        let rows = NamedTempFile::new()?;
        let index = index(set, rows.path(), threads)?;
        Ok(Self { index, _rows: rows })
    }

    fn search(&mut self, query: &[f32], breadth: usize, found: &mut Vec<u32>) -> Result<()> {
        let query = Query::new(query, K).effort(Effort::Breadth(breadth));
        let answer = self.index.search(&query)?;
        found.extend(answer.hits.iter().map(|hit| hit.slot));
        Ok(())
    }

    fn search_among(
        &mut self,
        query: &[f32],
        breadth: usize,
        group: &Group,
        found: &mut Vec<u32>,
    ) -> Result<()> {
        let query = Query::new(query, K).effort(Effort::Breadth(breadth));
        let answer = self.index.search(&query.within(&group.slots))?;
        found.extend(answer.hits.iter().map(|hit| hit.slot));
        Ok(())
    }
}
