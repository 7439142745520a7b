//! `duration.between` and its kin.
//!
//! Next: back to `mod.rs`.

use super::super::{Argument, Function, Nulls};
use super::{Lasts, argument};
use crate::query::error::Fault;
use crate::query::temporal::between::{Units, between};
use crate::query::temporal::meaningless;
use crate::query::types::Types;
use crate::value::Value;

const TAKES: &[Argument] = &[
    argument("from", Types::INSTANT),
    argument("to", Types::INSTANT),
];

macro_rules! distance {
    ($($name:literal, $units:expr, $about:literal, $example:expr;)+) => {
        &[$(Function {
            name: $name,
            takes: TAKES,
            required: 2,
            variadic: false,
            gives: Types::DURATION,
            nulls: Nulls::GiveNull,
            lasts: Lasts::Always,
            run: |_, arguments| distance(arguments, $units),
            about: $about,
            example: $example,
        },)+]
    };
}

pub(super) static FUNCTIONS: &[Function] = distance! {
    "duration.between", Units::All,
        "The distance from one value to another in months, days and seconds.",
        ("duration.between(date('1984-10-11'), date('2015-06-24'))", "P30Y8M13D");
    "duration.inMonths", Units::Months,
        "The whole months from one value to another.",
        ("duration.inMonths(date('1984-10-11'), date('2015-06-24'))", "P30Y8M");
    "duration.inDays", Units::Days,
        "The whole days from one value to another.",
        ("duration.inDays(date('1984-10-11'), date('2015-06-24'))", "P11213D");
    "duration.inSeconds", Units::Seconds,
        "The seconds from one value to another.",
        ("duration.inSeconds(localtime('12:34:54.7'), localtime('12:34:54.3'))", "PT-0.4S");
};

fn distance(arguments: &[Value], units: Units) -> Result<Value, Fault> {
    match arguments {
        [from, to] => between(from, to, units).map(Value::Duration),
        _ => Err(meaningless("a distance has two ends")),
    }
}
