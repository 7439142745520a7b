//! The laws of a total order, its examples, and an independent comparison of numbers.
//!
//! Next: `../ordered/tests.rs`, the same order in bytes.

use std::collections::hash_map::DefaultHasher;

use proptest::prelude::*;

use super::*;
use crate::value::any_value::{any_pair, any_value, number, one_of_each};
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, UtcOffset, Vector};

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash_into(&mut hasher);
    hasher.finish()
}

/// Checks that each value is below all that follow it, and equal to itself.
fn assert_ascending(values: &[Value]) {
    for (low, left) in values.iter().enumerate() {
        for (high, right) in values.iter().enumerate() {
            assert_eq!(left.order(right), low.cmp(&high), "{left} and {right}");
        }
    }
}

fn map(entries: &[(&str, Value)]) -> Value {
    let entries = entries.iter();
    let entries = entries.map(|(key, value)| ((*key).into(), value.clone()));
    Value::map(entries.collect()).unwrap()
}

#[test]
fn kinds_in_their_order() {
    let mut values = one_of_each();
    values.push(f64::NAN.into());
    values.sort_by(Value::order);
    let kinds: Vec<&str> = values.iter().map(|value| value.kind().name()).collect();
    assert_eq!(
        kinds,
        [
            "map",
            "list",
            "vector",
            "bytes",
            "date-time",
            "local date-time",
            "date",
            "time",
            "local time",
            "duration",
            "string",
            "boolean",
            "integer",
            "float",
            "float",
            "null"
        ]
    );
    assert_ascending(&values);
}

#[test]
fn numbers_in_their_order() {
    let big = 1_i64 << 53;
    assert_ascending(&[
        f64::NEG_INFINITY.into(),
        (-1e300).into(),
        (-9_223_372_036_854_777_856.0).into(),
        i64::MIN.into(),
        (i64::MIN + 1).into(),
        (-1).into(),
        (-0.5).into(),
        (-f64::from_bits(1)).into(),
        0.into(),
        f64::from_bits(1).into(),
        0.5.into(),
        1.into(),
        3.25.into(),
        (big - 1).into(),
        (big as f64).into(),
        (big + 1).into(),
        (i64::MAX - 1).into(),
        i64::MAX.into(),
        9_223_372_036_854_775_808.0.into(),
        1e300.into(),
        f64::INFINITY.into(),
        f64::NAN.into(),
        Value::Null,
    ]);
    for (left, right) in [
        (Value::from(1), Value::from(1.0)),
        (0.into(), (-0.0).into()),
        (0.0.into(), (-0.0).into()),
        (big.into(), (big as f64).into()),
        (i64::MIN.into(), (i64::MIN as f64).into()),
        (f64::NAN.into(), (-f64::NAN).into()),
        (Value::Null, Value::Null),
        (
            Vector::new([0.0]).unwrap().into(),
            Vector::new([-0.0]).unwrap().into(),
        ),
    ] {
        assert!(left.equivalent(&right), "{left} and {right}");
        assert_eq!(hash(&left), hash(&right), "{left} and {right}");
    }
}

/// The expected rows of ReturnOrderBy1 and WithOrderBy1 of the TCK, and what they leave open.
#[test]
fn compound_values_in_their_order() {
    assert_ascending(&[
        map(&[]),
        map(&[("b", 1.into())]),
        map(&[("b", 2.into())]),
        map(&[("c", 0.into())]),
        map(&[("a", 0.into()), ("b", 0.into())]),
        map(&[("a", 0.into()), ("b", Value::Null)]),
        Value::from(Vec::<Value>::new()),
        vec!["a"].into(),
        vec![Value::from("a"), 1.into()].into(),
        vec![1].into(),
        vec![Value::from(1), "a".into()].into(),
        vec![Some(1), None].into(),
        vec![None, Some(1)].into(),
        vec![None, Some(2)].into(),
        Vector::new([5.0]).unwrap().into(),
        Vector::new([-1.0, 9.0]).unwrap().into(),
        Vector::new([1.0, 0.0]).unwrap().into(),
        Value::bytes([]),
        Value::bytes([0]),
        Value::bytes([1]),
        "".into(),
        " ".into(),
        ".*".into(),
        "one".into(),
        "one\0".into(),
        "onf".into(),
        // By code point, which UTF-16 would turn around.
        "\u{FFFF}".into(),
        "\u{10000}".into(),
        false.into(),
        true.into(),
    ]);
}

