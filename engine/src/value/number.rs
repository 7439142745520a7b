//! The order of integers and floats among one another, by mathematical value.
//!
//! Turning the integer into a float would not do: 2^53 + 1 and 2^53 become one float, and an order
//! in which both are equal to that float is none.
//!
//! Next: `order.rs`; `ordered.rs` for the same order in bytes.

use std::cmp::Ordering;

/// 2^63, the first float above all integers of 64 bits; its negative is the least of them.
pub(super) const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;

/// Compares an integer with a float that is not a NaN.
pub(super) fn compare_int_with_float(int: i64, float: f64) -> Ordering {
    if float >= TWO_POW_63 {
        return Ordering::Less;
    }
    if float < -TWO_POW_63 {
        return Ordering::Greater;
    }
    // In range, so the conversion only cuts off the fraction, which decides where the whole parts
    // are equal. A fraction has the sign of its number.
    let whole = float as i64;
    let fraction = float.fract();
    int.cmp(&whole).then(if fraction > 0.0 {
        Ordering::Less
    } else if fraction < 0.0 {
        Ordering::Greater
    } else {
        Ordering::Equal
    })
}

/// The integer that a float is equal to, if there is one of 64 bits.
pub(super) fn exact_int(float: f64) -> Option<i64> {
    let fits = (-TWO_POW_63..TWO_POW_63).contains(&float);
    (fits && float.fract() == 0.0).then_some(float as i64)
}
