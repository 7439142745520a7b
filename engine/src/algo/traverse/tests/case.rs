//! Random traversals: a small graph, scores, and every option, all made from one seed.
//!
//! The model and the operator both read a [`Case`]; it says what is asked, never what the answer is.

use super::super::*;
use crate::algo::snapshot::ProjectionSteps;
use crate::algo::{Projection, ProjectionBuilder, ProjectionOptions};
use crate::clock::SystemClock;
use crate::storage::cancel::Watch;
use crate::value::RelationshipId;
use fastrand::Rng;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

/// A step of the graph, with plain numbers.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) parent: u64,
    pub(super) via: Vec<(u64, u64)>,
    pub(super) relationship: u64,
    pub(super) node: u64,
}

/// What a score or a condition depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dependence {
    Node,
    NodeAndLevel,
    Arrival,
}

/// A made-up score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scores {
    pub(super) seed: u64,
    pub(super) on: Dependence,
    pub(super) nulls: bool,
}

/// A way, with plain numbers: parent, relationships.
pub(super) type Way = (u64, Vec<u64>);

impl Scores {
    pub(super) fn of(&self, node: u64, way: Option<&Way>, level: u32) -> Option<f64> {
        let mut mixed = mix(self.seed, node);
        if self.on != Dependence::Node {
            mixed = mix(mixed, u64::from(level));
        }
        if let (Dependence::Arrival, Some((parent, relationships))) = (self.on, way) {
            mixed = relationships
                .iter()
                .fold(mix(mixed, *parent), |all, id| mix(all, *id));
        }
        let mut rng = Rng::with_seed(mixed);
        if self.nulls && rng.u32(..10) == 0 {
            return None;
        }
        // Few values, so that there are ties, and both zeros.
        let tenths = f64::from(rng.i32(-10..=10)) / 10.0;
        Some(if tenths == 0.0 && rng.bool() {
            -0.0
        } else {
            tenths
        })
    }
}

fn mix(seed: u64, more: u64) -> u64 {
    Rng::with_seed(seed.wrapping_mul(31).wrapping_add(more)).u64(..)
}

/// A made-up WHERE.
#[derive(Clone, Copy, Debug)]
pub(super) enum Condition {
    Always,
    Above(f64),
    AtLeast(f64),
    /// Three-valued, from a hash; true on a null score too, now and then.
    Odd {
        seed: u64,
        on_arrival: bool,
    },
}

impl Condition {
    pub(super) fn of(
        &self,
        node: u64,
        score: Option<f64>,
        level: u32,
        way: Option<&Way>,
    ) -> Option<bool> {
        match self {
            Self::Always => Some(true),
            Self::Above(threshold) => score.map(|score| score > *threshold),
            Self::AtLeast(threshold) => score.map(|score| score >= *threshold),
            Self::Odd { seed, on_arrival } => {
                let mut mixed = mix(mix(*seed, node), u64::from(level));
                if let (true, Some((parent, _))) = (on_arrival, way) {
                    mixed = mix(mixed, *parent);
                }
                [Some(true), Some(true), Some(true), Some(false), None]
                    [Rng::with_seed(mixed).usize(..5)]
            }
        }
    }

    fn to_where(self) -> Where<'static, Infallible> {
        let test = move |it: &Considered<'_>| {
            let way = it.arrival.map(plain);
            Ok(self.of(it.node.get(), it.score, it.level, way.as_ref()))
        };
        match self {
            Self::Always => Where::Always,
            Self::Above(threshold) => Where::Above(threshold),
            Self::AtLeast(threshold) => Where::AtLeast(threshold),
            Self::Odd {
                on_arrival: true, ..
            } => Where::Arrival(Box::new(test)),
            Self::Odd { .. } => Where::Node(Box::new(test)),
        }
    }
}

/// A way as plain numbers.
pub(super) fn plain(way: ArrivalView<'_>) -> Way {
    let via = way.via.iter().map(|hop| hop.relationship.get());
    (
        way.parent.get(),
        via.chain([way.relationship.get()]).collect(),
    )
}

