//! Runs of numbers, taken from serde without a value for each: vectors and bytes are long.

use super::de::ValueError;
use serde::ser::{Impossible, Serialize, SerializeSeq, Serializer};

/// A number that comes in runs.
pub(super) trait Number: Sized {
    fn of_f32(_number: f32) -> Option<Self> {
        None
    }

    fn of_u8(_number: u8) -> Option<Self> {
        None
    }
}

impl Number for f32 {
    fn of_f32(number: f32) -> Option<Self> {
        Some(number)
    }
}

impl Number for u8 {
    fn of_u8(number: u8) -> Option<Self> {
        Some(number)
    }
}

/// Collects numbers.
pub(super) struct Flat<'a, T>(pub(super) &'a mut Vec<T>);

/// The run of numbers that is in a value.
pub(super) fn run<T: Number>(value: &(impl Serialize + ?Sized)) -> Result<Vec<T>, ValueError> {
    let mut numbers = Vec::new();
    value.serialize(Flat(&mut numbers))?;
    Ok(numbers)
}

impl<T: Number> Flat<'_, T> {
    fn push(self, number: Option<T>) -> Result<(), ValueError> {
        self.0.push(number.ok_or_else(refused)?);
        Ok(())
    }
}

fn refused() -> ValueError {
    ValueError("a run of numbers holds numbers of one kind".to_owned())
}

impl<T: Number> SerializeSeq for Flat<'_, T> {
    type Ok = ();
    type Error = ValueError;

    fn serialize_element<E: Serialize + ?Sized>(&mut self, element: &E) -> Result<(), ValueError> {
        element.serialize(Flat(self.0))
    }

    fn end(self) -> Result<(), ValueError> {
        Ok(())
    }
}

macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $answer:ty;)*) => {
        $(
            fn $method(self, $(_: $argument),*) -> Result<$answer, ValueError> {
                Err(refused())
            }
        )*
    };
}

impl<T: Number> Serializer for Flat<'_, T> {
    type Ok = ();
    type Error = ValueError;
    type SerializeSeq = Self;
    type SerializeTuple = Impossible<(), ValueError>;
    type SerializeTupleStruct = Impossible<(), ValueError>;
    type SerializeTupleVariant = Impossible<(), ValueError>;
    type SerializeMap = Impossible<(), ValueError>;
    type SerializeStruct = Impossible<(), ValueError>;
    type SerializeStructVariant = Impossible<(), ValueError>;

    fn serialize_f32(self, number: f32) -> Result<(), ValueError> {
        self.push(T::of_f32(number))
    }

    fn serialize_u8(self, number: u8) -> Result<(), ValueError> {
        self.push(T::of_u8(number))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, ValueError> {
        self.0.reserve(length.unwrap_or_default());
        Ok(self)
    }

    fn serialize_some<E: Serialize + ?Sized>(self, _: &E) -> Result<(), ValueError> {
        Err(refused())
    }

    fn serialize_newtype_struct<E: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: &E,
    ) -> Result<(), ValueError> {
        Err(refused())
    }

    fn serialize_newtype_variant<E: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &E,
    ) -> Result<(), ValueError> {
        Err(refused())
    }

    refuse! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_str(&str) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
