//! Where a traversal must not go: roots and levels that are not there, and on after it was cancelled.

use super::super::*;
use super::by_example::{Ticking, along, diamond, from_root, ids};
use super::case::projected;
use crate::algo::snapshot::GraphSteps;
use crate::value::RelationshipId;
use crate::{Database, Direction, Error, NO_LABELS, NO_PROPERTIES};
use std::convert::Infallible;
use std::ops::ControlFlow;
use stratigraph_vector::{Kernels, Rows, VectorError};

#[test]
fn roots_that_are_not_there_are_no_roots() {
    let graph = diamond();
    let nodes = [77, 0].map(NodeId::new);
    let traverse = Traverse::<Infallible>::from(nodes).levels(0, Some(0));
    let result = traverse
        .run(&mut along(&graph), &Ticking::by_us(0))
        .unwrap();
    assert_eq!(result.rows.nodes(), [NodeId::new(0)]);
    assert_eq!(result.summary.candidates, 1);

    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let [stays, goes] = [(); 2].map(|()| txn.create_node(NO_LABELS, NO_PROPERTIES).unwrap());
    txn.commit().unwrap();
    let before = db.read().unwrap();
    let mut txn = db.write().unwrap();
    txn.delete_node(goes).unwrap();
    let never = NodeId::new(1 << 40);
    let roots = [never, goes, stays];
    let from = |steps: &mut dyn Steps<Error>| {
        let traverse = Traverse::from(roots);
        traverse.run(steps, &Ticking::by_us(0)).unwrap()
    };
    let mut steps = GraphSteps::new(&txn, Direction::Outgoing, None).unwrap();
    assert_eq!(from(&mut steps).rows.nodes(), [stays]);
    let mut steps = GraphSteps::new(&before, Direction::Outgoing, None).unwrap();
    assert_eq!(from(&mut steps).rows.nodes(), [stays, goes]);
}

#[test]
fn levels_that_end_before_they_begin_are_refused() {
    let graph = diamond();
    let traverse = Traverse::<Infallible>::from([NodeId::new(0)]).levels(3, Some(1));
    let error = traverse
        .run(&mut along(&graph), &Ticking::by_us(0))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "LEVELS 3..1 ends before it begins: write the smaller level first"
    );
}

/// Squares of such vectors do not fit 32 bits: their lengths are above 1.8e19.
#[test]
fn very_long_vectors_have_a_direction_too() {
    let values = [
        3e30,
        4e30,
        4e30,
        -3e30,
        3.0,
        4.0,
        f32::MAX,
        f32::MAX,
        0.0,
        0.0,
    ];
    let rows = Rows::new(&values, 2).unwrap();
    let vectors = NodeVectors::consecutive(NodeId::new(0), rows);
    let graph = projected(5, []);
    let diagonal = 0.7 * 2_f64.sqrt();
    for query in [[3.0, 4.0], [3e25, 4e25], [3e-3, 4e-3]] {
        let expected = [Some(1.0), Some(0.0), Some(1.0), Some(diagonal), None];
        let traverse = Traverse::<VectorError>::from(ids(0..5));
        let result = traverse
            .scorer(VectorScorer::new(&vectors, &query, Measure::Cosine).unwrap())
            .run(&mut along(&graph), &Ticking::by_us(0))
            .unwrap();
        assert_eq!(result.rows.len(), 5);
        for row in result.rows.iter() {
            let at = usize::try_from(row.node.get()).unwrap();
            match (row.score, expected[at]) {
                (Some(score), Some(expected)) => assert!((score - expected).abs() < 1e-6),
                (score, expected) => assert_eq!(score, expected, "{query:?} {at}"),
            }
            let single = Kernels::best().cosine(&query, rows.row(at).unwrap());
            assert_eq!(single.unwrap().map(f64::from), row.score);
        }
    }
}

#[test]
fn a_traversal_may_be_cancelled() {
    let cancelled = TraverseError::<Infallible>::Cancelled;
    // Before it begins.
    let graph = diamond();
    let token = CancelToken::new();
    token.cancel();
    let result = from_root()
        .with_cancel(token)
        .run(&mut along(&graph), &Ticking::by_us(0));
    assert_eq!(result.map(|_| ()).unwrap_err(), cancelled);

    // While levels are empty, of which there would be four thousand million.
    let token = CancelToken::new();
    let members = |level: u32, _: &mut Vec<NodeId>| {
        assert!(level <= 1000, "it goes on");
        if level == 1000 {
            token.cancel();
        }
        Ok(())
    };
    let result = from_root()
        .levels(0, Some(u32::MAX))
        .keep(Keep::all().top(1))
        .recover(Recover::new(members, Keep::all().top(1)))
        .with_cancel(token.clone())
        .run(&mut along(&graph), &Ticking::by_us(0));
    assert_eq!(result.map(|_| ()).unwrap_err(), cancelled);

    // While the edges of one node are read.
    struct Endless(CancelToken);
    impl Steps<Infallible> for Endless {
        fn contains(&mut self, _: NodeId) -> Result<bool, Infallible> {
            Ok(true)
        }

        fn arrivals(
            &mut self,
            from: &[NodeId],
            visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
        ) -> Result<(), Infallible> {
            for id in 0..1_000_000 {
                assert!(id < 20_000, "it goes on");
                if id == 10_000 {
                    self.0.cancel();
                }
                let arrival = Arrival {
                    parent: from[0],
                    via: &[],
                    relationship: RelationshipId::new(id),
                    node: NodeId::new(1),
                };
                if visit(arrival).is_break() {
                    break;
                }
            }
            Ok(())
        }
    }
    let token = CancelToken::new();
    let result = from_root()
        .with_cancel(token.clone())
        .run(&mut Endless(token), &Ticking::by_us(0));
    assert_eq!(result.map(|_| ()).unwrap_err(), cancelled);
}
