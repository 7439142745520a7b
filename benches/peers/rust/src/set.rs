//! A set of vectors with its questions and their answers, as `benches/src/vector/set.rs` writes it.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
struct Head {
    dims: usize,
    k: usize,
    cases: Vec<CaseHead>,
}

#[derive(Deserialize)]
struct CaseHead {
    name: String,
    file: String,
    groups: Vec<Vec<usize>>,
}

pub struct Set {
    pub dims: usize,
    pub k: usize,
    pub base: Vec<f32>,
    pub queries: Vec<f32>,
    pub truth: Vec<u32>,
    pub cases: Vec<Case>,
}

/// Questions that each allow only some rows.
pub struct Case {
    pub name: String,
    /// The queries that share a set of allowed rows, and the set: row i is bit i % 8 of byte i / 8.
    pub groups: Vec<(Vec<usize>, Vec<u8>)>,
    /// `k` rows a query, in the order of the groups; `u32::MAX` where there are fewer.
    pub truth: Vec<u32>,
}

impl Set {
    pub fn read(folder: &Path) -> Result<Self> {
        let head: Head = serde_json::from_slice(&bytes(folder, "set.json")?)?;
        let base = words(&bytes(folder, "base.f32")?, f32::from_le_bytes);
        let each = (base.len() / head.dims).div_ceil(8);
        let mut cases = Vec::new();
        for case in head.cases {
            let bits = bytes(folder, &format!("{}.bits", case.file))?;
            let sets = bits.chunks_exact(each).map(<[u8]>::to_vec);
            cases.push(Case {
                name: case.name,
                groups: case.groups.into_iter().zip(sets).collect(),
                truth: words(
                    &bytes(folder, &format!("{}.u32", case.file))?,
                    u32::from_le_bytes,
                ),
            });
        }
        Ok(Self {
            dims: head.dims,
            k: head.k,
            base,
            queries: words(&bytes(folder, "queries.f32")?, f32::from_le_bytes),
            truth: words(&bytes(folder, "truth.u32")?, u32::from_le_bytes),
            cases,
        })
    }

    pub fn len(&self) -> usize {
        self.base.len() / self.dims
    }

    pub fn row(&self, row: usize) -> &[f32] {
        &self.base[row * self.dims..][..self.dims]
    }

    pub fn query(&self, query: usize) -> &[f32] {
        &self.queries[query * self.dims..][..self.dims]
    }
}

fn bytes(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let path = folder.join(name);
    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn words<T>(bytes: &[u8], word: impl Fn([u8; 4]) -> T) -> Vec<T> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|bytes| word(*bytes))
        .collect()
}
