//! Values as Rust's own types, with serde.
//!
//! Nodes and relationships are read as structs or maps of their properties, paths as their nodes and
//! relationships in turn, dates and times as text. Nothing is lost on the way: a number that does not fit is
//! refused, and so is a list that is too long for a tuple.
//!
//! Next: `write.rs`, the other way.

use super::{Value, ValueKind};
use crate::error::Error;
use serde::de::value::{BorrowedStrDeserializer, SeqDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use std::fmt::{self, Display};
use std::sync::Arc;

impl Value {
    /// The value as one of Rust's types: everything that serde can read.
    ///
    /// ```
    /// use stratigraph::Value;
    ///
    /// let numbers: Vec<u8> = Value::from(vec![1, 2]).to()?;
    /// assert_eq!(numbers, [1, 2]);
    /// let refused = Value::from(vec![1, 300]).to::<Vec<u8>>().unwrap_err();
    /// assert_eq!(refused.to_string(), "value[1] is of kind integer and cannot be read: expected u8, not 300");
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongType`] names the part that is something else.
    pub fn to<'v, T: Deserialize<'v>>(&'v self) -> Result<T, Error> {
        self.read_under("value")
    }

    /// The same, with a name of the value for the message.
    pub(crate) fn read_under<'v, T: Deserialize<'v>>(&'v self, name: &str) -> Result<T, Error> {
        let read = T::deserialize(Reader(self));
        read.map_err(|failure| failure.within(name.into(), self.kind()).into_error())
    }
}

/// A row of a result as one of Rust's types.
pub(crate) fn read_row<'v, T: Deserialize<'v>>(
    columns: &'v [Arc<str>],
    values: &'v [Value],
) -> Result<T, Error> {
    let read = T::deserialize(RowReader { columns, values });
    read.map_err(|failure| {
        let failure = match failure.path.is_empty() {
            true => failure.within("row".into(), ValueKind::Map),
            false => failure,
        };
        failure.into_error()
    })
}

/// Why a value cannot be read, and where in it.
#[derive(Debug)]
struct Failure {
    /// The steps to the part that is to blame, the innermost first.
    path: Vec<Box<str>>,
    found: Option<ValueKind>,
    problem: String,
}

impl Failure {
    fn new(problem: String) -> Self {
        Self {
            path: Vec::new(),
            found: None,
            problem,
        }
    }

    /// One step further out.
    fn within(mut self, step: Box<str>, kind: ValueKind) -> Self {
        self.found.get_or_insert(kind);
        self.path.push(step);
        self
    }

    fn into_error(self) -> Error {
        Error::WrongType {
            path: self.path.iter().rev().map(|step| &**step).collect(),
            found: self.found.unwrap_or(ValueKind::Null),
            problem: self.problem,
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Failure {}

impl de::Error for Failure {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        // What was found is named by its kind, once it is known where.
        Self::new(format!("expected {expected}"))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Signed(number) => number.to_string(),
            Unexpected::Float(number) => number.to_string(),
            other => other.to_string(),
        };
        Self::new(format!("expected {expected}, not {found}"))
    }
}

/// Reads a value.
#[derive(Clone, Copy)]
struct Reader<'v>(&'v Value);

impl<'v> Deserializer<'v> for Reader<'v> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Int(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::String(value) => visitor.visit_borrowed_str(value),
            Value::Bytes(value) => visitor.visit_borrowed_bytes(value),
            Value::Date(value) => visitor.visit_string(value.to_string()),
            Value::Time(value) => visitor.visit_string(value.to_string()),
            Value::LocalTime(value) => visitor.visit_string(value.to_string()),
            Value::DateTime(value) => visitor.visit_string(value.to_string()),
            Value::LocalDateTime(value) => visitor.visit_string(value.to_string()),
            Value::Duration(value) => visitor.visit_string(value.to_string()),
            Value::List(elements) => visit_elements(elements, visitor),
            Value::Vector(vector) => visit_copied(vector.as_slice(), visitor),
            Value::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| (&**key, value));
                visit_entries(entries, visitor)
            }
            Value::Node(node) => visit_entries(node.properties(), visitor),
            Value::Relationship(one) => visit_entries(one.properties(), visitor),
            Value::Path(path) => {
                let mut parts = Vec::with_capacity(2 * path.nodes().len());
                for (at, node) in path.nodes().iter().enumerate() {
                    parts.push(Part(Box::new(node.properties())));
                    if let Some(one) = path.relationships().get(at) {
                        parts.push(Part(Box::new(one.properties())));
                    }
                }
                let mut parts = SeqDeserializer::new(parts.into_iter());
                let read = visitor.visit_seq(&mut parts)?;
                parts.end()?;
                Ok(read)
            }
        }
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            // A vector of bytes asks for a sequence.
            Value::Bytes(bytes) => visit_copied(bytes, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
            Value::Map(entries) if entries.len() == 1 => match entries.iter().next() {
                Some((name, value)) => visitor.visit_enum(Variant { name, value }),
                None => self.deserialize_any(visitor),
            },
            _ => Err(Failure::new(
                "expected a string, or a map with one entry, for an enum".to_owned(),
            )),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'v>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple_struct map struct identifier
    }
}

fn visit_copied<'v, T, V>(elements: &'v [T], visitor: V) -> Result<V::Value, Failure>
where
    T: Copy + IntoDeserializer<'v, Failure>,
    V: Visitor<'v>,
{
    let mut elements = SeqDeserializer::new(elements.iter().copied());
    let read = visitor.visit_seq(&mut elements)?;
    elements.end()?;
    Ok(read)
}

fn visit_elements<'v, V: Visitor<'v>>(
    elements: &'v [Value],
    visitor: V,
) -> Result<V::Value, Failure> {
    let mut access = Elements { elements, read: 0 };
    let read = visitor.visit_seq(&mut access)?;
    match access.read == elements.len() {
        true => Ok(read),
        false => {
            let (wanted, are) = (access.read, elements.len());
            let problem = format!("expected {wanted} elements, and there are {are}");
            Err(Failure::new(problem))
        }
    }
}

/// The elements of a list, one by one.
struct Elements<'v> {
    elements: &'v [Value],
    read: usize,
}

impl<'v> SeqAccess<'v> for &mut Elements<'v> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'v>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Failure> {
        let Some(element) = self.elements.get(self.read) else {
            return Ok(None);
        };
        let at = self.read;
        self.read += 1;
        let read = seed.deserialize(Reader(element));
        read.map(Some)
            .map_err(|failure| failure.within(format!("[{at}]").into(), element.kind()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.elements.len() - self.read)
    }
}

fn visit_entries<'v, V: Visitor<'v>>(
    entries: impl Iterator<Item = (&'v str, &'v Value)>,
    visitor: V,
) -> Result<V::Value, Failure> {
    visitor.visit_map(Entries {
        entries,
        value: None,
        first: ".",
    })
}

/// The entries of a map, one by one.
struct Entries<'v, I> {
    entries: I,
    /// The value whose key was read last.
    value: Option<(&'v str, &'v Value)>,
    /// What stands before a key in the path to its value.
    first: &'static str,
}

impl<'v, I: Iterator<Item = (&'v str, &'v Value)>> MapAccess<'v> for Entries<'v, I> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'v>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Failure> {
        self.value = self.entries.next();
        let Some((key, _)) = self.value else {
            return Ok(None);
        };
        seed.deserialize(BorrowedStrDeserializer::new(key))
            .map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<T::Value, Failure> {
        let Some((key, value)) = self.value.take() else {
            return Err(Failure::new("a value is read before its key".to_owned()));
        };
        let read = seed.deserialize(Reader(value));
        read.map_err(|failure| {
            let step = format!("{}{key}", self.first);
            failure.within(step.into(), value.kind())
        })
    }
}

/// A node or a relationship of a path.
struct Part<'v>(Box<dyn Iterator<Item = (&'v str, &'v Value)> + 'v>);

impl<'v> IntoDeserializer<'v, Failure> for Part<'v> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'v> Deserializer<'v> for Part<'v> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        visit_entries(self.0, visitor)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'v>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A variant of an enum that holds something.
struct Variant<'v> {
    name: &'v str,
    value: &'v Value,
}

impl<'v> EnumAccess<'v> for Variant<'v> {
    type Error = Failure;
    type Variant = Reader<'v>;

    fn variant_seed<T: DeserializeSeed<'v>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Reader<'v>), Failure> {
        let name = seed.deserialize(BorrowedStrDeserializer::<Failure>::new(self.name))?;
        Ok((name, Reader(self.value)))
    }
}

impl<'v> VariantAccess<'v> for Reader<'v> {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'v>>(self, seed: T) -> Result<T::Value, Failure> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'v>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.deserialize_any(visitor)
    }
}

/// Reads a row: as a map of its columns, or as its values in order.
#[derive(Clone, Copy)]
struct RowReader<'v> {
    columns: &'v [Arc<str>],
    values: &'v [Value],
}

impl<'v> Deserializer<'v> for RowReader<'v> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        let columns = self.columns.iter().map(|column| &**column);
        visitor.visit_map(Entries {
            entries: columns.zip(self.values),
            value: None,
            first: "",
        })
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        visit_elements(self.values, visitor)
    }

    fn deserialize_tuple<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, Failure> {
        visit_elements(self.values, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visit_elements(self.values, visitor)
    }

    fn deserialize_unit<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'v>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests;