#[derive(Clone, Debug)]
pub(super) struct RecoverCase {
    pub(super) members: BTreeMap<u32, Vec<u64>>,
    pub(super) scores: Option<Scores>,
    pub(super) top: Option<usize>,
    pub(super) condition: Condition,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) nodes: u64,
    pub(super) roots: Vec<u64>,
    pub(super) edges: Vec<Edge>,
    pub(super) scores: Option<Scores>,
    pub(super) first: u32,
    pub(super) last: Option<u32>,
    pub(super) unfiltered: bool,
    pub(super) top: Option<usize>,
    pub(super) per_parent: bool,
    pub(super) condition: Condition,
    pub(super) recover: Option<RecoverCase>,
    pub(super) emit: Emit,
    pub(super) budget: Option<Budget>,
    pub(super) columns: Columns,
    /// Whether a step is one relationship, and the graph may come as a projection.
    pub(super) single: bool,
    pub(super) as_projection: bool,
    pub(super) shuffle: u64,
}

impl Case {
    pub(super) fn random(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let rng = &mut rng;
        let depth = rng.u32(1..=5);
        // Ids are spread out, so that places and ids differ.
        let spread = rng.u64(1..=7);
        let layers: Vec<Vec<u64>> = {
            let mut next = rng.u64(..3);
            let mut ids: Vec<u64> = (0..depth * 6)
                .map(|_| {
                    next += rng.u64(1..=spread);
                    next
                })
                .collect();
            if rng.bool() {
                rng.shuffle(&mut ids);
            }
            (0..depth)
                .map(|_| {
                    let width = rng.usize(1..=6);
                    ids.split_off(ids.len() - width)
                })
                .collect()
        };
        let hops = *rng.choice([0, 0, 0, 0, 1, 2]).as_ref().unwrap_or(&0);
        let edges = edges(rng, &layers, hops);
        let all: Vec<u64> = layers.iter().flatten().copied().collect();
        let mut roots = layers[0].clone();
        if rng.u32(..4) == 0 {
            roots.extend(all.iter().filter(|_| rng.u32(..6) == 0));
        }
        if rng.u32(..20) == 0 {
            roots.clear();
        }
        let last = rng.bool().then(|| rng.u32(..depth + 2));
        let recover = (last.is_some() && rng.bool()).then(|| recover(rng, &layers));
        let budget = (rng.u32(..5) == 0).then(|| Budget {
            limit: rng.u64(..20),
            unit: *rng.choice(&[BudgetUnit::Nodes, BudgetUnit::Edges]).unwrap(),
            on_exceed: *rng.choice(&[OnExceed::Error, OnExceed::Stop]).unwrap(),
        });
        Self {
            nodes: all.iter().max().map_or(0, |max| max + 1),
            roots,
            edges,
            scores: (rng.u32(..10) > 0).then(|| scores(rng)),
            first: if rng.u32(..4) == 0 {
                rng.u32(..depth + 1)
            } else {
                0
            }
            .min(last.unwrap_or(u32::MAX)),
            last,
            unfiltered: rng.u32(..4) == 0,
            top: rng.bool().then(|| rng.usize(..5)),
            per_parent: rng.bool(),
            condition: condition(rng),
            recover,
            emit: if rng.bool() {
                Emit::Kept
            } else {
                Emit::Candidates
            },
            budget,
            columns: Columns {
                arrivals: rng.bool(),
                paths: rng.bool(),
                roots: rng.bool(),
            },
            single: hops == 0,
            as_projection: rng.bool(),
            shuffle: rng.u64(..),
        }
    }

