//! Small graphs whose answers can be seen by eye: errors, budgets, columns, vectors.

use super::super::*;
use super::case::{Edge, Table, projected};
use crate::algo::Projection;
use crate::algo::snapshot::ProjectionSteps;
use crate::value::RelationshipId;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stratigraph_vector::{Kernels, Rows, VectorError};

/// A clock that is a step further each time it is asked.
pub(super) struct Ticking {
    step_us: u64,
    asked: AtomicU64,
}

impl Ticking {
    pub(super) fn by_us(step_us: u64) -> Self {
        Self {
            step_us,
            asked: AtomicU64::new(0),
        }
    }
}

impl Clock for Ticking {
    fn now(&self) -> Duration {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        Duration::from_micros(asked * self.step_us)
    }
}

pub(super) fn ids(numbers: impl IntoIterator<Item = u64>) -> Vec<NodeId> {
    numbers.into_iter().map(NodeId::new).collect()
}

/// 0 -> 1, 2; 1 -> 3; 2 -> 3, 4; 4 -> 0. Relationships are 10, 11, ... in that order.
pub(super) fn diamond() -> Projection {
    let ends = [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (4, 0)];
    let relationships = (10..).zip(ends).map(|(id, (from, to))| (from, to, id));
    projected(5, relationships)
}

pub(super) fn along(graph: &Projection) -> ProjectionSteps<'_> {
    ProjectionSteps::new(graph).unwrap()
}

const SCORES: [f64; 5] = [0.1, 0.9, 0.8, 0.7, 0.2];

fn scorer() -> impl Scorer<Infallible> {
    NodeScorer(|node: NodeId, _| Ok(SCORES.get(usize::try_from(node.get()).unwrap()).copied()))
}

pub(super) fn from_root<'a>() -> Traverse<'a, Infallible> {
    Traverse::from(ids([0])).scorer(scorer())
}

const ALL: Columns = Columns {
    arrivals: true,
    paths: true,
    roots: true,
};

#[test]
fn columns_of_a_diamond() {
    let graph = diamond();
    let traverse = from_root().columns(ALL);
    let result = traverse
        .run(&mut along(&graph), &Ticking::by_us(0))
        .unwrap();
    assert_eq!(result.rows.nodes(), ids([0, 1, 2, 3, 4]));
    let three = result.rows.get(3).unwrap();
    assert_eq!(
        (three.node, three.level, three.rank),
        (NodeId::new(3), 2, 1)
    );
    // 1 and 2 both lead to 3; the lower parent is the best arrival.
    assert_eq!(three.parent(), Some(NodeId::new(1)));
    assert_eq!(three.edge(), Some(vec![RelationshipId::new(12)]));
    let path = three.path().unwrap();
    assert_eq!(path.nodes, ids([0, 1, 3]));
    assert_eq!(path.relationships, [10, 12].map(RelationshipId::new));
    assert_eq!(three.roots(), Some(&ids([0])[..]));
    assert!(result.rows.get(5).is_none());
    assert_eq!(
        result.summary,
        Summary {
            levels: 3,
            candidates: 5,
            admitted: 5,
            expanded: 5,
            edges_read: 6,
            recover_scanned: 0,
            scored: 5,
            truncated: false
        }
    );
}

#[test]
fn a_rank_is_among_all_candidates_whichever_have_rows() {
    let graph = diamond();
    let ranks = |emit| {
        let not_one = |considered: &Considered<'_>| {
            Ok::<_, Infallible>(Some(considered.node != NodeId::new(1)))
        };
        let keep = Keep::all().only(Where::Node(Box::new(not_one)));
        let traverse = from_root().keep(keep).emit(emit);
        let result = traverse
            .run(&mut along(&graph), &Ticking::by_us(0))
            .unwrap();
        let rows = result.rows.iter().map(|row| (row.node.get(), row.rank));
        rows.collect::<Vec<_>>()
    };
    let all = [(0, 1), (1, 1), (2, 2), (3, 1), (4, 2)];
    assert_eq!(ranks(Emit::Candidates), all);
    assert_eq!(ranks(Emit::Kept), [all[0], all[2], all[3], all[4]]);
}

