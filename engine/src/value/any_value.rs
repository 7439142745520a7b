//! Random values for the property tests: every kind, with edges and near misses more often than
//! chance would have them.
//!
//! Next: the `tests.rs` of order, equality, ordered, record and json.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, Time, UtcOffset, Value, Vector, ZoneName,
};

/// One value of each kind, in the order of the variants.
pub(super) fn one_of_each() -> Vec<Value> {
    let date = Date::new(1984, 10, 11).unwrap();
    let clock = LocalTime::new(12, 31, 14, 645_876_123).unwrap();
    let local = LocalDateTime::new(date, clock);
    let offset = UtcOffset::from_seconds(3_600).unwrap();
    let zone = ZoneName::new("Europe/Stockholm").unwrap();
    vec![
        Value::Null,
        true.into(),
        (-3).into(),
        1.5.into(),
        "añ".into(),
        Value::bytes([0, 255]),
        date.into(),
        Time::new(clock, offset).into(),
        clock.into(),
        DateTime::new(local, offset, Some(zone)).into(),
        local.into(),
        Duration::new(149, 14, 58_390, 1).unwrap().into(),
        vec![Value::from(1), Value::Null].into(),
        Value::map(BTreeMap::from([("k".into(), Value::from("v"))])).unwrap(),
        Vector::new([0.5, -1.0]).unwrap().into(),
    ]
}

/// Exactly the same value: also the kind of a number, the sign of a zero. Any NaN is any other.
pub(crate) fn is_same(left: &Value, right: &Value) -> bool {
    format!("{left:?}") == format!("{right:?}")
}

/// Any value, lists and maps nested a few levels.
pub(crate) fn any_value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![8 => scalar(), 1 => vector(), 1 => Just(Value::Null)];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let entries =
            prop::collection::btree_map(select(vec!["", "a", "ab", "b"]), inner.clone(), 0..3);
        prop_oneof![
            3 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
            1 => entries.prop_map(|entries| {
                let entries = entries.into_iter().map(|(key, value)| (key.into(), value));
                Value::map(entries.collect()).unwrap()
            }),
            1 => storable_list(),
        ]
    })
    .boxed()
}

/// Two values, often of one kind or even equivalent, so that the later parts get to decide.
pub(super) fn any_pair() -> BoxedStrategy<(Value, Value)> {
    prop_oneof![
        2 => (any_value(), any_value()),
        2 => any_kind().prop_flat_map(|kind| (kind.clone(), kind)),
        1 => any_value().prop_map(|value| (value.clone(), value)),
        1 => (any_value(), any_kind()).prop_flat_map(|(value, kind)| {
            (Just(value.clone()), kind).prop_map(|(value, last)| {
                (value.clone(), Value::from(vec![value, last]))
            })
        }),
        2 => any_kind().prop_flat_map(|kind| {
            let list = prop::collection::vec(kind, 0..4).prop_map(Value::from).boxed();
            (list.clone(), list)
        }),
    ]
    .boxed()
}

/// A strategy for values of one kind.
fn any_kind() -> BoxedStrategy<BoxedStrategy<Value>> {
    select(vec![
        number(),
        string(),
        bytes(),
        temporal(),
        duration(),
        vector(),
        date_time(),
        time(),
    ])
    .boxed()
}

/// A value that a list in a property may hold.
pub(super) fn scalar() -> BoxedStrategy<Value> {
    prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        4 => number(),
        2 => string(),
        1 => bytes(),
        3 => temporal(),
        1 => duration(),
    ]
    .boxed()
}

fn storable_list() -> BoxedStrategy<Value> {
    let kinds = vec![
        any::<bool>().prop_map(Value::from).boxed(),
        any_int().prop_map(Value::from).boxed(),
        any_float().prop_map(Value::from).boxed(),
        string(),
        temporal(),
        duration(),
        date_time(),
        time(),
    ];
    select(kinds)
        .prop_flat_map(|kind| prop::collection::vec(kind, 0..5).prop_map(Value::from))
        .boxed()
}

pub(super) fn number() -> BoxedStrategy<Value> {
    prop_oneof![
        any_int().prop_map(Value::from),
        any_float().prop_map(Value::from)
    ]
    .boxed()
}

/// Integers at and around powers of two, where their doubles run out of bits.
pub(super) fn any_int() -> BoxedStrategy<i64> {
    let near_power = (0_u32..=63, -3_i128..=3, any::<bool>()).prop_map(|(power, off, negative)| {
        let wide = ((1_i128 << power) + off) * if negative { -1 } else { 1 };
        wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    });
    let near_end = (0_i64..2_000).prop_map(|below| i64::MAX - below);
    prop_oneof![
        2 => near_power,
        1 => near_end.clone(),
        1 => near_end.prop_map(|int| !int),
        1 => any::<i64>(),
        1 => -3_i64..=3
    ]
    .boxed()
}

pub(super) fn any_float() -> BoxedStrategy<f64> {
    let edges = vec![
        f64::NEG_INFINITY,
        f64::MIN,
        -9_223_372_036_854_775_808.0,
        -0.5,
        -f64::MIN_POSITIVE,
        -f64::from_bits(1),
        -0.0,
        0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        0.1,
        1.0,
        1.0 + f64::EPSILON,
        1.5,
        9_007_199_254_740_991.0,
        9_007_199_254_740_992.0,
        9_223_372_036_854_774_784.0,
        9_223_372_036_854_775_808.0,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        -f64::NAN,
    ];
    prop_oneof![
        3 => select(edges),
        2 => any::<u64>().prop_map(f64::from_bits),
        2 => any_int().prop_map(|int| int as f64),
        1 => any_int().prop_map(|int| (int as f64).next_up()),
        1 => (-20_i32..20).prop_map(|quarter| f64::from(quarter) / 4.0)
    ]
    .boxed()
}

