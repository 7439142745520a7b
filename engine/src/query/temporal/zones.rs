//! Time zones: which offset from UTC a named zone has at an instant, and at a local time.
//!
//! Where clocks are put back a local time happens twice, and the earlier offset is taken; where they are put
//! forward a local time does not happen, and it is moved forward by as much as the clocks are. The rules are
//! those of the IANA database of the version that the program was built with.
//!
//! Next: `text/mod.rs`.

use super::{beyond, meaningless};
use crate::query::error::Fault;
use crate::query::temporal::text;
use crate::value::{DateTime, LocalDateTime, UtcOffset, ZoneName};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use std::sync::LazyLock;

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The calendar and the weekdays repeat after 400 years.
const CYCLE_SECONDS: i64 = 146_097 * super::DAY_SECONDS;
/// Some moments of the years -8804 and 8941. The library covers the years -9999 to 9999: what is outside is
/// looked up a number of cycles nearer, where the first and the last rule of a zone hold as well.
const FIRST_SECOND: i64 = -340_000_000_000;
const LAST_SECOND: i64 = 220_000_000_000;

/// Where clocks are: at a fixed distance from UTC, or in a zone with rules.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// At this offset whenever; a name is kept if the zone is not known here.
    Fixed(UtcOffset, Option<ZoneName>),
    /// In this zone.
    Zone(ZoneName, TimeZone),
}

impl Place {
    /// UTC itself.
    pub(crate) const UTC: Self = Self::Fixed(UtcOffset::UTC, None);

    /// The place that a text names: `Z`, `+01:00`, `Europe/Stockholm`.
    pub(crate) fn parse(name: &str) -> Result<Self, Fault> {
        if name.starts_with(['+', '-']) || name == "Z" {
            return text::offset(name).map(|offset| Self::Fixed(offset, None));
        }
        Self::named(name)
    }

    /// The zone of that name.
    pub(crate) fn named(name: &str) -> Result<Self, Fault> {
        // People write `America/Los Angeles`.
        let searched = name.replace(' ', "_");
        let unknown = || {
            meaningless(format!("there is no time zone `{}`", text::excerpt(name)))
                .hint("name it as the IANA database does, such as `Europe/Stockholm`, or give an offset: `+01:00`")
        };
        // Checked first: the library is asked only about what can be a name.
        ZoneName::new(&searched).map_err(|_| unknown())?;
        let zone = ZONES.get(&searched).map_err(|_| unknown())?;
        let name = ZoneName::new(zone.iana_name().unwrap_or(&searched)).map_err(|_| unknown())?;
        Ok(Self::Zone(name, zone))
    }

    /// Where a date-time is. A zone that is not known here is the offset that it had.
    pub(crate) fn of(moment: &DateTime) -> Self {
        let Some(name) = moment.zone() else {
            return Self::Fixed(moment.offset(), None);
        };
        match ZONES.get(name.as_str()) {
            Ok(zone) => Self::Zone(name.clone(), zone),
            Err(_) => Self::Fixed(moment.offset(), Some(name.clone())),
        }
    }

    /// The offset at a moment, told in seconds since 1970 in UTC.
    pub(crate) fn offset_at(&self, second: i64) -> UtcOffset {
        match self {
            Self::Fixed(offset, _) => *offset,
            Self::Zone(_, zone) => match jiff::Timestamp::from_second(nearer(second)) {
                Ok(timestamp) => offset_from(zone.to_offset(timestamp)),
                Err(_) => UtcOffset::UTC,
            },
        }
    }

    /// A moment, told here.
    pub(crate) fn at_instant(&self, second: i64, nanosecond: u32) -> Result<DateTime, Fault> {
        DateTime::from_epoch(second, nanosecond, self.offset_at(second), self.name())
            .map_err(beyond)
    }

    /// The moment when clocks show `local` here. Where that happens twice, `preferred` decides.
    pub(crate) fn at_local(
        &self,
        local: LocalDateTime,
        preferred: Option<UtcOffset>,
    ) -> Result<DateTime, Fault> {
        let zone = match self {
            Self::Fixed(offset, name) => return Ok(DateTime::new(local, *offset, name.clone())),
            Self::Zone(_, zone) => zone,
        };
        let (local, offset) = match offsets_at(zone, local)? {
            AmbiguousOffset::Unambiguous { offset } => (local, offset_from(offset)),
            AmbiguousOffset::Fold { before, after } => {
                let (before, after) = (offset_from(before), offset_from(after));
                let is_later = preferred == Some(after);
                (local, if is_later { after } else { before })
            }
            AmbiguousOffset::Gap { before, after } => {
                let (before, after) = (offset_from(before), offset_from(after));
                let moved = local.epoch_second() + i64::from(after.seconds() - before.seconds());
                let local = LocalDateTime::from_epoch(moved, local.nanosecond()).map_err(beyond)?;
                (local, after)
            }
        };
        Ok(DateTime::new(local, offset, self.name()))
    }

    /// Whether clocks here can show `local` at `offset`.
    pub(crate) fn has(&self, local: LocalDateTime, offset: UtcOffset) -> Result<bool, Fault> {
        let zone = match self {
            Self::Fixed(fixed, _) => return Ok(*fixed == offset),
            Self::Zone(_, zone) => zone,
        };
        Ok(match offsets_at(zone, local)? {
            AmbiguousOffset::Unambiguous { offset: only } => offset_from(only) == offset,
            AmbiguousOffset::Fold { before, after } => {
                offset_from(before) == offset || offset_from(after) == offset
            }
            AmbiguousOffset::Gap { .. } => false,
        })
    }

    fn name(&self) -> Option<ZoneName> {
        match self {
            Self::Fixed(_, name) => name.clone(),
            Self::Zone(name, _) => Some(name.clone()),
        }
    }
}

fn offsets_at(zone: &TimeZone, local: LocalDateTime) -> Result<AmbiguousOffset, Fault> {
    let near = LocalDateTime::from_epoch(nearer(local.epoch_second()), 0).map_err(beyond)?;
    let date = near.date();
    let civil = (|| {
        jiff::civil::DateTime::new(
            i16::try_from(date.year()).ok()?,
            i8::try_from(date.month()).ok()?,
            i8::try_from(date.day()).ok()?,
            i8::try_from(near.hour()).ok()?,
            i8::try_from(near.minute()).ok()?,
            i8::try_from(near.second()).ok()?,
            0,
        )
        .ok()
    })();
    let civil = civil.ok_or_else(|| meaningless("a time that no zone's rules cover"))?;
    Ok(zone.to_ambiguous_timestamp(civil).offset())
}

/// A moment that the library covers and where the same rules hold.
fn nearer(second: i64) -> i64 {
    if second > LAST_SECOND {
        LAST_SECOND - CYCLE_SECONDS + (second - LAST_SECOND).rem_euclid(CYCLE_SECONDS)
    } else if second < FIRST_SECOND {
        FIRST_SECOND + (second - FIRST_SECOND).rem_euclid(CYCLE_SECONDS)
    } else {
        second
    }
}

/// No zone has ever been 18 hours from UTC.
fn offset_from(offset: Offset) -> UtcOffset {
    UtcOffset::from_seconds(offset.seconds()).unwrap_or(UtcOffset::UTC)
}
