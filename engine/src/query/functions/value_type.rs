//! `valueType`: the name of a value's type, as precise as it can be.
//!
//! Next: `vectors.rs`.

use super::arguments::value;
use super::{Call, Nulls};
use crate::query::error::Fault;
use crate::query::types::Types;
use crate::value::Value;
use std::collections::BTreeSet;

super::table::functions! {
    "valueType"(value: ANY) -> STRING = value_type,
        "The name of a value's type.", "valueType([1, null])" => "'LIST<INTEGER> NOT NULL'"
        [nulls: Nulls::Taken];
}

fn value_type(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(named(value(arguments, 0))))
}

/// As deep as the value.
fn named(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::List(elements) => format!("LIST<{}> NOT NULL", elements_named(elements)),
        other => format!("{} NOT NULL", Types::of(other)),
    }
}

/// The types of a list's elements, without `NOT NULL` if one of them is null.
fn elements_named(elements: &[Value]) -> String {
    let has_null = elements.iter().any(Value::is_null);
    let others = elements.iter().filter(|one| !one.is_null());
    let names: BTreeSet<String> = others
        .map(|one| {
            let name = named(one);
            match name.strip_suffix(" NOT NULL") {
                Some(short) if has_null => short.to_owned(),
                _ => name,
            }
        })
        .collect();
    match (names.is_empty(), has_null) {
        (true, true) => "NULL".to_owned(),
        (true, false) => "NOTHING".to_owned(),
        _ => names.into_iter().collect::<Vec<_>>().join(" | "),
    }
}
