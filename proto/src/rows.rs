//! Rows of an answer: as messages, or as the bytes that they are on the wire.
//!
//! A server has its own values, and to make a tree of messages of each row only to write it down costs more than all
//! the rest of a long answer. So a batch may hold rows that are written already; whoever reads one gets messages.

use crate::v1::Row;
use prost::bytes::{Buf, BufMut, Bytes};
use prost::encoding::{DecodeContext, WireType, message, skip_field};
use prost::{DecodeError, Message};

/// The tag of `RowBatch.rows`.
const ROWS: u32 = 1;

/// Rows. As `RowBatch` in `query.proto`, whose code this stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowBatch {
    /// The rows.
    pub rows: Vec<Row>,
    /// More rows after them, each as the field `rows` is written: its tag, its length, a `Row`. What was read has none.
    pub encoded: Bytes,
}

impl RowBatch {
    /// Rows that are written already.
    #[must_use]
    pub fn of_encoded(encoded: Bytes) -> Self {
        Self {
            rows: Vec::new(),
            encoded,
        }
    }
}

impl Message for RowBatch {
    fn encode_raw(&self, out: &mut impl BufMut) {
        message::encode_repeated(ROWS, &self.rows, out);
        out.put_slice(&self.encoded);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        from: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        if tag == ROWS {
            message::merge_repeated(wire_type, &mut self.rows, from, context)
        } else {
            skip_field(wire_type, tag, from, context)
        }
    }

    fn encoded_len(&self) -> usize {
        message::encoded_len_repeated(ROWS, &self.rows) + self.encoded.len()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::{Value, value::Kind};

    fn row(number: i64) -> Row {
        Row {
            values: vec![Value::null(), Kind::IntValue(number).into()],
        }
    }

    #[test]
    fn written_rows_are_read_as_the_messages_they_are() {
        let messages = RowBatch {
            rows: vec![row(1), row(2)],
            ..RowBatch::default()
        };
        let written = RowBatch::of_encoded(messages.encode_to_vec().into());
        assert_eq!(written.encode_to_vec(), messages.encode_to_vec());
        assert_eq!(written.encoded_len(), messages.encoded_len());
        let read = RowBatch::decode(written.encode_to_vec().as_slice()).unwrap();
        assert_eq!(read, messages);
        let both = RowBatch {
            rows: vec![row(0)],
            encoded: written.encoded,
        };
        let read = RowBatch::decode(both.encode_to_vec().as_slice()).unwrap();
        assert_eq!(read.rows, [row(0), row(1), row(2)]);
    }
}
