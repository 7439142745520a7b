//! The types of columns: from a field to a value, and back.
//!
//! | in the header | value |
//! |---|---|
//! | `string`, `char`; nothing at all | text |
//! | `int`, `long`, `short`, `byte`, `integer` | 64 bits with a sign |
//! | `float`, `double` | 64 bits |
//! | `boolean` | `true`, `false` |
//! | `date`, `time`, `localtime`, `datetime`, `localdatetime`, `duration` | their ISO text |
//! | `vector` | numbers with the array delimiter between them, or a JSON list |
//! | `bytes` | pairs of hex digits |
//! | `any` | JSON as in a dump, which names its kind: for properties that are not of one kind |
//! | any but the last three with `[]` | a list; `""` is the empty one |

use std::str::FromStr;
use stratigraph::value::json::{from_json, to_hex, to_json};
use stratigraph::{Value, Vector};

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A single value.
    One(Simple),
    /// A list of such.
    List(Simple),
    /// A vector.
    Vector,
    /// Bytes.
    Bytes,
    /// JSON as in a dump.
    Any,
}

/// The type of a single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simple {
    /// Text.
    String,
    /// A whole number.
    Int,
    /// A number with a point.
    Float,
    /// True or false.
    Boolean,
    /// A date.
    Date,
    /// A time of day with an offset.
    Time,
    /// A time of day.
    LocalTime,
    /// A point in time.
    DateTime,
    /// A date and a time of day.
    LocalDateTime,
    /// A duration.
    Duration,
}

const SIMPLE: [(&str, Simple); 17] = [
    // The first name of each is the one that is written.
    ("string", Simple::String),
    ("char", Simple::String),
    ("int", Simple::Int),
    ("long", Simple::Int),
    ("short", Simple::Int),
    ("byte", Simple::Int),
    ("integer", Simple::Int),
    ("float", Simple::Float),
    ("double", Simple::Float),
    ("boolean", Simple::Boolean),
    ("bool", Simple::Boolean),
    ("date", Simple::Date),
    ("time", Simple::Time),
    ("localtime", Simple::LocalTime),
    ("datetime", Simple::DateTime),
    ("localdatetime", Simple::LocalDateTime),
    ("duration", Simple::Duration),
];

impl Kind {
    /// The type of that name, whatever its case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        match name.as_str() {
            "vector" => return Some(Self::Vector),
            "bytes" => return Some(Self::Bytes),
            "any" => return Some(Self::Any),
            _ => {}
        }
        let simple = |name: &str| SIMPLE.iter().find(|(known, _)| *known == name);
        match name.strip_suffix("[]") {
            Some(of) => simple(of).map(|(_, kind)| Self::List(*kind)),
            None => simple(&name).map(|(_, kind)| Self::One(*kind)),
        }
    }

    /// Its name in a header.
    pub fn name(self) -> String {
        let simple = |kind| {
            let named = SIMPLE.iter().find(|(_, known)| *known == kind);
            named.map_or("string", |(name, _)| name)
        };
        match self {
            Self::One(kind) => simple(kind).to_owned(),
            Self::List(kind) => format!("{}[]", simple(kind)),
            Self::Vector => "vector".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            Self::Any => "any".to_owned(),
        }
    }

    /// The value of a field that is not null.
    ///
    /// # Errors
    /// Why the text is none of this type; empty if there is nothing to add to that.
    pub fn read(self, text: &str, array: char) -> Result<Value, String> {
        match self {
            Self::One(kind) => kind.read(text),
            Self::List(_) if text.is_empty() => Ok(Value::List([].into())),
            Self::List(kind) => {
                let elements = text.split(array).map(|element| kind.read(element));
                let elements = elements.collect::<Result<Vec<_>, _>>()?;
                Value::list(elements).map_err(|error| error.to_string())
            }
            Self::Vector => vector(text, array),
            Self::Bytes => from_hex(text).ok_or_else(|| "write pairs of hex digits".to_owned()),
            Self::Any => {
                let json = serde_json::from_str(text).map_err(|error| error.to_string())?;
                crate::json_lines::refuse_large_integers(text)?;
                from_json(&json).map_err(|error| error.to_string())
            }
        }
    }

    /// The type of a value in a file, as long as nothing else stands in its column. `None` for an empty list, which
    /// has whatever type the others have.
    pub fn of(value: &Value, array: char) -> Option<Self> {
        Some(match value {
            Value::Vector(_) => Self::Vector,
            Value::Bytes(_) => Self::Bytes,
            Value::List(elements) => {
                let first = elements.first()?;
                let kind = Simple::of(first);
                let fits = |kind: Simple| {
                    elements.iter().all(|element| {
                        Simple::of(element) == Some(kind) && {
                            let text = kind.write(element);
                            // One empty text would be read as no text at all.
                            !text.contains(array) && (!text.is_empty() || elements.len() > 1)
                        }
                    })
                };
                match kind {
                    Some(kind) if fits(kind) => Self::List(kind),
                    _ => Self::Any,
                }
            }
            other => Simple::of(other).map_or(Self::Any, Self::One),
        })
    }

    /// The text of a value of this type.
    pub fn write(self, value: &Value, array: char) -> String {
        match (self, value) {
            (Self::One(kind), value) => kind.write(value),
            (Self::List(kind), Value::List(elements)) => {
                let texts: Vec<String> = elements.iter().map(|one| kind.write(one)).collect();
                texts.join(&array.to_string())
            }
            (Self::Vector, Value::Vector(vector)) => {
                let numbers = vector.as_slice().iter().map(|number| format!("{number:?}"));
                numbers.collect::<Vec<_>>().join(&array.to_string())
            }
            (Self::Bytes, Value::Bytes(bytes)) => to_hex(bytes),
            (_, value) => to_json(value).to_string(),
        }
    }
}

