//! Hostile sizes and shapes: each gives its typed error, and the transaction goes on as if nobody had
//! asked.

use std::collections::BTreeMap;
use stratigraph::catalog::{MAX_NAME_BYTES, MAX_NAMES};
use stratigraph::graph::{MAX_LABELS, MAX_PROPERTIES, MAX_VALUE_BYTES};
use stratigraph::keys::KeyRead as _;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::value::{BadVector, MAX_DEPTH, NotStorable, TooDeep, ValueKind};
use stratigraph::{
    Constraint, Database, Direction, Error, HierarchyOptions, Index, NO_LABELS, NO_PROPERTIES,
    NodeId, Read, Result, Value, Vector, WriteTxn,
};

/// Everything that can be read of a small graph.
fn contents(read: &impl Read) -> String {
    let mut contents = format!(
        "{} nodes, {} relationships\n",
        read.node_count(None).unwrap(),
        read.relationship_count(None).unwrap()
    );
    for node in read.node_ids().unwrap() {
        let node = read.node(node.unwrap()).unwrap().unwrap();
        let degree = read.degree(node.id(), Direction::Both, None).unwrap();
        contents += &format!("{node:?} {degree}\n");
    }
    for id in read.relationship_ids().unwrap() {
        contents += &format!("{:?}\n", read.relationship(id.unwrap()).unwrap().unwrap());
    }
    for index in read.catalog().indexes() {
        let index = read.index(&index.name).unwrap();
        let all = index.all(stratigraph::storage::range::Direction::Forward);
        let all: Vec<_> = all.unwrap().map(Result::unwrap).collect();
        contents += &format!("{} {all:?}\n", index.entries().unwrap());
    }
    contents
}

/// Makes sure that a refused operation has changed nothing, and returns its error.
fn refused<T>(txn: &mut WriteTxn, operation: impl FnOnce(&mut WriteTxn) -> Result<T>) -> Error {
    let before = contents(txn);
    let error = operation(txn).err().expect("it is refused");
    assert!(contents(txn) == before, "something changed after: {error}");
    error
}

/// Commits, and makes sure that everything is as the transaction saw it.
fn commit(db: &Database, txn: WriteTxn) {
    let before = contents(&txn);
    txn.commit().unwrap();
    assert!(
        contents(&db.read().unwrap()) == before,
        "the commit differs"
    );
}

fn too_many(error: &Error) -> (&'static str, u64) {
    match error {
        Error::TooMany { what, limit, .. } => (what, *limit),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_node_has_no_more_labels_than_the_limit() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let labels = |count: usize| (0..count).map(|number| format!("L{number}"));
    let error = refused(&mut txn, |txn| {
        txn.create_node(labels(1_000_000), NO_PROPERTIES)
    });
    let limit = ("labels of a node", MAX_LABELS as u64);
    assert_eq!(too_many(&error), limit);
    assert!(
        txn.catalog().labels.len() <= MAX_LABELS + 1,
        "names were used up in vain"
    );
    let full = txn.create_node(labels(MAX_LABELS), NO_PROPERTIES).unwrap();
    let error = refused(&mut txn, |txn| txn.add_label(full, "one more"));
    assert_eq!(too_many(&error), limit);
    txn.add_label(full, "L0").unwrap();
    // The same label again and again is one label.
    let one = txn
        .create_node(std::iter::repeat_n("L0", 5000), NO_PROPERTIES)
        .unwrap();
    assert_eq!(txn.node(one).unwrap().unwrap().labels().count(), 1);
    commit(&db, txn);
}

#[test]
fn there_are_no_more_names_than_the_limit() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let mut refusals = 0;
    for number in 0..1_000_000 {
        match txn.create_node([format!("L{number}")], NO_PROPERTIES) {
            Ok(node) => assert_eq!(node.get(), number),
            Err(error) => {
                assert_eq!(too_many(&error), ("label", MAX_NAMES as u64));
                refusals += 1;
            }
        }
    }
    assert_eq!(refusals, 1_000_000 - MAX_NAMES);
    let names = MAX_NAMES as u64;
    assert_eq!(txn.node_count(None).unwrap(), names);
    // Names of another kind, and known names, go on.
    let node = txn.create_node(["L7"], [("p", 1)]).unwrap();
    txn.create_relationship(node, "T", node, NO_PROPERTIES)
        .unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    assert_eq!(read.node_count(None).unwrap(), names + 1);
    assert_eq!(read.node_count(Some("L7")).unwrap(), 2);
    assert_eq!(read.nodes_with_label("L65535").unwrap().len(), 1);
    assert!(read.catalog().labels.id("L65536").is_none());
}

