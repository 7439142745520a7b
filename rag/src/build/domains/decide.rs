//! Which assertions make the hierarchy: a function of the set of them, and of nothing else.
//!
//! An assertion that lies on no cycle is kept. Of the others, each strongly connected part keeps what comes of taking
//! them in order (more chains first, then by name) and leaving out each that would close a cycle.

use std::collections::{BTreeMap, BTreeSet};

use super::Pair;
use super::order::Order;

/// The most edges that are followed for a decision: a second, about.
const MOST_STEPS: usize = 20_000_000;

/// That a domain lies in another, and how many chains say so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Assertion {
    /// The wider domain and the one within it.
    pub(super) pair: Pair,
    pub(super) chains: i64,
}

/// The assertions that are kept. Given whole parts, it does not matter which others are given along.
///
/// # Errors
/// How many assertions are on cycles, if there are so many that it would take too long.
pub(super) fn hierarchy(assertions: &[Assertion]) -> Result<BTreeSet<Pair>, usize> {
    within_steps(assertions, MOST_STEPS)
}

fn within_steps(assertions: &[Assertion], most: usize) -> Result<BTreeSet<Pair>, usize> {
    let graph = Graph::of(assertions);
    let finished = graph.finished();
    let part_of = graph.parts(&finished);
    let mut kept = BTreeSet::new();
    let mut contested: Vec<(&Assertion, (usize, usize))> = Vec::new();
    for (assertion, ends) in assertions.iter().zip(&graph.edges) {
        match part_of[ends.0] == part_of[ends.1] {
            true => contested.push((assertion, *ends)),
            false => drop(kept.insert(assertion.pair.clone())),
        }
    }
    contested.sort_by_key(|(assertion, _)| (-assertion.chains, &assertion.pair));
    let count = contested.len();
    // On a long way most edges lead on in this order from the beginning.
    let mut order = Order::new(finished.into_iter().rev(), most);
    for (assertion, (from, to)) in contested {
        if order.add(from, to).ok_or(count)? {
            kept.insert(assertion.pair.clone());
        }
    }
    Ok(kept)
}

struct Graph {
    /// The ends of each assertion, in their order.
    edges: Vec<(usize, usize)>,
    below: Vec<Vec<usize>>,
    above: Vec<Vec<usize>>,
}

impl Graph {
    fn of(assertions: &[Assertion]) -> Self {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut edges = Vec::with_capacity(assertions.len());
        for Assertion { pair, .. } in assertions {
            let [from, to] = [&pair.0, &pair.1].map(|name| {
                let next = places.len();
                *places.entry(name).or_insert(next)
            });
            edges.push((from, to));
        }
        let mut below = vec![Vec::new(); places.len()];
        let mut above = vec![Vec::new(); places.len()];
        for (from, to) in &edges {
            below[*from].push(*to);
            above[*to].push(*from);
        }
        Self {
            edges,
            below,
            above,
        }
    }

