//! The pages with commands: what their examples say is what comes.
//!
//! A block that names a file is that file; a block of the kind `console` is commands after `$` and what they print.
//! A line `...` stands for any lines, and `...` within a line for any text. A page has blocks of those other kinds alone that
//! are said for it here: a command in one of them is run by nobody.

use crate::pages::blocks;
use crate::served::{Served, steady_place};
use crate::world::World;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

const PAGE: &str = include_str!("../../../docs/command-line.md");
const TUTORIAL: &str = include_str!("../../../docs/tutorial.md");
const OPERATIONS: &str = include_str!("../../../docs/operations.md");
const FILE_FORMAT: &str = include_str!("../../../docs/file-format.md");
const COMING_FROM: &str = include_str!("../../../docs/coming-from.md");

/// Commands and what they print, with the line where each stands.
struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// Runs a line of a shell in a folder: what it prints, with what it says on stderr.
pub(crate) fn run(folder: &Path, command: &str) -> Vec<String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_stratigraph"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("exec 2>&1; {command}"))
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Whether the lines are those that are expected.
pub(crate) fn fits(expected: &[String], found: &[String]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((any, rest)) if any == "..." => {
            (0..=found.len()).any(|skipped| fits(rest, &found[skipped..]))
        }
        Some((line, rest)) => found
            .split_first()
            .is_some_and(|(first, others)| line_fits(line, first) && fits(rest, others)),
    }
}

fn line_fits(expected: &str, found: &str) -> bool {
    match expected.split_once("...") {
        None => expected == found,
        Some((before, after)) => found.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(at, _)| at)
                .chain([rest.len()])
                .any(|at| line_fits(after, &rest[at..]))
        }),
    }
}

/// Runs the commands of a page one after the other, in a folder of its own. There are at least so many, and blocks of these
/// kinds beside them.
fn the_examples_are_true(name: &str, page: &str, least: usize, beside: &[&str]) {
    let world = World::new();
    let folder = world.path("page");
    fs::create_dir(&folder).unwrap();
    let mut passed_over = BTreeSet::new();
    let (mut commands, mut wrong) = (0, Vec::new());
    for block in blocks(page) {
        let (at, lines) = (block.line, block.text);
        let (kind, file) = block.kind.split_once(' ').unwrap_or((block.kind, ""));
        if !file.is_empty() {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, lines.join("\n") + "\n").unwrap();
            continue;
        }
        if kind != "console" {
            assert!(beside.contains(&kind), "{name}:{at}: nobody runs `{kind}`");
            passed_over.insert(kind.to_owned());
            continue;
        }
        let mut steps: Vec<Step> = Vec::new();
        for (place, line) in lines.iter().enumerate() {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step {
                    line: at + 1 + place,
                    command: command.to_owned(),
                    expected: Vec::new(),
                });
            } else if let Some(step) = steps.last_mut() {
                step.expected.push((*line).to_owned());
            }
        }
        for step in steps {
            commands += 1;
            let found = run(&folder, &step.command);
            if !fits(&step.expected, &found) {
                wrong.push(format!(
                    "{name}:{}: $ {}\n{}",
                    step.line,
                    step.command,
                    found.join("\n")
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "these print something else:\n{}",
        wrong.join("\n\n")
    );
    assert!(commands >= least, "{name} has lost its examples");
    for kind in beside {
        assert!(
            passed_over.contains(*kind),
            "{name} has no `{kind}` any more"
        );
    }
}

#[test]
fn the_examples_of_the_page_are_true() {
    // Models and servers at addresses, and an error that two processes make.
    the_examples_are_true("docs/command-line.md", PAGE, 40, &["sh", "text"]);
}

#[test]
fn the_tutorial_is_true() {
    the_examples_are_true("docs/tutorial.md", TUTORIAL, 40, &[]);
}

#[test]
fn the_examples_of_operations_are_true() {
    // What is asked of a server is asked below.
    the_examples_are_true("docs/operations.md", OPERATIONS, 10, &["sh"]);
}

/// The page asks a server at its usual port by curl; here one at any port is asked, and without curl.
#[test]
fn what_operations_asks_a_server_for_is_there() {
    let world = World::new();
    let metrics = steady_place();
    let served = Served::start(&world.path("data"), &["--metrics-listen", &metrics]);
    let mut asked = 0;
    for line in OPERATIONS.lines() {
        let Some(asks) = line.strip_prefix("curl -fsS http://127.0.0.1:9464") else {
            continue;
        };
        let (path, wanted) = asks.split_once(" | grep ").unwrap_or((asks, ""));
        let mut stream = TcpStream::connect(&metrics).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {metrics}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let is_right = answer.starts_with("HTTP/1.1 200 ") && answer.contains(wanted);
        assert!(is_right, "{line}\n{answer}");
        asked += 1;
    }
    assert_eq!(asked, 2, "docs/operations.md has lost its questions");
    served.terminate();
}

#[test]
fn the_bytes_of_the_file_format_are_these() {
    the_examples_are_true("docs/file-format.md", FILE_FORMAT, 3, &[]);
}

#[test]
fn what_others_do_elsewhere_is_done_here_as_is_said() {
    // What others run, and what would need a model; `front.rs` compiles what is in Rust.
    let beside = ["cypher", "python", "rust", "sh"];
    the_examples_are_true("docs/coming-from.md", COMING_FROM, 10, &beside);
}

#[test]
fn the_page_knows_every_command_and_verb() {
    let verbs = crate::world::run(&["help"]);
    let list = verbs.stdout.split("Commands:").nth(1).unwrap();
    for line in list
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "))
    {
        let verb = line.split_whitespace().next().unwrap();
        assert!(
            PAGE.contains(&format!("`{verb} ")),
            "the page does not know {verb}"
        );
    }
    for command in [
        "help", "set", "param", "schema", "explain", "profile", "tree", "begin", "source", "save",
        "history", "quit",
    ] {
        assert!(
            PAGE.contains(&format!("`:{command}")),
            "the page does not know :{command}"
        );
    }
}

#[test]
fn what_the_command_says_of_itself_is_whole() {
    use crate::world::run;
    for shell in ["bash", "zsh", "fish"] {
        let said = run(&["completions", shell]);
        assert!(said.assert_code(0).stdout.contains("import"), "{shell}");
    }
    let page = run(&["man", "import"]);
    let page = &page.assert_code(0).stdout;
    assert!(
        page.starts_with(".ie") && page.contains("skip\\-bad") && page.contains("Examples"),
        "{page}"
    );
    assert!(run(&["man"]).assert_code(0).stdout.contains("Exit codes"));
    run(&["man", "nothing"]).assert_code(2);
    let world = World::new();
    let folder = world.path("man1");
    run(&["man", "--to", folder.to_str().unwrap()]).assert_code(0);
    assert!(folder.join("stratigraph.1").exists() && folder.join("stratigraph-import.1").exists());
    assert!(
        run(&["help", "exit-codes"])
            .assert_code(0)
            .stdout
            .contains("130")
    );
    assert!(
        run(&["help", "export"])
            .assert_code(0)
            .stdout
            .contains("--format")
    );
    // Every verb has an example.
    let verbs = run(&["help"]);
    let list = verbs.stdout.split("Commands:").nth(1).unwrap();
    for line in list
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "))
    {
        let verb = line.split_whitespace().next().unwrap();
        let help = run(&["help", verb]);
        assert!(
            help.assert_code(0).stdout.contains("Example"),
            "{verb} has no example"
        );
    }
}
