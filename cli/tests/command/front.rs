//! README.md: every block of it is run, and its picture is what comes of the sample; `figures.rs` holds its speeds against the pages that
//! they are of. The examples of docs/library.md are run too, and those in Rust of docs/coming-from.md compiled.
//!
//! A block of the kind `console` is commands after `$`, and what they print: first in a checkout with nothing but the samples, and from
//! `$ cd FOLDER` on in that folder. One of the kind `text repl` is a conversation at a terminal; those in Rust are files beside this one,
//! word for word. The one in Python is run by `cargo xtask foreign`.

use crate::documents::{fits, run};
use crate::pages::{Block, blocks};
use crate::served::Served;
use crate::terminal::Terminal;
use crate::world::{World, command, contents, copy_folder};
use std::fs;
use std::path::{Path, PathBuf};

// What draws is the demo's own: the picture here is the one that `cargo xtask demo` would write.
#[path = "../../../xtask/src/demo/gathered.rs"]
mod gathered;
#[path = "../../../xtask/src/demo/picture.rs"]
mod picture;

const README: &str = include_str!("../../../README.md");
const IGNORED: &str = include_str!("../../../.gitignore");
const IN_A_PROGRAM: &str = include_str!("front/in_a_program.rs");
const FROM_ANOTHER: &str = include_str!("front/from_another_process.rs");
const LIBRARY: &str = include_str!("../../../docs/library.md");
const VECTORS_AND_TEXTS: &str = include_str!("front/vectors_and_texts.rs");
const FROM_A_DOCUMENT: &str = include_str!("front/from_a_document.rs");
const COMING_FROM: &str = include_str!("../../../docs/coming-from.md");
const COMPILED: &str = include_str!("front/coming_from.rs");
/// The question of the picture.
const QUESTION: &str = "Which stone is the lighthouse at Skerry Point built of, and why?";
const PICTURE: &str = "docs/pictures/descent.svg";

mod in_a_program {
    include!("front/in_a_program.rs");

    pub(super) fn run() {
        main().unwrap();
    }
}

mod vectors_and_texts {
    include!("front/vectors_and_texts.rs");

    pub(super) fn run() {
        main().unwrap();
    }
}

mod from_a_document {
    include!("front/from_a_document.rs");

    pub(super) fn run() {
        main().unwrap();
    }
}

/// The commands that stand below them on the page do the same, and are run.
#[expect(dead_code, reason = "they open folders that are not there")]
mod coming_from {
    include!("front/coming_from.rs");
}

mod from_another {
    include!("front/from_another_process.rs");

    /// What the example leaves on each account of the server.
    pub(super) fn left(address: &str) -> Vec<(String, i64)> {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let accounts = runtime.block_on(pay(address)).unwrap();
        let left = accounts.into_iter();
        left.map(|account| (account.owner, account.money)).collect()
    }
}

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder with the samples, as the checkout has them.
fn folder(world: &World) -> PathBuf {
    let folder = world.path("front");
    fs::create_dir(&folder).unwrap();
    copy_folder(&checkout().join("samples"), &folder.join("samples"));
    folder
}

#[test]
fn the_front_page_is_true() {
    let world = World::new();
    let front = folder(&world);
    let samples = contents(&front);
    let mut folder = front.clone();
    let (mut commands, mut conversations, mut wrong) = (0, 0, Vec::new());
    for block in blocks(README) {
        match block.kind {
            "console" => {
                let mut lines = block.text.into_iter().peekable();
                while let Some(line) = lines.next() {
                    let command = line.strip_prefix("$ ").unwrap_or_else(|| {
                        panic!("README.md, block of line {}: {line}", block.line)
                    });
                    let mut expected = Vec::new();
                    while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                        expected.push(line.to_owned());
                    }
                    commands += 1;
                    let found = run(&folder, command);
                    if !fits(&expected, &found) {
                        wrong.push(format!("$ {command}\n{}", found.join("\n")));
                    }
                    if let Some(below) = command.strip_prefix("cd ") {
                        folder.push(below);
                    }
                }
            }
            "text repl" => {
                conversations += 1;
                converse(&block, &folder);
            }
            // Run by the tests below, by `cargo xtask foreign`, and by whoever builds this.
            "rust" | "python" | "text" | "sh" => {}
            other => panic!("README.md, line {}: nobody runs `{other}`", block.line),
        }
    }
    assert!(
        wrong.is_empty(),
        "these print something else:\n{}",
        wrong.join("\n\n")
    );
    assert!(
        commands >= 10 && conversations == 1,
        "README.md has lost its examples"
    );
    leaves_the_checkout_as_it_was(&front, &samples);
}

