//! The forms that rows can have, and printing them.
//!
//! Next: `table.rs`.

use super::place::{Answer, Told};
use super::table::{DECIDE, Table};
use super::{csv, json};
use crate::failure::Failure;
use crate::output::printable;
use clap::ValueEnum;
use std::io::{self, Write};
use std::sync::Arc;
use stratigraph::Value;

/// The form that rows have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns side by side, for people
    Table,
    /// One JSON object a line, a key for each column
    Json,
    /// Comma-separated values (RFC 4180), a line of names first
    Csv,
    /// Values with tabs between them and nothing else: for the tools of a shell
    Plain,
}

/// How rows are laid out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The form.
    pub(crate) format: Format,
    /// How many columns a terminal has; `None` if nothing is to be cut.
    pub(crate) room: Option<usize>,
    /// Whether an empty line stands before each table but the first.
    pub(crate) apart: bool,
    /// How many rows are shown of one statement; `None` for all.
    pub(crate) limit: Option<u64>,
}

/// What was shown of a statement, and what is known of it then.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// How many rows; `None` if the statement gives none at all.
    pub(crate) rows: Option<u64>,
    /// Whether it was only told how it would run.
    pub(crate) planned: bool,
    /// Whether there were more than are shown. The statement was stopped then.
    pub(crate) more: bool,
    /// What is known of it.
    pub(crate) told: Told,
}

/// Where rows are printed.
pub(crate) trait Out: Write {
    /// What one statement shows begins here, and ends with `end`: a pager may show it.
    fn begin(&mut self) {}
    /// It has ended; returns when it was read.
    fn end(&mut self) {}
}

impl<W: Write> Out for io::BufWriter<W> {}

/// Prints rows to somewhere that may stop to listen.
pub(crate) struct Printer {
    out: Box<dyn Out>,
    /// Nobody reads any more: nothing is printed, and what changes the graph runs all the same.
    closed: bool,
    /// Whether a table was printed, from which the next one must stand apart.
    apart: bool,
}

impl Printer {
    /// Prints to `out`.
    pub(crate) fn new(out: impl Out + 'static) -> Self {
        Self {
            out: Box::new(out),
            closed: false,
            apart: false,
        }
    }

    /// Shows what `show` prints as one whole, which may go to a pager; who leaves that before its end wants to see
    /// the next one all the same.
    ///
    /// # Errors
    /// Those of `show`.
    pub(crate) fn whole<T>(
        &mut self,
        show: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let was_closed = self.closed;
        self.out.begin();
        let shown = show(self);
        let flushed = self.flush();
        self.out.end();
        self.closed = was_closed;
        let shown = shown?;
        flushed?;
        Ok(shown)
    }

    /// Prints the rows of a statement as they come.
    ///
    /// # Errors
    /// Those of the rows; what keeps them from being written.
    pub(crate) fn rows(
        &mut self,
        answer: &mut dyn Answer,
        layout: Layout,
    ) -> Result<Shown, Failure> {
        let columns = answer.columns().to_vec();
        let mut shown = Shown::default();
        if layout.format == Format::Table
            && *columns == ["plan".into()]
            && let Some(plan) = answer.planned()?
        {
            // Its lines are a drawing, and no values.
            self.line(plan.trim_end())?;
            shown.planned = true;
            return self.flushed(shown);
        }
        let mut table = None;
        if !columns.is_empty() {
            shown.rows = Some(0);
            let apart = matches!(layout.format, Format::Table | Format::Csv);
            if self.apart && layout.apart && apart {
                self.text("\n")?;
            }
            self.apart = apart;
            match layout.format {
                Format::Table => table = Some(Table::new(&columns, layout.room)),
                Format::Csv => self.data(&csv::header(&columns), layout)?,
                Format::Json | Format::Plain => {}
            }
        }
        let printed = self.each(answer, layout, &mut table, &mut shown);
        if let Some(mut table) = table {
            // Also before an error: what came until then is an answer to look at.
            if printed.is_ok() || shown.rows.is_some_and(|rows| rows > 0) {
                self.text(&table.finish())?;
            }
        }
        self.flush()?;
        printed?;
        shown.told = answer.told()?;
        if layout.format == Format::Table
            && let Some(plan) = &shown.told.plan
        {
            let plan = format!("\n{}\n", plan.trim_end());
            self.text(&plan)?;
        }
        self.flushed(shown)
    }

    fn each(
        &mut self,
        answer: &mut dyn Answer,
        layout: Layout,
        table: &mut Option<Table>,
        shown: &mut Shown,
    ) -> Result<(), Failure> {
        let columns = answer.columns().to_vec();
        let mut seen = 0;
        while let Some(row) = answer.next() {
            let row = row?;
            if layout.limit.is_some_and(|limit| seen >= limit) {
                shown.more = true;
                break;
            }
            seen += 1;
            shown.rows = Some(seen);
            self.row(&columns, &row, layout, table)?;
            if self.closed {
                break;
            }
            // Somebody may be waiting for rows that come slowly.
            if seen % DECIDE as u64 == 0 {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn row(
        &mut self,
        columns: &[Arc<str>],
        values: &[Value],
        layout: Layout,
        table: &mut Option<Table>,
    ) -> Result<(), Failure> {
        match (layout.format, table) {
            (Format::Json, _) => self.data(&json::row(columns, values), layout),
            (Format::Csv, _) => self.data(&csv::row(values), layout),
            (Format::Plain, _) => self.line(&plain(values)),
            (Format::Table, Some(table)) => {
                let lines = table.add(values);
                self.text(&lines)
            }
            (Format::Table, None) => Ok(()),
        }
    }

    fn flushed(&mut self, shown: Shown) -> Result<Shown, Failure> {
        self.flush()?;
        Ok(shown)
    }

    /// A line as it is, but on a terminal, which it may not steer.
    fn data(&mut self, line: &str, layout: Layout) -> Result<(), Failure> {
        if layout.room.is_some() {
            self.line(&printable(line))
        } else {
            self.line(line)
        }
    }

    fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.text(line)?;
        self.text("\n")
    }

    /// Prints text.
    ///
    /// # Errors
    /// What keeps it from being written, unless nobody reads any more.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        let written = self.out.write_all(text.as_bytes());
        self.heed(written)
    }

    /// Sees to it that what was printed is seen.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        let flushed = self.out.flush();
        self.heed(flushed)
    }

    /// `stratigraph query DIR TEXT | head -1`: the reader has seen enough.
    fn heed(&mut self, written: io::Result<()>) -> Result<(), Failure> {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other.map_err(Failure::Stdout),
        }
    }
}

/// A row without anything around its values. What would end a field or a line is written as in a program.
fn plain(values: &[Value]) -> String {
    let cells = values.iter().map(|value| match value {
        Value::Null => String::new(),
        Value::List(_)
        | Value::Map(_)
        | Value::Vector(_)
        | Value::Node(_)
        | Value::Relationship(_)
        | Value::Path(_) => json::plain(value).to_string(),
        other => {
            let mut text = String::new();
            for one in json::text(other).chars() {
                match one {
                    '\\' => text.push_str("\\\\"),
                    one if one.is_control() => text.extend(one.escape_default()),
                    one => text.push(one),
                }
            }
            text
        }
    });
    cells.collect::<Vec<_>>().join("\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_rows_are_one_line_with_tabs() {
        let row = [
            Value::Null,
            "a\tb\\\n".into(),
            1.5.into(),
            vec![1, 2].into(),
            "地 层".into(),
        ];
        assert_eq!(plain(&row), "\ta\\tb\\\\\\n\t1.5\t[1,2]\t地 层");
    }
}
