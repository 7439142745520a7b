//! Keys of any shape for the property tests: a component as a value, its order, and its codec.
//!
//! The order here is written out from the meaning of the values and must never look at bytes,
//! because the tests compare it with the order of the bytes. Next: back to `../tests.rs`.

use std::cmp::Ordering;

use proptest::prelude::*;

use crate::codec::{CodecError, KeyReader, KeyWriter};

#[derive(Clone, Debug)]
pub(super) enum Component {
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    I64(i64),
    F64(f64),
    Bool(bool),
    Bytes(Vec<u8>),
    Str(String),
}

impl Component {
    /// The order of the values; both must be of one kind, as in keys of one family.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::U8(left), Self::U8(right)) => left.cmp(right),
            (Self::U16(left), Self::U16(right)) => left.cmp(right),
            (Self::U32(left), Self::U32(right)) => left.cmp(right),
            (Self::U64(left), Self::U64(right)) => left.cmp(right),
            (Self::I64(left), Self::I64(right)) => left.cmp(right),
            (Self::F64(left), Self::F64(right)) => left
                .partial_cmp(right)
                .unwrap_or_else(|| left.is_nan().cmp(&right.is_nan())),
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            (Self::Bytes(left), Self::Bytes(right)) => left.cmp(right),
            (Self::Str(left), Self::Str(right)) => left.cmp(right),
            _ => panic!("{self:?} and {other:?} are never compared"),
        }
    }
}

/// The order of whole keys: the first component that differs decides.
pub(super) fn compare_keys(left: &[Component], right: &[Component]) -> Ordering {
    left.iter()
        .zip(right)
        .map(|(left, right)| left.compare(right))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

pub(super) fn encode(components: &[Component]) -> Vec<u8> {
    let mut key = KeyWriter::new();
    for component in components {
        match component {
            Component::U8(value) => key.push_u8(*value),
            Component::U16(value) => key.push_u16(*value),
            Component::U32(value) => key.push_u32(*value),
            Component::U64(value) => key.push_u64(*value),
            Component::I64(value) => key.push_i64(*value),
            Component::F64(value) => key.push_f64(*value),
            Component::Bool(value) => key.push_bool(*value),
            Component::Bytes(value) => key.push_bytes(value),
            Component::Str(value) => key.push_str(value),
        };
    }
    key.finish()
}

/// Reads a component of the same kind as `like`.
pub(super) fn read_as(like: &Component, key: &mut KeyReader<'_>) -> Result<Component, CodecError> {
    Ok(match like {
        Component::U8(_) => Component::U8(key.read_u8()?),
        Component::U16(_) => Component::U16(key.read_u16()?),
        Component::U32(_) => Component::U32(key.read_u32()?),
        Component::U64(_) => Component::U64(key.read_u64()?),
        Component::I64(_) => Component::I64(key.read_i64()?),
        Component::F64(_) => Component::F64(key.read_f64()?),
        Component::Bool(_) => Component::Bool(key.read_bool()?),
        Component::Bytes(_) => Component::Bytes(key.read_bytes()?.into_owned()),
        Component::Str(_) => Component::Str(key.read_str()?.into_owned()),
    })
}

/// Two keys of one shape, often with equal leading components, so that later ones get to decide.
pub(super) fn pair_of_keys() -> impl Strategy<Value = (Vec<Component>, Vec<Component>)> {
    prop::collection::vec(pair_of_components(), 0..5).prop_map(|pairs| pairs.into_iter().unzip())
}

fn pair_of_components() -> impl Strategy<Value = (Component, Component)> {
    let pair = prop_oneof![
        pair_of(any::<u8>(), Component::U8),
        pair_of(any::<u16>(), Component::U16),
        pair_of(any::<u32>(), Component::U32),
        pair_of(near(any::<u64>(), &[0, 1, u64::MAX]), Component::U64),
        pair_of(
            near(any::<i64>(), &[i64::MIN, -1, 0, 1, i64::MAX]),
            Component::I64
        ),
        pair_of(floats(), Component::F64),
        pair_of(any::<bool>(), Component::Bool),
        pair_of(byte_strings(), Component::Bytes),
        pair_of(strings(), Component::Str),
    ];
    (pair, any::<bool>()).prop_map(|((left, right), same)| {
        let right = if same { left.clone() } else { right };
        (left, right)
    })
}

fn pair_of<T: std::fmt::Debug + 'static>(
    values: impl Strategy<Value = T> + 'static,
    wrap: fn(T) -> Component,
) -> BoxedStrategy<(Component, Component)> {
    let wrapped = values.prop_map(wrap).boxed();
    (wrapped.clone(), wrapped).boxed()
}

/// Any value, or one of the edges.
fn near<T: Clone + std::fmt::Debug + 'static, const N: usize>(
    values: impl Strategy<Value = T> + 'static,
    edges: &[T; N],
) -> BoxedStrategy<T> {
    prop_oneof![values, prop::sample::select(edges.to_vec())].boxed()
}

fn floats() -> BoxedStrategy<f64> {
    let edges = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.0,
        -f64::MIN_POSITIVE,
        -f64::from_bits(1),
        -0.0,
        0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        1.0,
        1.0 + f64::EPSILON,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        -f64::NAN,
        f64::from_bits(0x7FF0_0000_0000_0001),
    ];
    near(any::<u64>().prop_map(f64::from_bits), &edges)
}

/// Few different bytes, so that prefixes, zeros and `FF`s meet often.
fn byte_strings() -> BoxedStrategy<Vec<u8>> {
    let byte = prop_oneof![Just(0x00), Just(0x01), Just(b'a'), Just(0xFF), any::<u8>()];
    prop::collection::vec(byte, 0..5).boxed()
}

fn strings() -> BoxedStrategy<String> {
    let letter = prop_oneof![
        Just('\0'),
        Just('\u{1}'),
        Just('a'),
        Just('é'),
        Just('\u{FFFF}'),
        Just('\u{10000}'),
        any::<char>(),
    ];
    prop::collection::vec(letter, 0..5)
        .prop_map(|letters| letters.into_iter().collect())
        .boxed()
}
