//! Names that are near each other and are not one: of two one negates, or they differ by direction alone.

use std::collections::BTreeMap;

use stratigraph::algo::dbscan::{DbscanError, Metric, RangeQuery, Vectors};
use stratigraph::storage::cancel::Watch;

use super::direction::Directed;
use super::{Names, RelationError, Relations, cosine, has_direction, negates};

/// The most names that one is reported to be the opposite of: nobody looks through more.
pub(super) const MOST_OPPOSITES: usize = 32;

/// Two names that are near each other, of which one negates, or that differ by direction alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Opposites {
    /// The one that it is the opposite of: without the negation, or there before, or the first by name.
    pub opposite: String,
    /// The one with the negation, or with another direction.
    pub name: String,
    /// How far apart their vectors are.
    pub distance: f32,
    /// Whether they are in one cluster.
    pub together: bool,
}

/// What parts names however near their vectors are.
#[derive(Debug)]
pub(super) struct Sense {
    pub(super) negates: bool,
    directed: Directed,
}

impl Sense {
    pub(super) fn of(name: &str) -> Self {
        Self {
            negates: negates(name),
            directed: Directed::of(name),
        }
    }

    /// Its words of direction.
    pub(super) fn directions(&self) -> &[&'static str] {
        self.directed.directions()
    }

    /// Whether the two are not one.
    pub(super) fn is_opposite(&self, other: &Self) -> bool {
        self.negates != other.negates || self.directed.turns(&other.directed)
    }

    /// Whether the two say the same in the same direction, but for a negation.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.directed.says_the_same(&other.directed)
    }

    /// What opposites never have in common, both of it.
    fn kind(&self) -> (bool, &[&'static str]) {
        (self.negates, self.directions())
    }
}

impl Names<'_> {
    /// The nearest of some members that a name is the opposite of, and how far it is.
    ///
    /// Somebody may have put both kinds under one. Where one negates, every name differs from some of them then. Where they
    /// differ by direction, a name that says what one of them does is no other's opposite.
    pub(super) fn opposite(&self, place: usize, members: &[usize]) -> Option<(f32, usize)> {
        let sense = &self.senses[place];
        let mut each = members.iter().map(|other| &self.senses[*other]);
        let is_there = each.any(|other| sense.says_the_same(other));
        let others = members.iter().copied();
        let others = others.filter(|other| match is_there {
            true => sense.negates != self.senses[*other].negates,
            false => sense.is_opposite(&self.senses[*other]),
        });
        let others = others.map(|other| (self.distance(place, other), other));
        others.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Those of some members that a name is the opposite of.
    pub(super) fn opposites_among(
        &self,
        place: usize,
        members: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = usize> {
        let sense = &self.senses[place];
        members.filter(move |other| sense.is_opposite(&self.senses[*other]))
    }

    /// Whether two of some members are opposites.
    pub(super) fn has_opposites(&self, members: &[usize]) -> bool {
        let each = members.iter().enumerate();
        let mut each = each.map(|(at, one)| (*one, members[at + 1..].iter().copied()));
        each.any(|(one, others)| self.opposites_among(one, others).next().is_some())
    }

    /// Members by their words of direction: in none of these parts one turns another around.
    pub(super) fn by_direction(&self, members: Vec<usize>) -> impl Iterator<Item = Vec<usize>> {
        let mut parts: BTreeMap<&[&str], Vec<usize>> = BTreeMap::new();
        for place in members {
            let directions = self.senses[place].directions();
            parts.entry(directions).or_default().push(place);
        }
        parts.into_values()
    }

    /// How far two names are from each other.
    pub(super) fn distance(&self, one: usize, other: usize) -> f32 {
        1.0 - cosine(&self.rows[one], &self.rows[other])
    }
}

impl Relations {
    /// The pairs of opposites within `eps` of each other: how far they are apart, and their places.
    pub(super) fn find_opposites(
        &self,
        all: &Names<'_>,
        among: &[usize],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<(f32, usize, usize)>, RelationError> {
        let places = among.iter().copied();
        let places: Vec<usize> = places
            .filter(|place| has_direction(&all.rows[*place]))
            .collect();
        // Of two opposites one is at least of another kind than most names are.
        let mut kinds: BTreeMap<(bool, &[&str]), usize> = BTreeMap::new();
        for place in &places {
            *kinds.entry(all.senses[*place].kind()).or_default() += 1;
        }
        let usual = kinds.into_iter().max_by_key(|(_, count)| *count);
        let Some((usual, _)) = usual else {
            return Ok(Vec::new());
        };
        let numbers: Vec<f32> = places
            .iter()
            .flat_map(|place| all.rows[*place].iter().copied())
            .collect();
        let dimension = all.rows.first().map_or(0, Vec::len);
        let vectors = Vectors::new(&numbers, dimension, Metric::Cosine)?;
        let mut opposites = Vec::new();
        let mut near = Vec::new();
        let stopped = |error| RelationError::Clusters(DbscanError::Stopped(error));
        let rows = places.iter().enumerate();
        for (row, place) in rows.filter(|(_, place)| all.senses[**place].kind() != usual) {
            let step = watch.step("look for opposites", row as u64, places.len() as u64);
            step.map_err(stopped)?;
            near.clear();
            let within = vectors.within(row, self.clustering.eps, &mut near);
            within.map_err(stopped)?;
            let others = near.iter().map(|other| places[*other as usize]);
            let others = all.opposites_among(*place, others);
            let others = others.map(|other| (all.distance(*place, other), other));
            let mut others: Vec<(f32, usize)> = others.collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let others = others.into_iter().take(MOST_OPPOSITES);
            // Found from both sides it is one pair.
            let pair = |(apart, other)| (apart, (*place).max(other), (*place).min(other));
            opposites.extend(others.map(pair));
        }
        Ok(opposites)
    }

    /// Keeps pairs of opposites, each once: the one that negates first, if one does.
    pub(super) fn set_opposites(&mut self, all: &Names<'_>, pairs: Vec<(f32, usize, usize)>) {
        let pairs = pairs.into_iter().map(|(distance, one, other)| {
            let (name, opposite) = match all.senses[other].negates && !all.senses[one].negates {
                true => (other, one),
                false => (one, other),
            };
            ((all.names[opposite], all.names[name]), distance)
        });
        let pairs: BTreeMap<(&str, &str), f32> = pairs.collect();
        let opposites = pairs.into_iter();
        let opposites = opposites.map(|((opposite, name), distance)| Opposites {
            opposite: opposite.to_owned(),
            name: name.to_owned(),
            distance,
            together: self.name_for(opposite) == self.name_for(name),
        });
        self.opposites = opposites.collect();
    }

    /// Says anew which opposites are in one cluster.
    pub(super) fn look_at_opposites_again(&mut self) {
        for pair in &mut self.opposites {
            let name_for = |name: &String| self.names.get(name);
            pair.together = name_for(&pair.opposite) == name_for(&pair.name);
        }
    }

    /// Names that are near each other and are not one, as far as names were clustered together.
    #[must_use]
    pub fn opposites(&self) -> &[Opposites] {
        &self.opposites
    }
}
