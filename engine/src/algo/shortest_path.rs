//! Shortest paths between two nodes, by steps or by weights, and distances from some nodes.
//!
//! By steps, breadth-first searches from both ends meet in the middle; by weights, `dijkstra.rs`
//! does the work. Either only finds out which relationships lie on a shortest path;
//! `simple_paths.rs` lists the paths.

mod dijkstra;

use std::collections::{BTreeSet, HashMap};

use super::levels::{LevelsOptions, UNREACHED, levels};
use super::pace::Pace;
use super::projection::Ways;
use super::simple_paths::{Path, PathGraph, Paths, Step};
use super::{AlgoError, Direction, Projection};
use crate::storage::cancel::Watch;
use crate::value::NodeId;

/// How a shortest path is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShortestPathOptions {
    /// Which way relationships are followed.
    pub direction: Direction,
    /// Shortest means the least sum of weights rather than the fewest steps.
    pub weighted: bool,
}

/// How [`distances`] measures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DistanceOptions {
    /// Which way relationships are followed.
    pub direction: Direction,
    /// Measure by weights rather than steps.
    pub weighted: bool,
    /// Go no further than this.
    pub max_distance: Option<f64>,
}

/// Finds one shortest path: of all shortest ones the first by node ids, then by relationship ids.
///
/// ```
/// use stratigraph::algo::{self, ShortestPathOptions};
/// # use stratigraph::algo::{ProjectionBuilder, ProjectionOptions};
/// # use stratigraph::storage::cancel::Watch;
/// # use stratigraph::value::{NodeId, RelationshipId};
/// # let nodes = [10, 20, 30].map(NodeId::new);
/// # let options = ProjectionOptions { weights: true, ..ProjectionOptions::default() };
/// # let builder = ProjectionBuilder::new(nodes, options)?;
/// # let mut part = builder.part();
/// # part.push(nodes[0], nodes[2], RelationshipId::new(1), Some(5.0))?;
/// # part.push(nodes[0], nodes[1], RelationshipId::new(2), Some(1.0))?;
/// # part.push(nodes[1], nodes[2], RelationshipId::new(3), Some(2.0))?;
/// # drop(part);
/// # let mut watch = Watch::quiet();
/// # let graph = builder.build(1, &mut watch)?;
/// let (from, to) = (NodeId::new(10), NodeId::new(30));
/// // 10 -> 30 weighs 5, 10 -> 20 -> 30 weighs 1 + 2
/// let options = ShortestPathOptions { weighted: true, ..Default::default() };
/// let path = algo::shortest_path(&graph, from, to, &options, &mut watch)?.unwrap();
/// assert_eq!(path.length, 3.0);
/// assert_eq!(path.nodes, [from, NodeId::new(20), to]);
/// # Ok::<(), algo::AlgoError>(())
/// ```
///
/// # Errors
/// [`AlgoError::NotProjected`], [`AlgoError::NoWeights`], [`AlgoError::TooLarge`] if the incoming
/// direction has to be built, and cancellation.
pub fn shortest_path(
    projection: &Projection,
    source: NodeId,
    target: NodeId,
    options: &ShortestPathOptions,
    watch: &mut Watch<'_>,
) -> Result<Option<Path>, AlgoError> {
    let found = shortest_paths(projection, source, target, options, 1, watch)?;
    Ok(found.paths.into_iter().next())
}

/// Finds all shortest paths, but no more than `most_paths`.
///
/// Parallel relationships make paths of their own if the projection keeps relationship ids. A path
/// never visits a node twice, which matters where weights are 0.
///
/// # Errors
/// As [`shortest_path`].
pub fn shortest_paths(
    projection: &Projection,
    source: NodeId,
    target: NodeId,
    options: &ShortestPathOptions,
    most_paths: usize,
    watch: &mut Watch<'_>,
) -> Result<Paths, AlgoError> {
    let source = projection.place_of(source)?;
    let target = projection.place_of(target)?;
    let ways = Ways::of(projection, options.direction)?;
    let back = Ways::of(projection, options.direction.reverse())?;
    let graph = if options.weighted {
        if !projection.is_weighted() {
            return Err(AlgoError::NoWeights);
        }
        dijkstra::tight_graph(projection.len(), source, target, ways, back, watch)?
    } else {
        meeting_graph(projection.len(), source, target, ways, back, watch)?
    };
    match graph {
        Some(graph) => graph.list(projection, source, most_paths, usize::MAX, watch),
        None => Ok(Paths::default()),
    }
}

