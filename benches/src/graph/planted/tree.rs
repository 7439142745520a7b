//! A tree whose sections resemble what they are under, and sections that are planted in it where nobody would look.
//!
//! A question is made of one section of the last level, and so resembles those above it as well: that is the way that is
//! kept. For each question some sections elsewhere are made to be as near to it as the one that it was made of, each
//! under a parent that is not kept.

use crate::vector::generate::{Recipe, generate, latent};
use anyhow::{Result, ensure};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::ops::Range;
use stratigraph_vector::Kernels;

pub(super) const LEVELS: usize = 5;
/// How much a section resembles the one above it; and a question, and what is planted for it, what it is made of.
const LIKE_PARENT: f32 = 0.7;
const LIKE_ORIGIN: f32 = 0.8;
/// Of a level at most one section in so many is planted for one question.
const SPARSE: usize = 100;
/// Questions that nothing is planted for, of which the thresholds come.
const CALIBRATING: usize = 20;
/// A section is kept if it is as near as one in so many that have nothing to do with the question.
const ONE_IN: usize = 50;

#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Children of a section.
    pub(super) fan_out: usize,
    pub(super) dimensions: usize,
    pub(super) questions: usize,
    /// So many are planted at a level at most.
    pub(super) most: usize,
    pub(super) seed: u64,
}

impl Shape {
    /// The places of a level: sections are numbered level by level.
    pub(super) fn level(&self, level: usize) -> Range<usize> {
        let before = |level: usize| (0..level).map(|at| self.fan_out.pow(at as u32)).sum();
        before(level)..before(level + 1)
    }

    pub(super) fn count(&self) -> usize {
        self.level(LEVELS - 1).end
    }

    /// The section above another; the root is above itself.
    pub(super) fn parent(&self, place: usize) -> usize {
        place.saturating_sub(1) / self.fan_out
    }

    /// The section itself and all above it, the root last.
    fn way(&self, place: usize) -> Vec<usize> {
        let above = std::iter::successors(Some(place), |place| {
            (*place > 0).then(|| self.parent(*place))
        });
        above.collect()
    }
}

pub(super) struct Tree {
    pub(super) shape: Shape,
    /// A vector of length one for each section.
    pub(super) rows: Vec<f32>,
    pub(super) questions: Vec<Asked>,
    /// What is as near as this is kept on the way down.
    pub(super) kept: f64,
    /// What is as near as this is recovered: of the last level about one section is so by chance.
    pub(super) recovered: f64,
}

/// A question, and what was planted for it.
pub(super) struct Asked {
    pub(super) vector: Vec<f32>,
    pub(super) planted: BTreeSet<usize>,
}

impl Tree {
    pub(super) fn grow(shape: Shape) -> Result<Self> {
        let (count, width) = (shape.count(), shape.dimensions);
        let more = CALIBRATING + shape.questions * (1 + LEVELS * shape.most);
        let mut rows = generate(Recipe {
            rows: count + more,
            dims: width,
            latent: latent(count),
            seed: shape.seed,
        })?;
        let fresh = rows.split_off(count * width);
        let mut fresh = fresh.chunks_exact(width);
        let mut fresh = || fresh.next().map(<[f32]>::to_vec).unwrap_or_default();
        for place in 1..count {
            let parent = shape.parent(place) * width;
            let (above, own) = rows.split_at_mut(place * width);
            mix(
                &mut own[..width],
                &above[parent..parent + width],
                LIKE_PARENT,
            );
        }
        let mut tree = Self {
            shape,
            rows,
            questions: Vec::new(),
            kept: 0.0,
            recovered: 0.0,
        };
        let mut rng = Rng::with_seed(shape.seed);
        let mut question = |tree: &Self| {
            let origin = rng.usize(shape.level(LEVELS - 1));
            let mut vector = fresh();
            mix(&mut vector, tree.row(origin), LIKE_ORIGIN);
            (origin, vector)
        };
        let calibrating = (0..CALIBRATING).map(|_| question(&tree));
        let calibrating: Vec<(usize, Vec<f32>)> = calibrating.collect();
        (tree.kept, tree.recovered) = tree.thresholds(&calibrating);
        let asked: Vec<(usize, Vec<f32>)> = (0..shape.questions).map(|_| question(&tree)).collect();
        // What stays as it is: the ways to what questions are made of, and parents of what is planted.
        let mut stays: BTreeSet<usize> = { asked.iter() }
            .flat_map(|(origin, _)| shape.way(*origin))
            .collect();
        let mut taken = BTreeSet::new();
        for (_, vector) in asked {
            let mut planted = BTreeSet::new();
            for level in 2..LEVELS {
                let places = shape.level(level);
                let most = shape.most.min(places.len() / SPARSE);
                let wanted = planted.len() + rng.usize(0..=most);
                while planted.len() < wanted {
                    let place = rng.usize(places.clone());
                    let parent = shape.parent(place);
                    if stays.contains(&place)
                        || taken.contains(&parent)
                        || tree.score(&vector, parent) >= tree.kept
                        || !taken.insert(place)
                    {
                        continue;
                    }
                    stays.insert(parent);
                    planted.insert(place);
                    let mut row = fresh();
                    mix(&mut row, &vector, LIKE_ORIGIN);
                    tree.rows[place * width..][..width].copy_from_slice(&row);
                }
            }
            tree.questions.push(Asked { vector, planted });
        }
        ensure!(
            tree.questions.iter().any(|asked| !asked.planted.is_empty()),
            "nothing was planted"
        );
        Ok(tree)
    }

    pub(super) fn row(&self, place: usize) -> &[f32] {
        &self.rows[place * self.shape.dimensions..][..self.shape.dimensions]
    }

    pub(super) fn score(&self, question: &[f32], place: usize) -> f64 {
        let cosine = Kernels::best().cosine(question, self.row(place));
        cosine.ok().flatten().map_or(f64::NAN, f64::from)
    }

    /// How near sections of other chapters are to questions: what one in so many reaches, and the best of the last level.
    fn thresholds(&self, questions: &[(usize, Vec<f32>)]) -> (f64, f64) {
        let chapter = |place: usize| {
            let way = self.shape.way(place);
            way[way.len() - 2]
        };
        let (mut reached, mut best) = (Vec::new(), Vec::new());
        for (origin, vector) in questions {
            let others = self.shape.level(LEVELS - 1);
            let others = others.filter(|place| chapter(*place) != chapter(*origin));
            let mut scores: Vec<f64> = others.map(|place| self.score(vector, place)).collect();
            scores.sort_unstable_by(|left, right| right.total_cmp(left));
            best.push(scores[0]);
            reached.push(scores[scores.len() / ONE_IN]);
        }
        (upper_median(reached), upper_median(best))
    }
}

/// Not the median of `measure`: between two in the middle it is the upper one, a score that was reached. What is written of
/// planted sections in `docs/evaluation.md` was counted with it.
fn upper_median(mut scores: Vec<f64>) -> f64 {
    scores.sort_unstable_by(f64::total_cmp);
    scores[scores.len() / 2]
}

/// Makes a row resemble another so much, and of length one.
fn mix(row: &mut [f32], other: &[f32], alike: f32) {
    let own = (1.0 - alike * alike).sqrt();
    for (value, other) in row.iter_mut().zip(other) {
        *value = own * *value + alike * other;
    }
    let length = Kernels::best().norm(row);
    row.iter_mut().for_each(|value| *value /= length);
}
