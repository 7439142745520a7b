//! Breadth-first search: how many steps each node is from the nearest root.
//!
//! Small frontiers push along their relationships. Where a frontier touches a large part of the
//! graph and the way back is there, every unreached node looks for a parent in it instead, and
//! stops at the first (after Beamer, 2012). Both give the same levels and parents.

use super::pace::Pace;
use super::projection::Ways;
use super::{AlgoError, Direction, Projection};
use crate::storage::cancel::Watch;
use crate::value::NodeId;

/// Stands for the level or parent of a node that has none.
pub const UNREACHED: u32 = u32::MAX;

/// Looking back pays once the frontier has more than this part of the entries not yet walked ...
const LOOK_BACK_ENTRIES: u64 = 14;
/// ... and until it has less than this part of the nodes.
const LOOK_BACK_NODES: usize = 24;

/// How [`levels`] walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LevelsOptions {
    /// Which way relationships are followed.
    pub direction: Direction,
    /// Go no further than this many steps.
    pub max_depth: Option<u32>,
    /// Remember for each node over which one it was reached.
    pub parents: bool,
}

/// The level of every node; see [`levels`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// By place: the number of steps from the nearest root, or [`UNREACHED`].
    pub levels: Vec<u32>,
    /// By place: the smallest place one level up that leads here; [`UNREACHED`] for roots and what
    /// they do not reach.
    pub parents: Option<Vec<u32>>,
    /// How many nodes each level has.
    pub sizes: Vec<u64>,
}

/// Finds the level of every node that `roots` reach.
///
/// ```
/// use stratigraph::algo::{self, LevelsOptions, UNREACHED};
/// # use stratigraph::algo::{ProjectionBuilder, ProjectionOptions};
/// # use stratigraph::storage::cancel::Watch;
/// # use stratigraph::value::{NodeId, RelationshipId};
/// # let nodes = [10, 20, 30, 40].map(NodeId::new);
/// # let builder = ProjectionBuilder::new(nodes, ProjectionOptions::default())?;
/// # let mut part = builder.part();
/// # part.push(nodes[0], nodes[1], RelationshipId::new(1), None)?;
/// # part.push(nodes[1], nodes[2], RelationshipId::new(2), None)?;
/// # drop(part);
/// # let mut watch = Watch::quiet();
/// # let graph = builder.build(1, &mut watch)?;
/// // 10 -> 20 -> 30, and 40 by itself
/// let found = algo::levels(&graph, &[NodeId::new(10)], &LevelsOptions::default(), &mut watch)?;
/// assert_eq!(found.levels, [0, 1, 2, UNREACHED]);
/// assert_eq!(found.sizes, [1, 1, 1]);
/// # Ok::<(), algo::AlgoError>(())
/// ```
///
/// # Errors
/// [`AlgoError::NotProjected`], and [`AlgoError::TooLarge`] if the direction has to be built.
pub fn levels(
    projection: &Projection,
    roots: &[NodeId],
    options: &LevelsOptions,
    watch: &mut Watch<'_>,
) -> Result<Levels, AlgoError> {
    let ways = Ways::of(projection, options.direction)?;
    let back = Ways::if_built(projection, options.direction.reverse());
    let nodes = projection.len();
    let mut frontier = Vec::with_capacity(roots.len());
    for &root in roots {
        frontier.push(projection.place_of(root)?);
    }
    frontier.sort_unstable();
    frontier.dedup();
    let mut search = Search {
        levels: vec![UNREACHED; nodes],
        parents: options.parents.then(|| vec![UNREACHED; nodes]),
        pace: Pace::start(watch, "search breadth-first", nodes as u64)?,
    };
    for &root in &frontier {
        search.levels[root as usize] = 0;
    }

    let mut sizes = Vec::new();
    let mut entries_left: u64 = ways.each().map(|way| way.targets().len() as u64).sum();
    let mut looks_back = false;
    for depth in 0.. {
        if frontier.is_empty() {
            break;
        }
        sizes.push(frontier.len() as u64);
        if options.max_depth.is_some_and(|most| depth >= most) {
            break;
        }
        let entries: u64 = frontier
            .iter()
            .map(|&place| ways.degree(place) as u64)
            .sum();
        looks_back = if looks_back {
            frontier.len() > nodes / LOOK_BACK_NODES
        } else {
            entries > entries_left / LOOK_BACK_ENTRIES && frontier.len() > nodes / LOOK_BACK_NODES
        };
        entries_left = entries_left.saturating_sub(entries);
        frontier = match back.filter(|_| looks_back) {
            Some(back) => search.look_back(&frontier, back, depth + 1)?,
            None => search.push(&frontier, ways, depth + 1)?,
        };
    }
    Ok(Levels {
        levels: search.levels,
        parents: search.parents,
        sizes,
    })
}

struct Search<'p, 'w> {
    levels: Vec<u32>,
    parents: Option<Vec<u32>>,
    pace: Pace<'p, 'w>,
}

impl Search<'_, '_> {
    /// The next frontier, found from this one.
    fn push(
        &mut self,
        frontier: &[u32],
        ways: Ways<'_>,
        level: u32,
    ) -> Result<Vec<u32>, AlgoError> {
        let mut next = Vec::new();
        for &place in frontier {
            self.pace.advance(1 + ways.degree(place))?;
            for target in ways.neighbours(place) {
                let found = &mut self.levels[target as usize];
                if *found == UNREACHED {
                    *found = level;
                    next.push(target);
                }
                if *found == level
                    && let Some(parents) = &mut self.parents
                {
                    // The frontier is in no order: the smallest parent wins, whoever comes first.
                    let parent = &mut parents[target as usize];
                    *parent = (*parent).min(place);
                }
            }
        }
        Ok(next)
    }

