//! Which nodes hang together: weakly (whatever the direction) and strongly (there and back).
//!
//! A component is named by its smallest place, so its name does not depend on the order of the
//! walk. Neither algorithm recurses: a chain of a million nodes must not overflow the stack.

use super::pace::Pace;
use super::{AlgoError, Projection};
use crate::storage::cancel::Watch;

/// The component of every node; see [`weak_components`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// By place: the smallest place of the component.
    pub component: Vec<u32>,
    /// How many components there are.
    pub count: usize,
}

impl Components {
    /// Every component with its number of nodes: largest first, then by smallest place.
    #[must_use]
    pub fn sizes(&self) -> Vec<(u32, u64)> {
        let mut size_of = vec![0_u64; self.component.len()];
        for &name in &self.component {
            size_of[name as usize] += 1;
        }
        let mut sizes: Vec<_> = (0_u32..)
            .zip(size_of)
            .filter(|&(_, size)| size > 0)
            .collect();
        sizes.sort_by_key(|&(name, size)| (std::cmp::Reverse(size), name));
        sizes
    }

    fn of(component: Vec<u32>) -> Self {
        let is_first = |(place, &name): (u32, &u32)| place == name;
        let count = (0_u32..)
            .zip(&component)
            .filter(|&pair| is_first(pair))
            .count();
        Self { component, count }
    }
}

/// Groups nodes that are connected by relationships of any direction.
///
/// ```
/// use stratigraph::algo;
/// # use stratigraph::algo::{ProjectionBuilder, ProjectionOptions};
/// # use stratigraph::storage::cancel::Watch;
/// # use stratigraph::value::{NodeId, RelationshipId};
/// # let nodes = [10, 20, 30].map(NodeId::new);
/// # let builder = ProjectionBuilder::new(nodes, ProjectionOptions::default())?;
/// # let mut part = builder.part();
/// # part.push(nodes[2], nodes[0], RelationshipId::new(1), None)?;
/// # drop(part);
/// # let mut watch = Watch::quiet();
/// # let graph = builder.build(1, &mut watch)?;
/// // 30 -> 10, and 20 by itself
/// assert_eq!(algo::weak_components(&graph, &mut watch)?.component, [0, 1, 0]);
/// assert_eq!(algo::strong_components(&graph, &mut watch)?.count, 3);
/// # Ok::<(), algo::AlgoError>(())
/// ```
///
/// # Errors
/// Cancellation.
pub fn weak_components(
    projection: &Projection,
    watch: &mut Watch<'_>,
) -> Result<Components, AlgoError> {
    let nodes = projection.len() as u32;
    let mut pace = Pace::start(
        watch,
        "join components",
        projection.outgoing().targets().len() as u64,
    )?;
    // The smaller root always stays a root, so at the end each root is the smallest of its tree.
    let mut above: Vec<u32> = (0..nodes).collect();
    for place in 0..nodes {
        pace.advance(projection.degree(place))?;
        let mut root = root_of(&mut above, place);
        for &target in projection.neighbours(place) {
            let other = root_of(&mut above, target);
            let (low, high) = (root.min(other), root.max(other));
            above[high as usize] = low;
            root = low;
        }
    }
    // Everything above a place is smaller, so by now it has its final name.
    for place in 0..above.len() {
        above[place] = above[above[place] as usize];
    }
    Ok(Components::of(above))
}

/// The root of a tree; halves the way to it for the next who asks.
fn root_of(above: &mut [u32], mut place: u32) -> u32 {
    loop {
        let parent = above[place as usize];
        let grandparent = above[parent as usize];
        if parent == grandparent {
            return parent;
        }
        above[place as usize] = grandparent;
        place = grandparent;
    }
}

/// Not yet met by the strong search.
const UNSEEN: u32 = u32::MAX;
/// Its component is complete.
const CLOSED: u32 = u32::MAX - 1;

