//! Answers on stdout, for people or as one JSON object; errors on stderr.
//!
//! Every JSON answer has `verb`, `ok` and `findings` beside what the verb promises.

use crate::arguments::Global;
use crate::exit::Exit;
use crate::failure::{Failure, WrongQuery};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::{Display, Write as _};
use std::io::{self, Write};
use stratigraph::Finding;

/// So many of a kind people are shown; programs get all of them.
pub(crate) const SHOWN: usize = 10;

/// What a verb answers.
#[derive(Debug)]
pub(crate) struct Reply {
    verb: &'static str,
    fields: Map<String, Value>,
    text: String,
    findings: Vec<Finding>,
    is_stdout_taken: bool,
    is_incomplete: bool,
    ended: Option<Failure>,
}

impl Reply {
    /// An empty answer to `verb`.
    pub(crate) fn new(verb: &'static str) -> Self {
        Self {
            verb,
            fields: Map::new(),
            text: String::new(),
            findings: Vec::new(),
            is_stdout_taken: false,
            is_incomplete: false,
            ended: None,
        }
    }

    /// Goes to stderr, because something else went to stdout.
    pub(crate) fn stdout_is_taken(&mut self) -> &mut Self {
        self.is_stdout_taken = true;
        self
    }

    /// Some of what was given was wrong, and left out: the exit code says so.
    pub(crate) fn incomplete(&mut self) -> &mut Self {
        self.is_incomplete = true;
        self
    }

    /// This ended the work before all of it was done: the answer is what was done by then. It is told behind that, as the
    /// failure that it is, and decides the exit code.
    pub(crate) fn ended(&mut self, failure: Failure) -> &mut Self {
        self.ended = Some(failure);
        self
    }

    /// Adds a field to the JSON object.
    pub(crate) fn field(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Adds all that something is made of, each part as a field of its own name.
    ///
    /// # Errors
    /// It has something that JSON has not, or no names.
    pub(crate) fn fields(&mut self, whole: &impl Serialize) -> Result<&mut Self, Failure> {
        let fields = serde_json::to_value(whole).and_then(serde_json::from_value);
        let fields: Map<String, Value> = fields.map_err(Failure::of_request)?;
        self.fields.extend(fields);
        Ok(self)
    }

    /// Adds a line for people. Bytes of unknown origin may be in it.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) -> &mut Self {
        self.text.push_str(&printable(line.as_ref()));
        self.text.push('\n');
        self
    }

    /// Adds a table for people.
    pub(crate) fn table(&mut self, table: &Table) -> &mut Self {
        self.text.push_str(&table.render());
        self
    }

    /// Adds a table of the first [`SHOWN`] of so many things, and how many more there are; nothing if there is none.
    pub(crate) fn first_rows(&mut self, table: &Table, number: usize) -> &mut Self {
        if number == 0 {
            return self;
        }
        self.line("").table(table);
        match number.checked_sub(SHOWN) {
            Some(more @ 1..) => self.line(format!("and {} more", count(more as u64))),
            _ => self,
        }
    }

    /// Adds what is wrong; any finding makes the exit code that of damage.
    pub(crate) fn findings(&mut self, findings: impl IntoIterator<Item = Finding>) -> &mut Self {
        self.findings.extend(findings);
        self
    }

    fn exit(&self) -> Exit {
        if let Some(failure) = &self.ended {
            return failure.exit();
        }
        match (self.findings.is_empty(), self.is_incomplete) {
            (false, _) => Exit::Damage,
            (true, true) => Exit::Request,
            (true, false) => Exit::Fine,
        }
    }

    fn to_json(&self) -> Value {
        let mut object = self.fields.clone();
        object.insert("verb".into(), self.verb.into());
        object.insert("ok".into(), (self.exit() == Exit::Fine).into());
        object.insert("findings".into(), findings_json(&self.findings));
        Value::Object(object)
    }

