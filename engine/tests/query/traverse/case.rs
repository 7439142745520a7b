//! A random graph and a random traversal of it, from a seed.
//!
//! Next: `model.rs`.

use fastrand::Rng;
use stratigraph::{NodeId, Value, Vector, WriteTxn};

/// What a candidate is scored by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Score {
    /// Nothing.
    None,
    /// How like its embedding is to (1, 0).
    Likeness,
    /// The product of both.
    Dot,
    /// A property of the relationship that led to it, or else of itself.
    Edge,
    /// A property of itself and the level.
    NodeAndLevel,
    /// How many relationships leave it: `COUNT {}`.
    Leaving,
    /// How many relationships lead to it from its parent: a `COUNT {}` that sees the way.
    Between,
    /// Its number, if a relationship leads to a node with one that is positive: `EXISTS {}`.
    IfLeading,
}

/// What members of RECOVER are scored by instead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Own {
    Number,
    Dot,
}

/// What `WHERE` asks for beside the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Also {
    /// `EXISTS {}`: a relationship leaves it.
    Leaving,
    /// `COUNT {}`: several relationships lead to it.
    Met,
    /// A `COUNT {}` that sees the way: its parent leads to it once.
    OnlyWay,
}

/// `KEEP`, of the traversal or of its `RECOVER`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keep {
    pub(super) top: Option<i64>,
    pub(super) per_parent: bool,
    /// The bound, and whether it counts itself.
    pub(super) bound: Option<(f64, bool)>,
    pub(super) also: Option<Also>,
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
    /// Whether steps go against relationships that were made in another order.
    pub(super) backwards: bool,
    /// Whether steps go only along relationships whose number is not negative.
    pub(super) only_up: bool,
    pub(super) roots: Vec<usize>,
    pub(super) levels: (i64, Option<i64>),
    pub(super) unfiltered: bool,
    pub(super) score: Score,
    pub(super) keep: Option<Keep>,
    /// With a score of its own, or not.
    pub(super) recover: Option<(Keep, Option<Own>)>,
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
            if keep.also == Some(Also::OnlyWay) {
                keep.also = Some(Also::Met);
            }
            if keep.bound.is_none() && keep.top.is_none() {
                keep.top = Some(rng.i64(0..3));
            }
            (
                keep,
                rng.choice([None, Some(Own::Number), Some(Own::Dot)])
                    .flatten(),
            )
        });
        let roots = (0..rng.usize(..4)).map(|_| rng.usize(..count)).collect();
        Self {
            nodes,
            edges,
            backwards: rng.u8(..4) == 0,
            only_up: rng.u8(..4) == 0,
            roots,
            levels: (rng.i64(0..2).min(last.unwrap_or(i64::MAX)), last),
            unfiltered: rng.u8(..4) == 0,
            score: rng
                .choice([
                    Score::None,
                    Score::Likeness,
                    Score::Likeness,
                    Score::Dot,
                    Score::Edge,
                    Score::NodeAndLevel,
                    Score::Leaving,
                    Score::Between,
                    Score::IfLeading,
                ])
                .unwrap(),
            keep: (rng.u8(..5) > 0)
                .then(|| keep(rng))
                .filter(Keep::says_something),
            recover,
            candidates: rng.bool(),
            budget: (rng.u8(..6) == 0).then(|| (rng.i64(0..15), rng.bool())),
        }
    }

    /// As much of it as the twin can say.
    pub(super) fn sayable(mut self) -> Self {
        if !matches!(self.score, Score::None | Score::Likeness | Score::Dot) {
            self.score = Score::Likeness;
        }
        if let Some(keep) = &mut self.keep {
            keep.also = None;
        }
        self.keep = self.keep.filter(Keep::says_something);
        if let Some((keep, own)) = &mut self.recover {
            keep.also = None;
            *own = own.map(|_| Own::Dot);
        }
        self
    }

    /// How many edges lead from a parent to a node.
    pub(super) fn between(&self, parent: Option<usize>, node: usize) -> usize {
        let both = |edge: &&(usize, usize, f64)| Some(edge.0) == parent && edge.1 == node;
        self.edges.iter().filter(both).count()
    }

    /// Whether a step goes along this edge.
    pub(super) fn goes_along(&self, edge: usize) -> bool {
        !self.only_up || self.edges[edge].2 >= 0.0
    }

    /// Makes the graph; its nodes by their places, and the ids of the edges that the steps go along.
    pub(super) fn store(&self, txn: &mut WriteTxn) -> Stored {
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
        let mut relate = |from: usize, of: &str, to: usize, number: f64| {
            let number = [("n", Value::Float(number))];
            let id = txn.create_relationship(nodes[from], of, nodes[to], number);
            id.unwrap().get()
        };
        let mut forwards = Vec::with_capacity(self.edges.len());
        for (from, to, number) in &self.edges {
            forwards.push(relate(*from, "E", *to, *number));
            // One that no step goes along.
            relate(*to, "OTHER", *from, *number);
        }
        let mut backwards = vec![0; self.edges.len()];
        let mut shuffled: Vec<usize> = (0..self.edges.len()).collect();
        Rng::with_seed(self.edges.len() as u64).shuffle(&mut shuffled);
        for at in shuffled {
            let (from, to, number) = self.edges[at];
            backwards[at] = relate(to, "BACK", from, number);
        }
        Stored {
            nodes,
            forwards,
            backwards,
        }
    }
}

/// Where the graph of a case is.
pub(super) struct Stored {
    pub(super) nodes: Vec<NodeId>,
    forwards: Vec<u64>,
    backwards: Vec<u64>,
}

impl Stored {
    /// The ids of the edges that the steps of a case go along.
    pub(super) fn edges(&self, case: &Case) -> &[u64] {
        match case.backwards {
            true => &self.backwards,
            false => &self.forwards,
        }
    }
}

fn keep(rng: &mut Rng) -> Keep {
    Keep {
        top: rng.bool().then(|| rng.i64(0..4)),
        per_parent: false,
        bound: rng
            .bool()
            .then(|| (f64::from(rng.i32(-3..=3)) / 4.0, rng.bool())),
        also: rng
            .choice([
                None,
                None,
                None,
                Some(Also::Leaving),
                Some(Also::Met),
                Some(Also::OnlyWay),
            ])
            .flatten(),
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

    /// Whether there is anything in it.
    fn says_something(&self) -> bool {
        self.top.is_some() || self.bound.is_some() || self.also.is_some()
    }

    /// Whether its WHERE is true for a candidate that was reached from a parent.
    pub(super) fn passes(
        &self,
        case: &Case,
        (node, parent): (usize, Option<usize>),
        score: Option<f64>,
    ) -> bool {
        let edges = case.edges.iter();
        let also = match self.also {
            None => true,
            Some(Also::Leaving) => edges.clone().any(|edge| edge.0 == node),
            Some(Also::Met) => edges.filter(|edge| edge.1 == node).count() > 1,
            Some(Also::OnlyWay) => case.between(parent, node) == 1,
        };
        also && self.bound.is_none_or(|(bound, counts)| {
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
