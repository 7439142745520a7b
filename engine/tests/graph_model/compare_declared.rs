//! Indexes, constraints and hierarchies as a transaction sees them, held against the plain graph.

use crate::compare::Look;
use crate::plain::{Demand, Index, On, Plain};
use crate::values::storable;
use fastrand::Rng;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use stratigraph::catalog::{self, Readiness};
use stratigraph::index::property::{Lookup, Matches};
use stratigraph::keys::KeyRead;
use stratigraph::storage::range::Direction;
use stratigraph::value::ValueKind;
use stratigraph::{Entity, Error, NodeId, Read, Value};

type Entries = Vec<(Vec<Value>, Entity)>;

pub(crate) fn compare(read: &impl Read, plain: &Plain, look: Look, rng: &mut Rng) {
    declarations(read, plain);
    for (name, index) in &plain.indexes {
        let lookup = read.index(name).unwrap();
        let entries = plain.entries(index);
        everything(&lookup, name, index, &entries);
        let questions = match look {
            Look::All => 12,
            Look::Some(_) => 3,
        };
        for _ in 0..questions {
            question(&lookup, name, index, &entries, rng);
        }
    }
    for name in plain.hierarchies.keys() {
        hierarchy(read, plain, name);
    }
    assert!(matches!(
        read.index("never"),
        Err(Error::UnknownName { .. })
    ));
    assert!(matches!(
        read.hierarchy("never"),
        Err(Error::UnknownName { .. })
    ));
}

/// Exactly what was declared is there, and ready.
fn declarations(read: &impl Read, plain: &Plain) {
    let catalog = read.catalog();
    let names = |names: Vec<&str>| names.into_iter().map(String::from).collect::<BTreeSet<_>>();
    let indexes = names(catalog.indexes().map(|of| &*of.name).collect());
    assert!(indexes.iter().eq(plain.indexes.keys()), "{indexes:?}");
    let constraints = names(catalog.constraints().map(|of| &*of.name).collect());
    assert!(
        constraints.iter().eq(plain.constraints.keys()),
        "{constraints:?}"
    );
    let hierarchies = names(catalog.hierarchies().map(|of| &*of.name).collect());
    assert!(
        hierarchies.iter().eq(plain.hierarchies.keys()),
        "{hierarchies:?}"
    );
    assert!(catalog.dropped().is_empty());
    let scope = |on: On| match on {
        On::Nodes(label) => (true, label),
        On::Relationships(of) => (false, of),
    };
    for index in catalog.indexes() {
        let expected = &plain.indexes[&*index.name];
        assert_eq!(index.readiness, Readiness::Ready);
        assert_eq!(index.unique, expected.proof);
        let (is_node, name) = scope(expected.on);
        assert_eq!(index.scope.is_node(), is_node);
        assert_eq!(catalog.scope_name(index.scope), name);
        let properties = index.properties.iter();
        let properties = properties.map(|id| catalog.properties.show(*id));
        assert!(properties.eq(expected.properties.iter().copied()));
    }
    for constraint in catalog.constraints() {
        let expected = &plain.constraints[&*constraint.name];
        assert_eq!(constraint.readiness, Readiness::Ready);
        assert_eq!(catalog.scope_name(constraint.scope), scope(expected.on).1);
        assert_eq!(
            constraint.demand,
            match expected.demand {
                Demand::Unique => catalog::Demand::Unique,
                Demand::Exists => catalog::Demand::Exists,
                Demand::Kind(kind) => catalog::Demand::Type(kind),
                Demand::Key => catalog::Demand::Key,
            }
        );
    }
}

fn found(matches: Matches<'_>) -> Vec<Entity> {
    matches.collect::<Result<_, _>>().unwrap()
}

fn everything<K: KeyRead>(lookup: &Lookup<'_, K>, name: &str, index: &Index, entries: &Entries) {
    let expected: Vec<Entity> = entries.iter().map(|(_, entity)| *entity).collect();
    let all = found(lookup.all(Direction::Forward).unwrap());
    assert_eq!(all, expected, "all of {name}");
    let mut back = found(lookup.all(Direction::Backward).unwrap());
    back.reverse();
    assert_eq!(back, expected, "all of {name}, backwards");
    assert_eq!(lookup.entries().unwrap(), expected.len() as u64, "{name}");
    let distinct = lookup.distinct().unwrap();
    if index.proof {
        assert_eq!(distinct, expected.len() as u64, "{name}");
    }
    assert!(distinct <= expected.len() as u64, "{name}");
    assert_eq!(distinct == 0, expected.is_empty(), "{name}");
}

