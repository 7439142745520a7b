//! The types of arguments and columns, as a host names them.
//!
//! Next: `procedure.rs`.

use crate::query::types::Types;
use crate::value::Value;
use std::fmt;
use std::str::FromStr;

/// Which values an argument or a column of a procedure may have.
///
/// ```
/// use stratigraph::ProcedureType;
///
/// let number: ProcedureType = "NUMBER?".parse()?;
/// assert_eq!(number, ProcedureType::NUMBER);
/// assert_eq!(number.not_null().to_string(), "INTEGER | FLOAT NOT NULL");
/// assert!("NUMERAL".parse::<ProcedureType>().is_err());
/// # Ok::<(), stratigraph::BadProcedureType>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProcedureType {
    types: Types,
    /// Whether null is one of the values.
    null: bool,
}

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident = $types:expr;)+) => {
        impl ProcedureType {
            $($(#[$doc])* pub const $name: Self = Self { types: $types, null: true };)+
        }
    };
}

constants! {
    /// Any value.
    ANY = Types::ANY;
    /// Booleans.
    BOOLEAN = Types::BOOLEAN;
    /// Whole numbers.
    INTEGER = Types::INTEGER;
    /// Floating-point numbers; an integer that is given for one becomes one.
    FLOAT = Types::FLOAT;
    /// Integers and floats.
    NUMBER = Types::NUMBER;
    /// Text.
    STRING = Types::STRING;
    /// Bytes.
    BYTES = Types::BYTES;
    /// Days.
    DATE = Types::DATE;
    /// Times of day at an offset.
    TIME = Types::TIME;
    /// Times of day.
    LOCAL_TIME = Types::LOCAL_TIME;
    /// Days and times at an offset.
    DATE_TIME = Types::DATE_TIME;
    /// Days and times.
    LOCAL_DATE_TIME = Types::LOCAL_DATE_TIME;
    /// Durations.
    DURATION = Types::DURATION;
    /// Lists of anything.
    LIST = Types::LIST;
    /// Maps.
    MAP = Types::MAP;
    /// Embeddings.
    VECTOR = Types::VECTOR;
    /// Nodes.
    NODE = Types::NODE;
    /// Relationships.
    RELATIONSHIP = Types::RELATIONSHIP;
    /// Paths.
    PATH = Types::PATH;
}

/// Every name that a type may be given, in capitals and with single spaces.
const NAMES: &[(&str, ProcedureType)] = &[
    ("ANY", ProcedureType::ANY),
    ("ANY VALUE", ProcedureType::ANY),
    ("BOOLEAN", ProcedureType::BOOLEAN),
    ("BOOL", ProcedureType::BOOLEAN),
    ("INTEGER", ProcedureType::INTEGER),
    ("INT", ProcedureType::INTEGER),
    ("FLOAT", ProcedureType::FLOAT),
    ("NUMBER", ProcedureType::NUMBER),
    ("INTEGER | FLOAT", ProcedureType::NUMBER),
    ("STRING", ProcedureType::STRING),
    ("BYTES", ProcedureType::BYTES),
    ("BYTEARRAY", ProcedureType::BYTES),
    ("DATE", ProcedureType::DATE),
    ("TIME", ProcedureType::TIME),
    ("ZONED TIME", ProcedureType::TIME),
    ("LOCALTIME", ProcedureType::LOCAL_TIME),
    ("LOCAL TIME", ProcedureType::LOCAL_TIME),
    ("DATETIME", ProcedureType::DATE_TIME),
    ("ZONED DATETIME", ProcedureType::DATE_TIME),
    ("LOCALDATETIME", ProcedureType::LOCAL_DATE_TIME),
    ("LOCAL DATETIME", ProcedureType::LOCAL_DATE_TIME),
    ("DURATION", ProcedureType::DURATION),
    ("LIST", ProcedureType::LIST),
    ("MAP", ProcedureType::MAP),
    ("VECTOR", ProcedureType::VECTOR),
    ("NODE", ProcedureType::NODE),
    ("RELATIONSHIP", ProcedureType::RELATIONSHIP),
    ("PATH", ProcedureType::PATH),
];

impl ProcedureType {
    /// The same without null.
    #[must_use]
    pub const fn not_null(self) -> Self {
        Self {
            null: false,
            ..self
        }
    }

    /// The same with null.
    #[must_use]
    pub const fn or_null(self) -> Self {
        Self { null: true, ..self }
    }

    /// What is known of it before a query runs.
    pub(crate) fn types(self) -> Types {
        self.types
    }

    /// The value as one of this type: an integer becomes a float where only that is wanted.
    pub(crate) fn admit(self, value: Value) -> Result<Value, Value> {
        if value.is_null() {
            return if self.null { Ok(value) } else { Err(value) };
        }
        if Types::of(&value).is_within(self.types) {
            return Ok(value);
        }
        match value {
            // Large integers lose their last digits, as they do wherever a float is computed of one.
            Value::Int(number) if Types::FLOAT.is_within(self.types) => {
                Ok(Value::Float(number as f64))
            }
            other => Err(other),
        }
    }
}

/// A text that names no type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no type of a procedure's field: there are ANY, BOOLEAN, INTEGER, FLOAT, NUMBER, STRING, LIST, MAP, NODE, RELATIONSHIP, PATH, VECTOR, BYTES and the temporal types, each also with `NOT NULL` after it"
)]
pub struct BadProcedureType {
    text: String,
}

