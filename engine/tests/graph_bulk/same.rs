//! What a load writes is what transactions would have written.

use crate::items::{Item, fill, graph};
use crate::{assert_same, assert_sound, databases, finish, load_all, open, small, stored, written};
use stratigraph::{Database, Error, NO_LABELS, NO_PROPERTIES, NodeId, Read, RelationshipId};

#[test]
fn a_load_writes_what_transactions_would_have_written() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, threads) in [(1, 1), (2, 2), (3, 4)] {
        println!("seed {seed}");
        let first = graph(seed, 0, 700, 3000);
        let second = graph(seed + 100, 700, 500, 4000);
        let after_first = written(&[&first]);
        let after_second = written(&[&first, &second]);
        for db in databases(folder.path(), &format!("seed-{seed}")) {
            let mut load = db.bulk_load_with(small(threads)).unwrap();
            fill(&mut load, &first);
            assert_eq!(db.read().unwrap().node_count(None).unwrap(), 0);
            finish(load).unwrap();
            assert_same(&stored(&db), &after_first, "into an empty database");
            let old = db.read().unwrap();
            let report = load_all(&db, small(threads), &second).unwrap();
            assert_eq!(report.nodes, 500);
            assert_eq!(db.read().unwrap().commit_seq(), report.commit);
            assert_same(&stored(&db), &after_second, "into a filled database");
            assert_eq!(old.node_count(None).unwrap(), 700);
            assert_eq!(old.node_ids().unwrap().count(), 700);
            assert_sound(&db);
            db.close().unwrap();
        }
        let db = open(&folder.path().join(format!("seed-{seed}")));
        assert_same(&stored(&db), &after_second, "after a reopen");
        assert_sound(&db);
    }
}

#[test]
fn chunks_beyond_the_fan_in_are_merged_in_between() {
    let folder = tempfile::tempdir().unwrap();
    let items = graph(7, 0, 400, 40_000);
    // The least memory there is holds 682 relationships of hierarchies.
    let plain = |item: &&Item| !matches!(item, Item::Relationship(_, "PART_OF", ..));
    let items: Vec<Item> = items.iter().filter(plain).cloned().collect();
    let expected = written(&[&items]);
    for db in databases(folder.path(), "db") {
        load_all(&db, small(2), &items).unwrap();
        assert_same(&stored(&db), &expected, "many chunks");
        assert_sound(&db);
    }
}

#[test]
fn sets_of_more_than_one_container_and_labels_across_them() {
    let count = 150_000_u64;
    let db = Database::in_memory().unwrap();
    for portion in [0..count / 2, count / 2..count] {
        let mut load = db.bulk_load_with(small(2)).unwrap();
        let nodes = portion.clone().map(|number| {
            let label = if number.is_multiple_of(3) {
                "Fizz"
            } else {
                "Other"
            };
            (
                [label]
                    .into_iter()
                    .take(usize::from(!number.is_multiple_of(5))),
                NO_PROPERTIES,
            )
        });
        let ids = load.add_nodes(nodes).unwrap();
        assert_eq!(
            (ids.start.get(), ids.end.get()),
            (portion.start, portion.end)
        );
        let mut random = fastrand::Rng::with_seed(5);
        let ends = std::iter::repeat_with(|| {
            let mut end = || NodeId::new(random.u64(..portion.end));
            (end(), "TO", end(), NO_PROPERTIES)
        });
        load.add_relationships(ends.take(20_000)).unwrap();
        finish(load).unwrap();
    }
    let read = db.read().unwrap();
    let fizz = |number: &u64| number.is_multiple_of(3) && !number.is_multiple_of(5);
    assert!(
        read.nodes_with_label("Fizz")
            .unwrap()
            .iter()
            .eq((0..count).filter(fizz))
    );
    assert_eq!(read.relationships_of_type("TO").unwrap().len(), 40_000);
    drop(read);
    assert_sound(&db);
}

#[test]
fn ids_may_be_chosen_and_have_gaps() {
    let folder = tempfile::tempdir().unwrap();
    for db in databases(folder.path(), "db") {
        let mut load = db.bulk_load_with(small(2)).unwrap();
        let mut random = fastrand::Rng::with_seed(11);
        let (mut node, mut relationship) = (0, 0);
        let mut nodes = Vec::new();
        for _ in 0..2000 {
            node += if random.u8(..50) == 0 {
                random.u64(1..200_000)
            } else {
                random.u64(1..3)
            };
            let label = if random.bool() { "Dog" } else { "City" };
            load.add_node_with_id(NodeId::new(node), [label], [("n", node as i64)])
                .unwrap();
            nodes.push(node);
            relationship += random.u64(1..1000);
            let end = NodeId::new(nodes[random.usize(..nodes.len())]);
            let id = RelationshipId::new(relationship);
            load.add_relationship_with_id(id, end, "LIKES", NodeId::new(node), NO_PROPERTIES)
                .unwrap();
            let missing = NodeId::new(node + 1);
            let refused = load
                .add_relationship(missing, "LIKES", end, NO_PROPERTIES)
                .unwrap_err();
            assert!(
                matches!(refused, Error::NodeNotFound { node } if node == missing),
                "{refused}"
            );
            if let Some(gap) = (nodes[0]..node).find(|id| nodes.binary_search(id).is_err()) {
                let refused = load.add_relationship(end, "LIKES", NodeId::new(gap), NO_PROPERTIES);
                assert!(matches!(refused, Err(Error::NodeNotFound { .. })));
            }
            for back in [node, 0] {
                let refused = load.add_node_with_id(NodeId::new(back), ["Dog"], NO_PROPERTIES);
                assert!(
                    matches!(refused, Err(Error::BulkOrder { .. })),
                    "{refused:?}"
                );
            }
        }
        let last = load.add_node_with_id(NodeId::new(u64::MAX), NO_LABELS, NO_PROPERTIES);
        assert!(matches!(last, Err(Error::TooMany { .. })), "{last:?}");
        load.reserve_ids(node + 500, 5).unwrap();
        finish(load).unwrap();
        assert_sound(&db);
        let read = db.read().unwrap();
        assert!(
            read.node_ids()
                .unwrap()
                .map(|id| id.unwrap().get())
                .eq(nodes.iter().copied())
        );
        let mut txn = db.write().unwrap();
        let next = txn.create_node(NO_LABELS, NO_PROPERTIES).unwrap();
        assert_eq!(next.get(), node + 500);
        let next = txn
            .create_relationship(next, "LIKES", next, NO_PROPERTIES)
            .unwrap();
        assert_eq!(next.get(), relationship + 1);
        txn.commit().unwrap();
        assert_sound(&db);
    }
}

#[test]
fn an_empty_load_is_fine() {
    let folder = tempfile::tempdir().unwrap();
    for db in databases(folder.path(), "db") {
        let before = stored(&db);
        let report = finish(db.bulk_load().unwrap()).unwrap();
        assert_eq!((report.nodes, report.relationships), (0, 0));
        assert_same(&stored(&db), &before, "nothing");
    }
}