/// What the page edits is no file that git keeps, and what it makes none that git would ask about.
fn leaves_the_checkout_as_it_was(front: &Path, samples: &[(PathBuf, Vec<u8>)]) {
    let made = fs::read_dir(front).unwrap();
    let made = made.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for name in made.filter(|name| name != "samples") {
        let ignored = format!("/{name}");
        assert!(
            IGNORED.lines().any(|line| line == ignored),
            "README.md leaves {name} in the checkout, which git does not ignore"
        );
        fs::remove_dir_all(front.join(name)).unwrap();
    }
    assert!(
        contents(front) == samples,
        "README.md changes the samples of the checkout"
    );
}

/// Says what stands after the prompts, and waits for what stands below.
fn converse(block: &Block<'_>, folder: &Path) {
    let mut lines = block.text.iter();
    let start = lines
        .next()
        .and_then(|line| line.strip_prefix("$ stratigraph "));
    let words: Vec<String> = start
        .unwrap()
        .split_whitespace()
        .map(|word| match word {
            "library" => folder.join(word).to_string_lossy().into_owned(),
            word => word.to_owned(),
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(&words, &folder.join("state"), 120);
    for line in lines {
        if let Some(typed) = line.strip_prefix("stratql> ") {
            terminal.waits_for("stratql> ");
            terminal.types(&format!("{typed}\r"));
        } else if let Some(typed) = line.strip_prefix("     ...> ") {
            terminal.waits_for("...> ");
            terminal.types(&format!("{typed}\r"));
        } else {
            terminal.waits_for(&without_place_and_time(line));
        }
    }
    terminal.waits_for("stratql> ");
    terminal.types(":quit\r");
    assert_eq!(terminal.ends(), Some(0));
}

/// A line without what differs: where the folder is, and how long a statement took.
fn without_place_and_time(line: &str) -> String {
    let line = line.strip_prefix("library").unwrap_or(line);
    match line
        .strip_suffix(" ms")
        .and_then(|line| line.rsplit_once(", "))
    {
        Some((before, _)) => before.to_owned(),
        None => line.to_owned(),
    }
}

#[test]
fn the_examples_in_rust_are_those_that_run() {
    // All but the lines for those who read it there.
    let shown = |whole: &'static str| whole.split_once("\n\n").unwrap().1.trim_end();
    let written = |page: &str| {
        let rust = blocks(page)
            .into_iter()
            .filter(|block| block.kind == "rust");
        rust.map(|block| block.text.join("\n")).collect::<Vec<_>>()
    };
    assert_eq!(written(README), [shown(IN_A_PROGRAM), shown(FROM_ANOTHER)]);
    assert_eq!(
        written(LIBRARY),
        [shown(VECTORS_AND_TEXTS), shown(FROM_A_DOCUMENT)]
    );
    assert_eq!(written(COMING_FROM), bodies(COMPILED));

    in_a_program::run();
    vectors_and_texts::run();
    from_a_document::run();
    let world = World::new();
    let served = Served::start(&world.path("data"), &[]);
    let left = from_another::left(&format!("http://{}", served.place));
    assert_eq!(left, [("Ann".to_owned(), 30), ("Bob".to_owned(), 170)]);
}

/// What stands within the functions of a file, without its last line, which says that all went well.
fn bodies(file: &str) -> Vec<String> {
    let functions = file.split("() -> Done {\n").skip(1);
    let bodies = functions.map(|rest| {
        let (body, _) = rest.split_once("    Ok(())\n}").unwrap();
        let lines = body.lines().map(|line| line.strip_prefix("    ").unwrap());
        lines.collect::<Vec<_>>().join("\n")
    });
    bodies.collect()
}

#[test]
fn the_picture_is_what_the_sample_gives() {
    let world = World::new();
    let folder = folder(&world);
    let said = |words: &[&str]| {
        let output = command(words).current_dir(&folder).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    };
    let sample = "samples/halvren";
    let path = |name: &str| format!("{sample}/{name}");
    let (guide, facts) = (path("guide"), path("facts"));
    said(&[
        "ingest",
        &guide,
        &facts,
        "--into",
        "strata",
        "--profile",
        "strata",
    ]);
    let mapping = format!("typed:{}", path("tables/mapping.toml"));
    said(&["ingest", "--into", "strata", "--profile", &mapping]);
    said(&["routes", "add", "strata", &path("tables/queries.toml")]);
    let drawn = gathered::picture(QUESTION, &mut |statement| {
        let rows = said(&["query", "strata", "--format", "plain", statement]);
        Ok(rows.lines().map(gathered::cells).collect())
    });
    let drawn = drawn.unwrap().draw();
    let file = checkout().join(PICTURE);
    if std::env::var_os("STRATIGRAPH_ACCEPT").is_some() {
        fs::write(&file, &drawn).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(kept, drawn, "{PICTURE}: STRATIGRAPH_ACCEPT=1 draws it anew");
    assert!(README.contains(PICTURE), "README.md does not show it");
}