    /// The same question to the operator.
    pub(super) fn traverse(&self) -> Traverse<'_, Infallible> {
        let mut roots = self.roots.clone();
        Rng::with_seed(self.shuffle).shuffle(&mut roots);
        let mut keep = Keep::all().only(self.condition.to_where());
        if let Some(top) = self.top {
            keep = keep.top(top);
        }
        if self.per_parent {
            keep = keep.per_parent();
        }
        let mut traverse = Traverse::from(roots.into_iter().map(NodeId::new))
            .levels(self.first, self.last)
            .keep(keep)
            .emit(self.emit)
            .columns(self.columns);
        if let Some(scores) = self.scores {
            traverse = traverse.scorer(Told(scores));
        }
        if self.unfiltered {
            traverse = traverse.unfiltered();
        }
        if let Some(budget) = self.budget {
            traverse = traverse.budget(budget.limit, budget.unit, budget.on_exceed);
        }
        if let Some(recover) = &self.recover {
            let members = |level: u32, into: &mut Vec<NodeId>| {
                let members = recover.members.get(&level).into_iter().flatten();
                into.extend(members.copied().map(NodeId::new));
                Ok(())
            };
            let mut keep = Keep::all().only(recover.condition.to_where());
            if let Some(top) = recover.top {
                keep = keep.top(top);
            }
            let mut clause = Recover::new(members, keep);
            if let Some(scores) = recover.scores {
                clause = clause.scorer(Told(scores));
            }
            traverse = traverse.recover(clause);
        }
        traverse
    }

    pub(super) fn run(&self) -> Result<Traversal, TraverseError<Infallible>> {
        let clock = SystemClock::new();
        if self.single && self.as_projection {
            let graph = self.projected();
            self.traverse()
                .run(&mut ProjectionSteps::new(&graph).unwrap(), &clock)
        } else {
            self.traverse().run(&mut self.table(), &clock)
        }
    }

    /// The graph as a list in shuffled order.
    pub(super) fn table(&self) -> Table {
        let mut edges = self.edges.clone();
        Rng::with_seed(self.shuffle).shuffle(&mut edges);
        Table { edges }
    }

    /// The graph in memory.
    fn projected(&self) -> Projection {
        let edges = self.edges.iter();
        projected(
            self.nodes,
            edges.map(|edge| (edge.parent, edge.node, edge.relationship)),
        )
    }
}

/// Nodes from 0 on in memory, with relationships of parent, node and id.
pub(super) fn projected(
    nodes: u64,
    relationships: impl IntoIterator<Item = (u64, u64, u64)>,
) -> Projection {
    let options = ProjectionOptions {
        relationships: true,
        ..ProjectionOptions::default()
    };
    let builder = ProjectionBuilder::new((0..nodes).map(NodeId::new), options).unwrap();
    let mut part = builder.part();
    for (parent, node, relationship) in relationships {
        let (parent, node) = (NodeId::new(parent), NodeId::new(node));
        part.push(parent, node, RelationshipId::new(relationship), None)
            .unwrap();
    }
    drop(part);
    builder.build(1, &mut Watch::quiet()).unwrap()
}

fn edges(rng: &mut Rng, layers: &[Vec<u64>], hops: usize) -> Vec<Edge> {
    let cyclic = rng.u32(..3) == 0;
    let parallel = rng.u32(..3) == 0;
    let strict = rng.u32(..4) == 0;
    let mut edges = Vec::new();
    let mut ids: Vec<u64> = (0..400).collect();
    rng.shuffle(&mut ids);
    for (upper, from) in layers.iter().enumerate() {
        for (lower, to) in layers.iter().enumerate() {
            for (parent, node) in from.iter().flat_map(|a| to.iter().map(move |b| (*a, *b))) {
                let chance = if lower == upper + 1 {
                    50
                } else if strict {
                    0
                } else if cyclic {
                    10
                } else if lower > upper {
                    5
                } else {
                    0
                };
                let mut times = usize::from(rng.u32(..100) < chance);
                if times > 0 && parallel && rng.u32(..3) == 0 {
                    times += rng.usize(1..3);
                }
                for _ in 0..times {
                    // Few numbers where there are several hops, so that only the first may differ.
                    let mut id = |rng: &mut Rng| match hops {
                        0 => ids.pop().unwrap_or_else(|| rng.u64(400..100_000)),
                        _ => rng.u64(..6),
                    };
                    let via: Vec<_> = (0..hops).map(|_| (id(rng), 0)).collect();
                    let relationship = id(rng);
                    // The same chain of relationships from one node always leads to one node.
                    let same = edges.iter().any(|edge: &Edge| {
                        edge.parent == parent
                            && edge.relationship == relationship
                            && edge
                                .via
                                .iter()
                                .map(|hop| hop.0)
                                .eq(via.iter().map(|hop| hop.0))
                    });
                    if !same {
                        edges.push(Edge {
                            parent,
                            via: via.iter().map(|hop| (hop.0, 1000 + hop.0)).collect(),
                            relationship,
                            node,
                        });
                    }
                }
            }
        }
    }
    edges
}

