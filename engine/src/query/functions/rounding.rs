//! `ceil`, `floor` and `round`.
//!
//! Rounding to decimal places goes by the decimal digits that a float is printed with, so `round(1.005, 2)` is
//! 1.01 as people expect, and not 1.0 as the binary fraction would have it.
//!
//! Next: `trigonometry.rs`.

use super::Call;
use super::arguments::{integer, number, text};
use super::numbers::of;
use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;

super::table::functions! {
    "ceil"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::ceil),
        "The smallest whole number that is not below this.", "ceil(0.1)" => "1.0";
    "ceiling"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::ceil),
        "The smallest whole number that is not below this.", "ceiling(0.1)" => "1.0";
    "floor"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::floor),
        "The largest whole number that is not above this.", "floor(0.9)" => "0.0";
    "round"(number: INTEGER | FLOAT; places: INTEGER, mode: STRING) -> FLOAT = round,
        "The nearest number with so many decimal places. The modes are UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN and HALF_EVEN.",
        "round(3.14159, 2)" => "3.14";
}

/// Which way to go from a number that has more digits than are wanted.
#[derive(Clone, Copy)]
enum Mode {
    /// Away from zero.
    Up,
    /// Towards zero.
    Down,
    /// To the larger one.
    Ceiling,
    /// To the smaller one.
    Floor,
    /// To the nearer one, away from zero where both are as near.
    HalfUp,
    /// To the nearer one, towards zero where both are as near.
    HalfDown,
    /// To the nearer one, to the even digit where both are as near.
    HalfEven,
}

impl Mode {
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "UP" => Self::Up,
            "DOWN" => Self::Down,
            "CEILING" => Self::Ceiling,
            "FLOOR" => Self::Floor,
            "HALF_UP" => Self::HalfUp,
            "HALF_DOWN" => Self::HalfDown,
            "HALF_EVEN" => Self::HalfEven,
            _ => return None,
        })
    }

    /// Whether the digits that are kept are raised by one, away from zero.
    fn raises(self, negative: bool, last_kept: u8, cut: &[u8]) -> bool {
        let half = cut.first().copied().unwrap_or(0).cmp(&5);
        let rest = cut.iter().skip(1).any(|digit| *digit != 0);
        let any = rest || cut.first().is_some_and(|digit| *digit != 0);
        let above_half = half.is_gt() || half.is_eq() && rest;
        let at_half = half.is_eq() && !rest;
        match self {
            Self::Up => any,
            Self::Down => false,
            Self::Ceiling => any && !negative,
            Self::Floor => any && negative,
            Self::HalfUp => above_half || at_half,
            Self::HalfDown => above_half,
            Self::HalfEven => above_half || at_half && last_kept % 2 == 1,
        }
    }
}

fn round(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let number = number(arguments, 0)?;
    let places = if arguments.len() > 1 {
        integer(arguments, 1)?
    } else {
        0
    };
    if places < 0 {
        let message = format!("a number cannot have {places} decimal places");
        return Err(raise(Detail::NumberOutOfRange, message));
    }
    if arguments.len() > 2 {
        let name = text(arguments, 2)?;
        let mode = Mode::named(name).ok_or_else(|| {
            raise(
                Detail::InvalidArgumentValue,
                format!("there is no way of rounding named '{name}'"),
            )
            .hint("UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN or HALF_EVEN")
        })?;
        return Ok(Value::Float(to_places(number, places, mode)));
    }
    if places > 0 {
        return Ok(Value::Float(to_places(number, places, Mode::HalfUp)));
    }
    // As everybody has it, without places what is halfway goes up, also below zero: round(-1.5) is -1.
    let below = number.floor();
    Ok(Value::Float(if number - below >= 0.5 {
        below + 1.0
    } else {
        below
    }))
}

/// The number with so many decimal places.
fn to_places(number: f64, places: i64, mode: Mode) -> f64 {
    // The shortest digits that read back as this number: `d.ddde±x`.
    let printed = format!("{:e}", number.abs());
    let Some((mantissa, exponent)) = printed.split_once('e') else {
        return number; // Infinite, or NaN.
    };
    let Ok(exponent) = exponent.parse::<i64>() else {
        return number;
    };
    let digits = mantissa
        .bytes()
        .filter(u8::is_ascii_digit)
        .map(|digit| digit - b'0');
    let mut digits: Vec<u8> = digits.collect();
    // How many digits stay: none for 0.04 to one place, fewer than none for 0.0004.
    let kept = exponent.saturating_add(1).saturating_add(places);
    let Ok(kept) = usize::try_from(kept) else {
        // All is cut, and it begins with zeros, so it is below half.
        let raised = mode.raises(number < 0.0, 0, &[0, 1]) && number != 0.0;
        let least = if raised { read(&[1], -places) } else { 0.0 };
        return least.copysign(number);
    };
    if kept >= digits.len() {
        return number;
    }
    let cut = digits.split_off(kept);
    if mode.raises(number < 0.0, digits.last().copied().unwrap_or(0), &cut) {
        raise_by_one(&mut digits);
    }
    read(&digits, -places).copysign(number)
}

/// The digits of the next larger number.
fn raise_by_one(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
}

/// The float with these digits before `e` and this exponent.
fn read(digits: &[u8], exponent: i64) -> f64 {
    let digits: String = digits
        .iter()
        .map(|digit| char::from(b'0' + digit))
        .collect();
    format!("0{digits}e{exponent}").parse().unwrap_or(0.0)
}
