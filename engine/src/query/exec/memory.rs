//! How much memory a query holds, and when that is too much.
//!
//! What is charged is what operators keep: rows to be sorted, groups, the ways of a search.
//!
//! Next: `stage.rs`.

use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;

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
        let bytes = value.held_bytes();
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
    /// How much that is.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

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

/// About how many bytes some values take.
pub(crate) fn bytes_of_all(values: &[Value]) -> usize {
    values.iter().map(Value::held_bytes).sum()
}
