//! `query` and `repl` at an address: the same as over a folder, and what differs is said.

use crate::queries::{ENDLESS, feed};
use crate::served::{PATIENT, Served, steady_place};
use crate::terminal::Terminal;
use crate::world::{Said, World, command, run};
use std::time::{Duration, Instant};
use stratigraph_client::Client;

const PROMPT: &str = "stratql> ";
const PROMPT_OPEN: &str = "stratql*> ";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
/// How long a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn feed_at(verb: &str, place: &str, flags: &[&str], input: &str) -> Said {
    let mut asked = command(&[verb, place]);
    asked.args(flags).env_remove("STRATIGRAPH_TOKEN");
    feed(asked, input)
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

#[test]
fn models_are_refused_before_anybody_connects() {
    // Nobody listens there: who connected first would hear of that.
    let nobody = "grpc://127.0.0.1:1/library";
    let verbs: [&[&str]; 6] = [
        &["ask", nobody, "What is basalt?"],
        &["retrieve", nobody, "What is basalt?"],
        &["calibrate", nobody],
        &["summarise", nobody],
        &["routes", "list", nobody],
        &["query", nobody, "RETURN 1"],
    ];
    for verb in verbs {
        let said = run(&[verb, &["--embedder", "lexical"]].concat());
        let stderr = &said.assert_code(2).stderr;
        assert!(stderr.contains("--embedder is for a folder"), "{stderr}");
    }
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
