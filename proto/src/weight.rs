//! How much memory a message will take, from its bytes alone: nothing is decoded, and nothing is kept.
//!
//! A value of two bytes on the wire is one of many in memory, so the size of a message bounds little. Here the bytes are
//! gone through by the shapes of the messages, which `build.rs` makes of the `.proto` files: fields that hold messages
//! are entered, texts are not.

use crate::Method;

mod table {
    use super::{Field, FieldKind};

    include!(concat!(env!("OUT_DIR"), "/shapes.rs"));
}

/// What is counted for a message within another: the place that it takes in a list that grows by doubling.
const MESSAGE_BYTES: usize = 160;
/// What is counted for a text beside its bytes.
const TEXT_BYTES: usize = 48;
/// What is counted for a byte of a list of numbers: the largest number of the shortest encoding.
const NUMBERS_FACTOR: usize = 16;
/// As deep as prost goes.
const MAX_DEPTH: usize = 100;

/// A field of a message that can weigh more than its bytes.
#[derive(Clone, Copy, Debug)]
struct Field {
    number: u32,
    kind: FieldKind,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
enum FieldKind {
    /// A string, or bytes.
    Text,
    /// Several numbers of so many bytes each, packed or not; 0 if their sizes differ.
    Numbers(usize),
    /// A message, by its place in the table.
    Message(usize),
}

/// Why a message is not to be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overweight {
    /// It would take more memory than it may.
    TooHeavy,
    /// Its values are nested too deeply.
    TooDeep,
    /// It is no message of that method.
    Malformed,
}

/// About how many bytes of memory a request of a method will take; rather too many than too few.
///
/// # Errors
/// [`Overweight`], as soon as it is known.
pub fn weigh(method: &Method, message: &[u8], most: usize) -> Result<usize, Overweight> {
    let mut weight = message.len();
    let mut rest = message;
    // The shapes that are entered, and how much is left after each.
    let mut entered: Vec<(usize, usize)> = Vec::new();
    let mut shape = method.request;
    let mut end = 0;
    loop {
        if weight > most {
            return Err(Overweight::TooHeavy);
        }
        if rest.len() == end {
            let Some((outer, outer_end)) = entered.pop() else {
                return Ok(weight);
            };
            (shape, end) = (outer, outer_end);
            continue;
        }
        let inside = rest.len() - end;
        let key = varint(&mut rest)?;
        let (number, wire) = (key >> 3, key & 7);
        let fields = table::SHAPES.get(shape).copied().unwrap_or_default();
        let field = fields
            .iter()
            .find(|field| u64::from(field.number) == number);
        let length = match wire {
            0 => {
                varint(&mut rest)?;
                0
            }
            1 => 8,
            2 => usize::try_from(varint(&mut rest)?).map_err(|_| Overweight::Malformed)?,
            5 => 4,
            // Groups are of an older protocol.
            _ => return Err(Overweight::Malformed),
        };
        // Nothing reaches over the end of what it is in.
        let left = rest.len().checked_sub(end).filter(|_| inside > 0);
        if left.is_none_or(|left| left < length) {
            return Err(Overweight::Malformed);
        }
        match field.map(|field| field.kind) {
            Some(FieldKind::Message(inner)) if wire == 2 => {
                if entered.len() >= MAX_DEPTH {
                    return Err(Overweight::TooDeep);
                }
                weight += MESSAGE_BYTES;
                entered.push((shape, end));
                (shape, end) = (inner, rest.len() - length);
                continue;
            }
            Some(FieldKind::Text) if wire == 2 => weight += TEXT_BYTES,
            Some(FieldKind::Numbers(0)) => weight += NUMBERS_FACTOR * length.max(1),
            Some(FieldKind::Numbers(_)) if wire == 2 => weight += length,
            Some(FieldKind::Numbers(_)) => weight += NUMBERS_FACTOR,
            Some(_) => return Err(Overweight::Malformed),
            None => {}
        }
        rest = rest.get(length..).ok_or(Overweight::Malformed)?;
    }
}