#[test]
fn names_are_not_empty_nor_too_long_and_have_no_zero_byte() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], [("p", 1)]).unwrap();
    let longest = "n".repeat(MAX_NAME_BYTES);
    let too_long = "n".repeat(MAX_NAME_BYTES + 1);
    for bad in ["", "a\0b", &too_long] {
        let errors = [
            refused(&mut txn, |txn| txn.create_node([bad], NO_PROPERTIES)),
            refused(&mut txn, |txn| txn.create_node(NO_LABELS, [(bad, 1)])),
            refused(&mut txn, |txn| txn.add_label(node, bad)),
            refused(&mut txn, |txn| txn.set_property(node, bad, 1)),
            refused(&mut txn, |txn| txn.replace_properties(node, [(bad, 1)])),
            refused(&mut txn, |txn| {
                txn.create_relationship(node, bad, node, NO_PROPERTIES)
            }),
            refused(&mut txn, |txn| {
                txn.create_relationship(node, "T", node, [(bad, 1)])
            }),
        ];
        for error in errors {
            assert!(matches!(error, Error::BadName { .. }), "{error:?}");
            assert!(error.to_string().len() < 200, "{error}");
        }
    }
    txn.add_label(node, &longest).unwrap();
    txn.set_property(node, &longest, 1).unwrap();
    txn.create_relationship(node, &longest, node, [(&longest, 1)])
        .unwrap();
    commit(&db, txn);
    for bad in ["", "a\0b", &too_long] {
        let errors = [
            db.create_index(Index::on_nodes(bad, ["p"])),
            db.create_index(Index::on_nodes("A", [bad])),
            db.create_index(Index::on_nodes("A", ["p"]).named(bad)),
            db.create_constraint(Constraint::on_nodes("A").unique(["p"]).named(bad)),
            db.create_hierarchy(HierarchyOptions::new(bad, "T")),
            db.create_hierarchy(HierarchyOptions::new("h", bad)),
        ];
        for error in errors {
            let error = error.unwrap_err();
            assert!(matches!(error, Error::BadName { .. }), "{error:?}");
        }
    }
    let catalog = db.read().unwrap();
    assert_eq!(catalog.catalog().indexes().count(), 0);
    assert_eq!(catalog.catalog().constraints().count(), 0);
    assert_eq!(catalog.catalog().hierarchies().count(), 0);
}

#[test]
fn a_long_value_lies_apart_and_one_beyond_the_limit_is_refused() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let megabyte = "ä".repeat(1 << 19);
    let node = txn
        .create_node(["A"], [("name", "a"), ("text", &megabyte)])
        .unwrap();
    let beyond = "b".repeat(MAX_VALUE_BYTES);
    let errors = [
        refused(&mut txn, |txn| {
            txn.create_node(["A"], [("text", beyond.as_str())])
        }),
        refused(&mut txn, |txn| {
            txn.set_property(node, "text", beyond.as_str())
        }),
        refused(&mut txn, |txn| {
            txn.create_relationship(node, "T", node, [("text", beyond.as_str())])
        }),
        refused(&mut txn, |txn| {
            txn.set_property(node, "bytes", Value::bytes(beyond.as_bytes()))
        }),
        refused(&mut txn, |txn| {
            txn.set_property(node, "list", vec![beyond.as_str(); 2])
        }),
    ];
    for error in errors {
        let limit = MAX_VALUE_BYTES as u64;
        assert!(
            matches!(error, Error::TooLarge { what: "property value", limit_bytes, .. } if limit_bytes == limit),
            "{error:?}"
        );
    }
    let nearly = "b".repeat(MAX_VALUE_BYTES - 64);
    txn.set_property(node, "other", nearly.as_str()).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let value = read.property(node, "text").unwrap();
    assert_eq!(value.as_str(), Some(megabyte.as_str()));
    let value = read.property(node, "other").unwrap();
    assert_eq!(value.as_str(), Some(nearly.as_str()));
    // The record itself stays short, so that a traversal does not read the text.
    let keys = db.key_read().unwrap();
    let sizes = |family| {
        let mut scan = keys.scan(family, &KeyRange::all()).unwrap();
        let mut sizes = Vec::new();
        while let Some(entry) = scan.next().unwrap() {
            sizes.push(entry.value.len());
        }
        sizes
    };
    let (nodes, texts) = (sizes(Family::Nodes), sizes(Family::Text));
    assert!(nodes.len() == 1 && nodes[0] < 64, "{nodes:?}");
    assert!(texts.len() == 2 && texts[0] > 1 << 20, "{texts:?}");
}

