//! Random values from a small stock, so that equal, equivalent and nearly equal ones meet often.

use fastrand::Rng;
use std::collections::BTreeMap;
use stratigraph::value::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, Time, UtcOffset, ZoneName,
};
use stratigraph::{Value, Vector};

/// A value that a property may hold.
pub(crate) fn storable(rng: &mut Rng) -> Value {
    match rng.u32(0..26) {
        0..6 => number(rng),
        6..10 => short_text(rng).into(),
        10 => long_text(rng).into(),
        11 => rng.bool().into(),
        12 => Value::bytes(vec![rng.u8(0..2); rng.usize(0..3)]),
        13 if rng.u8(0..4) == 0 => Value::bytes(vec![7; 2000]),
        13 => Value::bytes([0xFF, 0]),
        14..21 => temporal(rng),
        21..24 => list(rng),
        _ => vector(rng),
    }
}

/// A value that no property may hold.
pub(crate) fn unstorable(rng: &mut Rng) -> Value {
    match rng.u32(0..4) {
        0 => Value::map(BTreeMap::from([("k".into(), 1.into())])).unwrap(),
        1 => Value::list(vec![1.into(), Value::Null]).unwrap(),
        2 => Value::list(vec![1.into(), 1.5.into()]).unwrap(),
        _ => Value::list(vec![Value::from(vec![1])]).unwrap(),
    }
}

/// About how many bytes a value takes as a key. Nothing that [`storable`] makes is near the limit.
pub(crate) fn key_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Bytes(bytes) => bytes.len() + 3,
        Value::List(elements) => elements.iter().map(key_bytes).sum::<usize>() + 8,
        Value::Vector(vector) => vector.dimension() * 4 + 5,
        _ => 32,
    }
}

/// Exactly the same: also the kind of a number and the sign of a zero. Any NaN is any other.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::String(left), Value::String(right)) => left == right,
        _ => left.equivalent(right) && format!("{left:?}") == format!("{right:?}"),
    }
}

fn number(rng: &mut Rng) -> Value {
    const FLOATS: [f64; 10] = [
        -1.0,
        -0.0,
        0.0,
        1.0,
        1.5,
        2.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        9_007_199_254_740_992.0,
    ];
    match rng.u32(0..8) {
        0..4 => rng.i64(-2..4).into(),
        4 => rng.i64(9_007_199_254_740_991..9_007_199_254_740_994).into(),
        _ => FLOATS[rng.usize(0..FLOATS.len())].into(),
    }
}

fn short_text(rng: &mut Rng) -> &'static str {
    const TEXTS: [&str; 9] = ["", "a", "ab", "abc", "a\0", "a\0b", "b", "ö", "\u{10FFFF}"];
    TEXTS[rng.usize(0..TEXTS.len())]
}

/// Lies apart; the longest is too long for an index, and two of the second are.
fn long_text(rng: &mut Rng) -> String {
    let bytes = [1500, 5000, 9000][rng.usize(0..3)];
    let mut text = "ab".repeat(bytes / 2);
    text.push(['x', 'y'][rng.usize(0..2)]);
    text
}

fn temporal(rng: &mut Rng) -> Value {
    let date = Date::from_epoch_day(rng.i64(-1..2)).unwrap();
    let clock = LocalTime::from_second_of_day(rng.u32(0..2) * 3600, rng.u32(0..2)).unwrap();
    let offset = UtcOffset::from_seconds(rng.i32(0..2) * 3600).unwrap();
    let local = LocalDateTime::new(date, clock);
    match rng.u32(0..6) {
        0 => date.into(),
        1 => clock.into(),
        2 => local.into(),
        3 => Time::new(clock, offset).into(),
        4 => {
            let zone = rng.bool().then(|| ZoneName::new("Europe/Oslo").unwrap());
            DateTime::new(local, offset, zone).into()
        }
        _ => Duration::new(rng.i64(0..2), rng.i64(0..2), rng.i64(-1..2), rng.u32(0..2))
            .unwrap()
            .into(),
    }
}

fn list(rng: &mut Rng) -> Value {
    let length = rng.usize(0..4);
    match rng.u32(0..5) {
        0 => Value::from((0..length).map(|_| rng.i64(0..2)).collect::<Vec<_>>()),
        1 => Value::from((0..length).map(|_| short_text(rng)).collect::<Vec<_>>()),
        2 => Value::from(vec!["long".repeat(200).as_str(); length]),
        3 => Value::from(vec![f64::NAN; length]),
        _ => Value::from((0..length).map(|_| rng.bool()).collect::<Vec<_>>()),
    }
}

fn vector(rng: &mut Rng) -> Value {
    let dimension = [1, 2, 3, 600][rng.usize(0..4)];
    let numbers: Vec<f32> = (0..dimension)
        .map(|_| [0.0, -0.0, 0.5, -1.0][rng.usize(0..4)])
        .collect();
    Vector::new(numbers).unwrap().into()
}