impl Simple {
    /// The value of a text.
    pub fn read(self, text: &str) -> Result<Value, String> {
        let trimmed = text.trim();
        match self {
            Self::String => Ok(text.into()),
            Self::Int => {
                let number = trimmed.parse::<i64>();
                number.map(Value::from).map_err(|error| match error.kind() {
                    std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                        "it does not fit into 64 bits".to_owned()
                    }
                    _ => String::new(),
                })
            }
            Self::Float => {
                let number = trimmed.parse::<f64>().map_err(|_| String::new())?;
                let digits = trimmed.contains(|one: char| one.is_ascii_digit());
                if number.is_infinite() && digits {
                    return Err("it is larger than 64 bits can hold".to_owned());
                }
                Ok(number.into())
            }
            Self::Boolean if trimmed.eq_ignore_ascii_case("true") => Ok(true.into()),
            Self::Boolean if trimmed.eq_ignore_ascii_case("false") => Ok(false.into()),
            Self::Boolean => Err("write true or false".to_owned()),
            Self::Date => parsed(trimmed, Value::Date),
            Self::Time => parsed(trimmed, Value::Time),
            Self::LocalTime => parsed(trimmed, Value::LocalTime),
            Self::DateTime => parsed(trimmed, Value::DateTime),
            Self::LocalDateTime => parsed(trimmed, Value::LocalDateTime),
            Self::Duration => parsed(trimmed, Value::Duration),
        }
    }

    fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::String(_) => Self::String,
            Value::Int(_) => Self::Int,
            Value::Float(_) => Self::Float,
            Value::Bool(_) => Self::Boolean,
            Value::Date(_) => Self::Date,
            Value::Time(_) => Self::Time,
            Value::LocalTime(_) => Self::LocalTime,
            Value::DateTime(_) => Self::DateTime,
            Value::LocalDateTime(_) => Self::LocalDateTime,
            Value::Duration(_) => Self::Duration,
            _ => return None,
        })
    }

    fn write(self, value: &Value) -> String {
        match value {
            Value::String(text) => text.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) if number.is_nan() => "NaN".to_owned(),
            Value::Float(number) if number.is_infinite() && *number < 0.0 => "-Infinity".to_owned(),
            Value::Float(number) if number.is_infinite() => "Infinity".to_owned(),
            Value::Float(number) => format!("{number:?}"),
            Value::Bool(is) => is.to_string(),
            Value::Date(one) => one.to_string(),
            Value::Time(one) => one.to_string(),
            Value::LocalTime(one) => one.to_string(),
            Value::DateTime(one) => one.to_string(),
            Value::LocalDateTime(one) => one.to_string(),
            Value::Duration(one) => one.to_string(),
            other => to_json(other).to_string(),
        }
    }
}