/// By place: the distance from the nearest of `sources`; infinite where none leads.
///
/// # Errors
/// As [`shortest_path`], and [`AlgoError::BadOption`] for a limit that is not a number.
pub fn distances(
    projection: &Projection,
    sources: &[NodeId],
    options: &DistanceOptions,
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>, AlgoError> {
    let most = options.max_distance.unwrap_or(f64::INFINITY);
    if most.is_nan() || most < 0.0 {
        return Err(AlgoError::BadOption {
            name: "max_distance",
            value: most,
            reason: "it must be 0 or more",
        });
    }
    if options.weighted {
        if !projection.is_weighted() {
            return Err(AlgoError::NoWeights);
        }
        let ways = Ways::of(projection, options.direction)?;
        let mut places = Vec::with_capacity(sources.len());
        for &source in sources {
            places.push(projection.place_of(source)?);
        }
        return dijkstra::distances(projection.len(), &places, ways, most, watch);
    }
    let options = LevelsOptions {
        direction: options.direction,
        // Whole steps that fit; the conversion stops at the largest number, which no level has.
        max_depth: Some(most as u32),
        parents: false,
    };
    let found = levels(projection, sources, &options, watch)?;
    let distance = |level| match level {
        UNREACHED => f64::INFINITY,
        level => f64::from(level),
    };
    Ok(found.levels.into_iter().map(distance).collect())
}

/// A breadth-first search from one end.
struct Wave<'a> {
    ways: Ways<'a>,
    /// By place: one more than the number of steps; 0 where it has not been. Zeroed memory costs
    /// nothing until it is touched, so a short search on a large graph stays cheap.
    reached: Vec<u32>,
    frontier: Vec<u32>,
    steps: u32,
}

impl<'a> Wave<'a> {
    fn new(nodes: usize, start: u32, ways: Ways<'a>) -> Self {
        let mut reached = vec![0; nodes];
        reached[start as usize] = 1;
        Self {
            ways,
            reached,
            frontier: vec![start],
            steps: 0,
        }
    }

    /// How many steps this end is from `place`, if it has been there.
    fn steps_to(&self, place: u32) -> Option<u32> {
        self.reached[place as usize].checked_sub(1)
    }

    fn work_ahead(&self) -> usize {
        let work = |&place| 1 + self.ways.degree(place);
        self.frontier.iter().map(work).sum()
    }

    fn advance(&mut self, pace: &mut Pace<'_, '_>) -> Result<(), AlgoError> {
        self.steps += 1;
        let mut next = Vec::new();
        for &place in &self.frontier {
            pace.advance(1 + self.ways.degree(place))?;
            for target in self.ways.neighbours(place) {
                let reached = &mut self.reached[target as usize];
                if *reached == 0 {
                    *reached = self.steps + 1;
                    next.push(target);
                }
            }
        }
        self.frontier = next;
        Ok(())
    }

    /// Adds to `places` all nodes on the shortest ways from the start of this wave to `meetings`.
    fn collect(&self, meetings: &[u32], back: Ways<'_>, places: &mut HashMap<u32, u32>) {
        let mut open = meetings.to_vec();
        while let Some(place) = open.pop() {
            let Some(before) = self.steps_to(place).and_then(|steps| steps.checked_sub(1)) else {
                continue;
            };
            for previous in back.neighbours(place) {
                if self.steps_to(previous) == Some(before)
                    && places.insert(previous, before).is_none()
                {
                    open.push(previous);
                }
            }
        }
    }
}

/// The relationships on all paths of fewest steps; `None` if there is no path.
fn meeting_graph(
    nodes: usize,
    source: u32,
    target: u32,
    ways: Ways<'_>,
    back: Ways<'_>,
    watch: &mut Watch<'_>,
) -> Result<Option<PathGraph>, AlgoError> {
    let mut pace = Pace::start(watch, "search from both ends", 0)?;
    let mut forward = Wave::new(nodes, source, ways);
    let mut backward = Wave::new(nodes, target, back);
    let meetings = loop {
        // Each wave has been everywhere within its steps, so the first contact is a shortest one,
        // and every shortest path crosses both frontiers at the same node.
        let is_reached = |&&place: &&u32| backward.steps_to(place) == Some(backward.steps);
        let meetings: Vec<u32> = forward
            .frontier
            .iter()
            .filter(is_reached)
            .copied()
            .collect();
        if !meetings.is_empty() {
            break meetings;
        }
        if forward.frontier.is_empty() || backward.frontier.is_empty() {
            return Ok(None);
        }
        if forward.work_ahead() <= backward.work_ahead() {
            forward.advance(&mut pace)?;
        } else {
            backward.advance(&mut pace)?;
        }
    };
    // By place: the number of steps from the source.
    let mut on_path: HashMap<u32, u32> = meetings
        .iter()
        .map(|&place| (place, forward.steps))
        .collect();
    forward.collect(&meetings, back, &mut on_path);
    let mut to_target = HashMap::new();
    backward.collect(&meetings, ways, &mut to_target);
    let total = forward.steps + backward.steps;
    on_path.extend(
        to_target
            .into_iter()
            .map(|(place, steps)| (place, total - steps)),
    );

    let mut graph = PathGraph::new(on_path.keys().copied().collect::<BTreeSet<u32>>());
    for from in 0..graph.places().len() {
        let place = graph.places()[from];
        let next = on_path[&place] + 1;
        let step = |entry: super::projection::Entry| {
            let is_next = on_path.get(&entry.target) == Some(&next);
            Some(Step {
                to: graph.position(entry.target).filter(|_| is_next)?,
                relationship: entry.relationship,
                length: 1.0,
            })
        };
        let steps = ways.entries(place).filter_map(step).collect();
        graph.add_steps(from, steps);
        if place == target {
            graph.add_goal(from);
        }
    }
    Ok(Some(graph))
}

#[cfg(test)]
mod tests;
