//! Declaring and dropping indexes, constraints and hierarchies over whatever is there.

use crate::plain::{Constraint, Demand, Hierarchy, Index, LABELS, On, PROPERTIES, Plain, TYPES};
use crate::refusal::Refusal;
use fastrand::Rng;
use std::collections::BTreeSet;
use stratigraph::value::ValueKind;
use stratigraph::{Database, HierarchyOptions, Result};

const NAMES: [&str; 8] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight",
];

pub(crate) fn step(db: &Database, plain: &mut Plain, rng: &mut Rng) {
    let declared = plain.indexes.len() + plain.constraints.len() + plain.hierarchies.len();
    let name = NAMES[rng.usize(0..NAMES.len())];
    match rng.u32(0..10) {
        0..2 => create_hierarchy(db, plain, rng, name),
        2..5 if declared < 8 => create_index(db, plain, rng, name),
        5..8 if declared < 8 => create_constraint(db, plain, rng, name),
        _ => drop_one(db, plain, rng, name),
    }
}

fn create_index(db: &Database, plain: &mut Plain, rng: &mut Rng, name: &str) {
    let (on, properties) = (on(rng), properties(rng, 3));
    let if_missing = rng.u8(0..4) == 0;
    let mut index = match on {
        On::Nodes(label) => stratigraph::Index::on_nodes(label, properties.clone()),
        On::Relationships(of) => stratigraph::Index::on_relationships(of, properties.clone()),
    }
    .named(name);
    if if_missing {
        index = index.if_missing();
    }
    let outcome = db.create_index(index);
    let mut indexes = plain.indexes.iter();
    let known = indexes
        .any(|(known, each)| known == name || each.on == on && each.properties == properties);
    if known && if_missing {
        return outcome.unwrap();
    }
    let mut after = plain.clone();
    let index = Index {
        on,
        properties,
        proof: false,
    };
    after.indexes.insert(name.into(), index);
    let expected = match known || plain.is_taken(name) {
        true => BTreeSet::from([Refusal::AlreadyDeclared]),
        false => after.refused_declaration(name),
    };
    judge(plain, after, outcome, &expected);
}

fn create_constraint(db: &Database, plain: &mut Plain, rng: &mut Rng, name: &str) {
    const KINDS: [ValueKind; 4] = [
        ValueKind::Integer,
        ValueKind::String,
        ValueKind::Float,
        ValueKind::Vector,
    ];
    let on = on(rng);
    let demand = match rng.u32(0..5) {
        0..2 => Demand::Unique,
        2 => Demand::Exists,
        3 => Demand::Kind(KINDS[rng.usize(0..KINDS.len())]),
        _ => Demand::Key,
    };
    let is_unique = matches!(demand, Demand::Unique | Demand::Key);
    let properties = properties(rng, if is_unique { 2 } else { 1 });
    let if_missing = rng.u8(0..4) == 0;
    let wanted = match on {
        On::Nodes(label) => stratigraph::Constraint::on_nodes(label),
        On::Relationships(of) => stratigraph::Constraint::on_relationships(of),
    };
    let mut wanted = match demand {
        Demand::Unique => wanted.unique(properties.clone()),
        Demand::Exists => wanted.exists(properties[0]),
        Demand::Kind(kind) => wanted.kind(properties[0], kind),
        Demand::Key => wanted.key(properties.clone()),
    }
    .named(name);
    if if_missing {
        wanted = wanted.if_missing();
    }
    let outcome = db.create_constraint(wanted);
    let known = plain.constraints.iter().any(|(known, each)| {
        known == name || each.on == on && each.properties == properties && each.demand == demand
    });
    if known && if_missing {
        return outcome.unwrap();
    }
    let mut indexes = plain.indexes.values();
    let indexed = is_unique && indexes.any(|each| each.on == on && each.properties == properties);
    let mut after = plain.clone();
    if is_unique {
        let index = Index {
            on,
            properties: properties.clone(),
            proof: true,
        };
        after.indexes.insert(name.into(), index);
    }
    let constraint = Constraint {
        on,
        properties,
        demand,
    };
    after.constraints.insert(name.into(), constraint);
    let expected = match known || indexed || plain.is_taken(name) {
        true => BTreeSet::from([Refusal::AlreadyDeclared]),
        false => after.refused_declaration(name),
    };
    judge(plain, after, outcome, &expected);
}

