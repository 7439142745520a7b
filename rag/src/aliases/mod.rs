//! Names of one thing: proposals of which names mean the same, and merges that somebody has agreed to.
//!
//! [`propose`] only proposes, and says why: names that are the same but for case, marks and articles, names and
//! their abbreviations, and names that share a word and whose vectors are near. Names with different numbers,
//! kinds, or a negation more are never proposed, and vectors only of names that the embedder can read.
//! [`Merges`] is what was agreed: data, applied and undone one by one, exactly. [`resolve`] puts what a piece
//! says under the names that stand for others.
//!
//! Nothing here knows a graph.

mod merges;
mod names;

use std::collections::{BTreeMap, BTreeSet};

use stratigraph_models::{Embedder, ModelError};

use crate::cosine::cosine;
use crate::relations::{negates, reads};
use names::{Shape, initials, shape};

pub use merges::{MergeError, Merges, resolve};
pub use names::normalised;

/// A name and what is known of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Named<'a> {
    /// The name.
    pub name: &'a str,
    /// What kind of thing it names, if that is known.
    pub kind: Option<&'a str>,
    /// How often it is mentioned: the more, the rather it stands for others.
    pub mentions: usize,
}

/// Two names that may mean the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The one that would stand for both.
    pub canonical: String,
    /// The other.
    pub alias: String,
    /// Why.
    pub reason: Reason,
}

/// Why two names may mean the same.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// They are the same but for case, marks, signs and articles.
    SameWords,
    /// One has the first letters of the other.
    Abbreviation,
    /// They share a word, and their vectors have this cosine.
    Near(f32),
}

/// How near vectors of names have to be to be proposed.
pub const LEAST_COSINE: f32 = 0.9;

/// What more names share than these says nothing about any two of them.
const LARGEST_BLOCK: usize = 64;
/// How many names are embedded at once.
const BATCH: usize = 256;

/// Which of these names may mean the same, sorted by name. Without an embedder only letters are compared. The
/// time is in proportion to the names, as only those are compared that share a word which few have.
///
/// # Errors
///
/// When the embedder cannot compute.
pub fn propose(
    names: &[Named<'_>],
    embedder: Option<(&dyn Embedder, f32)>,
) -> Result<Vec<Proposal>, ModelError> {
    // The same name twice is one, with all its mentions.
    let mut known: BTreeMap<&str, Named<'_>> = BTreeMap::new();
    for named in names {
        let one = known.entry(named.name).or_insert(Named {
            mentions: 0,
            ..*named
        });
        one.mentions += named.mentions;
        one.kind = one.kind.or(named.kind);
    }
    let names: Vec<Named<'_>> = known.into_values().collect();
    let shapes: Vec<Shape> = names.iter().map(|named| shape(named.name)).collect();
    let mut pairs: BTreeMap<(usize, usize), Reason> = BTreeMap::new();
    same_words(&shapes, &mut pairs);
    abbreviations(&names, &shapes, &mut pairs);
    if let Some((embedder, least)) = embedder {
        near(&names, &shapes, embedder, least, &mut pairs)?;
    }
    let agree = |one: usize, other: usize| match (names[one].kind, names[other].kind) {
        (Some(one), Some(other)) => one.to_lowercase() == other.to_lowercase(),
        _ => true,
    };
    let mut proposals: Vec<Proposal> = pairs
        .into_iter()
        .filter(|((one, other), _)| agree(*one, *other))
        .map(|((one, other), reason)| {
            let (canonical, alias) = if stands_for(&names[one], &names[other]) {
                (one, other)
            } else {
                (other, one)
            };
            Proposal {
                canonical: names[canonical].name.to_owned(),
                alias: names[alias].name.to_owned(),
                reason,
            }
        })
        .collect();
    proposals.sort_by(|a, b| (&a.canonical, &a.alias).cmp(&(&b.canonical, &b.alias)));
    Ok(proposals)
}

/// Which of two stands for both: the one that is mentioned more, else the longer, else the first by name.
fn stands_for(one: &Named<'_>, other: &Named<'_>) -> bool {
    let rank = |named: &Named<'_>| (named.mentions, named.name.chars().count());
    match rank(one).cmp(&rank(other)) {
        std::cmp::Ordering::Equal => one.name < other.name,
        order => order.is_gt(),
    }
}

/// Each with the first of those with the same words: a star, so that many are as many proposals.
fn same_words(shapes: &[Shape], pairs: &mut BTreeMap<(usize, usize), Reason>) {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, shape) in shapes
        .iter()
        .enumerate()
        .filter(|(_, shape)| !shape.normalised.is_empty())
    {
        match first.get(shape.normalised.as_str()) {
            Some(one) => {
                pairs.insert((*one, place), Reason::SameWords);
            }
            None => {
                first.insert(&shape.normalised, place);
            }
        }
    }
}

