//! Exit codes: what a script learns without reading a word.

use std::fmt::Write;
use stratigraph::{Error, ErrorKind};

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, and nothing is wrong.
    Fine,
    /// Stored bytes are not what was written.
    Damage,
    /// The request is wrong.
    Request,
    /// Somebody else has the database.
    Conflict,
    /// The system does not let us.
    Unavailable,
    /// We broke a promise to ourselves.
    Bug,
    /// The user stopped us.
    Cancelled,
}

impl Exit {
    /// Every way to end, in the order of codes.
    const ALL: [Self; 7] = [
        Self::Fine,
        Self::Damage,
        Self::Request,
        Self::Conflict,
        Self::Unavailable,
        Self::Bug,
        Self::Cancelled,
    ];

    /// The process's exit code. Scripts rely on these: they never change.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Damage => 1,
            Self::Request => 2,
            Self::Conflict => 3,
            Self::Unavailable => 4,
            // EX_SOFTWARE of sysexits.h, which no tool uses for anything a script should retry.
            Self::Bug => 70,
            // What a shell reports for a process that SIGINT has ended.
            Self::Cancelled => 130,
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Fine => "done, and nothing is wrong",
            Self::Damage => "damage was found: restore a backup",
            Self::Request => "the request is wrong: change it",
            Self::Conflict => "the database is open elsewhere",
            Self::Unavailable => "the system refused (I/O error, disk full): try again later",
            Self::Bug => "a bug in stratigraph: please report it",
            Self::Cancelled => "cancelled with Ctrl-C",
        }
    }

    /// How an error of the engine ends the command.
    pub(crate) fn of(error: &Error) -> Self {
        match error {
            Error::Cancelled => return Self::Cancelled,
            Error::Dump(dump) if dump.is_cancelled() => return Self::Cancelled,
            _ => {}
        }
        match error.kind() {
            ErrorKind::Request => Self::Request,
            ErrorKind::Conflict => Self::Conflict,
            ErrorKind::Corrupt => Self::Damage,
            // What the engine would try again, a person at a prompt tries again later.
            ErrorKind::Retry | ErrorKind::Unavailable => Self::Unavailable,
            ErrorKind::Bug => Self::Bug,
        }
    }

    /// The codes as `--help` shows them.
    pub(crate) fn table() -> String {
        let mut table = String::from("Exit codes:\n");
        for exit in Self::ALL {
            // Writing to a string cannot fail.
            let _ = writeln!(table, "  {:>3}  {}", exit.code(), exit.meaning());
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::sync::Arc;

    #[test]
    fn each_kind_of_error_has_its_code() {
        let path = PathBuf::from("library");
        let io = Arc::new(std::io::Error::other("no"));
        let cases = [
            (Error::NotFound { path: path.clone() }, 2),
            (Error::AlreadyOpen { path: path.clone() }, 3),
            (
                Error::Corruption {
                    path: path.clone(),
                    what: "a bit".into(),
                },
                1,
            ),
            (
                Error::Io {
                    operation: "read",
                    path,
                    source: io,
                },
                4,
            ),
            (
                Error::WriterQueueTimeout {
                    waited_ms: 2,
                    limit_ms: 1,
                },
                4,
            ),
            (
                Error::Store {
                    operation: "compact",
                    message: "no".into(),
                },
                70,
            ),
            (Error::Cancelled, 130),
        ];
        for (error, code) in cases {
            assert_eq!(Exit::of(&error).code(), code, "{error}");
        }
    }

    #[test]
    fn codes_differ_and_rise() {
        let codes = Exit::ALL.map(Exit::code);
        assert!(
            codes.is_sorted_by(|one, next| one < next),
            "codes are {codes:?}"
        );
    }
}
