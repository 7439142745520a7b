//! The commands of the conversation: what begins with a colon.
//!
//! Next: `obey.rs`.

use crate::failure::Failure;
use crate::statements::Format;
use clap::ValueEnum;

/// How a command is called, what follows, what it does, and an example.
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) follows: &'static str,
    pub(super) does: &'static str,
    pub(super) example: &'static str,
}

const fn known(
    name: &'static str,
    follows: &'static str,
    does: &'static str,
    example: &'static str,
) -> Known {
    Known {
        name,
        follows,
        does,
        example,
    }
}

/// What can be commanded.
pub(super) const COMMANDS: [Known; 20] = [
    known(
        "help",
        "[COMMAND]",
        "these lines, or more about a command",
        ":help param",
    ),
    known(
        "set",
        "[NAME VALUE]",
        "how answers are shown; alone, what is set",
        ":set format csv",
    ),
    known(
        "param",
        "NAME VALUE",
        "$NAME stands for the value of an expression",
        ":param since date('2020-01-01')",
    ),
    known(
        "params",
        "",
        "what is set; `:params clear` forgets it",
        ":params clear",
    ),
    known(
        "schema",
        "",
        "labels, types, indexes and constraints",
        ":schema",
    ),
    known(
        "explain",
        "STATEMENT",
        "how a statement would be run; `EXPLAIN` before it does the same",
        ":explain MATCH (b:Book {title: 'Layers'}) RETURN b",
    ),
    known(
        "profile",
        "[STATEMENT]",
        "runs it, or the next one, and shows what each operator took, with bars",
        ":profile MATCH (b:Book) RETURN count(b)",
    ),
    known(
        "tree",
        "[TRAVERSE ...]",
        "runs it, or the next one, and draws its levels: what was kept, cut, recovered",
        ":tree TRAVERSE FROM (r:Section {level: 1}) STEP (a)-[:HAS]->(b) SCORE b.fit KEEP TOP 2",
    ),
    known(
        "format",
        "table|json|csv|plain",
        "the form of rows",
        ":format json",
    ),
    known(
        "limit",
        "ROWS",
        "how many rows of a statement are shown; 0 shows all",
        ":limit 50",
    ),
    known(
        "timing",
        "on|off",
        "how long each statement took",
        ":timing off",
    ),
    known(
        "begin",
        "",
        "open a transaction for the statements that follow",
        ":begin",
    ),
    known("commit", "", "make it durable", ":commit"),
    known("rollback", "", "take it back", ":rollback"),
    known(
        "source",
        "FILE",
        "run the statements and commands in a file",
        ":source setup.stratql",
    ),
    known(
        "save",
        "FILE",
        "write what was said here and done without an error into a new file, for :source",
        ":save session.stratql",
    ),
    known("quit", "", "leave, as Ctrl-D does", ":quit"),
    known("exit", "", "the same", ":exit"),
    known(
        "pager",
        "on|off",
        "whether what is longer than the screen goes to $PAGER",
        ":pager off",
    ),
    known("history", "", "where the lines are remembered", ":history"),
];

