//! `percentileDisc` and `percentileCont`: the value that a part of all values does not exceed.
//!
//! The first gives one of the values, the second one between two of them.
//!
//! Next: `../operators/mod.rs`.

use crate::query::error::{Detail, Fault, raise};
use crate::query::functions::Accumulator;
use crate::query::functions::arguments::{number, value, wrong};
use crate::value::Value;

crate::query::functions::table::aggregates! {
    "percentileDisc"(number: INTEGER | FLOAT, percentile: INTEGER | FLOAT) -> INTEGER | FLOAT = Percentile::default(),
        "The nearest number at a percentile, which is from 0 to 1.", "percentileDisc(x, 0.5)" => "2";
    "percentileCont"(number: INTEGER | FLOAT, percentile: INTEGER | FLOAT) -> FLOAT
        = Percentile { between: true, ..Percentile::default() },
        "The number at a percentile, which is from 0 to 1; it may lie between two.", "percentileCont(x, 0.25)" => "1.5";
}

#[derive(Default)]
struct Percentile {
    numbers: Vec<Value>,
    /// That of the last row; it is mostly the same for all.
    percentile: f64,
    between: bool,
}

impl Accumulator for Percentile {
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault> {
        let percentile = number(arguments, 1)?;
        if !(0.0..=1.0).contains(&percentile) {
            let message = format!(
                "a percentile is from 0 to 1, and this is {}",
                Value::Float(percentile)
            );
            return Err(raise(Detail::NumberOutOfRange, message));
        }
        self.percentile = percentile;
        match value(arguments, 0) {
            Value::Null => {}
            number @ (Value::Int(_) | Value::Float(_)) => self.numbers.push(number.clone()),
            other => return Err(wrong("a number", other)),
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Value, Fault> {
        self.numbers.sort_by(Value::order);
        let count = self.numbers.len();
        if self.between {
            return Ok(self.interpolated(self.percentile * count.saturating_sub(1) as f64));
        }
        // The first of which, with those before it, there are as many as asked for.
        let wanted = (self.percentile * count as f64).ceil() as usize;
        let at = wanted.saturating_sub(1);
        Ok(self.numbers.get(at).cloned().into())
    }

    fn bytes(&self) -> usize {
        self.numbers.len() * size_of::<Value>()
    }
}

impl Percentile {
    /// The number at this place, which lies between two if it is not whole.
    fn interpolated(&self, place: f64) -> Value {
        let at = |place: f64| number(&self.numbers, place as usize).ok();
        let (Some(below), Some(above)) = (at(place.floor()), at(place.ceil())) else {
            return Value::Null;
        };
        if place.fract() == 0.0 {
            return Value::Float(below);
        }
        Value::Float(below + (above - below) * place.fract())
    }
}
