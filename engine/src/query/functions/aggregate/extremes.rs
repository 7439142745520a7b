//! `min` and `max`, by the one order that all values have.
//!
//! Values of different kinds are ordered too: a list is below a text, and a text below a number.
//!
//! Next: `sum.rs`.

use crate::query::error::Fault;
use crate::query::functions::Accumulator;
use crate::query::functions::arguments::value;
use crate::value::Value;
use std::cmp::Ordering;

crate::query::functions::table::aggregates! {
    "min"(value: ANY) -> ANY = Extreme::new(Ordering::Less),
        "The smallest value.", "min(x)" => "1";
    "max"(value: ANY) -> ANY = Extreme::new(Ordering::Greater),
        "The largest value.", "max(x)" => "3";
}

struct Extreme {
    so_far: Value,
    /// How a value stands to the one so far if it takes its place.
    wanted: Ordering,
    /// What the one so far takes.
    bytes: usize,
}

impl Extreme {
    fn new(wanted: Ordering) -> Self {
        Self {
            so_far: Value::Null,
            wanted,
            bytes: 0,
        }
    }
}

impl Accumulator for Extreme {
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault> {
        let value = value(arguments, 0);
        if value.is_null() {
            return Ok(());
        }
        if self.so_far.is_null() || value.order(&self.so_far) == self.wanted {
            self.bytes = value.held_bytes();
            self.so_far = value.clone();
        }
        Ok(())
    }

    fn add_times(&mut self, value: &Value, _times: u64) -> bool {
        // Of 1 and 1.0 the one that comes first is kept; of these two that are equal are the same.
        let is_itself = matches!(
            value,
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::String(_)
        );
        is_itself && self.add(std::slice::from_ref(value)).is_ok()
    }

    fn finish(self: Box<Self>) -> Result<Value, Fault> {
        Ok(self.so_far)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
