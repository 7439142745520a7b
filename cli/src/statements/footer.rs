//! The line after the rows: how many there were, what was changed, how long it took.
//!
//! Next: `session.rs`.

use super::place::Told;
use crate::output::things;
use std::time::Duration;

/// What came of a statement: `3 rows, added 2 nodes`.
pub(crate) fn outcome(rows: Option<u64>, told: &Told) -> String {
    let mut parts = Vec::new();
    parts.extend(rows.map(|rows| things(rows, "row")));
    if !told.changed.is_empty() || rows.is_none() {
        let changed = if told.changed.is_empty() {
            "no changes"
        } else {
            &told.changed
        };
        let mut letters = changed.chars();
        let first = letters.next().into_iter().flat_map(char::to_lowercase);
        parts.push(first.chain(letters).collect());
    }
    if told.truncated {
        parts.push("ended by its budget".to_owned());
    }
    parts.join(", ")
}

/// A time as people say it: `12 ms`, `3.4 s`.
pub(crate) fn took(time: Duration) -> String {
    let milliseconds = time.as_millis();
    if milliseconds < 1000 {
        return format!("{milliseconds} ms");
    }
    let tenths = milliseconds / 100;
    if tenths < 600 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    format!("{} min {} s", tenths / 600, tenths % 600 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_one_line() {
        let none = Told::default();
        assert_eq!(outcome(Some(1), &none), "1 row");
        assert_eq!(outcome(Some(2000), &none), "2,000 rows");
        assert_eq!(outcome(None, &none), "no changes");
        let some = Told {
            changed: "Added 2 nodes".to_owned(),
            truncated: true,
            ..Told::default()
        };
        assert_eq!(
            outcome(Some(3), &some),
            "3 rows, added 2 nodes, ended by its budget"
        );
    }

    #[test]
    fn times_are_in_the_unit_that_fits() {
        let cases = [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1.0 s"),
            (59_999, "59.9 s"),
            (60_000, "1 min 0 s"),
            (3_601_000, "60 min 1 s"),
        ];
        for (milliseconds, text) in cases {
            assert_eq!(took(Duration::from_millis(milliseconds)), text);
        }
    }
}
