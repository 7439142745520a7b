//! Random graphs to add, and two ways to add them: in transactions, and in one load.

use stratigraph::{BulkLoad, Database, NodeId, Value, Vector};

/// Something to add; ends are numbers of nodes.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Node(Vec<&'static str>, Vec<(&'static str, Value)>),
    Relationship(u64, &'static str, u64, Vec<(&'static str, Value)>),
    Member(&'static str, u64),
}

/// A graph of `nodes` nodes more and some `relationships` relationships, beside `before` nodes.
pub(super) fn graph(seed: u64, before: u64, nodes: u64, relationships: u64) -> Vec<Item> {
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
pub(super) fn write(db: &Database, items: &[Item]) {
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
pub(super) fn fill(load: &mut BulkLoad, items: &[Item]) {
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