fn scores(rng: &mut Rng) -> Scores {
    Scores {
        seed: rng.u64(..),
        on: *rng
            .choice(&[
                Dependence::Node,
                Dependence::NodeAndLevel,
                Dependence::Arrival,
            ])
            .unwrap(),
        nulls: rng.u32(..3) > 0,
    }
}

fn condition(rng: &mut Rng) -> Condition {
    let threshold = f64::from(rng.i32(-11..=6)) / 10.0;
    match rng.u32(..6) {
        0 => Condition::Always,
        1 | 2 => Condition::Above(threshold),
        3 => Condition::AtLeast(threshold),
        _ => Condition::Odd {
            seed: rng.u64(..),
            on_arrival: rng.bool(),
        },
    }
}

fn recover(rng: &mut Rng, layers: &[Vec<u64>]) -> RecoverCase {
    let exact = rng.bool();
    let mut members = BTreeMap::new();
    for (level, nodes) in (0..).zip(layers) {
        let mut nodes = nodes.clone();
        if !exact {
            nodes.extend(layers.iter().flatten().filter(|_| rng.u32(..8) == 0));
        }
        rng.shuffle(&mut nodes);
        members.insert(level, nodes);
    }
    let condition = condition(rng);
    let needs_top = matches!(condition, Condition::Always);
    RecoverCase {
        members,
        scores: rng.bool().then(|| scores(rng)),
        top: (needs_top || rng.bool()).then(|| rng.usize(..4)),
        condition,
    }
}

/// The scorer that says what the case says; what depends on the node alone is asked that way.
pub(super) struct Told(pub(super) Scores);

impl Scorer<Infallible> for Told {
    fn scores_arrivals(&self) -> bool {
        self.0.on == Dependence::Arrival
    }

    fn score(
        &mut self,
        level: u32,
        candidates: Candidates<'_>,
        scores: &mut [f64],
    ) -> Result<(), Infallible> {
        assert!(candidates.nodes().is_sorted());
        assert!(scores.iter().all(|score| score.is_nan()));
        for (at, (node, score)) in candidates.nodes().iter().zip(scores).enumerate() {
            let way = candidates.arrival(at).map(plain);
            if let Some(value) = self.0.of(node.get(), way.as_ref(), level) {
                *score = value;
            }
        }
        Ok(())
    }
}

/// A graph as a list of edges.
pub(super) struct Table {
    pub(super) edges: Vec<Edge>,
}

impl Steps<Infallible> for Table {
    fn contains(&mut self, _: NodeId) -> Result<bool, Infallible> {
        Ok(true)
    }

    fn arrivals(
        &mut self,
        from: &[NodeId],
        visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
    ) -> Result<(), Infallible> {
        assert!(from.is_sorted_by(|left, right| left < right));
        let via = RefCell::new(Vec::new());
        for edge in &self.edges {
            if from.binary_search(&NodeId::new(edge.parent)).is_err() {
                continue;
            }
            let mut via = via.borrow_mut();
            via.clear();
            via.extend(edge.via.iter().map(|(relationship, node)| Hop {
                relationship: RelationshipId::new(*relationship),
                node: NodeId::new(*node),
            }));
            let arrival = Arrival {
                parent: NodeId::new(edge.parent),
                via: &via,
                relationship: RelationshipId::new(edge.relationship),
                node: NodeId::new(edge.node),
            };
            if visit(arrival).is_break() {
                break;
            }
        }
        Ok(())
    }
}