#[test]
fn roots_of_a_node_include_those_that_came_later() {
    // 0 reaches 3 at level 2; the root 4 reaches 0, and so all that 0 reaches.
    let graph = diamond();
    let traverse = Traverse::<Infallible>::from(ids([4, 0, 0])).columns(ALL);
    let result = traverse
        .run(&mut along(&graph), &Ticking::by_us(0))
        .unwrap();
    let of = |node| {
        result
            .rows
            .iter()
            .find(|row| row.node == NodeId::new(node))
            .unwrap()
    };
    assert_eq!(of(3).roots().unwrap(), ids([0, 4]));
    // And 0 reaches 4, which is a root itself.
    assert_eq!(of(4).roots().unwrap(), ids([0, 4]));
    assert_eq!(of(4).level, 0);
}

#[test]
fn columns_that_nobody_asked_for_are_absent() {
    let graph = diamond();
    let result = from_root()
        .run(&mut along(&graph), &Ticking::by_us(0))
        .unwrap();
    let row = result.rows.get(3).unwrap();
    assert!(row.parent().is_none() && row.path().is_none() && row.roots().is_none());
}

#[test]
fn recover_must_be_bounded_and_bring_its_keep() {
    let graph = diamond();
    let members = |_: u32, into: &mut Vec<NodeId>| {
        into.push(NodeId::new(4));
        Ok(())
    };
    let run = |last, keep| {
        let traverse = from_root()
            .levels(0, last)
            .recover(Recover::new(members, keep));
        traverse
            .run(&mut along(&graph), &Ticking::by_us(0))
            .map(|result| result.rows.len())
    };
    assert_eq!(
        run(None, Keep::all().top(1)),
        Err(TraverseError::UnboundedRecover)
    );
    assert_eq!(
        run(Some(1), Keep::all()),
        Err(TraverseError::RecoverWithoutKeep)
    );
    assert_eq!(run(Some(1), Keep::all().top(1)), Ok(4));
}

#[test]
fn a_budget_of_time_ends_before_a_level_is_scored() {
    let graph = diamond();
    let run = |limit, on_exceed| {
        let clock = Ticking::by_us(600);
        let traverse = from_root().budget(limit, BudgetUnit::Milliseconds, on_exceed);
        traverse.run(&mut along(&graph), &clock)
    };
    let all = run(100, OnExceed::Error).unwrap();
    assert!(!all.summary.truncated);
    let some = run(1, OnExceed::Stop).unwrap();
    assert!(some.summary.truncated);
    assert_eq!(some.rows.nodes(), ids([0]));
    assert_eq!(some.summary.scored, 1);
    let error = run(1, OnExceed::Error).unwrap_err();
    assert_eq!(
        error.to_string(),
        "level 1 exceeds the budget of 1 milliseconds: 2 were needed"
    );
}

#[test]
fn a_budget_of_edges_is_noticed_while_reading() {
    // One node with a million edges.
    let graph = projected(2, (0..1_000_000).map(|id| (0, 1, id)));
    for unit in [BudgetUnit::Edges, BudgetUnit::Nodes] {
        let traverse = Traverse::<Infallible>::from(ids([0])).budget(1, unit, OnExceed::Stop);
        let result = traverse
            .run(&mut along(&graph), &Ticking::by_us(0))
            .unwrap();
        assert!(
            result.summary.edges_read <= 2,
            "{unit:?} {:?}",
            result.summary
        );
        assert!(result.summary.truncated);
    }
}

#[test]
fn failures_from_outside_come_through() {
    let graph = diamond();
    let scorer = NodeScorer(|node: NodeId, _| match node.get() {
        2 => Err(std::fmt::Error),
        _ => Ok(Some(1.0)),
    });
    let traverse = Traverse::from(ids([0])).scorer(scorer);
    let error = traverse
        .run(&mut along(&graph), &Ticking::by_us(0))
        .unwrap_err();
    assert_eq!(error, TraverseError::Outside(std::fmt::Error));
}

