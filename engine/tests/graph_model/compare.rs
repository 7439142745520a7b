//! Everything that can be read of a graph, held against the plain one.

use crate::plain::{LABELS, PROPERTIES, Plain, TYPES};
use crate::values::same;
use fastrand::Rng;
use roaring::RoaringTreemap;
use stratigraph::catalog::Counter;
use stratigraph::graph::Way;
use stratigraph::{Direction, Entity, Error, NodeId, Read, RelationshipId, Value};

const DIRECTIONS: [Direction; 3] = [Direction::Outgoing, Direction::Incoming, Direction::Both];

/// Properties that are asked for together, in no order, and one that nothing has.
const SOME: [&str; 3] = ["t", "never", "q"];

/// How much to look at: some nodes, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// This many nodes, relationships, and questions to each index.
    Some(usize),
    All,
}

impl Look {
    fn pick<T: Copy>(self, rng: &mut Rng, from: impl Iterator<Item = T>) -> Vec<T> {
        match self {
            Self::All => from.collect(),
            Self::Some(count) => rng.choose_multiple(from, count),
        }
    }
}

pub(crate) fn compare(read: &impl Read, plain: &Plain, look: Look, rng: &mut Rng) {
    whole(read, plain);
    for id in look.pick(rng, plain.nodes.keys().copied()) {
        node(read, plain, id);
        surroundings(read, plain, id, look, rng);
    }
    for id in look.pick(rng, plain.relationships.keys().copied()) {
        relationship(read, plain, id);
    }
    absent(read, plain, rng);
    sets_of_neighbours(read, plain, rng);
    many_at_once(read, rng);
    crate::compare_declared::compare(read, plain, look, rng);
}

/// Ids, sets and counts.
fn whole(read: &impl Read, plain: &Plain) {
    let nodes: Vec<u64> = read
        .node_ids()
        .unwrap()
        .map(|id| id.unwrap().get())
        .collect();
    assert!(nodes.iter().eq(plain.nodes.keys()), "nodes: {nodes:?}");
    let ids = read.relationship_ids().unwrap();
    let relationships: Vec<u64> = ids.map(|id| id.unwrap().get()).collect();
    assert!(
        relationships.iter().eq(plain.relationships.keys()),
        "relationships: {relationships:?}"
    );
    assert_eq!(read.node_count(None).unwrap(), nodes.len() as u64);
    assert_eq!(
        read.relationship_count(None).unwrap(),
        relationships.len() as u64
    );
    for label in LABELS {
        let expected: Vec<u64> = plain.with_label(label).map(NodeId::get).collect();
        let found = read.nodes_with_label(label).unwrap();
        assert!(
            found.iter().eq(expected.iter().copied()),
            "{label}: {found:?}"
        );
        assert_eq!(
            read.node_count(Some(label)).unwrap(),
            found.len(),
            "{label}"
        );
    }
    for of in TYPES {
        let expected: Vec<u64> = plain.of_type(of).map(RelationshipId::get).collect();
        let found = read.relationships_of_type(of).unwrap();
        assert!(found.iter().eq(expected.iter().copied()), "{of}: {found:?}");
        let count = read.relationship_count(Some(of)).unwrap();
        assert_eq!(count, found.len(), "{of}");
    }
    let catalog = read.catalog();
    for (label, name) in catalog.labels.iter() {
        for (of, of_name) in catalog.types.iter() {
            let has = |node: u64| plain.nodes[&node].labels.contains(&**name);
            let all = plain.relationships.values();
            let all = all.filter(|each| *each.of == **of_name);
            let (mut from, mut to) = (0, 0);
            for each in all {
                from += u64::from(has(each.source));
                to += u64::from(has(each.target));
            }
            let counted = [Counter::From(label, of), Counter::To(label, of)];
            let counted = counted.map(|counter| read.count(counter).unwrap());
            assert_eq!(counted, [from, to], "from and to {name} by {of_name}");
        }
    }
}

fn node(read: &impl Read, plain: &Plain, id: u64) {
    let expected = &plain.nodes[&id];
    let id = NodeId::new(id);
    let found = read.node(id).unwrap().expect("the node is there");
    assert_eq!(found.id(), id);
    assert!(read.contains(id).unwrap());
    // In the order of their first use, each once.
    assert!(found.label_ids().is_sorted_by(|left, right| left < right));
    let mut labels: Vec<&str> = found.labels().collect();
    labels.sort_unstable();
    assert!(labels.iter().eq(&expected.labels), "{id}: {labels:?}");
    for label in LABELS {
        let has = expected.labels.contains(label);
        assert_eq!(read.has_label(id, label).unwrap(), has, "{id} {label}");
        assert_eq!(found.has_label(label), has);
    }
    let ids = found.property_ids();
    assert!(ids.is_sorted_by(|left, right| left.0 < right.0));
    let values: Vec<_> = found.properties().collect();
    properties(read, id.into(), &values, &|name| found.get(name), plain);
    let part = read.node_with(id, &SOME).unwrap().expect("it is there");
    assert_eq!(part.label_ids(), found.label_ids());
    let values: Vec<_> = part.properties().collect();
    some_of(id.into(), &values, plain);
}

