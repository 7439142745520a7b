//! What the commands of the conversation do.
//!
//! Next: `editor.rs`.

use super::command::Command;
use super::{Conversation, Drawing, Next, profile, tell, tree};
use crate::failure::Failure;
use crate::output::{printable, things};
use crate::statements::{Format, read_input, value_of};
use clap::ValueEnum;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

/// How deep files take each other.
const DEEPEST: usize = 16;

/// Does what the line says.
///
/// # Errors
/// It says nothing that we know; what keeps it from being done.
pub(super) fn obey(conversation: &mut Conversation, line: &str) -> Result<Next, Failure> {
    let command = Command::read(line)?;
    let session = &mut conversation.session;
    match command {
        Command::Quit => return Ok(Next::Leave),
        Command::Help(of) => {
            let text = Command::help(of)?;
            conversation.printer.whole(|printer| printer.text(&text))?;
        }
        Command::Settings => {
            let text = settings(conversation);
            conversation.printer.text(&text)?;
        }
        Command::SetParameter { name, value } => {
            let interrupt = conversation.interrupt.clone();
            let value = if conversation.interactive {
                interrupt.statement(|cancel| value_of(session, value, cancel))?
            } else {
                value_of(session, value, &interrupt.token())?
            };
            session.parameters.insert(name, value);
        }
        Command::Parameters => {
            let parameters = session.parameters.iter();
            let lines: String = parameters
                .map(|(name, value)| format!("${name} = {value}\n"))
                .collect();
            conversation.printer.text(&printable(&lines))?;
        }
        Command::ForgetParameters => session.parameters = stratigraph::Parameters::new(),
        Command::Schema => {
            let text = super::schema::shown(session.place())?;
            let none = "there are no labels, types, indexes or constraints\n";
            let text = if text.is_empty() { none } else { &text };
            conversation.printer.whole(|printer| printer.text(text))?;
        }
        Command::Explain(statement) => {
            conversation.run(&format!("EXPLAIN {statement}"), None)?;
        }
        Command::Profile(Some(statement)) => drawn(conversation, Drawing::Profile, statement)?,
        Command::Tree(Some(statement)) => drawn(conversation, Drawing::Tree, statement)?,
        Command::Profile(None) => conversation.next = Some(Drawing::Profile),
        Command::Tree(None) => conversation.next = Some(Drawing::Tree),
        Command::Format(format) => conversation.layout.format = format,
        Command::Limit(rows) => conversation.layout.limit = rows,
        Command::Timing(timing) => conversation.timing = timing,
        Command::Pager(on) => conversation.pager.store(on, Ordering::Relaxed),
        Command::Begin => {
            let interrupt = conversation.interrupt.clone();
            let told = if conversation.interactive {
                interrupt.statement(|cancel| session.begin(cancel))?
            } else {
                session.begin(&interrupt.token())?
            };
            if conversation.interactive {
                tell(&format!(
                    "a transaction is open until :commit or :rollback; {told}"
                ));
            }
        }
        Command::Commit => {
            session.commit()?;
            if conversation.interactive {
                tell("committed");
            }
        }
        Command::Rollback => {
            session.roll_back()?;
            if conversation.interactive {
                tell("rolled back");
            }
        }
        Command::Source(file) => return source(conversation, file),
        Command::Save(file) => save(conversation, Path::new(file))?,
        Command::History => {
            let text = match super::history::file() {
                Some(file) => format!("{}\n", file.display()),
                None => "lines are not remembered: there is no home folder\n".to_owned(),
            };
            conversation.printer.text(&printable(&text))?;
        }
    }
    conversation.printer.flush()?;
    Ok(Next::Go)
}

/// Shows a statement's answer as a drawing.
///
/// # Errors
/// Those of the statement, or it gives nothing to draw.
pub(super) fn drawn(
    conversation: &mut Conversation,
    drawing: Drawing,
    statement: &str,
) -> Result<(), Failure> {
    match drawing {
        Drawing::Profile => profiled(conversation, statement),
        Drawing::Tree => treed(conversation, statement),
    }
}

/// How answers are shown.
fn settings(conversation: &Conversation) -> String {
    let format = conversation.layout.format.to_possible_value();
    let format = format.as_ref().map_or("", |format| format.get_name());
    let on = |is| if is { "on" } else { "off" };
    let limit = conversation
        .layout
        .limit
        .map_or_else(|| "0".to_owned(), |rows| rows.to_string());
    let pager = conversation.pager.load(Ordering::Relaxed);
    format!(
        "format  {format}\nlimit   {limit}\ntiming  {}\npager   {}\n",
        on(conversation.timing),
        on(pager)
    )
}

/// Runs a statement for its plan: its rows are counted and not shown.
fn profiled(conversation: &mut Conversation, statement: &str) -> Result<(), Failure> {
    let text = format!("PROFILE {}", one(statement));
    let (format, room) = (conversation.layout.format, crate::verbs::terminal_width());
    conversation.ask(&text, |answer, printer| {
        let mut rows = 0_u64;
        while let Some(row) = answer.next() {
            row?;
            rows += 1;
        }
        let told = answer.told()?;
        if format == Format::Json {
            printer.text(&profile::lines(&told.operators))?;
        } else {
            printer.text(&printable(&profile::drawn(&told.operators, room)))?;
        }
        Ok(things(rows, "row"))
    })
}

/// Runs a TRAVERSE and draws its levels.
fn treed(conversation: &mut Conversation, statement: &str) -> Result<(), Failure> {
    let text = tree::asked(statement);
    let room = crate::verbs::terminal_width();
    conversation.ask(&text, |answer, printer| {
        let drawn = tree::drawn(answer, room)?;
        printer.text(&printable(&drawn))?;
        let truncated = answer.told()?.truncated;
        Ok(if truncated { "ended by its budget" } else { "" }.to_owned())
    })
}

/// A statement without the `;` at its end.
fn one(statement: &str) -> &str {
    statement.trim().trim_end_matches(';')
}

/// Takes what a file holds. A file that takes itself comes to an end by its depth.
fn source(conversation: &mut Conversation, file: &str) -> Result<Next, Failure> {
    if conversation.depth >= DEEPEST {
        let why = format!("{file}: files take each other {DEEPEST} deep and no more");
        return Err(Failure::Command(why));
    }
    let text = read_input(Some(Path::new(file)))?;
    conversation.depth += 1;
    let taken = conversation.take_all(text.lines().map(|line| Ok(line.to_owned())));
    conversation.depth -= 1;
    match taken {
        // Leaving is the business of who sits at the terminal.
        Ok(_) => Ok(Next::Go),
        Err(failure) => Err(failure),
    }
}

/// Writes what was said into a file that is not there yet.
fn save(conversation: &Conversation, file: &Path) -> Result<(), Failure> {
    let written = File::create_new(file).and_then(|mut out| {
        for said in &conversation.said {
            writeln!(out, "{said}")?;
        }
        out.sync_all()
    });
    written.map_err(|error| {
        let path = file.display();
        Failure::Command(match error.kind() {
            io::ErrorKind::AlreadyExists => format!("{path} is there already: name another file"),
            _ => format!("cannot write {path}: {error}"),
        })
    })?;
    if conversation.interactive {
        tell(&format!(
            "{} lines are in {}",
            conversation.said.len(),
            file.display()
        ));
    }
    Ok(())
}
