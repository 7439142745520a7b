//! Chance, and the clock as a number.
//!
//! Both are arguments of the query: with the same seed and clock it gives the same again.
//!
//! Next: `convert.rs`.

use super::{Call, Lasts};
use crate::query::error::Fault;
use crate::value::Value;

super::table::functions! {
    "rand"() -> FLOAT = rand,
        "A random number, at least 0 and below 1.", "" => "" [lasts: Lasts::Never];
    "randomUUID"() -> STRING = random_uuid,
        "A random UUID of version 4.", "" => "" [lasts: Lasts::Never];
    "timestamp"() -> INTEGER = timestamp,
        "When the query began, in milliseconds since 1970.", "" => "" [lasts: Lasts::Query];
}

fn rand(call: &Call<'_>, _: &[Value]) -> Result<Value, Fault> {
    // A float holds 53 bits exactly.
    let bits = call.random.borrow_mut().bits()? >> 11;
    Ok(Value::Float(bits as f64 / (1_u64 << 53) as f64))
}

fn random_uuid(call: &Call<'_>, _: &[Value]) -> Result<Value, Fault> {
    let mut random = call.random.borrow_mut();
    let bits = (u128::from(random.bits()?) << 64) | u128::from(random.bits()?);
    // Four bits say which version it is, and two which standard.
    let bits = bits & !(0xF << 76) | (0x4 << 76);
    let bits = bits & !(0x3 << 62) | (0x2 << 62);
    let digits = format!("{bits:032x}");
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    let parts = [
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32),
    ];
    Ok(Value::from(parts.join("-")))
}

fn timestamp(call: &Call<'_>, _: &[Value]) -> Result<Value, Fault> {
    let moment = call.moments.statement;
    let seconds = moment.second.saturating_mul(1_000);
    Ok(Value::Int(
        seconds.saturating_add(i64::from(moment.nanosecond / 1_000_000)),
    ))
}
