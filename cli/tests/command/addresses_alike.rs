//! What is asked at an address gives the same bytes as over a folder.

use super::addresses::feed_at;
use crate::served::{PATIENT, Served};
use crate::world::{Said, World, run};
use std::fs;

/// Statements of all kinds, with rows of all kinds.
const STATEMENTS: &str = "\
CREATE (:Person {name: 'Ann', born: date('1984-10-11')})-[:WROTE {year: 2001}]->(:Book {title: 'Layers, \"2nd\" ed.'}), (:Person {name: 'Bob'});
MATCH path = (p:Person)-[wrote]->(b) RETURN p, wrote, path, p.born AS birth, 1.5 AS x, null AS n;
MATCH (n) RETURN n.name AS name, n.title AS title, size(n.name) AS size ORDER BY id(n);
RETURN datetime('2014-07-21T21:40:32.142+02:00[Europe/Rome]') AS moment, duration('P1Y2M3DT-0.5S') AS length,
       localtime('12:31') AS local, time('12:31:14.6+01:00') AS time, localdatetime('2014-07-21T21:40') AS both;
RETURN 'tab\\there' AS text, [1, [2.5, null], {a: 'x', b: true}] AS list, vector([1, 0.5]) AS vector;
UNWIND range(1, 3000) AS n RETURN n, n % 7 AS rest;
MATCH (p:Person {name: 'Bob'}) SET p.seen = true, p:Reader RETURN p;
CREATE INDEX by_name FOR (p:Person) ON (p.name);
SHOW INDEXES YIELD name, type, state, properties RETURN name, type, state, properties;
MATCH (p:Person {name: 'Nobody'}) RETURN p;
EXPLAIN MATCH (p:Person {name: 'Ann'}) RETURN p.name AS plan;
RETURN 1 AS plan;
CREATE (:Shelf {number: 1}) RETURN 2 AS plan;
MATCH (s:Shelf) DETACH DELETE s;
";

/// Numbers of milliseconds and places are what may differ.
fn without_what_differs(text: &str) -> String {
    let mut told: Vec<serde_json::Value> = Vec::new();
    for line in text.lines() {
        let mut line: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("{text}"));
        line["milliseconds"] = 0.into();
        line["path"] = "".into();
        told.push(line);
    }
    format!("{told:?}")
}

#[test]
fn the_same_statements_print_the_same_bytes() {
    for format in ["table", "json", "csv", "plain"] {
        let world = World::new();
        let folder = world.path("library");
        let served = Served::start(&world.path("data"), &[]);
        let flags = ["--format", format, "--create", "--json"];
        let here = feed_at("query", folder.to_str().unwrap(), &flags, STATEMENTS);
        let flags = ["--format", format, "--json"];
        let there = feed_at("query", &served.address(), &flags, STATEMENTS);
        assert_eq!(
            here.assert_code(0).stdout,
            there.assert_code(0).stdout,
            "{format}"
        );
        assert_eq!(
            without_what_differs(&here.stderr),
            without_what_differs(&there.stderr),
            "{format}"
        );
        assert!(here.stdout.len() > 20_000);
    }
}

/// Mistakes of all kinds: each with its code, and the place in a text of several lines.
const MISTAKES: [&str; 11] = [
    "MATCH (b:Book) RETRUN b",
    "MATCH (b:Book)\nRETURN\n  c.title",
    "RETURN 1 / 0 AS never",
    "RETURN 1; RETURN 2;\nRETURN toInteger([1]) AS n",
    "RETURN $who AS who",
    "CALL db.lables()",
    "CREATE (:Person {name: 'x'}); MATCH (p:Person) RETURN p.name + ;",
    "CREATE INDEX by_a FOR (p:A) ON (p.a); CREATE INDEX by_a FOR (p:A) ON (p.a)",
    "DROP INDEX nothing_of_that_name",
    "CREATE CONSTRAINT c FOR (p:P) REQUIRE p.k IS UNIQUE; CREATE (:P {k: 1}), (:P {k: 1})",
    "CREATE (a:Q)-[:R]->(b:Q); MATCH (a:Q) DELETE a",
];

#[test]
fn the_same_mistakes_are_told_in_the_same_words() {
    let world = World::new();
    for json in [false, true] {
        let folder = world.path(if json { "one" } else { "other" });
        let served = Served::start(&world.path(&format!("data-{json}")), &[]);
        run(&["query", folder.to_str().unwrap(), "--create", "RETURN 1"]).assert_code(0);
        for text in MISTAKES {
            let mut flags = vec!["--max-rows", "50"];
            flags.extend(json.then_some("--json"));
            let here = feed_at("query", folder.to_str().unwrap(), &flags, text);
            let there = feed_at("query", &served.address(), &flags, text);
            assert_eq!(
                (here.code, &here.stdout, &here.stderr),
                (there.code, &there.stdout, &there.stderr),
                "{text}"
            );
            assert_eq!(here.code, 2, "{text}: {}", here.stderr);
        }
        // Rows go to the client in batches: those before a mistake may be missing, and are printed by a folder.
        let late = "UNWIND range(1, 100) AS n RETURN n";
        let here = feed_at(
            "query",
            folder.to_str().unwrap(),
            &["--max-rows", "50"],
            late,
        );
        let there = feed_at("query", &served.address(), &["--max-rows", "50"], late);
        assert_eq!((here.code, here.stderr), (there.code, there.stderr));
    }
}

