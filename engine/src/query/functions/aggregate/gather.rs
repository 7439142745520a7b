//! `count` and `collect`.
//!
//! Next: `extremes.rs`.

use crate::query::error::Fault;
use crate::query::functions::arguments::value;
use crate::query::functions::{Accumulator, limits};
use crate::value::Value;

crate::query::functions::table::aggregates! {
    "count"(value: ANY) -> INTEGER = Count(0),
        "How many values are not null; `count(*)` counts rows.", "count(x)" => "3";
    "collect"(value: ANY) -> LIST = Collect::default(),
        "All values that are not null, as a list.", "collect(x)" => "[1, 2, 3]";
}

struct Count(i64);

impl Accumulator for Count {
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault> {
        // No computer counts as far as an integer goes.
        self.0 += i64::from(!value(arguments, 0).is_null());
        Ok(())
    }

    fn add_times(&mut self, value: &Value, times: u64) -> bool {
        if value.is_null() {
            return true;
        }
        let times = i64::try_from(times).ok();
        let count = times.and_then(|times| self.0.checked_add(times));
        count.map(|count| self.0 = count).is_some()
    }

    fn finish(self: Box<Self>) -> Result<Value, Fault> {
        Ok(Value::Int(self.0))
    }
}

#[derive(Default)]
struct Collect {
    values: Vec<Value>,
    bytes: usize,
}

impl Accumulator for Collect {
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault> {
        let value = value(arguments, 0);
        if !value.is_null() {
            self.bytes = self.bytes.saturating_add(value.held_bytes());
            self.values.push(value.clone());
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Value, Fault> {
        limits::list_of(self.values)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
