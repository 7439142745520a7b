//! From whatever serde can take apart to values.
//!
//! Structures become maps, `None` becomes null, variants of enums become text or a map with one name. Types of this crate
//! stay what they are, by their names. Lists and maps nest as deep as the server takes them, so that no
//! structure that holds itself can overflow the stack here.

use super::de::{ColumnReader, ValueError};
use super::name_writer::NameWriter;
use super::{
    Bytes, Date, DateTime, Duration, LocalDateTime, LocalTime, Time, Value, Vector, flat, names,
};
use serde::Deserialize as _;
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::collections::BTreeMap;

/// How deep lists and maps may nest in a request.
const MAX_DEPTH: usize = 32;

/// A value of anything that serde can take apart.
pub(crate) fn to_value(value: &(impl Serialize + ?Sized)) -> Result<Value, ValueError> {
    value.serialize(Writer { depth: MAX_DEPTH })
}

/// Makes a value, which may nest `depth` deep.
#[derive(Clone, Copy)]
struct Writer {
    depth: usize,
}

/// A list on its way, and the variant that it belongs to.
struct ListWriter {
    inside: Writer,
    values: Vec<Value>,
    variant: Option<&'static str>,
}

/// A map on its way, and the variant or the type of ours that it belongs to.
struct MapWriter {
    inside: Writer,
    entries: BTreeMap<String, Value>,
    name: Option<String>,
    variant: Option<&'static str>,
    own: Option<&'static str>,
}

impl Writer {
    fn inside(self) -> Result<Self, ValueError> {
        let depth = self.depth.checked_sub(1);
        depth
            .map(|depth| Self { depth })
            .ok_or_else(|| ValueError(format!("lists and maps nest at most {MAX_DEPTH} deep")))
    }

    fn list(
        self,
        length: Option<usize>,
        variant: Option<&'static str>,
    ) -> Result<ListWriter, ValueError> {
        let outside = if variant.is_some() {
            self.inside()?
        } else {
            self
        };
        Ok(ListWriter {
            inside: outside.inside()?,
            values: Vec::with_capacity(length.unwrap_or_default().min(1 << 16)),
            variant,
        })
    }

    fn map(
        self,
        variant: Option<&'static str>,
        own: Option<&'static str>,
    ) -> Result<MapWriter, ValueError> {
        let outside = if variant.is_some() {
            self.inside()?
        } else {
            self
        };
        Ok(MapWriter {
            inside: outside.inside()?,
            entries: BTreeMap::new(),
            name: None,
            variant,
            own,
        })
    }
}

fn in_variant(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        None => value,
        Some(name) => Value::Map(BTreeMap::from([(name.to_owned(), value)])),
    }
}

fn too_large() -> ValueError {
    ValueError("is beyond the language's whole numbers, which have 64 bits and a sign".to_owned())
}

impl Serializer for Writer {
    type Ok = Value;
    type Error = ValueError;
    type SerializeSeq = ListWriter;
    type SerializeTuple = ListWriter;
    type SerializeTupleStruct = ListWriter;
    type SerializeTupleVariant = ListWriter;
    type SerializeMap = MapWriter;
    type SerializeStruct = MapWriter;
    type SerializeStructVariant = MapWriter;

