//! Operators, by tables of what they give.

use super::*;
use crate::query::functions::limits;
use crate::value::{Date, Duration};
use std::collections::BTreeMap;
use stratigraph_query_lang::ast::{ArithmeticOperator, ComparisonOperator};

/// The value as it is printed, or the word for the error.
fn outcome(result: Result<Value, Fault>) -> String {
    match result {
        Ok(value) => value.to_string(),
        Err(Fault::Raised(raised)) => raised.detail.name().to_owned(),
        Err(Fault::Engine(error)) => error.to_string(),
    }
}

fn null() -> Value {
    Value::Null
}

fn map() -> Value {
    Value::map(BTreeMap::from([("a".into(), Value::from(1))])).unwrap()
}

fn of(value: impl Into<Value>) -> Value {
    value.into()
}

fn days(days: i64) -> Value {
    Duration::new(0, days, 0, 0).unwrap().into()
}

#[test]
fn arithmetic_gives() {
    use ArithmeticOperator::{Add, Concatenate, Divide, Multiply, Power, Remainder, Subtract};
    let date = of(Date::new(1984, 10, 11).unwrap());
    for (left, operator, right, expected) in [
        (of(1), Add, of(2), "3"),
        (of(i64::MAX), Add, of(1), "IntegerOverflow"),
        (of(i64::MIN), Subtract, of(1), "IntegerOverflow"),
        (of(i64::MAX), Multiply, of(2), "IntegerOverflow"),
        (of(i64::MIN), Divide, of(-1), "IntegerOverflow"),
        (of(i64::MIN), Remainder, of(-1), "0"),
        (of(i64::MAX), Add, of(1.0), "9.223372036854776e18"),
        (of(-7), Divide, of(2), "-3"),
        (of(-7), Remainder, of(2), "-1"),
        (of(7), Divide, of(2.0), "3.5"),
        (of(1), Divide, of(0), "DivisionByZero"),
        (of(1), Remainder, of(0), "DivisionByZero"),
        (of(1), Divide, of(0.0), "Infinity"),
        (of(0.0), Divide, of(0), "NaN"),
        (of(5.5), Remainder, of(2), "1.5"),
        (of(4), Power, of(3), "64.0"),
        (of(2), Power, of(-1), "0.5"),
        (of(1), Concatenate, of(2), "InvalidArgumentType"),
        (of(1.0), Concatenate, of(2), "InvalidArgumentType"),
        (null(), Add, of("a"), "null"),
        (map(), Multiply, null(), "null"),
        (of("a"), Add, of("b"), "'ab'"),
        (of("a"), Add, of(1), "'a1'"),
        (of(1.5), Add, of("a"), "'1.5a'"),
        (of("a"), Add, of(true), "'atrue'"),
        (of("a"), Add, date.clone(), "'a1984-10-11'"),
        (of("a"), Add, map(), "InvalidArgumentType"),
        (of("a"), Subtract, of("b"), "InvalidArgumentType"),
        (of("a"), Concatenate, of("b"), "'ab'"),
        (of("a"), Concatenate, of(1), "InvalidArgumentType"),
        (of(vec![1]), Concatenate, of(vec![2]), "[1, 2]"),
        (of(vec![1]), Add, of(vec![4, 5]), "[1, 4, 5]"),
        (of(vec![1]), Add, of("a"), "[1, 'a']"),
        (of("a"), Add, of(vec![1]), "['a', 1]"),
        (of(vec![1]), Add, date.clone(), "[1, '1984-10-11']"),
        (of(vec![of(vec![1])]), Add, of(vec![2]), "[[1], 2]"),
        (of(true), Add, of(1), "InvalidArgumentType"),
        (date.clone(), Add, days(2), "'1984-10-13'"),
        (days(2), Add, date.clone(), "'1984-10-13'"),
        (date.clone(), Subtract, days(11), "'1984-09-30'"),
        (days(2), Subtract, days(3), "'P-1D'"),
        (days(2), Multiply, of(3), "'P6D'"),
        (of(3), Multiply, days(2), "'P6D'"),
        (days(3), Divide, of(2), "'P1DT12H'"),
        (days(3), Divide, of(0), "DivisionByZero"),
        (days(3), Remainder, of(2), "InvalidArgumentType"),
        (date.clone(), Add, date.clone(), "InvalidArgumentType"),
        (date.clone(), Multiply, of(2), "InvalidArgumentType"),
        (days(1), Add, of("a"), "'P1Da'"),
        (of(vec![1]), Add, days(1), "[1, 'P1D']"),
        (map(), Add, map(), "InvalidArgumentType"),
    ] {
        let found = outcome(arithmetic(operator, &left, &right));
        assert_eq!(found, expected, "{left} {operator:?} {right}");
    }
}

