//! The JSON of each kind, exact round trips through text, and what is refused.
//!
//! Next: back to `../json.rs`.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::value::any_value::{any_float, any_int, any_value, is_same, one_of_each};

#[test]
fn each_kind_has_its_form() {
    let lines: Vec<String> = one_of_each()
        .iter()
        .map(|value| to_json(value).to_string())
        .collect();
    assert_eq!(
        lines,
        [
            "null",
            "true",
            "-3",
            "1.5",
            r#""añ""#,
            r#"{"bytes":"00ff"}"#,
            r#"{"date":"1984-10-11"}"#,
            r#"{"time":"12:31:14.645876123+01:00"}"#,
            r#"{"localtime":"12:31:14.645876123"}"#,
            r#"{"datetime":"1984-10-11T12:31:14.645876123+01:00[Europe/Stockholm]"}"#,
            r#"{"localdatetime":"1984-10-11T12:31:14.645876123"}"#,
            r#"{"duration":"P12Y5M14DT16H13M10.000000001S"}"#,
            "[1,null]",
            r#"{"map":{"k":"v"}}"#,
            r#"{"vector":[0.5,-1.0]}"#,
        ]
    );
    for (value, text) in [
        (Value::from(1.0), "1.0"),
        ((-0.0).into(), "-0.0"),
        (1e300.into(), "1e+300"),
        (f64::NAN.into(), r#"{"float":"NaN"}"#),
        (f64::INFINITY.into(), r#"{"float":"Infinity"}"#),
        (f64::NEG_INFINITY.into(), r#"{"float":"-Infinity"}"#),
        (i64::MIN.into(), "-9223372036854775808"),
        (
            Vector::new([0.1, f32::MAX, -0.0, 1e-45]).unwrap().into(),
            r#"{"vector":[0.1,3.4028235e+38,-0.0,1e-45]}"#,
        ),
    ] {
        assert_eq!(to_json(&value).to_string(), text);
    }
}

#[test]
fn what_is_no_value_is_refused_with_its_place() {
    for (json, message) in [
        (
            json!([1, {"map": {"k": [{}]}}]),
            r#"an object needs exactly one key, the kind of the value; this one has 0 (at $[1].map["k"][0])"#,
        ),
        (
            json!({"date": "1984-10-11", "time": "12:00Z"}),
            "an object needs exactly one key, the kind of the value; this one has 2 (at $)",
        ),
        (json!({"point": 1}), "`point` is not a kind of value (at $)"),
        (
            json!(u64::MAX),
            "the integer 18446744073709551615 does not fit into 64 bits (at $)",
        ),
        (
            json!({"float": "1.0"}),
            "this is not a float: it should be NaN, Infinity or -Infinity (at $)",
        ),
        (
            json!({"bytes": "0g"}),
            "this is not a bytes: it should be pairs of lower-case hex digits (at $)",
        ),
        (
            json!({"bytes": "000"}),
            "this is not a bytes: it should be pairs of lower-case hex digits (at $)",
        ),
        (
            json!({"date": 5}),
            "this is not a date: it should be a string (at $)",
        ),
        (
            json!({"date": "1984-13-11"}),
            "this is not a date: the month must be between 1 and 12, it is 13 at byte 0 (at $)",
        ),
        (
            json!({"map": []}),
            "this is not a map: it should be an object (at $)",
        ),
        (
            json!({"vector": 1.0}),
            "this is not a vector: it should be a list (at $)",
        ),
        (
            json!({"vector": ["1.0"]}),
            "this is not a vector: it should hold numbers only (at $)",
        ),
        (
            json!({"vector": []}),
            "this is not a vector: a vector needs at least one number (at $)",
        ),
        (
            json!({"vector": [1e39]}),
            "this is not a vector: number 0 of the vector is inf, which is not finite (at $)",
        ),
    ] {
        assert_eq!(from_json(&json).unwrap_err().to_string(), message);
    }
}

#[test]
fn nesting_ends_where_values_do() {
    let mut json = json!([1]);
    for level in 1..MAX_DEPTH {
        json = if level % 2 == 0 {
            json!([json])
        } else {
            json!({"map": {"k": json}})
        };
    }
    assert!(from_json(&json).is_ok());
    let error = from_json(&json!([json])).unwrap_err();
    assert_eq!(error.problem, BadJsonProblem::TooDeep);
}

/// Through text, as a dump goes.
fn round_trip(value: &Value) -> Value {
    let text = to_json(value).to_string();
    from_json(&serde_json::from_str(&text).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn values_come_back_exactly(value in any_value()) {
        let back = round_trip(&value);
        prop_assert!(is_same(&back, &value), "{} came back as {}", value, back);
    }

    #[test]
    fn numbers_come_back_exactly(int in any_int(), float in any_float(), bits in any::<u32>()) {
        prop_assert_eq!(round_trip(&int.into()).as_int(), Some(int));
        let back = round_trip(&float.into()).as_float().unwrap();
        prop_assert!(back.to_bits() == float.to_bits() || (back.is_nan() && float.is_nan()));
        if let Ok(vector) = Vector::new([f32::from_bits(bits)]) {
            let back = round_trip(&vector.into());
            let back = back.as_vector().and_then(|vector| vector.as_slice().first());
            prop_assert_eq!(back.map(|number| number.to_bits()), Some(bits));
        }
    }
}
