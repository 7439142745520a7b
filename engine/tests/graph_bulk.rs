//! Bulk load of the graph: byte for byte what transactions would have written, or nothing at all.

mod folder;

use folder::copy;
use std::path::Path;
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::value::ValueKind;
use stratigraph::{
    BulkLoad, BulkOptions, BulkReport, Constraint, Database, Direction, Entity, Error,
    HierarchyOptions, Index, NO_LABELS, NO_PROPERTIES, NodeId, Read, RelationshipId, Result, Value,
    Vector, ViolationReason,
};

/// Everything that is stored, but for what tells one commit, and one database, from another.
type Stored = Vec<(Family, Vec<u8>, Vec<u8>)>;

fn stored(db: &Database) -> Stored {
    let txn = db.key_read().unwrap();
    let mut pairs = Vec::new();
    for family in Family::all() {
        let mut scan = txn.scan(family, &KeyRange::all()).unwrap();
        while let Some(entry) = scan.next().unwrap() {
            if family != Family::Meta || entry.key[0] >= 16 {
                pairs.push((family, entry.key.to_vec(), entry.value.to_vec()));
            }
        }
    }
    pairs
}

fn assert_same(left: &Stored, right: &Stored, what: &str) {
    for (left, right) in left.iter().zip(right) {
        assert_eq!(left, right, "{what}");
    }
    assert_eq!(left.len(), right.len(), "{what}");
}

fn assert_sound(db: &Database) {
    let report = db.check(&mut watch()).unwrap();
    assert!(report.is_clean(), "{:?}", report.findings);
}

fn watch() -> Watch<'static> {
    // A report of its own for each: the tests that look at progress make their own.
    Watch::new(
        Box::leak(Box::new(|_: Progress<'_>| {})),
        CancelToken::new(),
    )
}

fn finish(load: BulkLoad) -> Result<BulkReport> {
    load.finish(&mut watch())
}

/// So little that everything is put aside many times over.
fn small(threads: usize) -> BulkOptions {
    BulkOptions::new().memory_bytes(1).threads(threads)
}

fn open(path: &Path) -> Database {
    let builder = Database::builder().create_if_missing(true);
    let builder = builder
        .disk_reserve_bytes(0)
        .write_buffer_bytes(1 << 20)
        .cache_bytes(8 << 20);
    builder.open(path).unwrap()
}

/// Databases of both kinds, empty but for what is declared.
fn databases(folder: &Path, name: &str) -> [Database; 2] {
    let databases = [Database::in_memory().unwrap(), open(&folder.join(name))];
    for db in &databases {
        declare(db);
    }
    databases
}

fn declare(db: &Database) {
    db.create_index(Index::on_nodes("Person", ["name"]).named("by_name"))
        .unwrap();
    db.create_index(Index::on_nodes("Person", ["name", "age"]).named("by_both"))
        .unwrap();
    db.create_index(Index::on_relationships("KNOWS", ["since"]).named("by_since"))
        .unwrap();
    db.create_constraint(
        Constraint::on_nodes("Person")
            .unique(["email"])
            .named("one_email"),
    )
    .unwrap();
    db.create_constraint(
        Constraint::on_nodes("Person")
            .exists("name")
            .named("has_name"),
    )
    .unwrap();
    db.create_constraint(
        Constraint::on_relationships("KNOWS")
            .kind("since", ValueKind::Integer)
            .named("since_when"),
    )
    .unwrap();
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS").tree())
        .unwrap();
    db.create_hierarchy(HierarchyOptions::new("parts", "PART_OF"))
        .unwrap();
}

/// Something to add; ends are numbers of nodes.
#[derive(Debug, Clone)]
enum Item {
    Node(Vec<&'static str>, Vec<(&'static str, Value)>),
    Relationship(u64, &'static str, u64, Vec<(&'static str, Value)>),
    Member(&'static str, u64),
}

