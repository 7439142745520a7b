//! What was dumped comes back: ids, names, declarations, and the next dump.

use crate::model::Model;
use crate::{canonical, dump, load, load_with, without_origin};
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{
    Constraint, Database, Direction, Error, Index, LoadOptions, NO_LABELS, NO_PROPERTIES, NodeId,
    Read, RelationshipId, verify_dump,
};

#[test]
fn random_graphs_come_back_and_dump_to_the_same_bytes() {
    let seed = 4711;
    let mut rng = fastrand::Rng::with_seed(seed);
    for round in 0..60 {
        let nodes = rng.usize(1..40);
        let db = Model::random(&mut rng, nodes, round % 3 == 0).database(&mut rng);
        let (text, report) = dump(&db);
        let context = format!("seed {seed}, round {round}:\n{text}");
        assert_eq!(dump(&db).0, text, "{context}");
        let options = LoadOptions::default();
        let found = verify_dump(text.as_bytes(), &options, &mut Watch::quiet()).unwrap();
        assert_eq!(found, report.contents, "{context}");

        let (again, loaded) = load_with(text.as_bytes(), &options).unwrap();
        assert_eq!(loaded.contents, report.contents, "{context}");
        assert_eq!(
            without_origin(&dump(&again).0),
            without_origin(&text),
            "{context}"
        );
        assert_eq!(canonical(&again), canonical(&db), "{context}");
        let checked = again.check(&mut Watch::quiet()).unwrap();
        assert!(checked.is_clean(), "{:?} {context}", checked.findings);

        // The next ids are those that the original would give.
        let ids = |db: &Database| {
            let mut txn = db.write().unwrap();
            let node = txn.create_node(NO_LABELS, NO_PROPERTIES).unwrap();
            let loop_ = txn
                .create_relationship(node, "NEW", node, NO_PROPERTIES)
                .unwrap();
            (node, loop_)
        };
        assert_eq!(ids(&again), ids(&db), "{context}");
    }
}

#[test]
fn the_text_is_the_documented_one() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let gone = txn.create_node(NO_LABELS, NO_PROPERTIES).unwrap();
    let ann = txn
        .create_node(["Person", "Admin"], [("name", "Ann"), ("city", "Ulm")])
        .unwrap();
    let bob = txn.create_node(NO_LABELS, [("age", 41)]).unwrap();
    txn.create_relationship(ann, "KNOWS", bob, [("since", 2020.0)])
        .unwrap();
    txn.delete_node(gone).unwrap();
    txn.commit().unwrap();
    db.create_index(stratigraph::Index::on_nodes("Person", ["name"]))
        .unwrap();
    db.create_hierarchy(stratigraph::HierarchyOptions::new("parts", "HAS"))
        .unwrap();
    let mut txn = db.write().unwrap();
    txn.add_member("parts", bob).unwrap();
    txn.commit().unwrap();
    let (text, _) = dump(&db);
    let expected = [
        r#"{"stratigraph_dump":1,"nodes":2,"relationships":1,"next":{"node":3,"relationship":1,"declaration":2}}"#,
        r#"{"label":"Person"}"#,
        r#"{"label":"Admin"}"#,
        r#"{"type":"KNOWS"}"#,
        r#"{"type":"HAS"}"#,
        r#"{"property":"name"}"#,
        r#"{"property":"city"}"#,
        r#"{"property":"age"}"#,
        r#"{"property":"since"}"#,
        r#"{"index":"index_Person_name","label":"Person","properties":["name"]}"#,
        r#"{"hierarchy":"parts","type":"HAS","tree":false}"#,
        r#"{"node":1,"labels":["Admin","Person"],"properties":{"city":"Ulm","name":"Ann"}}"#,
        r#"{"node":2,"labels":[],"properties":{"age":41}}"#,
        r#"{"relationship":0,"type":"KNOWS","from":1,"to":2,"properties":{"since":2020.0}}"#,
        r#"{"member":2,"hierarchy":"parts"}"#,
    ];
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..lines.len() - 1], expected);
    let end = lines[lines.len() - 1];
    // The checksum of the bytes above: if it moves, old dumps do not load any more.
    assert!(
        end.starts_with(
            r#"{"end":{"nodes":2,"relationships":1,"checksum":"6670616ee14f2728"},"of":{"database":""#
        ),
        "{end}"
    );
    assert!(end.ends_with(r#","commit":6}}"#), "{end}");

    let expected = [
        r#"{"stratigraph_dump":1,"canonical":true,"nodes":2,"relationships":1}"#,
        r#"{"index":"index_Person_name","label":"Person","properties":["name"]}"#,
        r#"{"hierarchy":"parts","type":"HAS","tree":false}"#,
        r#"{"labels":["Admin","Person"],"properties":{"city":"Ulm","name":"Ann"}}"#,
        r#"{"labels":[],"properties":{"age":41}}"#,
        r#"{"type":"KNOWS","from":0,"to":1,"properties":{"since":2020.0}}"#,
        r#"{"member":1,"hierarchy":"parts"}"#,
    ];
    let text = canonical(&db);
    assert_eq!(text.lines().take(7).collect::<Vec<_>>(), expected);

    let again = load(&dump(&db).0).unwrap().read().unwrap();
    let (ann, bob) = (NodeId::new(1), NodeId::new(2));
    assert_eq!(again.property(ann, "city").unwrap().as_str(), Some("Ulm"));
    // Labels keep the order of their first use.
    let labels: Vec<String> = again
        .node(ann)
        .unwrap()
        .unwrap()
        .labels()
        .map(str::to_owned)
        .collect();
    assert_eq!(labels, ["Person", "Admin"]);
    let knows = again.relationship(RelationshipId::new(0)).unwrap().unwrap();
    assert_eq!((knows.source(), knows.target()), (ann, bob));
    assert_eq!(
        again
            .degree(bob, Direction::Incoming, Some("KNOWS"))
            .unwrap(),
        1
    );
    let found = again.index("index_Person_name").unwrap();
    drop(found);
    assert!(again.hierarchy("parts").is_ok());
}

#[test]
fn an_empty_database_comes_back() {
    let db = Database::in_memory().unwrap();
    let (text, report) = dump(&db);
    assert_eq!(report.contents.nodes, 0);
    let again = load(&text).unwrap();
    assert_eq!(without_origin(&dump(&again).0), without_origin(&text));
}

#[test]
fn many_portions_become_one_database() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let mut last = None;
    for number in 0..60_000 {
        let node = txn.create_node(["N"], [("n", number)]).unwrap();
        if let Some(last) = last {
            txn.create_relationship(last, "NEXT", node, NO_PROPERTIES)
                .unwrap();
        }
        last = Some(node);
    }
    txn.commit().unwrap();
    let (text, _) = dump(&db);
    let again = load(&text).unwrap();
    assert_eq!(without_origin(&dump(&again).0), without_origin(&text));
    assert!(again.check(&mut Watch::quiet()).unwrap().is_clean());
}

