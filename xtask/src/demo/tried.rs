//! The demo as a step of the verb `test`: with the program that the tests were built with, and the embedder that needs
//! no model.
//!
//! It is called as anybody calls it, through this program's own command line; what it shows is read to its end, and what it
//! says there to try next is typed into a shell.

use super::program::Program;
use crate::cargo::Cargo;
use crate::places::Places;
use crate::shell;
use std::path::PathBuf;

/// What stands before the last part.
const NEXT: &str = "Three things to try next:";
/// What that names, in this order.
const VERBS: [&str; 3] = ["repl", "ask", "ingest"];
/// What stands there for a folder of the reader's own, and one that the demo has left.
const ANYTHING: &str = "ANYTHING/";
const SOMETHING: &str = "guide/";

/// Takes the tour; it must come to its end, and what it says there to try must do something.
pub(crate) fn run(places: &Places, cargo: &Cargo<'_>) -> Result<(), String> {
    let program = cargo.debug("stratigraph")?;
    let this = std::env::current_exe()
        .map_err(|error| format!("cannot find this program itself: {error}"))?;
    let folder = places.target.join("stratigraph-demo-tried");
    let [this, program, into] =
        [&this, &program, &folder].map(|path| path.to_string_lossy().into_owned());
    let words = [
        "demo",
        "--embedder",
        "lexical",
        "--with",
        &program,
        "--into",
        &into,
    ];
    let shown = shell::output(&this, &words)?;
    type_it(&Next::read(&shown)?, folder)
}

/// The end of what is shown.
struct Next<'s> {
    /// What leads to the folder, and makes the commands short.
    begins: &'s str,
    /// One for each thing to try.
    commands: Vec<&'s str>,
}

impl<'s> Next<'s> {
    /// Whether it names the three things.
    fn read(shown: &'s str) -> Result<Self, String> {
        let (_, last) = shown.rsplit_once(NEXT).ok_or_else(|| {
            format!(
                "the demo does not say {NEXT:?}; its end is\n{}",
                end_of(shown)
            )
        })?;
        let lines = || last.lines().map(str::trim);
        let begins = lines().find(|line| line.starts_with("cd "));
        let begins =
            begins.ok_or_else(|| format!("the demo does not say where it is left:{last}"))?;
        let (commands, verbs): (Vec<&str>, Vec<&str>) = lines()
            .filter_map(|line| Some((line, line.strip_prefix("stratigraph ")?)))
            .map(|(line, rest)| (line, rest.split(' ').next().unwrap_or_default()))
            .unzip();
        match verbs == VERBS {
            true => Ok(Self { begins, commands }),
            false => Err(format!(
                "the demo ends with {verbs:?} and not with {VERBS:?}:\n{last}"
            )),
        }
    }
}

/// Types the commands into a shell, one after the other. What stands behind `#` is typed into the one that reads along.
fn type_it(next: &Next<'_>, folder: PathBuf) -> Result<(), String> {
    let shell = Program::new("sh".into(), folder, "lexical");
    for command in &next.commands {
        let input = command.split_once("# ").map_or("", |(_, input)| input);
        let typed = command.replace(ANYTHING, SOMETHING);
        let script = format!("{}\n{typed}", next.begins);
        let said = shell.quietly(&["-c", &script], input)?;
        // An answer may be refused: a sample as small as this has a rough threshold.
        let refuses = said.code == 2 && said.text.starts_with("no answer: ");
        if said.text.trim().is_empty() || (said.code != 0 && !refuses) {
            return Err(format!(
                "the demo says to try `{typed}`, which ends with the exit code {} and says\n{}",
                said.code, said.text
            ));
        }
    }
    Ok(())
}

fn end_of(shown: &str) -> String {
    let lines: Vec<&str> = shown.lines().collect();
    lines[lines.len().saturating_sub(10)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An end of the demo, with what its commands are short for.
    fn end(alias: &str) -> String {
        format!(
            "$ stratigraph ask strata Who?\n{NEXT}\n\n    cd . && alias stratigraph={alias}\n    \
             stratigraph repl strata  # x\n    stratigraph ask strata 'Why?'\n    \
             stratigraph ingest ANYTHING/ --into mine    # then\n"
        )
    }

    fn typed(shown: &str) -> Result<(), String> {
        type_it(&Next::read(shown)?, std::env::temp_dir())
    }

    #[test]
    fn an_end_without_one_of_them_is_refused() {
        let whole = end("echo");
        assert_eq!(Next::read(&whole).unwrap().commands.len(), 3);
        for lacking in ["    stratigraph repl strata  # x\n", NEXT] {
            let why = typed(&whole.replace(lacking, "")).unwrap_err();
            assert!(why.contains("stratigraph ask strata 'Why?'"), "{why}");
        }
        assert!(typed(&whole.replace("cd .", "")).is_err());
    }

    #[test]
    fn a_command_that_fails_or_says_nothing_is_refused() {
        typed(&end("echo")).unwrap();
        for (alias, code) in [("false", 1), ("true", 0), ("no-such-program", 127)] {
            let why = typed(&end(alias)).unwrap_err();
            let told =
                format!("`stratigraph repl strata  # x`, which ends with the exit code {code} ");
            assert!(why.contains(&told), "{why}");
        }
    }

    #[test]
    fn a_refusal_is_an_answer_and_a_mistake_is_none() {
        typed(&end("'echo no answer: x; (exit 2) #'")).unwrap();
        let why = typed(&end("'echo error: x; (exit 2) #'")).unwrap_err();
        assert!(why.ends_with("error: x\n"), "{why}");
    }

    #[test]
    fn the_folder_that_is_the_readers_own_is_one_of_the_demo() {
        let why = typed(&end("'f() { echo $1; test $1 != ingest; }; f'")).unwrap_err();
        assert!(
            why.contains("`stratigraph ingest guide/ --into mine "),
            "{why}"
        );
    }
}
