//! Functions and aggregates: every example, tables of results and errors, and every function with every kind of
//! value.
//!
//! `example.rs` reads the examples.

mod example;
mod vectors;

use super::*;
use crate::graph::Entity;
use crate::query::error::Detail;
use crate::value::{NodeId, NodeValue, PathValue, RelationshipId, RelationshipValue};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A graph in which every node and relationship is the same.
struct OneOfEach;

impl GraphFace for OneOfEach {
    fn property(&self, _: Entity, _: &str) -> Result<Value, Fault> {
        Ok(Value::Null)
    }

    fn properties(&self, _: Entity) -> Result<BTreeMap<Arc<str>, Value>, Fault> {
        Ok(BTreeMap::from([("name".into(), Value::from("Ada"))]))
    }

    fn labels(&self, _: NodeId) -> Result<Vec<Arc<str>>, Fault> {
        Ok(vec!["Person".into(), "Author".into()])
    }

    fn has_label(&self, _: NodeId, label: &str) -> Result<bool, Fault> {
        Ok(label == "Person")
    }

    fn relationship_type(&self, _: RelationshipId) -> Result<Arc<str>, Fault> {
        Ok("KNOWS".into())
    }

    fn ends(&self, _: RelationshipId) -> Result<(NodeId, NodeId), Fault> {
        Ok((NodeId::new(1), NodeId::new(2)))
    }

    fn level(&self, _: NodeId, _: &str) -> Result<Option<u32>, Fault> {
        Ok(Some(2))
    }

    fn roots(&self, _: &str) -> Result<Vec<NodeId>, Fault> {
        Ok(vec![NodeId::new(1)])
    }

    fn ancestors(&self, _: NodeId, _: &str) -> Result<Vec<NodeId>, Fault> {
        Ok(vec![NodeId::new(2), NodeId::new(1)])
    }
}

/// Calls a function as the evaluator does.
fn call(function: &Function, arguments: &[Value]) -> Result<Value, Fault> {
    if function.nulls == Nulls::GiveNull && arguments.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let moment = Moment {
        second: 1_700_000_000,
        nanosecond: 123_456_789,
    };
    let moments = Moments {
        transaction: moment,
        statement: moment,
        real: Box::new(move || moment),
    };
    let random = RefCell::new(Random::new(Some(7)));
    let call = Call {
        graph: &OneOfEach,
        moments: &moments,
        random: &random,
    };
    (function.run)(&call, arguments)
}

fn called(name: &str, arguments: &[Value]) -> String {
    let function = function(name).unwrap_or_else(|| panic!("there is no {name}"));
    outcome(call(function, arguments))
}

/// The value as it is printed, or the word for the error.
fn outcome(result: Result<Value, Fault>) -> String {
    match result {
        Ok(value) => value.to_string(),
        Err(Fault::Raised(raised)) => raised.detail.name().to_owned(),
        Err(Fault::Engine(error)) => error.to_string(),
    }
}

fn relationship() -> Value {
    RelationshipValue::of(RelationshipId::new(5)).into()
}

fn path() -> Value {
    let nodes = vec![NodeValue::of(NodeId::new(1)), NodeValue::of(NodeId::new(2))];
    let relationships = vec![RelationshipValue::of(RelationshipId::new(5))];
    PathValue::new(nodes, relationships).unwrap().into()
}

#[test]
fn every_example_has_the_value_it_says() {
    for function in functions() {
        let (text, value) = function.example;
        if !text.is_empty() {
            // Dates and times are printed in quotes, which their examples leave out.
            let found = outcome(example::value_of(text));
            assert!(
                found == value || found == format!("'{value}'"),
                "{text}: {found}"
            );
        }
    }
    for aggregate in aggregate_functions() {
        let (text, value) = aggregate.example;
        assert_eq!(outcome(example::aggregate_of(text)), value, "{text}");
    }
}

#[test]
fn names_are_unique_whatever_the_case_and_tables_make_sense() {
    let mut seen = HashSet::new();
    let named = functions().map(|one| (one.name, one.about, one.takes));
    let aggregates = aggregate_functions().map(|one| (one.name, one.about, one.takes));
    for (name, about, takes) in named.chain(aggregates) {
        assert!(
            seen.insert(name.to_ascii_lowercase()),
            "{name} is there twice"
        );
        assert!(about.ends_with('.'), "{name}: {about}");
        let mut arguments = HashSet::new();
        assert!(takes.iter().all(|one| arguments.insert(one.name)), "{name}");
    }
    for function in functions() {
        assert!(
            function.required <= function.takes.len(),
            "{}",
            function.name
        );
        assert!(
            !function.variadic || !function.takes.is_empty(),
            "{}",
            function.name
        );
    }
}

