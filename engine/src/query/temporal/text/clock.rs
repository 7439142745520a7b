//! Times of day and offsets from UTC in text.
//!
//! Hours, minutes and seconds stand apart by `:` or not at all, but not mixed; only seconds have a fraction.
//!
//! Next: `duration.rs`.

use super::{Read, Reader, Refused};
use crate::query::temporal::{beyond, calendar::within};
use crate::value::{LocalTime, UtcOffset};

pub(super) fn read(reader: &mut Reader<'_>) -> Read<LocalTime> {
    let ([hour, minute, second], has_seconds) = clock(reader)?;
    let nanosecond = if has_seconds && (reader.eat(b'.') || reader.eat(b',')) {
        nanoseconds(reader.digits())?
    } else {
        0
    };
    within("hour", hour, 0, 23)?;
    within("minute", minute, 0, 59)?;
    within("second", second, 0, 59)?;
    // All of them are two digits.
    let second_of_day = (hour * 3_600 + minute * 60 + second).cast_unsigned() as u32;
    Ok(LocalTime::from_second_of_day(second_of_day, nanosecond).map_err(beyond)?)
}

pub(super) fn read_offset(reader: &mut Reader<'_>) -> Read<UtcOffset> {
    if reader.eat(b'Z') {
        return Ok(UtcOffset::UTC);
    }
    let negative = reader.sign().ok_or(Refused::Form)?;
    let ([hours, minutes, seconds], _) = clock(reader)?;
    within("minutes of an offset", minutes, 0, 59)?;
    within("seconds of an offset", seconds, 0, 59)?;
    // All of them are two digits.
    let total = (hours * 3_600 + minutes * 60 + seconds) as i32;
    Ok(UtcOffset::from_seconds(if negative { -total } else { total }).map_err(beyond)?)
}

/// Hours, minutes and seconds of two digits each, and whether the seconds were given.
fn clock(reader: &mut Reader<'_>) -> Read<([i64; 3], bool)> {
    let digits = reader.digits();
    let mut parts;
    if digits.len() == 2 {
        parts = [super::number(digits)?, 0, 0];
        if !reader.eat(b':') {
            return Ok((parts, false));
        }
        parts[1] = reader.number(2)?;
        let has_seconds = reader.eat(b':');
        if has_seconds {
            parts[2] = reader.number(2)?;
        }
        return Ok((parts, has_seconds));
    }
    let number = super::number(digits)?;
    match digits.len() {
        4 => Ok(([number / 100, number % 100, 0], false)),
        6 => Ok(([number / 10_000, number / 100 % 100, number % 100], true)),
        _ => Err(Refused::Form),
    }
}

/// One to nine digits after a point.
fn nanoseconds(digits: &str) -> Read<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return Err(Refused::Form);
    }
    let all = digits.bytes().chain(std::iter::repeat(b'0')).take(9);
    Ok(all.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0')))
}
