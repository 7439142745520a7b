//! The commands of the conversation: what begins with a colon.
//!
//! Next: `obey.rs`.

use crate::failure::Failure;
use crate::statements::Format;
use clap::ValueEnum;

/// What can be commanded: how it is called, what follows, and what it does.
pub(super) const COMMANDS: [(&str, &str, &str); 14] = [
    ("help", "", "these lines"),
    (
        "param",
        "NAME VALUE",
        "$NAME stands for the value of an expression",
    ),
    ("params", "", "what is set; `:params clear` forgets it"),
    ("schema", "", "labels, types, indexes and constraints"),
    (
        "explain",
        "STATEMENT",
        "how a statement would be run, on one line; `EXPLAIN` before it does the same",
    ),
    ("format", "table|json|csv", "the form of rows"),
    (
        "limit",
        "ROWS",
        "how many rows of a statement are shown; 0 shows all",
    ),
    ("timing", "on|off", "how long each statement took"),
    (
        "begin",
        "",
        "open a transaction for the statements that follow",
    ),
    ("commit", "", "make it durable"),
    ("rollback", "", "take it back"),
    (
        "source",
        "FILE",
        "run the statements and commands in a file",
    ),
    ("quit", "", "leave, as Ctrl-D does"),
    ("exit", "", "the same"),
];

/// A command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    Help,
    SetParameter {
        name: &'a str,
        value: &'a str,
    },
    Parameters,
    ForgetParameters,
    Schema,
    Explain(&'a str),
    Format(Format),
    /// `None` shows all rows.
    Limit(Option<u64>),
    Timing(bool),
    Begin,
    Commit,
    Rollback,
    Source(&'a str),
    Quit,
}

impl<'a> Command<'a> {
    /// Reads a line that begins with a colon.
    ///
    /// # Errors
    /// There is no such command, or something else must follow it.
    pub(super) fn read(line: &'a str) -> Result<Self, Failure> {
        let line = line.trim().trim_start_matches(':');
        let line = line.strip_suffix(';').unwrap_or(line);
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let word = word.to_lowercase();
        let Some((name, follows, _)) = COMMANDS.iter().find(|(name, ..)| *name == word) else {
            let why = format!("there is no command :{word}; :help lists them");
            return Err(Failure::Command(why));
        };
        let wrong = || Failure::Command(format!("write :{name} {follows}").trim_end().to_owned());
        let command = match *name {
            "param" if rest.is_empty() => Self::Parameters,
            "param" => {
                // Also `name = value`, `name: value` and `name => value`, as it is written elsewhere.
                let end = rest.find(|one: char| one.is_whitespace() || "=:".contains(one));
                let (name, value) = rest.split_at(end.ok_or_else(wrong)?);
                let name = name.strip_prefix('$').unwrap_or(name);
                let value = value.trim_start();
                let value = ["=>", "=", ":"]
                    .iter()
                    .find_map(|sign| value.strip_prefix(sign))
                    .unwrap_or(value);
                let value = value.trim();
                if name.is_empty() || value.is_empty() {
                    return Err(wrong());
                }
                return Ok(Self::SetParameter { name, value });
            }
            "params" if rest == "clear" => Self::ForgetParameters,
            "explain" if !rest.is_empty() => Self::Explain(rest),
            "format" => Self::Format(Format::from_str(rest, true).map_err(|_| wrong())?),
            "limit" => {
                let rows: u64 = rest.parse().map_err(|_| wrong())?;
                Self::Limit((rows > 0).then_some(rows))
            }
            "timing" => match rest {
                "on" | "" => Self::Timing(true),
                "off" => Self::Timing(false),
                _ => return Err(wrong()),
            },
            "source" if !rest.is_empty() => Self::Source(rest),
            _ if !rest.is_empty() => return Err(wrong()),
            "help" => Self::Help,
            "params" => Self::Parameters,
            "schema" => Self::Schema,
            "begin" => Self::Begin,
            "commit" => Self::Commit,
            "rollback" => Self::Rollback,
            "quit" | "exit" => Self::Quit,
            _ => return Err(wrong()),
        };
        Ok(command)
    }

    /// The commands, for people.
    pub(super) fn help() -> String {
        let mut text = String::new();
        for (name, follows, does) in COMMANDS {
            let call = format!(":{name} {follows}");
            text.push_str(&format!("{call:<24} {does}\n"));
        }
        text.push_str(
            "\nA statement ends with `;`. Ctrl-C stops it; if it does not stop within 2 seconds, another\n\
             Ctrl-C ends the process. An open transaction is rolled back when it rests for 10 minutes or\n\
             lasts for an hour while something else waits to write.\n",
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let set = |name, value| Command::SetParameter { name, value };
        let cases = [
            (":help", Command::Help),
            (":QUIT;", Command::Quit),
            (":param name 'Ann'", set("name", "'Ann'")),
            (":param $name = 1 + 1", set("name", "1 + 1")),
            (":param name => {a: 1}", set("name", "{a: 1}")),
            (":param name: 'a b'", set("name", "'a b'")),
            (":param", Command::Parameters),
            (":params", Command::Parameters),
            (":params clear", Command::ForgetParameters),
            (":format CSV", Command::Format(Format::Csv)),
            (":limit 0", Command::Limit(None)),
            (":limit 7", Command::Limit(Some(7))),
            (":timing off", Command::Timing(false)),
            (
                ":explain MATCH (n) RETURN n;",
                Command::Explain("MATCH (n) RETURN n"),
            ),
            (":source a b.stratql", Command::Source("a b.stratql")),
        ];
        for (line, command) in cases {
            assert_eq!(Command::read(line).unwrap(), command, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_command_is_said() {
        let cases = [
            (":halp", "there is no command :halp; :help lists them"),
            (":", "there is no command :; :help lists them"),
            (":format xml", "write :format table|json|csv"),
            (":limit many", "write :limit ROWS"),
            (":param name", "write :param NAME VALUE"),
            (":source", "write :source FILE"),
            (":commit now", "write :commit"),
        ];
        for (line, said) in cases {
            assert_eq!(Command::read(line).unwrap_err().to_string(), said, "{line}");
        }
    }

    #[test]
    fn every_command_is_read_and_helped() {
        for (name, follows, _) in COMMANDS {
            let follows = follows
                .split('|')
                .next()
                .unwrap_or_default()
                .replace("ROWS", "1");
            assert!(
                Command::read(&format!(":{name} {follows}")).is_ok(),
                "{name}"
            );
            assert!(Command::help().contains(&format!(":{name} ")), "{name}");
        }
    }
}
