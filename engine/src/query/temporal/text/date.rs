//! Dates in text: calendar, week, ordinal and quarter dates, cut off anywhere from the right.
//!
//! A year has four digits. With a sign it has one to nine, and separators must follow, for otherwise nobody
//! could tell where it ends.
//!
//! Next: `clock.rs`.

use super::{Read, Reader, Refused, number};
use crate::query::temporal::calendar::{self, WeekDate};
use crate::value::Date;

pub(super) fn read(reader: &mut Reader<'_>) -> Read<Date> {
    if let Some(negative) = reader.sign() {
        let digits = reader.digits();
        if digits.len() > 9 {
            return Err(Refused::Form);
        }
        let year = number(digits)?;
        let year = if negative { -year } else { year };
        return if reader.eat(b'-') {
            separated(reader, year)
        } else {
            january(year)
        };
    }
    let year = reader.number(4)?;
    match reader.peek() {
        Some(b'-') => {
            reader.eat(b'-');
            separated(reader, year)
        }
        Some(b'W' | b'Q' | b'0'..=b'9') => compact(reader, year),
        _ => january(year),
    }
}

fn january(year: i64) -> Read<Date> {
    Ok(calendar::from_civil(year, 1, 1)?)
}

/// After `2015-`: `07`, `07-21`, `202`, `W30`, `W30-2`, `Q3`, `Q3-21`.
fn separated(reader: &mut Reader<'_>, year: i64) -> Read<Date> {
    if reader.eat(b'W') {
        let week = reader.number(2)?;
        let day = if reader.eat(b'-') {
            reader.number(1)?
        } else {
            1
        };
        return Ok(calendar::from_week(WeekDate { year, week, day })?);
    }
    if reader.eat(b'Q') {
        let quarter = reader.number(1)?;
        let day = if reader.eat(b'-') {
            reader.number(2)?
        } else {
            1
        };
        return Ok(calendar::from_quarter(year, quarter, day)?);
    }
    let digits = reader.digits();
    match digits.len() {
        3 => Ok(calendar::from_ordinal(year, number(digits)?)?),
        2 => {
            let day = if reader.eat(b'-') {
                reader.number(2)?
            } else {
                1
            };
            Ok(calendar::from_civil(year, number(digits)?, day)?)
        }
        _ => Err(Refused::Form),
    }
}

/// After `2015`: `07`, `0721`, `202`, `W30`, `W302`, `Q3`, `Q321`.
fn compact(reader: &mut Reader<'_>, year: i64) -> Read<Date> {
    if reader.eat(b'W') {
        let week = reader.number(2)?;
        let day = if is_digit(reader) {
            reader.number(1)?
        } else {
            1
        };
        return Ok(calendar::from_week(WeekDate { year, week, day })?);
    }
    if reader.eat(b'Q') {
        let quarter = reader.number(1)?;
        let day = if is_digit(reader) {
            reader.number(2)?
        } else {
            1
        };
        return Ok(calendar::from_quarter(year, quarter, day)?);
    }
    let digits = number_of(reader)?;
    match digits {
        (number, 2) => Ok(calendar::from_civil(year, number, 1)?),
        (number, 3) => Ok(calendar::from_ordinal(year, number)?),
        (number, 4) => Ok(calendar::from_civil(year, number / 100, number % 100)?),
        _ => Err(Refused::Form),
    }
}

fn is_digit(reader: &Reader<'_>) -> bool {
    reader.peek().is_some_and(|byte| byte.is_ascii_digit())
}

/// The number that comes next and how many digits it has.
fn number_of(reader: &mut Reader<'_>) -> Read<(i64, usize)> {
    let digits = reader.digits();
    Ok((number(digits)?, digits.len()))
}
