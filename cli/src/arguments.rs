//! What can be asked on the command line.

use crate::exit::Exit;
use crate::verbs::Verb;
use clap::{ArgAction, Args, Parser};

/// An embedded graph-vector database for retrieval over layered knowledge.
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
    use clap::{Command, CommandFactory};
    use std::path::{Path, PathBuf};

    #[test]
    fn clap_finds_the_arguments_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_main_job_comes_first() {
        let whole = Arguments::command();
        let verbs: Vec<&str> = whole.get_subcommands().map(Command::get_name).collect();
        assert!(verbs.starts_with(&["ingest", "ask", "retrieve", "query", "repl"]));
        // What it says of itself begins as the front page does.
        let front = include_str!("../../README.md");
        let said = whole.get_about().unwrap().to_string();
        let (_, first) = front.split_once("\n\n").unwrap();
        let first = first.replace(" in Rust", "");
        assert!(
            first.starts_with(&said.replace("An embedded", "Stratigraph is an embedded")),
            "{said}"
        );
    }

    #[test]
    fn others_call_the_conversation_a_shell() {
        let asked = Arguments::try_parse_from(["stratigraph", "shell", "library"]).unwrap();
        assert!(matches!(asked.verb, Verb::Repl(_)));
        let mut whole = Arguments::command();
        let help = whole.render_long_help().to_string();
        assert!(
            !help.contains("\n  shell") && !help.contains("aliases"),
            "{help}"
        );
    }

    /// Texts and comments name commands between backticks.
    #[test]
    fn every_command_that_the_code_names_is_there() {
        let mut whole = Arguments::command();
        whole.build();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for folder in ["src", "../rag/src", "../engine/src", "../server/src"] {
            files_below(&here.join(folder), &mut files);
        }
        // Of two parts, since this file is looked through as well.
        let begins = ["`stratigraph", " "].concat();
        let mut named = 0;
        for file in &files {
            let text = std::fs::read_to_string(file).unwrap();
            for rest in text.split(&begins).skip(1) {
                let command = rest.split(['`', '|', '\n']).next().unwrap_or_default();
                if command.starts_with(crate::READ_PDF) {
                    continue;
                }
                named += 1;
                if let Err(word) = names_what_is_there(&whole, command) {
                    panic!("{}: there is no {word} in `{command}`", file.display());
                }
            }
        }
        assert!(named >= 20, "only {named} commands were found");
        names_what_is_there(&whole, "routes add DIR FILE").unwrap();
        assert_eq!(names_what_is_there(&whole, "routes DIR add"), Err("DIR"));
        assert_eq!(
            names_what_is_there(&whole, "summarise --most"),
            Err("--most")
        );
    }

    /// Whether the verbs and flags of a command are there; gives the first word that is not.
    fn names_what_is_there<'a>(whole: &Command, command: &'a str) -> Result<(), &'a str> {
        let mut at = whole;
        for word in command.split_whitespace() {
            if let Some(flag) = word.strip_prefix("--") {
                let is_there = at.get_arguments().any(|arg| arg.get_long() == Some(flag));
                is_there.then_some(()).ok_or(word)?;
            } else if let Some(verb) = at.find_subcommand(word) {
                at = verb;
            } else if at.has_subcommands() {
                return Err(word);
            }
        }
        Ok(())
    }

    fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files_below(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
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
