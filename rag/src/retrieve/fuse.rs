//! Several lists become one.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;

use super::{Item, Scale};

/// How lists become one. What is in several lists is in the result once, with the way of the list that named it first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fusion {
    /// One after the other, as `HybridRAG` does it. Scores stay.
    Concatenate,
    /// One of each in turn. Scores stay.
    #[default]
    Interleave,
    /// Each list gives its weight over the rank and this constant together; 60 is the usual constant.
    ReciprocalRank {
        /// How little the first ranks stand out.
        constant: f32,
    },
    /// Each list gives its weight times its scores, brought to 0 for its last and 1 for its first.
    Weighted,
}

/// How several lists become one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fuse {
    /// In which way.
    #[serde(default)]
    pub by: Fusion,
    /// What each list weighs, where the way weighs them; 1 for those that nothing is said of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f32>,
}

/// The most that a list weighs, and the greatest constant: sums of them are finite.
const MOST: f32 = 1e6;

impl Fuse {
    /// What is wrong with what it is told for so many lists; nothing if all of it is heeded.
    pub(super) fn unfit(&self, lists: usize) -> Option<String> {
        let fits = |number: &f32| (0.0..=MOST).contains(number);
        if let Fusion::ReciprocalRank { constant } = &self.by
            && !fits(constant)
        {
            return Some(format!(
                "`constant` of `fuse` is {constant}, and can be from 0 to {MOST}"
            ));
        }
        let weighs_nothing = match self.by {
            Fusion::Concatenate => Some("concatenate"),
            Fusion::Interleave => Some("interleave"),
            Fusion::ReciprocalRank { .. } | Fusion::Weighted => None,
        };
        let told = self.weights.len();
        if let (Some(by), 1..) = (weighs_nothing, told) {
            return Some(format!(
                "`{by}` of `fuse` has no `weights`: `weighted` and `reciprocal_rank` have"
            ));
        }
        if told > lists {
            return Some(format!(
                "`weights` of `fuse` are {told}, and it takes no more lists than {lists}"
            ));
        }
        let wrong = self.weights.iter().copied().find(|weight| !fits(weight));
        wrong.map(|weight| {
            format!("one of the `weights` of `fuse` is {weight}, and can be from 0 to {MOST}")
        })
    }
}

/// Makes one list of several, each with its weight, the best first.
///
/// ```
/// use stratigraph::NodeId;
/// use stratigraph_rag::retrieve::{Fusion, Item, Scale, fuse};
///
/// let item = |id: u64, value| Item::found(NodeId::new(id), Scale::Cosine.score(value));
/// let near = vec![item(1, 0.9), item(2, 0.8)];
/// let named = vec![item(2, 0.7), item(3, 0.6)];
/// let both = fuse(Fusion::ReciprocalRank { constant: 60.0 }, vec![(near, 1.0), (named, 1.0)]);
/// let first = both[0].entity;
/// assert_eq!(first, NodeId::new(2).into());
/// assert_eq!(both.len(), 3);
/// ```
#[must_use]
pub fn fuse(fusion: Fusion, lists: Vec<(Vec<Item>, f32)>) -> Vec<Item> {
    match fusion {
        Fusion::Concatenate => once(lists.into_iter().flat_map(|(list, _)| list)),
        Fusion::Interleave => once(in_turn(lists)),
        Fusion::ReciprocalRank { constant } => {
            summed(lists, Scale::ReciprocalRank, |list, weight| {
                let ranks = 1..=list.len();
                ranks
                    .map(|rank| weight / (constant + rank as f32))
                    .collect()
            })
        }
        Fusion::Weighted => summed(lists, Scale::Weighted, |list, weight| {
            let scores = list.iter().map(|item| item.score.value);
            let (least, most) = scores
                .clone()
                .fold((f32::MAX, f32::MIN), |(least, most), score| {
                    (least.min(score), most.max(score))
                });
            let width = most - least;
            // One score alone, or all alike: they are all the best.
            let brought = |score| {
                if width > 0.0 {
                    (score - least) / width
                } else {
                    1.0
                }
            };
            scores.map(|score| weight * brought(score)).collect()
        }),
    }
}

