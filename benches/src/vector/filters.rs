//! Searches that allow only some rows: a random part, the part nearest to the query, the part farthest
//! from it.
//!
//! The random part is shared by many queries, as a filter on a property is. Near and far parts are each
//! query's own. A near part is where a walk goes anyway, a far one is where it never gets by itself.

use super::set::VectorSet;
use super::truth::{self, K};
use anyhow::Result;
use roaring::RoaringBitmap;

/// What a set of allowed rows has to do with the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Random,
    Near,
    Far,
}

/// Queries that share a set of allowed rows.
pub(super) struct Group {
    pub(super) queries: Vec<usize>,
    /// The allowed rows, ascending.
    pub(super) allowed: Vec<u32>,
    /// The same as ours takes it.
    pub(super) slots: RoaringBitmap,
}

/// A kind and a share, with the right answers.
pub(super) struct Case {
    /// `random-1`: the kind and the share in per cent.
    pub(super) name: String,
    pub(super) groups: Vec<Group>,
    /// [`K`] rows a query, in the order of the groups; `u32::MAX` where there are fewer.
    pub(super) truth: Vec<u32>,
}

impl Group {
    fn new(queries: Vec<usize>, allowed: Vec<u32>) -> Self {
        Self {
            queries,
            slots: allowed.iter().copied().collect(),
            allowed,
        }
    }

    /// Row i is bit i % 8 of byte i / 8.
    pub(super) fn bits(&self, rows: usize) -> Vec<u8> {
        let mut bits = vec![0; rows.div_ceil(8)];
        for row in &self.allowed {
            bits[*row as usize / 8] |= 1 << (row % 8);
        }
        bits
    }
}

/// The shares in per cent.
pub(super) const PERCENTS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 50.0];

/// One case: `queries` of them.
pub(super) fn case(
    set: &VectorSet,
    kind: Kind,
    percent: f64,
    queries: usize,
    seed: u64,
) -> Result<Case> {
    let share = ((set.len() as f64 * percent / 100.0).round() as usize).max(1);
    let mut scores = vec![0.0; set.len()];
    let mut truth = vec![u32::MAX; queries * K];
    let mut groups = Vec::new();
    if kind == Kind::Random {
        let allowed = random(set.len(), share, seed ^ percent.to_bits());
        groups.push(Group::new((0..queries).collect(), allowed));
    }
    for (query, truth) in truth.chunks_exact_mut(K).enumerate() {
        truth::score(set.base_rows()?, set.query_rows()?, query, &mut scores)?;
        if kind != Kind::Random {
            let mut allowed = vec![u32::MAX; share];
            if kind == Kind::Far {
                scores.iter_mut().for_each(|score| *score = -*score);
            }
            truth::best(&scores, 0..set.len() as u32, &mut allowed);
            if kind == Kind::Far {
                scores.iter_mut().for_each(|score| *score = -*score);
            }
            allowed.sort_unstable();
            groups.push(Group::new(vec![query], allowed));
        }
        if let Some(group) = groups.last() {
            truth::best(&scores, group.allowed.iter().copied(), truth);
        }
    }
    let name = format!("{}-{percent}", format!("{kind:?}").to_lowercase());
    Ok(Case {
        name,
        groups,
        truth,
    })
}

fn random(rows: usize, share: usize, seed: u64) -> Vec<u32> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut chosen = random.choose_multiple(0..rows as u32, share);
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> VectorSet {
        let mut random = fastrand::Rng::with_seed(5);
        let rows = (0..1300 * 8).map(|_| random.f32() - 0.5).collect();
        VectorSet::new("small", 8, rows).unwrap()
    }

    #[test]
    fn near_holds_the_answers_and_far_none_of_them() {
        let set = small();
        for (kind, expected) in [(Kind::Near, true), (Kind::Far, false)] {
            let case = case(&set, kind, 10.0, 3, 1).unwrap();
            assert_eq!(case.groups.len(), 3);
            for (group, truth) in case.groups.iter().zip(set.truth.chunks_exact(K)) {
                assert_eq!(group.allowed.len(), 30);
                assert!(group.allowed.is_sorted());
                let inside = truth
                    .iter()
                    .all(|row| group.allowed.binary_search(row).is_ok());
                assert_eq!(inside, expected);
            }
        }
    }

    #[test]
    fn a_tiny_share_has_fewer_answers_than_asked_for() {
        let set = small();
        let case = case(&set, Kind::Random, 1.0, 2, 1).unwrap();
        assert_eq!(case.name, "random-1");
        let answers = case.truth.iter().filter(|row| **row != u32::MAX).count();
        assert_eq!(answers, 2 * 3);
        let bits = case.groups[0].bits(set.len());
        let ones: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(ones, 3);
        let row = case.groups[0].allowed[0] as usize;
        assert_eq!(bits[row / 8] >> (row % 8) & 1, 1);
    }
}