#[test]
fn signs_give() {
    for (value, negated, same) in [
        (of(5), "-5", "5"),
        (of(i64::MIN), "IntegerOverflow", "-9223372036854775808"),
        (of(1.5), "-1.5", "1.5"),
        (null(), "null", "null"),
        (days(2), "'P-2D'", "'P2D'"),
        (of("a"), "InvalidArgumentType", "InvalidArgumentType"),
    ] {
        assert_eq!(outcome(negate(&value)), negated, "-{value}");
        assert_eq!(outcome(plus(&value)), same, "+{value}");
    }
}

#[test]
fn a_text_or_a_list_cannot_be_doubled_without_end() {
    let (mut text, mut list) = (of("a".repeat(limits::TEXT_BYTES / 2 + 1)), of(vec![1]));
    text = match arithmetic(ArithmeticOperator::Add, &text, &text) {
        Ok(_) => null(),
        Err(fault) => of(outcome(Err(fault))),
    };
    assert_eq!(text.as_str(), Some("MemoryLimit"));
    let refused = (0..64).find_map(|_| {
        match arithmetic(ArithmeticOperator::Add, &list, &list) {
            Ok(doubled) => list = doubled,
            Err(fault) => return Some(outcome(Err(fault))),
        }
        None
    });
    assert_eq!(refused.as_deref(), Some("MemoryLimit"));
    let mut nested = of(vec![1]);
    let refused = (0..100).find_map(|_| {
        match arithmetic(
            ArithmeticOperator::Add,
            &of(Vec::<Value>::new()),
            &of(vec![nested.clone()]),
        ) {
            Ok(deeper) => nested = deeper,
            Err(fault) => return Some(outcome(Err(fault))),
        }
        None
    });
    assert_eq!(refused.as_deref(), Some("NestingTooDeep"));
}

#[test]
fn comparisons_give() {
    use ComparisonOperator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    for (left, operator, right, expected) in [
        (of(1), Equal, of(1.0), "true"),
        (of(1), NotEqual, of("1"), "true"),
        (null(), Equal, null(), "null"),
        (null(), NotEqual, of(1), "null"),
        (of(f64::NAN), NotEqual, of(f64::NAN), "true"),
        (of(f64::NAN), Less, of(1), "false"),
        (of(f64::NAN), GreaterOrEqual, of(1), "false"),
        (of(f64::NAN), Less, of("a"), "null"),
        (of(1), Less, of(2), "true"),
        (of(2), LessOrEqual, of(2), "true"),
        (of(2), Greater, of(2), "false"),
        (of(2), GreaterOrEqual, of(2.5), "false"),
        (of(1), Less, of("a"), "null"),
        (of("a"), Greater, of("B"), "true"),
        (of(vec![1, 2]), Less, of(vec![1, 3]), "true"),
        (of(vec![Some(1), None]), Equal, of(vec![1, 2]), "null"),
        (of(vec![Some(1), None]), Equal, of(vec![2, 2]), "false"),
    ] {
        let found = compare(operator, &left, &right).to_string();
        assert_eq!(found, expected, "{left} {operator:?} {right}");
    }
}

#[test]
fn membership_gives() {
    for (element, list, expected) in [
        (of(1), of(vec![2, 1]), "true"),
        (of(3), of(vec![2, 1]), "false"),
        (of(1), of(vec![None, Some(1)]), "true"),
        (of(3), of(vec![None, Some(1)]), "null"),
        (null(), of(vec![1]), "null"),
        (null(), of(Vec::<Value>::new()), "false"),
        (of(1), null(), "null"),
        (of(vec![1]), of(vec![of(vec![1])]), "true"),
        (of(1), of("1"), "InvalidArgumentType"),
    ] {
        assert_eq!(
            outcome(is_in(&element, &list)),
            expected,
            "{element} IN {list}"
        );
    }
}

