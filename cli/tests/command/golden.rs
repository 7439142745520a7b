//! Whole conversations at a pseudo-terminal, as somebody sees them, held against files.
//!
//! `STRATIGRAPH_ACCEPT=1` writes the files in `cli/tests/golden` anew. The terminal is made by the test itself
//! (`terminal.rs`), so that no other program has to be installed; where the system has none to give, the test fails and
//! says so.

use crate::queries::library;
use crate::screen::Screen;
use crate::served::{PATIENT, Served};
use crate::terminal::Terminal;
use crate::world::World;
use std::fs;
use std::path::{Path, PathBuf};

const CTRL_D: &str = "\u{4}";
const PROMPTS: [&str; 3] = ["stratql> ", "stratql*> ", "     ...> "];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// Types the lines, each when the prompt is there, and gives what was on the screen.
fn conversation(db: &Path, world: &World, columns: u16, lines: &[&str]) -> String {
    let text = conversation_at(db.to_str().unwrap(), world, columns, lines);
    text.replace(db.to_str().unwrap(), "library")
}

/// The same, wherever the database is.
fn conversation_at(place: &str, world: &World, columns: u16, lines: &[&str]) -> String {
    let arguments = ["repl", place, "--no-history"];
    let mut terminal = Terminal::start(&arguments, &world.path("state"), columns);
    let mut screen = Screen::new();
    let mut before = None;
    for line in lines {
        before = Some(wait_for_prompt(&mut terminal, &mut screen, before));
        // A line that ends with Tab shows what is offered, and is given up then.
        match line.strip_suffix("\t\t") {
            Some(begun) => {
                terminal.types(&format!("{begun}\t\t"));
                terminal.rests(&mut screen);
                terminal.types("\u{3}");
            }
            None => terminal.types(&format!("{line}\r")),
        }
    }
    wait_for_prompt(&mut terminal, &mut screen, before);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
    let text = screen.text();
    text.lines()
        .map(|line| without_times(line) + "\n")
        .collect()
}

/// Waits until a prompt stands below the row where the last one stood; gives its row.
fn wait_for_prompt(terminal: &mut Terminal, screen: &mut Screen, last: Option<usize>) -> usize {
    loop {
        let (row, text) = screen.here();
        if last.is_none_or(|last| row > last) && PROMPTS.contains(&text.as_str()) {
            return row;
        }
        terminal.sees(screen);
    }
}

/// How long it took differs every time: `2 rows, 3 ms`.
fn without_times(line: &str) -> String {
    for unit in [" ms", " s"] {
        if let Some(rest) = line.strip_suffix(unit) {
            let number = rest.rsplit([' ', ',']).next().unwrap_or_default();
            if !number.is_empty() && number.parse::<f64>().is_ok() {
                let before = &rest[..rest.len() - number.len()];
                return format!("{before}N ms");
            }
        }
    }
    line.to_owned()
}

