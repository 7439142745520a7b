//! What the commands of the conversation do.
//!
//! Next: `editor.rs`.

use super::command::Command;
use super::{Conversation, Next, tell};
use crate::failure::Failure;
use crate::output::{Reply, printable};
use crate::statements::{read_input, value_of};
use crate::verbs::graph;
use std::path::Path;

/// Does what the line says.
///
/// # Errors
/// It says nothing that we know; what keeps it from being done.
pub(super) fn obey(conversation: &mut Conversation, line: &str) -> Result<Next, Failure> {
    let session = &mut conversation.session;
    match Command::read(line)? {
        Command::Quit => return Ok(Next::Leave),
        Command::Help => conversation.printer.text(&Command::help())?,
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
            let mut reply = Reply::new("schema");
            graph::add(&mut reply, &session.database().read()?)?;
            let text = reply.to_text(false);
            let text = text.trim_start_matches('\n');
            let none = "there are no labels, types, indexes or constraints\n";
            conversation
                .printer
                .text(if text.is_empty() { none } else { text })?;
        }
        Command::Explain(statement) => {
            conversation.run(&format!("EXPLAIN {statement}"), None)?;
        }
        Command::Format(format) => conversation.layout.format = format,
        Command::Limit(rows) => conversation.layout.limit = rows,
        Command::Timing(timing) => conversation.timing = timing,
        Command::Begin => {
            session.begin()?;
            if conversation.interactive {
                tell(
                    "a transaction is open until :commit or :rollback; :help says how long it may rest",
                );
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
    }
    conversation.printer.flush()?;
    Ok(Next::Go)
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

/// How deep files take each other.
const DEEPEST: usize = 16;
