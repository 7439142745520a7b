//! A random graph and a random traversal of it, from a seed.
//!
//! Next: `model.rs`.

use fastrand::Rng;
use stratigraph::{NO_PROPERTIES, NodeId, Value, Vector, WriteTxn};

/// What a candidate is scored by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Score {
    /// Nothing.
    None,
    /// How like its embedding is to (1, 0).
    Likeness,
    /// A property of the relationship that led to it, or else of itself.
    Edge,
    /// A property of itself and the level.
    NodeAndLevel,
}

/// `KEEP`, of the traversal or of its `RECOVER`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keep {
    pub(super) top: Option<i64>,
    pub(super) per_parent: bool,
    /// The bound, and whether it counts itself.
    pub(super) bound: Option<(f64, bool)>,
}

/// A node: its embedding and its number; either may be missing.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) embedding: Option<[f32; 2]>,
    pub(super) number: Option<f64>,
    /// The level on which RECOVER finds it.
    pub(super) level: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) nodes: Vec<Node>,
    /// From, to, and a number.
    pub(super) edges: Vec<(usize, usize, f64)>,
    pub(super) roots: Vec<usize>,
    pub(super) levels: (i64, Option<i64>),
    pub(super) unfiltered: bool,
    pub(super) score: Score,
    pub(super) keep: Option<Keep>,
    /// Whether it has a score of its own: its number.
    pub(super) recover: Option<(Keep, bool)>,
    pub(super) candidates: bool,
    pub(super) budget: Option<(i64, bool)>,
}

impl Case {
    pub(super) fn random(seed: u64) -> Self {
        let rng = &mut Rng::with_seed(seed);
        let count = rng.usize(1..14);
        let tenth = |rng: &mut Rng| f64::from(rng.i32(-4..=4)) / 4.0;
        let nodes: Vec<Node> = (0..count)
            .map(|_| Node {
                // Few directions, so that there are ties; the last has none.
                embedding: rng
                    .choice([
                        None,
                        Some([1.0, 0.0]),
                        Some([0.6, 0.8]),
                        Some([3.0, 4.0]),
                        Some([0.0, 1.0]),
                        Some([-1.0, 0.5]),
                        Some([0.0, 0.0]),
                    ])
                    .flatten(),
                number: (rng.u8(..6) > 0).then(|| tenth(rng)),
                level: rng.i64(0..4),
            })
            .collect();
        let edges = (0..rng.usize(..30))
            .map(|_| (rng.usize(..count), rng.usize(..count), tenth(rng)))
            .collect();
        let last = rng.bool().then(|| rng.i64(0..5));
        let recover = last.filter(|_| rng.bool()).map(|_| {
            let mut keep = keep(rng);
            keep.per_parent = false;
            if keep.bound.is_none() && keep.top.is_none() {
                keep.top = Some(rng.i64(0..3));
            }
            (keep, rng.bool())
        });
        let roots = (0..rng.usize(..4)).map(|_| rng.usize(..count)).collect();
        Self {
            nodes,
            edges,
            roots,
            levels: (rng.i64(0..2).min(last.unwrap_or(i64::MAX)), last),
            unfiltered: rng.u8(..4) == 0,
            score: rng
                .choice([
                    Score::None,
                    Score::Likeness,
                    Score::Likeness,
                    Score::Edge,
                    Score::NodeAndLevel,
                ])
                .unwrap(),
            keep: (rng.u8(..5) > 0)
                .then(|| keep(rng))
                .filter(|keep| keep.top.is_some() || keep.bound.is_some()),
            recover,
            candidates: rng.bool(),
            budget: (rng.u8(..6) == 0).then(|| (rng.i64(0..15), rng.bool())),
        }
    }

    /// With nothing but a threshold on the likeness.
    pub(super) fn only_threshold(&mut self) {
        self.levels = (0, Some(3));
        self.unfiltered = false;
        self.score = Score::Likeness;
        self.keep = Some(Keep {
            bound: Some((0.5, false)),
            ..Keep::default()
        });
        self.recover = None;
        self.candidates = false;
        self.budget = None;
    }

    /// Makes the graph; its nodes by their places, and the ids of its edges.
    pub(super) fn store(&self, txn: &mut WriteTxn) -> (Vec<NodeId>, Vec<u64>) {
        let nodes: Vec<NodeId> = self
            .nodes
            .iter()
            .map(|node| {
                let embedding = node
                    .embedding
                    .map(|of| Value::Vector(Vector::new(of).unwrap()));
                let number = node.number.map(Value::Float);
                let properties = [
                    ("emb", embedding),
                    ("n", number),
                    ("at", Some(Value::Int(node.level))),
                ];
                let given = properties
                    .into_iter()
                    .filter_map(|(key, value)| Some((key, value?)));
                txn.create_node(["N"], given).unwrap()
            })
            .collect();
        let edges = self.edges.iter().map(|(from, to, number)| {
            let id = txn
                .create_relationship(
                    nodes[*from],
                    "E",
                    nodes[*to],
                    [("n", Value::Float(*number))],
                )
                .unwrap();
            // One that no step goes along.
            txn.create_relationship(nodes[*to], "OTHER", nodes[*from], NO_PROPERTIES)
                .unwrap();
            id.get()
        });
        let edges = edges.collect();
        (nodes, edges)
    }
}

fn keep(rng: &mut Rng) -> Keep {
    Keep {
        top: rng.bool().then(|| rng.i64(0..4)),
        per_parent: false,
        bound: rng
            .bool()
            .then(|| (f64::from(rng.i32(-3..=3)) / 4.0, rng.bool())),
    }
    .maybe_per_parent(rng)
}

impl Keep {
    fn maybe_per_parent(self, rng: &mut Rng) -> Self {
        Self {
            per_parent: self.top.is_some() && rng.bool(),
            ..self
        }
    }

    /// Whether a score passes the bound.
    pub(super) fn passes(&self, score: Option<f64>) -> bool {
        self.bound.is_none_or(|(bound, counts)| {
            score.is_some_and(|score| {
                if counts {
                    score >= bound
                } else {
                    score > bound
                }
            })
        })
    }
}
