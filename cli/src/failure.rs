//! Why a verb gave no answer: the engine's errors, and the few of our own.

use crate::bill::Bill;
use crate::exit::Exit;
use crate::output::{count, money, things};
use crate::rag_error::RagError;
use crate::remote::{Address, RemoteFailure};
use crate::transfer::TransferError;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use stratigraph_rag::door::causes;

/// Why a verb gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The engine refused.
    #[error(transparent)]
    Engine(stratigraph::Error),
    /// A server at an address gave no answer.
    #[error(transparent)]
    Remote(Box<RemoteFailure>),
    /// There is no database at the path. The engine's own words are about its functions.
    #[error("no database at {}: {hint}", path.display())]
    NoDatabase {
        /// Where it was looked for.
        path: PathBuf,
        /// What to do about it.
        hint: &'static str,
    },
    /// The arguments do not parse. The text is clap's and says so itself.
    #[error("{}", .0.trim_end().trim_start_matches("error: "))]
    Usage(String),
    /// The backup folder is not there.
    #[error("no backup folder at {}", path.display())]
    NoBackupFolder {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// There is nothing to verify.
    #[error("{} holds no backup", path.display())]
    NoBackups {
        /// The backup folder.
        path: PathBuf,
    },
    /// A backup beside the database's own files would be lost together with it.
    #[error("{} lies inside the database: back up to a folder outside it, best on another disk", path.display())]
    BackupInside {
        /// The backup folder that was asked for.
        path: PathBuf,
    },
    /// A dump would overwrite something.
    #[error("{} is there already: pass --force to replace it", path.display())]
    DumpExists {
        /// The file that was asked for.
        path: PathBuf,
    },
    /// A dump can only go to a file.
    #[error("{} is not a file: leave -o out to write to stdout", path.display())]
    DumpNotAFile {
        /// What was asked for.
        path: PathBuf,
    },
    /// The folder of the file that was asked for is missing.
    #[error("cannot write {}: there is no folder {}", path.display(), folder.display())]
    DumpNowhere {
        /// The file that was asked for.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// A file in the database's folder is in the way of the database's own.
    #[error("{} lies inside the database: dump to a file outside it", path.display())]
    DumpInside {
        /// The file that was asked for.
        path: PathBuf,
    },
    /// There is nothing to load.
    #[error("no dump at {}", path.display())]
    NoDump {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// `recover` was not told that losses are fine.
    #[error(
        "{refusal}\n`recover` makes it open again with what is left, and what is lost is lost for good: restore a backup if there is one, or pass --accept-loss"
    )]
    LossNotAccepted {
        /// Why the database does not open now.
        refusal: stratigraph::Error,
    },
    /// `recover` met a database that has no need of it.
    #[error("nothing is lost: {} opens as it is, and there is nothing to recover", path.display())]
    NothingToRecover {
        /// The database's folder.
        path: PathBuf,
    },
    /// A parameter of a query cannot be understood.
    #[error("no parameter: {what}: {reason}")]
    BadParameter {
        /// What was given.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The statements cannot be read.
    #[error("cannot read {name}: {source}")]
    Input {
        /// The file, or standard input.
        name: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The statements are no text.
    #[error("{name} is not text in UTF-8")]
    NotText {
        /// The file, or standard input.
        name: String,
    },
    /// A command of the REPL cannot be carried out.
    #[error("{0}")]
    Command(String),
    /// The terminal does not work.
    #[error("the terminal: {0}")]
    Terminal(String),
    /// One of several statements failed.
    #[error("the statement at line {line}: {}", failure.told())]
    Statement {
        /// Where it begins, from 1.
        line: usize,
        /// Why.
        failure: Box<Failure>,
    },
    /// What is to be known beside why something failed: what was paid by then, or what of that is kept.
    #[error("{}; {kept}", failure.told())]
    Kept {
        /// Why it failed.
        failure: Box<Failure>,
        /// What is kept, and how to go on; or the bill.
        kept: String,
    },
    /// An import or an export that cannot be.
    #[error(transparent)]
    Transfer(Box<TransferError>),
    /// What is asked of documents cannot be: taking them in, finding, answering, measuring.
    #[error(transparent)]
    Rag(Box<RagError>),
    /// A server does not start, or has ended badly.
    #[error(transparent)]
    Server(stratigraph_server::ServerError),
    /// The answer could not be printed.
    #[error("cannot write to stdout: {0}")]
    Stdout(#[source] std::io::Error),
    /// We panicked. The panic's own message is on stderr already.
    #[error("stratigraph panicked: please report it, with the lines above")]
    Panic,
}

/// What is wrong with a query, wherever it ran.
pub(crate) struct WrongQuery<'f> {
    pub(crate) error_type: &'f str,
    pub(crate) phase: &'f str,
    pub(crate) detail: &'f str,
    pub(crate) message: &'f str,
    pub(crate) hint: Option<&'f str>,
    /// The line and the column.
    pub(crate) position: Option<(u32, u32)>,
}

impl From<TransferError> for Failure {
    fn from(error: TransferError) -> Self {
        Self::Transfer(Box::new(error))
    }
}

impl From<stratigraph::Error> for Failure {
    fn from(error: stratigraph::Error) -> Self {
        match error {
            stratigraph::Error::NotFound { path } => {
                let hint = if Address::is_meant_by(&path.to_string_lossy()) {
                    "that is an address, and this verb works on a folder: `query`, `repl`, `import`, `export`, `ingest`, `summarise`, `retrieve`, `ask`, `calibrate`, `receipts` and `routes` talk to a server, and `serve` is where a server backs up and checks"
                } else {
                    "is the path right?"
                };
                Self::NoDatabase { path, hint }
            }
            error => Self::Engine(error),
        }
    }
}

fn server_exit(error: &stratigraph_server::ServerError) -> Exit {
    use stratigraph_server::{ServerError, StartError};
    match error {
        ServerError::Databases(StartError::Database { source, .. }) => Exit::of(source),
        ServerError::Config(_) | ServerError::Tokens(_) | ServerError::Tls(_) => Exit::Request,
        _ => Exit::Unavailable,
    }
}

impl Failure {
    /// What was asked for cannot be, or not be done: why, in words.
    pub(crate) fn of_request(why: impl Display) -> Self {
        RagError::Request(why.to_string()).into()
    }

    /// The failure of one of several statements, which begins at that line.
    pub(crate) fn at_line(self, line: usize) -> Self {
        Self::Statement {
            line,
            failure: Box::new(self),
        }
    }

    /// The failure of something of which so many things are kept there; where nothing is, nothing is told.
    pub(crate) fn with_kept(self, count: usize, [one, many]: [&str; 2], path: &Path) -> Self {
        let kept = match count {
            0 => return self,
            1 => format!("1 {one} is"),
            count => format!("{count} {many} are"),
        };
        let path = path.display();
        Self::Kept {
            failure: Box::new(self),
            kept: format!(
                "{kept} kept in {path}: run the same command again, which asks only for the rest"
            ),
        }
    }

    /// The failure of work that a model was paid for by then, with the bill; where nobody was asked, nothing is told.
    pub(crate) fn with_paid(self, bill: &Bill) -> Self {
        let (calls, usage) = (bill.cost.calls, bill.cost.usage);
        if calls == 0 {
            return self;
        }
        let (read, written) = (count(usage.input_tokens), count(usage.output_tokens));
        let price = bill
            .price(None)
            .map(|price| format!(", cost {}", money(price)));
        Self::Kept {
            failure: Box::new(self),
            kept: format!(
                "{} of the model by then: tokens read {read}, written {written}{}",
                things(calls, "call"),
                price.unwrap_or_default()
            ),
        }
    }

    /// It with what is behind it.
    pub(crate) fn told(&self) -> String {
        causes(self)
    }

    /// What is wrong with a query, if that is it.
    pub(crate) fn query(&self) -> Option<WrongQuery<'_>> {
        match self {
            Self::Engine(stratigraph::Error::Query(error)) => Some(WrongQuery {
                error_type: error.error_type().name(),
                phase: error.phase().name(),
                detail: error.detail().name(),
                message: error.message(),
                hint: error.hint(),
                position: error.position().map(|at| (at.line, at.column)),
            }),
            Self::Remote(failure) => failure.query().map(|error| WrongQuery {
                error_type: &error.error_type,
                phase: &error.phase,
                detail: &error.detail,
                message: &error.message,
                hint: error.hint.as_deref(),
                position: error.position.map(|at| (at.line, at.column)),
            }),
            Self::Statement { failure, .. } | Self::Kept { failure, .. } => failure.query(),
            _ => None,
        }
    }

    /// How it ends the command.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Engine(error) => Exit::of(error),
            Self::Remote(failure) => failure.exit(),
            Self::Statement { failure, .. } | Self::Kept { failure, .. } => failure.exit(),
            Self::Server(error) => server_exit(error),
            Self::Usage(_)
            | Self::NoDatabase { .. }
            | Self::DumpNowhere { .. }
            | Self::NoBackupFolder { .. }
            | Self::NoBackups { .. }
            | Self::BackupInside { .. }
            | Self::DumpExists { .. }
            | Self::DumpNotAFile { .. }
            | Self::DumpInside { .. }
            | Self::NoDump { .. }
            | Self::BadParameter { .. }
            | Self::Input { .. }
            | Self::NotText { .. }
            | Self::Command(_)
            | Self::Transfer(_)
            | Self::Rag(_)
            | Self::LossNotAccepted { .. }
            | Self::NothingToRecover { .. } => Exit::Request,
            Self::Stdout(_) | Self::Terminal(_) => Exit::Unavailable,
            Self::Panic => Exit::Bug,
        }
    }

    /// Its kind as one word, the engine's own where it is one of the engine's.
    pub(crate) fn kind(&self) -> &'static str {
        match (self, self.exit()) {
            (_, Exit::Cancelled) => "cancelled",
            (Self::Engine(error), _) => error.kind().as_str(),
            (Self::Remote(failure), _) => failure.kind(),
            (Self::Statement { failure, .. } | Self::Kept { failure, .. }, _) => failure.kind(),
            (Self::Stdout(_) | Self::Terminal(_), _) => "unavailable",
            (Self::Panic, _) => "bug",
            _ => "request",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use clap::{Command, CommandFactory};
    use std::collections::BTreeSet;
    use std::io;
    use stratigraph_models::{ModelError, Usage};
    use stratigraph_rag::extract::Cost;

    /// Whether a verb takes what an address needs, or what is below it does.
    fn talks_to_a_server(verb: &Command) -> bool {
        verb.get_arguments()
            .any(|flag| flag.get_id() == "server_name")
            || verb.get_subcommands().any(talks_to_a_server)
    }

    /// The verbs of a sentence.
    fn quoted(sentence: &str) -> BTreeSet<&str> {
        let quoted = sentence.split('`').skip(1).step_by(2);
        quoted.filter(|word| !word.starts_with("--")).collect()
    }

    #[test]
    fn who_talks_to_a_server_is_known_to_the_hint_and_to_the_documents() {
        let whole = Arguments::command();
        let verbs = whole.get_subcommands();
        let verbs = verbs.filter(|verb| talks_to_a_server(verb));
        let verbs: BTreeSet<&str> = verbs.map(Command::get_name).collect();
        let path = "grpc://localhost".into();
        let told = Failure::from(stratigraph::Error::NotFound { path }).told();
        let (hint, _) = told.split_once(" talk to a server").unwrap();
        assert_eq!(quoted(hint), verbs);
        let page = include_str!("../../docs/command-line.md");
        let (_, section) = page.split_once("## At an address\n").unwrap();
        let (sentence, _) = section.split_once(" take the address of").unwrap();
        assert_eq!(quoted(sentence), verbs);
    }

    #[test]
    fn what_is_kept_is_told_and_changes_nothing_else() {
        let cancelled = || Failure::from(stratigraph::Error::Cancelled);
        let path = Path::new("replies.jsonl");
        let things = ["reply", "replies"];
        let told = |count: usize| cancelled().with_kept(count, things, path).told();
        assert_eq!(told(0), "cancelled");
        assert!(told(1).starts_with("cancelled; 1 reply is kept in replies.jsonl: "));
        assert!(told(2).contains("; 2 replies are kept in replies.jsonl: run the same command"));
        let kept = cancelled().with_kept(2, things, path);
        assert_eq!((kept.exit(), kept.kind()), (Exit::Cancelled, "cancelled"));
    }

    #[test]
    fn what_was_paid_by_then_is_told_and_changes_nothing_else() {
        let cancelled = || Failure::from(stratigraph::Error::Cancelled);
        let usage = Usage {
            input_tokens: 1200,
            output_tokens: 30,
        };
        let cost = Cost {
            calls: 2,
            usage,
            ..Cost::default()
        };
        let paid = cancelled().with_paid(&Bill::from(cost));
        assert_eq!(
            paid.told(),
            "cancelled; 2 calls of the model by then: tokens read 1,200, written 30"
        );
        assert_eq!((paid.exit(), paid.kind()), (Exit::Cancelled, "cancelled"));
        assert_eq!(cancelled().with_paid(&Bill::default()).told(), "cancelled");
    }

    #[test]
    fn what_is_behind_a_failure_is_told_once() {
        let input = Failure::Input {
            name: "a.txt".to_owned(),
            source: io::Error::other("it has gone"),
        };
        assert_eq!(input.told(), "cannot read a.txt: it has gone");
        let model = ModelError::Unreadable {
            path: "a.bin".into(),
            source: io::Error::other("it has gone"),
        };
        let model = Failure::from(RagError::from(model));
        let told = "cannot read a.bin, a file of the model: it has gone";
        assert_eq!(model.told(), told);
        assert_eq!(
            model.at_line(3).told(),
            format!("the statement at line 3: {told}")
        );
    }
}
