//! The text of dates, times and durations, the calendar against one counted day by day, and what
//! is refused.
//!
//! Next: `../order/tests.rs`, for their order.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use proptest::prelude::*;

use super::*;
use crate::value::Value;
use crate::value::any_value::{any_date, any_local_time, scalar};

/// Reads each text and writes it again.
fn assert_round_trips<T: FromStr<Err: Debug> + Display>(texts: &[&str]) {
    for text in texts {
        let value = text.parse::<T>().unwrap();
        assert_eq!(value.to_string(), *text);
    }
}

/// Forms that the temporal scenarios of the TCK expect, and those next to them.
#[test]
fn texts_by_example() {
    assert_round_trips::<Date>(&[
        "1984-10-11",
        "0000-02-29",
        "0028-11-11",
        "-0001-12-31",
        "+10000-01-01",
        "-999999999-01-01",
        "+999999999-12-31",
    ]);
    assert_round_trips::<LocalTime>(&[
        "12:00",
        "00:00",
        "12:31:14",
        "12:31:14.645",
        "12:31:14.645876",
        "12:31:14.645876123",
        "00:00:00.000000002",
        "12:00:00.500",
        "23:59:59.999999999",
    ]);
    assert_round_trips::<Time>(&[
        "12:31Z",
        "12:31:14.645+01:00",
        "12:34:56+02:05:59",
        "12:34:56-02:05:07",
        "22:00+18:00",
        "00:00-18:00",
    ]);
    assert_round_trips::<UtcOffset>(&["Z", "+01:00", "-00:00:01", "+18:00"]);
    assert_round_trips::<LocalDateTime>(&["1984-10-11T12:31:14.645", "1900-01-01T00:00"]);
    assert_round_trips::<DateTime>(&[
        "1984-10-11T12:31:14.645876123+01:00[Europe/Stockholm]",
        "1984-03-28T10:10:10-10:00[Pacific/Honolulu]",
        "1984-10-11T12:34:56+02:05:59",
        "2015-07-20T21:40Z",
        "2015-07-20T21:40Z[Etc/UTC]",
    ]);
    assert_round_trips::<Duration>(&[
        "PT0S",
        "P12Y5M14DT16H12M",
        "P12Y5M14DT16H13M10.000000001S",
        "P12Y5M-14DT16H",
        "P-1Y-8M",
        "P-12Y-4M-28DT-24M-0.000000001S",
        "P-27DT-21H-40M-32.142S",
        "P1DT-0.001S",
        "PT-0.3S",
        "PT-1M-0.001S",
        "PT-59.999S",
        "PT-14H-30M",
        "PT-5H-10M-32.142S",
        "P1999999998Y11M30D",
        "PT17531639991215H59M59S",
        "PT2562047788015215H30M7.999999999S",
        "PT-2562047788015215H-30M-8S",
    ]);
}

#[test]
fn parts_by_example() {
    let moment = "1984-10-11T12:31:14.645876123-01:00"
        .parse::<DateTime>()
        .unwrap();
    assert_eq!(
        (moment.year(), moment.month(), moment.day()),
        (1984, 10, 11)
    );
    assert_eq!(
        (moment.hour(), moment.minute(), moment.second()),
        (12, 31, 14)
    );
    assert_eq!(moment.nanosecond(), 645_876_123);
    assert_eq!(moment.epoch_second(), 466_345_874 + 3_600);
    let again = DateTime::from_epoch(466_349_474, 645_876_123, moment.offset(), None);
    assert_eq!(again, Ok(moment));
    let before = LocalDateTime::from_epoch(-1, 1).unwrap();
    assert_eq!(before.to_string(), "1969-12-31T23:59:59.000000001");
    // -1.999 s are -2 s and one millisecond.
    let duration = Duration::new(-20, 0, -2, 1_000_000).unwrap();
    assert_eq!(duration.to_string(), "P-1Y-8MT-1.999S");
    assert_eq!(duration.average_seconds(), -20 * 2_629_746 - 2);
    let time = "00:30+01:00".parse::<Time>().unwrap();
    assert_eq!(time.utc_nanos(), -1_800_000_000_000);
}

