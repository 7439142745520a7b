//! What the query language calls equal and lower: its examples, and how both agree with the order.
//!
//! Next: `../order/tests.rs`.

use proptest::prelude::*;

use super::*;
use crate::value::any_value::{any_pair, any_value, one_of_each};
use crate::value::{Date, Duration, Vector};

fn list(elements: &[Value]) -> Value {
    Value::from(elements.to_vec())
}

fn map(entries: &[(&str, Value)]) -> Value {
    let entries = entries.iter();
    let entries = entries.map(|(key, value)| ((*key).into(), value.clone()));
    Value::map(entries.collect()).unwrap()
}

/// Comparison1 and Temporal7 of the TCK, and what they leave open.
#[test]
fn equality_by_example() {
    let null = || Value::Null;
    let one = || list(&[1.into()]);
    let duration = |text: &str| Value::from(text.parse::<Duration>().unwrap());
    for (left, right, equal) in [
        (null(), null(), None),
        (null(), 1.into(), None),
        (one(), null(), None),
        (list(&[1.into(), 2.into()]), one(), Some(false)),
        (list(&[null()]), one(), None),
        (list(&["a".into()]), one(), Some(false)),
        (list(&[one()]), list(&[one(), list(&[null()])]), Some(false)),
        (
            list(&[one(), list(&[2.into()])]),
            list(&[one(), list(&[null()])]),
            None,
        ),
        (
            list(&[one(), list(&[2.into(), 3.into()])]),
            list(&[one(), list(&[null()])]),
            Some(false),
        ),
        // One known difference settles it, on either side of an unknown one.
        (
            list(&[null(), 1.into()]),
            list(&[1.into(), 2.into()]),
            Some(false),
        ),
        (
            list(&[1.into(), null()]),
            list(&[2.into(), 1.into()]),
            Some(false),
        ),
        (map(&[]), map(&[]), Some(true)),
        (
            map(&[("k", 1.into())]),
            map(&[("k", 1.0.into())]),
            Some(true),
        ),
        (map(&[]), map(&[("k", null())]), Some(false)),
        (
            map(&[("k", 1.into())]),
            map(&[("k", 1.into()), ("l", null())]),
            Some(false),
        ),
        (map(&[("k", null())]), map(&[("k", null())]), None),
        (
            map(&[("k", 1.into()), ("l", null())]),
            map(&[("k", null()), ("l", 1.into())]),
            None,
        ),
        (map(&[("k", null())]), map(&[("l", null())]), Some(false)),
        (f64::NAN.into(), 1.into(), Some(false)),
        (1.0.into(), f64::NAN.into(), Some(false)),
        (f64::NAN.into(), f64::NAN.into(), Some(false)),
        (f64::NAN.into(), "a".into(), Some(false)),
        (
            list(&[f64::NAN.into()]),
            list(&[f64::NAN.into()]),
            Some(false),
        ),
        (1.into(), 1.0.into(), Some(true)),
        (0.0.into(), (-0.0).into(), Some(true)),
        ("1".into(), 1.into(), Some(false)),
        (
            4_611_686_018_427_387_905_i64.into(),
            4_611_686_018_427_387_900_i64.into(),
            Some(false),
        ),
        (duration("P1D"), Date::MIN.into(), Some(false)),
        (
            duration("P12Y5M14DT16H13M10S"),
            duration("P12Y5M14DT16H13M10S"),
            Some(true),
        ),
        (duration("P1D"), duration("PT24H"), Some(false)),
        (
            Vector::new([1.0]).unwrap().into(),
            Vector::new([1.0]).unwrap().into(),
            Some(true),
        ),
        (
            Vector::new([1.0]).unwrap().into(),
            list(&[1.0.into()]),
            Some(false),
        ),
    ] {
        assert_eq!(left.equals(&right), equal, "{left} = {right}");
        assert_eq!(right.equals(&left), equal, "{right} = {left}");
    }
}

