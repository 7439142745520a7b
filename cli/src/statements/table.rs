//! Rows as a table for people.
//!
//! Widths are found from the first rows, and later ones keep to them: a result may be longer than memory. Where
//! the terminal is too narrow the widest columns give way first; where it is much too narrow each row is a block
//! with a line for each column.
//!
//! Next: `cell.rs`.

use super::cell;
use std::sync::Arc;
use stratigraph::Value;

/// So many rows decide how wide the columns are.
pub(super) const DECIDE: usize = 1000;
/// Where columns would have to be narrower than this, rows become blocks.
const NARROWEST: usize = 8;
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
    /// Whether each row is a block.
    blocks: bool,
    /// How many rows were written as blocks.
    written: u64,
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
            blocks: false,
            written: 0,
        }
    }

    /// Takes a row, and gives the lines that are ready then.
    pub(super) fn add(&mut self, values: &[Value]) -> String {
        let cells: Vec<String> = values.iter().map(cell::text).collect();
        let Some(waiting) = &mut self.waiting else {
            return self.row(&cells);
        };
        for (column, (value, text)) in self.columns.iter_mut().zip(values.iter().zip(&cells)) {
            let number = cell::is_number(value);
            column.right &= number || matches!(value, Value::Null);
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
        self.blocks = !self.fit() && !waiting.is_empty();
        let mut text = if self.blocks {
            String::new()
        } else {
            self.header()
        };
        for cells in &waiting {
            text.push_str(&self.row(cells));
        }
        text
    }

    fn header(&self) -> String {
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
        text
    }

    /// Makes the widest columns narrower until the terminal is wide enough; whether that can be.
    fn fit(&mut self) -> bool {
        let Some(room) = self.room else { return true };
        let bars = BAR.len() * self.columns.len().saturating_sub(1);
        let room = room.saturating_sub(bars);
        let mut widths: Vec<usize> = self.columns.iter().map(|column| column.width).collect();
        widths.sort_unstable();
        // The narrow ones keep what they need; what is left is shared among the others.
        let (mut left, mut most) = (room, usize::MAX);
        for (at, width) in widths.iter().enumerate() {
            let share = left / (widths.len() - at);
            if *width > share {
                if share < NARROWEST {
                    return false;
                }
                most = share;
                break;
            }
            left -= width;
        }
        for column in &mut self.columns {
            column.width = column.width.min(most);
        }
        true
    }

    fn row(&mut self, cells: &[String]) -> String {
        if self.blocks {
            self.block(cells)
        } else {
            self.line(cells)
        }
    }

    /// A row with a line for each column.
    fn block(&mut self, cells: &[String]) -> String {
        self.written += 1;
        let names = self.columns.iter().map(|column| cell::width(&column.name));
        let widest = names.max().unwrap_or(0);
        let room = self.room.unwrap_or(usize::MAX);
        let room = room.saturating_sub(widest + BAR.len()).max(NARROWEST);
        let mut text = format!("-- row {} --\n", self.written);
        for (column, cell) in self.columns.iter().zip(cells) {
            let blanks = " ".repeat(widest - cell::width(&column.name));
            text.push_str(&format!(
                "{}{blanks}{BAR}{}\n",
                column.name,
                cell::cut(cell, room)
            ));
        }
        text
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

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph::Database;

    /// The table of a statement in so much room.
    fn table(text: &str, room: Option<usize>) -> String {
        let db = Database::in_memory().unwrap();
        let rows = db.query(text, ()).unwrap();
        let mut table = Table::new(rows.columns(), room);
        let mut shown = String::new();
        for row in rows {
            shown.push_str(&table.add(row.unwrap().values()));
        }
        shown + &table.finish()
    }

    #[test]
    fn numbers_stand_to_the_right_and_nothing_is_seen() {
        let text = "UNWIND [[1, 'a', 1], [-20, null, 'b'], [null, '', 2]] AS l \
            RETURN l[0] AS number, l[1] AS text, l[2] AS mixed";
        let shown = "\
number | text | mixed
-------+------+------
     1 | a    | 1
   -20 | null | b
  null | ''   | 2
";
        assert_eq!(table(text, None), shown);
        assert_eq!(table("UNWIND [] AS x RETURN x", Some(80)), "x\n-\n");
    }

    #[test]
    fn the_widest_columns_give_way() {
        let text = "RETURN 'ab' AS a, 'abcdefghijklmnopqrstuvwxyz' AS b, 'layers of 地层' AS c";
        let all = "\
a  | b                          | c
---+----------------------------+---------------
ab | abcdefghijklmnopqrstuvwxyz | layers of 地层
";
        assert_eq!(table(text, None), all);
        assert_eq!(table(text, Some(48)), all);
        let narrow = "\
a  | b           | c
---+-------------+------------
ab | abcdefghij… | layers of …
";
        assert_eq!(table(text, Some(30)), narrow);
        let blocks = "\
-- row 1 --
a | ab
b | abcdefghijklmn…
c | layers of 地层
";
        assert_eq!(table(text, Some(19)), blocks);
    }

    #[test]
    fn rows_after_the_first_thousand_keep_their_columns() {
        let text = "UNWIND range(1, 1200) AS n RETURN CASE n WHEN 1100 THEN 'longer' ELSE 'row' END AS t, n";
        let shown = table(text, Some(40));
        assert_eq!(shown.lines().count(), 1202);
        assert!(shown.contains("\nrow | 1000\n") && shown.contains("\nlo… | 1100\n"));
    }
}
