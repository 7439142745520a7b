//! `query`: statements from everywhere, rows in every form, errors with their place, limits.

use crate::served::interrupt;
use crate::world::{Said, World, command};
use serde_json::{Value as Json, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stratigraph::Database;

/// A statement that would run for days.
pub(crate) const ENDLESS: &str =
    "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN count(*)";

/// A database of Ann, who wrote a book, and Bob.
pub(crate) fn library(world: &World) -> std::path::PathBuf {
    let path = world.path("library");
    let db = Database::create(&path).unwrap();
    let text = "CREATE (:Person {name: 'Ann', born: date('1984-10-11')})\
        -[:WROTE {year: 2001}]->(:Book {title: 'Layers, \"2nd\" ed.'}), (:Person {name: 'Bob'})";
    db.query(text, ()).unwrap().finish().unwrap();
    db.close().unwrap();
    path
}

/// Asks, with something on standard input.
fn ask_with(db: &Path, arguments: &[&str], input: &str) -> Said {
    let mut query = command(&["query"]);
    query.arg(db).args(arguments);
    feed(query, input)
}

/// Runs a command with something on standard input.
pub(crate) fn feed(mut command: Command, input: &str) -> Said {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn ask(db: &Path, arguments: &[&str]) -> Said {
    ask_with(db, arguments, "")
}

#[test]
fn rows_in_a_pipe_are_json_lines() {
    let world = World::new();
    let db = library(&world);
    let text = "MATCH path = (p:Person)-[wrote]->(b) RETURN p, wrote, path, p.born AS birth, 1.5 AS x, null AS n";
    let said = ask(&db, &[text]);
    said.assert_code(0);
    assert_eq!(said.stderr, "", "nobody asked for more");
    let row: Json = serde_json::from_str(&said.stdout).unwrap();
    let ann =
        json!({"id": 0, "labels": ["Person"], "properties": {"name": "Ann", "born": "1984-10-11"}});
    let book = json!({"id": 1, "labels": ["Book"], "properties": {"title": "Layers, \"2nd\" ed."}});
    let wrote =
        json!({"id": 0, "type": "WROTE", "start": 0, "end": 1, "properties": {"year": 2001}});
    assert_eq!(row["p"], ann);
    assert_eq!(row["wrote"], wrote);
    assert_eq!(
        row["path"],
        json!({"nodes": [ann, book], "relationships": [wrote]})
    );
    assert_eq!(
        (&row["birth"], &row["x"], &row["n"]),
        (&json!("1984-10-11"), &json!(1.5), &Json::Null)
    );
    let keys = [
        "\"p\"",
        "\"wrote\"",
        "\"path\"",
        "\"birth\"",
        "\"x\"",
        "\"n\"",
    ];
    let places: Vec<_> = keys.iter().map(|key| said.stdout.find(key)).collect();
    assert!(
        places.is_sorted(),
        "the columns are in order: {}",
        said.stdout
    );
}

#[test]
fn tables_and_csv_are_there_for_the_asking() {
    let world = World::new();
    let db = library(&world);
    let text =
        "MATCH (n) RETURN n.name AS name, n.title AS title, size(n.name) AS size ORDER BY id(n)";
    let said = ask(&db, &["--format", "table", text]);
    let table = "\
name | title             | size
-----+-------------------+-----
Ann  | null              |    3
null | Layers, \"2nd\" ed. | null
Bob  | null              |    3
";
    assert_eq!(said.assert_code(0).stdout, table);
    let said = ask(&db, &["--format", "csv", text]);
    let csv = "name,title,size\nAnn,,3\n,\"Layers, \"\"2nd\"\" ed.\",\nBob,,3\n";
    assert_eq!(said.assert_code(0).stdout, csv);
    let said = ask(
        &db,
        &[
            "--format",
            "table",
            "EXPLAIN MATCH (n:Person) RETURN n.name",
        ],
    );
    assert!(
        said.assert_code(0).stdout.contains("Person"),
        "{}",
        said.stdout
    );
    assert!(
        !said.stdout.contains("---"),
        "a plan is no table: {}",
        said.stdout
    );
}

#[test]
fn the_caret_is_under_the_word() {
    let world = World::new();
    let db = library(&world);
    let said = ask(&db, &["MATCH (b:Book)\nRETRUN b.title"]);
    said.assert_code(2);
    assert_eq!(said.stdout, "");
    assert!(
        said.stderr
            .starts_with("error: SyntaxError (UnexpectedSyntax): "),
        "{}",
        said.stderr
    );
    let lines: Vec<&str> = said.stderr.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("| RETRUN"))
        .unwrap();
    let place = lines[at].find("RETRUN").unwrap();
    assert_eq!(
        lines[at + 1],
        format!("  | {}^^^^^^", " ".repeat(place - 4))
    );
    assert!(
        lines[at - 1].contains("line 2, column 1"),
        "{}",
        said.stderr
    );
    let said = ask(&db, &["--json", "MATCH (b:Book) RETURN c.title"]);
    let last: Json =
        serde_json::from_str(said.assert_code(2).stderr.lines().last().unwrap()).unwrap();
    let query = &last["error"]["query"];
    assert_eq!(
        (&query["detail"], &query["column"]),
        (&json!("UndefinedVariable"), &json!(23))
    );
}

#[test]
fn statements_come_from_text_files_and_pipes() {
    let world = World::new();
    let db = library(&world);
    let file = world.path("two.stratql");
    fs::write(&file, "// first\nRETURN ';' AS a;\nRETURN 2 AS b").unwrap();
    let two = "{\"a\":\";\"}\n{\"b\":2}\n";
    assert_eq!(
        ask(&db, &["-f", file.to_str().unwrap()])
            .assert_code(0)
            .stdout,
        two
    );
    assert_eq!(
        ask_with(&db, &[], "RETURN ';' AS a; RETURN 2 AS b;")
            .assert_code(0)
            .stdout,
        two
    );
    assert_eq!(
        ask_with(&db, &["-"], "RETURN ';' AS a; RETURN 2 AS b;")
            .assert_code(0)
            .stdout,
        two
    );
    // The first that fails is the last, and its line is told.
    let said = ask_with(
        &db,
        &[],
        "RETURN 1 AS a;\n\nCREATE (:New);\nRETURN nothing;\nCREATE (:New)",
    );
    said.assert_code(2);
    assert_eq!(said.stdout, "{\"a\":1}\n");
    assert!(
        said.stderr.contains("the statement at line 4"),
        "{}",
        said.stderr
    );
    let said = ask(&db, &["MATCH (n:New) RETURN count(n) AS c"]);
    assert_eq!(said.stdout, "{\"c\":1}\n");
    let missing = world.path("missing.stratql");
    assert_eq!(ask(&db, &["-f", missing.to_str().unwrap()]).code, 2);
}

#[test]
fn parameters_are_literals_or_text_and_never_run() {
    let world = World::new();
    let db = library(&world);
    let file = world.path("parameters.json");
    fs::write(&file, r#"{"list": [1, {"a": null}], "text": "7"}"#).unwrap();
    let said = ask(
        &db,
        &[
            "--params",
            file.to_str().unwrap(),
            "-p",
            "name=Ann",
            "-p",
            "age=7",
            "-p",
            "day=date('2024-02-29')",
            "-p",
            "code=1 + 1",
            "RETURN $name AS name, $age AS age, $day AS day, $code AS code, $list AS list, $text AS text",
        ],
    );
    let row: Json = serde_json::from_str(&said.assert_code(0).stdout).unwrap();
    let expected = json!({
        "name": "Ann", "age": 7, "day": "2024-02-29", "code": "1 + 1", "list": [1, {"a": null}], "text": "7",
    });
    assert_eq!(row, expected);
    let said = ask(&db, &["RETURN $nmae", "-p", "name=Ann"]);
    said.assert_code(2);
    assert!(
        said.stderr.contains("MissingParameter") && said.stderr.contains("^^^^^"),
        "{}",
        said.stderr
    );
    assert_eq!(ask(&db, &["-p", "name", "RETURN 1"]).code, 2);
}

#[test]
fn what_was_changed_is_told_when_asked() {
    let world = World::new();
    let path = world.path("new");
    assert_eq!(
        ask(&path, &["RETURN 1"]).code,
        2,
        "nothing is made by the way"
    );
    let said = ask(
        &path,
        &[
            "--create",
            "--stats",
            "CREATE (:Book {title: 'Layers'}) RETURN 1 AS one",
        ],
    );
    let stderr = &said.assert_code(0).stderr;
    assert!(
        stderr.starts_with("1 row, added 1 node, set 1 property, "),
        "{stderr}"
    );
    assert!(stderr.ends_with(" ms\n"), "{stderr}");
    let said = ask(&path, &["--json", "CREATE (:Book); CREATE (:Book)"]);
    let answer: Json = serde_json::from_str(&said.assert_code(0).stderr).unwrap();
    assert_eq!(
        (&answer["verb"], &answer["statements"]),
        (&json!("query"), &json!(2))
    );
    assert_eq!(answer["changes"]["nodes_created"], 2);
}

#[test]
fn limits_are_kept() {
    let world = World::new();
    let db = library(&world);
    let started = Instant::now();
    let said = ask(&db, &["--timeout", "200ms", ENDLESS]);
    assert!(
        said.assert_code(2).stderr.contains("TimeLimit"),
        "{}",
        said.stderr
    );
    assert!(started.elapsed() < Duration::from_secs(20));
    let said = ask(&db, &["--max-rows", "2", "UNWIND [1, 2, 3] AS x RETURN x"]);
    assert!(
        said.assert_code(2).stderr.contains("RowLimit"),
        "{}",
        said.stderr
    );
    let said = ask(&db, &["--read-only", "CREATE (:New)"]);
    assert!(
        said.assert_code(2).stderr.contains("read-only"),
        "{}",
        said.stderr
    );
    ask(&db, &["--read-only", "MATCH (n) RETURN n"]).assert_code(0);
}

#[test]
fn a_reader_that_leaves_stops_no_writer() {
    let world = World::new();
    let db = library(&world);
    let mut query = command(&["query"]);
    query
        .arg(&db)
        .arg("UNWIND range(1, 100000) AS x RETURN x; CREATE (:Late)");
    query.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = query.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let said = ask(&db, &["MATCH (n:Late) RETURN count(n) AS c"]);
    assert_eq!(said.stdout, "{\"c\":1}\n");
}

#[test]
fn an_interrupt_stops_the_query() {
    let world = World::new();
    let db = library(&world);
    let mut query = command(&["query"]);
    query
        .arg(&db)
        .arg(ENDLESS)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = query.spawn().unwrap();
    // It listens from its first moments on; a query that has not begun then is stopped as well.
    std::thread::sleep(Duration::from_secs(1));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.ends_with("error: cancelled\n"), "{stderr}");
}