fn string() -> BoxedStrategy<Value> {
    let letters = vec![
        '\0',
        '\u{1}',
        'a',
        'b',
        'é',
        '\u{FFFF}',
        '\u{10000}',
        '\'',
        '"',
    ];
    let letter = prop_oneof![4 => select(letters), 1 => any::<char>()];
    prop::collection::vec(letter, 0..5)
        .prop_map(|letters| letters.into_iter().collect::<String>().into())
        .boxed()
}

fn bytes() -> BoxedStrategy<Value> {
    let byte = prop_oneof![4 => select(vec![0x00, 0x01, b'a', 0xFF]), 1 => any::<u8>()];
    prop::collection::vec(byte, 0..5)
        .prop_map(Value::bytes)
        .boxed()
}

fn vector() -> BoxedStrategy<Value> {
    let edges = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        f32::MIN,
        f32::MAX,
        f32::from_bits(1),
    ];
    let number = prop_oneof![2 => select(edges), 1 => any::<u32>().prop_map(f32::from_bits)];
    let finite = number.prop_filter("finite", |number| number.is_finite());
    prop::collection::vec(finite, 1..4)
        .prop_map(|numbers| Vector::new(numbers).unwrap().into())
        .boxed()
}

fn temporal() -> BoxedStrategy<Value> {
    prop_oneof![
        any_date().prop_map(Value::from),
        any_local_time().prop_map(Value::from),
        local_date_time().prop_map(Value::from),
        date_time(),
        time(),
    ]
    .boxed()
}

pub(super) fn any_date() -> BoxedStrategy<Date> {
    let day = prop_oneof![
        2 => -3_i64..=3,
        2 => -1_000_000_i64..1_000_000,
        1 => Date::MIN.epoch_day()..=Date::MAX.epoch_day(),
        1 => select(vec![Date::MIN.epoch_day(), Date::MAX.epoch_day()])
    ];
    day.prop_map(|day| Date::from_epoch_day(day).unwrap())
        .boxed()
}

pub(super) fn any_local_time() -> BoxedStrategy<LocalTime> {
    let nanosecond = prop_oneof![
        3 => Just(0),
        1 => (0_u32..1_000).prop_map(|milli| milli * 1_000_000),
        1 => (0_u32..1_000_000).prop_map(|micro| micro * 1_000),
        1 => 0_u32..1_000_000_000
    ];
    let second = prop_oneof![
        (0_u32..24).prop_map(|hour| hour * 3_600),
        0_u32..86_400,
        Just(86_399)
    ];
    (second, nanosecond)
        .prop_map(|(second, nano)| LocalTime::from_second_of_day(second, nano).unwrap())
        .boxed()
}

fn local_date_time() -> BoxedStrategy<LocalDateTime> {
    (any_date(), any_local_time())
        .prop_map(|(date, time)| LocalDateTime::new(date, time))
        .boxed()
}

fn any_offset() -> BoxedStrategy<UtcOffset> {
    prop_oneof![
        (-18_i32..=18).prop_map(|hour| hour * 3_600),
        -64_800_i32..=64_800
    ]
    .prop_map(|seconds| UtcOffset::from_seconds(seconds).unwrap())
    .boxed()
}

fn time() -> BoxedStrategy<Value> {
    (any_local_time(), any_offset())
        .prop_map(|(local, offset)| Time::new(local, offset).into())
        .boxed()
}

fn date_time() -> BoxedStrategy<Value> {
    let zone = select(vec![
        None,
        Some("Europe/Stockholm"),
        Some("UTC"),
        Some("Etc/GMT-1"),
    ]);
    (local_date_time(), any_offset(), zone)
        .prop_map(|(local, offset, zone)| {
            let zone = zone.map(|name| ZoneName::new(name).unwrap());
            DateTime::new(local, offset, zone).into()
        })
        .boxed()
}

fn duration() -> BoxedStrategy<Value> {
    let part = || prop_oneof![3 => -100_i64..100, 2 => Just(0), 1 => -1_000_000_000_000_i64..1_000_000_000_000];
    let nanosecond = prop_oneof![Just(0), Just(1), Just(500_000_000), 0_u32..1_000_000_000];
    let seconds = prop_oneof![4 => part(), 1 => select(vec![i64::MIN, i64::MAX])];
    let sane = (part(), part(), part(), nanosecond.clone());
    // Months, days and hours that amount to the same on average.
    let same = (-3_i64..3, -3_i64..3, nanosecond.clone()).prop_map(|(months, days, nano)| {
        let seconds = 7_889_238 - months * 2_629_746 - days * 86_400;
        (months, days, seconds, nano)
    });
    let extreme = (Just(0_i64), Just(0_i64), seconds, nanosecond);
    prop_oneof![3 => sane, 2 => same, 1 => extreme]
        .prop_map(|(months, days, seconds, nano)| {
            Duration::new(months, days, seconds, nano).unwrap().into()
        })
        .boxed()
}