fn question<K: KeyRead>(
    lookup: &Lookup<'_, K>,
    name: &str,
    index: &Index,
    entries: &Entries,
    rng: &mut Rng,
) {
    let mut tuple = match rng.choice(entries) {
        Some((values, _)) if rng.u8(0..4) > 0 => values.clone(),
        _ => index.properties.iter().map(|_| storable(rng)).collect(),
    };
    let never = |value: &Value| value.equals(value) != Some(true);
    match rng.u32(0..4) {
        0 => {
            tuple.truncate(rng.usize(0..=tuple.len()));
            if rng.u8(0..8) == 0 {
                tuple.push(Value::Null);
            }
            let expected = entries.iter().filter(|(values, _)| {
                tuple.len() <= values.len()
                    && !tuple.iter().any(never)
                    && values.iter().zip(&tuple).all(|(l, r)| l.equivalent(r))
            });
            let expected: Vec<Entity> = expected.map(|(_, entity)| *entity).collect();
            let equal = found(lookup.equal(&tuple).unwrap());
            assert_eq!(equal, expected, "{name} = {tuple:?}");
        }
        1 => {
            let after = rng.usize(0..tuple.len());
            let equal = &tuple[..after];
            let bounds = [rng.u8(0..3), rng.u8(0..3)];
            let ends = [tuple[after].clone(), like(&tuple[after], rng)];
            let bound = |end: usize| match bounds[end] {
                0 => Bound::Unbounded,
                1 => Bound::Included(ends[end].clone()),
                _ => Bound::Excluded(ends[end].clone()),
            };
            let range = (bound(0), bound(1));
            let expected = entries.iter().filter(|(values, _)| {
                let equal_first = values.iter().zip(equal).all(|(l, r)| l.equivalent(r));
                equal_first && !equal.iter().any(never) && within(&values[after], &range)
            });
            let mut expected: Vec<Entity> = expected.map(|(_, entity)| *entity).collect();
            let direction = match rng.bool() {
                true => Direction::Forward,
                false => Direction::Backward,
            };
            if direction == Direction::Backward {
                expected.reverse();
            }
            let matches = lookup.range_after(equal, range.clone(), direction);
            let is_list = |end: &Bound<Value>| {
                matches!(
                    end,
                    Bound::Included(Value::List(_)) | Bound::Excluded(Value::List(_))
                )
            };
            if is_list(&range.0) || is_list(&range.1) {
                assert!(matches!(matches.err(), Some(Error::NoRange { .. })));
                return;
            }
            let matches = found(matches.unwrap());
            assert_eq!(matches, expected, "{name} after {equal:?}: {range:?}");
        }
        2 => {
            let text = tuple[0].as_str().unwrap_or_default();
            let cut = text.char_indices().nth(rng.usize(0..3));
            let prefix = &text[..cut.map_or(text.len(), |(at, _)| at)];
            let expected = entries.iter().filter(|(values, _)| {
                let text = values[0].as_str();
                text.is_some_and(|text| text.starts_with(prefix))
            });
            let expected: Vec<Entity> = expected.map(|(_, entity)| *entity).collect();
            let matches = found(lookup.starts_with(prefix).unwrap());
            assert_eq!(matches, expected, "{name} starts with {prefix:?}");
        }
        _ => {
            let wanted = [tuple[0].clone(), storable(rng), tuple[0].clone()];
            let expected = entries.iter().filter(|(values, _)| {
                let mut wanted = wanted.iter().filter(|value| !never(value));
                wanted.any(|value| values[0].equivalent(value))
            });
            let expected: BTreeSet<Entity> = expected.map(|(_, entity)| *entity).collect();
            let matches = lookup.any_of(&wanted).unwrap();
            assert!(matches.iter().eq(&expected), "{name} in {wanted:?}");
            let most = rng.usize(0..4);
            let each = lookup.equal_each(&wanted, most).unwrap();
            let one = |value: &Value| -> Vec<Entity> {
                let matches = lookup.equal(std::slice::from_ref(value)).unwrap();
                found(matches).into_iter().take(most).collect()
            };
            assert!(
                each.into_iter().eq(wanted.iter().map(one)),
                "{name}: {most} of each of {wanted:?}"
            );
        }
    }
}

/// Another value, mostly of the same kind.
fn like(value: &Value, rng: &mut Rng) -> Value {
    for _ in 0..20 {
        let other = storable(rng);
        if kind(&other) == kind(value) {
            return other;
        }
    }
    storable(rng)
}

/// Whether `<` and its kin say so.
fn within(value: &Value, range: &(Bound<Value>, Bound<Value>)) -> bool {
    let fits = |bound: &Bound<Value>, wanted: Ordering| match bound {
        Bound::Unbounded => true,
        Bound::Included(end) => value
            .compare(end)
            .is_some_and(|order| order.is_eq() || order == wanted),
        Bound::Excluded(end) => value.compare(end) == Some(wanted),
    };
    fits(&range.0, Ordering::Greater) && fits(&range.1, Ordering::Less)
}

/// Integers and floats are one kind here; NaN is one of its own.
fn kind(value: &Value) -> ValueKind {
    match value {
        Value::Float(float) if float.is_nan() => ValueKind::Null,
        Value::Float(_) => ValueKind::Integer,
        value => value.kind(),
    }
}

fn hierarchy(read: &impl Read, plain: &Plain, name: &str) {
    let declared = &plain.hierarchies[name];
    let levels = plain.levels(declared);
    let hierarchy = read.hierarchy(name).unwrap();
    assert_eq!(&*hierarchy.definition().name, name);
    assert_eq!(hierarchy.definition().tree, declared.tree);
    for node in plain.nodes.keys() {
        let level = hierarchy.level(NodeId::new(*node)).unwrap();
        assert_eq!(
            level,
            levels.get(node).copied(),
            "level of {node} in {name}"
        );
    }
    let mut by_level: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for (node, level) in &levels {
        by_level.entry(*level).or_default().push(*node);
    }
    let depth = by_level.keys().next_back().map_or(0, |deepest| deepest + 1);
    assert_eq!(hierarchy.depth().unwrap(), depth, "depth of {name}");
    for level in 0..=depth {
        let members = hierarchy.members(level).unwrap();
        let expected = by_level.get(&level).map_or(&[][..], Vec::as_slice);
        assert!(
            members.iter().eq(expected.iter().copied()),
            "level {level} of {name}: {members:?} instead of {expected:?}"
        );
    }
    assert_eq!(hierarchy.roots().unwrap(), hierarchy.members(0).unwrap());
    let count = hierarchy.member_count().unwrap();
    assert_eq!(count, levels.len() as u64, "members of {name}");
}
