//! What shortest ways are looked for in: the nodes of the graph, each as often as there are places in the pattern
//! where a way may stand, and the steps between them.
//!
//! A step is looked up once for each node and kept. The search is by length, and knows nothing of trails: that no
//! relationship comes twice is seen to by `ranked.rs`.
//!
//! Next: `ranked.rs`.

use super::apart::collect;
use super::node_in;
use super::shortest::Ground;
use crate::query::error::Fault;
use crate::query::exec::eval::is_true;
use crate::query::exec::memory::bytes_of_all;
use crate::query::exec::pipeline::Run;
use crate::query::plan::{Repeat, Segment};
use crate::value::{NodeId, NodeValue, RelationshipId, Value};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

/// About how many bytes a place takes that was reached.
const PLACE_BYTES: usize = 128;

/// Where a way stands: in which segment of the pattern, after how many rounds of it, and at which node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) segment: usize,
    /// Where no more can be told apart by counting, it stays at the smallest number.
    pub(super) rounds: u64,
    pub(super) node: NodeId,
}

/// How a way goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Along one of the steps of the node, by number.
    Step(usize),
    /// To the next segment.
    Leave,
    /// Not at all: it has come to the end of the pattern.
    Stop,
}

/// A way: from each place that it comes through, how it goes on.
pub(super) type Walk = Vec<(Place, Move)>;

/// One relationship, or one round.
pub(super) struct Step {
    pub(super) to: NodeId,
    pub(super) relationships: Vec<RelationshipId>,
    /// What the variables of a round are.
    pub(super) values: Vec<Value>,
}

/// What a search may not do.
#[derive(Default)]
pub(super) struct Forbidden {
    pub(super) relationships: HashSet<RelationshipId>,
    /// At its first place.
    pub(super) first: Vec<Move>,
}

/// The places that a search has reached.
pub(super) struct Tree {
    /// From where and how each was reached. With `true` it is the first place, which others may come back to.
    before: HashMap<(Place, bool), ((Place, bool), Move)>,
    /// Where a way may end, nearest first, and how long it is.
    pub(super) ends: Vec<(Place, u64)>,
}

impl Tree {
    /// The way to a place, and there it stops.
    pub(super) fn walk(&self, end: Place) -> Walk {
        let mut walk = vec![(end, Move::Stop)];
        // Only a search that is over at once ends where it began.
        let mut at = (end, false);
        while let Some((before, by)) = self.before.get(&at) {
            walk.push((before.0, *by));
            at = *before;
        }
        walk.reverse();
        walk
    }

    pub(super) fn bytes(&self) -> usize {
        self.before.len() * PLACE_BYTES
    }
}

/// The steps that were looked up.
#[derive(Default)]
pub(super) struct Field {
    steps: HashMap<(usize, NodeId), Arc<[Step]>>,
    /// Whether a node may stand at the end of a segment.
    stands: HashMap<(usize, NodeId), bool>,
    runs: HashMap<usize, Run>,
    bytes: usize,
}