/// A command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    Help(Option<&'a str>),
    /// What is set.
    Settings,
    SetParameter {
        name: &'a str,
        value: &'a str,
    },
    Parameters,
    ForgetParameters,
    Schema,
    Explain(&'a str),
    /// Of the statement that follows, or of the next one, which may go over several lines.
    Profile(Option<&'a str>),
    Tree(Option<&'a str>),
    Format(Format),
    /// `None` shows all rows.
    Limit(Option<u64>),
    Timing(bool),
    Pager(bool),
    Begin,
    Commit,
    Rollback,
    Source(&'a str),
    Save(&'a str),
    History,
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
        if word == "set" {
            return Self::setting(rest);
        }
        let Some(known) = COMMANDS.iter().find(|known| known.name == word) else {
            let names = COMMANDS.iter().map(|known| known.name);
            let meant = match stratigraph_query_lang::nearest(&word, names) {
                Some(name) => format!("did you mean :{name}? "),
                None => String::new(),
            };
            let why = format!("there is no command :{word}; {meant}:help lists them");
            return Err(Failure::Command(why));
        };
        let wrong = || {
            let why = format!("write :{} {}", known.name, known.follows);
            Failure::Command(why.trim_end().to_owned())
        };
        let command = match known.name {
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
            "help" => Self::Help((!rest.is_empty()).then_some(rest)),
            "explain" if !rest.is_empty() => Self::Explain(rest),
            "profile" => Self::Profile((!rest.is_empty()).then_some(rest)),
            "tree" => Self::Tree((!rest.is_empty()).then_some(rest)),
            "format" => Self::Format(Format::from_str(rest, true).map_err(|_| wrong())?),
            "limit" => {
                let rows: u64 = rest.parse().map_err(|_| wrong())?;
                Self::Limit((rows > 0).then_some(rows))
            }
            "timing" | "pager" => {
                let on = match rest {
                    "on" | "" => true,
                    "off" => false,
                    _ => return Err(wrong()),
                };
                match known.name {
                    "timing" => Self::Timing(on),
                    _ => Self::Pager(on),
                }
            }
            "source" if !rest.is_empty() => Self::Source(rest),
            "save" if !rest.is_empty() => Self::Save(rest),
            _ if !rest.is_empty() => return Err(wrong()),
            "params" => Self::Parameters,
            "schema" => Self::Schema,
            "begin" => Self::Begin,
            "commit" => Self::Commit,
            "rollback" => Self::Rollback,
            "history" => Self::History,
            "quit" | "exit" => Self::Quit,
            _ => return Err(wrong()),
        };
        Ok(command)
    }

    /// `:set NAME VALUE` is `:NAME VALUE` of what can be set.
    fn setting(rest: &'a str) -> Result<Self, Failure> {
        let name = rest.split_whitespace().next().unwrap_or_default();
        match name.to_lowercase().as_str() {
            "" => Ok(Self::Settings),
            "format" | "limit" | "timing" | "pager" => Self::read(rest),
            _ => Err(Failure::Command(
                "write :set format table|json|csv|plain, :set limit ROWS, :set timing on|off or :set pager on|off"
                    .to_owned(),
            )),
        }
    }

    /// The commands, or one with an example, for people.
    ///
    /// # Errors
    /// There is no such command.
    pub(super) fn help(of: Option<&str>) -> Result<String, Failure> {
        let Some(of) = of else {
            let mut text = String::new();
            for known in &COMMANDS {
                let call = format!(":{} {}", known.name, known.follows);
                text.push_str(&format!("{call:<30} {}\n", known.does));
            }
            text.push_str(
                "\nA statement ends with `;`. Ctrl-C stops it; if it does not stop within 2 seconds, another\n\
                 Ctrl-C ends the process. An open transaction is rolled back when it rests for 10 minutes or\n\
                 lasts for an hour while something else waits to write.\n",
            );
            return Ok(text);
        };
        let of = of.trim_start_matches(':').to_lowercase();
        let known = COMMANDS.iter().find(|known| known.name == of);
        let known = known.ok_or_else(|| {
            Failure::Command(format!("there is no command :{of}; :help lists them"))
        })?;
        let call = format!(":{} {}", known.name, known.follows);
        let call = call.trim_end();
        Ok(format!(
            "{call}\n    {}\nExample:\n    {}\n",
            known.does, known.example
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let set = |name, value| Command::SetParameter { name, value };
        let cases = [
            (":help", Command::Help(None)),
            (":help :param", Command::Help(Some(":param"))),
            (":QUIT;", Command::Quit),
            (":param name 'Ann'", set("name", "'Ann'")),
            (":param $name = 1 + 1", set("name", "1 + 1")),
            (":param name => {a: 1}", set("name", "{a: 1}")),
            (":param name: 'a b'", set("name", "'a b'")),
            (":param", Command::Parameters),
            (":params", Command::Parameters),
            (":params clear", Command::ForgetParameters),
            (":format CSV", Command::Format(Format::Csv)),
            (":set format plain", Command::Format(Format::Plain)),
            (":set limit 0", Command::Limit(None)),
            (":set Timing off", Command::Timing(false)),
            (":set pager off", Command::Pager(false)),
            (":set", Command::Settings),
            (":limit 0", Command::Limit(None)),
            (":limit 7", Command::Limit(Some(7))),
            (":timing off", Command::Timing(false)),
            (
                ":explain MATCH (n) RETURN n;",
                Command::Explain("MATCH (n) RETURN n"),
            ),
            (":profile RETURN 1", Command::Profile(Some("RETURN 1"))),
            (":source a b.stratql", Command::Source("a b.stratql")),
            (":save a", Command::Save("a")),
            (":tree;", Command::Tree(None)),
        ];
        for (line, command) in cases {
            assert_eq!(Command::read(line).unwrap(), command, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_command_is_said() {
        let cases = [
            (
                ":halp",
                "there is no command :halp; did you mean :help? :help lists them",
            ),
            (":", "there is no command :; :help lists them"),
            (":format xml", "write :format table|json|csv|plain"),
            (":limit many", "write :limit ROWS"),
            (":param name", "write :param NAME VALUE"),
            (":source", "write :source FILE"),
            (":commit now", "write :commit"),
        ];
        for (line, said) in cases {
            assert_eq!(Command::read(line).unwrap_err().to_string(), said, "{line}");
        }
        assert!(Command::read(":set colour red").is_err());
    }

    #[test]
    fn every_command_is_read_and_helped() {
        for known in &COMMANDS {
            let name = known.name;
            assert!(Command::read(known.example).is_ok(), "{name}");
            assert!(known.example.starts_with(&format!(":{name}")), "{name}");
            assert!(
                Command::help(None).unwrap().contains(&format!(":{name} ")),
                "{name}"
            );
            assert!(
                Command::help(Some(name)).unwrap().contains(known.example),
                "{name}"
            );
        }
        assert!(Command::help(Some("nothing")).is_err());
    }
}
