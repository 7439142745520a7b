//! From lines to statements and commands.
//!
//! A command is a line that begins with a colon where no statement has begun. A statement goes on until a `;`
//! that ends it.
//!
//! Next: `command.rs`.

use stratigraph_query_lang::{is_complete, split};

/// What lines come to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A line that begins with a colon.
    Command(String),
    /// One statement or several, and the line where they begin, in a script.
    Statements {
        /// What they say.
        text: String,
        /// From 1; `None` at a terminal, where nobody counts.
        line: Option<usize>,
    },
}

impl Piece {
    /// What was written.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Command(text) | Self::Statements { text, .. } => text,
        }
    }
}

/// Lines that do not make a whole yet.
#[derive(Debug)]
pub(super) struct Gather {
    pending: String,
    at_terminal: bool,
    /// The lines so far.
    lines: usize,
    /// Where what is pending began.
    began: usize,
}

impl Gather {
    /// For lines that somebody types.
    pub(super) fn at_terminal() -> Self {
        Self {
            pending: String::new(),
            at_terminal: true,
            lines: 0,
            began: 0,
        }
    }

    /// For lines of a script.
    pub(super) fn of_script() -> Self {
        Self {
            at_terminal: false,
            ..Self::at_terminal()
        }
    }

    /// Adds a line; gives the whole that it completes.
    pub(super) fn add(&mut self, line: &str) -> Option<Piece> {
        self.lines += 1;
        if self.pending.is_empty() {
            if line.trim().is_empty() {
                return None;
            }
            if line.trim_start().starts_with(':') {
                return Some(Piece::Command(line.trim().to_owned()));
            }
            self.began = self.lines;
        }
        // Who forgot to close a bracket gets out by an empty line.
        let given_up =
            self.at_terminal && line.trim().is_empty() && self.pending.trim_end().ends_with(';');
        self.pending.push_str(line);
        self.pending.push('\n');
        // A line without it ends nothing; so a long statement is not read again with each of its lines.
        if given_up || (line.contains(';') && is_complete(&self.pending)) {
            return self.rest();
        }
        // A comment alone is no beginning: a command may follow it.
        if self.began == self.lines && split(&self.pending).next().is_none() && !line.contains("/*")
        {
            self.pending.clear();
        }
        None
    }

    /// What is left, without a `;`.
    pub(super) fn rest(&mut self) -> Option<Piece> {
        let text = std::mem::take(&mut self.pending);
        let line = (!self.at_terminal).then_some(self.began);
        (!text.trim().is_empty()).then(|| Piece::Statements {
            text: text.trim_end().to_owned(),
            line,
        })
    }

    /// What is there of a statement.
    pub(super) fn pending(&self) -> &str {
        &self.pending
    }

    /// Whether no statement has begun.
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Forgets what is there.
    pub(super) fn clear(&mut self) {
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What came of the lines, each piece with the number of the line that completed it.
    fn gathered(mut gather: Gather, lines: &str) -> Vec<String> {
        let mut pieces = Vec::new();
        for (at, line) in lines.lines().enumerate() {
            if let Some(piece) = gather.add(line) {
                pieces.push(format!("{}: {}", at + 1, piece.text().replace('\n', "/")));
            }
        }
        pieces.extend(gather.rest().map(|piece| format!("rest: {}", piece.text())));
        pieces
    }

    #[test]
    fn statements_end_with_a_semicolon_and_commands_with_their_line() {
        let cases: [(&str, &[&str]); 8] = [
            ("RETURN 1;", &["1: RETURN 1;"]),
            (
                "RETURN\n  1;\nRETURN 2",
                &["2: RETURN/  1;", "rest: RETURN 2"],
            ),
            ("RETURN ';\n';", &["2: RETURN ';/';"]),
            ("RETURN 1; RETURN 2;", &["1: RETURN 1; RETURN 2;"]),
            (":help\nRETURN 1;", &["1: :help", "2: RETURN 1;"]),
            (
                "MATCH (n\n:Book) RETURN n;",
                &["2: MATCH (n/:Book) RETURN n;"],
            ),
            ("\n// nothing; at all\n:params", &["3: :params"]),
            (
                "/* two\nlines */\nRETURN 1;",
                &["3: /* two/lines *//RETURN 1;"],
            ),
        ];
        for (lines, pieces) in cases {
            assert_eq!(gathered(Gather::of_script(), lines), pieces, "{lines}");
        }
    }

    #[test]
    fn an_empty_line_gets_out_of_an_open_bracket() {
        let lines = "RETURN (1;\n\nRETURN 2;";
        assert_eq!(
            gathered(Gather::at_terminal(), lines),
            ["2: RETURN (1;", "3: RETURN 2;"]
        );
        assert_eq!(gathered(Gather::of_script(), lines).len(), 1);
    }
}
