//! A value as text, for people: close to the literals of the query language.
//!
//! Numbers, strings, lists and maps read back as themselves; dates and times come as their text in
//! quotes. Text that must come back exactly is the business of [`json`](super::json).
//!
//! Next: `order.rs`.

use std::fmt::{self, Write};

use stratigraph_query_lang::written_name;

use super::{NodeValue, PathValue, RelationshipValue, Value};

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => write_float(f, *value),
            Self::String(value) => write_quoted(f, value),
            Self::Bytes(bytes) => {
                f.write_str("bytes('")?;
                for byte in bytes.iter() {
                    write!(f, "{byte:02x}")?;
                }
                f.write_str("')")
            }
            Self::Date(value) => write!(f, "'{value}'"),
            Self::Time(value) => write!(f, "'{value}'"),
            Self::LocalTime(value) => write!(f, "'{value}'"),
            Self::DateTime(value) => write!(f, "'{value}'"),
            Self::LocalDateTime(value) => write!(f, "'{value}'"),
            Self::Duration(value) => write!(f, "'{value}'"),
            Self::List(elements) => {
                f.write_char('[')?;
                for (index, element) in elements.iter().enumerate() {
                    separate(f, index)?;
                    element.fmt(f)?;
                }
                f.write_char(']')
            }
            Self::Map(entries) => {
                f.write_char('{')?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    separate(f, index)?;
                    write_name(f, key)?;
                    write!(f, ": {value}")?;
                }
                f.write_char('}')
            }
            Self::Vector(vector) => {
                f.write_str("vector([")?;
                for (index, number) in vector.as_slice().iter().enumerate() {
                    separate(f, index)?;
                    write!(f, "{number:?}")?;
                }
                f.write_str("])")
            }
            Self::Node(node) => write_node(f, node),
            Self::Relationship(relationship) => write_relationship(f, relationship),
            Self::Path(path) => write_path(f, path),
        }
    }
}

/// `(:Label:Other {key: value})`.
fn write_node(f: &mut fmt::Formatter<'_>, node: &NodeValue) -> fmt::Result {
    f.write_char('(')?;
    for label in node.labels() {
        f.write_char(':')?;
        write_name(f, label)?;
    }
    let labelled = node.labels().next().is_some();
    write_properties(f, node.properties(), labelled)?;
    f.write_char(')')
}

/// `[:TYPE {key: value}]`.
fn write_relationship(f: &mut fmt::Formatter<'_>, one: &RelationshipValue) -> fmt::Result {
    f.write_str("[:")?;
    write_name(f, one.relationship_type())?;
    write_properties(f, one.properties(), true)?;
    f.write_char(']')
}

/// `<(:A)-[:T]->(:B)<-[:T]-(:C)>`.
fn write_path(f: &mut fmt::Formatter<'_>, path: &PathValue) -> fmt::Result {
    f.write_char('<')?;
    for (at, node) in path.nodes().iter().enumerate() {
        write_node(f, node)?;
        let Some(relationship) = path.relationships().get(at) else {
            continue;
        };
        let leaves = relationship
            .ends()
            .is_none_or(|(source, _)| source == node.id());
        f.write_str(if leaves { "-" } else { "<-" })?;
        write_relationship(f, relationship)?;
        f.write_str(if leaves { "->" } else { "-" })?;
    }
    f.write_char('>')
}

fn write_properties<'a>(
    f: &mut fmt::Formatter<'_>,
    properties: impl Iterator<Item = (&'a str, &'a Value)>,
    after_something: bool,
) -> fmt::Result {
    let mut any = false;
    for (index, (key, value)) in properties.enumerate() {
        let opening = if after_something { " {" } else { "{" };
        f.write_str(if index == 0 { opening } else { ", " })?;
        write_name(f, key)?;
        write!(f, ": {value}")?;
        any = true;
    }
    f.write_str(if any { "}" } else { "" })
}

fn separate(f: &mut fmt::Formatter<'_>, index: usize) -> fmt::Result {
    f.write_str(if index == 0 { "" } else { ", " })
}

/// Rust's debug form always has a point or an exponent, and is the shortest that reads back.
fn write_float(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    if value.is_infinite() {
        return f.write_str(if value < 0.0 { "-Infinity" } else { "Infinity" });
    }
    write!(f, "{value:?}")
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('\'')?;
    for letter in text.chars() {
        match letter {
            '\'' => f.write_str("\\'")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            // All control characters lie below 2^16, so four digits do.
            control if control.is_control() => write!(f, "\\u{:04X}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('\'')
}

/// A name as statements have it, in backticks if it needs them.
fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    f.write_str(&written_name(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::value::{Date, Vector};

    #[test]
    fn values_read_like_literals() {
        let map = BTreeMap::from([
            ("k".into(), Value::from("v")),
            ("a b`c".into(), Value::Null),
            ("d\\".into(), Value::from(0)),
            ("1".into(), Value::from(true)),
        ]);
        for (value, text) in [
            (Value::Null, "null"),
            (false.into(), "false"),
            ((-12).into(), "-12"),
            (1.0.into(), "1.0"),
            ((-0.0).into(), "-0.0"),
            (1e300.into(), "1e300"),
            (f64::NAN.into(), "NaN"),
            (f64::INFINITY.into(), "Infinity"),
            (f64::NEG_INFINITY.into(), "-Infinity"),
            ("it's\\\n\t\r\u{7}é".into(), r"'it\'s\\\n\t\r\u0007é'"),
            (Value::bytes([0, 0xAB]), "bytes('00ab')"),
            (Date::new(1984, 10, 11).unwrap().into(), "'1984-10-11'"),
            (vec![Some(1), None].into(), "[1, null]"),
            (Value::from(Vec::<Value>::new()), "[]"),
            (
                Value::map(map).unwrap(),
                r"{`1`: true, `a b``c`: null, `d\\`: 0, k: 'v'}",
            ),
            (
                Vector::new([0.1, -2.0]).unwrap().into(),
                "vector([0.1, -2.0])",
            ),
        ] {
            assert_eq!(value.to_string(), text);
        }
    }
}
