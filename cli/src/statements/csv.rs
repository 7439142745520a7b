//! Rows as comma-separated values (RFC 4180): a line of names, then a line a row.
//!
//! Null is an empty field and the empty string is `""`, so that the two can be told apart. What is neither text
//! nor a number nor a point in time is JSON in a field.
//!
//! Next: `table.rs`.

use super::json;
use std::sync::Arc;
use stratigraph::Value;
use stratigraph_tables::csv_field::quoted;

/// The line of names.
pub(super) fn header(columns: &[Arc<str>]) -> String {
    let names: Vec<_> = columns.iter().map(|column| quoted(column)).collect();
    names.join(",")
}

/// The line of a row.
pub(super) fn row(values: &[Value]) -> String {
    let fields: Vec<String> = values.iter().map(field).collect();
    fields.join(",")
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::List(_)
        | Value::Map(_)
        | Value::Vector(_)
        | Value::Node(_)
        | Value::Relationship(_)
        | Value::Path(_) => quoted(&json::plain(value).to_string()).into_owned(),
        other => quoted(&json::text(other)).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph::value::Date;

    #[test]
    fn fields_are_quoted_where_it_takes_quotes() {
        let cases: [(Value, &str); 12] = [
            (Value::Null, ""),
            ("".into(), "\"\""),
            ("plain text".into(), "plain text"),
            ("a,b".into(), "\"a,b\""),
            ("say \"so\"".into(), "\"say \"\"so\"\"\""),
            ("two\nlines".into(), "\"two\nlines\""),
            ("one\r".into(), "\"one\r\""),
            (" blank".into(), "\" blank\""),
            ((-1.5).into(), "-1.5"),
            (true.into(), "true"),
            (Date::new(1984, 10, 11).unwrap().into(), "1984-10-11"),
            (vec![1, 2].into(), "\"[1,2]\""),
        ];
        for (value, text) in cases {
            assert_eq!(field(&value), text);
        }
        assert_eq!(
            header(&["a".into(), "n.name, \"x\"".into()]),
            "a,\"n.name, \"\"x\"\"\""
        );
    }
}
