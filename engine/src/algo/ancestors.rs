//! Climbing from nodes towards the roots of a hierarchy.
//!
//! Up is the direction the caller names: with `(part)-[:PART_OF]->(whole)` it is outgoing. The
//! hierarchy may have several roots and several ways up (a DAG); cycles end a climb but not the
//! search.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::pace::Pace;
use super::projection::Ways;
use super::simple_paths::{PathGraph, Paths, Step};
use super::{AlgoError, Direction, Projection};
use crate::storage::cancel::Watch;
use crate::value::NodeId;

/// So many starting nodes climb together, as the bits of one number.
const STARTS_AT_ONCE: usize = 64;

/// How [`ancestors`] climbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AncestorsOptions {
    /// Which way up is.
    pub direction: Direction,
    /// Climb no more than this many steps.
    pub max_depth: Option<u32>,
}

/// A node that some starting nodes reach by climbing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    /// The node.
    pub node: NodeId,
    /// The fewest steps from any starting node that reaches it.
    pub distance: u32,
    /// Which starting nodes reach it: positions in the list that was given, ascending.
    pub starts: Vec<u32>,
    /// Whether nothing is above it, except perhaps itself.
    pub is_root: bool,
}

/// Finds everything above `starts`, nearest first, then by node id.
///
/// A starting node is not its own ancestor, even on a cycle; it may be one of another.
///
/// ```
/// use stratigraph::algo::{self, AncestorsOptions};
/// # use stratigraph::algo::{ProjectionBuilder, ProjectionOptions};
/// # use stratigraph::storage::cancel::Watch;
/// # use stratigraph::value::{NodeId, RelationshipId};
/// # let nodes = [1, 2, 3, 4].map(NodeId::new);
/// # let builder = ProjectionBuilder::new(nodes, ProjectionOptions::default())?;
/// # let mut part = builder.part();
/// # part.push(nodes[0], nodes[2], RelationshipId::new(1), None)?;
/// # part.push(nodes[1], nodes[2], RelationshipId::new(2), None)?;
/// # part.push(nodes[2], nodes[3], RelationshipId::new(3), None)?;
/// # drop(part);
/// # let mut watch = Watch::quiet();
/// # let graph = builder.build(1, &mut watch)?;
/// // paragraphs 1 and 2 are part of chapter 3, which is part of book 4
/// let starts = [1, 2].map(NodeId::new);
/// let found = algo::ancestors(&graph, &starts, &AncestorsOptions::default(), &mut watch)?;
/// assert_eq!((found[0].node, found[0].distance), (NodeId::new(3), 1));
/// assert_eq!(found[0].starts, [0, 1]);
/// assert!(found[1].is_root);
/// # Ok::<(), algo::AlgoError>(())
/// ```
///
/// It holds a few dozen bytes per node it finds, and 4 more for each start that reaches it.
///
/// # Errors
/// [`AlgoError::NotProjected`], [`AlgoError::TooLarge`] if the direction has to be built, and
/// cancellation.
pub fn ancestors(
    projection: &Projection,
    starts: &[NodeId],
    options: &AncestorsOptions,
    watch: &mut Watch<'_>,
) -> Result<Vec<Ancestor>, AlgoError> {
    let ways = Ways::of(projection, options.direction)?;
    let mut places = Vec::with_capacity(starts.len());
    for &start in starts {
        places.push(projection.place_of(start)?);
    }
    let mut pace = Pace::start(watch, "climb", 0)?;
    let mut found: BTreeMap<u32, (u32, Vec<u32>)> = BTreeMap::new();
    for (batch, places) in places.chunks(STARTS_AT_ONCE).enumerate() {
        let first_start = (batch * STARTS_AT_ONCE) as u32;
        for (place, climbed) in climb(places, ways, options.max_depth, &mut pace)? {
            // A start that is met at distance 0 is not its own ancestor.
            let own = places
                .iter()
                .enumerate()
                .filter(|&(_, &start)| start == place);
            let own: u64 = own.map(|(start, _)| 1 << start).sum();
            let Some(distance) = climbed.distance else {
                continue;
            };
            let reached = found.entry(place).or_insert((distance, Vec::new()));
            reached.0 = reached.0.min(distance);
            let bits =
                (0..STARTS_AT_ONCE as u32).filter(|bit| (climbed.starts & !own) >> bit & 1 == 1);
            reached.1.extend(bits.map(|bit| first_start + bit));
        }
    }
    let mut ancestors: Vec<Ancestor> = found
        .into_iter()
        .filter_map(|(place, (distance, starts))| {
            Some(Ancestor {
                node: projection.node(place)?,
                distance,
                starts,
                is_root: is_root(place, ways),
            })
        })
        .collect();
    // They are in the order of nodes, which a stable sort keeps.
    ancestors.sort_by_key(|ancestor| ancestor.distance);
    Ok(ancestors)
}

