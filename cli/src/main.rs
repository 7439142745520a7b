//! The `stratigraph` command: looks after databases from outside, and asks them.
//!
//! [`arguments`] says what can be asked, each file of [`verbs`] answers one verb with a
//! [`Reply`](output::Reply), [`output`] prints it, and [`exit`] turns the outcome into the process's
//! exit code. The rows of queries go their own way, as they come: [`statements`] runs and prints them,
//! [`repl`] is the conversation, and [`remote`] what is asked of a server in the place of a folder. Nothing here decides what a database is or what a query means: every verb
//! is a few calls to the engine, or to the client. And nothing here panics over what comes from outside: arguments, files,
//! pipes, signals.

mod arguments;
mod bill;
mod exit;
mod failure;
mod interrupt;
mod models;
mod output;
mod progress;
mod rag_error;
mod remote;
mod repl;
mod statements;
mod transfer;
mod verbs;

use arguments::{Arguments, Global};
use clap::Parser;
use exit::Exit;
use failure::Failure;
use output::Output;
use progress::Progress;
use std::io::{self, IsTerminal};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What this program is started with to parse a PDF as its own child. No verb: nobody else can talk to it.
const READ_PDF: &str = "read-pdf";

fn main() -> ExitCode {
    // Before anything else is there: it bounds its own memory, and what it reads is hostile.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == READ_PDF)
    {
        return stratigraph_rag::read::serve_pdf_child();
    }
    let exit = match Arguments::try_parse() {
        Ok(arguments) => serve(&arguments),
        Err(error) => refuse(&error),
    };
    ExitCode::from(exit.code())
}

/// Does what was asked and says what came of it.
fn serve(arguments: &Arguments) -> Exit {
    let output = Output::new(arguments.global);
    match &arguments.verb {
        // A server has settings of its own for that; what is wrong with them is told when it starts.
        verbs::Verb::Serve(serve) => {
            if let Ok(config) = serve.config() {
                stratigraph_server::start_log(&config);
            }
        }
        _ => start_log(arguments.global),
    }
    let progress = Progress::new(interrupt::listen(), arguments.global.quiet);
    // A panic is a bug of ours: it must not look like damage, which is what code 101 could be
    // mistaken for in a script that only knows this table.
    let answer = panic::catch_unwind(AssertUnwindSafe(|| {
        arguments.verb.run(arguments.global, &progress)
    }));
    match answer.unwrap_or(Err(Failure::Panic)) {
        Ok(reply) => output.reply(&reply),
        Err(failure) => output.failure(&failure),
    }
}

/// What clap says instead of arguments: help and version go to stdout and are fine, the rest is a
/// usage error.
fn refuse(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        // Nobody is left to hear that stdout is closed.
        let _ = error.print();
        return Exit::Fine;
    }
    // Parsing has failed, so the flag is looked for by hand.
    if std::env::args_os().any(|argument| argument == "--json") {
        let json = Global {
            json: true,
            ..Global::default()
        };
        return Output::new(json).failure(&Failure::Usage(error.to_string()));
    }
    let _ = error.print();
    Exit::Request
}

/// Sends the engine's log to stderr.
fn start_log(global: Global) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        // A closed stderr is no reason to complain on stderr.
        .log_internal_errors(false)
        .try_init();
    if log.is_err() {
        tracing::debug!("a log is there already");
    }
}
