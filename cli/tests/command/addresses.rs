//! `query` and `repl` at an address: the same as over a folder, and what differs is said.

use crate::queries::{ENDLESS, feed};
use crate::served::{PATIENT, Served, steady_place};
use crate::terminal::Terminal;
use crate::world::{Said, World, command, run};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stratigraph_client::Client;

const PROMPT: &str = "stratql> ";
const PROMPT_OPEN: &str = "stratql*> ";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
/// How long a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn feed_at(verb: &str, place: &str, flags: &[&str], input: &str) -> Said {
    let mut asked = command(&[verb, place]);
    asked.args(flags).env_remove("STRATIGRAPH_TOKEN");
    feed(asked, input)
}

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
fn what_an_address_cannot_do_is_said() {
    let world = World::new();
    let served = Served::start(&world.path("data"), &[]);
    let address = served.address();
    let folder = world.path("library");
    let folder = folder.to_str().unwrap();
    let cases: [(&[&str], i32, &str); 9] = [
        (&["query", "grpc://", "RETURN 1"], 2, "there is no host"),
        (
            &["query", folder, "--database", "x", "RETURN 1"],
            2,
            "is a folder",
        ),
        (
            &["query", &address, "--ca", "ca.pem", "RETURN 1"],
            2,
            "write grpcs://",
        ),
        (
            &["query", &address, "--create", "RETURN 1"],
            2,
            "--database",
        ),
        (
            &["query", &address, "--database", "other", "RETURN 1"],
            2,
            "other",
        ),
        (
            &["query", &address, "--read-only", "CREATE (n)"],
            2,
            "must not",
        ),
        (&["info", &address], 2, "works on a folder"),
        (
            &["query", "grpc://127.0.0.1:1", "RETURN 1"],
            4,
            "cannot connect to grpc://127.0.0.1:1",
        ),
        (
            &["query", &address, "--token-file", "nowhere", "RETURN 1"],
            2,
            "cannot read nowhere",
        ),
    ];
    for (arguments, code, part) in cases {
        let said = run(arguments);
        assert!(
            said.assert_code(code).stderr.contains(part),
            "{arguments:?}: {}",
            said.stderr
        );
    }
    // A database is made as a folder is, and is then named as one likes.
    run(&[
        "query",
        &address,
        "--create",
        "--database",
        "other",
        "CREATE (:Other)",
    ])
    .assert_code(0);
    let count = "MATCH (n) RETURN count(n)";
    let said = run(&[
        "query",
        &format!("{address}/other"),
        "--format",
        "plain",
        count,
    ]);
    assert_eq!(said.assert_code(0).stdout, "1\n");
    let said = run(&["query", &address, "--format", "plain", count]);
    assert_eq!(said.assert_code(0).stdout, "0\n");
    // Who finds the folder open is told the command that works.
    let said = run(&[
        "query",
        world.path("data/default").to_str().unwrap(),
        "RETURN 1",
    ]);
    let advice = format!("`stratigraph repl {address}`");
    assert!(
        said.assert_code(3).stderr.contains(&advice),
        "{}",
        said.stderr
    );
}

fn talk(world: &World, address: &str) -> Terminal {
    let arguments = ["repl", address, "--no-history"];
    let mut terminal = Terminal::start(&arguments, &world.path("state"), 120);
    terminal.waits_for(PROMPT);
    terminal
}

