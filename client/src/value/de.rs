//! From values to whatever serde can put together.
//!
//! | value | becomes |
//! |---|---|
//! | null | `None`, `()` |
//! | a day, a time, a length of time | this crate's type, or text in ISO 8601 |
//! | a vector | [`super::Vector`], a list of numbers |
//! | bytes | [`super::Bytes`], bytes, a list of numbers |
//! | a node, a relationship | this crate's type, or a structure or a map of its properties |
//! | a map | a map, a structure, a variant of an enum under its name |
//! | text | text, a variant of an enum without data |
//!
//! Text and bytes can be borrowed from the row.

use super::graph::{Node, Path, Relationship};
use super::{Value, names};
use serde::de::value::{BorrowedStrDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::collections::BTreeMap;
use std::fmt::Display;

/// Something that serde could not read from a value, or write as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ValueError(pub(crate) String);

impl de::Error for ValueError {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl serde::ser::Error for ValueError {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Reads a value.
#[derive(Clone, Copy)]
pub(crate) struct ColumnReader<'de>(pub(crate) &'de Value);

/// Reads a row: by the names of its columns, in their order, or as its only value.
#[derive(Clone, Copy)]
pub(crate) struct RowReader<'de> {
    pub(crate) columns: &'de [String],
    pub(crate) values: &'de [Value],
}

/// Parts of nodes, relationships, paths and times.
#[derive(Clone, Copy)]
enum Part<'de> {
    Unsigned(u64),
    Signed(i64),
    Text(&'de str),
    Texts(&'de [String]),
    Properties(&'de BTreeMap<String, Value>),
    Node(&'de Node),
    Nodes(&'de [Node]),
    Relationship(&'de Relationship),
    Relationships(&'de [Relationship]),
}

type Fields<'de> = Vec<(&'static str, Part<'de>)>;

fn fields<'de, V: Visitor<'de>>(fields: Fields<'de>, visitor: V) -> Result<V::Value, ValueError> {
    visitor.visit_map(MapDeserializer::new(fields.into_iter()))
}

fn properties<'de, V: Visitor<'de>>(
    entries: &'de BTreeMap<String, Value>,
    visitor: V,
) -> Result<V::Value, ValueError> {
    let entries = entries
        .iter()
        .map(|(name, value)| (name.as_str(), ColumnReader(value)));
    visitor.visit_map(MapDeserializer::new(entries))
}

fn sequence<'de, T, V>(
    elements: impl Iterator<Item = T>,
    visitor: V,
) -> Result<V::Value, ValueError>
where
    T: IntoDeserializer<'de, ValueError>,
    V: Visitor<'de>,
{
    visitor.visit_seq(SeqDeserializer::new(elements))
}

impl<'de> ColumnReader<'de> {
    /// A node, a relationship or a path.
    fn part(self) -> Option<Part<'de>> {
        match self.0 {
            Value::Node(node) => Some(Part::Node(node)),
            Value::Relationship(relationship) => Some(Part::Relationship(relationship)),
            _ => None,
        }
    }

    /// The name of its own type and the fields of it, for days, times, lengths of time and paths.
    fn own_fields(self) -> Option<(&'static str, Fields<'de>)> {
        let signed = |number: i64| Part::Signed(number);
        let unsigned = |number: u64| Part::Unsigned(number);
        Some(match self.0 {
            Value::Date(date) => (names::DATE, vec![("epoch_days", signed(date.epoch_days))]),
            Value::Time(time) => (
                names::TIME,
                vec![
                    ("nanos_of_day", unsigned(time.nanos_of_day)),
                    ("offset_seconds", signed(time.offset_seconds.into())),
                ],
            ),
            Value::LocalTime(time) => (
                names::LOCAL_TIME,
                vec![("nanos_of_day", unsigned(time.nanos_of_day))],
            ),
            Value::DateTime(moment) => (
                names::DATE_TIME,
                vec![
                    ("epoch_seconds", signed(moment.epoch_seconds)),
                    ("nanoseconds", unsigned(moment.nanoseconds.into())),
                    ("offset_seconds", signed(moment.offset_seconds.into())),
                    ("zone", Part::Text(&moment.zone)),
                ],
            ),
            Value::LocalDateTime(moment) => (
                names::LOCAL_DATE_TIME,
                vec![
                    ("epoch_seconds", signed(moment.epoch_seconds)),
                    ("nanoseconds", unsigned(moment.nanoseconds.into())),
                ],
            ),
            Value::Duration(length) => (
                names::DURATION,
                vec![
                    ("months", signed(length.months)),
                    ("days", signed(length.days)),
                    ("seconds", signed(length.seconds)),
                    ("nanoseconds", unsigned(length.nanoseconds.into())),
                ],
            ),
            Value::Path(path) => (names::PATH, path_fields(path)),
            _ => return None,
        })
    }
}

fn path_fields(path: &Path) -> Fields<'_> {
    vec![
        ("nodes", Part::Nodes(&path.nodes)),
        ("relationships", Part::Relationships(&path.relationships)),
    ]
}

impl<'de> IntoDeserializer<'de, ValueError> for ColumnReader<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for ColumnReader<'de> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Int(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::String(value) => visitor.visit_borrowed_str(value),
            Value::Bytes(value) => visitor.visit_borrowed_bytes(&value.0),
            Value::List(values) => sequence(values.iter().map(ColumnReader), visitor),
            Value::Map(entries) => properties(entries, visitor),
            Value::Vector(vector) => sequence(vector.0.iter().copied(), visitor),
            Value::Date(value) => visitor.visit_string(value.to_string()),
            Value::Time(value) => visitor.visit_string(value.to_string()),
            Value::LocalTime(value) => visitor.visit_string(value.to_string()),
            Value::DateTime(value) => visitor.visit_string(value.to_string()),
            Value::LocalDateTime(value) => visitor.visit_string(value.to_string()),
            Value::Duration(value) => visitor.visit_string(value.to_string()),
            Value::Node(node) => Part::Node(node).deserialize_any(visitor),
            Value::Relationship(one) => Part::Relationship(one).deserialize_any(visitor),
            Value::Path(path) => fields(path_fields(path), visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.0 {
            Value::Bytes(bytes) => sequence(bytes.0.iter().copied(), visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.part() {
            Some(part) => part.deserialize_map(visitor),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        if let Some(part) = self.part() {
            return part.deserialize_struct(name, names, visitor);
        }
        match self.own_fields() {
            Some((own, parts)) if own == name => fields(parts, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        if name == names::VALUE {
            return visitor.visit_enum(OwnVariant(self.0));
        }
        match self.0 {
            Value::String(variant) => visitor.visit_enum(BorrowedStrDeserializer::new(variant)),
            Value::Map(entries) if entries.len() == 1 => {
                let entries = entries
                    .iter()
                    .map(|(name, value)| (name.as_str(), ColumnReader(value)));
                visitor.visit_enum(de::value::MapAccessDeserializer::new(MapDeserializer::new(
                    entries,
                )))
            }
            other => Err(ValueError(format!(
                "a variant of `{name}` is text, or a map with one name, and not {}",
                other.kind()
            ))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct identifier
    }
}

/// A value as a variant of [`Value`].
struct OwnVariant<'de>(&'de Value);

impl<'de> de::EnumAccess<'de> for OwnVariant<'de> {
    type Error = ValueError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), ValueError> {
        let variant = match self.0 {
            Value::Null => "Null",
            Value::Bool(_) => "Bool",
            Value::Int(_) => "Int",
            Value::Float(_) => "Float",
            Value::String(_) => "String",
            Value::Bytes(_) => "Bytes",
            Value::List(_) => "List",
            Value::Map(_) => "Map",
            Value::Vector(_) => "Vector",
            Value::Date(_) => "Date",
            Value::Time(_) => "Time",
            Value::LocalTime(_) => "LocalTime",
            Value::DateTime(_) => "DateTime",
            Value::LocalDateTime(_) => "LocalDateTime",
            Value::Duration(_) => "Duration",
            Value::Node(_) => "Node",
            Value::Relationship(_) => "Relationship",
            Value::Path(_) => "Path",
        };
        let variant: de::value::StrDeserializer<'_, ValueError> = variant.into_deserializer();
        Ok((seed.deserialize(variant)?, self))
    }
}

impl<'de> de::VariantAccess<'de> for OwnVariant<'de> {
    type Error = ValueError;

    fn unit_variant(self) -> Result<(), ValueError> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, ValueError> {
        seed.deserialize(ColumnReader(self.0))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        ColumnReader(self.0).deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        ColumnReader(self.0).deserialize_map(visitor)
    }
}

impl<'de> IntoDeserializer<'de, ValueError> for Part<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Part<'de> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Unsigned(number) => visitor.visit_u64(number),
            Self::Signed(number) => visitor.visit_i64(number),
            Self::Text(text) => visitor.visit_borrowed_str(text),
            Self::Texts(texts) => sequence(texts.iter().map(|text| Self::Text(text)), visitor),
            Self::Properties(entries) => properties(entries, visitor),
            Self::Node(node) => fields(
                vec![
                    ("id", Self::Unsigned(node.id)),
                    ("labels", Self::Texts(&node.labels)),
                    ("properties", Self::Properties(&node.properties)),
                ],
                visitor,
            ),
            Self::Nodes(nodes) => sequence(nodes.iter().map(Self::Node), visitor),
            Self::Relationship(one) => fields(
                vec![
                    ("id", Self::Unsigned(one.id)),
                    ("relationship_type", Self::Text(&one.relationship_type)),
                    ("source_id", Self::Unsigned(one.source_id)),
                    ("target_id", Self::Unsigned(one.target_id)),
                    ("properties", Self::Properties(&one.properties)),
                ],
                visitor,
            ),
            Self::Relationships(all) => sequence(all.iter().map(Self::Relationship), visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Node(Node {
                properties: own, ..
            })
            | Self::Relationship(Relationship {
                properties: own, ..
            }) => properties(own, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        match self {
            Self::Node(_) if name != names::NODE => self.deserialize_map(visitor),
            Self::Relationship(_) if name != names::RELATIONSHIP => self.deserialize_map(visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct enum identifier ignored_any
    }
}
