//! `min` and `max`, by the one order that all values have.
//!
//! Values of different kinds are ordered too: a list is below a text, and a text below a number.
//!
//! Next: `sum.rs`.

use crate::query::error::Fault;
use crate::query::functions::arguments::value;
use crate::query::functions::{Accumulator, limits};
use crate::value::Value;
use std::cmp::Ordering;

crate::query::functions::table::aggregates! {
    "min"(value: ANY) -> ANY = Extreme { so_far: Value::Null, wanted: Ordering::Less },
        "The smallest value.", "min(x)" => "1";
    "max"(value: ANY) -> ANY = Extreme { so_far: Value::Null, wanted: Ordering::Greater },
        "The largest value.", "max(x)" => "3";
}

struct Extreme {
    so_far: Value,
    /// How a value stands to the one so far if it takes its place.
    wanted: Ordering,
}

impl Accumulator for Extreme {
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault> {
        let value = value(arguments, 0);
        if value.is_null() {
            return Ok(());
        }
        if self.so_far.is_null() || value.order(&self.so_far) == self.wanted {
            self.so_far = value.clone();
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Value, Fault> {
        Ok(self.so_far)
    }

    fn bytes(&self) -> usize {
        limits::bytes(&self.so_far)
    }
}
