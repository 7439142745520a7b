//! Hierarchies that are declared over relationships that are there already.

use crate::{is_clean, watched};
use std::sync::mpsc;
use std::time::Duration;
use stratigraph::storage::cancel::Progress;
use stratigraph::{Database, Error, HierarchyOptions, NO_PROPERTIES, NodeId, Read, Result};

/// Two threads that create hierarchies at the same time, both of which look before either declares.
fn at_once(db: &Database, wanted: [HierarchyOptions; 2]) -> [Result<()>; 2] {
    let held = db.write().unwrap();
    let (asked, has_asked) = mpsc::channel();
    std::thread::scope(|scope| {
        let threads = wanted.map(|wanted| {
            let asked = asked.clone();
            scope.spawn(move || {
                let mut report = |_: Progress<'_>| asked.send(()).unwrap_or_default();
                watched(&mut report, |watch| {
                    db.create_hierarchy_watched(wanted, watch)
                })
            })
        });
        has_asked.recv().unwrap();
        has_asked.recv().unwrap();
        // Both stand in the queue in a moment.
        std::thread::sleep(Duration::from_millis(50));
        drop(held);
        threads.map(|thread| thread.join().unwrap())
    })
}

#[test]
fn two_hierarchies_have_two_names_whoever_comes_first() {
    let wanted = |of: &str| HierarchyOptions::new("over", of);
    let furnished = || {
        let db = Database::in_memory().unwrap();
        let mut txn = db.write().unwrap();
        let ends = [0; 2].map(|_| txn.create_node(["N"], NO_PROPERTIES).unwrap());
        for of in ["X", "Y"] {
            txn.create_relationship(ends[0], of, ends[1], NO_PROPERTIES)
                .unwrap();
        }
        txn.commit().unwrap();
        db
    };
    for (wanted, successes) in [
        ([wanted("X"), wanted("Y")], 1),
        ([wanted("X").if_missing(), wanted("Y").if_missing()], 1),
        ([wanted("X"), wanted("X")], 1),
        ([wanted("X").if_missing(), wanted("X").if_missing()], 2),
    ] {
        let db = furnished();
        let outcomes = at_once(&db, wanted.clone());
        let context = format!("{wanted:?} {outcomes:?}");
        let good = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!(good, successes, "{context}");
        for error in outcomes.into_iter().filter_map(Result::err) {
            assert!(matches!(error, Error::AlreadyDeclared { .. }), "{context}");
        }
        assert_eq!(db.read().unwrap().catalog().hierarchies().count(), 1);
        is_clean(&db);
    }
}

/// A tree with two relationships from a parent to a child, among `others` of another type.
fn tree_among(others: usize) -> (Database, Vec<NodeId>) {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let nodes: Vec<NodeId> = (0..5)
        .map(|_| txn.create_node(["N"], NO_PROPERTIES).unwrap())
        .collect();
    for [from, to] in [[0, 1], [0, 2], [1, 3], [1, 3]] {
        txn.create_relationship(nodes[from], "OVER", nodes[to], NO_PROPERTIES)
            .unwrap();
    }
    for _ in 0..others {
        txn.create_relationship(nodes[3], "SEES", nodes[4], NO_PROPERTIES)
            .unwrap();
    }
    txn.commit().unwrap();
    (db, nodes)
}

#[test]
fn levels_are_the_same_whether_the_type_has_many_relationships_or_few() {
    let tree = || HierarchyOptions::new("over", "OVER").tree();
    for others in [0, 100] {
        let (db, nodes) = tree_among(others);
        let mut steps = 0;
        let mut report = |progress: Progress<'_>| {
            let of_type = progress.step == "read the relationships" && progress.total == 4;
            steps += u32::from(of_type);
        };
        watched(&mut report, |watch| {
            db.create_hierarchy_watched(tree(), watch)
        })
        .unwrap();
        assert_eq!(
            steps,
            u32::from(others > 0),
            "only those of the type are read"
        );
        let read = db.read().unwrap();
        let over = read.hierarchy("over").unwrap();
        let levels: Vec<_> = nodes
            .iter()
            .map(|node| over.level(*node).unwrap())
            .collect();
        assert_eq!(levels, [Some(0), Some(1), Some(1), Some(2), None]);
        is_clean(&db);

        let (db, nodes) = tree_among(others);
        let mut txn = db.write().unwrap();
        txn.create_relationship(nodes[2], "OVER", nodes[3], NO_PROPERTIES)
            .unwrap();
        txn.commit().unwrap();
        let refused = db.create_hierarchy(tree());
        assert!(
            matches!(refused, Err(Error::HierarchyParent { child, .. }) if child == nodes[3]),
            "{refused:?}"
        );
    }
}
