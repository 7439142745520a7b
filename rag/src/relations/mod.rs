//! Relations that mean the same under several names, found by how near the names are, and put under one.
//!
//! As in EmPULIA: names are embedded and clustered by density ([`Clustering::eps`] 0.05, two names make a
//! cluster), the member nearest to a cluster's mean stands for it, and what lies alone keeps its name.
//! Names that come later are assigned to the clusters that somebody has agreed to ([`Relations::assign`]).
//!
//! One thing is not as there: "applies to" and "does not apply to", "paid to" and "paid by" are near each other
//! for any embedder, so names that differ by a negation, or by direction alone, are never put together unless
//! somebody says so ([`Negations`]), and are reported either way ([`Relations::opposites`]). Clusters are data
//! that people may look through and change before anything is renamed.
//!
//! A name that the embedder cannot read lies alone: to the embedder all such names are the same.
//!
//! `negation.rs` says which names negate, `direction.rs` which differ by direction alone, `opposites.rs` keeps both
//! apart and reports them, `assign.rs` takes later names, `rename.rs` changes triples.

mod assign;
mod direction;
mod negation;
mod opposites;
mod rename;

use std::collections::{BTreeMap, BTreeSet};

use stratigraph::algo::dbscan::{DbscanError, DbscanOptions, Metric, Vectors, dbscan};
use stratigraph::storage::cancel::Watch;
use stratigraph_models::{Embedder, ModelError};
use thiserror::Error;

use crate::cosine::dot;
pub use assign::Kept;
pub use negation::negates;
pub use opposites::Opposites;
use opposites::Sense;
pub use rename::{Renamed, rename};

/// How names are clustered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustering {
    /// The largest distance (1 less the cosine) of neighbours, and of later names to a cluster's mean.
    pub eps: f32,
    /// How many names within that distance make a dense place, the name itself included.
    pub least: u32,
    /// What happens to names that differ by a negation, or by direction alone.
    pub negations: Negations,
}

impl Default for Clustering {
    fn default() -> Self {
        Self {
            eps: 0.05,
            least: 2,
            negations: Negations::Apart,
        }
    }
}

/// What happens to names that differ by a negation, or by direction alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Negations {
    /// They are never in one cluster.
    #[default]
    Apart,
    /// They are clustered as all others, which is what was published. The reported pairs should be looked at.
    AsOthers,
}

/// Names of relations, and which of them stand for which.
#[derive(Clone, Debug, PartialEq)]
pub struct Relations {
    clustering: Clustering,
    clusters: Vec<Cluster>,
    /// The names that lie alone.
    alone: BTreeSet<String>,
    /// Which name stands for each that was ever seen.
    names: BTreeMap<String, String>,
    opposites: Vec<Opposites>,
}

/// Names that mean the same, as far as their vectors tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The one that stands for all: the nearest to their mean, or the one that was agreed on.
    pub representative: String,
    /// All of them, sorted, each with its distance from the mean.
    pub members: Vec<(String, f32)>,
    /// The mean of their vectors, of length 1; of those that were kept, if they were.
    mean: Vec<f32>,
}

/// Why names cannot be clustered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RelationError {
    /// The embedder gives no vectors.
    #[error("names of relations cannot be embedded")]
    Embedder(#[source] ModelError),
    /// The vectors cannot be clustered, or somebody said that it should stop.
    #[error("names of relations cannot be clustered")]
    Clusters(#[from] DbscanError),
}

/// The most bytes of a name that are embedded.
const LONGEST: usize = 1000;
/// How many names are embedded at once.
const BATCH: usize = 256;

/// All names by their places, sorted.
struct Names<'a> {
    names: Vec<&'a str>,
    rows: Vec<Vec<f32>>,
    senses: Vec<Sense>,
}

