//! `repl`: a conversation in StratQL.

use super::session_flags::SessionFlags;
use crate::arguments::Global;
use crate::failure::Failure;
use crate::output::Reply;
use crate::progress::Progress;
use crate::repl::{self, Conversation, Paged};
use crate::statements::Printer;
use clap::Args;
use std::io::{self, BufWriter, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const EXAMPLE: &str = "\
A statement ends with `;` and may go over several lines. Tab completes keywords and the names that the
database knows. Ctrl-C stops the statement that runs and the conversation goes on; at the prompt it
clears the line, and Ctrl-D leaves. Commands begin with a colon; `:help` lists them.

Lines are remembered from one time to the next in stratigraph/history in the user's state folder
(XDG_STATE_HOME, or .local/state at home), never with the database; --no-history leaves that. A line
that begins with a blank is not remembered.

What is longer than the screen goes to $STRATIGRAPH_PAGER, $PAGER or less; `:pager off` leaves that.
Colours are left out where NO_COLOR is set.

`:begin` opens a transaction, which stays open until `:commit` or `:rollback`. It is rolled back when it
rests for 10 minutes or lasts for an hour while something else waits to write.

At the address of a server the same is said and shown. There the server decides how long a transaction may
rest, and `:begin` tells it; what is lost with a connection is said, and the next statement connects again. A
token is in STRATIGRAPH_TOKEN or in the file of --token-file.

When standard input is no terminal the statements and commands in it are run as `query` does it.

Examples:
  stratigraph repl /var/lib/library
  stratigraph repl --create library
  stratigraph repl grpc://localhost:7687
  stratigraph repl grpcs://graph.example/library --ca ca.pem --token-file token
  stratigraph repl /var/lib/library --read-only --param name=Ann

JSON: as `query` prints rows; errors as it prints them";

/// Arguments of `repl`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Repl {
    /// Which database, and how to ask it.
    #[command(flatten)]
    flags: SessionFlags,
    /// Neither read nor write the history of lines
    #[arg(long)]
    no_history: bool,
}

impl Repl {
    /// Talks until there is nothing more to say.
    ///
    /// # Errors
    /// What keeps the database from being opened or closed. Without a terminal, that of the first statement
    /// that fails.
    pub(super) fn run(&self, global: Global, progress: &Progress) -> Result<Reply, Failure> {
        let interrupt = progress.interrupt();
        let mut session = self.flags.open(&interrupt.token())?;
        let interactive = io::stdin().is_terminal() && io::stdout().is_terminal();
        session.tells_unknown = interactive && !global.quiet;
        let pager = Arc::new(AtomicBool::new(interactive));
        let mut conversation = Conversation {
            session,
            printer: if interactive {
                Printer::new(Paged::new(Arc::clone(&pager)))
            } else {
                Printer::new(BufWriter::new(io::stdout()))
            },
            layout: self.flags.layout(global.json),
            timing: interactive && !global.quiet,
            interactive,
            interrupt: interrupt.clone(),
            depth: 0,
            pager,
            next: None,
            said: Vec::new(),
        };
        if interactive {
            let place = self.flags.dir.display().to_string();
            repl::talk(&mut conversation, &place, !self.no_history)?;
        } else {
            repl::read_along(&mut conversation)?;
        }
        conversation.session.close()?;
        let mut reply = Reply::new("repl");
        reply
            .stdout_is_taken()
            .field("path", self.flags.dir.display().to_string());
        Ok(reply)
    }
}