    /// What people read.
    pub(crate) fn to_text(&self, quiet: bool) -> String {
        let mut text = if quiet {
            String::new()
        } else {
            self.text.clone()
        };
        for finding in &self.findings {
            let line = format!("FINDING  {}: {}", finding.place, finding.what);
            text.push_str(&printable(&line));
            text.push('\n');
        }
        text
    }
}

/// Findings, or notes, as JSON.
pub(crate) fn findings_json(findings: &[Finding]) -> Value {
    let each = findings
        .iter()
        .map(|finding| json!({ "place": finding.place, "what": finding.what }));
    each.collect()
}

/// What is wrong with a query, for programs: where, and under which name.
fn query_json(error: &WrongQuery<'_>) -> Value {
    json!({
        "type": error.error_type,
        "phase": error.phase,
        "detail": error.detail,
        "message": error.message,
        "hint": error.hint,
        "line": error.position.map(|(line, _)| line),
        "column": error.position.map(|(_, column)| column),
    })
}

/// Where answers go, and in which form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
}

impl Output {
    /// Prints as the flags say.
    pub(crate) fn new(global: Global) -> Self {
        Self {
            json: global.json,
            quiet: global.quiet,
        }
    }

    /// Prints an answer, and what has ended the work behind it, if something has.
    pub(crate) fn reply(self, reply: &Reply) -> Exit {
        let exit = self.answer(reply);
        match &reply.ended {
            Some(failure) => self.failure(failure),
            None => exit,
        }
    }

    fn answer(self, reply: &Reply) -> Exit {
        let text = if self.json {
            format!("{}\n", reply.to_json())
        } else {
            reply.to_text(self.quiet)
        };
        if reply.is_stdout_taken {
            // Nobody is left to hear that stderr is closed; the exit code still says it.
            let _ = io::stderr().write_all(text.as_bytes());
            return reply.exit();
        }
        let mut stdout = io::stdout().lock();
        match stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
        {
            Ok(()) => reply.exit(),
            // `stratigraph info DIR | head -1`: the reader has seen enough, the work is done.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => reply.exit(),
            Err(error) => self.failure(&Failure::Stdout(error)),
        }
    }

    /// Prints why there is no answer.
    pub(crate) fn failure(self, failure: &Failure) -> Exit {
        let exit = failure.exit();
        let message = failure.told();
        let line = if self.json {
            let mut error =
                json!({ "kind": failure.kind(), "message": message, "exit_code": exit.code() });
            if let Some(query) = failure.query() {
                error["query"] = query_json(&query);
            }
            json!({ "error": error }).to_string()
        } else {
            format!("error: {}", printable(&message))
        };
        // Nobody is left to hear that stderr is closed; the exit code still says it.
        let _ = writeln!(io::stderr(), "{line}");
        exit
    }
}

/// Rows in columns: the first to the left, and the others to the right unless said otherwise.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    numbers: bool,
}

impl Table {
    /// A table of numbers under their headings; the first column names the row.
    pub(crate) fn of_numbers<const N: usize>(headings: [&str; N]) -> Self {
        Self {
            rows: vec![headings.map(str::to_owned).to_vec()],
            numbers: true,
        }
    }

    /// Names and what they stand for, all to the left.
    pub(crate) fn of_facts() -> Self {
        Self {
            rows: Vec::new(),
            numbers: false,
        }
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) -> &mut Self {
        self.rows
            .push(cells.into_iter().map(|cell| printable(&cell)).collect());
        self
    }

    /// Adds a name and what it stands for.
    pub(crate) fn fact(&mut self, name: &str, value: &dyn Display) -> &mut Self {
        self.row([name.to_owned(), value.to_string()])
    }

    fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max();
            // No formatting fills up to more than that.
            widest.unwrap_or(0).min(usize::from(u16::MAX))
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                // Writing to a string cannot fail.
                let _ = if self.numbers && column > 0 {
                    write!(line, "{gap}{cell:>width$}")
                } else {
                    write!(line, "{gap}{cell:<width$}")
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// A count with thousands apart: `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 file`, `2,000 files`.
pub(crate) fn things(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(number))
}

/// The first `most` of some names, and how many more there are: `a, b and 3 more`.
pub(crate) fn first_of<'n>(most: usize, names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let others = names.len().saturating_sub(most);
    let first: Vec<&str> = names.take(most).collect();
    let first = first.join(", ");
    match others {
        0 => first,
        others => format!("{first} and {} more", count(others as u64)),
    }
}

/// Money, of whatever kind the prices are in.
pub(crate) fn money(price: f64) -> String {
    format!("{price:.4}")
}

/// A size in the largest unit that leaves at least one of it: `12.3 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    // In tenths, and in whole numbers: no rounding up to "1024.0 KiB".
    let mut tenths = u128::from(bytes) * 10 / 1024;
    let mut unit = 0;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// The text without control characters, which file names and damaged bytes may bring and which would
/// let them write anywhere on a terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() && character != '\n' {
            clean.extend(character.escape_default());
        } else {
            clean.push(character);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_are_fields_and_what_has_no_names_is_refused() {
        let mut reply = Reply::new("test");
        reply.fields(&json!({ "a": 1, "b": [2] })).unwrap();
        assert_eq!(
            (&reply.fields["a"], &reply.fields["b"]),
            (&json!(1), &json!([2]))
        );
        assert!(reply.fields(&"a text").is_err());
    }

    #[test]
    fn counts_have_their_thousands_apart() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ];
        for (number, text) in cases {
            assert_eq!(count(number), text);
        }
        assert_eq!(things(1, "file"), "1 file");
        assert_eq!(things(2000, "file"), "2,000 files");
        assert_eq!(first_of(2, ["a", "b"].into_iter()), "a, b");
        assert_eq!(first_of(2, ["a", "b", "c"].into_iter()), "a, b and 1 more");
    }

    #[test]
    fn sizes_are_in_the_largest_unit() {
        let cases = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            ((1 << 20) - 1, "1023.9 KiB"),
            (1 << 20, "1.0 MiB"),
            (64 << 20, "64.0 MiB"),
            (5 << 30, "5.0 GiB"),
            (u64::MAX, "16383.9 PiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn tables_are_aligned_and_end_without_blanks() {
        let mut numbers = Table::of_numbers(["family", "entries"]);
        numbers.row(["nodes".into(), "1,000".into()]);
        assert_eq!(numbers.render(), "family  entries\nnodes     1,000\n");
        let mut facts = Table::of_facts();
        facts.fact("id", &"ab").fact("commit", &7);
        assert_eq!(facts.render(), "id      ab\ncommit  7\n");
        let long = "x".repeat(70_000);
        let mut facts = Table::of_facts();
        facts.fact("id", &long).fact("commit", &7);
        assert_eq!(facts.render(), format!("id      {long}\ncommit  7\n"));
    }

    #[test]
    fn what_ended_the_work_decides_how_the_command_ends() {
        let mut reply = Reply::new("summarise");
        reply.field("written", 3);
        reply.ended(stratigraph::Error::Cancelled.into());
        assert_eq!(reply.exit(), Exit::Cancelled);
        let told = reply.to_json();
        assert_eq!((&told["ok"], &told["written"]), (&false.into(), &3.into()));
    }

    #[test]
    fn quiet_leaves_the_findings() {
        let mut reply = Reply::new("check");
        reply.line("all is well");
        assert_eq!(reply.to_text(true), "");
        assert_eq!(reply.exit(), Exit::Fine);
        reply.findings([Finding {
            place: "MARK".into(),
            what: "torn\u{1b}[2J".into(),
        }]);
        assert_eq!(reply.to_text(true), "FINDING  MARK: torn\\u{1b}[2J\n");
        assert_eq!(reply.exit(), Exit::Damage);
        assert_eq!(reply.to_json()["ok"], false);
    }
}
