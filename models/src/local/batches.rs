//! Which texts are computed together: those of similar length, up to so many tokens.
//!
//! A matrix product needs some hundred rows to be worth its while, and more than some thousand fall
//! out of the processor's cache. What is decided here depends on the lengths alone.

use std::ops::Range;

/// Texts of equal length that stand one after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Group {
    /// How many texts.
    pub(crate) texts: usize,
    /// How many tokens each has; never 0.
    pub(crate) tokens: usize,
}

/// Texts to be computed together, all of them in the plan's order.
#[derive(Debug, PartialEq)]
pub(crate) struct Batch {
    /// Where in the order.
    pub(crate) places: Range<usize>,
    /// The same texts by their lengths.
    pub(crate) groups: Vec<Group>,
}

/// Every text once.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The places of the texts, longest first, so that no long batch begins when the others end.
    pub(crate) order: Vec<usize>,
    pub(crate) batches: Vec<Batch>,
}

/// Puts texts of these many tokens into batches of at most so many; a text that is longer is a batch
/// of its own.
pub(crate) fn plan(lengths: &[usize], budget: usize) -> Plan {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    // Stable, so that equal lengths stay in the caller's order.
    order.sort_by_key(|place| std::cmp::Reverse(lengths[*place]));
    let mut batches: Vec<Batch> = Vec::new();
    let mut filled = 0;
    for (at, place) in order.iter().enumerate() {
        let tokens = lengths[*place];
        let fits = filled + tokens <= budget;
        let batch = match batches.last_mut() {
            Some(last) if fits => last,
            _ => {
                filled = 0;
                batches.push(Batch {
                    places: at..at,
                    groups: Vec::new(),
                });
                let last = batches.len() - 1;
                &mut batches[last]
            }
        };
        filled += tokens;
        batch.places.end = at + 1;
        match batch.groups.last_mut() {
            Some(group) if group.tokens == tokens => group.texts += 1,
            _ => batch.groups.push(Group { texts: 1, tokens }),
        }
    }
    Plan { order, batches }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_are_groups_and_the_longest_come_first() {
        let plan = plan(&[3, 5, 3, 2], 11);
        assert_eq!(plan.order, [1, 0, 2, 3]);
        let groups = |batch: &Batch| -> Vec<_> {
            batch
                .groups
                .iter()
                .map(|group| (group.texts, group.tokens))
                .collect()
        };
        assert_eq!(groups(&plan.batches[0]), [(1, 5), (2, 3)]);
        assert_eq!(groups(&plan.batches[1]), [(1, 2)]);
    }

    #[test]
    fn every_text_is_in_one_batch_and_no_batch_is_over_budget_but_for_one_long_text() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let lengths: Vec<usize> = (0..random.usize(0..60))
                .map(|_| random.usize(2..40))
                .collect();
            let budget = random.usize(1..100);
            let plan = plan(&lengths, budget);
            let mut sorted = plan.order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..lengths.len()).collect::<Vec<_>>());
            let mut next = 0;
            for batch in &plan.batches {
                assert_eq!(batch.places.start, next);
                next = batch.places.end;
                let tokens: Vec<usize> = plan.order[batch.places.clone()]
                    .iter()
                    .map(|place| lengths[*place])
                    .collect();
                let grouped: Vec<usize> = batch
                    .groups
                    .iter()
                    .flat_map(|group| vec![group.tokens; group.texts])
                    .collect();
                assert_eq!(tokens, grouped);
                let total: usize = tokens.iter().sum();
                assert!(
                    total <= budget || tokens.len() == 1,
                    "{tokens:?} for {budget}"
                );
            }
            assert_eq!(next, lengths.len());
        }
    }
}