#[test]
fn nothing_has_more_properties_than_the_limit() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], [("p0", 0)]).unwrap();
    let pairs = |count: i64| (0..count).map(|number| (format!("p{number}"), number));
    let errors = [
        refused(&mut txn, |txn| txn.create_node(["A"], pairs(100_000))),
        refused(&mut txn, |txn| txn.set_properties(node, pairs(100_000))),
        refused(&mut txn, |txn| txn.replace_properties(node, pairs(100_000))),
        refused(&mut txn, |txn| {
            txn.create_relationship(node, "T", node, pairs(100_000))
        }),
    ];
    let limit = (
        "properties of one node or relationship",
        MAX_PROPERTIES as u64,
    );
    for error in errors {
        assert_eq!(too_many(&error), limit);
    }
    // Names are not used up by what was refused.
    let names = txn.catalog().properties.len();
    assert!(names <= MAX_PROPERTIES + 1, "{names} names are known");
    txn.set_properties(node, pairs(MAX_PROPERTIES as i64))
        .unwrap();
    let error = refused(&mut txn, |txn| txn.set_property(node, "one more", 1));
    assert_eq!(too_many(&error), limit);
    // One for another is no more.
    txn.set_properties(node, [("p0", Value::Null), ("one more", 1.into())])
        .unwrap();
    commit(&db, txn);
}

#[test]
fn values_that_are_no_properties_are_refused() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], NO_PROPERTIES).unwrap();
    let map = Value::map(BTreeMap::from([("k".into(), 1.into())])).unwrap();
    let cases = [
        (map, NotStorable::Map),
        (
            Value::from(vec![Value::from(vec![1])]),
            NotStorable::Element {
                index: 0,
                found: ValueKind::List,
            },
        ),
        (
            Value::from(vec![Value::from(1), Value::Null]),
            NotStorable::Element {
                index: 1,
                found: ValueKind::Null,
            },
        ),
        (
            Value::from(vec![Vector::new([1.0]).unwrap()]),
            NotStorable::Element {
                index: 0,
                found: ValueKind::Vector,
            },
        ),
    ];
    for (value, reason) in cases {
        let errors = [
            refused(&mut txn, |txn| {
                txn.create_node(["B"], [("ok", 1.into()), ("p", value.clone())])
            }),
            refused(&mut txn, |txn| {
                txn.set_properties(node, [("ok", 1.into()), ("p", value.clone())])
            }),
            refused(&mut txn, |txn| {
                txn.create_relationship(node, "T", node, [("p", value.clone())])
            }),
        ];
        for error in errors {
            match error {
                Error::NotStorable { property, source } => {
                    assert_eq!((&*property, &*source), ("p", &reason));
                }
                other => panic!("{other:?}"),
            }
        }
    }
    commit(&db, txn);
}

#[test]
fn lists_within_lists_end_at_the_limit() {
    let mut deepest = Value::from(1);
    for depth in 1..=100_000 {
        match Value::list(vec![deepest.clone()]) {
            Ok(deeper) => deepest = deeper,
            Err(TooDeep { limit }) => {
                assert_eq!((limit, depth), (MAX_DEPTH, MAX_DEPTH + 1));
                break;
            }
        }
    }
    // Whoever builds it with the variants is refused before anything looks inside.
    let mut deep = Value::from(1);
    for _ in 0..100_000 {
        deep = Value::List(vec![deep].into());
    }
    assert!(Value::list(vec![deep.clone()]).is_err());
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], NO_PROPERTIES).unwrap();
    for value in [deep.clone(), deepest] {
        let error = refused(&mut txn, |txn| txn.set_property(node, "p", value));
        assert!(matches!(error, Error::NotStorable { .. }), "{error:?}");
    }
    commit(&db, txn);
    // Taken apart from the outside, since dropping it whole would recurse.
    while let Value::List(elements) = &deep {
        deep = elements[0].clone();
    }
}

