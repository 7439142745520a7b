//! Nodes with very many relationships: read in part, deleted in portions.

use crate::with_room;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Direction, Error, NO_PROPERTIES, NodeId, Read, Result};

/// A node with many relationships, made in portions that fit.
fn hub(db: &Database, relationships: u64) -> NodeId {
    let mut txn = db.write().unwrap();
    let hub = txn.create_node(["Hub"], NO_PROPERTIES).unwrap();
    let spokes: Vec<NodeId> = (0..100)
        .map(|_| txn.create_node(["Spoke"], NO_PROPERTIES).unwrap())
        .collect();
    txn.commit().unwrap();
    let mut made = 0;
    while made < relationships {
        let mut txn = db.write().unwrap();
        for _ in 0..10_000.min(relationships - made) {
            let spoke = spokes[made as usize % spokes.len()];
            let (from, to) = match made % 3 {
                0 => (spoke, hub),
                _ => (hub, spoke),
            };
            txn.create_relationship(from, "HAS", to, NO_PROPERTIES)
                .unwrap();
            made += 1;
        }
        txn.commit().unwrap();
    }
    hub
}

#[test]
fn reading_ten_of_many_relationships_reads_no_more_than_a_scan_between_two_looks() {
    const MANY: u64 = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let databases = [
        Database::in_memory().unwrap(),
        Database::create(folder.path().join("db")).unwrap(),
    ];
    for db in databases {
        let hub = hub(&db, MANY);
        let token = CancelToken::new();
        let read = db.read().unwrap().with_cancel(token.clone());
        for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
            for of in [None, Some("HAS")] {
                // A scan asks once in 256 steps whether it was cancelled. What comes after the
                // cancellation was read before it or takes fewer steps, so there cannot be much:
                // neither was it read in advance, nor was it looked for among the others.
                let token = CancelToken::new();
                let read = db.read().unwrap().with_cancel(token.clone());
                let mut neighbours = read.neighbours(hub, direction, of).unwrap();
                neighbours.next().unwrap().unwrap();
                token.cancel();
                let rest: Vec<_> = neighbours.by_ref().take(300).collect();
                let good = rest.iter().take_while(|each| each.is_ok()).count();
                assert!((9..256).contains(&good), "{direction:?}: {good}");
                assert!(matches!(rest[good], Err(Error::Cancelled)));
            }
        }
        // The control: walking all of them does notice.
        assert_eq!(
            read.neighbours(hub, Direction::Both, None).unwrap().count() as u64,
            MANY
        );
        // Nor does a degree read them: it is answered when no scan goes on for 256 steps.
        let degree = read.degree(hub, Direction::Both, None).unwrap();
        assert_eq!(degree, MANY);
        token.cancel();
        let degree = read.degree(hub, Direction::Both, Some("HAS"));
        assert_eq!(degree.unwrap(), MANY, "a point read");
        let mut walk = read.neighbours(hub, Direction::Both, None).unwrap();
        assert!(walk.next().unwrap().is_err());
    }
}

/// How many steps the store's iterators take on this thread, all of them in memory tables.
fn steps(work: impl FnOnce()) -> u64 {
    use rocksdb::perf::{PerfContext, PerfMetric, PerfStatsLevel, set_perf_stats};
    set_perf_stats(PerfStatsLevel::EnableCount);
    let mut counts = PerfContext::default();
    counts.reset();
    work();
    let steps = counts.metric(PerfMetric::NextOnMemtableCount);
    set_perf_stats(PerfStatsLevel::Disable);
    steps
}

#[test]
fn reading_ten_of_many_relationships_takes_ten_steps_in_the_store() {
    const MANY: u64 = 20_000;
    let folder = tempfile::tempdir().unwrap();
    let db = Database::create(folder.path().join("db")).unwrap();
    let hub = hub(&db, MANY);
    let read = db.read().unwrap();
    for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
        for of in [None, Some("HAS")] {
            let taken = steps(|| {
                let neighbours = read.neighbours(hub, direction, of).unwrap();
                assert_eq!(neighbours.take(10).filter_map(Result::ok).count(), 10);
            });
            // One or two more, for the degree that lies before them.
            assert!((9..13).contains(&taken), "{direction:?}: {taken} steps");
            let taken = steps(|| {
                assert!(read.degree(hub, direction, of).unwrap() > 6000);
            });
            // Versions of one degree, one for each commit that changed it, are stepped over.
            assert!(taken < 16, "degree, {direction:?}: {taken} steps");
        }
    }
    // The control: walking all of them is counted.
    let taken = steps(|| {
        let all = read.neighbours(hub, Direction::Both, None).unwrap();
        assert_eq!(all.count() as u64, MANY);
    });
    assert!(taken >= MANY, "{taken} steps");
}

#[test]
fn a_node_with_too_many_relationships_is_deleted_in_portions() {
    const MANY: u64 = 100_000;
    let db = with_room(16 << 20);
    let hub = hub(&db, MANY);
    let mut txn = db.write().unwrap();
    match txn.detach_delete_node(hub).unwrap_err() {
        Error::TooConnected {
            node,
            relationships,
            bytes,
            limit_bytes,
        } => {
            assert_eq!((node, relationships), (hub, MANY));
            assert!(bytes > limit_bytes);
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        txn.delete_node(hub),
        Err(Error::HasRelationships {
            relationships: MANY,
            ..
        })
    ));
    assert_eq!(txn.relationship_count(None).unwrap(), MANY);
    assert_eq!(txn.degree(hub, Direction::Both, None).unwrap(), MANY);
    txn.set_property(hub, "p", 1).unwrap();
    txn.commit().unwrap();
    assert_eq!(db.read().unwrap().relationship_count(None).unwrap(), MANY);
    let mut left = MANY;
    loop {
        let mut txn = db.write().unwrap();
        let deleted = txn.delete_relationships_of(hub, 15_000).unwrap();
        left -= deleted;
        assert_eq!(txn.degree(hub, Direction::Both, None).unwrap(), left);
        txn.commit().unwrap();
        if deleted == 0 {
            break;
        }
    }
    assert_eq!(left, 0);
    let mut txn = db.write().unwrap();
    assert_eq!(txn.detach_delete_node(hub).unwrap(), 0);
    txn.commit().unwrap();
    let read = db.read().unwrap();
    assert_eq!(read.node_count(None).unwrap(), 100);
    assert_eq!(read.relationship_count(Some("HAS")).unwrap(), 0);
}
