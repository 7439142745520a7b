//! Relations that mean the same under several names, found by how near the names are, and put under one.
//!
//! As in EmPULIA: names are embedded and clustered by density ([`Clustering::eps`] 0.05, two names make a
//! cluster), the member nearest to a cluster's mean stands for it, and what lies alone keeps its name.
//! Names that come later are assigned to the clusters that somebody has agreed to ([`Relations::assign`]).
//!
//! One thing is not as there: "applies to" and "does not apply to" are near each other for any embedder, so
//! names that differ by a negation are never put together unless somebody says so ([`Negations`]), and are
//! reported either way ([`Relations::opposites`]). Clusters are data that people may look through and change
//! before anything is renamed.
//!
//! `negation.rs` says which names negate, `assign.rs` takes later names, `rename.rs` changes triples.

mod assign;
mod negation;
mod rename;

use std::collections::{BTreeMap, BTreeSet};

use stratigraph::algo::dbscan::{DbscanError, DbscanOptions, Metric, RangeQuery, Vectors, dbscan};
use stratigraph::storage::cancel::Watch;
use stratigraph_models::{Embedder, ModelError};
use thiserror::Error;

pub use assign::Kept;
pub use negation::negates;
pub use rename::{Renamed, rename};

/// How names are clustered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustering {
    /// The largest distance (1 less the cosine) of neighbours, and of later names to a cluster's mean.
    pub eps: f32,
    /// How many names within that distance make a dense place, the name itself included.
    pub least: u32,
    /// What happens to names that differ by a negation.
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

/// What happens to names that differ by a negation.
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

/// Two names that are near each other and differ by a negation.
#[derive(Clone, Debug, PartialEq)]
pub struct Opposites {
    /// The one without the negation.
    pub affirms: String,
    /// The one with it.
    pub negates: String,
    /// How far apart their vectors are.
    pub distance: f32,
    /// Whether they are in one cluster.
    pub together: bool,
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
/// The most names that one is reported to be the opposite of: nobody looks through more.
const MOST_OPPOSITES: usize = 32;
/// How many names are embedded at once.
const BATCH: usize = 256;

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

    /// Clusters some of the names, those that negate by themselves unless negations are as others.
    fn cluster_among(
        &mut self,
        names: &[&str],
        rows: &[Vec<f32>],
        places: Vec<usize>,
        watch: &mut Watch<'_>,
    ) -> Result<(), RelationError> {
        let parts = match self.clustering.negations {
            Negations::Apart => {
                let (negating, affirming) =
                    places.into_iter().partition(|place| negates(names[*place]));
                vec![affirming, negating]
            }
            Negations::AsOthers => vec![places],
        };
        for part in &parts {
            self.add_clusters(names, rows, part, watch)?;
        }
        Ok(())
    }

    /// Clusters some of the names, and takes what comes of it.
    fn add_clusters(
        &mut self,
        names: &[&str],
        rows: &[Vec<f32>],
        part: &[usize],
        watch: &mut Watch<'_>,
    ) -> Result<(), RelationError> {
        let dimension = rows.first().map_or(0, Vec::len);
        // What has no direction is near nothing.
        let (part, flat): (Vec<usize>, Vec<usize>) =
            part.iter().partition(|place| has_direction(&rows[**place]));
        let mut clusters: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut alone = flat;
        if !part.is_empty() {
            let numbers: Vec<f32> = part
                .iter()
                .flat_map(|place| rows[*place].iter().copied())
                .collect();
            let vectors = Vectors::new(&numbers, dimension, Metric::Cosine)?;
            let options = DbscanOptions::new(self.clustering.eps, self.clustering.least);
            let found = dbscan(&vectors, &options, watch)?;
            for (place, cluster) in part.iter().zip(&found.cluster) {
                match cluster {
                    Some(cluster) => clusters.entry(*cluster).or_default().push(*place),
                    None => alone.push(*place),
                }
            }
        }
        for members in clusters.into_values() {
            let members = members
                .into_iter()
                .map(|place| (names[place].to_owned(), rows[place].as_slice()));
            self.add_cluster(members.collect());
        }
        for place in alone {
            let name = names[place].to_owned();
            self.names.insert(name.clone(), name.clone());
            self.alone.insert(name);
        }
        Ok(())
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

    /// The pairs within `eps` of each other of which one negates: for each that does the nearest. How far they are apart, and
    /// their places.
    fn find_opposites(
        &self,
        names: &[&str],
        rows: &[Vec<f32>],
        among: &[usize],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<(f32, usize, usize)>, RelationError> {
        let places = among.iter().copied();
        let places: Vec<usize> = places
            .filter(|place| has_direction(&rows[*place]))
            .collect();
        let dimension = rows.first().map_or(0, Vec::len);
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: Vec<f32> = places
            .iter()
            .flat_map(|place| rows[*place].iter().copied())
            .collect();
        let vectors = Vectors::new(&numbers, dimension, Metric::Cosine)?;
        let negating: Vec<bool> = places.iter().map(|place| negates(names[*place])).collect();
        let mut opposites = Vec::new();
        let mut near = Vec::new();
        let stopped = |error| RelationError::Clusters(DbscanError::Stopped(error));
        for (row, _) in negating.iter().enumerate().filter(|(_, negates)| **negates) {
            let step = watch.step("look for opposites", row as u64, places.len() as u64);
            step.map_err(stopped)?;
            near.clear();
            let within = vectors.within(row, self.clustering.eps, &mut near);
            within.map_err(stopped)?;
            let others = near.iter().map(|other| *other as usize);
            let others = others.filter(|other| !negating[*other]);
            let mut others: Vec<(f32, usize)> = others
                .map(|other| {
                    (
                        1.0 - cosine(&rows[places[other]], &rows[places[row]]),
                        other,
                    )
                })
                .collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let others = others.into_iter().take(MOST_OPPOSITES);
            opposites
                .extend(others.map(|(distance, other)| (distance, places[row], places[other])));
        }
        Ok(opposites)
    }

    /// Keeps pairs of which one negates, each once.
    fn set_opposites(&mut self, names: &[&str], pairs: Vec<(f32, usize, usize)>) {
        let pairs = pairs.into_iter().map(|(distance, one, other)| {
            let (one, other) = (names[one], names[other]);
            if negates(one) {
                ((other, one), distance)
            } else {
                ((one, other), distance)
            }
        });
        let pairs: BTreeMap<(&str, &str), f32> = pairs.collect();
        let opposites = pairs.into_iter();
        let opposites = opposites.map(|((affirms, negates), distance)| Opposites {
            affirms: affirms.to_owned(),
            negates: negates.to_owned(),
            distance,
            together: self.name_for(affirms) == self.name_for(negates),
        });
        self.opposites = opposites.collect();
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

    /// Names that are near each other and differ by a negation, as far as names were clustered together.
    #[must_use]
    pub fn opposites(&self) -> &[Opposites] {
        &self.opposites
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
        for opposites in &mut self.opposites {
            let name_for = |name: &String| self.names.get(name);
            opposites.together = name_for(&opposites.affirms) == name_for(&opposites.negates);
        }
        true
    }
}

/// The vectors of names, as words.
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
        for place in 0..batch.len() {
            // An embedder of the caller's may give too few or too short ones; those are near nothing.
            let mut row = vectors.row(place).unwrap_or_default().to_vec();
            row.resize(embedder.dimensions(), 0.0);
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
    let products = one
        .iter()
        .zip(other)
        .map(|(a, b)| f64::from(*a) * f64::from(*b));
    products.sum::<f64>() as f32
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
mod tests;
