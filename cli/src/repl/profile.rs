//! `:profile`: the plan of a statement with a bar for the time of each operator.

use crate::output::{count, size};
use crate::statements::{Operator, cut_to, took, width_of};
use serde_json::json;

/// How long the longest bar is.
const BAR: usize = 20;
/// The narrowest place for the names of operators.
const NARROWEST: usize = 20;

/// The operators as a table with bars, in so many columns.
pub(super) fn drawn(operators: &[Operator], room: Option<usize>) -> String {
    let total: u128 = operators
        .iter()
        .filter_map(|one| Some(one.work?.time.as_nanos()))
        .sum();
    let rows: Vec<[String; 6]> = operators
        .iter()
        .map(|one| {
            let name = format!("{}{}", "  ".repeat(one.depth), one.text);
            let Some(work) = one.work else {
                return [
                    name,
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                ];
            };
            let share = (work.time.as_nanos() * BAR as u128 + total / 2).checked_div(total);
            let bar = "█".repeat(usize::try_from(share.unwrap_or(0)).unwrap_or(BAR).min(BAR));
            let memory = if work.memory_bytes == 0 {
                String::new()
            } else {
                size(work.memory_bytes)
            };
            let time = if work.time.as_millis() < 1 {
                format!("{} µs", work.time.as_micros())
            } else {
                took(work.time)
            };
            [name, count(work.rows), count(work.seeks), memory, time, bar]
        })
        .collect();
    let heads = [
        "operator",
        "rows",
        "seeks",
        "memory",
        "time",
        "share of the time",
    ];
    let width = |column: usize| {
        let cells = rows.iter().map(|row| width_of(&row[column]));
        cells.chain([width_of(heads[column])]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..heads.len()).map(width).collect();
    if let Some(room) = room {
        let others: usize = widths[1..].iter().sum::<usize>() + 3 * (heads.len() - 1);
        widths[0] = widths[0].min(room.saturating_sub(others).max(NARROWEST));
    }
    let line = |cells: [&str; 6]| {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let cell = cut_to(cell, *width);
            let blanks = " ".repeat(width.saturating_sub(width_of(&cell)));
            let before = if column == 0 { "" } else { " | " };
            // Numbers stand to the right.
            if (1..5).contains(&column) {
                line.push_str(&format!("{before}{blanks}{cell}"));
            } else {
                line.push_str(&format!("{before}{cell}{blanks}"));
            }
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    };
    let mut text = line(heads);
    let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    text.push_str(&dashes.join("-+-"));
    text.push('\n');
    for row in &rows {
        text.push_str(&line([
            &row[0], &row[1], &row[2], &row[3], &row[4], &row[5],
        ]));
    }
    text
}

/// The operators for programs: one JSON object a line.
pub(super) fn lines(operators: &[Operator]) -> String {
    let lines = operators.iter().map(|one| {
        let work = one.work.map(|work| {
            json!({
                "rows": work.rows,
                "seeks": work.seeks,
                "memory_bytes": work.memory_bytes,
                "microseconds": u64::try_from(work.time.as_micros()).unwrap_or(u64::MAX),
            })
        });
        json!({ "operator": one.text, "depth": one.depth, "work": work }).to_string() + "\n"
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::Work;
    use std::time::Duration;

    #[test]
    fn bars_are_shares_of_the_time() {
        let operator = |depth, text: &str, micros: Option<u64>| Operator {
            depth,
            text: text.to_owned(),
            work: micros.map(|micros| Work {
                rows: 1000,
                seeks: 2,
                memory_bytes: 0,
                time: Duration::from_micros(micros),
            }),
        };
        let all = [
            operator(0, "NodesByLabel (n:Book)", Some(300)),
            operator(1, "with a part", None),
            operator(0, "Sort n.title", Some(100)),
        ];
        let drawn = drawn(&all, None);
        let expected = "\
operator              |  rows | seeks | memory |   time | share of the time
----------------------+-------+-------+--------+--------+------------------
NodesByLabel (n:Book) | 1,000 |     2 |        | 300 µs | ███████████████
  with a part         |       |       |        |        |
Sort n.title          | 1,000 |     2 |        | 100 µs | █████
";
        assert_eq!(drawn, expected);
        let narrow = super::drawn(&all, Some(60));
        assert!(narrow.contains("NodesByLabel (n:Boo… | "), "{narrow}");
        assert_eq!(lines(&all).lines().count(), 3);
        assert_eq!(super::drawn(&[], None).lines().count(), 2);
    }
}
