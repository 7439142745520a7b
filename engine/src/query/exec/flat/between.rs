//! The shortest ways between two nodes, from both ends.
//!
//! Whole levels are walked, always at the end where the next one is smaller. As long as the ends have not met, each of them
//! knows all nodes that are so near to it, with all their shortest ways. So where they meet first is on the shortest ways, and
//! each of these goes through one of the nodes at which they meet.
//!
//! Next: `field.rs`.

use super::breadth::{AllReached, Reached, arrive, step};
use super::shortest::Ground;
use crate::query::error::Fault;
use crate::query::plan::{Arrow, ExpandMany, turned};
use crate::value::NodeId;
use std::collections::HashMap;

/// Of so many nodes of a level it is read how many relationships they have; the others have about as many.
const ASKED: usize = 16;

/// One of the ends, and how far was walked from it.
struct End {
    /// As walked from it.
    arrow: Arrow,
    reached: AllReached,
    distance: u64,
    /// The nodes of the last level.
    level: Vec<NodeId>,
    /// About how many relationships lead on from it.
    width: u64,
}

impl End {
    fn new(
        link: &ExpandMany,
        (arrow, node): (Arrow, NodeId),
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Self, Fault> {
        let mut end = Self {
            arrow,
            reached: HashMap::from([(node, Reached::start())]),
            distance: 0,
            level: vec![node],
            width: 0,
        };
        end.measure(link, ground)?;
        Ok(end)
    }

    fn measure(&mut self, link: &ExpandMany, ground: &mut Ground<'_, '_, '_>) -> Result<(), Fault> {
        let graph = &ground.site.context.graph;
        let mut width = 0_u64;
        let asked = self.level.iter().take(ASKED);
        // Of what the statement has deleted only the walk itself knows what there still is.
        for node in asked.filter(|node| !graph.is_deleted(**node)) {
            width = width.saturating_add(graph.degree(*node, self.arrow, &link.types)?);
        }
        let all = self.level.len() as u64;
        self.width = width.saturating_mul(all) / all.clamp(1, ASKED as u64);
        Ok(())
    }

    /// Walks one level further.
    fn go_on(
        &mut self,
        link: &ExpandMany,
        one_is_enough: bool,
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<(), Fault> {
        self.distance += 1;
        self.level = step(
            (link, self.arrow),
            (&self.level, self.distance),
            (&mut self.reached, one_is_enough),
            ground,
        )?;
        self.measure(link, ground)
    }
}

/// What is reached from the first node. The second is among it if there is a way, with the relationships of one shortest
/// way, or of all of them.
pub(super) fn between(
    link: &ExpandMany,
    (from, to): (NodeId, NodeId),
    one_is_enough: bool,
    ground: &mut Ground<'_, '_, '_>,
) -> Result<AllReached, Fault> {
    let mut ahead = End::new(link, (link.arrow, from), ground)?;
    let mut behind = End::new(link, (turned(link.arrow), to), ground)?;
    let mut met: Vec<NodeId> = loop {
        let length = ahead.distance + behind.distance;
        let is_over = ahead.level.is_empty() || behind.level.is_empty();
        if is_over || link.max.is_some_and(|max| length >= max) {
            return Ok(ahead.reached);
        }
        let (end, other) = match behind.width < ahead.width {
            true => (&mut behind, &ahead),
            false => (&mut ahead, &behind),
        };
        end.go_on(link, one_is_enough, ground)?;
        let level = end.level.iter().copied();
        let met: Vec<NodeId> = level
            .filter(|node| other.reached.contains_key(node))
            .collect();
        if !met.is_empty() {
            break met;
        }
    };
    if one_is_enough {
        met.truncate(1);
    }
    // From where they met on the ways are those of the other end, turned round.
    let End {
        mut reached,
        mut distance,
        ..
    } = ahead;
    while !met.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for node in met {
            let onward = behind
                .reached
                .get(&node)
                .map(|known| known.before.as_slice());
            for (far, relationship) in onward.unwrap_or_default() {
                let (place, step) = ((*far, distance), (node, *relationship));
                if arrive(place, step, (&mut reached, one_is_enough), ground)? {
                    next.push(*far);
                }
            }
        }
        met = next;
    }
    Ok(reached)
}
