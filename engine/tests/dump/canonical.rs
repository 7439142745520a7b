//! The canonical text: the same for equal graphs, another after any change.

use crate::model::{Model, properties, value};
use crate::{canonical, load};
use stratigraph::{Database, NO_PROPERTIES, NodeId};

#[test]
fn equal_graphs_have_equal_text_whatever_their_ids() {
    let seed = 2024;
    let mut rng = fastrand::Rng::with_seed(seed);
    for round in 0..40 {
        let nodes = rng.usize(1..30);
        let model = Model::random(&mut rng, nodes, round % 2 == 0);
        let (one, other) = (model.database(&mut rng), model.database(&mut rng));
        assert_eq!(
            canonical(&one),
            canonical(&other),
            "seed {seed}, round {round}: {model:?}"
        );
    }
}

/// Changes one thing; returns what it was.
fn change(model: &mut Model, rng: &mut fastrand::Rng) -> &'static str {
    let node = rng.usize(..model.nodes.len());
    let relationship = rng.usize(..model.relationships.len());
    match rng.u8(..9) {
        0 => {
            model.nodes.push((vec![], vec![]));
            "a node more"
        }
        1 => {
            model.nodes[node].0.push("Changed");
            "a label more"
        }
        2 => {
            model.nodes[node].1.push(("changed".into(), value(rng)));
            "a property more"
        }
        3 => {
            model.relationships[relationship]
                .3
                .push(("changed".into(), value(rng)));
            "a property of a relationship more"
        }
        4 => {
            model.relationships[relationship].1 = "CHANGED";
            "another type"
        }
        5 => {
            model
                .relationships
                .push((node, "KNOWS", node, properties(rng)));
            "a relationship more"
        }
        6 => {
            model.relationships.remove(relationship);
            "a relationship less"
        }
        7 => {
            model.nodes[node].1.push(("unique".into(), 1.5.into()));
            "another value"
        }
        _ if model.members.is_empty() => {
            model.members.push(node);
            "a member more"
        }
        _ => {
            model.members.pop();
            "a member less"
        }
    }
}

#[test]
fn any_single_change_gives_another_text() {
    let seed = 77;
    let mut rng = fastrand::Rng::with_seed(seed);
    for round in 0..150 {
        let nodes = rng.usize(2..12);
        let model = Model::random(&mut rng, nodes, round % 2 == 0);
        let mut changed = model.clone();
        // A value that is no string breaks the constraint of the model's persons.
        for (labels, _) in &mut changed.nodes {
            labels.retain(|label| *label != "Person");
        }
        let base = changed.clone();
        let what = change(&mut changed, &mut rng);
        let (one, other) = (base.database(&mut rng), changed.database(&mut rng));
        assert_ne!(
            canonical(&one),
            canonical(&other),
            "seed {seed}, round {round}, {what}: {base:?}"
        );
    }
}

#[test]
fn directions_and_ends_are_told_apart() {
    let chain = |edges: &[(usize, usize)]| {
        let db = Database::in_memory().unwrap();
        let mut txn = db.write().unwrap();
        let nodes: Vec<_> = (0..4)
            .map(|_| txn.create_node(["N"], NO_PROPERTIES).unwrap())
            .collect();
        for (from, to) in edges {
            txn.create_relationship(nodes[*from], "T", nodes[*to], NO_PROPERTIES)
                .unwrap();
        }
        txn.commit().unwrap();
        canonical(&db)
    };
    assert_eq!(chain(&[(0, 1), (2, 3)]), chain(&[(3, 0), (1, 2)]));
    assert_ne!(chain(&[(0, 1), (1, 2)]), chain(&[(0, 1), (2, 1)]));
    assert_ne!(chain(&[(0, 1), (1, 0)]), chain(&[(0, 1), (0, 1)]));
    assert_ne!(chain(&[(0, 1), (1, 0)]), chain(&[(0, 1), (2, 3)]));
    assert_ne!(
        chain(&[(0, 0), (1, 2), (2, 1)]),
        chain(&[(0, 1), (1, 2), (2, 0)])
    );
}

#[test]
fn a_canonical_dump_is_not_loaded() {
    let db = Database::in_memory().unwrap();
    let error = load(&canonical(&db)).unwrap_err();
    assert!(
        error.to_string().starts_with("a canonical dump has no ids"),
        "{error}"
    );
}

#[test]
fn regular_graphs_of_some_size_have_one_text() {
    let seed = 1;
    let mut rng = fastrand::Rng::with_seed(seed);
    // Every node looks like every other for a few steps, and none is an image of another: only trying
    // all of them tells which comes first.
    let nodes = 600;
    let mut pairs = Vec::new();
    for _ in 0..3 {
        let mut targets: Vec<u64> = (0..nodes).collect();
        rng.shuffle(&mut targets);
        pairs.extend((0..nodes).zip(targets));
    }
    let mut text = || {
        let mut ids: Vec<u64> = (0..nodes).collect();
        rng.shuffle(&mut ids);
        rng.shuffle(&mut pairs);
        let db = Database::in_memory().unwrap();
        let mut txn = db.write().unwrap();
        for _ in 0..nodes {
            txn.create_node(["A"], NO_PROPERTIES).unwrap();
        }
        let node = |at: u64| NodeId::new(ids[at as usize]);
        for (from, to) in &pairs {
            txn.create_relationship(node(*from), "R", node(*to), NO_PROPERTIES)
                .unwrap();
        }
        txn.commit().unwrap();
        canonical(&db)
    };
    let (one, other) = (text(), text());
    assert!(one == other, "seed {seed}");
}