/// A graph of `nodes` nodes more and some `relationships` relationships, beside `before` nodes.
fn graph(seed: u64, before: u64, nodes: u64, relationships: u64) -> Vec<Item> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut items = Vec::new();
    let mut has_parent: Vec<bool> = vec![true; before as usize];
    for number in before..before + nodes {
        items.push(node(&mut random, number));
        let there = number + 1;
        has_parent.push(false);
        let share = relationships / nodes + u64::from(random.u64(..nodes) < relationships % nodes);
        for _ in 0..share {
            let (one, other) = (random.u64(..there), random.u64(..there));
            let since = ("since", Value::from(random.i64(1990..2020)));
            match random.u8(..20) {
                // From the newer to the older and from the older to the newer.
                0..8 => items.push(Item::Relationship(one, "KNOWS", other, vec![since])),
                8..14 => items.push(Item::Relationship(one, "LIKES", other, vec![])),
                14 if one != other => {
                    // Any order of ids will do, as long as it is one.
                    let (above, below) = (one.max(other), one.min(other));
                    items.push(Item::Relationship(above, "PART_OF", below, vec![]));
                }
                15 | 16 if one < number && !has_parent[number as usize] => {
                    has_parent[number as usize] = true;
                    let copies = random.usize(1..3);
                    let item = Item::Relationship(one, "HAS", number, vec![]);
                    items.extend(std::iter::repeat_n(item, copies));
                }
                17 => {
                    let vector = Vector::new(vec![random.f32(), 1.0]).unwrap();
                    let long: String = std::iter::repeat_with(|| random.alphabetic())
                        .take(1500)
                        .collect();
                    let properties = vec![("emb", vector.into()), ("bio", long.into())];
                    items.push(Item::Relationship(other, "NOTES", one, properties));
                }
                _ => items.push(Item::Relationship(number, "LIKES", number, vec![])),
            }
        }
        if random.u8(..20) == 0 {
            items.push(Item::Member(
                if random.bool() { "outline" } else { "parts" },
                random.u64(..there),
            ));
        }
    }
    items
}

fn node(random: &mut fastrand::Rng, number: u64) -> Item {
    let mut labels = Vec::new();
    let mut properties = Vec::new();
    if random.bool() {
        labels.extend(["Person", "Person"]);
        properties.push(("name", format!("name {}", random.u8(..50)).into()));
        if random.bool() {
            properties.push(("email", format!("{number}@example.org").into()));
        }
    }
    for label in ["Admin", "Dog", "City"] {
        if random.u8(..3) == 0 {
            labels.push(label);
        }
    }
    if random.bool() {
        properties.push(("age", random.i64(..90).into()));
    }
    if random.u8(..8) == 0 {
        let long: String = std::iter::repeat_with(|| random.alphabetic())
            .take(1200)
            .collect();
        properties.extend([("bio", long.into()), ("tags", Value::from(vec!["a", "b"]))]);
    }
    // More rows of vectors than there are streams for them.
    const VECTORS: [&str; 20] = [
        "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
        "v14", "v15", "v16", "v17", "v18", "emb",
    ];
    if random.u8(..3) == 0 {
        let vector = Vector::new((0..4).map(|_| random.f32()).collect::<Vec<_>>()).unwrap();
        properties.push((VECTORS[random.usize(..VECTORS.len())], vector.into()));
        properties.push(("gone", Value::Null));
    }
    Item::Node(labels, properties)
}

/// Adds everything in transactions.
fn write(db: &Database, items: &[Item]) {
    for portion in items.chunks(1000) {
        let mut txn = db.write().unwrap();
        for item in portion {
            match item.clone() {
                Item::Node(labels, properties) => {
                    txn.create_node(labels, properties).unwrap();
                }
                Item::Relationship(source, of, target, properties) => {
                    let (source, target) = (NodeId::new(source), NodeId::new(target));
                    txn.create_relationship(source, of, target, properties)
                        .unwrap();
                }
                Item::Member(hierarchy, node) => {
                    txn.add_member(hierarchy, NodeId::new(node)).unwrap();
                }
            }
        }
        txn.commit().unwrap();
    }
}

/// Adds everything in one load, with what was looked up before where that is possible.
fn fill(load: &mut BulkLoad, items: &[Item]) {
    for (number, item) in items.iter().enumerate() {
        match item.clone() {
            Item::Node(labels, properties) if number % 2 == 0 => {
                let labels: Vec<_> = labels
                    .iter()
                    .map(|name| load.label(name).unwrap())
                    .collect();
                let properties: Vec<_> = properties
                    .into_iter()
                    .filter(|(_, value)| !value.is_null())
                    .map(|(name, value)| (load.property_key(name).unwrap(), value))
                    .collect();
                load.add_node_of(&labels, properties).unwrap();
            }
            Item::Node(labels, properties) => {
                load.add_node(labels, properties).unwrap();
            }
            Item::Relationship(source, of, target, properties) => {
                let (source, target) = (NodeId::new(source), NodeId::new(target));
                if number % 2 == 0 {
                    load.add_relationship(source, of, target, properties)
                        .unwrap();
                } else {
                    let of = load.relationship_type(of).unwrap();
                    let properties: Vec<_> = properties
                        .into_iter()
                        .map(|(name, value)| (load.property_key(name).unwrap(), value))
                        .collect();
                    load.add_relationship_of(source, of, target, properties)
                        .unwrap();
                }
            }
            Item::Member(hierarchy, node) => {
                load.add_member(hierarchy, NodeId::new(node)).unwrap();
            }
        }
    }
}