/// How a node was reached.
#[derive(Debug, Clone, Copy, Default)]
struct Climbed {
    /// One bit for each start.
    starts: u64,
    /// The fewest steps; `None` while only the node itself starts here.
    distance: Option<u32>,
}

/// Climbs from up to 64 places at once, level by level.
fn climb(
    places: &[u32],
    ways: Ways<'_>,
    max_depth: Option<u32>,
    pace: &mut Pace<'_, '_>,
) -> Result<HashMap<u32, Climbed>, AlgoError> {
    let mut reached: HashMap<u32, Climbed> = HashMap::new();
    let mut frontier: HashMap<u32, u64> = HashMap::new();
    for (start, &place) in places.iter().enumerate() {
        reached.entry(place).or_default().starts |= 1 << start;
        *frontier.entry(place).or_default() |= 1 << start;
    }
    for distance in 1.. {
        if frontier.is_empty() || max_depth.is_some_and(|most| distance > most) {
            break;
        }
        let mut next: HashMap<u32, u64> = HashMap::new();
        for (&place, &starts) in &frontier {
            pace.advance(1 + ways.degree(place))?;
            for above in ways.neighbours(place) {
                let known = reached.entry(above).or_default();
                let new = starts & !known.starts;
                if new != 0 {
                    known.starts |= new;
                    known.distance.get_or_insert(distance);
                    *next.entry(above).or_default() |= new;
                }
            }
        }
        frontier = next;
    }
    Ok(reached)
}

/// Whether nothing else is above a place.
fn is_root(place: u32, ways: Ways<'_>) -> bool {
    ways.neighbours(place).all(|above| above == place)
}

/// How [`paths_to_roots`] climbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootPathsOptions {
    /// Which way up is.
    pub direction: Direction,
    /// List no path of more than this many steps.
    pub max_depth: Option<u32>,
    /// List no more than this many paths.
    pub most_paths: usize,
}

impl Default for RootPathsOptions {
    /// Outgoing is up; up to 100 paths of any length.
    fn default() -> Self {
        Self {
            direction: Direction::Outgoing,
            max_depth: None,
            most_paths: 100,
        }
    }
}

/// Lists the ways from `start` up to the roots, in order of node ids step by step.
///
/// Parallel relationships make one path, whose relationships are left empty: what counts here is
/// which nodes lie above which. A climb that can only go round in circles reaches no root and gives
/// no path. A node with nothing above it is a root itself, and its only path is itself.
///
/// # Errors
/// As [`ancestors`].
pub fn paths_to_roots(
    projection: &Projection,
    start: NodeId,
    options: &RootPathsOptions,
    watch: &mut Watch<'_>,
) -> Result<Paths, AlgoError> {
    let ways = Ways::of(projection, options.direction)?;
    let start = projection.place_of(start)?;
    let reached = {
        let mut pace = Pace::start(watch, "climb", 0)?;
        climb(&[start], ways, options.max_depth, &mut pace)?
    };
    let mut graph = PathGraph::new(reached.into_keys().collect::<BTreeSet<u32>>());
    let mut is_cut = false;
    for from in 0..graph.places().len() {
        let place = graph.places()[from];
        if is_root(place, ways) {
            graph.add_goal(from);
            continue;
        }
        let mut steps = Vec::new();
        for above in ways.neighbours(place).filter(|&above| above != place) {
            match graph.position(above) {
                Some(to) => steps.push(Step {
                    to,
                    relationship: None,
                    length: 1.0,
                }),
                None => is_cut = true,
            }
        }
        graph.add_steps(from, steps);
    }
    let most_steps = options.max_depth.map_or(usize::MAX, |depth| depth as usize);
    let mut found = graph.list(projection, start, options.most_paths, most_steps, watch)?;
    found.more |= is_cut;
    Ok(found)
}

#[cfg(test)]
mod tests;