/// The rows of WithOrderBy1 of the TCK, and ties that offsets and zones break.
#[test]
fn temporal_values_in_their_order() {
    let times = [
        "12:35:15+05:00",
        "12:30:14.645876123+01:01",
        "12:31:14.645876123+01:00",
        "12:31:14.645876124+01:00",
        "10:35-08:00",
        "18:35Z",
        "19:35+01:00",
    ];
    let date_times = [
        "0001-01-01T01:01:01.000000001-11:59",
        "1980-12-11T12:31:14-11:59",
        "1984-10-11T12:31:14.645876123+00:17",
        "1984-10-11T12:30:14.000000012+00:15",
        "1984-10-11T12:30:14.000000012+00:15[Europe/Paris]",
        "1984-10-11T12:30:14.000000012+00:15[Europe/Rome]",
        "1984-10-11T12:31:14.000000012+00:16",
        "9999-09-09T09:59:59.999999999+11:59",
    ];
    let durations = [
        "P-1M",
        "PT-0.1S",
        "PT0S",
        "PT0.1S",
        "PT24H",
        "P1D",
        "P30D",
        "PT730H29M6S",
        "P30DT10H29M6S",
        "P1M",
        "P31D",
    ];
    fn values<T: std::str::FromStr<Err: std::fmt::Debug> + Into<Value>>(
        texts: &[&str],
    ) -> Vec<Value> {
        let texts = texts.iter();
        texts
            .map(|text| text.parse::<T>().unwrap().into())
            .collect()
    }
    assert_ascending(&values::<Time>(&times));
    assert_ascending(&values::<DateTime>(&date_times));
    assert_ascending(&values::<Duration>(&durations));
    assert_ascending(&values::<Date>(&[
        "-0001-12-31",
        "0000-01-01",
        "1910-05-06",
        "+10000-01-01",
    ]));
    assert_ascending(&values::<LocalTime>(&[
        "10:35",
        "12:30:14.645876123",
        "12:30:14.645876124",
    ]));
    assert_ascending(&values::<LocalDateTime>(&[
        "0001-01-01T01:01:01.000000001",
        "1980-12-11T12:31:14",
        "1980-12-12T00:00",
    ]));
    // The extremes do not overflow.
    for offset in [UtcOffset::MIN, UtcOffset::MAX] {
        for local in [LocalDateTime::MIN, LocalDateTime::MAX] {
            let value = Value::from(DateTime::new(local, offset, None));
            assert!(value.equivalent(&value.clone()));
        }
    }
}

/// The exact decimal digits of a number: sign, twenty places before the point and 1,100 after,
/// enough for every double below 10^20. Larger ones are all sign.
fn decimal(value: &Value) -> Option<(bool, String)> {
    let text = match value {
        Value::Int(int) => format!("{int}.{}", "0".repeat(1_100)),
        Value::Float(float) if float.abs() < 1e19 => format!("{float:.1100}"),
        _ => return None,
    };
    let negative =
        text.starts_with('-') && text.contains(|digit: char| ('1'..='9').contains(&digit));
    Some((negative, format!("{:0>1121}", text.trim_start_matches('-'))))
}

fn order_by_decimals(left: &Value, right: &Value) -> Option<Ordering> {
    let (left, right) = (decimal(left)?, decimal(right)?);
    Some(match (left.0, right.0) {
        (false, false) => left.1.cmp(&right.1),
        (true, true) => right.1.cmp(&left.1),
        (left, right) => right.cmp(&left),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn numbers_compare_as_their_decimals((left, right) in (number(), number())) {
        if let Some(expected) = order_by_decimals(&left, &right) {
            prop_assert_eq!(left.order(&right), expected);
        }
    }

    #[test]
    fn the_order_is_total_and_hashes_agree((left, right) in any_pair()) {
        let order = left.order(&right);
        prop_assert_eq!(right.order(&left), order.reverse());
        prop_assert_eq!(left.order(&left), Ordering::Equal);
        prop_assert_eq!(left.equivalent(&right), order.is_eq());
        if order.is_eq() {
            prop_assert_eq!(hash(&left), hash(&right));
        } else {
            // Not a law, but a hash that collides by chance here does not exist.
            prop_assert_ne!(hash(&left), hash(&right));
        }
    }

    #[test]
    fn the_order_is_transitive((left, middle) in any_pair(), right in any_value()) {
        let mut values = [left, middle, right];
        // Whatever the sort does with a broken order, neighbours out of order show it.
        values.sort_by(Value::order);
        let [low, middle, high] = values;
        prop_assert!(low.order(&middle).is_le());
        prop_assert!(middle.order(&high).is_le());
        prop_assert!(low.order(&high).is_le());
        if low.equivalent(&high) {
            prop_assert!(low.equivalent(&middle));
        }
    }
}
