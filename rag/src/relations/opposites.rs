//! Names that are near each other and are not one: of two one negates, or they differ by direction alone.

use std::collections::{BTreeMap, HashMap};

use stratigraph::algo::dbscan::{DbscanError, Metric, RangeQuery, Vectors};
use stratigraph::storage::cancel::Watch;

use super::direction::Directed;
use super::{Names, RelationError, Relations, cosine, has_direction, negates};

/// The most opposites that are told of a name, the nearest: nobody looks through more. Of two that turn each other the
/// later one tells, so another may be the opposite of more.
const MOST_OPPOSITES: usize = 32;

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
}

/// Places of names by how their words begin.
pub(super) type Stems<'a> = HashMap<Vec<&'a str>, Vec<usize>>;

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

    /// Names by how their words begin: whatever turns a name around, or says the same, is in one part with it.
    pub(super) fn by_stems(&self, places: impl Iterator<Item = usize>) -> Stems<'_> {
        let mut stems = Stems::new();
        for place in places {
            let key = self.senses[place].directed.stems();
            stems.entry(key).or_default().push(place);
        }
        stems
    }

    /// Those that a name turns around. One of two that negates is no matter of direction.
    pub(super) fn turned<'s>(
        &'s self,
        place: usize,
        stems: &'s Stems<'_>,
    ) -> impl Iterator<Item = usize> + 's {
        let sense = &self.senses[place];
        let alike = self.alike(place, stems).iter().copied();
        alike.filter(move |other| {
            let other = &self.senses[*other];
            sense.negates == other.negates && sense.directed.turns(&other.directed)
        })
    }

    /// Whether one of them says the same as a name.
    pub(super) fn is_said(&self, place: usize, stems: &Stems<'_>) -> bool {
        let sense = &self.senses[place];
        let mut alike = self.alike(place, stems).iter();
        alike.any(|other| sense.says_the_same(&self.senses[*other]))
    }

    /// Those whose words begin as those of a name.
    fn alike<'s>(&'s self, place: usize, stems: &'s Stems<'_>) -> &'s [usize] {
        let part = stems.get(&self.senses[place].directed.stems());
        part.map_or(&[], Vec::as_slice)
    }

    /// Whether one of some members turns another around.
    pub(super) fn has_turned(
        &self,
        members: &[usize],
        watch: &mut Watch<'_>,
    ) -> Result<bool, RelationError> {
        let stems = self.by_stems(members.iter().copied());
        for (count, place) in members.iter().enumerate() {
            let step = watch.step("compare directions", count as u64, members.len() as u64);
            step.map_err(DbscanError::Stopped)?;
            if self.turned(*place, &stems).next().is_some() {
                return Ok(true);
            }
        }
        Ok(false)
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

/// The nearest of some names, as many as are told.
pub(super) fn nearest(
    others: impl Iterator<Item = (f32, usize)>,
) -> impl Iterator<Item = (f32, usize)> {
    let mut others: Vec<(f32, usize)> = others.collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    others.into_iter().take(MOST_OPPOSITES)
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
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: Vec<f32> = places
            .iter()
            .flat_map(|place| all.rows[*place].iter().copied())
            .collect();
        let dimension = all.rows.first().map_or(0, Vec::len);
        let vectors = Vectors::new(&numbers, dimension, Metric::Cosine)?;
        let stems = all.by_stems(places.iter().copied());
        let eps = self.clustering.eps;
        let mut opposites = Vec::new();
        let mut near = Vec::new();
        for (row, place) in places.iter().enumerate() {
            let step = watch.step("look for opposites", row as u64, places.len() as u64);
            step.map_err(DbscanError::Stopped)?;
            near.clear();
            // Few names negate, and any other may be the opposite of one that does.
            if all.senses[*place].negates {
                let within = vectors.within(row, eps, &mut near);
                within.map_err(DbscanError::Stopped)?;
            }
            let affirming = near.iter().map(|other| places[*other as usize]);
            let affirming = affirming.filter(|other| !all.senses[*other].negates);
            let affirming = affirming.map(|other| (all.distance(*place, other), other));
            // The later of two tells, as that one is the `name` of the pair.
            let turned = all.turned(*place, &stems).filter(|other| other < place);
            let turned = turned.map(|other| (all.distance(*place, other), other));
            let turned = turned.filter(|(apart, _)| *apart <= eps);
            let others = nearest(affirming.chain(turned));
            opposites.extend(others.map(|(apart, other)| (apart, *place, other)));
        }
        Ok(opposites)
    }

    /// Keeps pairs of opposites, each once. The first of two is the `name`, unless only the other one negates.
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
