//! The distance from one place in time to another, in the units that are asked for.
//!
//! Two values of different types are brought together first: a missing time of day is midnight, a missing
//! day is the other's day, and a missing place is the other's place. Two times without any day are on the
//! same one.
//!
//! Next: back to `mod.rs`.

use super::calendar::{plus_days, plus_months};
use super::parts::Parts;
use super::zones::Place;
use super::{SECOND_NANOS, beyond, meaningless};
use crate::query::error::Fault;
use crate::value::{Date, Duration, LocalDateTime, LocalTime, UtcOffset, Value};

/// The units of a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    /// Months, then days, then seconds: as much of the larger ones as there is.
    All,
    /// Whole months only.
    Months,
    /// Whole days only.
    Days,
    /// Seconds only.
    Seconds,
}

/// One end of a distance: what clocks show at a place, and the moment that this is.
#[derive(Clone)]
struct End {
    local: LocalDateTime,
    offset: UtcOffset,
    place: Place,
}

/// The distance from `from` to `to`; negative where `to` is earlier.
pub(crate) fn between(from: &Value, to: &Value, units: Units) -> Result<Duration, Fault> {
    let (Some(from), Some(to)) = (Parts::of(from), Parts::of(to)) else {
        return Err(meaningless("a distance is between two places in time"));
    };
    let have_days = from.date.is_some() && to.date.is_some();
    let (start, end) = (End::of(&from, &to)?, End::of(&to, &from)?);
    // The calendar of the first place tells how many months and days there are.
    let end_there = end.seen_from(&start)?;
    let whole = |months, days| Duration::new(months, days, 0, 0).map_err(beyond);
    match units {
        Units::Months | Units::Days if !have_days => whole(0, 0),
        Units::Months => whole(months_until(start.local, end_there), 0),
        Units::Days => whole(0, days_until(start.local, end_there)),
        Units::Seconds => start.seconds_until(&end, 0, 0),
        Units::All if !have_days => start.seconds_until(&end, 0, 0),
        Units::All => {
            let months = months_until(start.local, end_there);
            let near = start.later(months, 0)?;
            let days = days_until(near.local, end_there);
            near.later(0, days)?.seconds_until(&end, months, days)
        }
    }
}

impl End {
    /// An end, where the other one gives what it does not say itself.
    fn of(parts: &Parts, other: &Parts) -> Result<Self, Fault> {
        // Any day does, as long as it is the same for both.
        let same_day = || Date::from_epoch_day(0).map_err(beyond);
        let date = parts.date.or(other.date).map_or_else(same_day, Ok)?;
        let local = LocalDateTime::new(date, parts.time.unwrap_or(LocalTime::MIDNIGHT));
        let (place, offset) = match (&parts.place, &other.place) {
            (Some((place, offset)), _) => (place.clone(), Some(*offset)),
            (None, Some((place, _))) => (place.clone(), None),
            (None, None) => (Place::UTC, None),
        };
        let moment = place.at_local(local, offset)?;
        Ok(Self {
            local: moment.local(),
            offset: moment.offset(),
            place,
        })
    }

    fn epoch_second(&self) -> i64 {
        self.local.epoch_second() - i64::from(self.offset.seconds())
    }

    /// What clocks at `other`'s place show at this moment.
    fn seen_from(&self, other: &Self) -> Result<LocalDateTime, Fault> {
        if let (Place::Fixed(one, _), Place::Fixed(another, _)) = (&self.place, &other.place)
            && one == another
        {
            return Ok(self.local);
        }
        let moment = other
            .place
            .at_instant(self.epoch_second(), self.local.nanosecond())?;
        Ok(moment.local())
    }

    fn later(&self, months: i64, days: i64) -> Result<Self, Fault> {
        if months == 0 && days == 0 {
            return Ok(self.clone());
        }
        let date = plus_days(plus_months(self.local.date(), months)?, days)?;
        let local = LocalDateTime::new(date, self.local.time());
        let moment = self.place.at_local(local, Some(self.offset))?;
        Ok(Self {
            local: moment.local(),
            offset: moment.offset(),
            place: self.place.clone(),
        })
    }

    /// The seconds that pass until `end`, beside months and days.
    fn seconds_until(&self, end: &Self, months: i64, days: i64) -> Result<Duration, Fault> {
        let nanos = i64::from(end.local.nanosecond()) - i64::from(self.local.nanosecond());
        let seconds = end.epoch_second() - self.epoch_second() + nanos.div_euclid(SECOND_NANOS);
        // The remainder is below 10^9.
        let nanos = nanos.rem_euclid(SECOND_NANOS).cast_unsigned() as u32;
        Duration::new(months, days, seconds, nanos).map_err(beyond)
    }
}

/// Whole months from one local date-time to another, cut off towards zero.
fn months_until(from: LocalDateTime, to: LocalDateTime) -> i64 {
    let (start, end) = (from.date(), to.date());
    let months =
        (end.year() - start.year()) * 12 + i64::from(end.month()) - i64::from(start.month());
    // The last month is not whole where the day or the time of day has not come yet.
    let rest = (end.day(), to.time()).cmp(&(start.day(), from.time()));
    toward_zero(months, rest)
}

/// Whole days from one local date-time to another, cut off towards zero.
fn days_until(from: LocalDateTime, to: LocalDateTime) -> i64 {
    let days = to.date().epoch_day() - from.date().epoch_day();
    toward_zero(days, to.time().cmp(&from.time()))
}

/// A number of units, less one if what is left over points the other way.
fn toward_zero(units: i64, rest: std::cmp::Ordering) -> i64 {
    if units > 0 && rest.is_lt() {
        units - 1
    } else if units < 0 && rest.is_gt() {
        units + 1
    } else {
        units
    }
}
