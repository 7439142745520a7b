//! A line of the terminal: editing, completion, and what was typed before.
//!
//! While a line is edited the terminal hands Ctrl-C to the editor; while a statement runs it is a signal, and
//! the business of `interrupt.rs`.
//!
//! Next: `history.rs`.

use super::Conversation;
use super::complete::Known;
use super::{colours, history};
use crate::failure::Failure;
use rustyline::completion::Completer;
use rustyline::config::{BellStyle, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::borrow::Cow;
use std::path::PathBuf;

/// Before a statement.
const PROMPT: &str = "stratql> ";
/// Before a statement within an open transaction.
const PROMPT_OPEN: &str = "stratql*> ";
/// Before the other lines of a statement.
const PROMPT_GOES_ON: &str = "     ...> ";

/// What came from the terminal.
pub(super) enum Heard {
    /// A line, or several that were pasted.
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
}

/// Reads lines from the terminal.
pub(super) struct Editor {
    lines: rustyline::Editor<Assistant, DefaultHistory>,
    /// Where lines are remembered.
    history: Option<PathBuf>,
}

impl Editor {
    /// An editor with the lines of earlier conversations, if it may `remember`.
    ///
    /// # Errors
    /// The terminal does not work.
    pub(super) fn new(conversation: &mut Conversation, remember: bool) -> Result<Self, Failure> {
        let config = Config::builder()
            .max_history_size(history::MOST)
            .map_err(|error| failed(&error))?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .bell_style(BellStyle::None)
            .build();
        let mut lines = rustyline::Editor::with_config(config).map_err(|error| failed(&error))?;
        lines.set_helper(Some(Assistant {
            known: Known::of(&conversation.session),
            pending: String::new(),
            colours: colours::are_wanted(),
        }));
        let history = if remember { history::file() } else { None };
        if let Some(file) = &history
            && let Err(error) = lines.load_history(file)
        {
            // There is none before the first time.
            tracing::debug!(%error, "no lines of earlier conversations");
        }
        Ok(Self { lines, history })
    }

    /// Looks again at what can be completed, after the lines that are `pending`.
    pub(super) fn refresh(&mut self, conversation: &mut Conversation, pending: &str) {
        if let Some(assistant) = self.lines.helper_mut() {
            pending.clone_into(&mut assistant.pending);
            if let Err(error) = assistant.known.refresh(&mut conversation.session) {
                tracing::debug!(%error, "Tab offers what was known before");
            }
        }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// The terminal does not work.
    pub(super) fn line(&mut self, is_open: bool, is_first: bool) -> Result<Heard, Failure> {
        let prompt = match (is_first, is_open) {
            (false, _) => PROMPT_GOES_ON,
            (true, true) => PROMPT_OPEN,
            (true, false) => PROMPT,
        };
        match self.lines.readline(prompt) {
            Ok(line) => Ok(Heard::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Heard::Interrupt),
            Err(ReadlineError::Eof) => Ok(Heard::End),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Keeps what was written for the next time.
    pub(super) fn remember(&mut self, text: &str) {
        let added = self.lines.add_history_entry(text);
        let Some(file) = self.history.as_ref().filter(|_| matches!(added, Ok(true))) else {
            return;
        };
        // Now, and not at the end: another conversation may end later, and this one by force.
        if let Err(error) = self.lines.append_history(file) {
            tracing::warn!(%error, "lines are not remembered: {}", file.display());
            self.history = None;
        }
    }
}

fn failed(error: &ReadlineError) -> Failure {
    Failure::Terminal(error.to_string())
}

/// What the editor asks while a line is typed.
struct Assistant {
    known: Known,
    /// The lines of the statement before this one.
    pending: String,
    colours: bool,
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..position).unwrap_or(line);
        let (start, offers) = self.known.offers(&format!("{}{typed}", self.pending));
        // The word may not begin before the line.
        Ok(start
            .checked_sub(self.pending.len())
            .map_or((position, Vec::new()), |at| (at, offers)))
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if self.colours {
            colours::line(&self.pending, line)
        } else {
            line.into()
        }
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        // A moved cursor colours nothing else.
        self.colours && !matches!(kind, CmdKind::MoveCursor)
    }
}

impl Validator for Assistant {}

impl Helper for Assistant {}