fn parsed<T: FromStr>(text: &str, wrap: fn(T) -> Value) -> Result<Value, String>
where
    T::Err: std::fmt::Display,
{
    text.parse()
        .map(wrap)
        .map_err(|error: T::Err| error.to_string())
}

/// Numbers with a delimiter between them, or as a JSON list, which other tools write.
fn vector(text: &str, array: char) -> Result<Value, String> {
    let text = text.trim();
    let inside = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let (text, delimiter) = inside.map_or((text, array), |inside| (inside, ','));
    let numbers = text.split(delimiter).map(|number| {
        let number = number.trim();
        number
            .parse::<f32>()
            .map_err(|_| format!("{:?} is no number", crate::place::excerpt(number)))
    });
    let numbers = numbers.collect::<Result<Vec<f32>, _>>()?;
    let vector = Vector::new(numbers).map_err(|error| error.to_string())?;
    Ok(vector.into())
}

fn from_hex(text: &str) -> Option<Value> {
    let digits = text.trim().as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let bytes = digits.chunks_exact(2).map(|pair| {
        let number = digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?;
        u8::try_from(number).ok()
    });
    Some(Value::bytes(bytes.collect::<Option<Vec<u8>>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_values_and_fields_again() {
        let cases = [
            ("string", "a;b", "'a;b'"),
            ("long", "-7", "-7"),
            ("double", "1.5", "1.5"),
            ("float", "-Infinity", "-Infinity"),
            ("float", "1e300", "1e300"),
            ("boolean", "true", "true"),
            ("date", "1984-10-11", "'1984-10-11'"),
            ("time", "12:31+01:00", "'12:31+01:00'"),
            ("duration", "P1Y2M", "'P1Y2M'"),
            ("string[]", "a;b;", "['a', 'b', '']"),
            ("int[]", "1;2", "[1, 2]"),
            ("int[]", "", "[]"),
            ("any", "{\"bytes\":\"00ff\"}", ""),
            ("any", "[]", "[]"),
            ("bytes", "00ff", ""),
        ];
        for (name, text, shown) in cases {
            let kind = Kind::named(name).unwrap();
            let value = kind.read(text, ';').unwrap();
            if !shown.is_empty() {
                assert_eq!(
                    value.to_string().to_lowercase(),
                    shown.to_lowercase(),
                    "{name} {text}"
                );
            }
            assert_eq!(kind.write(&value, ';'), text, "{name}");
            assert_eq!(Kind::named(&kind.name()), Some(kind));
        }
        let vector = Kind::Vector.read("0.1;-2.0", ';').unwrap();
        assert_eq!(Kind::Vector.write(&vector, ';'), "0.1;-2.0");
        let json = Kind::Vector.read("[0.1, -2]", ';').unwrap();
        assert_eq!(Kind::Vector.write(&json, ';'), "0.1;-2.0");
    }

    #[test]
    fn what_is_of_another_type_is_refused() {
        for (name, text) in [
            ("int", "1.0"),
            ("int", "9223372036854775808"),
            ("int", ""),
            ("float", "1e999"),
            ("float", "ten"),
            ("boolean", "yes"),
            ("date", "11.10.1984"),
            ("int[]", "1;;2"),
            ("vector", "0.1;x"),
            ("vector", ""),
            ("vector", "NaN"),
            ("bytes", "0"),
            ("bytes", "zz"),
            ("any", "{\"a\":1}"),
            ("any", "99999999999999999999"),
        ] {
            let kind = Kind::named(name).unwrap();
            assert!(kind.read(text, ';').is_err(), "{name} {text}");
        }
        for unknown in ["", "point", "string[][]", "vector[]", "any[]"] {
            assert_eq!(Kind::named(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn lists_that_no_field_can_say_are_json() {
        let list = |elements: &[&str]| {
            Value::list(
                elements
                    .iter()
                    .map(|text| Value::from(*text))
                    .collect::<Vec<_>>(),
            )
            .unwrap()
        };
        let strings = Kind::List(Simple::String);
        assert_eq!(Kind::of(&list(&["a", "b"]), ';'), Some(strings));
        assert_eq!(Kind::of(&list(&["a", ""]), ';'), Some(strings));
        assert_eq!(Kind::of(&list(&[""]), ';'), Some(Kind::Any));
        assert_eq!(Kind::of(&list(&["a;b"]), ';'), Some(Kind::Any));
        assert_eq!(Kind::of(&list(&[]), ';'), None);
    }
}
