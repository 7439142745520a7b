//! `repl`: at a terminal and in a pipe.

use crate::queries::{ENDLESS, feed, library};
use crate::terminal::Terminal;
use crate::world::{Said, World, command, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stratigraph::Database;

const PROMPT: &str = "stratql> ";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const UP: &str = "\u{1b}[A";

/// A conversation at a terminal, at its first prompt.
fn talk(world: &World, db: &Path, flags: &[&str], columns: u16) -> Terminal {
    let mut arguments = vec!["repl", db.to_str().unwrap()];
    arguments.extend(flags);
    let mut terminal = Terminal::start(&arguments, &world.path("state"), columns);
    terminal.waits_for(PROMPT);
    terminal
}

fn pipe(db: &Path, input: &str) -> Said {
    let mut repl = command(&["repl"]);
    repl.arg(db);
    feed(repl, input)
}

fn history(world: &World) -> PathBuf {
    world.path("state").join("stratigraph/history")
}

#[test]
fn statements_go_over_lines_and_rows_are_tables() {
    let world = World::new();
    let db = library(&world);
    let mut terminal = talk(&world, &db, &[], 80);
    terminal.types("MATCH (p:Person)\r");
    terminal.waits_for("...> ");
    terminal.types("RETURN p.name AS name, 7 AS n\r");
    terminal.waits_for("...> ");
    terminal.types("ORDER BY name;\r");
    terminal.waits_for("name | n\r\n-----+--\r\nAnn  | 7\r\nBob  | 7\r\n2 rows, ");
    terminal.waits_for(PROMPT);
    terminal.types("MATCH (b:Book) RETRUN b;\r");
    terminal.waits_for("  | MATCH (b:Book) RETRUN b\r\n  |                ^^^^^^\r\n");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}

#[test]
fn tables_fit_the_terminal() {
    let world = World::new();
    let db = library(&world);
    let mut terminal = talk(&world, &db, &[], 30);
    terminal.types("RETURN 1 AS n, 'a long story of layers and rocks' AS s;\r");
    terminal
        .waits_for("n | s\r\n--+---------------------------\r\n1 | a long story of layers an…\r\n");
    terminal.waits_for(PROMPT);
    terminal.types(":limit 2\r");
    terminal.waits_for(PROMPT);
    terminal.types("UNWIND range(1, 9) AS x RETURN x;\r");
    terminal.waits_for("x\r\n-\r\n1\r\n2\r\n");
    terminal.waits_for("the first 2 rows: there are more");
    terminal.waits_for(PROMPT);
    terminal.types(":quit\r");
    assert_eq!(terminal.ends(), Some(0));
}

#[test]
fn ctrl_c_stops_a_statement_and_the_conversation_goes_on() {
    let world = World::new();
    let db = library(&world);
    let mut terminal = talk(&world, &db, &[], 80);
    // At the prompt it clears what was typed, also the lines before.
    terminal.types("RETURN\r");
    terminal.waits_for("...> ");
    terminal.types("nonsense");
    terminal.types(CTRL_C);
    terminal.waits_for(PROMPT);
    terminal.types(&format!("{ENDLESS};\r"));
    // Before the statement runs Ctrl-C would be the editor's.
    std::thread::sleep(Duration::from_secs(1));
    let pressed = Instant::now();
    terminal.types(CTRL_C);
    terminal.waits_for("error: cancelled");
    let waited = pressed.elapsed();
    assert!(waited < Duration::from_secs(1), "it took {waited:?}");
    terminal.waits_for(PROMPT);
    terminal.types("RETURN 'still ' + 'here' AS said;\r");
    terminal.waits_for("still here");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}

#[test]
fn transactions_show_in_the_prompt() {
    let world = World::new();
    let db = library(&world);
    let mut terminal = talk(&world, &db, &[], 80);
    for (ending, count) in [(":rollback\r", 0), (":commit\r", 1)] {
        terminal.types(":begin\r");
        terminal.waits_for("stratql*> ");
        terminal.types("CREATE (:New);\r");
        terminal.waits_for("added 1 node");
        terminal.waits_for("stratql*> ");
        // A statement that fails does not end it.
        terminal.types("CREATE (n:New) RETURN 1 / 0;\r");
        terminal.waits_for("error: ");
        terminal.waits_for("stratql*> ");
        terminal.types(ending);
        terminal.waits_for(PROMPT);
        terminal.types("MATCH (n:New) RETURN 'there are ' + count(n) AS said;\r");
        terminal.waits_for(&format!("there are {count}\r\n"));
        terminal.waits_for(PROMPT);
    }
    // Who leaves has not committed.
    terminal.types(":begin\r");
    terminal.waits_for("stratql*> ");
    terminal.types("CREATE (:New);\r");
    terminal.waits_for("added 1 node");
    terminal.waits_for("stratql*> ");
    terminal.types(CTRL_D);
    terminal.waits_for("the open transaction is rolled back");
    assert_eq!(terminal.ends(), Some(0));
    let db = Database::open(&db).unwrap();
    let mut rows = db.query("MATCH (n:New) RETURN count(n)", ()).unwrap();
    assert_eq!(rows.next().unwrap().unwrap().get::<i64>(0).unwrap(), 1);
}

#[test]
fn lines_are_remembered_unless_that_is_not_wanted() {
    let world = World::new();
    let db = library(&world);
    let mut terminal = talk(&world, &db, &["--no-history"], 80);
    terminal.types("RETURN 'secret' AS said;\r");
    terminal.waits_for("1 row");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
    assert!(!history(&world).exists());

    let mut terminal = talk(&world, &db, &[], 80);
    terminal.types("RETURN 20 + 22 AS sum;\r");
    terminal.waits_for("42\r\n");
    terminal.waits_for(PROMPT);
    terminal.types(" RETURN 'behind a blank';\r");
    terminal.waits_for("1 row");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
    let kept = fs::read_to_string(history(&world)).unwrap();
    assert!(
        kept.contains("RETURN 20 + 22 AS sum;") && !kept.contains("blank"),
        "{kept}"
    );

    let mut terminal = talk(&world, &db, &[], 80);
    terminal.types(UP);
    terminal.waits_for("20 + 22");
    terminal.types("\r");
    terminal.waits_for("42\r\n");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}

#[test]
fn tab_completes_what_the_database_knows() {
    let world = World::new();
    let db = library(&world);
    let mut terminal = talk(&world, &db, &[], 80);
    terminal.types("MATCH (b:Bo\t) RETURN b.ti\t;\r");
    terminal.waits_for("b.title\r\n");
    terminal.waits_for("Layers");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}

#[test]
fn a_pipe_is_read_along() {
    let world = World::new();
    let db = library(&world);
    let said = pipe(
        &db,
        ":param name 'An' + 'n'\n// a remark; no more\nMATCH (p:Person {name: $name})\nRETURN p.name AS name;\n\
         :format csv\nRETURN 1 AS a, null AS b; RETURN 2 AS c",
    );
    assert_eq!(
        said.assert_code(0).stdout,
        "{\"name\":\"Ann\"}\na,b\n1,\n\nc\n2\n"
    );
    assert_eq!(said.stderr, "");
    let said = pipe(&db, "RETURN 1 AS a;\n\nRETURN\nnothing;\nRETURN 2 AS b;");
    assert_eq!(said.assert_code(2).stdout, "{\"a\":1}\n");
    assert!(
        said.stderr.contains("the statement at line 3"),
        "{}",
        said.stderr
    );
    assert!(pipe(&db, ":halp\n").assert_code(2).stderr.contains(":help"));
    let said = pipe(&db, ":begin\nCREATE (:New);\n");
    assert!(
        said.assert_code(2).stderr.contains("rolled back"),
        "{}",
        said.stderr
    );
    let said = pipe(
        &db,
        ":begin\nCREATE (:New);\n:commit\nMATCH (n:New) RETURN count(n) AS c;\n",
    );
    assert_eq!(said.assert_code(0).stdout, "{\"c\":1}\n");
}

#[test]
fn commands_do_what_they_say() {
    let world = World::new();
    let db = library(&world);
    let file = world.path("more.stratql");
    fs::write(&file, ":param x 7\nRETURN $x AS x;\n").unwrap();
    let said = pipe(&db, &format!(":source {}\n:params\n", file.display()));
    assert_eq!(said.assert_code(0).stdout, "{\"x\":7}\n$x = 7\n");
    fs::write(&file, format!(":source {}\n", file.display())).unwrap();
    let said = pipe(&db, &format!(":source {}\n", file.display()));
    assert!(
        said.assert_code(2).stderr.contains("16 deep"),
        "{}",
        said.stderr
    );
    let said = pipe(&db, ":help\n:schema\n");
    for part in [":rollback ", "Person      2\n", "WROTE              1\n"] {
        assert!(
            said.assert_code(0).stdout.contains(part),
            "no {part:?} in {}",
            said.stdout
        );
    }
    let said = pipe(&db, ":format table\n:explain MATCH (p:Person) RETURN p;\n");
    assert!(
        said.assert_code(0).stdout.contains("Person"),
        "{}",
        said.stdout
    );
}

#[test]
fn who_comes_too_late_is_told_who_has_it() {
    let world = World::new();
    let db = library(&world);
    let path = db.to_str().unwrap();
    let mut terminal = talk(&world, &db, &[], 80);
    for arguments in [
        &["query", path, "RETURN 1"][..],
        &["check", path],
        &["export", path],
    ] {
        let said = run(arguments);
        let said = &said.assert_code(3).stderr;
        let named =
            said.contains(" is open elsewhere by process ") && said.contains("(stratigraph repl ");
        let advised = said.contains(" since 20") && said.contains("end it, or let it serve");
        assert!(named && advised, "{said}");
    }
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
    // Readers leave no name; the system knows them all the same.
    let mut terminal = talk(&world, &db, &["--read-only"], 80);
    let said = run(&["query", path, "RETURN 1"]);
    let said = &said.assert_code(3).stderr;
    assert!(
        said.contains(" is open elsewhere") && !said.contains(" since "),
        "{said}"
    );
    if fs::read_to_string("/proc/locks").is_ok_and(|locks| locks.contains("FLOCK")) {
        assert!(said.contains("(stratigraph repl "), "{said}");
    }
    run(&["query", path, "--read-only", "RETURN 1"]).assert_code(0);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}
