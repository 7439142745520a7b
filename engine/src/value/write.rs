//! Rust's own types as values, with serde.
//!
//! Nothing is lost on the way: a number that is too large is refused, and so is what nests too deeply. Text
//! stays text, also where it looks like a date: whoever wants a date gives one, or asks for it in the query.
//!
//! Next: `json.rs`.

use super::{MAX_DEPTH, Value};
use crate::error::Error;
use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::sync::Arc;

impl Value {
    /// The value of one of Rust's types: everything that serde can write. Structs become maps; enums become
    /// strings, or maps with one entry if their variant holds something.
    ///
    /// ```
    /// use stratigraph::Value;
    ///
    /// let value = Value::from_serde((1, "two", Some(3.5), None::<bool>))?;
    /// assert_eq!(value.to_string(), "[1, 'two', 3.5, null]");
    /// assert!(Value::from_serde(u64::MAX).is_err());
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoValue`] for a number that is too large, for keys that are no text, and for what nests too
    /// deeply.
    pub fn from_serde(value: impl Serialize) -> Result<Self, Error> {
        value.serialize(Writer { depth: 0 }).map_err(Refusal::into)
    }
}

/// The fields of a struct or the entries of a map.
pub(crate) fn write_entries(value: impl Serialize) -> Result<BTreeMap<Arc<str>, Value>, Error> {
    match Value::from_serde(value)? {
        Value::Map(entries) => Ok(Arc::unwrap_or_clone(entries)),
        Value::Null => Ok(BTreeMap::new()),
        other => {
            let problem = format!(
                "names are needed, as a struct or a map has them, and not a {}",
                other.kind()
            );
            Err(Refusal(problem).into())
        }
    }
}

/// Why something cannot be a value.
#[derive(Debug)]
struct Refusal(String);

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl ser::Error for Refusal {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::NoValue { problem: refusal.0 }
    }
}

/// Makes a value of what serde tells it.
#[derive(Clone, Copy)]
struct Writer {
    /// In how many lists and maps it is.
    depth: usize,
}

impl Writer {
    /// For what is in a list or a map.
    fn inside(self) -> Result<Self, Refusal> {
        if self.depth >= MAX_DEPTH {
            return Err(Refusal(super::TooDeep { limit: MAX_DEPTH }.to_string()));
        }
        Ok(Self {
            depth: self.depth + 1,
        })
    }

    fn elements(self, count: Option<usize>) -> Result<Elements, Refusal> {
        // A count may be a lie, and must not take memory for what never comes.
        let values = Vec::with_capacity(count.unwrap_or(0).min(1024));
        let writer = self.inside()?;
        Ok(Elements {
            values,
            variant: None,
            writer,
        })
    }

    fn entries(self) -> Result<Entries, Refusal> {
        let writer = self.inside()?;
        Ok(Entries {
            entries: BTreeMap::new(),
            key: None,
            variant: None,
            writer,
        })
    }
}

fn integer<N: Copy + Display>(number: N) -> Result<Value, Refusal>
where
    i64: TryFrom<N>,
{
    let fits = i64::try_from(number).map(Value::Int);
    fits.map_err(|_| Refusal(format!("{number} does not fit into an integer of 64 bits")))
}

/// A variant that holds something: a map with one entry.
fn variant_of(name: &str, value: Value) -> Value {
    Value::Map(Arc::new(BTreeMap::from([(name.into(), value)])))
}

impl Serializer for Writer {
    type Ok = Value;
    type Error = Refusal;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Elements;
    type SerializeTupleVariant = Elements;
    type SerializeMap = Entries;
    type SerializeStruct = Entries;
    type SerializeStructVariant = Entries;

    fn serialize_bool(self, value: bool) -> Result<Value, Refusal> {
        Ok(value.into())
    }

    fn serialize_i8(self, value: i8) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_i16(self, value: i16) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_i32(self, value: i32) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_i64(self, value: i64) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_i128(self, value: i128) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_u8(self, value: u8) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_u16(self, value: u16) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_u32(self, value: u32) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_u64(self, value: u64) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_u128(self, value: u128) -> Result<Value, Refusal> {
        integer(value)
    }

    fn serialize_f32(self, value: f32) -> Result<Value, Refusal> {
        Ok(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<Value, Refusal> {
        Ok(value.into())
    }

    fn serialize_char(self, value: char) -> Result<Value, Refusal> {
        Ok(value.to_string().into())
    }

    fn serialize_str(self, value: &str) -> Result<Value, Refusal> {
        Ok(value.into())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, Refusal> {
        Ok(value.into())
    }

    fn serialize_none(self) -> Result<Value, Refusal> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Refusal> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Refusal> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Refusal> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, Refusal> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Value, Refusal> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Refusal> {
        Ok(variant_of(variant, value.serialize(self.inside()?)?))
    }

    fn serialize_seq(self, count: Option<usize>) -> Result<Elements, Refusal> {
        self.elements(count)
    }

    fn serialize_tuple(self, count: usize) -> Result<Elements, Refusal> {
        self.elements(Some(count))
    }

    fn serialize_tuple_struct(self, _: &'static str, count: usize) -> Result<Elements, Refusal> {
        self.elements(Some(count))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        count: usize,
    ) -> Result<Elements, Refusal> {
        let mut elements = self.inside()?.elements(Some(count))?;
        elements.variant = Some(variant);
        Ok(elements)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries, Refusal> {
        self.entries()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Entries, Refusal> {
        self.entries()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Entries, Refusal> {
        let mut entries = self.inside()?.entries()?;
        entries.variant = Some(variant);
        Ok(entries)
    }
}

/// A list that is being made.
struct Elements {
    values: Vec<Value>,
    variant: Option<&'static str>,
    writer: Writer,
}

impl Elements {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
        self.values.push(value.serialize(self.writer)?);
        Ok(())
    }

    fn finish(self) -> Value {
        let list = Value::List(self.values.into());
        match self.variant {
            Some(variant) => variant_of(variant, list),
            None => list,
        }
    }
}

macro_rules! elements {
    ($($face:ident $push:ident,)+) => {$(
        impl $face for Elements {
            type Ok = Value;
            type Error = Refusal;

            fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
                self.push(value)
            }

            fn end(self) -> Result<Value, Refusal> {
                Ok(self.finish())
            }
        }
    )+};
}

elements! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
}

/// A map that is being made.
struct Entries {
    entries: BTreeMap<Arc<str>, Value>,
    /// The key whose value comes next.
    key: Option<Arc<str>>,
    variant: Option<&'static str>,
    writer: Writer,
}

impl Entries {
    fn insert<T: Serialize + ?Sized>(&mut self, key: Arc<str>, value: &T) -> Result<(), Refusal> {
        let value = value.serialize(self.writer)?;
        self.entries.insert(key, value);
        Ok(())
    }

    fn finish(self) -> Value {
        let map = Value::Map(Arc::new(self.entries));
        match self.variant {
            Some(variant) => variant_of(variant, map),
            None => map,
        }
    }
}

impl SerializeMap for Entries {
    type Ok = Value;
    type Error = Refusal;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refusal> {
        let key = match key.serialize(self.writer)? {
            Value::String(key) => key,
            // Other formats write numbers as text where they are keys.
            Value::Int(number) => number.to_string().into(),
            Value::Bool(value) => value.to_string().into(),
            other => {
                let problem = format!("the keys of a map are text, and this is a {}", other.kind());
                return Err(Refusal(problem));
            }
        };
        self.key = Some(key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
        match self.key.take() {
            Some(key) => self.insert(key, value),
            None => Err(Refusal("a value of a map comes before its key".to_owned())),
        }
    }

    fn end(self) -> Result<Value, Refusal> {
        Ok(self.finish())
    }
}

macro_rules! fields {
    ($($face:ident,)+) => {$(
        impl $face for Entries {
            type Ok = Value;
            type Error = Refusal;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Refusal> {
                self.insert(key.into(), value)
            }

            fn end(self) -> Result<Value, Refusal> {
                Ok(self.finish())
            }
        }
    )+};
}

fields! {
    SerializeStruct,
    SerializeStructVariant,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Shape {
        Point,
        Circle(f64),
        Line(i64, i64),
        Square { side: u8 },
    }

    #[test]
    fn what_is_written_reads_back() {
        let shapes = [
            (Shape::Point, "'Point'"),
            (Shape::Circle(1.5), "{Circle: 1.5}"),
            (Shape::Line(-1, 2), "{Line: [-1, 2]}"),
            (Shape::Square { side: 3 }, "{Square: {side: 3}}"),
        ];
        for (shape, text) in shapes {
            let value = Value::from_serde(&shape).unwrap();
            assert_eq!(value.to_string(), text);
            assert_eq!(value.to::<Shape>().unwrap(), shape);
        }
        let map = BTreeMap::from([(1, Some('x')), (2, None)]);
        let value = Value::from_serde(&map).unwrap();
        assert_eq!(value.to_string(), "{`1`: 'x', `2`: null}");
    }

    #[test]
    fn what_would_be_lost_is_refused() {
        let refused = |result: Result<Value, Error>| result.unwrap_err().to_string();
        let large = refused(Value::from_serde(1_u128 << 63));
        assert!(large.contains("does not fit into an integer"), "{large}");
        let keyed = refused(Value::from_serde(BTreeMap::from([((1, 2), 3)])));
        assert!(keyed.contains("keys of a map are text"), "{keyed}");
        let unnamed = write_entries([1, 2]).unwrap_err().to_string();
        assert!(unnamed.contains("names are needed"), "{unnamed}");
        assert!(write_entries(()).unwrap().is_empty());
    }

    #[test]
    fn nesting_ends_where_that_of_values_does() {
        let nested = |depth: usize| {
            let list = (0..depth).fold(serde_json::json!(1), |inner, _| serde_json::json!([inner]));
            Value::from_serde(&list)
        };
        assert!(nested(MAX_DEPTH).is_ok());
        assert!(matches!(nested(MAX_DEPTH + 1), Err(Error::NoValue { .. })));
    }
}
