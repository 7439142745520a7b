//! Lists paths through a small graph in a fixed order, up to a limit.
//!
//! Shortest paths and paths to the roots first find out which nodes and relationships can be part
//! of a path; what remains is listed here. Steps are tried in order of (node, relationship), so
//! paths come out in lexicographic order. A path never visits a node twice. Where the graph has
//! cycles, each step first makes sure that a goal can still be reached past the nodes of the path:
//! without that, dead ends could take exponential time.

use std::collections::{BTreeSet, VecDeque};

use super::pace::Pace;
use super::{AlgoError, Projection};
use crate::storage::cancel::Watch;
use crate::value::{NodeId, RelationshipId};

/// A path through the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The nodes in order, both ends included.
    pub nodes: Vec<NodeId>,
    /// The relationships between them; empty if the projection does not keep them.
    pub relationships: Vec<RelationshipId>,
    /// The sum of the weights, or the number of steps where weights were not asked for.
    pub length: f64,
}

/// Some paths, in lexicographic order of their nodes (then of their relationships).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Paths {
    /// The paths.
    pub paths: Vec<Path>,
    /// Whether a limit left out, or may have left out, further ones.
    pub more: bool,
}

/// One step of a path graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    /// The position of the node it leads to.
    pub(super) to: usize,
    pub(super) relationship: Option<RelationshipId>,
    pub(super) length: f64,
}

/// The part of a projection that paths are made of. Nodes are known by their position.
pub(super) struct PathGraph {
    /// In ascending order, so that positions sort like places.
    places: Vec<u32>,
    steps: Vec<Vec<Step>>,
    /// Whether a path ends here.
    is_goal: Vec<bool>,
}

/// Marks nodes from which no goal can be reached.
const NO_WAY: usize = usize::MAX;

impl PathGraph {
    /// A graph of these places, without steps or goals yet.
    pub(super) fn new(places: BTreeSet<u32>) -> Self {
        Self {
            steps: vec![Vec::new(); places.len()],
            is_goal: vec![false; places.len()],
            places: places.into_iter().collect(),
        }
    }

    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    pub(super) fn position(&self, place: u32) -> Option<usize> {
        self.places.binary_search(&place).ok()
    }

    pub(super) fn add_goal(&mut self, at: usize) {
        self.is_goal[at] = true;
    }

    /// Adds the steps from a node, in any order. Steps that cannot be told apart count once.
    pub(super) fn add_steps(&mut self, from: usize, mut steps: Vec<Step>) {
        steps.sort_by(|a, b| {
            let order = (a.to, a.relationship).cmp(&(b.to, b.relationship));
            order.then(a.length.total_cmp(&b.length))
        });
        steps.dedup_by_key(|step| (step.to, step.relationship));
        self.steps[from] = steps;
    }

    /// The paths from `start` to any goal: no more than `most_paths` of them, and none with more
    /// than `most_steps` steps. A goal ends a path.
    pub(super) fn list(
        &self,
        projection: &Projection,
        start: u32,
        most_paths: usize,
        most_steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Paths, AlgoError> {
        let mut found = Paths::default();
        let Some(start) = self.position(start) else {
            return Ok(found);
        };
        let mut pace = Pace::start(watch, "list paths", 0)?;
        let to_goal = self.steps_to_goal(&mut pace)?;
        if to_goal[start] > most_steps {
            found.more = to_goal[start] != NO_WAY;
            return Ok(found);
        }
        let has_cycle = self.has_cycle();
        let mut on_path = vec![false; self.places.len()];
        let mut path: Vec<Step> = vec![Step {
            to: start,
            relationship: None,
            length: 0.0,
        }];
        // How many steps from each node of the path have been tried.
        let mut tried = vec![0];
        on_path[start] = true;
        while let (Some(last), Some(next)) = (path.last(), tried.last_mut()) {
            let at = last.to;
            let is_end = self.is_goal[at];
            if is_end {
                if found.paths.len() >= most_paths {
                    found.more = true;
                    break;
                }
                found.paths.push(self.path(projection, &path));
                pace.advance(path.len())?;
            }
            let step = self.steps[at].get(*next).filter(|_| !is_end);
            let Some(&step) = step else {
                on_path[at] = false;
                path.pop();
                tried.pop();
                continue;
            };
            *next += 1;
            pace.advance(1)?;
            let left = most_steps - path.len();
            if on_path[step.to] || to_goal[step.to] == NO_WAY {
                continue;
            }
            let needed = if has_cycle {
                self.steps_past(step.to, &on_path, &mut pace)?
            } else {
                to_goal[step.to]
            };
            if needed > left {
                found.more |= needed != NO_WAY;
                continue;
            }
            on_path[step.to] = true;
            path.push(step);
            tried.push(0);
        }
        Ok(found)
    }

    fn path(&self, projection: &Projection, steps: &[Step]) -> Path {
        let node = |step: &Step| projection.node(self.places[step.to]);
        Path {
            nodes: steps.iter().filter_map(node).collect(),
            relationships: steps.iter().filter_map(|step| step.relationship).collect(),
            length: steps.iter().map(|step| step.length).sum(),
        }
    }

    /// By position: the fewest steps to a goal.
    fn steps_to_goal(&self, pace: &mut Pace<'_, '_>) -> Result<Vec<usize>, AlgoError> {
        let mut back = vec![Vec::new(); self.places.len()];
        for (from, steps) in self.steps.iter().enumerate() {
            // A path ends at a goal, so nothing is reached over one.
            if !self.is_goal[from] {
                for step in steps {
                    back[step.to].push(from);
                }
            }
        }
        let mut distance = vec![NO_WAY; self.places.len()];
        let goals = (0..self.places.len()).filter(|&at| self.is_goal[at]);
        let mut queue: VecDeque<usize> = goals.collect();
        for &goal in &queue {
            distance[goal] = 0;
        }
        while let Some(at) = queue.pop_front() {
            pace.advance(1)?;
            for &from in &back[at] {
                if distance[from] == NO_WAY {
                    distance[from] = distance[at] + 1;
                    queue.push_back(from);
                }
            }
        }
        Ok(distance)
    }

    /// The fewest steps from `start` to a goal that avoid the nodes of the path.
    fn steps_past(
        &self,
        start: usize,
        on_path: &[bool],
        pace: &mut Pace<'_, '_>,
    ) -> Result<usize, AlgoError> {
        let mut seen = on_path.to_vec();
        seen[start] = true;
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((at, distance)) = queue.pop_front() {
            pace.advance(1)?;
            if self.is_goal[at] {
                return Ok(distance);
            }
            for step in &self.steps[at] {
                if !std::mem::replace(&mut seen[step.to], true) {
                    queue.push_back((step.to, distance + 1));
                }
            }
        }
        Ok(NO_WAY)
    }

    /// Takes away nodes that nothing leads to until none is left; a cycle never is.
    fn has_cycle(&self) -> bool {
        let mut arriving = vec![0_usize; self.places.len()];
        for step in self.steps.iter().flatten() {
            arriving[step.to] += 1;
        }
        let mut free: Vec<usize> = (0..arriving.len())
            .filter(|&at| arriving[at] == 0)
            .collect();
        let mut taken = 0;
        while let Some(at) = free.pop() {
            taken += 1;
            for step in &self.steps[at] {
                arriving[step.to] -= 1;
                if arriving[step.to] == 0 {
                    free.push(step.to);
                }
            }
        }
        taken < self.places.len()
    }
}
