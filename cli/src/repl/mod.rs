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
//! | what Tab offers, and colours | `complete.rs`, `colours.rs` |
//! | what there is and what is declared | `schema.rs` |
//! | drawings: plans with bars, levels as a tree | `profile.rs`, `tree.rs` |
//! | what is longer than the screen | `pager.rs` |
//!
//! Next: `gather.rs`.

mod colours;
mod command;
mod complete;
mod editor;
mod gather;
mod history;
mod obey;
mod pager;
mod profile;
mod schema;
mod tree;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{printable, things};
use crate::statements::{
    Answer, Layout, Printer, Session, Shown, counts, outcome, run_script, took,
};
use editor::{Editor, Heard};
use gather::{Gather, Piece};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use stratigraph::storage::cancel::CancelToken;

pub(crate) use pager::Paged;

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
    /// Whether long answers go to a pager.
    pub(crate) pager: Arc<AtomicBool>,
    /// How the next statement is to be shown.
    pub(crate) next: Option<Drawing>,
    /// What was said at the terminal and done without an error, for `:save`.
    pub(crate) said: Vec<String>,
}

/// What can be drawn of a statement in the place of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drawing {
    Profile,
    Tree,
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
    place: &str,
    remember: bool,
) -> Result<(), Failure> {
    conversation.interrupt.converse();
    conversation.layout.limit = Some(SHOWN);
    conversation.layout.apart = false;
    greet(conversation, place)?;
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
            Ok(Next::Go) => conversation.keep(&piece),
            Ok(Next::Leave) => break,
            Err(failure @ (Failure::Stdout(_) | Failure::Terminal(_))) => return Err(failure),
            Err(failure) => complain(&failure),
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
    /// Remembers what was said, up to a limit; a file says it better then.
    fn keep(&mut self, piece: &Piece) {
        let text = piece.text();
        let saves = text.starts_with(":save") || text.starts_with(":help");
        if self.said.len() < history::MOST && !saves {
            self.said.push(text.to_owned());
        }
    }

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
                match self.next.take() {
                    Some(drawing) => obey::drawn(self, drawing, text)?,
                    None => self.run(text, *line)?,
                }
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

    /// Runs a statement for what `show` makes of its answer, and says what that tells, and how long it took.
    fn ask(
        &mut self,
        text: &str,
        show: impl FnOnce(&mut dyn Answer, &mut Printer) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let interrupt = self.interrupt.clone();
        let started = Instant::now();
        let (session, printer) = (&mut self.session, &mut self.printer);
        let ask = |cancel: &CancelToken| {
            printer.whole(|printer| session.run(text, cancel, |answer| show(answer, printer)))
        };
        let told = if self.interactive {
            interrupt.statement(ask)?
        } else {
            ask(&interrupt.token())?
        };
        if self.timing {
            let before = if told.is_empty() { told } else { told + ", " };
            tell(&format!("{before}{}", took(started.elapsed())));
        } else if !told.is_empty() && self.interactive {
            tell(&told);
        }
        Ok(())
    }

    fn run_until(
        &mut self,
        text: &str,
        line: Option<usize>,
        cancel: &CancelToken,
    ) -> Result<(), Failure> {
        let (timing, mut last) = (self.timing, Instant::now());
        let after = |shown: &Shown, notes: &[String]| {
            if shown.more {
                let rows = things(shown.rows.unwrap_or(0), "row");
                tell(&format!(
                    "the first {rows}: there are more, and `:limit 0` shows all"
                ));
            }
            if timing && !shown.planned {
                let outcome = outcome(shown.rows, &shown.told);
                tell(&format!("{outcome}, {}", took(last.elapsed())));
            }
            for note in notes {
                tell(&format!("note: {note}"));
            }
            last = Instant::now();
        };
        let (session, printer) = (&mut self.session, &mut self.printer);
        run_script(session, text, line, printer, self.layout, cancel, after)?;
        self.printer.flush()
    }
}

/// Says where we are.
fn greet(conversation: &mut Conversation, place: &str) -> Result<(), Failure> {
    let (nodes, relationships) = counts(conversation.session.place())?;
    let greeting = format!(
        "{place}: {}, {}\nEnd a statement with `;`. :help lists the commands, Ctrl-D leaves.\n",
        things(nodes, "node"),
        things(relationships, "relationship"),
    );
    conversation.printer.text(&printable(&greeting))?;
    conversation.printer.flush()
}

/// Says what went wrong.
fn complain(failure: &Failure) {
    let text = printable(&format!("error: {}", failure.told()));
    let text = if colours::are_wanted() {
        colours::error(&text)
    } else {
        text
    };
    // Nobody is left to hear that stderr is closed.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says something beside the rows.
fn tell(text: &str) {
    // Nobody is left to hear that stderr is closed.
    let _ = writeln!(io::stderr(), "{}", printable(text));
}
