//! What a question gives as it stands, before anybody understands it: texts in quotes, numbers and days.

use std::ops::Range;

use stratigraph::value::Date;

use crate::numerals::placed;

/// The most of each kind that is looked for: a question is no table.
const MOST: usize = 64;

/// What stands in a question and may be an argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) quoted: Vec<(Range<usize>, String)>,
    /// In their order. Those that blanks may divide, as 5 and 100 of `5 100`, come behind what they are together.
    pub(crate) numbers: Vec<(Range<usize>, f64)>,
    pub(crate) days: Vec<(Range<usize>, String)>,
}

/// What quotes begin and end with. A simple quote within words is an apostrophe, and so is none.
const QUOTES: [(char, char); 6] = [
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('《', '》'),
];

impl Facts {
    /// Reads a question.
    pub(crate) fn of(text: &str) -> Self {
        let days = days(text);
        let is_in_day = |at: usize| days.iter().any(|(span, _)| span.contains(&at));
        let mut numbers = placed(text);
        numbers.retain(|(span, _)| !is_in_day(span.start));
        numbers.truncate(MOST);
        Self {
            quoted: quoted(text),
            numbers,
            days,
        }
    }
}

fn quoted(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((start, sign)) = text[at..].char_indices().find_map(|(offset, sign)| {
        let is_open = QUOTES.iter().any(|(open, _)| *open == sign);
        is_open.then_some((at + offset, sign))
    }) {
        at = start + sign.len_utf8();
        let closes = QUOTES.iter().filter(|(open, _)| *open == sign);
        let ends = closes.filter_map(|(_, close)| {
            let end = at + text[at..].find(*close)?;
            Some((end, close.len_utf8()))
        });
        let Some((end, width)) = ends.min() else {
            continue;
        };
        let inner = text[at..end].trim();
        if !inner.is_empty() && found.len() < MOST {
            found.push((start..end + width, inner.to_owned()));
        }
        at = end + width;
    }
    found
}

/// Days as people write them with the year first: 2021-03-15, 2021/3/15, 2021年3月15日.
fn days(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    for (start, sign) in text.char_indices() {
        if found.len() >= MOST {
            break;
        }
        let is_inside = text[..start].ends_with(|sign: char| sign.is_ascii_digit())
            || found.last().is_some_and(|(span, _)| span.contains(&start));
        if !sign.is_ascii_digit() || is_inside {
            continue;
        }
        if let Some((length, day)) = day(&text[start..]) {
            found.push((start..start + length, day));
        }
    }
    found
}

/// The day that a text begins with, and how many bytes it has.
fn day(text: &str) -> Option<(usize, String)> {
    let mut at = 0;
    let mut part = |most: usize| -> Option<u32> {
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
        let number = (1..=most)
            .contains(&digits)
            .then(|| text[at..at + digits].parse().ok());
        at += digits;
        let number = number??;
        let mark = text[at..].chars().next();
        if let Some(mark @ ('-' | '/' | '年' | '月' | '日')) = mark {
            at += mark.len_utf8();
        }
        Some(number)
    };
    let year = part(4).filter(|year| *year >= 1000)?;
    let (month, day) = (part(2)?, part(2)?);
    // 2021-03-15 is over before a mark that belongs to the sentence.
    let read = text[..at].trim_end_matches(['-', '/']).len();
    let date = Date::new(i64::from(year), month, day).ok()?;
    Some((read, date.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_numbers_and_days_are_found_as_they_stand() {
        let facts = Facts::of(
            "Which of \"late fees\" and “fines”, 《办法》第5条, since 2021-03-05 and over 1,250.5?",
        );
        let quoted: Vec<&str> = facts.quoted.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(quoted, ["late fees", "fines", "办法"]);
        let numbers: Vec<f64> = facts.numbers.iter().map(|(_, number)| *number).collect();
        assert_eq!(numbers, [5.0, 1250.5]);
        let days: Vec<&str> = facts.days.iter().map(|(_, day)| day.as_str()).collect();
        assert_eq!(days, ["2021-03-05"]);
        let days = |text| {
            Facts::of(text)
                .days
                .into_iter()
                .map(|(_, day)| day)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            days("2021/3/5, 2021年3月5日。"),
            ["2021-03-05", "2021-03-05"]
        );
        assert_eq!(days("2021-13-05 12-1-1 20210305"), [""; 0]);
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let text =
            "Over 1.234,5 or 10 000, not 1.234.567 and −2, 2010年-2012年 (7) of Art.5, x_7 1.2.3?";
        let facts = Facts::of(text);
        let numbers = facts.numbers.into_iter();
        let numbers: Vec<(&str, f64)> = numbers
            .map(|(span, number)| (&text[span], number))
            .collect();
        assert_eq!(
            numbers,
            [
                ("1.234,5", 1234.5),
                ("10 000", 10_000.0),
                ("1.234.567", 1_234_567.0),
                ("−2", -2.0),
                ("2010", 2010.0),
                ("2012", 2012.0),
                ("7", 7.0),
                ("5", 5.0),
            ]
        );
    }

    #[test]
    fn what_is_part_of_a_word_is_no_number_and_what_does_not_end_no_quote() {
        let facts = Facts::of("F12 4x -3 a-4 \"open");
        let numbers: Vec<f64> = facts.numbers.iter().map(|(_, number)| *number).collect();
        assert_eq!(numbers, [-3.0, 4.0]);
        assert!(facts.quoted.is_empty());
    }
}
