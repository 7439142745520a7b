//! A load that does not come to its end leaves everything as it was.

use crate::folder::copy;
use crate::items::{fill, graph, write};
use crate::{
    assert_same, assert_sound, databases, declare, finish, load_all, open, small, stored, written,
};
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{
    Database, Direction, Error, NO_LABELS, NO_PROPERTIES, NodeId, Read, ViolationReason,
};

#[test]
fn what_only_shows_at_the_end_undoes_the_load() {
    let folder = tempfile::tempdir().unwrap();
    for db in databases(folder.path(), "db") {
        write(&db, &graph(21, 0, 300, 1500));
        let before = stored(&db);
        let mut load = db.bulk_load_with(small(2)).unwrap();
        fill(&mut load, &graph(22, 300, 300, 1500));
        let first = load
            .add_node(["Person"], [("name", "A"), ("email", "same")])
            .unwrap();
        let second = load
            .add_node(["Person"], [("name", "B"), ("email", "same")])
            .unwrap();
        let error = finish(load).unwrap_err();
        let Error::ConstraintViolation(violation) = &error else {
            panic!("{error}")
        };
        assert_eq!(violation.entity, second.into());
        assert_eq!(
            violation.reason,
            ViolationReason::Taken {
                values: vec!["'same'".into()],
                other: first.into()
            }
        );
        assert_same(&stored(&db), &before, "two with one key");

        let mut load = db.bulk_load_with(small(2)).unwrap();
        let above = db
            .read()
            .unwrap()
            .neighbours(NodeId::new(299), Direction::Outgoing, Some("PART_OF"))
            .unwrap()
            .count();
        let nodes: Vec<NodeId> = (0..3)
            .map(|_| load.add_node(NO_LABELS, NO_PROPERTIES).unwrap())
            .collect();
        for (parent, child) in [(0, 1), (1, 2)] {
            load.add_relationship(nodes[parent], "PART_OF", nodes[child], NO_PROPERTIES)
                .unwrap();
        }
        // Through stored nodes as well.
        let (top, low) = (NodeId::new(299), NodeId::new(0));
        load.add_relationship(nodes[2], "PART_OF", top, NO_PROPERTIES)
            .unwrap();
        load.add_relationship(top, "PART_OF", low, NO_PROPERTIES)
            .unwrap();
        load.add_relationship(low, "PART_OF", nodes[0], NO_PROPERTIES)
            .unwrap();
        let error = finish(load).unwrap_err();
        let Error::HierarchyCycle { cycle, .. } = &error else {
            panic!("{error}")
        };
        assert!(cycle.nodes().len() >= 4, "{error}; {above}");
        assert_same(&stored(&db), &before, "a cycle");

        let mut load = db.bulk_load_with(small(2)).unwrap();
        fill(&mut load, &graph(22, 300, 300, 1500));
        drop(load);
        assert_same(&stored(&db), &before, "a load that was given up");
        write(&db, &graph(22, 300, 300, 1500));
        assert_sound(&db);
    }
}

#[test]
fn a_load_that_is_cancelled_at_any_step_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let items = graph(32, 200, 200, 1200);
    for db in databases(folder.path(), "db") {
        write(&db, &graph(31, 0, 200, 1200));
        let before = stored(&db);
        let mut stop_at = 0;
        loop {
            let mut load = db.bulk_load_with(small(1 + stop_at % 2)).unwrap();
            fill(&mut load, &items);
            let (token, mut seen) = (CancelToken::new(), 0);
            let late = token.clone();
            let mut cancel = |_: Progress<'_>| {
                if seen == stop_at {
                    late.cancel();
                }
                seen += 1;
            };
            let finished = load.finish(&mut Watch::new(&mut cancel, token));
            match finished {
                Err(Error::Cancelled) => {
                    assert_same(&stored(&db), &before, &format!("step {stop_at}"));
                }
                Err(error) => panic!("{error}"),
                Ok(_) => break,
            }
            stop_at += 1;
        }
        assert!(stop_at > 8, "only {stop_at} steps");
        assert_sound(&db);
        let expected = written(&[&graph(31, 0, 200, 1200), &items]);
        assert_same(&stored(&db), &expected, "not cancelled");
    }
}

#[test]
fn adding_can_be_cancelled_too() {
    let db = Database::in_memory().unwrap();
    let token = CancelToken::new();
    let mut load = db.bulk_load().unwrap().with_cancel(token.clone());
    load.add_node(["A"], NO_PROPERTIES).unwrap();
    token.cancel();
    assert!(matches!(
        load.add_node(["A"], NO_PROPERTIES),
        Err(Error::Cancelled)
    ));
    assert!(matches!(finish(load), Err(Error::Cancelled)));
    assert_eq!(stored(&db), []);
}

#[test]
fn a_load_cut_short_by_a_crash_is_undone_at_the_next_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let db = open(&path);
    declare(&db);
    write(&db, &graph(41, 0, 200, 1200));
    let before = stored(&db);
    let mut load = db.bulk_load_with(small(2)).unwrap();
    fill(&mut load, &graph(42, 200, 200, 1200));
    let mut copies = Vec::new();
    let mut snapshot_of_files = |progress: Progress<'_>| {
        if progress.step == "take in the sorted runs" {
            let crashed = folder.path().join(format!("crashed-{}", progress.done));
            copy(&path, &crashed);
            copies.push(crashed);
        }
    };
    load.finish(&mut Watch::new(&mut snapshot_of_files, CancelToken::new()))
        .unwrap();
    assert!(copies.len() > 8, "{}", copies.len());
    assert_ne!(stored(&db), before);
    for crashed in copies {
        let db = open(&crashed);
        assert_same(&stored(&db), &before, &crashed.display().to_string());
        assert!(!crashed.join("load").exists());
        assert_sound(&db);
        load_all(&db, small(2), &graph(42, 200, 200, 1200)).unwrap();
        assert_sound(&db);
    }
}
