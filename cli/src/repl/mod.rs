//! A conversation in StratQL: statements and commands, one after the other, until there are no more.
//!
//! At a terminal an error is told and the conversation goes on; in a pipe the first one ends it, as it ends a
//! script. A statement may always be stopped, and never takes the conversation with it.
//!
//! | what | where |
//! |---|---|
//! | from lines to statements and commands | `gather.rs` |
//! | which commands there are | `command.rs` |
//! | what they do | `obey.rs` |
//! | a line of the terminal | `editor.rs`, `history.rs` |
//! | what Tab offers | `complete.rs` |
//!
//! Next: `gather.rs`.

mod command;
mod complete;
mod editor;
mod gather;
mod history;
mod obey;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{count, printable, things};
use crate::statements::{Layout, Printer, Session, Shown, outcome, run_script, took};
use editor::{Editor, Heard};
use gather::{Gather, Piece};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Instant;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Error, Read};

/// So many rows of a statement are shown at a terminal, unless `:limit` says otherwise.
const SHOWN: u64 = 1000;

/// What a conversation holds.
pub(crate) struct Conversation {
    pub(crate) session: Session,
    pub(crate) printer: Printer,
    pub(crate) layout: Layout,
    /// Whether each statement is followed by what it came to and how long it took.
    pub(crate) timing: bool,
    /// Whether somebody sits at a terminal.
    pub(crate) interactive: bool,
    pub(crate) interrupt: Interrupt,
    /// How deep we are in files that take each other.
    pub(crate) depth: usize,
}

/// Whether there is more to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Go,
    Leave,
}

/// Talks with somebody at a terminal.
///
/// # Errors
/// What keeps the terminal from being read or written.
pub(crate) fn talk(
    conversation: &mut Conversation,
    dir: &Path,
    remember: bool,
) -> Result<(), Failure> {
    conversation.interrupt.converse();
    conversation.layout.limit = Some(SHOWN);
    conversation.layout.apart = false;
    greet(conversation, dir)?;
    let mut editor = Editor::new(conversation, remember)?;
    let mut gather = Gather::at_terminal();
    loop {
        editor.refresh(conversation, gather.pending());
        let line = match editor.line(conversation.session.is_open(), gather.is_empty())? {
            Heard::Line(line) => line,
            Heard::Interrupt => {
                gather.clear();
                continue;
            }
            Heard::End => break,
        };
        let Some(piece) = gather.add(&line) else {
            continue;
        };
        editor.remember(piece.text());
        match conversation.take(&piece) {
            Ok(Next::Go) => {}
            Ok(Next::Leave) => break,
            Err(failure @ (Failure::Stdout(_) | Failure::Terminal(_))) => return Err(failure),
            Err(failure) => tell(&format!("error: {failure}")),
        }
    }
    if conversation.session.is_open() {
        conversation.session.roll_back()?;
        tell("the open transaction is rolled back");
    }
    Ok(())
}

/// Does what standard input says, which is no terminal.
///
/// # Errors
/// That of the first statement or command that fails.
pub(crate) fn read_along(conversation: &mut Conversation) -> Result<(), Failure> {
    let lines = io::stdin().lock().lines();
    let lines = lines.map(|line| {
        line.map_err(|source| Failure::Input {
            name: "standard input".to_owned(),
            source,
        })
    });
    conversation.take_all(lines)?;
    if conversation.session.is_open() {
        conversation.session.roll_back()?;
        let why = "the input ended within a transaction, which is rolled back: end it with :commit";
        return Err(Failure::Command(why.to_owned()));
    }
    Ok(())
}

impl Conversation {
    /// Takes lines as they come. The first that fails is the last.
    fn take_all(
        &mut self,
        lines: impl Iterator<Item = Result<String, Failure>>,
    ) -> Result<Next, Failure> {
        let mut gather = Gather::of_script();
        for line in lines {
            if let Some(piece) = gather.add(&line?)
                && self.take(&piece)? == Next::Leave
            {
                return Ok(Next::Leave);
            }
        }
        gather
            .rest()
            .map_or(Ok(Next::Go), |piece| self.take(&piece))
    }

    /// Runs statements, or does what a command says.
    fn take(&mut self, piece: &Piece) -> Result<Next, Failure> {
        match piece {
            Piece::Command(text) => obey::obey(self, text),
            Piece::Statements { text, line } => {
                self.run(text, *line)?;
                Ok(Next::Go)
            }
        }
    }

    /// Runs statements and prints their rows.
    fn run(&mut self, text: &str, line: Option<usize>) -> Result<(), Failure> {
        self.layout.room = crate::verbs::terminal_width();
        let interrupt = self.interrupt.clone();
        if self.interactive {
            interrupt.statement(|cancel| self.run_until(text, line, cancel))
        } else {
            self.run_until(text, line, &interrupt.token())
        }
    }

    fn run_until(
        &mut self,
        text: &str,
        line: Option<usize>,
        cancel: &CancelToken,
    ) -> Result<(), Failure> {
        let (timing, mut last) = (self.timing, Instant::now());
        let after = |shown: &Shown| {
            if shown.more {
                let rows = things(shown.rows.unwrap_or(0), "row");
                tell(&format!(
                    "the first {rows}: there are more, and `:limit 0` shows all"
                ));
            }
            if timing && !shown.planned {
                let outcome = outcome(shown.rows, &shown.changes);
                tell(&format!("{outcome}, {}", took(last.elapsed())));
            }
            last = Instant::now();
        };
        let (session, printer) = (&mut self.session, &mut self.printer);
        run_script(session, text, line, printer, self.layout, cancel, after)?;
        self.printer.flush()
    }
}

/// Says where we are.
fn greet(conversation: &mut Conversation, dir: &Path) -> Result<(), Failure> {
    let read = conversation.session.database().read()?;
    let counted =
        || -> Result<_, Error> { Ok((read.node_count(None)?, read.relationship_count(None)?)) };
    let (nodes, relationships) = counted()?;
    let greeting = format!(
        "{}: {}, {} relationships\nEnd a statement with `;`. :help lists the commands, Ctrl-D leaves.\n",
        dir.display(),
        things(nodes, "node"),
        count(relationships),
    );
    conversation.printer.text(&printable(&greeting))?;
    conversation.printer.flush()
}

/// Says something beside the rows.
fn tell(text: &str) {
    // Nobody is left to hear that stderr is closed.
    let _ = writeln!(io::stderr(), "{}", printable(text));
}
