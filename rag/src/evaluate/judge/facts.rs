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
