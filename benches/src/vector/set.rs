//! A set of vectors, its queries and their answers, and the files that the peers read it from.
//!
//! A folder holds `set.json` and plain little-endian numbers: `base.f32` and `queries.f32` row by row,
//! `truth.u32` with [`K`] rows a query, and two files a case, its `.bits` and its `.u32`.

use super::filters::Case;
use super::truth::{self, K};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use stratigraph_vector::Rows;

/// How many rows at the end are queries.
pub(super) const QUERIES: usize = 1000;

pub(super) struct VectorSet {
    /// What the figures of this set are called by.
    pub(super) name: &'static str,
    pub(super) dims: usize,
    pub(super) base: Vec<f32>,
    pub(super) queries: Vec<f32>,
    pub(super) truth: Vec<u32>,
    pub(super) cases: Vec<Case>,
}

impl VectorSet {
    /// The last [`QUERIES`] rows are the queries.
    pub(super) fn new(name: &'static str, dims: usize, mut rows: Vec<f32>) -> Result<Self> {
        ensure!(
            rows.len() > (QUERIES + K) * dims,
            "{name}: too few rows to keep {QUERIES} as queries"
        );
        let queries = rows.split_off(rows.len() - QUERIES * dims);
        rows.shrink_to_fit();
        let truth = truth::nearest(Rows::new(&rows, dims)?, Rows::new(&queries, dims)?)?;
        Ok(Self {
            name,
            dims,
            base: rows,
            queries,
            truth,
            cases: Vec::new(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.base.len() / self.dims
    }

    pub(super) fn base_rows(&self) -> Result<Rows<'_>> {
        Ok(Rows::new(&self.base, self.dims)?)
    }

    pub(super) fn query_rows(&self) -> Result<Rows<'_>> {
        Ok(Rows::new(&self.queries, self.dims)?)
    }

    pub(super) fn query(&self, number: usize) -> &[f32] {
        &self.queries[number * self.dims..][..self.dims]
    }

    /// Writes what the peers read.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        write(&folder.join("base.f32"), &self.base, f32::to_le_bytes)?;
        write(&folder.join("queries.f32"), &self.queries, f32::to_le_bytes)?;
        write(&folder.join("truth.u32"), &self.truth, u32::to_le_bytes)?;
        let mut cases = Vec::new();
        for (number, case) in self.cases.iter().enumerate() {
            let file = format!("case-{number}");
            let bits: Vec<u8> = case
                .groups
                .iter()
                .flat_map(|group| group.bits(self.len()))
                .collect();
            write(&folder.join(format!("{file}.bits")), &bits, |bits| [bits])?;
            let truth = folder.join(format!("{file}.u32"));
            write(&truth, &case.truth, u32::to_le_bytes)?;
            let groups: Vec<_> = case.groups.iter().map(|group| &group.queries).collect();
            cases.push(json!({ "name": case.name, "file": file, "groups": groups }));
        }
        let head = json!({ "dims": self.dims, "k": K, "cases": cases });
        let path = folder.join("set.json");
        std::fs::write(&path, head.to_string())
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

fn write<T: Copy, const N: usize>(
    path: &Path,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    for value in values {
        file.write_all(&bytes(*value))?;
    }
    Ok(file.flush()?)
}
