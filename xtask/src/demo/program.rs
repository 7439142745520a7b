//! The program that the demo shows: every command is printed as one would type it in the demo's folder, and run there.
//!
//! What it says on stderr (bars, problems) goes to the terminal as it comes.

use super::gathered::cells;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `stratigraph`, in the folder of the demo.
pub(super) struct Program {
    binary: PathBuf,
    folder: PathBuf,
    embedder: &'static str,
}

/// What a command has said.
pub(super) struct Said {
    /// Its exit code.
    pub(super) code: i32,
    /// All of stdout.
    pub(super) text: String,
}

impl Program {
    /// This binary, with vectors of this embedder.
    pub(super) fn new(binary: PathBuf, folder: PathBuf, embedder: &'static str) -> Self {
        Self {
            binary,
            folder,
            embedder,
        }
    }

    /// The program itself.
    pub(super) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Whose vectors.
    pub(super) fn embedder(&self) -> &'static str {
        self.embedder
    }

    /// The words with `--embedder`, which every command needs that turns text into vectors.
    pub(super) fn with_embedder<'w>(&self, words: &[&'w str]) -> Vec<&'w str> {
        let mut all = words.to_vec();
        // It is what the program takes if nothing is said.
        if self.embedder != "lexical" {
            all.extend(["--embedder", self.embedder]);
        }
        all
    }

    /// Shows the command, runs it and gives what it says; any exit code but 0 is an error.
    pub(super) fn run(&self, words: &[&str]) -> Result<String, String> {
        Ok(self.run_for(words, &[0])?.text)
    }

    /// The same, where the exit code is part of the answer.
    pub(super) fn run_for(&self, words: &[&str], codes: &[i32]) -> Result<Said, String> {
        println!("$ {}", shown(words));
        let said = self.quietly(words, "")?;
        match codes.contains(&said.code) {
            true => Ok(said),
            false => Err(failed(words, said.code)),
        }
    }

    /// Shows the command with the text that it is given on its stdin, a line or several, and runs it.
    pub(super) fn feed(&self, words: &[&str], input: &str) -> Result<String, String> {
        println!("$ {} <<'END'\n{}\nEND", shown(words), input.trim_end());
        let said = self.quietly(words, input)?;
        match said.code {
            0 => Ok(said.text),
            code => Err(failed(words, code)),
        }
    }

    /// Names a text that the next commands have in common, as one would in a shell.
    pub(super) fn name(&self, text: &str) {
        println!("$ q={}", quoted(text));
    }

    /// Runs a command, and shows it with the name of the text that was named.
    pub(super) fn run_named(&self, words: &[&str], text: &str) -> Result<String, String> {
        println!("$ {}", shown_with(words, Some(text)));
        let said = self.quietly(words, "")?;
        match said.code {
            0 => Ok(said.text),
            code => Err(failed(words, code)),
        }
    }

    /// The rows of a statement, each cell as text. Nothing is shown: whoever asks shows what comes of it.
    pub(super) fn rows(&self, database: &str, statement: &str) -> Result<Vec<Vec<String>>, String> {
        let words = ["query", database, "--format", "plain", statement];
        let words = self.with_embedder(&words);
        let said = self.quietly(&words, "")?;
        match said.code {
            0 => Ok(said.text.lines().map(cells).collect()),
            code => Err(failed(&words, code)),
        }
    }

    /// Runs a command with its stdin, and shows neither.
    pub(super) fn quietly(&self, words: &[&str], input: &str) -> Result<Said, String> {
        let because =
            |error: std::io::Error| format!("cannot run {}: {error}", self.binary.display());
        let mut child = Command::new(&self.binary)
            .args(words)
            .current_dir(&self.folder)
            .env_remove("RUST_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(because)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read its input ends before all of it is written; its exit code tells.
            let _ = stdin.write_all(input.as_bytes());
        }
        let output = child.wait_with_output().map_err(because)?;
        Ok(Said {
            code: output.status.code().unwrap_or(-1),
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
        })
    }
}

fn failed(words: &[&str], code: i32) -> String {
    format!(
        "`{}` ended with the exit code {code}; what it says about that is above, and \
         `stratigraph help exit-codes` what the code means",
        shown(words)
    )
}

/// A command as one would type it.
fn shown(words: &[&str]) -> String {
    shown_with(words, None)
}

/// The same, with a text by the name that it was given.
fn shown_with(words: &[&str], named: Option<&str>) -> String {
    let typed = words.iter().map(|word| match named == Some(*word) {
        true => "\"$q\"".to_owned(),
        false => quoted(word),
    });
    let words: Vec<String> = std::iter::once("stratigraph".to_owned())
        .chain(typed)
        .collect();
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:=".contains(letter);
    match word.chars().all(plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The text in one line of at most so many letters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        assert_eq!(
            shown(&["ask", "strata", "Who's there?"]),
            "stratigraph ask strata 'Who'\\''s there?'"
        );
        let words = ["retrieve", "strata", "Who's there?", "--preset", "bag"];
        assert_eq!(
            shown_with(&words, Some("Who's there?")),
            "stratigraph retrieve strata \"$q\" --preset bag"
        );
    }

    #[test]
    fn the_embedder_is_named_where_it_is_not_the_usual_one() {
        let program = |embedder| Program::new("p".into(), "f".into(), embedder);
        assert_eq!(program("lexical").with_embedder(&["ask"]), ["ask"]);
        let words = program("minilm").with_embedder(&["ask"]);
        assert_eq!(words, ["ask", "--embedder", "minilm"]);
    }

    #[test]
    fn a_failure_names_the_command_and_its_code() {
        let program = Program::new("false".into(), ".".into(), "lexical");
        let why = program.run(&["info", "x"]).unwrap_err();
        assert!(
            why.starts_with("`stratigraph info x` ended with the exit code 1"),
            "{why}"
        );
        let said = program.run_for(&["info"], &[0, 1]).unwrap();
        assert_eq!((said.code, said.text.as_str()), (1, ""));
        let program = Program::new("no-such-program".into(), ".".into(), "lexical");
        assert!(program.run(&[]).unwrap_err().contains("no-such-program"));
    }

    #[test]
    fn texts_are_cut_to_a_line() {
        assert_eq!(one_line("a\n  b", 10), "a b");
        assert_eq!(one_line("four words of text", 11), "four words…");
        assert_eq!(cells("a\tb\\nc"), ["a", "b c"]);
    }
}