impl Relations {
    /// Clusters names. Their order, and how often each is given, do not matter.
    ///
    /// # Errors
    ///
    /// A [`RelationError`] if they cannot be embedded or clustered.
    pub fn cluster<'a>(
        names: impl IntoIterator<Item = &'a str>,
        embedder: &dyn Embedder,
        clustering: Clustering,
        watch: &mut Watch<'_>,
    ) -> Result<Self, RelationError> {
        Self::assign(&Kept::new(), names, embedder, clustering, watch)
    }

    /// Clusters some of the names, those that negate by themselves unless negations are as others. A cluster in which one
    /// name turns another around is clustered anew by their words of direction.
    fn cluster_among(
        &mut self,
        all: &Names<'_>,
        places: Vec<usize>,
        watch: &mut Watch<'_>,
    ) -> Result<(), RelationError> {
        let are_apart = self.clustering.negations == Negations::Apart;
        let (negating, others): (Vec<usize>, Vec<usize>) = places
            .into_iter()
            .partition(|place| are_apart && all.senses[*place].negates);
        let mut alone = Vec::new();
        let mut clusters = Vec::new();
        for part in [others, negating] {
            for members in self.dense(all, &part, &mut alone, watch)? {
                if !are_apart || !all.has_turned(&members, watch)? {
                    clusters.push(members);
                    continue;
                }
                for part in all.by_direction(members) {
                    clusters.extend(self.dense(all, &part, &mut alone, watch)?);
                }
            }
        }
        for members in clusters {
            let members = members
                .into_iter()
                .map(|place| (all.names[place].to_owned(), all.rows[place].as_slice()));
            self.add_cluster(members.collect());
        }
        for place in alone {
            let name = all.names[place].to_owned();
            self.names.insert(name.clone(), name.clone());
            self.alone.insert(name);
        }
        Ok(())
    }

    /// Clusters of some of the names. Into `alone` go those that are in none.
    fn dense(
        &self,
        all: &Names<'_>,
        part: &[usize],
        alone: &mut Vec<usize>,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<usize>>, RelationError> {
        let dimension = all.rows.first().map_or(0, Vec::len);
        // What has no direction is near nothing.
        let (part, flat): (Vec<usize>, Vec<usize>) = part
            .iter()
            .partition(|place| has_direction(&all.rows[**place]));
        alone.extend(flat);
        if part.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: Vec<f32> = part
            .iter()
            .flat_map(|place| all.rows[*place].iter().copied())
            .collect();
        let vectors = Vectors::new(&numbers, dimension, Metric::Cosine)?;
        let options = DbscanOptions::new(self.clustering.eps, self.clustering.least);
        let found = dbscan(&vectors, &options, watch)?;
        let mut clusters: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, cluster) in part.iter().zip(&found.cluster) {
            match cluster {
                Some(cluster) => clusters.entry(*cluster).or_default().push(*place),
                None => alone.push(*place),
            }
        }
        Ok(clusters.into_values().collect())
    }

    fn add_cluster(&mut self, members: Vec<(String, &[f32])>) {
        let mean = mean(members.iter().map(|(_, row)| *row));
        let mut members: Vec<(String, f32)> = members
            .into_iter()
            .map(|(name, row)| (name, 1.0 - cosine(row, &mean)))
            .collect();
        members.sort_by(|a, b| a.0.cmp(&b.0));
        // Two are equally far from their mean but for rounding: then the first by name stands for both.
        let nearest = members
            .iter()
            .min_by_key(|(_, distance)| (distance * 1e5).round() as i64);
        let Some(representative) = nearest.map(|(name, _)| name.clone()) else {
            return;
        };
        for (name, _) in &members {
            self.names.insert(name.clone(), representative.clone());
        }
        self.clusters.push(Cluster {
            representative,
            members,
            mean,
        });
    }

    /// The clusters by representative, to be looked through.
    #[must_use]
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// The names that lie alone.
    pub fn alone(&self) -> impl ExactSizeIterator<Item = &str> {
        self.alone.iter().map(String::as_str)
    }

    /// The name that stands for this one; nothing for a name that was never seen.
    #[must_use]
    pub fn name_for(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(String::as_str)
    }

    /// Gives a name back its own meaning: it leaves its cluster, whatever it is near to. Whether it was in one.
    pub fn take_out(&mut self, name: &str) -> bool {
        if !self.names.contains_key(name) || !self.alone.insert(name.to_owned()) {
            return false;
        }
        self.names.insert(name.to_owned(), name.to_owned());
        self.clusters
            .iter_mut()
            .for_each(|cluster| cluster.members.retain(|(member, _)| member != name));
        // What stood for others hands that on to the nearest that is left.
        for cluster in self
            .clusters
            .iter_mut()
            .filter(|cluster| cluster.representative == name)
        {
            let nearest = cluster.members.iter().min_by(|a, b| a.1.total_cmp(&b.1));
            let Some(next) = nearest.map(|(next, _)| next.clone()) else {
                continue;
            };
            self.names
                .iter_mut()
                .filter(|(other, stands)| *other != name && stands.as_str() == name)
                .for_each(|(_, stands)| stands.clone_from(&next));
            cluster.representative = next;
        }
        self.clusters.retain(|cluster| !cluster.members.is_empty());
        self.look_at_opposites_again();
        true
    }
}

/// Whether the embedder can read a name. All that it cannot is one thing to it.
pub(crate) fn reads(embedder: &dyn Embedder, name: &str) -> Result<bool, ModelError> {
    let coverage = embedder.coverage(&[name])?;
    Ok(coverage.is_none_or(|coverage| coverage.is_enough()))
}

/// The vectors of names, as words; none for those that the embedder cannot read.
fn embedded(names: &[&str], embedder: &dyn Embedder) -> Result<Vec<Vec<f32>>, RelationError> {
    let mut rows = Vec::with_capacity(names.len());
    for batch in names.chunks(BATCH) {
        let texts: Vec<String> = batch
            .iter()
            .map(|name| {
                negation::as_words(&name[..name.floor_char_boundary(LONGEST.min(name.len()))])
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder.embed(&texts).map_err(RelationError::Embedder)?;
        for (place, text) in texts.iter().enumerate() {
            // An embedder of the caller's may give too few or too short ones; those are near nothing.
            let mut row = vectors.row(place).unwrap_or_default().to_vec();
            row.resize(embedder.dimensions(), 0.0);
            if !reads(embedder, text).map_err(RelationError::Embedder)? {
                row.fill(0.0);
            }
            rows.push(of_length_1(row));
        }
    }
    Ok(rows)
}

/// A vector of the same direction with length 1; what has no direction stays.
fn of_length_1(mut row: Vec<f32>) -> Vec<f32> {
    let length = row
        .iter()
        .map(|value| f64::from(*value).powi(2))
        .sum::<f64>()
        .sqrt();
    if length > 0.0 {
        row.iter_mut()
            .for_each(|value| *value = (f64::from(*value) / length) as f32);
    }
    row
}

/// Whether a vector points anywhere.
fn has_direction(row: &[f32]) -> bool {
    row.iter().any(|value| *value != 0.0)
}

/// The cosine of two vectors of length 1; 0 if one has no direction.
fn cosine(one: &[f32], other: &[f32]) -> f32 {
    dot(one, other) as f32
}

/// The mean of vectors, of length 1 unless they cancel out.
fn mean<'a>(rows: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let mut sum: Vec<f32> = Vec::new();
    for row in rows {
        sum.resize(row.len().max(sum.len()), 0.0);
        sum.iter_mut()
            .zip(row)
            .for_each(|(sum, value)| *sum += value);
    }
    of_length_1(sum)
}

#[cfg(test)]
pub(crate) mod tests;
