//! Where a traversal must not go: roots and levels that are not there, and on after it was cancelled.

use super::super::*;
use super::by_example::{Ticking, along, diamond, from_root, ids};
use crate::algo::snapshot::GraphSteps;
use crate::value::RelationshipId;
use crate::{Database, Direction, Error, NO_LABELS, NO_PROPERTIES};
use std::convert::Infallible;
use std::ops::ControlFlow;

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