    fn serialize_bool(self, value: bool) -> Result<Value, ValueError> {
        Ok(Value::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result<Value, ValueError> {
        Ok(Value::Int(value.into()))
    }

    fn serialize_i16(self, value: i16) -> Result<Value, ValueError> {
        Ok(Value::Int(value.into()))
    }

    fn serialize_i32(self, value: i32) -> Result<Value, ValueError> {
        Ok(Value::Int(value.into()))
    }

    fn serialize_i64(self, value: i64) -> Result<Value, ValueError> {
        Ok(Value::Int(value))
    }

    fn serialize_i128(self, value: i128) -> Result<Value, ValueError> {
        i64::try_from(value)
            .map(Value::Int)
            .map_err(|_| too_large())
    }

    fn serialize_u8(self, value: u8) -> Result<Value, ValueError> {
        Ok(Value::Int(value.into()))
    }

    fn serialize_u16(self, value: u16) -> Result<Value, ValueError> {
        Ok(Value::Int(value.into()))
    }

    fn serialize_u32(self, value: u32) -> Result<Value, ValueError> {
        Ok(Value::Int(value.into()))
    }

    fn serialize_u64(self, value: u64) -> Result<Value, ValueError> {
        i64::try_from(value)
            .map(Value::Int)
            .map_err(|_| too_large())
    }

    fn serialize_u128(self, value: u128) -> Result<Value, ValueError> {
        i64::try_from(value)
            .map(Value::Int)
            .map_err(|_| too_large())
    }

    fn serialize_f32(self, value: f32) -> Result<Value, ValueError> {
        Ok(Value::Float(value.into()))
    }

    fn serialize_f64(self, value: f64) -> Result<Value, ValueError> {
        Ok(Value::Float(value))
    }

    fn serialize_char(self, value: char) -> Result<Value, ValueError> {
        Ok(Value::String(value.into()))
    }

    fn serialize_str(self, value: &str) -> Result<Value, ValueError> {
        Ok(Value::String(value.to_owned()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, ValueError> {
        Ok(Value::Bytes(Bytes(value.to_vec())))
    }

    fn serialize_none(self) -> Result<Value, ValueError> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, ValueError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, ValueError> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, ValueError> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, ValueError> {
        Ok(match name {
            names::VALUE => Value::Null,
            _ => Value::String(variant.to_owned()),
        })
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Value, ValueError> {
        match name {
            names::VECTOR => Ok(Value::Vector(Vector(flat::run(value)?))),
            names::BYTES => Ok(Value::Bytes(Bytes(flat::run(value)?))),
            _ => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, ValueError> {
        if name == names::VALUE {
            return value.serialize(self);
        }
        let value = value.serialize(self.inside()?)?;
        Ok(in_variant(Some(variant), value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<ListWriter, ValueError> {
        self.list(length, None)
    }

    fn serialize_tuple(self, length: usize) -> Result<ListWriter, ValueError> {
        self.list(Some(length), None)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<ListWriter, ValueError> {
        self.list(Some(length), None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<ListWriter, ValueError> {
        self.list(Some(length), Some(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<MapWriter, ValueError> {
        self.map(None, None)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<MapWriter, ValueError> {
        match name {
            names::NODE | names::RELATIONSHIP | names::PATH => Err(ValueError(
                "nodes, relationships and paths come out and do not go in: send their ids"
                    .to_owned(),
            )),
            names::DATE
            | names::TIME
            | names::LOCAL_TIME
            | names::DATE_TIME
            | names::LOCAL_DATE_TIME
            | names::DURATION => {
                // Its fields do not nest.
                Writer { depth: MAX_DEPTH }.map(None, Some(name))
            }
            _ => self.map(None, None),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<MapWriter, ValueError> {
        self.map(Some(variant), None)
    }
}

impl ListWriter {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ValueError> {
        self.values.push(value.serialize(self.inside)?);
        Ok(())
    }

    fn value(self) -> Value {
        in_variant(self.variant, Value::List(self.values))
    }
}

macro_rules! list_writer {
    ($($face:ident: $method:ident;)*) => {
        $(
            impl $face for ListWriter {
                type Ok = Value;
                type Error = ValueError;

                fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ValueError> {
                    self.push(value)
                }

                fn end(self) -> Result<Value, ValueError> {
                    Ok(self.value())
                }
            }
        )*
    };
}

list_writer! {
    SerializeSeq: serialize_element;
    SerializeTuple: serialize_element;
    SerializeTupleStruct: serialize_field;
    SerializeTupleVariant: serialize_field;
}

impl MapWriter {
    fn insert<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<(), ValueError> {
        let value = value
            .serialize(self.inside)
            .map_err(|error| ValueError(format!("{name}: {error}")))?;
        self.entries.insert(name, value);
        Ok(())
    }

    fn value(self) -> Result<Value, ValueError> {
        let map = Value::Map(self.entries);
        let Some(own) = self.own else {
            return Ok(in_variant(self.variant, map));
        };
        let reader = ColumnReader(&map);
        Ok(match own {
            names::DATE => Value::Date(Date::deserialize(reader)?),
            names::TIME => Value::Time(Time::deserialize(reader)?),
            names::LOCAL_TIME => Value::LocalTime(LocalTime::deserialize(reader)?),
            names::DATE_TIME => Value::DateTime(DateTime::deserialize(reader)?),
            names::LOCAL_DATE_TIME => Value::LocalDateTime(LocalDateTime::deserialize(reader)?),
            names::DURATION => Value::Duration(Duration::deserialize(reader)?),
            _ => map,
        })
    }
}

impl SerializeMap for MapWriter {
    type Ok = Value;
    type Error = ValueError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ValueError> {
        self.name = Some(key.serialize(NameWriter)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ValueError> {
        let name = self.name.take();
        let name = name.ok_or_else(|| ValueError("a value came before its name".to_owned()))?;
        self.insert(name, value)
    }

    fn end(self) -> Result<Value, ValueError> {
        self.value()
    }
}

impl SerializeStruct for MapWriter {
    type Ok = Value;
    type Error = ValueError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), ValueError> {
        self.insert(name.to_owned(), value)
    }

    fn end(self) -> Result<Value, ValueError> {
        self.value()
    }
}

impl SerializeStructVariant for MapWriter {
    type Ok = Value;
    type Error = ValueError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), ValueError> {
        self.insert(name.to_owned(), value)
    }

    fn end(self) -> Result<Value, ValueError> {
        self.value()
    }
}