/// Waits until as many statements run on the server.
fn wait_for_running(served: &Served, number: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let client = Client::connect(format!("http://{}", served.place))
            .await
            .unwrap();
        let until = Instant::now() + PATIENCE;
        loop {
            let running = client.admin().running_queries().await.unwrap();
            if running.len() == number {
                return;
            }
            assert!(Instant::now() < until, "{running:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
}

#[test]
fn ctrl_c_stops_the_statement_on_the_server() {
    let world = World::new();
    let served = Served::start(&world.path("data"), &PATIENT);
    let mut terminal = talk(&world, &served.address());
    terminal.types(&format!("{ENDLESS};\r"));
    wait_for_running(&served, 1);
    terminal.types(CTRL_C);
    terminal.waits_for("error: cancelled");
    terminal.waits_for(PROMPT);
    wait_for_running(&served, 0);
    // A statement that reads takes no transaction with it, and one that may have written does.
    terminal.types(":begin\r");
    terminal.waits_for("the server rolls it back when it rests for ");
    terminal.waits_for(PROMPT_OPEN);
    terminal.types(&format!("{ENDLESS};\r"));
    wait_for_running(&served, 1);
    terminal.types(CTRL_C);
    terminal.waits_for("error: cancelled");
    terminal.waits_for(PROMPT_OPEN);
    wait_for_running(&served, 0);
    terminal.types(&format!("CREATE (:New) WITH 1 AS one {ENDLESS};\r"));
    wait_for_running(&served, 1);
    terminal.types(CTRL_C);
    terminal.waits_for("error: the open transaction is lost, and nothing of it was kept");
    terminal.waits_for(PROMPT);
    terminal.types("MATCH (n:New) RETURN 'there are ' + count(n) AS said;\r");
    terminal.waits_for("there are 0\r\n");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}

#[test]
fn a_server_that_restarts_is_found_again_and_what_is_lost_is_said() {
    let world = World::new();
    let (data, place) = (world.path("data"), steady_place());
    let served = Served::start_at(&data, &place, &PATIENT);
    let mut terminal = talk(&world, &served.address());
    terminal.types("CREATE (:Kept);\r");
    terminal.waits_for("added 1 node");
    terminal.waits_for(PROMPT);
    terminal.types(":begin\r");
    terminal.waits_for(PROMPT_OPEN);
    terminal.types("CREATE (:Lost);\r");
    terminal.waits_for("added 1 node");
    terminal.waits_for(PROMPT_OPEN);
    served.kill();
    terminal.types("MATCH (n) RETURN count(n);\r");
    terminal.waits_for("error: the open transaction is lost, and nothing of it was kept: cannot connect to grpc://");
    terminal.waits_for(PROMPT);
    terminal.types("MATCH (n) RETURN count(n);\r");
    terminal.waits_for("error: cannot connect to grpc://");
    terminal.waits_for(PROMPT);
    let served = Served::start_at(&data, &place, &PATIENT);
    terminal.types("MATCH (n) RETURN 'there are ' + count(n) AS said;\r");
    terminal.waits_for("there are 1\r\n");
    terminal.waits_for(PROMPT);
    // One that restarts between two statements is not even noticed, but its transactions are gone.
    terminal.types(":begin\r");
    terminal.waits_for(PROMPT_OPEN);
    served.kill();
    let served = Served::start_at(&data, &place, &PATIENT);
    terminal.types("MATCH (n) RETURN count(n);\r");
    terminal.waits_for("error: the open transaction is lost, and nothing of it was kept: ");
    terminal.waits_for(PROMPT);
    terminal.types("MATCH (n) RETURN 'there are still ' + count(n) AS said;\r");
    terminal.waits_for("there are still 1\r\n");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
    served.terminate();
}

#[test]
fn a_transaction_that_rested_too_long_is_said_to_be_lost() {
    let world = World::new();
    let served = Served::start(&world.path("data"), &["--max-transaction-idle", "500ms"]);
    let mut terminal = talk(&world, &served.address());
    terminal.types(":begin\r");
    terminal.waits_for("the server rolls it back when it rests for 500 ms");
    terminal.waits_for(PROMPT_OPEN);
    // Only the server knows when its time is over; much later it is over on any machine.
    std::thread::sleep(Duration::from_secs(5));
    terminal.types("RETURN 1;\r");
    terminal.waits_for("error: the open transaction is lost, and nothing of it was kept: ");
    terminal.waits_for("rested for more than 500 ms");
    terminal.waits_for(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}

#[test]
fn a_long_answer_comes_as_it_is_taken() {
    let world = World::new();
    let served = Served::start(&world.path("data"), &[]);
    let mut terminal = talk(&world, &served.address());
    terminal.types(":pager off\r");
    // The line is drawn with each key, with its prompt: only what comes after it is a new one.
    terminal.waits_for(":pager off");
    terminal.waits_for("\n");
    terminal.waits_for(PROMPT);
    // Nobody could hold so many rows.
    terminal.types("UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN x;\r");
    terminal.waits_for("the first 1,000 rows: there are more");
    terminal.waits_for(PROMPT);
    wait_for_running(&served, 0);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends(), Some(0));
}

/// Flags, a statement, a token, and the code and words that come of them.
type Case<'c> = (&'c [&'c str], &'c str, Option<&'c str>, i32, &'c str);

/// Files of an authority and what it has issued for `localhost`.
fn certificates(world: &World) -> [PathBuf; 3] {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let key = KeyPair::generate().unwrap();
    let issued = params.signed_by(&key, &authority).unwrap();
    let write = |name: &str, text: String| {
        let path = world.path(name);
        fs::write(&path, text).unwrap();
        path
    };
    [
        write("ca.pem", authority.pem()),
        write("one.pem", issued.pem()),
        write("one.key", key.serialize_pem()),
    ]
}

#[test]
fn tls_tokens_and_certificates_of_clients_go_together() {
    let world = World::new();
    let [ca, cert, key] = certificates(&world);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (ca, cert, key) = (text(&ca), text(&cert), text(&key));
    let tokens = text(&world.path("tokens.toml"));
    let made = run(&[
        "token",
        "new",
        "--role",
        "read",
        "--database",
        "default",
        "--tokens",
        &tokens,
        "--json",
    ]);
    let token = made.answer("token", &["token"])["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let token_file = text(&world.path("token"));
    fs::write(&token_file, format!("{token}\n")).unwrap();
    let settings = [
        "--tokens",
        &tokens,
        "--tls-certificate",
        &cert,
        "--tls-key",
        &key,
        "--tls-client-ca",
        &ca,
    ];
    let served = Served::start(&world.path("data"), &settings);
    let port = served.place.rsplit(':').next().unwrap();
    let address = format!("grpcs://127.0.0.1:{port}");
    let ask = |flags: &[&str], statement: &str, token: Option<&str>| {
        let mut asked = command(&["query", &address, "--server-name", "localhost"]);
        asked
            .args(flags)
            .arg(statement)
            .env_remove("STRATIGRAPH_TOKEN");
        asked.envs(token.map(|token| ("STRATIGRAPH_TOKEN", token)));
        feed(asked, "")
    };
    let ours = ["--ca", &*ca, "--cert", &*cert, "--key", &*key];
    let with_file = [&ours[..], &["--token-file", &*token_file]].concat();
    assert_eq!(
        ask(&ours, "RETURN 1 AS n", Some(&token))
            .assert_code(0)
            .stdout,
        "{\"n\":1}\n"
    );
    assert_eq!(
        ask(&with_file, "RETURN 2 AS n", None).assert_code(0).stdout,
        "{\"n\":2}\n"
    );
    let cases: [Case<'_>; 5] = [
        (&ours, "RETURN 1", None, 2, "STRATIGRAPH_TOKEN"),
        (&ours, "RETURN 1", Some("stratigraph_wrong"), 2, "token"),
        (&ours, "CREATE (n)", Some(&token), 2, "write"),
        (
            &ours[2..],
            "RETURN 1",
            Some(&token),
            4,
            "cannot connect to grpcs://",
        ),
        (&ours[..2], "RETURN 1", Some(&token), 4, "grpcs://127.0.0.1"),
    ];
    for (flags, statement, with, code, part) in cases {
        let said = ask(flags, statement, with);
        assert!(
            said.assert_code(code).stderr.contains(part) && !said.stderr.contains(&token),
            "{flags:?} {statement}: {}",
            said.stderr
        );
    }
    // Who forgets the s is reminded of it.
    let said = run(&["query", &format!("grpc://127.0.0.1:{port}"), "RETURN 1"]);
    assert!(
        said.code != 0 && said.stderr.contains("grpcs://"),
        "{}",
        said.stderr
    );
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
