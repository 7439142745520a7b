//! Facts that are right, among the facts that were found.

use std::collections::{BTreeMap, BTreeSet};

use super::super::metrics::{
    average_precision, context_precision, ordered_recall, recall_at, set_recall,
};
use super::super::set::KnownFacts;
use crate::build::FACT;
use crate::retrieve::Found;

/// So many facts count, even if fewer are right.
const FEWEST: usize = 50;

/// How many of the facts that are found count where so many are right: a tenth more than those, so that whoever finds all of
/// a hub is not told off for knowing how much that is, and whoever gives everything is.
pub(super) fn counted(right: usize) -> usize {
    (right + right.div_ceil(10)).max(FEWEST)
}

/// The facts among what was found, each once, and those that are right, in the order of the set.
pub(super) fn found_and_gold(
    known: &KnownFacts,
    found: &[Found],
    gold: &[String],
) -> (Vec<usize>, Vec<usize>) {
    let mut seen = BTreeSet::new();
    // What the set does not know is wrong each time, and never the same as another.
    let mut unknown = usize::MAX;
    let facts = found.iter().filter(|found| found.receipt.name.kind == FACT);
    let numbers = facts.map(|found| {
        known.of_key(&found.receipt.name.key).unwrap_or_else(|| {
            unknown -= 1;
            unknown
        })
    });
    let found = numbers.filter(|number| seen.insert(*number)).collect();
    let mut seen = BTreeSet::new();
    let numbers = gold.iter().filter_map(|id| known.of_id(id));
    let gold = numbers.filter(|number| seen.insert(*number)).collect();
    (found, gold)
}

/// The measures of a list of facts.
pub(super) fn measure(found: &[usize], gold: &[usize], values: &mut BTreeMap<String, f64>) {
    let found = &found[..found.len().min(counted(gold.len()))];
    let mut put = |name: &str, value| values.insert(name.to_owned(), value);
    put("cp", context_precision(found, gold));
    put("cr", ordered_recall(found, gold));
    put("ap", average_precision(found, gold));
    put("recall", set_recall(found, gold));
    if !gold.is_empty() {
        put("recall20", recall_at(found, gold, 20));
        put("recall50", recall_at(found, gold, 50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_more_than_are_right_count() {
        let all: Vec<(usize, usize)> = [0, 1, 45, 46, 100, 547].map(|n| (n, counted(n))).into();
        let wanted = [(0, 50), (1, 50), (45, 50), (46, 51), (100, 110), (547, 602)];
        assert_eq!(all, wanted);
    }

    #[test]
    fn what_comes_after_those_that_count_is_not_seen() {
        let gold: Vec<usize> = (0..100).collect();
        let mut found: Vec<usize> = (1000..1110).collect();
        found.extend(&gold);
        let mut values = BTreeMap::new();
        measure(&found, &gold, &mut values);
        assert_eq!(
            (values["recall"], values["cp"], values["ap"]),
            (0.0, 0.0, 0.0)
        );
        measure(&found[60..], &gold, &mut values);
        assert_eq!((values["recall"], values["recall50"]), (0.6, 0.0));
    }
}
