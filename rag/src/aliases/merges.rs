//! Merges that somebody has agreed to: which name stands for which, one step at a time, so that each can be
//! undone without touching the others.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use thiserror::Error;

use crate::extract::{Entity, Extracted};

/// Which name stands for which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merges {
    /// What stands for each name. No way along them comes back.
    stands: BTreeMap<String, String>,
}

/// Why a merge cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The name that would stand for the other is one of those it stands for.
    #[error("{alias:?} stands for {canonical:?} already; undo that first")]
    Circle {
        /// The name that would have stood for the other.
        canonical: String,
        /// The other.
        alias: String,
    },
    /// Another name stands for this one.
    #[error("{canonical:?} stands for {alias:?} already; undo that first")]
    Taken {
        /// The name that stands for it.
        canonical: String,
        /// The name.
        alias: String,
    },
}

impl Merges {
    /// No merges.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Merges that were kept: pairs of a canonical name and its alias.
    ///
    /// # Errors
    ///
    /// A [`MergeError`] if they contradict each other.
    pub fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self, MergeError> {
        let mut merges = Self::new();
        for (canonical, alias) in pairs {
            merges.apply(&canonical, &alias)?;
        }
        Ok(merges)
    }

    /// The pairs, to be kept.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.stands
            .iter()
            .map(|(alias, canonical)| (canonical.as_str(), alias.as_str()))
    }

    /// From now on this name stands for the other, and for whatever that stands for.
    ///
    /// # Errors
    ///
    /// A [`MergeError`] if another name stands for it, or it stands for this one.
    pub fn apply(&mut self, canonical: &str, alias: &str) -> Result<(), MergeError> {
        let error = |circle: bool, canonical: &str| {
            let (canonical, alias) = (canonical.to_owned(), alias.to_owned());
            match circle {
                true => MergeError::Circle { canonical, alias },
                false => MergeError::Taken { canonical, alias },
            }
        };
        if let Some(other) = self.stands.get(alias) {
            return Err(error(false, other));
        }
        if self.canonical(canonical) == alias {
            return Err(error(true, canonical));
        }
        self.stands.insert(alias.to_owned(), canonical.to_owned());
        Ok(())
    }

    /// Takes back that a name stands for this one. Whether one did.
    pub fn undo(&mut self, alias: &str) -> bool {
        self.stands.remove(alias).is_some()
    }

    /// The name that stands for this one: itself, if none does.
    #[must_use]
    pub fn canonical<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        while let Some(next) = self.stands.get(name) {
            name = next;
        }
        name
    }

    /// All names that each canonical name stands for.
    #[must_use]
    pub fn sets(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut sets: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for alias in self.stands.keys() {
            sets.entry(self.canonical(alias)).or_default().insert(alias);
        }
        sets
    }
}

/// Puts what a piece says under the names that stand for others. Entities that become one have all their kinds'
/// first, descriptions and sentences; triples that say the same are there once, and none leads to itself.
pub fn resolve(extracted: &mut Extracted, merges: &Merges) {
    let named = |name: &mut String| {
        let canonical = merges.canonical(name);
        if canonical != name {
            *name = canonical.to_owned();
        }
    };
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut entities: Vec<Entity> = Vec::new();
    for mut entity in std::mem::take(&mut extracted.entities) {
        named(&mut entity.name);
        let place = *places.entry(entity.name.clone()).or_insert(entities.len());
        match entities.get_mut(place) {
            None => entities.push(entity),
            Some(one) => join(one, entity),
        }
    }
    extracted.entities = entities;
    let mut seen = HashSet::new();
    extracted.triples.retain_mut(|triple| {
        named(&mut triple.subject);
        named(&mut triple.object);
        triple.subject != triple.object && seen.insert(triple.clone())
    });
    for chain in &mut extracted.chains {
        named(&mut chain.object);
    }
    let mut seen = HashSet::new();
    extracted.chains.retain(|chain| seen.insert(chain.clone()));
}

fn join(one: &mut Entity, other: Entity) {
    one.kind = one.kind.take().or(other.kind);
    if !other.description.is_empty() && !one.description.contains(&other.description) {
        if !one.description.is_empty() {
            one.description.push(' ');
        }
        one.description.push_str(&other.description);
    }
    one.sentences.extend(other.sentences);
    one.sentences
        .sort_unstable_by_key(|span| (span.start, span.end));
    one.sentences.dedup();
}