fn relationship(read: &impl Read, plain: &Plain, id: u64) {
    let expected = &plain.relationships[&id];
    let id = RelationshipId::new(id);
    let found = read.relationship(id).unwrap().expect("it is there");
    assert!(read.contains(id).unwrap());
    let ends = (found.id(), found.source().get(), found.target().get());
    assert_eq!(ends, (id, expected.source, expected.target));
    assert_eq!(found.relationship_type(), expected.of);
    let values: Vec<_> = found.properties().collect();
    properties(read, id.into(), &values, &|name| found.get(name), plain);
    let part = read.relationship_with(id, &SOME).unwrap();
    let part = part.expect("it is there");
    let ends = (part.id(), part.source().get(), part.target().get());
    assert_eq!(ends, (id, expected.source, expected.target));
    assert_eq!(part.type_id(), found.type_id());
    let values: Vec<_> = part.properties().collect();
    some_of(id.into(), &values, plain);
}

/// What was asked for, and nothing else.
fn some_of(entity: Entity, found: &[(&str, &Value)], plain: &Plain) {
    let expected = plain.properties(entity).expect("the model has it");
    let wanted = SOME.iter().filter(|name| expected.contains_key(**name));
    assert_eq!(found.len(), wanted.count(), "{entity}: {found:?}");
    for (name, value) in found {
        assert!(SOME.contains(name), "{entity}.{name}");
        assert!(same(value, &expected[*name]), "{entity}.{name} = {value}");
    }
}

fn properties<'a>(
    read: &impl Read,
    entity: Entity,
    found: &[(&str, &Value)],
    get: &dyn Fn(&str) -> Option<&'a Value>,
    plain: &Plain,
) {
    let expected = plain.properties(entity).expect("the model has it");
    assert_eq!(found.len(), expected.len(), "{entity}: {found:?}");
    for name in PROPERTIES {
        let alone = read.property(entity, name).unwrap();
        match (expected.get(name), get(name)) {
            (Some(expected), Some(value)) => {
                assert!(same(value, expected), "{entity}.{name} = {value}");
                assert!(same(&alone, expected), "{entity}.{name} = {alone}");
            }
            (None, None) => assert!(alone.is_null(), "{entity}.{name} = {alone}"),
            (expected, found) => panic!("{entity}.{name}: {found:?} instead of {expected:?}"),
        }
    }
}

/// The relationships and degrees of a node.
fn surroundings(read: &impl Read, plain: &Plain, id: u64, look: Look, rng: &mut Rng) {
    let types = TYPES.into_iter().map(Some).chain([None, Some("NEVER")]);
    for of in look.pick(rng, types) {
        let expected = neighbours(read, plain, id, of);
        for direction in DIRECTIONS {
            let one_way = |way| match direction {
                Direction::Outgoing => way == Way::Out,
                Direction::Incoming => way == Way::In,
                Direction::Both => true,
            };
            let there = expected.iter().filter(|each| one_way(each.0));
            let degree = there.clone().count() as u64;
            // A loop comes once, as an outgoing one.
            let walked = there.filter(|(way, _, other, _)| {
                direction != Direction::Both || *way == Way::Out || *other != id
            });
            let walked: Vec<(u64, u64)> = walked.map(|each| (each.2, each.3)).collect();
            let node = NodeId::new(id);
            let found: Vec<(u64, u64)> = read
                .neighbours(node, direction, of)
                .unwrap()
                .map(|each| each.map(|each| (each.node.get(), each.relationship.get())))
                .collect::<Result<_, _>>()
                .unwrap();
            assert_eq!(found, walked, "neighbours of {id}, {direction:?}, {of:?}");
            let counted = read.degree(node, direction, of).unwrap();
            assert_eq!(counted, degree, "degree of {id}, {direction:?}, {of:?}");
        }
    }
}

/// In the documented order: outgoing before incoming, then by type, other end and id.
fn neighbours(
    read: &impl Read,
    plain: &Plain,
    id: u64,
    wanted: Option<&str>,
) -> Vec<(Way, u32, u64, u64)> {
    use stratigraph::catalog::NameId as _;
    let mut found = Vec::new();
    for (relationship, each) in &plain.relationships {
        if wanted.is_some_and(|wanted| wanted != each.of) {
            continue;
        }
        let of = read.catalog().types.id(each.of).expect("a type in use");
        if each.source == id {
            found.push((Way::Out, of.number(), each.target, *relationship));
        }
        if each.target == id {
            found.push((Way::In, of.number(), each.source, *relationship));
        }
    }
    found.sort_unstable_by_key(|(way, of, other, id)| (*way == Way::In, *of, *other, *id));
    found
}