/// Groups nodes that reach each other along relationships (Tarjan's algorithm).
///
/// # Errors
/// Cancellation.
pub fn strong_components(
    projection: &Projection,
    watch: &mut Watch<'_>,
) -> Result<Components, AlgoError> {
    let nodes = projection.len();
    let mut pace = Pace::start(watch, "find strong components", nodes as u64)?;
    let mut component = vec![0_u32; nodes];
    // The order of discovery, lowered to the earliest open node that can be reached.
    let mut low = vec![UNSEEN; nodes];
    let mut discovered = 0_u32;
    // Met, and their component not complete.
    let mut open: Vec<u32> = Vec::new();
    // The walk: a node, its number, and how many of its neighbours have been looked at.
    let mut walk: Vec<(u32, u32, usize)> = Vec::new();
    for root in 0..nodes as u32 {
        if low[root as usize] != UNSEEN {
            continue;
        }
        pace.advance(1)?;
        low[root as usize] = discovered;
        walk.push((root, discovered, 0));
        open.push(root);
        discovered += 1;
        while let Some(&mut (place, number, ref mut looked_at)) = walk.last_mut() {
            if let Some(&target) = projection.neighbours(place).get(*looked_at) {
                *looked_at += 1;
                match low[target as usize] {
                    CLOSED => {}
                    UNSEEN => {
                        pace.advance(1)?;
                        low[target as usize] = discovered;
                        walk.push((target, discovered, 0));
                        open.push(target);
                        discovered += 1;
                    }
                    earlier => low[place as usize] = low[place as usize].min(earlier),
                }
                continue;
            }
            walk.pop();
            let lowest = low[place as usize];
            if let Some(&(caller, ..)) = walk.last() {
                low[caller as usize] = low[caller as usize].min(lowest);
            }
            if lowest == number {
                let start = open
                    .iter()
                    .rposition(|&member| member == place)
                    .unwrap_or(0);
                let members = open.split_off(start);
                let name = members.iter().copied().min().unwrap_or(place);
                for member in members {
                    low[member as usize] = CLOSED;
                    component[member as usize] = name;
                }
            }
        }
    }
    Ok(Components::of(component))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::random_graph::{RandomGraph, cancelled_after};

    /// Names every node by the smallest one it is together with.
    fn smallest(nodes: usize, together: impl Fn(usize, usize) -> bool) -> Vec<u32> {
        (0..nodes)
            .map(|a| (0..nodes).position(|b| together(a, b)).unwrap() as u32)
            .collect()
    }

    #[test]
    fn components_are_those_of_the_reachability_closure() {
        for seed in 0..500 {
            let graph = RandomGraph::new(seed, 40);
            let nodes = graph.ids.len();
            let undirected = seed % 3 == 0;
            let projection = graph.project(undirected);
            let closure = |steps: &[(u32, u32, u64, f64)]| {
                let mut reach = vec![vec![false; nodes]; nodes];
                for &(from, to, ..) in steps {
                    reach[from as usize][to as usize] = true;
                }
                for (place, row) in reach.iter_mut().enumerate() {
                    row[place] = true;
                }
                for middle in 0..nodes {
                    let onwards = reach[middle].clone();
                    for row in &mut reach {
                        if row[middle] {
                            for (to, &reached) in row.iter_mut().zip(&onwards) {
                                *to |= reached;
                            }
                        }
                    }
                }
                reach
            };
            let weak = closure(&graph.steps(true));
            let strong = closure(&graph.steps(undirected));
            let found = weak_components(&projection, &mut Watch::quiet()).unwrap();
            assert_eq!(
                found.component,
                smallest(nodes, |a, b| weak[a][b]),
                "seed {seed}"
            );
            let found = strong_components(&projection, &mut Watch::quiet()).unwrap();
            let expected = smallest(nodes, |a, b| strong[a][b] && strong[b][a]);
            assert_eq!(found.component, expected, "seed {seed}");

            let mut names = expected.clone();
            names.sort_unstable();
            names.dedup();
            assert_eq!(found.count, names.len(), "seed {seed}");
            let sizes = found.sizes();
            assert!(sizes.is_sorted_by_key(|&(name, size)| (std::cmp::Reverse(size), name)));
            for (name, size) in sizes {
                let members = expected.iter().filter(|&&other| other == name).count();
                assert_eq!(size, members as u64, "seed {seed}");
            }
        }
    }

    #[test]
    fn a_long_cycle_needs_no_stack_and_can_be_cancelled() {
        let nodes = 200_000_u32;
        let graph = RandomGraph {
            ids: (0..u64::from(nodes)).collect(),
            relationships: (0..nodes)
                .map(|place| (place, (place + 1) % nodes, 1.0))
                .collect(),
        };
        let projection = graph.project(false);
        assert_eq!(
            strong_components(&projection, &mut Watch::quiet())
                .unwrap()
                .count,
            1
        );
        assert_eq!(
            weak_components(&projection, &mut Watch::quiet())
                .unwrap()
                .count,
            1
        );
        assert!(cancelled_after(2, |watch| strong_components(&projection, watch)).is_err());
        assert!(cancelled_after(2, |watch| weak_components(&projection, watch)).is_err());
    }
}
