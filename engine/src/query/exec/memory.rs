//! How much memory a query holds, and when that is too much.
//!
//! What is charged is what operators keep: rows to be sorted, groups, the ways of a search. A value that is
//! shared is counted where it was made and not again where it is pointed at, otherwise one long list in many
//! rows would seem to fill the machine.
//!
//! Next: `stage.rs`.

use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;
use std::sync::Arc;

/// A limit, and how much of it is taken.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    limit: usize,
    used: usize,
}

impl Memory {
    /// Nothing taken of so many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: 0 }
    }

    /// Takes so many bytes.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Fault> {
        let used = self.used.saturating_add(bytes);
        if used > self.limit {
            let message = format!("the query needs more than {} bytes of memory", self.limit);
            let hint = "let it gather fewer rows, or raise the query's setting `memory_bytes`";
            return Err(raise(Detail::MemoryLimit, message).hint(hint));
        }
        self.used = used;
        Ok(())
    }

    /// Takes what a value needs while a list of such is made, and says how much that is. Whoever fails on
    /// the way need not give it back: the query ends.
    pub(crate) fn hold(&mut self, value: &Value) -> Result<usize, Fault> {
        let bytes = bytes_of(value);
        self.charge(bytes)?;
        Ok(bytes)
    }

    /// Gives so many bytes back.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes);
    }

    /// How many bytes may still be taken.
    pub(crate) fn left(&self) -> usize {
        self.limit.saturating_sub(self.used)
    }

    /// How many bytes may be taken in all.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// How many bytes are taken.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Back to what was taken once: after a part of the query was given up.
    pub(crate) fn reset(&mut self, used: usize) {
        self.used = used;
    }
}

/// What one stage has charged.
#[derive(Debug, Default)]
pub(super) struct Charge {
    bytes: usize,
}

impl Charge {
    /// Charges so many bytes more.
    pub(super) fn add(&mut self, memory: &mut Memory, bytes: usize) -> Result<(), Fault> {
        memory.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Charges so many bytes in all.
    pub(super) fn set(&mut self, memory: &mut Memory, bytes: usize) -> Result<(), Fault> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.add(memory, more),
            None => {
                memory.release(self.bytes - bytes);
                self.bytes = bytes;
                Ok(())
            }
        }
    }

    /// Gives everything back.
    pub(super) fn free(&mut self, memory: &mut Memory) {
        memory.release(std::mem::take(&mut self.bytes));
    }
}

/// About how many bytes a value takes that nobody else holds.
pub(crate) fn bytes_of(value: &Value) -> usize {
    size_of::<Value>() + beside(value)
}

/// What lies behind its pointer. Values nest at most [`MAX_DEPTH`](crate::value::MAX_DEPTH) deep.
fn beside(value: &Value) -> usize {
    const COUNTS: usize = 16;
    match value {
        Value::String(text) if Arc::strong_count(text) == 1 => COUNTS + text.len(),
        Value::Bytes(bytes) if Arc::strong_count(bytes) == 1 => COUNTS + bytes.len(),
        Value::List(list) if Arc::strong_count(list) == 1 => {
            COUNTS + list.iter().map(bytes_of).sum::<usize>()
        }
        Value::Map(map) if Arc::strong_count(map) == 1 => {
            let entries = map.iter();
            let entries = entries.map(|(key, value)| COUNTS + key.len() + bytes_of(value));
            COUNTS + entries.sum::<usize>()
        }
        Value::Path(path) if Arc::strong_count(path) == 1 => {
            COUNTS + (path.nodes().len() + path.relationships().len()) * 16
        }
        Value::Vector(vector) => COUNTS + vector.as_slice().len() * 4,
        _ => 0,
    }
}

/// About how many bytes some values take.
pub(super) fn bytes_of_all(values: &[Value]) -> usize {
    values.iter().map(bytes_of).sum()
}