/// Vectors of any nodes, scored by any measure with one thread or two, are scored as the kernels do.
#[test]
fn vector_scores_are_those_of_the_kernels() {
    let mut rng = fastrand::Rng::with_seed(21);
    let (dimensions, count) = (20, 40_000);
    let mut values: Vec<f32> = (0..count * dimensions).map(|_| rng.f32() - 0.5).collect();
    values[3 * dimensions..4 * dimensions].fill(0.0);
    let query: Vec<f32> = (0..dimensions).map(|_| rng.f32() - 0.5).collect();
    let rows = Rows::new(&values, dimensions).unwrap();
    let mut next = 0;
    let sparse: Vec<NodeId> = (0..count)
        .map(|_| {
            next += rng.u64(1..4);
            NodeId::new(next)
        })
        .collect();
    let kernels = Kernels::best();
    for measure in [Measure::Cosine, Measure::Dot, Measure::NegativeL2] {
        for dense in [true, false] {
            let vectors = if dense {
                NodeVectors::consecutive(NodeId::new(7), rows)
            } else {
                NodeVectors::of_nodes(&sparse, rows).unwrap()
            };
            let asked: Vec<NodeId> = (0..next + 9).map(NodeId::new).collect();
            let expected = |node: NodeId| {
                let place = if dense {
                    usize::try_from(node.get()).ok()?.checked_sub(7)?
                } else {
                    sparse.binary_search(&node).ok()?
                };
                let row = rows.row(place)?;
                match measure {
                    Measure::Cosine => kernels.cosine(&query, row).unwrap(),
                    Measure::Dot => Some(kernels.dot(&query, row).unwrap()),
                    Measure::NegativeL2 => Some(-kernels.squared_l2(&query, row).unwrap().sqrt()),
                }
            };
            for threads in [1, 2, 3] {
                let scorer = VectorScorer::new(&vectors, &query, measure).unwrap();
                let traverse = Traverse::<VectorError>::from(asked.iter().copied())
                    .scorer(scorer.threads(threads));
                let nothing = projected(next + 9, []);
                let result = traverse
                    .run(&mut along(&nothing), &Ticking::by_us(0))
                    .unwrap();
                assert_eq!(result.rows.len(), asked.len());
                for row in result.rows.iter() {
                    let score = expected(row.node).map(f64::from);
                    assert_eq!(
                        row.score, score,
                        "{measure:?} {dense} {threads} {}",
                        row.node
                    );
                }
            }
        }
    }
    let vectors = NodeVectors::consecutive(NodeId::new(0), rows);
    assert!(VectorScorer::new(&vectors, &query[1..], Measure::Dot).is_err());
    assert!(NodeVectors::of_nodes(&sparse[1..], rows).is_none());
}

/// A level wide enough for the radix sort, whose nodes come in any order and several times.
#[test]
fn a_wide_level_is_ordered_like_a_narrow_one() {
    let count: u32 = 20_000;
    let mut rng = fastrand::Rng::with_seed(5);
    let mut targets: Vec<u32> = (1..count)
        .chain((1..count).filter(|at| at % 3 == 0))
        .collect();
    rng.shuffle(&mut targets);
    let nodes = ids(0..u64::from(count));
    // A list, because a projection would put them in order.
    let edges = (0..).zip(&targets).map(|(relationship, target)| Edge {
        parent: 0,
        via: Vec::new(),
        relationship,
        node: u64::from(*target),
    });
    let mut graph = Table {
        edges: edges.collect(),
    };
    let score = |node: NodeId| {
        let mixed = fastrand::Rng::with_seed(node.get()).i32(-500..500);
        (mixed % 7 != 0).then_some(f64::from(mixed) / 10.0)
    };
    for columns in [Columns::default(), ALL] {
        let traverse = Traverse::<Infallible>::from(ids([0]))
            .scorer(NodeScorer(|node: NodeId, _| Ok(score(node))))
            .unfiltered()
            .columns(columns);
        let result = traverse.run(&mut graph, &Ticking::by_us(0)).unwrap();
        let mut expected: Vec<(bool, i64, NodeId)> = (nodes.iter().skip(1))
            .map(|node| {
                #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
                let tenths = score(*node).map(|score| (score * 10.0).round() as i64);
                (tenths.is_none(), -tenths.unwrap_or(0), *node)
            })
            .collect();
        expected.sort_unstable();
        let expected: Vec<NodeId> = expected.into_iter().map(|(_, _, node)| node).collect();
        assert_eq!(result.rows.nodes()[1..], expected);
        assert_eq!(result.summary.scored, u64::from(count));
        if columns.arrivals {
            for row in result.rows.iter().skip(1) {
                let first = targets
                    .iter()
                    .position(|target| u64::from(*target) == row.node.get());
                let first = first.map(|at| vec![RelationshipId::new(at as u64)]);
                assert_eq!(row.edge(), first, "{}", row.node);
            }
        }
    }
}