#[test]
fn a_load_writes_what_transactions_would_have_written() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, threads) in [(1, 1), (2, 2), (3, 4)] {
        println!("seed {seed}");
        let first = graph(seed, 0, 700, 3000);
        let second = graph(seed + 100, 700, 500, 4000);
        let expected = Database::in_memory().unwrap();
        declare(&expected);
        write(&expected, &first);
        let after_first = stored(&expected);
        write(&expected, &second);
        let after_second = stored(&expected);
        for db in databases(folder.path(), &format!("seed-{seed}")) {
            let mut load = db.bulk_load_with(small(threads)).unwrap();
            fill(&mut load, &first);
            assert_eq!(db.read().unwrap().node_count(None).unwrap(), 0);
            finish(load).unwrap();
            assert_same(&stored(&db), &after_first, "into an empty database");
            let old = db.read().unwrap();
            let mut load = db.bulk_load_with(small(threads)).unwrap();
            fill(&mut load, &second);
            let report = finish(load).unwrap();
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
    let expected = Database::in_memory().unwrap();
    declare(&expected);
    // The least memory there is holds 682 relationships of hierarchies.
    let plain = |item: &&Item| !matches!(item, Item::Relationship(_, "PART_OF", ..));
    let items: Vec<Item> = items.iter().filter(plain).cloned().collect();
    write(&expected, &items);
    for db in databases(folder.path(), "db") {
        let mut load = db.bulk_load_with(small(2)).unwrap();
        fill(&mut load, &items);
        finish(load).unwrap();
        assert_same(&stored(&db), &stored(&expected), "many chunks");
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
fn an_item_that_is_refused_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    for db in databases(folder.path(), "db") {
        let mut txn = db.write().unwrap();
        let ann = txn
            .create_node(["Person"], [("name", "Ann"), ("email", "ann@x")])
            .unwrap();
        let old = txn.create_node(["City"], NO_PROPERTIES).unwrap();
        let gone = txn.create_node(["City"], NO_PROPERTIES).unwrap();
        txn.create_relationship(ann, "HAS", old, NO_PROPERTIES)
            .unwrap();
        txn.delete_node(gone).unwrap();
        txn.commit().unwrap();
        let mut load = db.bulk_load().unwrap();
        let bob = load
            .add_node(["Person"], [("name", "Bob"), ("email", "bob@x")])
            .unwrap();
        load.add_relationship(bob, "PART_OF", ann, NO_PROPERTIES)
            .unwrap();
        // Names stay known in any case: what is refused must leave nothing else.
        for name in ["map", "list", "age"] {
            load.property_key(name).unwrap();
        }
        let counts = (load.nodes(), load.relationships());

        let refused = |result: Result<NodeId>| result.unwrap_err();
        let map = Value::map(Default::default()).unwrap();
        assert!(matches!(
            refused(load.add_node(["City"], [("map", map.clone())])),
            Error::NotStorable { .. }
        ));
        assert!(matches!(
            refused(load.add_node([""], NO_PROPERTIES)),
            Error::BadName { .. }
        ));
        assert!(matches!(
            refused(load.add_node(["City"], [("a\0", 1)])),
            Error::BadName { .. }
        ));
        let labels = (0..1025).map(|number| format!("L{number}"));
        assert!(matches!(
            refused(load.add_node(labels, NO_PROPERTIES)),
            Error::TooMany { .. }
        ));
        let huge = "x".repeat(17 << 20);
        assert!(matches!(
            refused(load.add_node(["City"], [("bio", huge)])),
            Error::TooLarge { .. }
        ));
        let long = "x".repeat(9000);
        let refusal = refused(load.add_node(["Person"], [("name", long)]));
        assert!(
            matches!(refusal, Error::IndexedValueTooLong { .. }),
            "{refusal}"
        );
        let refusal = refused(load.add_node(["Person"], [("age", 4)]));
        assert!(refusal.to_string().ends_with("it has no name"), "{refusal}");
        let refusal = refused(load.add_node(["Person"], [("name", "A"), ("email", "ann@x")]));
        let Error::ConstraintViolation(violation) = refusal else {
            panic!("{refusal}")
        };
        assert_eq!(&*violation.constraint, "one_email");
        assert!(
            matches!(violation.reason, ViolationReason::Taken { other: Entity::Node(other), .. } if other == ann)
        );
        let unknown = stratigraph::catalog::NameId::from_number(60_000);
        assert!(matches!(
            refused(load.add_node_of(&[unknown], [] as [(_, Value); 0])),
            Error::UnknownName { .. }
        ));

        let mut relate = |source, of, target| {
            load.add_relationship(source, of, target, [("since", "old")])
                .unwrap_err()
        };
        assert!(
            matches!(relate(ann, "LIKES", NodeId::new(77)), Error::NodeNotFound { node } if node.get() == 77)
        );
        assert!(matches!(relate(gone, "LIKES", ann), Error::NodeNotFound { node } if node == gone));
        assert!(matches!(
            relate(ann, "KNOWS", bob),
            Error::ConstraintViolation(_)
        ));
        assert!(
            matches!(relate(bob, "HAS", old), Error::HierarchyParent { parent, refused, .. } if (parent, refused) == (ann, bob))
        );
        assert!(matches!(
            relate(bob, "HAS", bob),
            Error::HierarchyCycle { .. }
        ));
        assert!(matches!(relate(bob, "", ann), Error::BadName { .. }));
        assert!(matches!(
            load.add_member("nothing", ann),
            Err(Error::UnknownName { .. })
        ));
        assert!(matches!(
            load.add_member("outline", gone),
            Err(Error::NodeNotFound { .. })
        ));
        assert_eq!(counts, (load.nodes(), load.relationships()));

        let child = load.add_node(["City"], NO_PROPERTIES).unwrap();
        load.add_relationship(bob, "HAS", child, NO_PROPERTIES)
            .unwrap();
        load.add_relationship(bob, "HAS", child, NO_PROPERTIES)
            .unwrap();
        let second = load.add_relationship(ann, "HAS", child, NO_PROPERTIES);
        assert!(matches!(second, Err(Error::HierarchyParent { .. })));
        let report = finish(load).unwrap();
        assert_eq!((report.nodes, report.relationships), (2, 3));
        assert_sound(&db);

        // The same without what was refused.
        let clean = Database::in_memory().unwrap();
        declare(&clean);
        let mut txn = clean.write().unwrap();
        txn.create_node(["Person"], [("name", "Ann"), ("email", "ann@x")])
            .unwrap();
        txn.create_node(["City"], NO_PROPERTIES).unwrap();
        let gone = txn.create_node(["City"], NO_PROPERTIES).unwrap();
        txn.create_relationship(ann, "HAS", old, NO_PROPERTIES)
            .unwrap();
        txn.delete_node(gone).unwrap();
        txn.commit().unwrap();
        let mut load = clean.bulk_load().unwrap();
        load.add_node(["Person"], [("name", "Bob"), ("email", "bob@x")])
            .unwrap();
        load.add_relationship(bob, "PART_OF", ann, NO_PROPERTIES)
            .unwrap();
        for name in ["map", "list", "age", "bio"] {
            load.property_key(name).unwrap();
        }
        for number in 0..1024 {
            load.label(&format!("L{number}")).unwrap();
        }
        load.relationship_type("LIKES").unwrap();
        load.add_node(["City"], NO_PROPERTIES).unwrap();
        load.add_relationship(bob, "HAS", child, NO_PROPERTIES)
            .unwrap();
        load.add_relationship(bob, "HAS", child, NO_PROPERTIES)
            .unwrap();
        finish(load).unwrap();
        assert_same(&stored(&db), &stored(&clean), "without what was refused");
    }
}

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
        let expected = Database::in_memory().unwrap();
        declare(&expected);
        write(&expected, &graph(31, 0, 200, 1200));
        write(&expected, &items);
        assert_same(&stored(&db), &stored(&expected), "not cancelled");
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
        let mut load = db.bulk_load_with(small(2)).unwrap();
        fill(&mut load, &graph(42, 200, 200, 1200));
        finish(load).unwrap();
        assert_sound(&db);
    }
}

#[test]
fn relationships_of_hierarchies_have_a_limit() {
    let db = Database::in_memory().unwrap();
    declare(&db);
    let mut load = db.bulk_load_with(small(1)).unwrap();
    let root = load.add_node(NO_LABELS, NO_PROPERTIES).unwrap();
    let error = loop {
        let child = load.add_node(NO_LABELS, NO_PROPERTIES).unwrap();
        if let Err(error) = load.add_relationship(root, "HAS", child, NO_PROPERTIES) {
            break error;
        }
    };
    assert!(
        matches!(error, Error::HierarchyTooLarge { limit: 682, .. }),
        "{error}"
    );
    finish(load).unwrap();
    let read = db.read().unwrap();
    assert_eq!(
        read.hierarchy("outline").unwrap().member_count().unwrap(),
        683
    );
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
