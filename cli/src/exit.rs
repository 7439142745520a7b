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

    /// What to do about it, for people who read more than a table.
    fn advice(self) -> &'static str {
        match self {
            Self::Fine => {
                "Also when there was nothing to do, or rows were asked for and there are none."
            }
            Self::Damage => {
                "`check` and `scrub` say what is damaged, on stdout; everything else refuses to go on, and says \
                 where it met it. Nothing is repaired without being asked: restore a backup, or see `recover`."
            }
            Self::Request => {
                "A mistake in the arguments, a statement, a file or a parameter; what a constraint refuses. The \
                 same call fails again."
            }
            Self::Conflict => {
                "Another process has it open; the message names it, and says where it serves the database if it \
                 does. Readers do not disturb each other."
            }
            Self::Unavailable => {
                "A disk is full, a file cannot be read, somebody else writes for too long. The same call may work \
                 later."
            }
            Self::Bug => "The message is what to report, with the lines above it.",
            Self::Cancelled => "The work was stopped in order: what it had not finished is undone.",
        }
    }

    /// The codes with what to do, for `help exit-codes`.
    pub(crate) fn explained() -> String {
        let mut text = String::from(
            "Scripts can rely on these codes: they never change. With --json, `exit_code` and `kind` of the last line \
             of stderr say the same.\n",
        );
        for exit in Self::ALL {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{:>3}  {}", exit.code(), exit.meaning());
            for line in wrapped(exit.advice(), 74) {
                let _ = writeln!(text, "     {line}");
            }
        }
        text
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

/// The words in lines of so many characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
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
            (
                Error::AlreadyOpen {
                    path: path.clone(),
                    holders: Box::default(),
                },
                3,
            ),
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
