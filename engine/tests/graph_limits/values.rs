//! How many properties there may be, of which values, and how long.

use crate::{commit, refused, too_many};
use std::collections::BTreeMap;
use stratigraph::graph::{MAX_PROPERTIES, MAX_VALUE_BYTES};
use stratigraph::keys::KeyRead as _;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::value::{BadVector, MAX_DEPTH, NotStorable, TooDeep, ValueKind};
use stratigraph::{Database, Error, Index, NO_PROPERTIES, Read, Value, Vector};

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