/// A number as the wire has it, taken off the front.
fn varint(rest: &mut &[u8]) -> Result<u64, Overweight> {
    let mut number = 0;
    for place in 0..10 {
        let (first, others) = rest.split_first().ok_or(Overweight::Malformed)?;
        *rest = others;
        number |= u64::from(first & 0x7f) << (7 * place);
        if first & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Overweight::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::{self, statement::Source, value::Kind};
    use prost::Message as _;

    fn query() -> &'static Method {
        crate::method("/stratigraph.v1.QueryService/Query").unwrap()
    }

    fn with(value: v1::Value) -> Vec<u8> {
        v1::QueryRequest {
            statement: Some(v1::Statement {
                source: Some(Source::Text("RETURN $p".to_owned())),
            }),
            parameters: [("p".to_owned(), value)].into(),
            options: Some(v1::QueryOptions {
                timeout_ms: Some(u64::MAX),
                ..v1::QueryOptions::default()
            }),
            ..v1::QueryRequest::default()
        }
        .encode_to_vec()
    }

    fn list(values: Vec<v1::Value>) -> v1::Value {
        Kind::ListValue(v1::ListValue { values }).into()
    }

    #[test]
    fn values_weigh_what_they_take_and_texts_little_more_than_their_bytes() {
        assert!(
            2 * size_of::<v1::Value>() <= MESSAGE_BYTES,
            "{}",
            size_of::<v1::Value>()
        );
        assert!(2 * size_of::<v1::BulkNode>() <= MESSAGE_BYTES);
        assert!(2 * size_of::<v1::BulkRelationship>() <= 2 * MESSAGE_BYTES);
        let text = with(Kind::StringValue("a".repeat(100_000)).into());
        let light = weigh(query(), &text, usize::MAX).unwrap();
        assert!((100_000..102_000).contains(&light), "{light}");
        let empty = with(list(vec![v1::Value::default(); 1000]));
        let heavy = weigh(query(), &empty, usize::MAX).unwrap();
        assert!(
            heavy > 1000 * MESSAGE_BYTES && empty.len() < 2100,
            "{heavy}"
        );
        assert_eq!(weigh(query(), &empty, 100_000), Err(Overweight::TooHeavy));
        let floats = with(
            Kind::VectorValue(v1::Vector {
                components: vec![0.5; 1000],
            })
            .into(),
        );
        let vector = weigh(query(), &floats, usize::MAX).unwrap();
        assert!((8000..9000).contains(&vector), "{vector}");
    }

    #[test]
    fn what_prost_refuses_is_refused_and_what_it_takes_is_weighed() {
        let mut deep = v1::Value::default();
        for _ in 0..60 {
            deep = list(vec![deep]);
        }
        assert_eq!(
            weigh(query(), &with(deep), usize::MAX),
            Err(Overweight::TooDeep)
        );
        let good = with(list(vec![
            Kind::IntValue(-1).into(),
            Kind::DoubleValue(0.5).into(),
        ]));
        for end in 1..good.len() {
            let cut = good.get(..end).unwrap();
            let weighed = weigh(query(), cut, usize::MAX);
            assert_eq!(
                weighed.is_ok(),
                v1::QueryRequest::decode(cut).is_ok(),
                "{end}"
            );
        }
        // prost takes some wire types for others in maps; whatever it does with them, nothing here enters them.
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                let _ = weigh(query(), &bad, usize::MAX);
            }
        }
        let map = good.iter().position(|byte| *byte == 0x1a).unwrap();
        let mut bad = good.clone();
        bad[map] = 0x1b;
        assert!(v1::QueryRequest::decode(&bad[..]).is_ok());
        assert_eq!(weigh(query(), &bad, usize::MAX), Err(Overweight::Malformed));
        assert_eq!(weigh(query(), &[], 0), Ok(0));
    }
}
