//! Sizes, periods and prices as people write them: `64MiB`, `30s`, `0.15/0.60`.

use serde::{Deserialize, Deserializer, de};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use stratigraph_models::Prices;

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(pub Duration);

/// What a million tokens of a model cost, read and written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerMillion(pub Prices);

const SIZES: &[(&str, u64)] = &[
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];
const PERIODS: &[(&str, u64)] = &[
    ("ms", 1),
    ("s", 1000),
    ("min", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];

impl Size {
    /// The number as memory counts it.
    #[must_use]
    pub fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Period {
    /// Whole milliseconds.
    #[must_use]
    pub fn millis(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX)
    }
}

/// A whole number and its unit.
fn parse(text: &str, units: &[(&str, u64)], example: &str) -> Result<u64, String> {
    let refused = || {
        let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
        format!(
            "`{text}` is not a whole number with a unit ({}), such as {example}",
            names.join(", ")
        )
    };
    let digits = text.len()
        - text
            .trim_start_matches(|one: char| one.is_ascii_digit())
            .len();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| refused())?;
    let unit = units
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()));
    let (_, factor) = unit.ok_or_else(refused)?;
    number
        .checked_mul(*factor)
        .ok_or_else(|| format!("`{text}` is too large"))
}

/// In the largest unit that leaves a whole number.
fn show(f: &mut fmt::Formatter<'_>, number: u64, units: &[(&str, u64)]) -> fmt::Result {
    let whole = units
        .iter()
        .filter(|(_, factor)| number.is_multiple_of(*factor) && number > 0);
    let largest = whole.max_by_key(|(_, factor)| *factor);
    let smallest = units.iter().min_by_key(|(_, factor)| *factor);
    match largest.or(smallest) {
        Some((name, factor)) => write!(f, "{}{name}", number / factor),
        None => write!(f, "{number}"),
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text, SIZES, "64MiB").map(Self)
    }
}

impl FromStr for Period {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text, PERIODS, "30s").map(|millis| Self(Duration::from_millis(millis)))
    }
}

impl FromStr for PerMillion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self)
    }
}

impl fmt::Display for PerMillion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, self.0, SIZES)
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, self.millis(), PERIODS)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for PerMillion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_as_they_are_shown() {
        for text in ["64MiB", "1GiB", "1B", "1500KiB", "0B"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
        for text in ["100ms", "30s", "90s", "10min", "2h", "7d", "0ms"] {
            assert_eq!(text.parse::<Period>().unwrap().to_string(), text);
        }
        assert_eq!("1 gib".parse::<Size>().unwrap(), Size(1 << 30));
        for text in [
            "",
            "64",
            "MiB",
            "-1s",
            "1.5GiB",
            "3 fortnights",
            "99999999999999999999B",
        ] {
            assert!(
                text.parse::<Size>().is_err() && text.parse::<Period>().is_err(),
                "{text}"
            );
        }
        let error = "99999999999GiB".parse::<Size>().unwrap_err();
        assert_eq!(error, "`99999999999GiB` is too large");
    }
}
