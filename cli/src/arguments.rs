//! What can be asked on the command line.

use crate::exit::Exit;
use crate::verbs::Verb;
use clap::{ArgAction, Args, Parser};

/// Checks, backs up and repairs Stratigraph databases.
#[derive(Debug, Parser)]
#[command(name = "stratigraph", version, after_help = Exit::table(), arg_required_else_help = true,
    disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// Flags that every verb understands.
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// Flags that every verb understands.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Global {
    /// Print one JSON object on stdout; an error is one on the last line of stderr
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print findings and errors only
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Log more to stderr (-v, -vv, -vvv); RUST_LOG, when set, decides instead
    #[arg(long, short, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn clap_finds_the_arguments_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_verb_is_in_the_documents() {
        let page = include_str!("../../docs/command-line.md");
        let map = include_str!("../../ARCHITECTURE.md");
        let row = map.lines().find(|line| line.starts_with("| `cli/` |"));
        for verb in Arguments::command().get_subcommands() {
            let name = verb.get_name();
            let call = format!("`{name} ");
            assert!(
                page.contains(&call),
                "docs/command-line.md does not know {name}"
            );
            let is_there = row.is_some_and(|row| row.contains(&format!("`{name}`")));
            assert!(is_there, "ARCHITECTURE.md does not know {name}");
        }
    }
}