#[test]
fn a_name_that_is_none_has_a_nearest() {
    for (name, meant) in [
        ("toIntegre", Some("toInteger")),
        ("cuont", Some("count")),
        ("SIZ", Some("size")),
        ("percentilDisc", Some("percentileDisc")),
        ("frobnicate", None),
    ] {
        assert_eq!(suggestions(name), meant, "{name}");
    }
    assert!(function("TOINTEGER").is_some() && function("toIntege").is_none());
    assert!(aggregate_function("cOuNt").is_some());
}

#[test]
fn entities_are_asked_of_the_graph() {
    let node = Value::from(NodeValue::of(NodeId::new(3)));
    for (name, argument, expected) in [
        ("id", node.clone(), "3"),
        ("elementId", relationship(), "'r1-5'"),
        ("labels", node.clone(), "['Person', 'Author']"),
        ("type", relationship(), "'KNOWS'"),
        ("keys", node.clone(), "['name']"),
        ("properties", relationship(), "{name: 'Ada'}"),
        ("length", path(), "1"),
        ("labels", relationship(), "InvalidArgumentValue"),
        ("type", node.clone(), "InvalidArgumentValue"),
        ("labels", Value::Null, "null"),
        ("nodes", node, "InvalidArgumentValue"),
    ] {
        assert_eq!(called(name, &[argument]), expected, "{name}");
    }
    let end = call(function("endNode").unwrap(), &[relationship()]).unwrap();
    assert_eq!(end.as_node().unwrap().id(), NodeId::new(2));
    let nodes = call(function("nodes").unwrap(), &[path()]).unwrap();
    assert_eq!(nodes.as_list().unwrap().len(), 2);
}

