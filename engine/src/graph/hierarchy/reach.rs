//! Would a new relationship close a cycle? It would if its parent can be reached from its child.
//!
//! Two searches go towards each other, down from the child and up from the parent, and the one that
//! has read less so far takes the next step. As soon as one has nothing left the answer is no, so
//! that a new leaf or a new root costs a read or two however large the rest is, and a question
//! never costs more than a few times the cheaper of the two searches. Levels must not prune them: a
//! shortest distance is no topological order.
//!
//! Next: `order.rs` for many relationships at once.

use super::lineage::{Budget, Kin, Lineage, LineageError};
use crate::value::NodeId;
use std::collections::{HashMap, VecDeque};

/// Finds a shortest path of children steps from one node to another, both ends included.
///
/// Before a relationship from `parent` to `child` is added, ask for the path from `child` to
/// `parent`: if there is one, the relationship would turn it into a cycle. A node reaches itself by
/// the path of one.
///
/// `limit` bounds the reads and the neighbours read, and with them the memory. If it comes after a
/// path was found but before it is certain that there is no shorter one, the path is returned.
///
/// # Errors
/// [`LineageError::LimitReached`], or what the view fails with.
pub fn find_path<L: Lineage + ?Sized>(
    lineage: &L,
    from: NodeId,
    to: NodeId,
    limit: u64,
) -> Result<Option<Vec<NodeId>>, LineageError<L::Error>> {
    if from == to {
        return Ok(Some(vec![from]));
    }
    let mut budget = Budget::new(limit);
    let mut down = Search::new(Kin::children_of(from));
    let mut up = Search::new(Kin::parents_of(to));
    let mut shortest: Option<Meeting> = None;
    loop {
        // The first node that both know need not lie on a shortest path. Every path no longer than
        // the sum of the two radii has been seen, though.
        if let Some(meeting) = &shortest
            && meeting.length <= down.radius().saturating_add(up.radius()).saturating_add(1)
        {
            break;
        }
        let (cheaper, other) = if down.spent <= up.spent {
            (&mut down, &up)
        } else {
            (&mut up, &down)
        };
        let step = match cheaper.step(lineage, &mut budget) {
            Err(LineageError::LimitReached { .. }) if shortest.is_some() => break,
            step => step?,
        };
        match step {
            Step::Known => {}
            Step::Exhausted => break,
            Step::Reached { node, distance } => {
                if let Some(rest) = other.known.get(&node) {
                    let length = distance.saturating_add(rest.distance);
                    if shortest.as_ref().is_none_or(|best| length < best.length) {
                        shortest = Some(Meeting { node, length });
                    }
                }
            }
        }
    }
    Ok(shortest.map(|meeting| {
        let mut path = down.way_back(meeting.node);
        path.reverse();
        path.extend(up.way_back(meeting.node).into_iter().skip(1));
        path
    }))
}

/// A node that both searches know, and the steps from end to end through it.
struct Meeting {
    node: NodeId,
    length: u64,
}

/// How a search came to a node.
struct Arrival {
    previous: Option<NodeId>,
    distance: u64,
}

/// What one step of a search found.
enum Step {
    /// A node for the first time.
    Reached { node: NodeId, distance: u64 },
    /// A node that was known already.
    Known,
    /// Nothing: every node that can be reached is known.
    Exhausted,
}

/// A breadth-first search in one direction, which can stop after any neighbour.
struct Search {
    known: HashMap<NodeId, Arrival>,
    /// The neighbours being read, those of a node at distance `distance`.
    current: Kin,
    distance: u64,
    waiting: VecDeque<NodeId>,
    spent: u64,
}

impl Search {
    fn new(source: Kin) -> Self {
        let start = Arrival {
            previous: None,
            distance: 0,
        };
        Self {
            known: HashMap::from([(source.node(), start)]),
            current: source,
            distance: 0,
            waiting: VecDeque::new(),
            spent: 0,
        }
    }

    /// All nodes up to this distance are known: those at a lesser one have been read to the end.
    fn radius(&self) -> u64 {
        self.distance
    }

    fn step<L: Lineage + ?Sized>(
        &mut self,
        lineage: &L,
        budget: &mut Budget,
    ) -> Result<Step, LineageError<L::Error>> {
        let before = budget.spent();
        let neighbour = self.current.next(lineage, budget)?;
        self.spent += budget.spent() - before;
        let Some(node) = neighbour else {
            return Ok(self.turn_to_next());
        };
        if self.known.contains_key(&node) {
            return Ok(Step::Known);
        }
        let distance = self.distance + 1;
        let previous = Some(self.current.node());
        self.known.insert(node, Arrival { previous, distance });
        self.waiting.push_back(node);
        Ok(Step::Reached { node, distance })
    }

    fn turn_to_next(&mut self) -> Step {
        let Some(node) = self.waiting.pop_front() else {
            return Step::Exhausted;
        };
        if let Some(arrival) = self.known.get(&node) {
            self.distance = arrival.distance;
        }
        self.current.turn_to(node);
        Step::Known
    }

    /// From a known node back to where the search began.
    fn way_back(&self, node: NodeId) -> Vec<NodeId> {
        let mut way = vec![node];
        let mut at = node;
        while let Some(previous) = self.known.get(&at).and_then(|arrival| arrival.previous) {
            way.push(previous);
            at = previous;
        }
        way
    }
}

#[cfg(test)]
mod tests;
