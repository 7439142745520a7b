//! Whether an answer is the one that was expected, and what differs.
//!
//! Rows are a bag unless their order was stated. It must never repair an answer: a column too many, an
//! integer for a float or a row twice is a difference.
//!
//! Next: `effects.rs`.

use crate::cell::{Cell, ListOrder};
use crate::scenario::Rows;
use std::cmp::Ordering;

/// What a query answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows, each as long as the columns.
    pub rows: Vec<Vec<Cell>>,
    /// What the engine itself says that it changed, in a line.
    pub counters: String,
}

/// How many rows of each side a difference shows.
const SHOWN: usize = 5;

/// What differs between what was expected and what came; nothing if they agree.
pub fn difference(expected: &Rows, answer: &Answer) -> Option<String> {
    let Some(columns) = &expected.columns else {
        return (!answer.rows.is_empty()).then(|| {
            let rows = sorted(&answer.rows, ListOrder::Kept);
            format!(
                "expected no rows, got {}",
                shown(&rows.iter().collect::<Vec<_>>())
            )
        });
    };
    if *columns != answer.columns {
        return Some(format!(
            "expected the columns {columns:?}, got {:?}",
            answer.columns
        ));
    }
    let order = if expected.ignore_list_order {
        ListOrder::Ignored
    } else {
        ListOrder::Kept
    };
    if expected.ordered {
        in_order(expected, answer, order)
    } else {
        as_bags(expected, answer, order)
    }
}

fn in_order(expected: &Rows, answer: &Answer, order: ListOrder) -> Option<String> {
    let wanted: Vec<String> = texts(&expected.rows, order).collect();
    let came: Vec<String> = texts(&answer.rows, order).collect();
    if wanted == came {
        return None;
    }
    let first = wanted
        .iter()
        .zip(&came)
        .position(|(one, other)| one != other);
    let first = first.unwrap_or(wanted.len().min(came.len()));
    let at = |rows: &[String]| rows.get(first).cloned().unwrap_or("no row".to_owned());
    Some(format!(
        "in row {} of {} expected {}, got {} of {} rows",
        first + 1,
        wanted.len(),
        at(&wanted),
        at(&came),
        came.len()
    ))
}

fn as_bags(expected: &Rows, answer: &Answer, order: ListOrder) -> Option<String> {
    let wanted = sorted(&expected.rows, order);
    let came = sorted(&answer.rows, order);
    let (mut missing, mut extra) = (Vec::new(), Vec::new());
    let (mut left, mut right) = (wanted.iter().peekable(), came.iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.cmp(other),
        };
        match next {
            Ordering::Less => missing.extend(left.next()),
            Ordering::Greater => extra.extend(right.next()),
            Ordering::Equal => {
                left.next();
                right.next();
            }
        }
    }
    if missing.is_empty() && extra.is_empty() {
        return None;
    }
    Some(format!(
        "{} rows for {}; expected but missing {}, got instead {}",
        came.len(),
        wanted.len(),
        shown(&missing),
        shown(&extra)
    ))
}

fn texts(rows: &[Vec<Cell>], order: ListOrder) -> impl Iterator<Item = String> {
    rows.iter().map(move |row| row_text(row, order))
}

fn row_text(row: &[Cell], order: ListOrder) -> String {
    let cells: Vec<String> = row.iter().map(|cell| cell.text(order)).collect();
    format!("| {} |", cells.join(" | "))
}

fn sorted(rows: &[Vec<Cell>], order: ListOrder) -> Vec<String> {
    let mut rows: Vec<String> = texts(rows, order).collect();
    rows.sort();
    rows
}

fn shown(rows: &[&String]) -> String {
    if rows.is_empty() {
        return "nothing".to_owned();
    }
    let mut text: Vec<&str> = rows.iter().take(SHOWN).map(|row| row.as_str()).collect();
    let more = format!("and {} more", rows.len().saturating_sub(SHOWN));
    if rows.len() > SHOWN {
        text.push(&more);
    }
    text.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value_text::parse;

    fn rows(text: &[&[&str]]) -> Vec<Vec<Cell>> {
        text.iter()
            .map(|row| row.iter().map(|cell| parse(cell).unwrap()).collect())
            .collect()
    }

    fn expected(text: &[&[&str]], ordered: bool, ignore_list_order: bool) -> Rows {
        Rows {
            columns: Some(vec!["a".into(), "b".into()]),
            rows: rows(text),
            ordered,
            ignore_list_order,
        }
    }

    fn answer(text: &[&[&str]]) -> Answer {
        Answer {
            columns: vec!["a".into(), "b".into()],
            rows: rows(text),
            ..Answer::default()
        }
    }

    #[test]
    fn equal_answers_have_no_difference() {
        let wanted: &[&[&str]] = &[&["1", "(:A:B)"], &["2", "[1, 2]"], &["1", "(:A:B)"]];
        let other: &[&[&str]] = &[&["2", "[1, 2]"], &["1", "(:B:A)"], &["1", "(:A:B)"]];
        assert_eq!(
            difference(&expected(wanted, true, false), &answer(wanted)),
            None
        );
        assert_eq!(
            difference(&expected(wanted, false, false), &answer(other)),
            None
        );
        let turned: &[&[&str]] = &[&["2", "[2, 1]"], &["1", "(:B:A)"], &["1", "(:A:B)"]];
        assert_eq!(
            difference(&expected(wanted, false, true), &answer(turned)),
            None
        );
    }

    #[test]
    fn every_kind_of_difference_is_seen() {
        let wanted: &[&[&str]] = &[&["1", "'x'"], &["2", "[1, 2]"]];
        let wrong: &[(&[&[&str]], bool)] = &[
            (&[&["2", "[1, 2]"], &["1", "'x'"]], true),
            (&[&["1", "'x'"]], false),
            (&[&["1", "'x'"]], true),
            (&[&["1", "'x'"], &["2", "[1, 2]"], &["2", "[1, 2]"]], false),
            (&[&["1", "'x'"], &["2", "[1, 2]"], &["2", "[1, 2]"]], true),
            (&[&["1.0", "'x'"], &["2", "[1, 2]"]], false),
            (&[&["1", "'x'"], &["2", "[2, 1]"]], false),
            (&[&["1", "null"], &["2", "[1, 2]"]], false),
            (&[], false),
        ];
        for (rows, ordered) in wrong {
            let found = difference(&expected(wanted, *ordered, false), &answer(rows));
            assert!(found.is_some(), "{rows:?}");
        }
    }

    #[test]
    fn columns_count_unless_none_are_stated() {
        let mut came = answer(&[]);
        assert_eq!(difference(&expected(&[], false, false), &came), None);
        came.columns = vec!["b".into(), "a".into()];
        assert!(difference(&expected(&[], false, false), &came).is_some());
        let empty = Rows::default();
        assert_eq!(difference(&empty, &came), None);
        came.rows = rows(&[&["1", "2"]]);
        let text = difference(&empty, &came).unwrap();
        assert_eq!(text, "expected no rows, got | 1 | 2 |");
    }
}
