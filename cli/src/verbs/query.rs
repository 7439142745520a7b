//! `query`: statements of StratQL, and their rows.

use super::session_flags::SessionFlags;
use crate::arguments::Global;
use crate::failure::Failure;
use crate::output::{Reply, printable};
use crate::progress::Progress;
use crate::statements::{Printer, Shown, outcome, read_input, run_script, took};
use clap::Args;
use serde_json::{Map, Value};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLE: &str = "\
Several statements are separated by `;` and run one after the other, each in a transaction of its own;
the first that fails is the last. Without TEXT, or if it is `-`, they come from standard input.

On a terminal rows are a table, in a pipe one JSON object a line; --format decides otherwise. In JSON
a node is {id, labels, properties}, a relationship {id, type, start, end, properties}, a path {nodes,
relationships}; dates, times and durations are their text, bytes are hex. In CSV null is an empty field
and the empty string is \"\"; lists, maps, nodes and the like are JSON. --format plain has values with
tabs between them and nothing else. A table shows all of a value in a pipe, and on a terminal as much
as fits.

Values of --param are literals ('Ann', 7, [1, 2], date('1984-10-11')); other text is a string. They are
never run. For text of strangers use --params, where a string is a string.

Examples:
  stratigraph query /var/lib/library 'MATCH (b:Book) RETURN b.title, b.year ORDER BY b.year'
  stratigraph query /var/lib/library -p name=Ann 'MATCH (p:Person {name: $name}) RETURN p'
  stratigraph query /var/lib/library -f setup.stratql --stats
  echo 'MATCH (n) RETURN n' | stratigraph query /var/lib/library | jq .n.labels
  stratigraph query /var/lib/library --format csv 'MATCH (b:Book) RETURN b.title' > titles.csv
  stratigraph query grpc://localhost:7687 --database library 'MATCH (b:Book) RETURN b.title'

JSON: one object a row on stdout, a key for each column; then on stderr path, statements, rows, changes
{nodes_created, ...}, milliseconds. Errors of a query have query {type, phase, detail, message, hint,
line, column}";

/// Arguments of `query`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Query {
    /// Which database, and how to ask it.
    #[command(flatten)]
    flags: SessionFlags,
    /// The statements; standard input if not given or `-`
    text: Option<String>,
    /// A file with the statements
    #[arg(long, short, conflicts_with = "text")]
    file: Option<PathBuf>,
    /// Say on stderr how many rows there were, what was changed and how long it took
    #[arg(long)]
    stats: bool,
}

impl Query {
    /// Runs the statements and prints their rows as they come.
    ///
    /// # Errors
    /// What keeps the database from being opened; that of the first statement that fails.
    pub(super) fn run(&self, global: Global, progress: &Progress) -> Result<Reply, Failure> {
        let text = self.text()?;
        let cancel = progress.interrupt().token();
        let mut session = self.flags.open(&cancel)?;
        let layout = self.flags.layout(global.json);
        let mut printer = Printer::new(BufWriter::new(io::stdout()));
        let on_terminal = io::stdout().is_terminal() && io::stderr().is_terminal();
        let for_people = !global.json && !global.quiet;
        let told = for_people && (self.stats || on_terminal);
        session.tells_unknown = for_people && io::stderr().is_terminal();
        let mut total = Total::default();
        let started = Instant::now();
        let mut last = started;
        let ran = run_script(
            &mut session,
            &text,
            None,
            &mut printer,
            layout,
            &cancel,
            |shown, notes| {
                total.add(shown);
                if told {
                    let time = took(last.elapsed());
                    // Nobody is left to hear that stderr is closed.
                    let _ = writeln!(io::stderr(), "{}, {time}", outcome(shown.rows, &shown.told));
                }
                for note in notes {
                    let _ = writeln!(io::stderr(), "note: {}", printable(note));
                }
                last = Instant::now();
            },
        );
        let flushed = printer.flush();
        ran?;
        flushed?;
        session.close()?;
        let mut reply = Reply::new("query");
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        reply
            .stdout_is_taken()
            .field("path", self.flags.dir.display().to_string())
            .field("statements", total.statements)
            .field("rows", total.rows)
            .field("changes", total.changes)
            .field("milliseconds", milliseconds);
        Ok(reply)
    }

    fn text(&self) -> Result<String, Failure> {
        match (&self.text, &self.file) {
            (Some(text), _) if text != "-" => Ok(text.clone()),
            (_, Some(file)) => read_input(Some(file)),
            (None, None) if io::stdin().is_terminal() => Err(Failure::Usage(
                "no statement: write it after the folder or the address, or send it through a pipe; `stratigraph repl` takes statements at a prompt".to_owned(),
            )),
            _ => read_input(None),
        }
    }
}

/// What all statements came to.
#[derive(Default)]
struct Total {
    statements: u64,
    rows: u64,
    changes: Map<String, Value>,
}

impl Total {
    fn add(&mut self, shown: &Shown) {
        self.statements += 1;
        self.rows += shown.rows.unwrap_or(0);
        for (name, count) in &shown.told.changes {
            let before = self.changes.get(name).and_then(Value::as_u64).unwrap_or(0);
            self.changes.insert(name.clone(), (before + count).into());
        }
    }
}