fn abbreviations(
    names: &[Named<'_>],
    shapes: &[Shape],
    pairs: &mut BTreeMap<(usize, usize), Reason>,
) {
    let mut short: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, named) in names.iter().enumerate() {
        let letters: String = named.name.chars().filter(|sign| *sign != '.').collect();
        let capitals =
            letters.chars().all(char::is_uppercase) && (2..=8).contains(&letters.chars().count());
        if capitals {
            short.entry(letters.to_lowercase()).or_default().push(place);
        }
    }
    let mut full: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, shape) in shapes.iter().enumerate() {
        if let Some(letters) = initials(shape).filter(|letters| short.contains_key(letters)) {
            full.entry(letters).or_default().push(place);
        }
    }
    // Letters that could be several names are no abbreviation of any.
    for (letters, full) in full {
        let same = full
            .iter()
            .all(|place| shapes[*place].normalised == shapes[full[0]].normalised);
        for one in short.get(&letters).into_iter().flatten().filter(|_| same) {
            let pair = (full[0].min(*one), full[0].max(*one));
            pairs.entry(pair).or_insert(Reason::Abbreviation);
        }
    }
}

/// Names that share a word few have, and whose vectors are near.
fn near(
    names: &[Named<'_>],
    shapes: &[Shape],
    embedder: &dyn Embedder,
    least: f32,
    pairs: &mut BTreeMap<(usize, usize), Reason>,
) -> Result<(), ModelError> {
    let mut blocks: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (place, shape) in shapes.iter().enumerate() {
        for word in &shape.words {
            blocks.entry(word).or_default().insert(place);
        }
    }
    blocks.retain(|_, block| (2..=LARGEST_BLOCK).contains(&block.len()));
    let places: BTreeSet<usize> = blocks.values().flatten().copied().collect();
    // What the embedder cannot read is all the same to it.
    let mut readable = Vec::with_capacity(places.len());
    for place in places {
        if reads(embedder, names[place].name)? {
            readable.push(place);
        }
    }
    let mut rows: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
    for batch in readable.chunks(BATCH) {
        let texts: Vec<&str> = batch.iter().map(|place| names[*place].name).collect();
        let vectors = embedder.embed(&texts)?;
        for (place, row) in batch.iter().zip(vectors.iter()) {
            rows.insert(*place, row.to_vec());
        }
    }
    let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
    for block in blocks.values() {
        let block: Vec<usize> = block.iter().copied().collect();
        for (at, one) in block.iter().enumerate() {
            for other in &block[at + 1..] {
                let pair = (*one, *other);
                let may = shapes[*one].numbers == shapes[*other].numbers
                    && negates(names[*one].name) == negates(names[*other].name);
                if !may || pairs.contains_key(&pair) || !seen.insert(pair) {
                    continue;
                }
                let (Some(a), Some(b)) = (rows.get(one), rows.get(other)) else {
                    continue;
                };
                let cosine = cosine(a, b).unwrap_or_default();
                if cosine >= least {
                    pairs.insert(pair, Reason::Near(cosine));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
