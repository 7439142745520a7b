//! Functions of angles, which are in radians.
//!
//! Next: `random.rs`.

use super::Call;
use super::arguments::number;
use super::numbers::of;
use crate::query::error::Fault;
use crate::value::Value;

super::table::functions! {
    "sin"(angle: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::sin),
        "The sine.", "sin(0)" => "0.0";
    "cos"(angle: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::cos),
        "The cosine.", "cos(0)" => "1.0";
    "tan"(angle: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::tan),
        "The tangent.", "tan(0)" => "0.0";
    "cot"(angle: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, |angle| angle.tan().recip()),
        "The cotangent.", "cot(0)" => "Infinity";
    "asin"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::asin),
        "The angle of this sine.", "asin(0)" => "0.0";
    "acos"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::acos),
        "The angle of this cosine.", "acos(1)" => "0.0";
    "atan"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::atan),
        "The angle of this tangent.", "atan(0)" => "0.0";
    "atan2"(y: INTEGER | FLOAT, x: INTEGER | FLOAT) -> FLOAT = atan2,
        "The angle of the point at x and y.", "atan2(0, 1)" => "0.0";
    "sinh"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::sinh),
        "The hyperbolic sine.", "sinh(0)" => "0.0";
    "cosh"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::cosh),
        "The hyperbolic cosine.", "cosh(0)" => "1.0";
    "tanh"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::tanh),
        "The hyperbolic tangent.", "tanh(0)" => "0.0";
    "coth"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, |number| number.tanh().recip()),
        "The hyperbolic cotangent.", "coth(0)" => "Infinity";
    "haversin"(angle: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, haversin),
        "Half of one minus the cosine.", "haversin(0)" => "0.0";
    "degrees"(angle: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::to_degrees),
        "An angle in degrees.", "degrees(pi())" => "180.0";
    "radians"(degrees: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::to_radians),
        "An angle given in degrees.", "radians(180)" => "3.141592653589793";
}

fn atan2(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let (y, x) = (number(arguments, 0)?, number(arguments, 1)?);
    Ok(Value::Float(y.atan2(x)))
}

/// By the half angle: one minus the cosine of a small angle would lose its digits.
fn haversin(angle: f64) -> f64 {
    (angle / 2.0).sin().powi(2)
}
