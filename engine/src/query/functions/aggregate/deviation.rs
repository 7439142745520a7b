//! `stDev` and `stDevP`: how far numbers lie from their average.
//!
//! By Welford's method, which needs one pass and does not lose its digits where the numbers are large and near
//! to each other.
//!
//! Next: `percentile.rs`.

use crate::query::error::Fault;
use crate::query::functions::Accumulator;
use crate::query::functions::arguments::{number, value};
use crate::value::Value;

crate::query::functions::table::aggregates! {
    "stDev"(number: INTEGER | FLOAT) -> FLOAT = Deviation { of_sample: true, ..Deviation::default() },
        "The standard deviation of a sample.", "stDev(x)" => "1.0";
    "stDevP"(number: INTEGER | FLOAT) -> FLOAT = Deviation::default(),
        "The standard deviation of all there are.", "stDevP(x)" => "0.816496580927726";
}

#[derive(Default)]
struct Deviation {
    of_sample: bool,
    count: u64,
    average: f64,
    /// The sum of the squares of the distances from the average.
    squares: f64,
}

impl Accumulator for Deviation {
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault> {
        if value(arguments, 0).is_null() {
            return Ok(());
        }
        let number = number(arguments, 0)?;
        self.count += 1;
        let before = number - self.average;
        self.average += before / self.count as f64;
        self.squares += before * (number - self.average);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Value, Fault> {
        let freedom = self.count.saturating_sub(u64::from(self.of_sample));
        if freedom == 0 {
            return Ok(Value::Float(0.0));
        }
        Ok(Value::Float((self.squares / freedom as f64).sqrt()))
    }
}