#[test]
fn what_does_not_exist_is_refused() {
    for (error, message) in [
        (
            Date::new(1_000_000_000, 1, 1).err(),
            "the year must be between -999999999 and 999999999, it is 1000000000",
        ),
        (
            Date::new(2001, 0, 1).err(),
            "the month must be between 1 and 12, it is 0",
        ),
        (
            Date::new(1900, 2, 29).err(),
            "month 2 of the year 1900 has 28 days, not 29",
        ),
        (
            Date::new(2000, 2, 30).err(),
            "month 2 of the year 2000 has 29 days, not 30",
        ),
        (
            Date::new(2001, 4, 31).err(),
            "month 4 of the year 2001 has 30 days, not 31",
        ),
        (
            Date::new(2001, 4, 0).err(),
            "month 4 of the year 2001 has 30 days, not 0",
        ),
        (
            LocalTime::new(24, 0, 0, 0).err(),
            "the hour must be between 0 and 23, it is 24",
        ),
        (
            LocalTime::new(0, 60, 0, 0).err(),
            "the minute must be between 0 and 59, it is 60",
        ),
        (
            LocalTime::new(0, 0, 60, 0).err(),
            "the second must be between 0 and 59, it is 60",
        ),
        (
            LocalTime::new(0, 0, 0, 1_000_000_000).err(),
            "the nanosecond must be between 0 and 999999999, it is 1000000000",
        ),
        (
            UtcOffset::from_seconds(64_801).err(),
            "the offset from UTC in seconds must be between -64800 and 64800, it is 64801",
        ),
        (ZoneName::new("").err(), "`` is not the name of a time zone"),
        (
            ZoneName::new("a]b").err(),
            "`a]b` is not the name of a time zone",
        ),
        (
            ZoneName::new("+1").err(),
            "`+1` is not the name of a time zone",
        ),
        (
            Duration::new(0, 0, 0, 1_000_000_000).err(),
            "the nanosecond must be between 0 and 999999999, it is 1000000000",
        ),
        (
            Duration::new(i64::MAX, 0, 0, 0).err(),
            "the duration is longer than 2^63 seconds",
        ),
        (
            Duration::new(0, 1, i64::MAX, 0).err(),
            "the duration is longer than 2^63 seconds",
        ),
        (
            DateTime::from_epoch(i64::MAX, 0, UtcOffset::MAX, None).err(),
            "the second since 1970-01-01T00:00 must be between -31557014135596800 and 31556889832780799, it is 9223372036854775807",
        ),
    ] {
        assert_eq!(error.unwrap().to_string(), message);
    }
    assert!(Date::from_epoch_day(Date::MAX.epoch_day() + 1).is_err());
    assert!(Date::from_epoch_day(Date::MIN.epoch_day() - 1).is_err());
    assert!(LocalTime::from_nanos_of_day(86_400_000_000_000).is_err());
    assert!(LocalTime::from_nanos_of_day(u64::MAX).is_err());
}

#[test]
fn texts_are_refused_where_they_go_wrong() {
    fn error<T: FromStr<Err: Display> + Debug>(text: &str) -> String {
        text.parse::<T>().unwrap_err().to_string()
    }
    for (found, message) in [
        (error::<Date>(""), "not a date: a year expected at byte 0"),
        (
            error::<Date>("984-10-11"),
            "not a date: a year expected at byte 0",
        ),
        (
            error::<Date>("1984-1-11"),
            "not a date: a month of two digits expected at byte 5",
        ),
        (
            error::<Date>("1984-10-11 "),
            "not a date: the end expected at byte 10",
        ),
        (
            error::<Date>("19841-10-11"),
            "not a date: `-` and a month expected at byte 4",
        ),
        (
            error::<Date>("+1984-10-11"),
            "not a date: write it as 1984-10-11",
        ),
        (
            error::<Date>("-0000-10-11"),
            "not a date: write it as 0000-10-11",
        ),
        (
            error::<Date>("1984-02-30"),
            "not a date: month 2 of the year 1984 has 29 days, not 30 at byte 0",
        ),
        (
            error::<Date>("1984-1é-11"),
            "not a date: a month of two digits expected at byte 5",
        ),
        (
            error::<LocalTime>("12:00:00"),
            "not a local time: write it as 12:00",
        ),
        (
            error::<LocalTime>("12:00:00.5"),
            "not a local time: write it as 12:00:00.500",
        ),
        (
            error::<LocalTime>("12:00:00."),
            "not a local time: one to nine digits expected at byte 9",
        ),
        (
            error::<LocalTime>("12:00:00.0000000001"),
            "not a local time: the end expected at byte 18",
        ),
        (
            error::<Time>("12:00"),
            "not a time: an offset from UTC (`Z`, `+hh:mm` or `-hh:mm`) expected at byte 5",
        ),
        (
            error::<Time>("12:00+00:00"),
            "not a time: write it as 12:00Z",
        ),
        (
            error::<Time>("12:00+18:01"),
            "not a time: the offset from UTC in seconds must be between -64800 and 64800, it is 64860 at byte 5",
        ),
        (
            error::<LocalDateTime>("1984-10-11"),
            "not a local date-time: `T` and a time expected at byte 10",
        ),
        (
            error::<LocalDateTime>("1984-10-11T24:00"),
            "not a local date-time: the hour must be between 0 and 23, it is 24 at byte 11",
        ),
        (
            error::<DateTime>("1984-10-11T12:00Z[a b]"),
            "not a date-time: `a b` is not the name of a time zone at byte 18",
        ),
        (
            error::<DateTime>("1984-10-11T12:00Z[ab"),
            "not a date-time: the name of a time zone and `]` expected at byte 18",
        ),
        (
            error::<Duration>("1D"),
            "not a duration: `P` expected at byte 0",
        ),
        (error::<Duration>("P"), "not a duration: write it as PT0S"),
        (error::<Duration>("P1DT"), "not a duration: write it as P1D"),
        (
            error::<Duration>("PT60S"),
            "not a duration: write it as PT1M",
        ),
        (
            error::<Duration>("P1D1D"),
            "not a duration: write it as P2D",
        ),
        (
            error::<Duration>("PT1H-1M"),
            "not a duration: write it as PT59M",
        ),
        (
            error::<Duration>("P1.5D"),
            "not a duration: `S` expected at byte 4",
        ),
        (
            error::<Duration>("P1S"),
            "not a duration: `Y`, `M`, `D` or `T` expected at byte 2",
        ),
        (
            error::<Duration>("PT1D"),
            "not a duration: `H`, `M` or `S` expected at byte 3",
        ),
        (
            error::<Duration>("P9999999999999999999Y"),
            "not a duration: the duration is longer than 2^63 seconds at byte 1",
        ),
        (
            error::<Duration>(&format!("P{}", "9999999999999999999Y".repeat(9))),
            "not a duration: a text of at most 128 bytes expected at byte 0",
        ),
    ] {
        assert_eq!(found, message);
    }
}

