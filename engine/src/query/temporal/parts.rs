//! A place in time taken apart, whichever of the five types it has: its day, its time of day, its place.
//!
//! Next: `fields.rs`.

use super::zones::Place;
use crate::value::{Date, LocalDateTime, LocalTime, UtcOffset, Value};

/// What a place in time says; what its type does not say is none.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// Its day.
    pub(crate) date: Option<Date>,
    /// Its time of day.
    pub(crate) time: Option<LocalTime>,
    /// Its place, and the offset there.
    pub(crate) place: Option<(Place, UtcOffset)>,
}

impl Parts {
    /// The parts of a value; none for a duration and all that is no time.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        let (date, time, place) = match value {
            Value::Date(date) => (Some(*date), None, None),
            Value::LocalTime(time) => (None, Some(*time), None),
            Value::Time(time) => {
                let place = (Place::Fixed(time.offset(), None), time.offset());
                (None, Some(time.local()), Some(place))
            }
            Value::LocalDateTime(local) => (Some(local.date()), Some(local.time()), None),
            Value::DateTime(moment) => {
                let local = moment.local();
                let place = (Place::of(moment), moment.offset());
                (Some(local.date()), Some(local.time()), Some(place))
            }
            _ => return None,
        };
        Some(Self { date, time, place })
    }

    /// Day and time of day, where a missing time is midnight.
    pub(crate) fn local(&self) -> Option<LocalDateTime> {
        let time = self.time.unwrap_or(LocalTime::MIDNIGHT);
        self.date.map(|date| LocalDateTime::new(date, time))
    }
}
