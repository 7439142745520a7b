//! The verbs, one file each. A verb opens what it needs, asks the engine, and answers.

mod ask;
mod backup;
mod backups;
mod calibrate;
mod check;
mod compact;
mod config;
mod dump;
mod eval;
mod export;
mod import;
mod info;
mod ingest;
mod load;
mod manual;
mod placing;
mod query;
mod questions;
mod receipts;
mod recover;
mod repl;
mod report;
mod restore;
mod retrieve;
mod routes;
mod scrub;
pub(crate) mod serve;
mod session_flags;
mod summarise;
mod token;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::output::Reply;
use crate::progress::Progress;
use clap::Subcommand;
pub(crate) use session_flags::{duration, terminal_width};

/// What to do.
// Help lists them in this order: what a database is for comes first, and its upkeep last.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Make a layered graph of documents, and keep it up as they change
    Ingest(Box<ingest::Ingest>),
    /// Answer a question from the documents, or say that they do not
    Ask(Box<ask::Ask>),
    /// Say what answers a question, with receipts
    Retrieve(Box<retrieve::Retrieve>),
    /// Run statements of StratQL and print their rows
    Query(query::Query),
    /// Talk to a database in StratQL
    #[command(alias = "shell")]
    Repl(repl::Repl),
    /// Write the summaries that are missing or stale, by which domains are found
    Summarise(Box<summarise::Summarise>),
    /// Find below which confidence questions are refused, and keep it
    Calibrate(Box<calibrate::Calibrate>),
    /// Say whether what receipts were given on still stands
    Receipts(receipts::Receipts),
    /// Declare queries that questions are routed to and models call, and call them
    Routes(Box<routes::Routes>),
    /// Measure retrieval on sets of questions with known answers
    Eval(Box<eval::Eval>),
    /// Bring nodes and relationships from CSV and JSON lines, all or nothing
    Import(import::Import),
    /// Write the graph as JSON lines, CSV, or a script of statements
    Export(export::Export),
    /// Say what a database is, what it holds and how large it is
    Info(info::Info),
    /// Serve databases over gRPC
    Serve(Box<serve::Serve>),
    /// Make tokens for a server
    Token(token::Token),
    /// Check the settings of a server
    Config(config::ConfigVerb),
    /// Add a backup to a folder of backups; only new contents are copied
    Backup(backup::Backup),
    /// List the backups in a folder, and verify them
    Backups(backups::Backups),
    /// Make a database of a backup, comparing every byte with what was backed up
    Restore(restore::Restore),
    /// Write everything as text, one JSON object a line
    Dump(dump::Dump),
    /// Make a new database of a dump, with its ids
    Load(load::Load),
    /// Read everything and check structure and invariants
    Check(check::Check),
    /// Compare the checksum of every block of every file, then check
    Scrub(scrub::Scrub),
    /// Rewrite a database without its deleted and overwritten entries
    Compact(compact::Compact),
    /// Open a database that has lost commits with what is left of it
    Recover(recover::Recover),
    /// Print what a shell needs to complete the verbs and flags
    Completions(manual::Completions),
    /// Print the manual, or write all its pages
    Man(manual::Man),
    /// Explain a verb, or what the exit codes mean
    Help(manual::Help),
}

impl Verb {
    /// Does it.
    ///
    /// # Errors
    /// Whatever leaves the question without an answer. Damage that was looked for is an answer.
    pub(crate) fn run(&self, global: Global, progress: &Progress) -> Result<Reply, Failure> {
        match self {
            Self::Ingest(verb) => verb.run(global.quiet || global.json, progress),
            Self::Ask(verb) => verb.run(global.quiet || global.json, progress),
            Self::Retrieve(verb) => verb.run(progress),
            Self::Query(verb) => verb.run(global, progress),
            Self::Repl(verb) => verb.run(global, progress),
            Self::Summarise(verb) => verb.run(global.quiet || global.json, progress),
            Self::Calibrate(verb) => verb.run(progress),
            Self::Receipts(verb) => verb.run(progress),
            Self::Routes(verb) => verb.run(progress),
            Self::Eval(verb) => verb.run(progress),
            Self::Import(verb) => verb.run(global.quiet || global.json, progress),
            Self::Export(verb) => verb.run(progress),
            Self::Info(verb) => verb.run(),
            Self::Serve(verb) => verb.run(global),
            Self::Token(verb) => verb.run(),
            Self::Config(verb) => verb.run(),
            Self::Backup(verb) => verb.run(progress),
            Self::Backups(verb) => verb.run(progress),
            Self::Restore(verb) => verb.run(progress),
            Self::Dump(verb) => verb.run(progress),
            Self::Load(verb) => verb.run(progress),
            Self::Check(verb) => verb.run(progress),
            Self::Scrub(verb) => verb.run(progress),
            Self::Compact(verb) => verb.run(progress),
            Self::Recover(verb) => verb.run(progress),
            Self::Completions(verb) => verb.run(),
            Self::Man(verb) => verb.run(),
            Self::Help(verb) => verb.run(),
        }
    }
}
