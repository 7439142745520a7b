//! What every side is given: nodes with a vector and a number to filter by, relationships, a tree of five levels,
//! and what is deleted and replaced. Written as plain arrays that both sides read.

use super::truth::scores;
use crate::vector::generate::{Recipe, generate, latent};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// How many numbers a vector has.
pub(super) const DIMENSIONS: usize = 128;
/// How many relationships each node has, on average.
pub(super) const DEGREE: u32 = 10;
/// How many rows a search asks for.
pub(super) const K: usize = 10;
/// Numbers to filter by lie below it, each as often as the others: one in a thousand has 0.
pub(super) const BUCKETS: u32 = 1000;
/// The root is the first.
pub(super) const LEVELS: usize = 5;
/// Queries that walk on from what they find, and descents.
pub(super) const WALKS: usize = 50;
/// No more nodes than so are deleted, and as many replaced: a fifth of all, up to a million.
const MOST_CHANGED: usize = 200_000;
/// How many in a hundred sections a descent keeps.
const KEPT: usize = 30;

/// A way down: which query, and the cosine that sections must be above.
pub(super) struct Descent {
    pub(super) query: usize,
    pub(super) tau: f32,
}

/// All of it.
pub(super) struct Data {
    pub(super) folder: PathBuf,
    pub(super) vectors: Vec<f32>,
    pub(super) queries: Vec<f32>,
    pub(super) buckets: Vec<u32>,
    /// From and to, one after another.
    pub(super) edges: Vec<u32>,
    /// The section above each; the root has itself.
    pub(super) parents: Vec<u32>,
    pub(super) deleted: Vec<u32>,
    pub(super) updated: Vec<u32>,
    pub(super) update_vectors: Vec<f32>,
    pub(super) descents: Vec<Descent>,
}

impl Data {
    /// Makes and writes it.
    pub(super) fn make(folder: &Path, nodes: usize, seed: u64) -> Result<Self> {
        ensure!(nodes >= 1_000, "fewer than 1,000 nodes say nothing");
        let queries = 200;
        let changed = (nodes / 5).min(MOST_CHANGED);
        let mut vectors = generate(Recipe {
            rows: nodes + queries + changed,
            dims: DIMENSIONS,
            latent: latent(nodes),
            seed,
        })?;
        let update_vectors = vectors.split_off((nodes + queries) * DIMENSIONS);
        let queries = vectors.split_off(nodes * DIMENSIONS);
        let mut random = fastrand::Rng::with_seed(seed);
        let count = u32::try_from(nodes)?;
        let buckets = (0..nodes).map(|_| random.u32(..BUCKETS)).collect();
        // Nobody leads to itself: so walks, which some count, and trails, which others do, reach the same.
        let mut edges = Vec::with_capacity(2 * nodes * DEGREE as usize);
        for _ in 0..nodes * DEGREE as usize {
            let from = random.u32(..count);
            edges.extend([from, (from + random.u32(1..count)) % count]);
        }
        let mut order: Vec<u32> = (0..count).collect();
        random.shuffle(&mut order);
        let deleted = order[..changed].to_vec();
        let updated = order[changed..2 * changed].to_vec();
        let mut data = Self {
            folder: folder.to_owned(),
            vectors,
            queries,
            buckets,
            edges,
            parents: tree(count),
            deleted,
            updated,
            update_vectors,
            descents: Vec::new(),
        };
        for query in 0..WALKS {
            let tau = threshold(&data, query)?;
            data.descents.push(Descent { query, tau });
        }
        data.write()?;
        Ok(data)
    }

    pub(super) fn nodes(&self) -> usize {
        self.buckets.len()
    }

    pub(super) fn vector(&self, node: usize) -> &[f32] {
        &self.vectors[node * DIMENSIONS..][..DIMENSIONS]
    }

    pub(super) fn query(&self, number: usize) -> &[f32] {
        &self.queries[number * DIMENSIONS..][..DIMENSIONS]
    }

    pub(super) fn query_count(&self) -> usize {
        self.queries.len() / DIMENSIONS
    }

    /// The vectors as they are after deleting and replacing.
    pub(super) fn after_churn(&self) -> Vec<f32> {
        let mut vectors = self.vectors.clone();
        let changed = self.update_vectors.chunks_exact(DIMENSIONS);
        for (node, vector) in self.updated.iter().zip(changed) {
            vectors[*node as usize * DIMENSIONS..][..DIMENSIONS].copy_from_slice(vector);
        }
        vectors
    }

