//! Durations in text: `P1Y2M3W4DT5H6M7.8S`, where each unit may be left out, have a fraction and a sign of its
//! own; and like a date and a time, `P2012-02-02T14:37:21.545`.
//!
//! Next: `../parts.rs`.

use super::{Read, Reader, Refused, clock};
use crate::query::temporal::amount::{ATTO, Amount};
use crate::query::temporal::too_long;
use crate::value::Duration;

/// A unit's letter and what one of it adds.
type Unit = (u8, fn(&mut Amount, i128) -> Option<()>);

const DATE_UNITS: &[Unit] = &[
    (b'Y', |amount, count| {
        amount.add_months(count.checked_mul(12)?)
    }),
    (b'M', |amount, count| amount.add_months(count)),
    (b'W', |amount, count| amount.add_days(count.checked_mul(7)?)),
    (b'D', |amount, count| amount.add_days(count)),
];
const CLOCK_UNITS: &[Unit] = &[
    (b'H', |amount, count| {
        amount.add_seconds(count.checked_mul(3_600)?)
    }),
    (b'M', |amount, count| {
        amount.add_seconds(count.checked_mul(60)?)
    }),
    (b'S', |amount, count| amount.add_seconds(count)),
];

pub(super) fn read(reader: &mut Reader<'_>) -> Read<Duration> {
    let is_negative = reader.sign().unwrap_or(false);
    if !reader.eat(b'P') || reader.is_at_end() {
        return Err(Refused::Form);
    }
    let mut amount = Amount::default();
    if looks_like_a_date(reader.rest) {
        read_date(reader, &mut amount)?;
    } else {
        read_units(reader, DATE_UNITS, &mut amount)?;
        if reader.eat(b'T') {
            if reader.is_at_end() {
                return Err(Refused::Form);
            }
            read_units(reader, CLOCK_UNITS, &mut amount)?;
        }
    }
    if is_negative {
        amount = amount.negated();
    }
    Ok(amount.duration()?)
}

/// The units in their order, each at most once.
fn read_units(reader: &mut Reader<'_>, units: &[Unit], amount: &mut Amount) -> Read<()> {
    let mut left = units.iter();
    while reader.peek().is_some_and(|next| next != b'T') {
        let count = read_count(reader)?;
        let unit = reader.peek().ok_or(Refused::Form)?;
        // Earlier units are used up on the way to this one.
        let (_, add) = left
            .find(|(letter, _)| *letter == unit)
            .ok_or(Refused::Form)?;
        reader.eat(unit);
        add(amount, count).ok_or_else(too_long)?;
    }
    Ok(())
}

/// A number with an optional sign and fraction, in parts of 10^-18.
fn read_count(reader: &mut Reader<'_>) -> Read<i128> {
    let is_negative = reader.sign().unwrap_or(false);
    let digits = reader.digits();
    if digits.is_empty() {
        return Err(Refused::Form);
    }
    if digits.len() > 19 {
        return Err(too_long().into());
    }
    let whole: i128 = digits.parse().map_err(|_| Refused::Form)?;
    let mut fraction = 0;
    if reader.eat(b'.') || reader.eat(b',') {
        let digits = reader.digits();
        if digits.is_empty() {
            return Err(Refused::Form);
        }
        // What is beyond 10^-18 is lost, as is everything beyond a nanosecond at last.
        let all = digits.bytes().chain(std::iter::repeat(b'0')).take(18);
        fraction = all.fold(0_i128, |fraction, digit| {
            fraction * 10 + i128::from(digit - b'0')
        });
    }
    // At most 19 digits and 18 more.
    let count = whole * ATTO + fraction;
    Ok(if is_negative { -count } else { count })
}

/// Four digits, and then no unit: a date begins like that.
fn looks_like_a_date(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(digits) {
        Some(b'-') => digits == 4,
        Some(b'T') | None => digits == 8,
        Some(_) => false,
    }
}

/// `2012-02-02T14:37:21.545` or `20120202T143721.545`: numbers of units, not a day of the calendar.
fn read_date(reader: &mut Reader<'_>, amount: &mut Amount) -> Read<()> {
    let year = reader.number(4)?;
    let is_separated = reader.eat(b'-');
    let month = reader.number(2)?;
    if is_separated && !reader.eat(b'-') {
        return Err(Refused::Form);
    }
    let day = reader.number(2)?;
    let nanos = if reader.eat(b'T') {
        clock::read(reader)?.nanos_of_day()
    } else {
        0
    };
    amount
        .add_months(i128::from(year * 12 + month) * ATTO)
        .and_then(|()| amount.add_days(i128::from(day) * ATTO))
        .and_then(|()| amount.add_seconds(i128::from(nanos) * (ATTO / 1_000_000_000)))
        .ok_or_else(too_long)?;
    Ok(())
}