fn create_hierarchy(db: &Database, plain: &mut Plain, rng: &mut Rng, name: &str) {
    let of = match rng.u32(0..5) {
        0..2 => "TREE",
        2..4 => "DAG",
        _ => TYPES[rng.usize(0..TYPES.len())],
    };
    let tree = if of == "TREE" {
        rng.u8(0..4) > 0
    } else {
        rng.u8(0..4) == 0
    };
    let if_missing = rng.u8(0..4) == 0;
    let mut wanted = HierarchyOptions::new(name, of);
    if tree {
        wanted = wanted.tree();
    }
    if if_missing {
        wanted = wanted.if_missing();
    }
    let outcome = db.create_hierarchy(wanted);
    let same =
        |(known, each): (&String, &Hierarchy)| known == name && each.of == of && each.tree == tree;
    if if_missing && plain.hierarchies.iter().any(same) {
        return outcome.unwrap();
    }
    let mut after = plain.clone();
    let hierarchy = Hierarchy {
        of,
        tree,
        named: BTreeSet::new(),
    };
    after.hierarchies.insert(name.into(), hierarchy);
    let taken = plain.is_taken(name) || plain.hierarchies.values().any(|each| each.of == of);
    let expected = match taken {
        true => BTreeSet::from([Refusal::AlreadyDeclared]),
        false => plain.refused_as_hierarchy(name, of, tree),
    };
    judge(plain, after, outcome, &expected);
}

fn drop_one(db: &Database, plain: &mut Plain, rng: &mut Rng, name: &str) {
    let mut after = plain.clone();
    let unknown = || BTreeSet::from([Refusal::UnknownName(name.into())]);
    let mut expected = BTreeSet::new();
    // Most often of the kind that it is.
    let kind = match rng.u32(0..8) {
        0..3 => rng.u32(0..3),
        _ if plain.hierarchies.contains_key(name) => 2,
        _ if plain.constraints.contains_key(name) => 1,
        _ => 0,
    };
    let outcome = match kind {
        0 => {
            match after.indexes.remove(name) {
                None => expected = unknown(),
                Some(index) if index.proof => {
                    expected = BTreeSet::from([Refusal::IndexOfConstraint(name.into())]);
                }
                Some(_) => {}
            }
            db.drop_index(name)
        }
        1 => {
            match after.constraints.remove(name) {
                None => expected = unknown(),
                Some(constraint) => {
                    if matches!(constraint.demand, Demand::Unique | Demand::Key) {
                        after.indexes.remove(name);
                    }
                }
            }
            db.drop_constraint(name)
        }
        _ => {
            if after.hierarchies.remove(name).is_none() {
                expected = unknown();
            }
            db.drop_hierarchy(name)
        }
    };
    judge(plain, after, outcome, &expected);
}

/// Drops everything that is declared.
pub(crate) fn drop_all(db: &Database, plain: &mut Plain) {
    for name in plain.constraints.keys() {
        db.drop_constraint(name).unwrap();
        plain.indexes.remove(name);
    }
    for name in plain.indexes.keys() {
        db.drop_index(name).unwrap();
    }
    for name in plain.hierarchies.keys() {
        db.drop_hierarchy(name).unwrap();
    }
}

fn judge(plain: &mut Plain, after: Plain, outcome: Result<()>, expected: &BTreeSet<Refusal>) {
    match outcome {
        Ok(()) => {
            assert!(expected.is_empty(), "declared: {expected:?}");
            *plain = after;
        }
        Err(error) => {
            let refusal = Refusal::of(&error);
            assert!(expected.contains(&refusal), "{error}: {expected:?}");
            crate::refusal::is_true(&error, plain, None);
        }
    }
}

fn on(rng: &mut Rng) -> On {
    if rng.u8(0..3) > 0 {
        On::Nodes(LABELS[rng.usize(0..LABELS.len())])
    } else {
        On::Relationships(TYPES[rng.usize(0..TYPES.len())])
    }
}

fn properties(rng: &mut Rng, at_most: usize) -> Vec<&'static str> {
    let count = rng.usize(1..=at_most);
    let mut properties = PROPERTIES.to_vec();
    rng.shuffle(&mut properties);
    properties.truncate(count);
    properties
}