#[test]
fn logic_gives() {
    let all = [Some(true), Some(false), None];
    let table = |operator: fn(Option<bool>, Option<bool>) -> Option<bool>| {
        let sign = |result: Option<bool>| match result {
            Some(true) => 't',
            Some(false) => 'f',
            None => '?',
        };
        let pairs = all
            .iter()
            .flat_map(|left| all.iter().map(|right| (*left, *right)));
        pairs
            .map(|(left, right)| sign(operator(left, right)))
            .collect::<String>()
    };
    assert_eq!(table(and), "tf?fff?f?");
    assert_eq!(table(or), "ttttf?t??");
    assert_eq!(table(xor), "ft?tf????");
    assert_eq!(outcome(not(&of(true))), "false");
    assert_eq!(outcome(not(&null())), "null");
    assert_eq!(outcome(not(&of(0))), "InvalidArgumentType");
}

#[test]
fn texts_are_looked_into() {
    for (text, part, starts, ends, holds) in [
        (of("ABCDEF"), of("ABC"), "true", "false", "true"),
        (of("ABCDEF"), of("DEF"), "false", "true", "true"),
        (of("ABCDEF"), of(""), "true", "true", "true"),
        (of("ABCDEF"), of("x"), "false", "false", "false"),
        (of("ABCDEF"), null(), "null", "null", "null"),
        (of(1), of("1"), "null", "null", "null"),
    ] {
        assert_eq!(starts_with(&text, &part).to_string(), starts);
        assert_eq!(ends_with(&text, &part).to_string(), ends);
        assert_eq!(contains(&text, &part).to_string(), holds);
    }
}

#[test]
fn patterns_match_all_of_a_text_or_nothing() {
    for (text, pattern, expected) in [
        ("abc", "a.c", "true"),
        ("abcd", "a.c", "false"),
        ("ab", "a|ab", "true"),
        ("b", "a)|(b", "InvalidRegularExpression"),
        ("ABC", "(?i)abc", "true"),
        ("ab", "(?x) a b # both", "true"),
        ("a\n", "a", "false"),
        ("a", "(", "InvalidRegularExpression"),
        ("a", "(?=a)a", "InvalidRegularExpression"),
        ("a", "((a{1000}){1000}){1000}", "InvalidRegularExpression"),
        ("中文", "中.", "true"),
    ] {
        for _ in 0..2 {
            let found = outcome(matches(&of(text), &of(pattern)));
            assert_eq!(found, expected, "{text} =~ {pattern}");
        }
    }
    assert_eq!(outcome(matches(&of(1), &of("1"))), "null");
    assert_eq!(outcome(matches(&null(), &of("("))), "null");
}

#[test]
fn elements_are_found() {
    let list = || of(vec![1, 2, 3]);
    for (whole, at, expected) in [
        (list(), of(0), "1"),
        (list(), of(-1), "3"),
        (list(), of(-3), "1"),
        (list(), of(-4), "null"),
        (list(), of(3), "null"),
        (list(), of(i64::MIN), "null"),
        (list(), of(i64::MAX), "null"),
        (list(), null(), "null"),
        (null(), of(0), "null"),
        (list(), of(1.0), "ListElementAccessByNonInteger"),
        (list(), of("1"), "ListElementAccessByNonInteger"),
        (map(), of("a"), "1"),
        (map(), of("b"), "null"),
        (map(), null(), "null"),
        (map(), of(0), "MapElementAccessByNonString"),
        (of(123), of(0), "InvalidArgumentType"),
        (of("abc"), of(0), "InvalidArgumentType"),
    ] {
        assert_eq!(outcome(index(&whole, &at)), expected, "{whole}[{at}]");
    }
}

#[test]
fn parts_are_taken() {
    let list = of(vec![1, 2, 3]);
    for (from, to, expected) in [
        (None, Some(of(2)), "[1, 2]"),
        (Some(of(1)), None, "[2, 3]"),
        (Some(of(0)), Some(of(0)), "[]"),
        (Some(of(3)), Some(of(1)), "[]"),
        (Some(of(-5)), Some(of(5)), "[1, 2, 3]"),
        (Some(of(-2)), Some(of(-1)), "[2]"),
        (Some(of(5)), None, "[]"),
        (Some(null()), None, "null"),
        (None, Some(null()), "null"),
        (Some(of(i64::MIN)), Some(of(i64::MAX)), "[1, 2, 3]"),
        (Some(of("a")), None, "ListElementAccessByNonInteger"),
    ] {
        let found = outcome(slice(&list, from.as_ref(), to.as_ref()));
        assert_eq!(found, expected, "[{from:?}..{to:?}]");
    }
    assert_eq!(outcome(slice(&null(), None, None)), "null");
    assert_eq!(outcome(slice(&of(1), None, None)), "InvalidArgumentType");
}