    /// The nodes in the order in which a walk from above is done with them, without recursion.
    fn finished(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.below.len());
        let mut seen = vec![false; self.below.len()];
        for start in 0..self.below.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut path = vec![(start, 0)];
            while let Some((node, next)) = path.last_mut() {
                match self.below[*node].get(*next) {
                    Some(below) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[*below], true) {
                            path.push((*below, 0));
                        }
                    }
                    None => {
                        order.push(*node);
                        path.pop();
                    }
                }
            }
        }
        order
    }

    /// The number of each node's strongly connected part: Kosaraju's second walk.
    fn parts(&self, finished: &[usize]) -> Vec<usize> {
        let mut part_of = vec![usize::MAX; self.below.len()];
        for start in finished.iter().rev().copied() {
            let mut rest = vec![start];
            while let Some(node) = rest.pop() {
                if part_of[node] == usize::MAX {
                    part_of[node] = start;
                    let above = self.above[node].iter().copied();
                    rest.extend(above.filter(|above| part_of[*above] == usize::MAX));
                }
            }
        }
        part_of
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether one leads to the other.
    fn reaches(below: &[Vec<usize>], from: usize, to: usize) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut rest = vec![from];
        while let Some(node) = rest.pop() {
            if node == to {
                return true;
            }
            let next = below[node].iter().copied();
            rest.extend(next.filter(|next| seen.insert(*next)));
        }
        false
    }

    fn assertion(from: &str, to: &str, chains: i64) -> Assertion {
        let pair = (from.to_owned(), to.to_owned());
        Assertion { pair, chains }
    }

    #[test]
    fn the_weakest_assertion_of_a_cycle_is_left_out() {
        let cycle = [
            assertion("root", "a", 1),
            assertion("a", "b", 3),
            assertion("b", "c", 1),
            assertion("c", "a", 2),
            assertion("c", "leaf", 1),
        ];
        let kept = hierarchy(&cycle).unwrap();
        assert_eq!(kept.len(), 4);
        assert!(!kept.contains(&("b".to_owned(), "c".to_owned())));
        let tie = [assertion("b", "a", 1), assertion("a", "b", 1)];
        assert_eq!(
            hierarchy(&tie),
            Ok(BTreeSet::from([("a".to_owned(), "b".to_owned())]))
        );
    }

    #[test]
    fn long_circles_are_decided_and_a_tangle_is_refused() {
        let name = |number: usize| format!("{:05}", number % 20_000);
        for step in [1, 19_999] {
            let circle: Vec<Assertion> = (0..20_000)
                .map(|number| assertion(&name(number), &name(number + step), 1))
                .collect();
            assert_eq!(hierarchy(&circle).unwrap().len(), circle.len() - 1);
            assert_eq!(within_steps(&circle, 1000), Err(circle.len()));
        }
    }

    fn assertions() -> impl Strategy<Value = BTreeMap<(u8, u8), i64>> {
        prop::collection::btree_map((0..7_u8, 0..7_u8), 1..4_i64, 0..20)
            .prop_map(|map| map.into_iter().filter(|((a, b), _)| a != b).collect())
    }

    proptest! {
        /// The order in which they come does not matter, there is no cycle, and none could be put back.
        #[test]
        fn the_set_decides(set in assertions(), turn in 0..20_usize) {
            let mut list: Vec<Assertion> = set
                .iter()
                .map(|((a, b), chains)| assertion(&a.to_string(), &b.to_string(), *chains))
                .collect();
            let kept = hierarchy(&list).unwrap();
            let places = |pairs: &BTreeSet<Pair>| {
                let mut below: Vec<Vec<usize>> = vec![Vec::new(); 7];
                for (a, b) in pairs {
                    let number = |name: &str| name.parse::<usize>().unwrap();
                    below[number(a)].push(number(b));
                }
                below
            };
            // As the rule says, without an order that is kept up.
            list.sort_by_key(|one| (-one.chains, one.pair.clone()));
            let mut slowly = BTreeSet::new();
            let all: BTreeSet<Pair> = list.iter().map(|one| one.pair.clone()).collect();
            let all = places(&all);
            for Assertion { pair, .. } in &list {
                let ends: (usize, usize) = (pair.0.parse().unwrap(), pair.1.parse().unwrap());
                let is_contested = reaches(&all, ends.1, ends.0);
                if !is_contested || !reaches(&places(&slowly), ends.1, ends.0) {
                    slowly.insert(pair.clone());
                }
            }
            prop_assert_eq!(&kept, &slowly);
            let below = places(&kept);
            for Assertion { pair: (a, b), .. } in &list {
                let (a, b): (usize, usize) = (a.parse().unwrap(), b.parse().unwrap());
                let is_kept = below[a].contains(&b);
                prop_assert_eq!(is_kept, !reaches(&below, b, a));
            }
            let turn = turn.min(list.len());
            list.rotate_left(turn);
            prop_assert_eq!(hierarchy(&list), Ok(kept));
        }
    }
}
