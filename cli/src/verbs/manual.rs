//! `completions`, `man` and `help`: what the command says of itself, made of the definitions of its arguments.

use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Reply;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const COMPLETIONS_EXAMPLE: &str = "\
Examples:
  stratigraph completions bash > ~/.local/share/bash-completion/completions/stratigraph
  stratigraph completions zsh > ~/.zfunc/_stratigraph
  stratigraph completions fish > ~/.config/fish/completions/stratigraph.fish";

const MAN_EXAMPLE: &str = "\
Examples:
  stratigraph man | man -l -
  stratigraph man import | man -l -
  stratigraph man --to ~/.local/share/man/man1";

const HELP_EXAMPLE: &str = "\
Examples:
  stratigraph help import
  stratigraph help exit-codes";

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLE)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    ///
    /// # Errors
    /// Stdout cannot be written.
    pub(super) fn run(&self) -> Result<Reply, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut Arguments::command(),
            "stratigraph",
            &mut script,
        );
        print(&script)?;
        Ok(silent("completions"))
    }
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLE)]
pub(crate) struct Man {
    /// The page of a verb; that of the whole command if not given
    verb: Option<String>,
    /// Write all pages into a folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "verb")]
    to: Option<PathBuf>,
}

impl Man {
    /// Prints a page, or writes all of them.
    ///
    /// # Errors
    /// There is no such verb; what cannot be written.
    pub(super) fn run(&self) -> Result<Reply, Failure> {
        let whole = built();
        if let Some(folder) = &self.to {
            return pages_into(&whole, folder);
        }
        let bytes = match &self.verb {
            None => page(&whole)?,
            Some(verb) => page(&of_verb(&whole, verb)?)?,
        };
        print(&bytes)?;
        Ok(silent("man"))
    }
}

/// Arguments of `help`.
#[derive(Debug, Args)]
#[command(after_help = HELP_EXAMPLE)]
pub(crate) struct Help {
    /// A verb, or exit-codes
    topic: Option<String>,
}

impl Help {
    /// Prints the help of a verb, or of a topic.
    ///
    /// # Errors
    /// There is no such verb.
    pub(super) fn run(&self) -> Result<Reply, Failure> {
        let mut whole = built();
        let text = match self.topic.as_deref() {
            None => whole.render_long_help().to_string(),
            Some("exit-codes") => Exit::explained(),
            Some(verb) => of_verb(&whole, verb)?.render_long_help().to_string(),
        };
        print(text.as_bytes())?;
        Ok(silent("help"))
    }
}

/// The command with what it hands on to its verbs.
fn built() -> Command {
    let mut whole = Arguments::command();
    whole.build();
    whole
}

fn of_verb(whole: &Command, verb: &str) -> Result<Command, Failure> {
    let found = whole.find_subcommand(verb).cloned();
    found.ok_or_else(|| {
        let verbs: Vec<&str> = whole.get_subcommands().map(Command::get_name).collect();
        Failure::Usage(format!(
            "there is no verb {verb:?}: {}, or exit-codes",
            verbs.join(", ")
        ))
    })
}

fn page(command: &Command) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut bytes)
        .map_err(Failure::Stdout)?;
    Ok(bytes)
}

fn pages_into(whole: &Command, folder: &Path) -> Result<Reply, Failure> {
    let io = |error| super::placing::io_error("write", folder, error);
    fs::create_dir_all(folder).map_err(io)?;
    fs::write(folder.join("stratigraph.1"), page(whole)?).map_err(io)?;
    let mut written = 1_u64;
    for verb in whole.get_subcommands() {
        let name = format!("stratigraph-{}", verb.get_name());
        fs::write(folder.join(format!("{name}.1")), page(verb)?).map_err(io)?;
        written += 1;
    }
    let mut reply = Reply::new("man");
    reply
        .line(format!("{written} pages are in {}", folder.display()))
        .field("folder", folder.display().to_string())
        .field("pages", written);
    Ok(reply)
}

/// Exactly these bytes: a script may hold what a terminal is not shown otherwise.
fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Stdout(error)),
        _ => Ok(()),
    }
}

fn silent(verb: &'static str) -> Reply {
    let mut reply = Reply::new(verb);
    reply.stdout_is_taken();
    reply
}