impl Field {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The steps from a node in a segment.
    pub(super) fn steps(
        &mut self,
        (segment, node): (usize, NodeId),
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Arc<[Step]>, Fault> {
        if let Some(steps) = self.steps.get(&(segment, node)) {
            return Ok(Arc::clone(steps));
        }
        let of = ground.of;
        let mut steps = Vec::new();
        match of.segments.get(segment) {
            Some(Segment::Link { link, .. }) => {
                let mut neighbours = Vec::new();
                ground.neighbours((link, link.arrow), node, &mut neighbours)?;
                steps.extend(neighbours.iter().map(|one| Step {
                    to: one.node,
                    relationships: vec![one.relationship],
                    values: Vec::new(),
                }));
            }
            Some(Segment::Rounds(repeat)) => {
                self.round(repeat, (segment, node), ground, &mut steps)?;
            }
            None => {}
        }
        let bytes = steps.iter().map(|step| {
            size_of::<Step>()
                + size_of_val(step.relationships.as_slice())
                + bytes_of_all(&step.values)
        });
        self.bytes += PLACE_BYTES + bytes.sum::<usize>();
        let steps: Arc<[Step]> = steps.into();
        self.steps.insert((segment, node), Arc::clone(&steps));
        Ok(steps)
    }

    /// Every way through one round.
    fn round(
        &mut self,
        of: &Repeat,
        (segment, node): (usize, NodeId),
        ground: &mut Ground<'_, '_, '_>,
        steps: &mut Vec<Step>,
    ) -> Result<(), Fault> {
        let mut row = ground.row.to_vec();
        row[of.round_from.at()] = Value::Node(NodeValue::of(node));
        let context = &mut *ground.site.context;
        if let Some(run) = self.runs.get_mut(&segment) {
            run.restart(context, &row);
        }
        let run = self
            .runs
            .entry(segment)
            .or_insert_with(|| Run::new(&of.ops, row.len(), row));
        while let Some(batch) = run.next(context)? {
            for row in batch.rows() {
                let Some(to) = node_in(&row[of.round_to.at()])? else {
                    continue;
                };
                let mut relationships = Vec::new();
                for slot in &of.relationships {
                    collect(&row[slot.at()], &mut relationships);
                }
                if relationships.iter().any(|one| ground.apart.has(*one)) {
                    continue;
                }
                let values = of.lists.iter().map(|(from, _)| row[from.at()].clone());
                steps.push(Step {
                    to,
                    relationships,
                    values: values.collect(),
                });
            }
        }
        Ok(())
    }

    /// Whether a node may stand where a segment ends.
    fn may_stand(
        &mut self,
        (segment, node): (usize, NodeId),
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<bool, Fault> {
        let of = ground.of;
        let Some(checks) = of.checks.get(segment).filter(|checks| !checks.is_empty()) else {
            return Ok(true);
        };
        if let Some(known) = self.stands.get(&(segment, node)) {
            return Ok(*known);
        }
        let mut stands = true;
        if let Some(slot) = of.segments.get(segment).map(Segment::to) {
            let value = Value::Node(NodeValue::of(node));
            let before = std::mem::replace(&mut ground.row[slot.at()], value);
            for check in checks {
                stands = stands && is_true(ground.site.context, check, ground.row)?;
            }
            ground.row[slot.at()] = before;
        }
        self.bytes += PLACE_BYTES;
        self.stands.insert((segment, node), stands);
        Ok(stands)
    }

    /// Where a way can go from a place, how, and how much longer it becomes.
    fn moves(
        &mut self,
        at: Place,
        ground: &mut Ground<'_, '_, '_>,
        into: &mut Vec<(Place, Move, u64)>,
    ) -> Result<(), Fault> {
        into.clear();
        let of = ground.of;
        let Some(segment) = of.segments.get(at.segment) else {
            return Ok(());
        };
        let (min, max) = segment.bounds();
        if at.rounds >= min && self.may_stand((at.segment, at.node), ground)? {
            let next = Place {
                segment: at.segment + 1,
                rounds: 0,
                node: at.node,
            };
            into.push((next, Move::Leave, 0));
        }
        if max.is_some_and(|max| at.rounds >= max) {
            return Ok(());
        }
        let steps = self.steps((at.segment, at.node), ground)?;
        for (number, step) in steps.iter().enumerate() {
            // A round without a relationship could be taken for ever.
            if step.relationships.is_empty() && at.rounds >= min {
                continue;
            }
            let next = Place {
                segment: at.segment,
                rounds: (at.rounds + 1).min(max.unwrap_or(min)),
                node: step.to,
            };
            into.push((next, Move::Step(number), step.relationships.len() as u64));
        }
        Ok(())
    }

    /// Reaches every place from one, or goes on until `to` is reached at the end of the pattern.
    pub(super) fn search(
        &mut self,
        from: Place,
        to: Option<NodeId>,
        forbidden: &Forbidden,
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Tree, Fault> {
        let mut tree = Tree {
            before: HashMap::new(),
            ends: Vec::new(),
        };
        let (mut settled, mut moves) = (HashSet::new(), Vec::new());
        let mut best = HashMap::from([((from, true), 0)]);
        let mut open = BinaryHeap::from([Reverse((0, 0_u64, (from, true)))]);
        let mut order = 0;
        while let Some(Reverse((length, _, key))) = open.pop() {
            if !settled.insert(key) {
                continue;
            }
            ground.site.context.look(1)?;
            let (at, first) = key;
            if at.segment == ground.of.segments.len() {
                let may_stop = !(first && forbidden.first.contains(&Move::Stop));
                if may_stop && to.is_none_or(|to| to == at.node) {
                    tree.ends.push((at, length));
                    if to.is_some() {
                        break;
                    }
                }
                continue;
            }
            self.moves(at, ground, &mut moves)?;
            for (next, by, longer) in &moves {
                let forbidden = (first && forbidden.first.contains(by))
                    || (!forbidden.relationships.is_empty()
                        && self.takes(at, *by, &forbidden.relationships));
                if forbidden {
                    continue;
                }
                let (next, length) = ((*next, false), length + longer);
                if best.get(&next).is_none_or(|known| length < *known) {
                    best.insert(next, length);
                    tree.before.insert(next, (key, *by));
                    order += 1;
                    open.push(Reverse((length, order, next)));
                }
            }
            let held = self.bytes + tree.bytes();
            ground.site.charge_in_all(ground.kept + held)?;
        }
        Ok(tree)
    }

    /// Whether a move takes any of these relationships.
    fn takes(&self, at: Place, by: Move, relationships: &HashSet<RelationshipId>) -> bool {
        let mut taken = self.taken(at, by).iter();
        taken.any(|one| relationships.contains(one))
    }

    /// The step of a move that was looked up.
    pub(super) fn step(&self, at: Place, by: Move) -> Option<&Step> {
        let Move::Step(number) = by else { return None };
        self.steps.get(&(at.segment, at.node))?.get(number)
    }

    /// The relationships that a move takes.
    pub(super) fn taken(&self, at: Place, by: Move) -> &[RelationshipId] {
        self.step(at, by)
            .map_or(&[], |step| step.relationships.as_slice())
    }
}