/// Each item where it is first.
fn once(items: impl Iterator<Item = Item>) -> Vec<Item> {
    let mut seen = std::collections::HashSet::new();
    items.filter(|item| seen.insert(item.entity)).collect()
}

fn in_turn(lists: Vec<(Vec<Item>, f32)>) -> impl Iterator<Item = Item> {
    let mut lists: Vec<_> = lists
        .into_iter()
        .map(|(list, _)| list.into_iter())
        .collect();
    let longest = lists.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    let mut all = Vec::new();
    for _ in 0..longest {
        all.extend(lists.iter_mut().filter_map(Iterator::next));
    }
    all.into_iter()
}

/// What lists give to each item, summed; equal sums in the order in which items were named first.
fn summed(
    lists: Vec<(Vec<Item>, f32)>,
    scale: Scale,
    given: impl Fn(&[Item], f32) -> Vec<f32>,
) -> Vec<Item> {
    let mut places: HashMap<Entity, usize> = HashMap::new();
    let mut all: Vec<Item> = Vec::new();
    for (list, weight) in lists {
        let given = given(&list, weight);
        let mut counted = std::collections::HashSet::new();
        for (mut item, share) in list.into_iter().zip(given) {
            if !counted.insert(item.entity) {
                continue;
            }
            match places.get(&item.entity) {
                Some(place) => all[*place].score.value += share,
                None => {
                    places.insert(item.entity, all.len());
                    item.score = scale.score(share);
                    all.push(item);
                }
            }
        }
    }
    all.sort_by(|one, other| best_first(one.score.value, other.score.value));
    all
}

fn best_first(one: f32, other: f32) -> Ordering {
    other.total_cmp(&one)
}

#[cfg(test)]
mod tests {
    use super::super::{Operator, Pipeline};
    use super::*;
    use stratigraph::NodeId;

    fn list(items: &[(u64, f32)]) -> Vec<Item> {
        let item = |&(id, value)| Item::found(NodeId::new(id), Scale::Cosine.score(value));
        items.iter().map(item).collect()
    }

    fn ids(items: &[Item]) -> Vec<u64> {
        items.iter().map(|item| item.entity.number()).collect()
    }

    #[test]
    fn lists_follow_each_other_or_take_turns() {
        let lists = || {
            vec![
                (list(&[(1, 0.9), (2, 0.8), (3, 0.7)]), 1.0),
                (list(&[(2, 0.6), (4, 0.5)]), 1.0),
            ]
        };
        assert_eq!(ids(&fuse(Fusion::Concatenate, lists())), [1, 2, 3, 4]);
        assert_eq!(ids(&fuse(Fusion::Interleave, lists())), [1, 2, 4, 3]);
        let kept = fuse(Fusion::Concatenate, lists());
        assert_eq!(kept[1].score, Scale::Cosine.score(0.8));
    }

    #[test]
    fn ranks_and_scores_are_summed() {
        let lists = || {
            vec![
                (list(&[(1, 0.9), (2, 0.8), (3, 0.1)]), 1.0),
                (list(&[(3, 9.0), (2, 8.0), (5, 1.0)]), 1.0),
            ]
        };
        let ranked = fuse(Fusion::ReciprocalRank { constant: 1.0 }, lists());
        // 3: 1/4 + 1/2; 2: 1/3 + 1/3; 1: 1/2; 5: 1/4.
        assert_eq!(ids(&ranked), [3, 2, 1, 5]);
        assert!((ranked[0].score.value - 0.75).abs() < 1e-6);
        let weighted = fuse(Fusion::Weighted, lists());
        // 2: 0.875 + 0.875; then 1 and 3 with 1 each, as they were named; 5 with nothing.
        assert_eq!(ids(&weighted), [2, 1, 3, 5]);
        let light = fuse(
            Fusion::Weighted,
            vec![(lists().remove(0).0, 1.0), (lists().remove(1).0, 0.1)],
        );
        assert_eq!(ids(&light), [1, 2, 3, 5]);
    }

