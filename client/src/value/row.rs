//! From a row to whatever serde can put together.

use super::de::{ColumnReader, RowReader, ValueError};
use super::{Value, names};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Visitor};

impl<'de> RowReader<'de> {
    /// The value of a row that has one.
    fn only(self) -> Result<ColumnReader<'de>, ValueError> {
        match self.values {
            [value] => Ok(ColumnReader(value)),
            values => Err(ValueError(format!(
                "the row has {} columns: a structure, a map or a tuple can hold them",
                values.len()
            ))),
        }
    }

    fn by_name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let columns = self.columns.iter().map(String::as_str);
        let entries = columns.zip(self.values.iter().map(ColumnReader));
        visitor.visit_map(MapDeserializer::new(entries))
    }

    fn in_order<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_seq(SeqDeserializer::new(self.values.iter().map(ColumnReader)))
    }
}

macro_rules! of_only_value {
    ($($method:ident)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
                self.only()?.$method(visitor)
            }
        )*
    };
}

impl<'de> Deserializer<'de> for RowReader<'de> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        self.by_name(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        self.by_name(visitor)
    }

    /// A structure takes columns by name. Of one column that no field is called after, such as the `p` of `RETURN p`,
    /// the fields are inside.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        if let ([column], [value]) = (self.columns, self.values)
            && !fields.contains(&column.as_str())
            && !matches!(value, Value::Null)
        {
            return ColumnReader(value).deserialize_struct(name, fields, visitor);
        }
        self.by_name(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        self.in_order(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.in_order(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.in_order(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        if name == names::VECTOR || name == names::BYTES {
            return self.only()?.deserialize_newtype_struct(name, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.only()?.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.only()?.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_unit()
    }

    of_only_value! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_option deserialize_unit deserialize_identifier
    }
}
