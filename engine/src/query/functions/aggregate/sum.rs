//! `sum` and `avg` of numbers, and of durations.
//!
//! Integers and floats are summed apart, integers in 128 bits, so that whether a sum fits is decided by the sum
//! and not by the order of the rows.
//!
//! Next: `deviation.rs`.

use crate::query::error::{Detail, Fault, raise};
use crate::query::functions::Accumulator;
use crate::query::functions::arguments::{value, wrong};
use crate::query::functions::operators::overflow;
use crate::value::{Duration, Value};

crate::query::functions::table::aggregates! {
    "sum"(value: INTEGER | FLOAT | DURATION) -> INTEGER | FLOAT | DURATION = Sum::default(),
        "The sum of numbers or of durations.", "sum(x)" => "6";
    "avg"(value: INTEGER | FLOAT | DURATION) -> FLOAT | DURATION = Average(Sum::default()),
        "The average of numbers or of durations.", "avg(x)" => "2.0";
}

const NANOSECONDS: i128 = 1_000_000_000;

#[derive(Default)]
struct Sum {
    count: u64,
    integers: i128,
    floats: f64,
    /// Whether there was a float, even zero.
    has_floats: bool,
    durations: Option<Durations>,
}

#[derive(Clone, Copy, Default)]
struct Durations {
    months: i128,
    days: i128,
    /// Seconds and nanoseconds in one.
    nanoseconds: i128,
}

impl Sum {
    fn take(&mut self, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Null => return Ok(()),
            Value::Int(_) | Value::Float(_) if self.durations.is_some() => {
                return Err(wrong("another duration", value));
            }
            Value::Int(number) => self.integers += i128::from(*number),
            Value::Float(number) => {
                self.floats += number;
                self.has_floats = true;
            }
            Value::Duration(_) if self.count > 0 && self.durations.is_none() => {
                return Err(wrong("another number", value));
            }
            Value::Duration(duration) => {
                let sum = self.durations.get_or_insert_default();
                sum.months += i128::from(duration.months());
                sum.days += i128::from(duration.days());
                sum.nanoseconds += i128::from(duration.seconds()) * NANOSECONDS;
                sum.nanoseconds += i128::from(duration.nanoseconds());
            }
            other => return Err(wrong("a number or a duration", other)),
        }
        self.count += 1;
        Ok(())
    }

    /// Integers are added in any order. The sum of floats depends on it, and so does what is wrong with durations.
    fn take_times(&mut self, value: &Value, times: u64) -> bool {
        let number = match value {
            Value::Null => return true,
            Value::Int(number) if self.durations.is_none() => i128::from(*number),
            _ => return false,
        };
        let sum = number.checked_mul(i128::from(times));
        let sum = sum.and_then(|more| self.integers.checked_add(more));
        let (Some(sum), Some(count)) = (sum, self.count.checked_add(times)) else {
            return false;
        };
        (self.integers, self.count) = (sum, count);
        true
    }

    /// The sum of the numbers as a float.
    fn as_float(&self) -> f64 {
        self.floats + self.integers as f64
    }
}

impl Accumulator for Sum {
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault> {
        self.take(value(arguments, 0))
    }

    fn add_times(&mut self, value: &Value, times: u64) -> bool {
        self.take_times(value, times)
    }

    fn finish(self: Box<Self>) -> Result<Value, Fault> {
        if let Some(durations) = self.durations {
            return durations.value();
        }
        if self.has_floats {
            return Ok(Value::Float(self.as_float()));
        }
        let sum = i64::try_from(self.integers).map_err(|_| overflow("the sum"))?;
        Ok(Value::Int(sum))
    }
}

struct Average(Sum);

impl Accumulator for Average {
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault> {
        self.0.take(value(arguments, 0))
    }

    fn add_times(&mut self, value: &Value, times: u64) -> bool {
        self.0.take_times(value, times)
    }

    fn finish(self: Box<Self>) -> Result<Value, Fault> {
        let sum = self.0;
        if sum.count == 0 {
            return Ok(Value::Null);
        }
        match sum.durations {
            Some(durations) => durations.divided(i128::from(sum.count)).value(),
            None => Ok(Value::Float(sum.as_float() / sum.count as f64)),
        }
    }
}

impl Durations {
    fn value(self) -> Result<Value, Fault> {
        self.duration().map(Value::from).ok_or_else(|| {
            let message = "the sum of the durations is longer than a duration can be";
            raise(Detail::NumberOutOfRange, message)
        })
    }

    fn duration(self) -> Option<Duration> {
        Duration::new(
            i64::try_from(self.months).ok()?,
            i64::try_from(self.days).ok()?,
            i64::try_from(self.nanoseconds.div_euclid(NANOSECONDS)).ok()?,
            u32::try_from(self.nanoseconds.rem_euclid(NANOSECONDS)).ok()?,
        )
        .ok()
    }

    /// Each divided; what is left of months goes to the days, by the average month, and of days to the time.
    fn divided(self, by: i128) -> Self {
        const DAY: i128 = 86_400 * NANOSECONDS;
        let month = i128::from(crate::value::SECONDS_PER_AVERAGE_MONTH) * NANOSECONDS;
        let rest_of_months = self.months % by * month / by;
        let days = self.days / by + rest_of_months / DAY;
        let rest_of_days = self.days % by * DAY / by + rest_of_months % DAY;
        Self {
            months: self.months / by,
            days,
            nanoseconds: self.nanoseconds / by + rest_of_days,
        }
    }
}
