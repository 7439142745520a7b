//! Temporal values from text: the forms of ISO 8601, with and without separators.
//!
//! What `Display` writes is always read back. The reader takes any text: it never indexes it, and what it
//! has not seen it does not take.
//!
//! | what | where |
//! |---|---|
//! | dates: `2015-07-21`, `2015W302`, `2015-202`, `2015-Q3-21` | `date.rs` |
//! | times of day and offsets: `21:40:32.142`, `2140`, `+0100` | `clock.rs` |
//! | durations: `P5M1.5D`, `P2012-02-02T14:37:21.545` | `duration.rs` |
//!
//! Next: `date.rs`.

use super::zones::Place;
use crate::query::error::{Detail, Fault, raise};
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, UtcOffset};

mod clock;
mod date;
mod duration;

#[cfg(test)]
mod tests;

/// Why a text is not what it should be.
#[derive(Debug)]
pub(super) enum Refused {
    /// It is not written like one.
    Form,
    /// It is written like one, but there is no such value.
    Value(Fault),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Value(fault)
    }
}

type Read<T> = Result<T, Refused>;

/// `2015-07-21` and its other forms.
pub(crate) fn date(text: &str) -> Result<Date, Fault> {
    whole(text, "a date", "2015-07-21", date::read)
}

/// `21:40:32.142` and its other forms.
pub(crate) fn local_time(text: &str) -> Result<LocalTime, Fault> {
    whole(text, "a local time", "21:40:32.142", clock::read)
}

/// A time of day with an offset, which is UTC's where none is given.
pub(crate) fn time(text: &str) -> Result<Time, Fault> {
    whole(text, "a time", "21:40:32.142+01:00", |reader| {
        let local = clock::read(reader)?;
        let offset = if reader.is_at_end() {
            UtcOffset::UTC
        } else {
            clock::read_offset(reader)?
        };
        Ok(Time::new(local, offset))
    })
}

/// A date, and a time of day or midnight.
pub(crate) fn local_date_time(text: &str) -> Result<LocalDateTime, Fault> {
    whole(
        text,
        "a local date-time",
        "2015-07-21T21:40:32.142",
        read_local,
    )
}

/// A date, a time of day or midnight, and where; UTC if nothing is said.
pub(crate) fn date_time(text: &str) -> Result<DateTime, Fault> {
    whole(
        text,
        "a date-time",
        "2015-07-21T21:40:32.142+01:00[Europe/Paris]",
        |reader| {
            let local = read_local(reader)?;
            let offset = match reader.peek() {
                None | Some(b'[') => None,
                Some(_) => Some(clock::read_offset(reader)?),
            };
            if !reader.eat(b'[') {
                return Ok(DateTime::new(local, offset.unwrap_or(UtcOffset::UTC), None));
            }
            let place = Place::named(reader.until(b']').ok_or(Refused::Form)?)?;
            if let Some(offset) = offset
                && !place.has(local, offset)?
            {
                return Err(Refused::Value(super::meaningless(format!(
                    "clocks there do not show that time at {offset}"
                ))));
            }
            Ok(place.at_local(local, offset)?)
        },
    )
}

/// An offset from UTC: `Z`, `+01:00`, `-0130`, `+02:05:59`.
pub(crate) fn offset(text: &str) -> Result<UtcOffset, Fault> {
    whole(text, "an offset from UTC", "+01:00", clock::read_offset)
}

/// `P5M1.5D` and its other forms.
pub(crate) fn duration(text: &str) -> Result<Duration, Fault> {
    whole(text, "a duration", "P1Y2M3DT4H5M6.7S", duration::read)
}

fn read_local(reader: &mut Reader<'_>) -> Read<LocalDateTime> {
    let date = date::read(reader)?;
    let time = if reader.eat(b'T') {
        clock::read(reader)?
    } else {
        LocalTime::MIDNIGHT
    };
    Ok(LocalDateTime::new(date, time))
}

/// Reads a text to its end, or says what it should look like.
fn whole<T>(
    text: &str,
    what: &str,
    example: &str,
    read: impl FnOnce(&mut Reader<'_>) -> Read<T>,
) -> Result<T, Fault> {
    let mut reader = Reader { rest: text };
    let refused = match read(&mut reader) {
        Ok(value) if reader.is_at_end() => return Ok(value),
        Ok(_) => Refused::Form,
        Err(refused) => refused,
    };
    let shown = excerpt(text);
    let why = match &refused {
        Refused::Value(Fault::Raised(raised)) => format!(": {}", raised.message),
        Refused::Value(_) | Refused::Form => String::new(),
    };
    Err(raise(
        Detail::InvalidTemporalText,
        format!("`{shown}` is not {what}{why}"),
    )
    .hint(format!("it is written like `{example}`")))
}

/// Enough of a text to recognise it by; it may be megabytes of somebody's mistake.
pub(crate) fn excerpt(text: &str) -> String {
    let shown: String = text.chars().take(64).collect();
    shown.escape_debug().to_string()
}

/// The unread tail of a text.
pub(super) struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn peek(&self) -> Option<u8> {
        self.rest.bytes().next()
    }

    /// Takes an ASCII character if it comes next.
    fn eat(&mut self, sign: u8) -> bool {
        match self.rest.strip_prefix(char::from(sign)) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes `+` or `-` if one comes next; whether it is `-`.
    fn sign(&mut self) -> Option<bool> {
        if self.eat(b'-') {
            Some(true)
        } else {
            self.eat(b'+').then_some(false)
        }
    }

    /// Takes all digits that come next; there may be none.
    fn digits(&mut self) -> &'a str {
        let end = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(end).unwrap_or(("", self.rest));
        self.rest = rest;
        digits
    }

    /// Takes so many digits as a number.
    fn number(&mut self, count: usize) -> Read<i64> {
        let (digits, rest) = self.rest.split_at_checked(count).ok_or(Refused::Form)?;
        self.rest = rest;
        number(digits)
    }

    /// Takes what is before an ASCII character, and that.
    fn until(&mut self, end: u8) -> Option<&'a str> {
        let (taken, rest) = self.rest.split_once(char::from(end))?;
        self.rest = rest;
        Some(taken)
    }
}

/// Digits and nothing else, at most 18 of them.
fn number(digits: &str) -> Read<i64> {
    if digits.is_empty() || digits.len() > 18 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Refused::Form);
    }
    digits.parse().map_err(|_| Refused::Form)
}
