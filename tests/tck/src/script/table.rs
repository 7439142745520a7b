//! Tables in plain text: a header, rows, bars between the cells.
//!
//! The same lines serve in scripts and in Markdown, which only wants a line of dashes below the header. It
//! must never lose a cell: what is no value is kept as it stands.
//!
//! Next: `attempt.rs`.

use crate::cell::Cell;
use crate::compare::Answer;
use crate::value_text;

/// A table as it was read.
pub type Table = (Vec<String>, Vec<Vec<Cell>>);

/// Reads a table; `None` if a row is not as long as the header.
pub fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<Table> {
    let mut rows = lines
        .into_iter()
        .map(cells)
        .filter(|row| !is_rule(row))
        .collect::<Vec<_>>()
        .into_iter();
    let header: Vec<String> = rows.next()?;
    let rows: Vec<Vec<Cell>> = rows
        .map(|row| row.iter().map(|text| value(text)).collect())
        .collect();
    rows.iter()
        .all(|row: &Vec<Cell>| row.len() == header.len())
        .then_some((header, rows))
}

/// What stands for a value that has no text of its own is compared by that text.
fn value(text: &str) -> Cell {
    value_text::parse(text).unwrap_or_else(|_| Cell::Other(text.to_owned()))
}

/// The line of dashes that Markdown wants.
fn is_rule(row: &[String]) -> bool {
    !row.is_empty()
        && row
            .iter()
            .all(|cell| cell.contains('-') && cell.trim_matches(['-', ':']).is_empty())
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut letters = line.trim().trim_start_matches('|').chars().peekable();
    while let Some(letter) = letters.next() {
        let last = cells.len() - 1;
        match letter {
            '\\' if letters.peek() == Some(&'|') => {
                letters.next();
                cells[last].push('|');
            }
            '|' => cells.push(String::new()),
            other => cells[last].push(other),
        }
    }
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells
        .iter()
        .map(|cell| {
            let cell = cell.trim();
            // Documents set values in the type of code.
            let inside = cell
                .strip_prefix('`')
                .and_then(|cell| cell.strip_suffix('`'));
            match inside {
                Some(inside) if !inside.contains('`') => inside.trim().to_owned(),
                _ => cell.to_owned(),
            }
        })
        .collect()
}

/// Writes an answer as a table whose bars stand below each other.
pub fn write(answer: &Answer, with_rule: bool) -> Vec<String> {
    let escaped = |text: &str| text.replace('|', "\\|");
    let mut rows = vec![answer.columns.iter().map(|name| escaped(name)).collect()];
    for row in &answer.rows {
        rows.push(
            row.iter()
                .map(|cell| escaped(&cell.to_string()))
                .collect::<Vec<String>>(),
        );
    }
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row: &Vec<String>| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        // Markdown wants at least three dashes.
        if with_rule { widest.max(3) } else { widest }
    };
    let widths: Vec<usize> = (0..answer.columns.len()).map(width).collect();
    if with_rule {
        let rule = widths.iter().map(|width| "-".repeat(*width));
        rows.insert(1, rule.collect());
    }
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| {
                let missing = width.saturating_sub(cell.chars().count());
                format!(" {cell}{} |", " ".repeat(missing))
            });
            format!("|{}", cells.collect::<String>())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let answer = Answer {
            columns: vec!["a".into(), "a|b".into()],
            rows: vec![
                vec![Cell::Int(1), Cell::Text("x|y".into())],
                vec![Cell::Null, Cell::Other("vector([1.0])".into())],
            ],
            ..Answer::default()
        };
        for with_rule in [false, true] {
            let lines = write(&answer, with_rule);
            assert!(
                lines
                    .iter()
                    .all(|line| line.chars().count() == lines[0].chars().count())
            );
            let (header, rows) = read(lines.iter().map(String::as_str)).unwrap();
            assert_eq!(header, answer.columns);
            let texts: Vec<String> = rows.iter().flatten().map(ToString::to_string).collect();
            assert_eq!(texts, ["1", "'x|y'", "null", "vector([1.0])"]);
        }
    }

    #[test]
    fn cells_in_the_type_of_code_and_rows_of_another_length() {
        let (header, rows) = read(["| `n` |", "|:--|", "| `(:A)` |"]).unwrap();
        assert_eq!(
            (header[0].as_str(), rows[0][0].to_string()),
            ("n", "(:A)".to_owned())
        );
        assert!(read(["| a | b |", "| 1 |"]).is_none());
        assert!(read([]).is_none());
    }
}
