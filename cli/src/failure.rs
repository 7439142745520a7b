//! Why a verb gave no answer: the engine's errors, and the few of our own.

use crate::exit::Exit;
use std::path::PathBuf;

/// Why a verb gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The engine refused.
    #[error(transparent)]
    Engine(stratigraph::Error),
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
    /// The answer could not be printed.
    #[error("cannot write to stdout: {0}")]
    Stdout(#[source] std::io::Error),
    /// We panicked. The panic's own message is on stderr already.
    #[error("stratigraph panicked: please report it, with the lines above")]
    Panic,
}

impl From<stratigraph::Error> for Failure {
    fn from(error: stratigraph::Error) -> Self {
        match error {
            stratigraph::Error::NotFound { path } => Self::NoDatabase {
                path,
                hint: "is the path right?",
            },
            error => Self::Engine(error),
        }
    }
}

impl Failure {
    /// How it ends the command.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Engine(error) => Exit::of(error),
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
            | Self::LossNotAccepted { .. }
            | Self::NothingToRecover { .. } => Exit::Request,
            Self::Stdout(_) => Exit::Unavailable,
            Self::Panic => Exit::Bug,
        }
    }

    /// Its kind as one word, the engine's own where it is one of the engine's.
    pub(crate) fn kind(&self) -> &'static str {
        match (self, self.exit()) {
            (_, Exit::Cancelled) => "cancelled",
            (Self::Engine(error), _) => error.kind().as_str(),
            (Self::Stdout(_), _) => "unavailable",
            (Self::Panic, _) => "bug",
            _ => "request",
        }
    }
}