#[test]
fn vectors_have_a_dimension_within_bounds_and_finite_numbers() {
    assert_eq!(Vector::new([]).unwrap_err(), BadVector::Empty);
    let longest = Vector::MAX_DIMENSION;
    assert_eq!(
        Vector::new(vec![0.5; longest + 1]).unwrap_err(),
        BadVector::TooLong {
            found: longest + 1,
            max: longest
        }
    );
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let bad = Vector::new([0.0, number]).unwrap_err();
        assert!(matches!(bad, BadVector::NotFinite { index: 1, .. }));
    }
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let vector = Vector::new(vec![0.5; longest]).unwrap();
    let node = txn.create_node(["A"], [("v", vector)]).unwrap();
    txn.commit().unwrap();
    let value = db.read().unwrap().property(node, "v").unwrap();
    assert_eq!(value.as_vector().unwrap().dimension(), longest);
}

#[test]
fn an_indexed_value_is_not_too_long() {
    let db = Database::in_memory().unwrap();
    db.create_index(Index::on_nodes("A", ["p"]).named("by_p"))
        .unwrap();
    db.create_index(Index::on_nodes("A", ["q", "r"]).named("by_both"))
        .unwrap();
    db.create_index(Index::on_relationships("T", ["p"]).named("of_t"))
        .unwrap();
    let (long, half) = ("x".repeat(9000), "x".repeat(5000));
    let (long, half) = (long.as_str(), half.as_str());
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], [("p", half), ("q", half)]).unwrap();
    let bare = txn.create_node(["B"], [("p", long)]).unwrap();
    let errors = [
        refused(&mut txn, |txn| txn.create_node(["A"], [("p", long)])),
        refused(&mut txn, |txn| txn.set_property(node, "p", long)),
        refused(&mut txn, |txn| txn.add_label(bare, "A")),
        refused(&mut txn, |txn| txn.set_property(node, "r", half)),
        refused(&mut txn, |txn| {
            txn.create_relationship(node, "T", bare, [("p", long)])
        }),
    ];
    for (error, name) in errors
        .into_iter()
        .zip(["by_p", "by_p", "by_p", "by_both", "of_t"])
    {
        match error {
            Error::IndexedValueTooLong { index, .. } => assert_eq!(&*index, name),
            other => panic!("{other:?}"),
        }
    }
    commit(&db, txn);
    let error = db
        .create_index(Index::on_nodes("B", ["p"]).named("too_late"))
        .unwrap_err();
    assert!(matches!(error, Error::IndexedValueTooLong { .. }));
    let read = db.read().unwrap();
    assert!(read.catalog().index_named("too_late").is_none());
    let by_p = read.index("by_p").unwrap();
    assert_eq!(by_p.equal(&[long.into()]).unwrap().count(), 0);
    assert_eq!(by_p.equal(&[half.into()]).unwrap().count(), 1);
    assert_eq!(by_p.range(Value::from(long)..).unwrap().count(), 0);
}