#[test]
fn only_a_new_database_takes_a_dump() {
    let db = Database::in_memory().unwrap();
    let (text, _) = dump(&db);
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["Person"], NO_PROPERTIES).unwrap();
    txn.delete_node(node).unwrap();
    txn.commit().unwrap();
    let refused = db.load(
        text.as_bytes(),
        &LoadOptions::default(),
        &mut Watch::quiet(),
    );
    assert!(
        matches!(&refused, Err(Error::Dump(error)) if error.to_string().starts_with("the database is not new")),
        "{refused:?}"
    );
}

#[test]
fn a_dump_is_of_one_commit_while_a_writer_goes_on() {
    let mut rng = fastrand::Rng::with_seed(1);
    let db = Model::random(&mut rng, 30, false).database(&mut rng);
    let before = dump(&db).0;
    let mut text = Vec::new();
    let mut writer = Some(db.clone());
    // The first progress comes after the snapshot was taken.
    let mut report = |_: stratigraph::storage::cancel::Progress<'_>| {
        if let Some(db) = writer.take() {
            let mut txn = db.write().unwrap();
            txn.create_node(["Late"], NO_PROPERTIES).unwrap();
            txn.commit().unwrap();
        }
    };
    let token = stratigraph::storage::cancel::CancelToken::new();
    let mut watch = stratigraph::storage::cancel::Watch::new(&mut report, token);
    db.dump(&mut text, &mut watch).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), before);
    assert_ne!(dump(&db).0, before);
}

/// The dump of a database half-way through a build, where a value that no index takes comes last.
fn dump_while(create: impl FnOnce(&Database, &mut Watch<'_>) -> Result<(), Error>) -> String {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    for number in 0..5000 {
        txn.create_node(["N"], [("name", number)]).unwrap();
    }
    txn.create_node(["N"], [("name", "y".repeat(9000))])
        .unwrap();
    txn.commit().unwrap();
    let mut text = None;
    let mut report = |progress: Progress<'_>| {
        if progress.done > 0 && text.is_none() {
            text = Some(dump(&db).0);
        }
    };
    let refused = create(&db, &mut Watch::new(&mut report, CancelToken::new()));
    assert!(
        matches!(refused, Err(Error::IndexedValueTooLong { .. })),
        "{refused:?}"
    );
    text.expect("it came to its second portion")
}

#[test]
fn a_dump_taken_while_something_is_built_loads_without_what_it_breaks() {
    let index = || Index::on_nodes("N", ["name"]).named("names");
    let of_index = dump_while(|db, watch| db.create_index_watched(index(), watch));
    assert!(
        of_index.contains(r#"{"index":"names","label":"N","properties":["name"],"building":true}"#)
    );
    let unique = || Constraint::on_nodes("N").unique(["name"]).named("names");
    let of_constraint = dump_while(|db, watch| db.create_constraint_watched(unique(), watch));
    for text in [of_index, of_constraint] {
        let (db, report) = load_with(text.as_bytes(), &LoadOptions::default()).unwrap();
        let left_out: Vec<&str> = report.left_out.iter().map(|name| &**name).collect();
        assert_eq!(left_out, ["names"]);
        let read = db.read().unwrap();
        assert_eq!(read.node_count(Some("N")).unwrap(), 5001);
        let declared = read.catalog().indexes().count() + read.catalog().constraints().count();
        assert_eq!(declared, 0);
    }
}