    fn write(&self) -> Result<()> {
        let path = |name: &str| self.folder.join(name);
        fs::write(path("vectors.f32"), floats(&self.vectors))?;
        fs::write(path("queries.f32"), floats(&self.queries))?;
        fs::write(path("updated.f32"), floats(&self.update_vectors))?;
        for (name, numbers) in [
            ("buckets.u32", &self.buckets),
            ("edges.u32", &self.edges),
            ("parents.u32", &self.parents),
            ("deleted.u32", &self.deleted),
            ("updated.u32", &self.updated),
        ] {
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            fs::write(path(name), bytes)?;
        }
        let descents: Vec<Value> = self
            .descents
            .iter()
            .map(|way| json!({ "query": way.query, "tau": way.tau }))
            .collect();
        let head = json!({ "dims": DIMENSIONS, "k": K, "levels": LEVELS, "descents": descents });
        fs::write(path("set.json"), head.to_string())?;
        Ok(())
    }

    /// Reads what another process has made.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let head: Value = serde_json::from_slice(&fs::read(folder.join("set.json"))?)?;
        let descents = head["descents"].as_array().context("no descents")?;
        let descents = descents
            .iter()
            .map(|way| {
                Ok(Descent {
                    query: usize::try_from(way["query"].as_u64().context("no query")?)?,
                    tau: way["tau"].as_f64().context("no tau")? as f32,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            folder: folder.to_owned(),
            vectors: read_floats(&folder.join("vectors.f32"))?,
            queries: read_floats(&folder.join("queries.f32"))?,
            buckets: read_numbers(&folder.join("buckets.u32"))?,
            edges: read_numbers(&folder.join("edges.u32"))?,
            parents: read_numbers(&folder.join("parents.u32"))?,
            deleted: read_numbers(&folder.join("deleted.u32"))?,
            updated: read_numbers(&folder.join("updated.u32"))?,
            update_vectors: read_floats(&folder.join("updated.f32"))?,
            descents,
        })
    }
}

/// Level after level, each section with as many children as five levels need for all.
fn tree(nodes: u32) -> Vec<u32> {
    let holds = |fan_out: u32| (0..LEVELS as u32).map(move |level| u64::from(fan_out).pow(level));
    let enough = (1..).find(|fan_out| holds(*fan_out).sum::<u64>() >= u64::from(nodes));
    let fan_out = enough.unwrap_or(1);
    let above = |node: u32| node.saturating_sub(1) / fan_out;
    (0..nodes).map(above).collect()
}

/// In the widest gap between scores near the wanted share, so that all sides round to the same side of it.
fn threshold(data: &Data, query: usize) -> Result<f32> {
    let mut scores = scores(&data.vectors, data.query(query))?;
    scores.sort_unstable_by(|left, right| right.total_cmp(left));
    let wanted = scores.len() * KEPT / 100;
    let near = &scores[wanted - wanted / 20..wanted + wanted / 20];
    let gap = |pair: &&[f32]| pair[0] - pair[1];
    let widest = near
        .windows(2)
        .max_by(|one, other| gap(one).total_cmp(&gap(other)));
    let widest = widest.context("too few scores")?;
    Ok(f32::midpoint(widest[0], widest[1]))
}

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn read_floats(path: &Path) -> Result<Vec<f32>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let numbers = bytes.as_chunks::<4>().0.iter();
    Ok(numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

fn read_numbers(path: &Path) -> Result<Vec<u32>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let numbers = bytes.as_chunks::<4>().0.iter();
    Ok(numbers.map(|bytes| u32::from_le_bytes(*bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_five_levels_whatever_the_number_of_its_sections() {
        for nodes in [1_000, 5_000, 100_000] {
            let parents = tree(nodes);
            let level = |mut node: u32| {
                let mut level = 1;
                while node != 0 {
                    node = parents[node as usize];
                    level += 1;
                }
                level
            };
            assert_eq!(level(nodes - 1), LEVELS, "{nodes}");
        }
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let made = Data::make(folder.path(), 1_000, 3).unwrap();
        let read = Data::read(folder.path()).unwrap();
        assert_eq!(made.vectors, read.vectors);
        assert_eq!(made.edges, read.edges);
        assert_eq!(made.updated, read.updated);
        assert!(
            made.edges
                .as_chunks::<2>()
                .0
                .iter()
                .all(|pair| pair[0] != pair[1])
        );
        assert_eq!(made.descents[7].tau, read.descents[7].tau);
    }
}