#[test]
fn results_and_errors_are_those_of_the_table() {
    for (text, expected) in [
        ("range(0, -10, -3)", "[0, -3, -6, -9]"),
        ("range(0, 1, -123)", "[]"),
        ("range(2, 8, 3)", "[2, 5, 8]"),
        ("range(5, 5)", "[5]"),
        ("range(5, 5, -1)", "[5]"),
        ("range(2, 8, 0)", "NumberOutOfRange"),
        ("range(0.0, 1)", "InvalidArgumentType"),
        ("range(0, 1000000000000000000)", "MemoryLimit"),
        (
            "range(-9223372036854775807, 9223372036854775807)",
            "MemoryLimit",
        ),
        (
            "range(9223372036854775806, 9223372036854775807, 5)",
            "[9223372036854775806]",
        ),
        ("size('aé')", "2"),
        ("size(5)", "InvalidArgumentValue"),
        ("head([])", "null"),
        ("tail([])", "[]"),
        ("last([])", "null"),
        ("coalesce(null, null)", "null"),
        ("nullIf(1, 2)", "1"),
        ("nullIf(null, 2)", "null"),
        ("substring('0123456789', 1)", "'123456789'"),
        ("substring('abc', 5)", "''"),
        ("substring('abc', 1, 1)", "'b'"),
        ("substring('abc', -1)", "NumberOutOfRange"),
        ("left('aéb', 2)", "'aé'"),
        ("left('ab', 9)", "'ab'"),
        ("right('aéb', 2)", "'éb'"),
        ("right('ab', 9)", "'ab'"),
        ("right('ab', -1)", "NumberOutOfRange"),
        ("split('one1two', '1')", "['one', 'two']"),
        ("split('', ',')", "['']"),
        ("split('aéb', '')", "['a', 'é', 'b']"),
        ("split('a-b_c', ['-', '_'])", "['a', 'b', 'c']"),
        ("split(',a,', ',')", "['', 'a', '']"),
        ("split('-a_', ['_', '-'])", "['', 'a', '']"),
        ("split('ab', [])", "['ab']"),
        ("split('ab', [null])", "null"),
        ("split('ab', [1])", "InvalidArgumentValue"),
        ("replace('aaa', 'a', 'b', 2)", "'bba'"),
        ("replace('ab', '', '-')", "'-a-b-'"),
        ("trim('xax', 'x')", "'a'"),
        ("normalize('e', 'X')", "InvalidArgumentValue"),
        ("reverse([1, 'a', null])", "[null, 'a', 1]"),
        ("toInteger('foo')", "null"),
        ("toInteger('')", "null"),
        ("toInteger(2.9)", "2"),
        ("toInteger('-2.9e1')", "-29"),
        ("toInteger('9223372036854775807')", "9223372036854775807"),
        ("toInteger('9223372036854775808')", "IntegerOverflow"),
        ("toInteger(1e300)", "IntegerOverflow"),
        ("toInteger(true)", "1"),
        ("toInteger([])", "InvalidArgumentValue"),
        ("toInteger(null)", "null"),
        ("toFloat('5')", "5.0"),
        ("toFloat('inf')", "null"),
        ("toFloat('x')", "null"),
        ("toFloat(true)", "InvalidArgumentValue"),
        ("toBoolean(' TRUE')", "true"),
        ("toBoolean('yes')", "null"),
        ("toBoolean(1.0)", "InvalidArgumentValue"),
        ("toString({})", "InvalidArgumentValue"),
        ("toString(-0.5)", "'-0.5'"),
        ("toString('apa')", "'apa'"),
        ("abs(-9223372036854775808)", "IntegerOverflow"),
        ("abs(-1.5)", "1.5"),
        ("sign(-0.5)", "-1"),
        ("sqrt(12.96)", "3.6"),
        ("sqrt(-1)", "NaN"),
        ("sqrt('4')", "InvalidArgumentValue"),
        ("round(1.5)", "2.0"),
        ("round(-1.5)", "-1.0"),
        ("round(-1.6)", "-2.0"),
        ("round(0.49999999999999994)", "0.0"),
        ("round(1.005, 2)", "1.01"),
        ("round(-1.55, 1)", "-1.6"),
        ("round(99.99, 1)", "100.0"),
        ("round(0.04, 1)", "0.0"),
        ("round(0.05, 1)", "0.1"),
        ("round(1.249, 1, 'UP')", "1.3"),
        ("round(1.29, 1, 'DOWN')", "1.2"),
        ("round(-1.21, 1, 'CEILING')", "-1.2"),
        ("round(-1.21, 1, 'FLOOR')", "-1.3"),
        ("round(-1.25, 1, 'HALF_UP')", "-1.3"),
        ("round(1.25, 1, 'HALF_DOWN')", "1.2"),
        ("round(1.25, 1, 'HALF_EVEN')", "1.2"),
        ("round(1.35, 1, 'half_even')", "1.4"),
        ("round(0.0001, 2, 'UP')", "0.01"),
        ("round(0.0, 2, 'UP')", "0.0"),
        ("round(1e300, 2)", "1e300"),
        ("round(1.5, -1)", "NumberOutOfRange"),
        ("round(1.5, 1, 'SIDEWAYS')", "InvalidArgumentValue"),
        ("valueType(null)", "'NULL'"),
        ("valueType([])", "'LIST<NOTHING> NOT NULL'"),
        (
            "valueType([1, 'a'])",
            "'LIST<INTEGER NOT NULL | STRING NOT NULL> NOT NULL'",
        ),
        (
            "valueType([[1]])",
            "'LIST<LIST<INTEGER NOT NULL> NOT NULL> NOT NULL'",
        ),
        ("timestamp()", "1700000000123"),
    ] {
        assert_eq!(outcome(example::value_of(text)), expected, "{text}");
    }
}

#[test]
fn chance_is_in_its_range_and_repeats_with_its_seed() {
    let uuid = called("randomUUID", &[]);
    let parts: Vec<usize> = uuid.trim_matches('\'').split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);
    assert_eq!(uuid.chars().nth(15), Some('4'), "{uuid}");
    assert!(
        uuid.chars().nth(20).is_some_and(|one| "89ab".contains(one)),
        "{uuid}"
    );
    let once = called("rand", &[]);
    assert_eq!(once, called("rand", &[]));
    assert!((0.0..1.0).contains(&once.parse::<f64>().unwrap()));
}