    #[test]
    fn what_a_list_names_twice_counts_once() {
        let twice = vec![(list(&[(1, 0.5), (1, 0.4), (2, 0.3)]), 1.0)];
        let ranked = fuse(Fusion::ReciprocalRank { constant: 0.0 }, twice);
        assert_eq!(ids(&ranked), [1, 2]);
        assert!((ranked[0].score.value - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_pipeline_fuses_with_numbers_that_are_some_and_are_heeded() {
        let fused = |settings: &str| {
            let lists = "[[stage]]\nname = 'a'\nrun.bm25 = { k = 1 }
[[stage]]\nname = 'b'\nrun.bm25 = { k = 1 }
[[stage]]\nname = 'c'\nfrom = ['a', 'b']\n";
            Pipeline::parse(&format!("name = 'p'\n{lists}run.fuse = {{ {settings} }}"))
        };
        let by_ranks = "by = { reciprocal_rank = { constant = ";
        for (settings, reason) in [
            (
                "by = 'weighted', weights = [nan, 1.0]",
                "stage `c`: `weights` of `fuse` has to be finite",
            ),
            (
                "by = 'weighted', weights = [1.0, inf]",
                "`weights` of `fuse` has to be finite",
            ),
            (
                format!("{by_ranks}inf }} }}").as_str(),
                "`constant` of `fuse` has to be finite",
            ),
            (
                format!("{by_ranks}-1.0 }} }}").as_str(),
                "stage `c`: `constant` of `fuse` is -1, and can be from 0 to 1000000",
            ),
            (
                "by = 'weighted', weights = [1.0, -0.5]",
                "one of the `weights` of `fuse` is -0.5",
            ),
            (
                "by = 'weighted', weights = [1e7]",
                "can be from 0 to 1000000",
            ),
            (
                "by = 'weighted', weights = [1.0, 1.0, 1.0]",
                "`weights` of `fuse` are 3, and it takes no more lists than 2",
            ),
            (
                "by = 'interleave', weights = [1.0]",
                "`interleave` of `fuse` has no `weights`",
            ),
            ("weights = [1.0]", "`interleave` of `fuse` has no `weights`"),
            (
                "by = 'concatenate', weights = [1.0, 1.0]",
                "`concatenate` of `fuse` has no `weights`",
            ),
        ] {
            let refused = fused(settings).unwrap_err().to_string();
            assert!(refused.contains(reason), "{settings}: {refused}");
        }
        for settings in [
            "by = 'weighted', weights = [0.0, 2.5]",
            "by = 'weighted', weights = [0.5]",
            format!("{by_ranks}0.0 }} }}, weights = [1.0]").as_str(),
            "by = 'concatenate'",
            "",
        ] {
            assert!(fused(settings).is_ok(), "{settings}");
        }
        // Whoever has made one without writing it down is told the same when it is run.
        let mut made = fused("").unwrap();
        let Operator::Fuse(fuse) = &mut made.stages[2].run else {
            panic!("another stage");
        };
        fuse.weights = vec![1.0];
        assert!(made.check().is_err());
    }

    #[test]
    fn nothing_makes_nothing() {
        for fusion in [Fusion::Concatenate, Fusion::Interleave, Fusion::Weighted] {
            assert!(fuse(fusion, Vec::new()).is_empty());
            assert!(fuse(fusion, vec![(Vec::new(), 1.0)]).is_empty());
        }
        let alone = fuse(Fusion::Weighted, vec![(list(&[(1, 0.2)]), 0.5)]);
        assert!((alone[0].score.value - 0.5).abs() < 1e-6);
    }
}