/// Comparison2 of the TCK, and what it leaves open.
#[test]
fn comparison_by_example() {
    use Comparison::{Ordered, Unknown, Unordered};
    let null = || Value::Null;
    for (left, right, expected) in [
        (Value::from(1), Value::from(3.25), Ordered(Ordering::Less)),
        (1.into(), 1.0.into(), Ordered(Ordering::Equal)),
        (f64::NAN.into(), 1.into(), Unordered),
        (f64::NAN.into(), f64::NAN.into(), Unordered),
        (f64::NAN.into(), "a".into(), Unknown),
        ("1.0".into(), 1.0.into(), Unknown),
        ("x".into(), "xx".into(), Ordered(Ordering::Less)),
        (false.into(), true.into(), Ordered(Ordering::Less)),
        (null(), null(), Unknown),
        (null(), 1.into(), Unknown),
        (map(&[]), map(&[]), Unknown),
        (
            list(&[1.into(), 2.into()]),
            list(&[3.into(), 4.into()]),
            Ordered(Ordering::Less),
        ),
        (
            list(&[1.into()]),
            list(&[1.into(), null()]),
            Ordered(Ordering::Less),
        ),
        (
            list(&[1.into(), 2.into()]),
            list(&[1.into(), null()]),
            Unknown,
        ),
        (
            list(&[1.into(), 2.into()]),
            list(&[3.into(), null()]),
            Ordered(Ordering::Less),
        ),
        (
            list(&[1.into(), "a".into()]),
            list(&[1.into(), 1.into()]),
            Unknown,
        ),
        (list(&[f64::NAN.into()]), list(&[1.into()]), Unordered),
        (list(&[]), list(&[]), Ordered(Ordering::Equal)),
        // Equal elements need not be comparable ones.
        (
            list(&[map(&[])]),
            list(&[map(&[]), 1.into()]),
            Ordered(Ordering::Less),
        ),
    ] {
        let reversed = match expected {
            Ordered(order) => Ordered(order.reverse()),
            other => other,
        };
        assert_eq!(left.comparison(&right), expected, "{left} and {right}");
        assert_eq!(right.comparison(&left), reversed, "{right} and {left}");
    }
}

#[test]
fn only_one_kind_is_comparable_and_not_every_kind() {
    let values = one_of_each();
    for left in &values {
        for right in &values {
            let numbers = [left, right]
                .iter()
                .all(|value| matches!(value, Value::Int(_) | Value::Float(_)));
            let never = matches!(
                left,
                Value::Null
                    | Value::Bytes(_)
                    | Value::Duration(_)
                    | Value::Map(_)
                    | Value::Vector(_)
            );
            // The list of the sample ends with a null, which is not even comparable with itself.
            let expected = numbers
                || (left.kind() == right.kind() && !never && !matches!(left, Value::List(_)));
            assert_eq!(
                left.compare(right).is_some(),
                expected,
                "{left} and {right}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn equality_agrees_with_the_order((left, right) in any_pair()) {
        prop_assert_eq!(left.equals(&right), right.equals(&left));
        if left.equals(&right) == Some(true) {
            prop_assert!(left.equivalent(&right));
        }
        let text = format!("{left} {right}");
        if left.equivalent(&right) && !text.contains("NaN") && !text.contains("null") {
            prop_assert_eq!(left.equals(&right), Some(true));
        }
    }

    #[test]
    fn comparison_agrees_with_order_and_equality((left, right) in any_pair()) {
        let compared = left.compare(&right);
        prop_assert_eq!(compared.map(Ordering::reverse), right.compare(&left));
        if let Some(order) = compared {
            prop_assert_eq!(order, left.order(&right));
            prop_assert_eq!(left.equals(&right) == Some(true), order.is_eq());
        }
    }

    #[test]
    fn null_is_never_known(value in any_value()) {
        prop_assert_eq!(value.equals(&Value::Null), None);
        prop_assert_eq!(value.comparison(&Value::Null), Comparison::Unknown);
    }
}
