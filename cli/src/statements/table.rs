//! Rows as a table for people.
//!
//! Widths are found from the first rows, and later ones keep to them: a result may be longer than memory. Where
//! the terminal is too narrow the widest columns give way first.
//!
//! Next: `cell.rs`.

use super::cell;
use std::sync::Arc;
use stratigraph::Row;

/// So many rows decide how wide the columns are.
pub(super) const DECIDE: usize = 1000;
/// A column is not made narrower than this, however many there are.
const NARROWEST: usize = 6;
/// Between two columns.
const BAR: &str = " | ";

/// A table that is being written.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<Column>,
    /// Rows that wait for their widths; `None` once these are known.
    waiting: Option<Vec<Vec<String>>>,
    /// The columns of the terminal; `None` if there is no end to them.
    room: Option<usize>,
}

#[derive(Debug)]
struct Column {
    name: String,
    /// Numbers stand to the right, if all are numbers.
    right: bool,
    any: bool,
    width: usize,
}

impl Table {
    pub(super) fn new(columns: &[Arc<str>], room: Option<usize>) -> Self {
        let columns = columns.iter().map(|name| {
            let name: String = name
                .chars()
                .map(|one| if one.is_control() { ' ' } else { one })
                .collect();
            Column {
                width: cell::width(&name),
                name,
                right: true,
                any: false,
            }
        });
        Self {
            columns: columns.collect(),
            waiting: Some(Vec::new()),
            room,
        }
    }

    /// Takes a row, and gives the lines that are ready then.
    pub(super) fn add(&mut self, row: &Row) -> String {
        let cells: Vec<String> = row.values().iter().map(cell::text).collect();
        let Some(waiting) = &mut self.waiting else {
            return self.line(&cells);
        };
        for (column, (value, text)) in self.columns.iter_mut().zip(row.values().iter().zip(&cells))
        {
            let number = cell::is_number(value);
            column.right &= number || matches!(value, stratigraph::Value::Null);
            column.any |= number;
            column.width = column.width.max(cell::width(text));
        }
        waiting.push(cells);
        if waiting.len() < DECIDE {
            return String::new();
        }
        self.decide()
    }

    /// The lines that still wait.
    pub(super) fn finish(&mut self) -> String {
        self.decide()
    }

    /// The header and the rows that waited, once.
    fn decide(&mut self) -> String {
        let Some(waiting) = self.waiting.take() else {
            return String::new();
        };
        for column in &mut self.columns {
            column.right &= column.any;
        }
        self.fit();
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect();
        let mut text = self.line(&names);
        let dashes: Vec<String> = self
            .columns
            .iter()
            .map(|one| "-".repeat(one.width))
            .collect();
        text.push_str(&dashes.join("-+-"));
        text.push('\n');
        for cells in &waiting {
            text.push_str(&self.line(cells));
        }
        text
    }

    /// Makes the widest columns narrower until the terminal is wide enough, or all are as narrow as can be.
    fn fit(&mut self) {
        let Some(room) = self.room else { return };
        let bars = BAR.len() * self.columns.len().saturating_sub(1);
        let room = room.saturating_sub(bars);
        let mut widths: Vec<usize> = self.columns.iter().map(|column| column.width).collect();
        widths.sort_unstable();
        // The narrow ones keep what they need; what is left is shared among the others.
        let (mut left, mut most) = (room, usize::MAX);
        for (at, width) in widths.iter().enumerate() {
            let share = left / (widths.len() - at);
            if *width > share {
                most = share.max(NARROWEST);
                break;
            }
            left -= width;
        }
        for column in &mut self.columns {
            column.width = column.width.min(most);
        }
    }

    fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for (at, (column, text)) in self.columns.iter().zip(cells).enumerate() {
            let text = if self.room.is_some() {
                cell::cut(text, column.width)
            } else {
                text.clone()
            };
            let blanks = " ".repeat(column.width.saturating_sub(cell::width(&text)));
            line.push_str(if at == 0 { "" } else { BAR });
            if column.right {
                line.push_str(&blanks);
                line.push_str(&text);
            } else {
                line.push_str(&text);
                line.push_str(&blanks);
            }
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}