/// A calendar that knows only how long months are.
#[test]
fn the_calendar_counts_like_a_slow_one() {
    let (mut year, mut month, mut day) = (-1_201_i64, 1_u32, 1_u32);
    let mut epoch_day = Date::new(year, month, day).unwrap().epoch_day();
    let mut seen_epoch = false;
    while year < 2_801 {
        let date = Date::from_epoch_day(epoch_day).unwrap();
        assert_eq!(date.civil(), (year, month, day));
        assert_eq!(Date::new(year, month, day), Ok(date));
        seen_epoch |= (year, month, day, epoch_day) == (1970, 1, 1, 0);
        let is_leap =
            year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
        let length = [
            31,
            28 + u32::from(is_leap),
            31,
            30,
            31,
            30,
            31,
            31,
            30,
            31,
            30,
            31,
        ];
        epoch_day += 1;
        day += 1;
        if day > length[month as usize - 1] {
            (month, day) = (month + 1, 1);
        }
        if month > 12 {
            (year, month) = (year + 1, 1);
        }
    }
    assert!(seen_epoch);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn text_comes_back(value in scalar()) {
        fn back<T: FromStr<Err: Debug> + Display>(value: &T) -> T {
            value.to_string().parse().unwrap()
        }
        match value {
            Value::Date(value) => prop_assert_eq!(back(&value), value),
            Value::Time(value) => prop_assert_eq!(back(&value), value),
            Value::LocalTime(value) => prop_assert_eq!(back(&value), value),
            Value::DateTime(value) => prop_assert_eq!(back(&value), value),
            Value::LocalDateTime(value) => prop_assert_eq!(back(&value), value),
            Value::Duration(value) => prop_assert_eq!(back(&value), value),
            _ => {}
        }
    }

    #[test]
    fn components_come_back(date in any_date(), time in any_local_time()) {
        prop_assert_eq!(Date::new(date.year(), date.month(), date.day()), Ok(date));
        let again = LocalTime::new(time.hour(), time.minute(), time.second(), time.nanosecond());
        prop_assert_eq!(again, Ok(time));
        let local = LocalDateTime::new(date, time);
        prop_assert_eq!(LocalDateTime::from_epoch(local.epoch_second(), local.nanosecond()), Ok(local));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+PTZYMDHS0-9:.\\[\\]a]{0,24}|\\PC{0,8}") {
        // What reads is written the same, which `Scanner::finish` sees to; here: no panic.
        let _ = (text.parse::<Date>(), text.parse::<LocalTime>(), text.parse::<Time>());
        let _ = (text.parse::<LocalDateTime>(), text.parse::<DateTime>());
        if let Ok(duration) = text.parse::<Duration>() {
            prop_assert_eq!(duration.to_string(), text);
        }
    }
}