#[test]
fn a_transaction_that_is_full_still_commits() {
    let db = Database::builder()
        .transaction_bytes(1 << 20)
        .in_memory()
        .unwrap();
    db.create_index(Index::on_nodes("A", ["p"]).named("by_p"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let text = "y".repeat(4000);
    let (mut nodes, error) = (
        Vec::new(),
        loop {
            let error = match txn.create_node(["A"], [("p", text.as_str())]) {
                Ok(_) => continue,
                Err(error) => error,
            };
            break error;
        },
    );
    assert!(
        matches!(
            error,
            Error::TransactionTooLarge {
                limit_bytes: 1_048_576,
                ..
            }
        ),
        "{error:?}"
    );
    for node in txn.node_ids().unwrap() {
        nodes.push(node.unwrap());
    }
    let large = "z".repeat(1 << 20);
    let errors = [
        refused(&mut txn, |txn| {
            txn.create_node(["A"], [("p", text.as_str())])
        }),
        refused(&mut txn, |txn| {
            txn.set_property(nodes[0], "q", large.as_str())
        }),
        refused(&mut txn, |txn| {
            txn.create_relationship(nodes[0], "T", nodes[1], [("q", large.as_str())])
        }),
    ];
    for error in errors {
        assert!(matches!(error, Error::TransactionTooLarge { .. }));
    }
    assert!(nodes.len() > 50, "only {} nodes", nodes.len());
    commit(&db, txn);
    let read = db.read().unwrap();
    assert_eq!(read.node_count(Some("A")).unwrap(), nodes.len() as u64);
}

#[test]
fn a_transaction_that_is_full_of_small_changes_still_commits() {
    let db = Database::builder()
        .transaction_bytes(1 << 20)
        .in_memory()
        .unwrap();
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS"))
        .unwrap();
    let mut txn = db.write().unwrap();
    // Each relationship changes two degrees and two levels, which are written at the end.
    let error = loop {
        let label = format!("L{}", txn.node_count(None).unwrap());
        let made = txn.create_node([&label], NO_PROPERTIES).and_then(|from| {
            let to = txn.create_node(NO_LABELS, NO_PROPERTIES)?;
            txn.create_relationship(from, "HAS", to, NO_PROPERTIES)
        });
        if let Err(error) = made {
            break error;
        }
    };
    assert!(
        matches!(error, Error::TransactionTooLarge { .. }),
        "{error:?}"
    );
    commit(&db, txn);
    let read = db.read().unwrap();
    assert!(read.relationship_count(None).unwrap() > 500);
    let outline = read.hierarchy("outline").unwrap();
    assert_eq!(
        outline.members(1).unwrap().len(),
        read.relationship_count(None).unwrap()
    );
}

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
    let db = Database::builder()
        .transaction_bytes(16 << 20)
        .in_memory()
        .unwrap();
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

/// A node whose relationships take far more to delete than most do: their index entries are long.
fn costly(db: &Database) -> NodeId {
    db.create_index(Index::on_relationships("HAS", ["text"]).named("by_text"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], NO_PROPERTIES).unwrap();
    txn.commit().unwrap();
    for portion in 0..10 {
        let mut txn = db.write().unwrap();
        for number in 0..12 {
            let text = format!("{}{portion}-{number}", "t".repeat(7000));
            txn.create_relationship(node, "HAS", node, [("text", text)])
                .unwrap();
        }
        txn.commit().unwrap();
    }
    node
}

#[test]
fn deleting_what_does_not_fit_changes_nothing() {
    let db = Database::builder()
        .transaction_bytes(300 << 10)
        .in_memory()
        .unwrap();
    let node = costly(&db);
    let mut txn = db.write().unwrap();
    let error = refused(&mut txn, |txn| txn.detach_delete_node(node));
    assert!(matches!(error, Error::TooConnected { .. }), "{error:?}");
    let error = refused(&mut txn, |txn| txn.delete_relationships_of(node, 100));
    assert!(
        matches!(error, Error::TransactionTooLarge { .. }),
        "{error:?}"
    );
    // A savepoint keeps the way back, which takes room too.
    let savepoint = txn.savepoint().unwrap();
    let error = refused(&mut txn, |txn| txn.delete_relationships_of(node, 30));
    assert!(
        matches!(error, Error::TransactionTooLarge { .. }),
        "{error:?}"
    );
    txn.release(savepoint).unwrap();
    commit(&db, txn);
    loop {
        let mut txn = db.write().unwrap();
        let deleted = txn.delete_relationships_of(node, 20).unwrap();
        commit(&db, txn);
        if deleted == 0 {
            break;
        }
    }
    let mut txn = db.write().unwrap();
    txn.delete_node(node).unwrap();
    txn.commit().unwrap();
    assert_eq!(
        db.read()
            .unwrap()
            .index("by_text")
            .unwrap()
            .entries()
            .unwrap(),
        0
    );
}