#[test]
fn aggregates_of_a_column() {
    let huge = i64::MAX;
    let duration = |months, days, seconds| {
        Value::from(crate::value::Duration::new(months, days, seconds, 0).unwrap())
    };
    let mixed = || {
        vec![
            Value::from(1),
            "a".into(),
            Value::Null,
            vec![1, 2].into(),
            0.2.into(),
            "b".into(),
        ]
    };
    for (name, column, expected) in [
        ("count", vec![Value::Null, 1.into()], "1"),
        ("sum", vec![], "0"),
        ("sum", vec![Value::Null, 1.into(), 2.into()], "3"),
        ("sum", vec![1.into(), 0.5.into()], "1.5"),
        ("sum", vec![huge.into(), 1.into()], "IntegerOverflow"),
        (
            "sum",
            vec![huge.into(), 1.into(), (-1).into()],
            "9223372036854775807",
        ),
        ("sum", vec!["a".into()], "InvalidArgumentValue"),
        (
            "sum",
            vec![duration(1, 2, 3), duration(1, 0, -1)],
            "'P2M2DT2S'",
        ),
        (
            "sum",
            vec![duration(1, 2, 3), 1.into()],
            "InvalidArgumentValue",
        ),
        (
            "sum",
            vec![1.into(), duration(1, 2, 3)],
            "InvalidArgumentValue",
        ),
        ("avg", vec![], "null"),
        (
            "avg",
            vec![huge.into(), huge.into()],
            "9.223372036854776e18",
        ),
        ("avg", vec![1.into(), Value::Null, 2.into()], "1.5"),
        (
            "avg",
            vec![duration(2, 1, 0), duration(0, 0, 2)],
            "'P1MT12H1S'",
        ),
        ("min", vec![], "null"),
        ("min", mixed(), "[1, 2]"),
        ("max", mixed(), "1"),
        ("max", vec![1.into(), 2.0.into(), 5.into()], "5"),
        ("collect", vec![], "[]"),
        ("collect", mixed(), "[1, 'a', [1, 2], 0.2, 'b']"),
        ("stDev", vec![1.into()], "0.0"),
        ("stDevP", vec![2.into(), 4.into()], "1.0"),
    ] {
        assert_eq!(
            example::aggregated(name, &column, &[]),
            expected,
            "{name} of {column:?}"
        );
    }
    let prices: Vec<Value> = vec![30.into(), Value::Null, 10.into(), 20.into()];
    for (name, percentile, expected) in [
        ("percentileDisc", 0.0, "10"),
        ("percentileDisc", 0.5, "20"),
        ("percentileDisc", 1.0, "30"),
        ("percentileCont", 0.0, "10.0"),
        ("percentileCont", 0.25, "15.0"),
        ("percentileCont", 1.0, "30.0"),
        ("percentileCont", 1.1, "NumberOutOfRange"),
        ("percentileDisc", -1.0, "NumberOutOfRange"),
        ("percentileDisc", f64::NAN, "NumberOutOfRange"),
    ] {
        let found = example::aggregated(name, &prices, &[percentile.into()]);
        assert_eq!(found, expected, "{name} at {percentile}");
    }
    assert_eq!(
        example::aggregated("percentileCont", &[], &[0.5.into()]),
        "null"
    );
}

/// One value of each kind, and the numbers at which things go wrong.
fn kinds() -> Vec<Value> {
    let mut kinds = vec![
        Value::Null,
        true.into(),
        f64::NAN.into(),
        f64::INFINITY.into(),
        (-0.5).into(),
        "".into(),
        "aé".into(),
        Value::bytes([1]),
        Value::from(Vec::<Value>::new()),
        vec![Some(1), None].into(),
        Value::map(BTreeMap::from([("a".into(), Value::Null)])).unwrap(),
        crate::value::Vector::new([0.5]).unwrap().into(),
        crate::value::Date::MIN.into(),
        crate::value::Duration::new(1, 1, 1, 1).unwrap().into(),
        NodeValue::of(NodeId::new(1)).into(),
        relationship(),
        path(),
    ];
    kinds.extend([i64::MIN, -1, 0, 2, i64::MAX].map(Value::from));
    kinds
}

#[test]
fn whatever_is_given_nothing_panics_and_the_type_is_the_one_promised() {
    let kinds = kinds();
    for function in functions() {
        for count in function.required..=function.takes.len() {
            for number in 0..kinds.len().pow(count.min(3) as u32) {
                let at = |place: u32| number / kinds.len().pow(place) % kinds.len();
                let arguments: Vec<Value> = (0..count)
                    .map(|place| kinds[at(place.min(2) as u32)].clone())
                    .collect();
                let Ok(value) = call(function, &arguments) else {
                    continue;
                };
                let found = Types::of(&value);
                assert!(
                    found.is_within(function.gives),
                    "{}({arguments:?}): {found}",
                    function.name
                );
            }
        }
    }
    for aggregate in aggregate_functions() {
        for value in &kinds {
            for other in &kinds {
                let mut accumulator = (aggregate.start)();
                if accumulator.add(&[value.clone(), other.clone()]).is_ok() {
                    let _ = accumulator.bytes();
                    if let Ok(found) = accumulator.finish() {
                        assert!(
                            Types::of(&found).is_within(aggregate.gives),
                            "{}",
                            aggregate.name
                        );
                    }
                }
            }
        }
    }
    assert_eq!(
        Detail::MemoryLimit.name(),
        outcome(limits::text(usize::MAX).map(|()| Value::Null))
    );
}