impl FromStr for ProcedureType {
    type Err = BadProcedureType;

    /// Reads a name of the language: `INTEGER`, `INTEGER?`, `LIST<STRING>`, `STRING NOT NULL`. Null belongs to
    /// a type unless it is said that it does not; what a list holds is not looked at.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<String> = text.split_whitespace().map(str::to_uppercase).collect();
        let all = words.join(" ");
        let (name, null) = match all.strip_suffix(" NOT NULL") {
            Some(name) => (name, false),
            None => (all.strip_suffix('?').unwrap_or(&all).trim_end(), true),
        };
        let is_list = name.starts_with("LIST OF ")
            || name.ends_with('>') && (name.starts_with("LIST<") || name.starts_with("LIST <"));
        let name = if is_list { "LIST" } else { name };
        let found = NAMES.iter().find(|(known, _)| *known == name);
        let (_, found) = found.ok_or_else(|| BadProcedureType {
            text: text.to_owned(),
        })?;
        Ok(Self { null, ..*found })
    }
}

impl fmt::Display for ProcedureType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.null { "" } else { " NOT NULL" };
        write!(f, "{}{ending}", self.types)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_they_are_written() {
        let read = [
            ("INTEGER?", ProcedureType::INTEGER),
            ("integer", ProcedureType::INTEGER),
            (" zoned  datetime ", ProcedureType::DATE_TIME),
            ("STRING NOT NULL", ProcedureType::STRING.not_null()),
            ("LIST<FLOAT>?", ProcedureType::LIST),
            ("LIST OF MAP", ProcedureType::LIST),
            ("ANY?", ProcedureType::ANY),
        ];
        for (text, expected) in read {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in ["", "?", "NOT NULL", "LIST<", "INTEGERS", "STRING? NOT NULL"] {
            assert!(text.parse::<ProcedureType>().is_err(), "{text}");
        }
        for (_, known) in NAMES {
            assert_eq!(known.to_string().parse(), Ok(*known));
            let strict = known.not_null();
            assert_eq!(strict.to_string().parse(), Ok(strict));
        }
    }

    #[test]
    fn an_integer_becomes_a_float_only_where_it_must() {
        let admitted = |of: ProcedureType, value: Value| of.admit(value).map(|one| one.to_string());
        let float = admitted(ProcedureType::FLOAT, 42.into());
        assert_eq!(float.ok().as_deref(), Some("42.0"));
        let number = admitted(ProcedureType::NUMBER, 42.into());
        assert_eq!(number.ok().as_deref(), Some("42"));
        assert!(admitted(ProcedureType::INTEGER, 4.5.into()).is_err());
        assert!(admitted(ProcedureType::STRING, Value::Null).is_ok());
        assert!(admitted(ProcedureType::STRING.not_null(), Value::Null).is_err());
    }
}