/// What is gone, or never was.
fn absent(read: &impl Read, plain: &Plain, rng: &mut Rng) {
    let number = rng.u64(0..200);
    let (node, relationship) = (NodeId::new(number), RelationshipId::new(number));
    if !plain.nodes.contains_key(&number) {
        assert!(read.node(node).unwrap().is_none());
        assert!(!read.contains(node).unwrap());
        let missing = read.property(node, "p").unwrap_err();
        assert!(matches!(missing, Error::NodeNotFound { node: of } if of == node));
        assert!(!read.has_label(node, "A").unwrap());
        assert_eq!(read.degree(node, Direction::Both, None).unwrap(), 0);
        let mut neighbours = read.neighbours(node, Direction::Both, None).unwrap();
        assert!(neighbours.next().is_none());
    }
    if !plain.relationships.contains_key(&number) {
        assert!(read.relationship(relationship).unwrap().is_none());
        assert!(!read.contains(relationship).unwrap());
        let missing = read.property(relationship, "never").unwrap_err();
        assert!(
            matches!(missing, Error::RelationshipNotFound { relationship: of } if of == relationship)
        );
    }
}

fn sets_of_neighbours(read: &impl Read, plain: &Plain, rng: &mut Rng) {
    let count = rng.usize(0..6);
    let from: RoaringTreemap = rng
        .choose_multiple(plain.nodes.keys().copied(), count)
        .into_iter()
        .collect();
    let of = rng.bool().then(|| TYPES[rng.usize(0..TYPES.len())]);
    for direction in DIRECTIONS {
        let mut expected = Vec::new();
        for each in plain.relationships.values() {
            if of.is_some_and(|of| of != each.of) {
                continue;
            }
            if direction != Direction::Incoming && from.contains(each.source) {
                expected.push((each.source, each.target));
            }
            if direction != Direction::Outgoing && from.contains(each.target) {
                expected.push((each.target, each.source));
            }
        }
        expected.sort_unstable();
        let pairs = read.neighbour_pairs(&from, direction, of).unwrap();
        let mut found: Vec<_> = pairs
            .iter()
            .map(|(near, far)| (near.get(), far.get()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "from {from:?}, {direction:?}, {of:?}");
        let found = read.neighbour_set(&from, direction, of).unwrap();
        let expected: RoaringTreemap = expected.iter().map(|(_, far)| *far).collect();
        assert_eq!(found, expected, "from {from:?}, {direction:?}, {of:?}");
    }
}

/// What is read together is what is read one by one: also twice, and what is not there.
fn many_at_once(read: &impl Read, rng: &mut Rng) {
    let numbers: Vec<u64> = (0..rng.usize(0..20)).map(|_| rng.u64(0..200)).collect();
    let nodes: Vec<NodeId> = numbers.iter().copied().map(NodeId::new).collect();
    let one = |node: &NodeId| format!("{:?}", read.node_with(*node, &SOME).unwrap());
    let found = read.nodes_with(&nodes, &SOME).unwrap();
    let found = found.iter().map(|node| format!("{node:?}"));
    assert!(found.eq(nodes.iter().map(one)), "{nodes:?}");
    let (of, most) = (
        rng.bool().then(|| TYPES[rng.usize(0..TYPES.len())]),
        rng.usize(0..5),
    );
    for direction in DIRECTIONS {
        let one = |node: &NodeId| -> Vec<_> {
            let found = read.neighbours(*node, direction, of).unwrap();
            found.take(most).map(Result::unwrap).collect()
        };
        let found = read
            .neighbours_of_each(&nodes, direction, of, most)
            .unwrap();
        assert!(
            found.into_iter().eq(nodes.iter().map(one)),
            "{nodes:?}, {direction:?}, {of:?}"
        );
    }
    let relationships: Vec<_> = numbers.iter().copied().map(RelationshipId::new).collect();
    let one = |id: &RelationshipId| format!("{:?}", read.relationship_with(*id, &SOME).unwrap());
    let found = read.relationships_with(&relationships, &SOME).unwrap();
    let found = found.iter().map(|relationship| format!("{relationship:?}"));
    assert!(found.eq(relationships.iter().map(one)), "{relationships:?}");
    let entities = nodes.iter().map(|node| Entity::from(*node));
    let entities = entities.chain(relationships.iter().map(|id| Entity::from(*id)));
    let entities: Vec<Entity> = entities.collect();
    for property in PROPERTIES.iter().chain(&["never"]) {
        let one = |entity: &Entity| match read.property(*entity, property) {
            Ok(Value::Vector(vector)) => format!("{:?}", Some(vector)),
            _ => "None".to_owned(),
        };
        let found = read.vectors_of(&entities, property).unwrap();
        let found = found.iter().map(|vector| format!("{vector:?}"));
        assert!(found.eq(entities.iter().map(one)), "{property}");
    }
}