/// A conversation with every command that makes sense without a terminal.
fn conversation(world: &World) -> String {
    let file = world.path("more.stratql");
    fs::write(&file, ":param least 0.9\n").unwrap();
    format!(
        ":set format table
CREATE (top:Section {{name: 'Safety', fit: 0.82, level: 1}}), (top)-[:HAS]->(fire:Section {{name: 'Fire', fit: 0.91}}),
       (top)-[:HAS]->(:Section {{name: 'First aid', fit: 0.44}}), (fire)-[:HAS]->(:Section {{name: 'Alarms', fit: 0.95}});
:tree TRAVERSE FROM (r:Section {{level: 1}}) STEP (a)-[:HAS]->(b) SCORE b.fit KEEP TOP 2 WHERE score > 0.6
TRAVERSE FROM (r:Section {{level: 1}}) STEP (a)-[:HAS]->(b) SCORE b.fit KEEP TOP 2 BUDGET 2 NODES ON EXCEED STOP YIELD node RETURN node.name;
:source {}
MATCH (s:Section) WHERE s.fit > $least RETURN s.name AS name ORDER BY name;
:params
:explain MATCH (s:Section {{name: 'Fire'}}) RETURN s
CREATE VECTOR INDEX meaning FOR (s:Section) ON s.embedding OPTIONS {{indexConfig: {{`vector.dimensions`: 2}}}};
CREATE FULLTEXT INDEX words FOR (s:Section) ON EACH [s.name];
CREATE CONSTRAINT named FOR (s:Section) REQUIRE s.code IS UNIQUE;
CREATE HIERARCHY outline FOR ()-[:HAS]->();
:schema
:set format plain
:begin
MATCH (s:Section) DETACH DELETE s;
MATCH (s:Section) RETURN count(s);
:rollback
MATCH (s:Section) RETURN count(s);
:begin
CREATE (:Section {{name: 'New'}});
:commit
MATCH (s:Section) RETURN count(s);
:set
:help commit
",
        file.display()
    )
}

#[test]
fn the_same_conversation_in_a_pipe_prints_the_same_bytes() {
    let world = World::new();
    let served = Served::start(&world.path("data"), &PATIENT);
    let folder = world.path("library");
    let said = conversation(&world);
    let here = feed_at("repl", folder.to_str().unwrap(), &["--create"], &said);
    let there = feed_at("repl", &served.address(), &[], &said);
    assert_eq!(here.assert_code(0).stdout, there.assert_code(0).stdout);
    assert_eq!((&*here.stderr, &*there.stderr), ("", ""));
    for part in ["+ Safety", "outline", "meaning"] {
        assert!(here.stdout.contains(part), "no {part} in {}", here.stdout);
    }
    // Of a profile only the time is another one every time.
    let profile = ":profile MATCH (s:Section) RETURN s.name ORDER BY s.name\n";
    let operators = |said: &Said| -> Vec<serde_json::Value> {
        let lines = said.assert_code(0).stdout.lines();
        let lines = lines.map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["work"]["microseconds"] = 0.into();
            line
        });
        lines.collect()
    };
    let here = feed_at("repl", folder.to_str().unwrap(), &[], profile);
    let there = feed_at("repl", &served.address(), &[], profile);
    assert_eq!(operators(&here), operators(&there));
    assert!(operators(&here).len() > 1);
}

#[test]
fn an_import_goes_to_a_server_as_a_whole_or_not_at_all() {
    let world = World::new();
    let served = Served::start(&world.path("data"), &[]);
    let address = served.address();
    let write = |name: &str, text: &str| {
        fs::write(world.path(name), text).unwrap();
        world.path(name).to_str().unwrap().to_owned()
    };
    let mut people = ":ID,name,born:date,tags:string[],at:vector,:LABEL\n".to_owned();
    for number in 0..3000 {
        people += &format!("p{number},Person {number},1984-10-11,a;b,1;0.5,Person;Author\n");
    }
    let people = write("people.csv", &people);
    let mut knows = ":START_ID,:END_ID,:TYPE,since:int\n".to_owned();
    for number in 1..3000 {
        knows += &format!("p{},p{number},KNOWS,{number}\n", number - 1);
    }
    let knows = write("knows.csv", &knows);
    let broken = write(
        "broken.csv",
        ":ID,name,born:date\nq1,Ann,1984-10-11\nq2,Bob,soon\n",
    );
    let said = run(&["import", &address, &broken]);
    assert!(
        said.assert_code(2).stderr.contains("broken.csv:3:"),
        "{}",
        said.stderr
    );
    let count = "MATCH (n) RETURN count(n) AS n";
    assert_eq!(
        run(&["query", &address, count]).assert_code(0).stdout,
        "{\"n\":0}\n"
    );
    let folder = world.path("library");
    let folder = folder.to_str().unwrap();
    run(&["import", folder, "--create", &people, &knows]).assert_code(0);
    let said = run(&["import", &address, &people, &knows, "--json"]);
    let answer = said
        .assert_code(0)
        .answer("import", &["database", "commit"]);
    assert_eq!(
        (&answer["nodes"], &answer["relationships"]),
        (&3000.into(), &2999.into())
    );
    let all = "MATCH (a)-[k]->(b) RETURN a, k, b.name AS name ORDER BY k.since";
    let here = run(&["query", folder, all]);
    let there = run(&["query", &address, all]);
    assert_eq!(here.assert_code(0).stdout, there.assert_code(0).stdout);
    // What the server refuses leaves nothing either.
    run(&[
        "query",
        &address,
        "CREATE CONSTRAINT FOR (p:Person) REQUIRE p.name IS UNIQUE",
    ])
    .assert_code(0);
    let said = run(&["import", &address, &people]);
    assert!(
        said.assert_code(2).stderr.contains("Person"),
        "{}",
        said.stderr
    );
    assert_eq!(
        run(&["query", &address, count]).assert_code(0).stdout,
        "{\"n\":3000}\n"
    );
}
