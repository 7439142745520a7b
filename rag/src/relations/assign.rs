//! Names that come after some were put under one: each goes where it is near enough, and nothing that was decided is
//! decided again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use stratigraph::algo::dbscan::DbscanError;
use stratigraph::storage::cancel::Watch;
use stratigraph_models::Embedder;

use super::opposites::{Sense, nearest};
use super::{
    Cluster, Clustering, Names, Negations, RelationError, Relations, cosine, embedded,
    has_direction, mean,
};

/// Names that were put under one, by the name that stands for them.
pub type Kept<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

impl Relations {
    /// Takes names beside those that were put under one. These stay as they are, and so does the name that stands for
    /// them. A name goes into the cluster of these whose mean is nearest, if it is within `eps`. All others are clustered
    /// among themselves: two that are near each other are one, and what is near nothing lies alone.
    ///
    /// A name that differs by a negation, or by direction alone, from one of a cluster that it is near to is reported
    /// ([`opposites`](Self::opposites)), and goes there only if negations are as others. So do two that come at once, and
    /// would go to one cluster: neither does, unless it says the same as one that is there.
    ///
    /// # Errors
    ///
    /// A [`RelationError`] if they cannot be embedded or clustered.
    pub fn assign<'a>(
        kept: &Kept<'a>,
        names: impl IntoIterator<Item = &'a str>,
        embedder: &dyn Embedder,
        clustering: Clustering,
        watch: &mut Watch<'_>,
    ) -> Result<Self, RelationError> {
        let names: BTreeSet<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let settled = kept.iter().flat_map(|(stands, others)| {
            let others = others.iter().copied();
            others.chain([*stands])
        });
        let all: BTreeSet<&str> = names.iter().copied().chain(settled).collect();
        let all: Vec<&str> = all.into_iter().collect();
        let all = Names {
            rows: embedded(&all, embedder)?,
            senses: all.iter().map(|name| Sense::of(name)).collect(),
            names: all,
        };
        let mut relations = Self {
            clustering,
            clusters: Vec::new(),
            alone: BTreeSet::new(),
            names: BTreeMap::new(),
            opposites: Vec::new(),
        };
        let settled: Vec<Vec<usize>> = { kept.iter() }
            .map(|(stands, others)| relations.keep(stands, others, &all))
            .collect();
        let asked = (0..all.names.len()).filter(|place| names.contains(all.names[*place]));
        let asked: Vec<usize> = asked.collect();
        let mut rest = Vec::new();
        let mut near = Vec::new();
        let mut joining: Vec<Vec<(usize, f32)>> = vec![Vec::new(); settled.len()];
        for (count, place) in asked.iter().enumerate() {
            let step = watch.step("assign names", count as u64, asked.len() as u64);
            step.map_err(DbscanError::Stopped)?;
            if relations.names.contains_key(all.names[*place]) {
                continue;
            }
            match relations.nearest_kept(*place, &settled, &all, &mut near) {
                Some((distance, at)) => joining[at].push((*place, distance)),
                None => rest.push(*place),
            }
        }
        for (at, joining) in joining.iter().enumerate() {
            let left = relations.hold_back(joining, &settled[at], &all, &mut near, watch)?;
            relations.join(at, joining, &left, &all);
            rest.extend(left);
        }
        rest.sort_unstable();
        relations.cluster_among(&all, rest, watch)?;
        relations
            .clusters
            .sort_by(|a, b| a.representative.cmp(&b.representative));
        let mut pairs = relations.find_opposites(&all, &asked, watch)?;
        // Once for a cluster is enough.
        let stands = |place: usize| relations.name_for(all.names[place]);
        let told: HashSet<(usize, Option<&str>)> = { pairs.iter() }
            .flat_map(|(_, one, other)| [(*one, stands(*other)), (*other, stands(*one))])
            .collect();
        near.retain(|(_, place, other)| !told.contains(&(*place, stands(*other))));
        pairs.extend(near);
        relations.set_opposites(&all, pairs);
        Ok(relations)
    }

    /// Makes a cluster of names that were put under one. The places of its members.
    fn keep(&mut self, stands: &str, others: &BTreeSet<&str>, all: &Names<'_>) -> Vec<usize> {
        let members: BTreeSet<&str> = others.iter().copied().chain([stands]).collect();
        let members = members.into_iter();
        let places: Vec<usize> = members
            .filter_map(|name| all.names.binary_search(&name).ok())
            .collect();
        let mean = mean(places.iter().map(|place| all.rows[*place].as_slice()));
        let mut members = Vec::with_capacity(places.len());
        for place in &places {
            let name = all.names[*place].to_owned();
            self.names.insert(name.clone(), stands.to_owned());
            members.push((name, 1.0 - cosine(&all.rows[*place], &mean)));
        }
        self.clusters.push(Cluster {
            representative: stands.to_owned(),
            members,
            mean,
        });
        places
    }

    /// The nearest of the clusters that were kept, if one is near enough for a name and has no opposite of it: how far its
    /// mean is, and its place. Into `near` go the pairs of opposites.
    fn nearest_kept(
        &self,
        place: usize,
        settled: &[Vec<usize>],
        all: &Names<'_>,
        near: &mut Vec<(f32, usize, usize)>,
    ) -> Option<(f32, usize)> {
        let row = &all.rows[place];
        // What has no direction is near nothing.
        if !has_direction(row) {
            return None;
        }
        let eps = self.clustering.eps;
        let mut best: Option<(f32, usize)> = None;
        let mut opposites = Vec::new();
        for (at, (cluster, members)) in self.clusters.iter().zip(settled).enumerate() {
            let distance = 1.0 - cosine(row, &cluster.mean);
            let is_near = distance <= eps && has_direction(&cluster.mean);
            let opposite = all.opposite(place, members);
            if let Some((apart, other)) = opposite
                && (is_near || apart <= eps)
            {
                opposites.push((apart, other));
            }
            let may = opposite.is_none() || self.clustering.negations == Negations::AsOthers;
            // Clusters are in the order of the names that stand for them: of equally near ones the first is taken.
            if is_near && may && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, at));
            }
        }
        let opposites = nearest(opposites.into_iter());
        near.extend(opposites.map(|(apart, other)| (apart, place, other)));
        best
    }

    /// Those of some names that would join a cluster, and do not: they turn each other around, and nothing says which of
    /// them belongs there. Something does if a member says the same. Into `near` go the pairs of opposites.
    fn hold_back(
        &self,
        joining: &[(usize, f32)],
        members: &[usize],
        all: &Names<'_>,
        near: &mut Vec<(f32, usize, usize)>,
        watch: &mut Watch<'_>,
    ) -> Result<BTreeSet<usize>, RelationError> {
        let mut left = BTreeSet::new();
        if self.clustering.negations == Negations::AsOthers {
            return Ok(left);
        }
        let stems = all.by_stems(joining.iter().map(|(place, _)| *place));
        let there = all.by_stems(members.iter().copied());
        for (count, (place, _)) in joining.iter().enumerate() {
            let step = watch.step("join clusters", count as u64, joining.len() as u64);
            step.map_err(DbscanError::Stopped)?;
            let is_turned = all.turned(*place, &stems).next().is_some();
            if is_turned && !all.is_said(*place, &there) {
                left.insert(*place);
            }
        }
        for (count, place) in left.iter().enumerate() {
            let step = watch.step("look for opposites", count as u64, left.len() as u64);
            step.map_err(DbscanError::Stopped)?;
            // Of two that are held back the later one tells.
            let others = all.turned(*place, &stems);
            let others = others.filter(|other| other < place || !left.contains(other));
            let others = nearest(others.map(|other| (all.distance(*place, other), other)));
            near.extend(others.map(|(apart, other)| {
                let (name, opposite) = ((*place).max(other), (*place).min(other));
                (apart, name, opposite)
            }));
        }
        Ok(left)
    }

    /// Puts names, each with its distance, into a cluster that was kept, but for those that are held back.
    fn join(
        &mut self,
        at: usize,
        joining: &[(usize, f32)],
        left: &BTreeSet<usize>,
        all: &Names<'_>,
    ) {
        let cluster = &mut self.clusters[at];
        for (place, distance) in joining.iter().filter(|(place, _)| !left.contains(place)) {
            let name = all.names[*place].to_owned();
            self.names
                .insert(name.clone(), cluster.representative.clone());
            cluster.members.push((name, *distance));
        }
        cluster.members.sort_by(|a, b| a.0.cmp(&b.0));
    }
}