    /// The next frontier, found by every unreached node for itself.
    fn look_back(
        &mut self,
        frontier: &[u32],
        back: Ways<'_>,
        level: u32,
    ) -> Result<Vec<u32>, AlgoError> {
        let nodes = self.levels.len();
        let mut in_frontier = vec![0_u64; nodes.div_ceil(64)];
        for &place in frontier {
            in_frontier[place as usize / 64] |= 1 << (place % 64);
        }
        let is_in_frontier =
            |&&place: &&u32| in_frontier[place as usize / 64] & (1 << (place % 64)) != 0;
        let mut next = Vec::new();
        for place in 0..nodes as u32 {
            if self.levels[place as usize] != UNREACHED {
                continue;
            }
            self.pace.advance(1)?;
            // Rows are sorted, so the first parent of each is its smallest.
            let parent = back
                .each()
                .filter_map(|way| way.neighbours(place).iter().find(is_in_frontier))
                .min();
            if let Some(&parent) = parent {
                self.levels[place as usize] = level;
                next.push(place);
                if let Some(parents) = &mut self.parents {
                    parents[place as usize] = parent;
                }
            }
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::ProjectionOptions;
    use crate::algo::random_graph::{RandomGraph, cancelled_after};

    /// Relaxes every step until nothing changes.
    fn slow(
        graph: &RandomGraph,
        steps: &[(u32, u32, u64, f64)],
        roots: &[u32],
        most: u32,
    ) -> Levels {
        let mut levels = vec![UNREACHED; graph.ids.len()];
        for &root in roots {
            levels[root as usize] = 0;
        }
        for _ in 0..graph.ids.len() {
            for &(from, to, ..) in steps {
                let level = levels[from as usize];
                if level < most {
                    levels[to as usize] = levels[to as usize].min(level + 1);
                }
            }
        }
        let mut parents = vec![UNREACHED; levels.len()];
        for &(from, to, ..) in steps {
            let (above, here) = (levels[from as usize], levels[to as usize]);
            if above != UNREACHED && here == above + 1 {
                parents[to as usize] = parents[to as usize].min(from);
            }
        }
        let mut sizes = Vec::new();
        for level in 0.. {
            let size = levels.iter().filter(|&&found| found == level).count();
            if size == 0 {
                break;
            }
            sizes.push(size as u64);
        }
        let parents = Some(parents);
        Levels {
            levels,
            parents,
            sizes,
        }
    }

    #[test]
    fn levels_are_those_of_relaxation() {
        for seed in 0..600 {
            let graph = RandomGraph::new(seed, 60);
            let mut random = fastrand::Rng::with_seed(seed);
            let undirected = random.bool();
            // Without the way back, only pushing is possible.
            let options = ProjectionOptions {
                undirected,
                incoming: random.bool(),
                ..ProjectionOptions::default()
            };
            let projection = graph.project_with(options, 1, 1);
            let roots: Vec<u32> = (0..graph.ids.len().min(random.usize(0..4)))
                .map(|_| random.u32(0..graph.ids.len() as u32))
                .collect();
            let root_nodes: Vec<_> = roots.iter().map(|&root| graph.node(root)).collect();
            let forward = graph.steps(undirected);
            let backward: Vec<_> = forward.iter().map(|&(s, t, id, w)| (t, s, id, w)).collect();
            let both = [forward.clone(), backward.clone()].concat();
            for (direction, steps) in [
                (Direction::Outgoing, forward),
                (Direction::Incoming, backward),
                (Direction::Both, both),
            ] {
                let max_depth = [None, Some(0), Some(2)][random.usize(0..3)];
                let options = LevelsOptions {
                    direction,
                    max_depth,
                    parents: true,
                };
                let found = levels(&projection, &root_nodes, &options, &mut Watch::quiet());
                let expected = slow(&graph, &steps, &roots, max_depth.unwrap_or(UNREACHED));
                assert_eq!(found.unwrap(), expected, "seed {seed}, {options:?}");
            }
        }
    }

    #[test]
    fn a_long_chain_is_walked_in_linear_time() {
        let nodes = 300_000;
        let graph = RandomGraph {
            ids: (0..nodes).collect(),
            relationships: (1..nodes as u32)
                .map(|place| (place - 1, place, 1.0))
                .collect(),
        };
        let projection = graph.project(false);
        let options = LevelsOptions::default();
        let found = levels(&projection, &[graph.node(0)], &options, &mut Watch::quiet()).unwrap();
        assert_eq!(found.levels.last(), Some(&(nodes as u32 - 1)));
        let root = [graph.node(0)];
        let stopped = cancelled_after(3, |watch| levels(&projection, &root, &options, watch));
        assert!(matches!(
            stopped,
            Err(AlgoError::Engine(crate::Error::Cancelled))
        ));
        let unknown = [NodeId::new(nodes)];
        let error = levels(&projection, &unknown, &options, &mut Watch::quiet()).unwrap_err();
        assert!(matches!(error, AlgoError::NotProjected { node } if node == unknown[0]));
    }
}