#[track_caller]
fn compare(name: &str, found: &str) {
    let path = golden(name);
    if std::env::var_os("STRATIGRAPH_ACCEPT").is_some() {
        fs::write(&path, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = expected
        .lines()
        .zip(found.lines())
        .position(|(one, other)| one != other);
    assert!(
        expected == found,
        "{} differs from line {}; STRATIGRAPH_ACCEPT=1 writes it anew:\n{found}",
        path.display(),
        differs.unwrap_or_else(|| expected.lines().count().min(found.lines().count())) + 1,
    );
}

#[test]
fn a_first_conversation() {
    let world = World::new();
    let db = library(&world);
    let lines = [
        ":help set",
        ":schema",
        "MATCH (p:Person)",
        "RETURN p.name AS name",
        "ORDER BY name;",
        "MATCH (b:Book) RETRUN b;",
        "RETURN 1 / 0 AS never;",
        ":param who 'An' + 'n'",
        "MATCH (p:Person {name: $who}) RETURN p;",
        ":explain MATCH (p:Person {name: $who}) RETURN p",
        ":set format json",
        "RETURN 1 AS one, 'two' AS two;",
        ":set format csv",
        "RETURN 1 AS one, null AS nothing, '' AS empty;",
        ":set format plain",
        "RETURN 1, [2, 3], 'a b';",
        ":set",
        ":helf",
        "MATCH (b:Boo\t\t",
    ];
    compare("first.txt", &conversation(&db, &world, 80, &lines));
}

#[test]
fn a_conversation_with_transactions_and_files() {
    let world = World::new();
    let db = library(&world);
    let file = world.path("saved.stratql");
    let save = format!(":save {}", file.display());
    let source = format!(":source {}", file.display());
    let lines = [
        ":begin",
        "CREATE (:Shelf {number: 1});",
        "MATCH (s:Shelf) RETURN count(s) AS shelves;",
        ":rollback",
        "MATCH (s:Shelf) RETURN count(s) AS shelves;",
        ":begin",
        ":begin",
        "CREATE (:Shelf {number: 2});",
        ":commit",
        ":timing off",
        "MATCH (s:Shelf) RETURN s.number AS number;",
        &save,
        &save,
        ":rollback",
        &source,
        "MATCH (s:Shelf) RETURN count(s) AS shelves;",
    ];
    let text = conversation(&db, &world, 200, &lines);
    compare(
        "transactions.txt",
        &text.replace(file.to_str().unwrap(), "saved.stratql"),
    );
}

#[test]
fn a_traversal_is_drawn() {
    let world = World::new();
    let db = library(&world);
    let lines = [
        "CREATE (top:Section {name: 'Safety', fit: 0.82, level: 1}),",
        "(:Section {name: 'Offices', fit: 0.35, level: 1}),",
        "(top)-[:HAS]->(fire:Section {name: 'Fire', fit: 0.91, level: 2}),",
        "(top)-[:HAS]->(:Section {name: 'First aid', fit: 0.44, level: 2}),",
        "(fire)-[:HAS]->(:Section {name: 'Alarms', fit: 0.95, level: 3}),",
        "(fire)-[:HAS]->(:Section {name: 'Exits', fit: 0.77, level: 3}),",
        "(fire)-[:HAS]->(:Section {name: 'Locks', fit: 0.6, level: 3}),",
        "(:Section {name: 'Boilers', fit: 0.93, level: 3});",
        ":tree TRAVERSE FROM (r:Section {level: 1}) STEP (a)-[:HAS]->(b) LEVELS 0..2 SCORE b.fit KEEP TOP 2 WHERE score > 0.5 RECOVER (m:Section {level: level + 1}) KEEP TOP 1 WHERE score > 0.9",
        ":tree TRAVERSE FROM (r:Section {level: 9}) STEP (a)-[:HAS]->(b)",
        ":tree MATCH (n) RETURN n",
        ":tree",
        "TRAVERSE FROM (r:Section {name: 'Fire'}) UNFILTERED",
        "STEP (a)-[:HAS]->(b) SCORE b.fit KEEP TOP 1 PER PARENT;",
    ];
    compare("tree.txt", &conversation(&db, &world, 200, &lines));
}

#[test]
fn a_conversation_with_a_server() {
    let world = World::new();
    let served = Served::start(&world.path("data"), &PATIENT);
    let lines = [
        "CREATE (:Person {name: 'Ann'})-[:WROTE]->(:Book {title: 'Layers'}), (:Person {name: 'Bob'});",
        ":schema",
        "MATCH (p:Person)",
        "RETURN p.name AS name",
        "ORDER BY name;",
        "MATCH (b:Book) RETRUN b;",
        "MATCH (b:Book) RETURN b.title + $x;",
        ":param who 'An' + 'n'",
        "MATCH (p:Person {name: $who}) RETURN p;",
        ":explain MATCH (p:Person {name: $who}) RETURN p",
        ":begin",
        "CREATE (:Shelf {number: 1});",
        "MATCH (s:Shelf) RETURN count(s) AS shelves;",
        "RETURN 1 / 0 AS never;",
        ":rollback",
        "MATCH (s:Shelf) RETURN count(s) AS shelves;",
        ":begin",
        ":begin",
        "CREATE (:Shelf {number: 2});",
        ":commit",
        ":commit",
        "CREATE INDEX by_title FOR (b:Book) ON (b.title);",
        "DROP INDEX by_t\t\t",
        "MATCH (s:She\t\t",
    ];
    let text = conversation_at(&served.address(), &world, 120, &lines);
    compare(
        "server.txt",
        &text.replace(&served.address(), "grpc://server"),
    );
}

#[test]
fn colours_and_a_pager_are_there_for_who_wants_them() {
    let world = World::new();
    let db = library(&world);
    let arguments = ["repl", db.to_str().unwrap(), "--no-history"];
    let mut terminal = Terminal::start_with(
        &arguments,
        &world.path("state"),
        80,
        &[("STRATIGRAPH_PAGER", "sed s/^/paged:/")],
    );
    terminal.waits_for("stratql> ");
    terminal.types("RETURN 'x' AS x;\r");
    terminal.waits_for("\u{1b}[1;34mRETURN\u{1b}[0m \u{1b}[32m'x'\u{1b}[0m");
    terminal.waits_for("1 row");
    terminal.types("RETRUN 1;\r");
    terminal.waits_for("\u{1b}[1;31merror:\u{1b}[0m ");
    terminal.waits_for("^^^^^^\u{1b}[0m");
    terminal.types("UNWIND range(1, 99) AS n RETURN n;\r");
    terminal.waits_for("paged: 1\r\n");
    terminal.waits_for("paged:99\r\n");
    terminal.waits_for("99 rows");
    terminal.waits_for("stratql> ");
    terminal.types(":pager off\r");
    // The line is drawn with each key, with its prompt: only what comes after it is a new one.
    terminal.waits_for(":pager off");
    terminal.waits_for("\n");
    terminal.waits_for("stratql> ");
    terminal.types(":set\r");
    terminal.waits_for("pager   off\r\n");
    terminal.waits_for("stratql> ");
    terminal.types("UNWIND range(1, 99) AS n RETURN n;\r");
    let shown = terminal.waits_for("99 rows");
    assert!(!shown.contains("paged:"), "{shown}");
    // Before the editor listens again Ctrl-D would be the terminal's own.
    terminal.waits_for("stratql> ");
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}

#[test]
fn a_profile_has_a_bar_for_each_operator() {
    let world = World::new();
    let db = library(&world);
    let text = conversation(
        &db,
        &world,
        120,
        &[":profile MATCH (p:Person) RETURN p.name ORDER BY p.name"],
    );
    assert!(
        text.contains("NodesByLabel (p:Person)") && text.contains("share of the time"),
        "{text}"
    );
    assert!(text.contains('█') && text.contains("2 rows, "), "{text}");
}
