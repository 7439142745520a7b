//! How far what was retrieved is trusted, how much of it is read, and how far a question is: told through every door.

use super::asking::{KNOWN, QUESTION, UNKNOWN, about_many_things, at_any_commit, calibrate};
use super::*;
use crate::terminal::Terminal;

/// What `rag.context` gives, by a query at a folder or an address.
fn by_statement(at: &str, question: &str) -> serde_json::Value {
    let call = format!("CALL rag.context('strata', {{question: '{question}'}})");
    let said = run(&["query", at, &call]);
    serde_json::from_str(&said.assert_code(0).stdout).unwrap()
}

#[test]
fn whether_an_answer_would_be_refused_is_told_through_every_door() {
    let world = World::new();
    let folder = world.path("served");
    let path = folder.join("default");
    let at = path.to_str().unwrap();
    about_many_things(&world, at);
    let before = told(&["retrieve", at, KNOWN], 0);
    assert!(before["threshold"].is_null(), "{before}");
    assert!(by_statement(at, KNOWN)["threshold"].is_null());
    let shown = run(&["retrieve", at, KNOWN]);
    assert!(!shown.stdout.contains("confidence"), "{}", shown.stdout);
    let threshold = told(&calibrate(at), 0)["threshold"].clone();
    let mut of_folder = Vec::new();
    for (question, code, says) in [
        (KNOWN, 0, "answered from "),
        (UNKNOWN, 2, "`ask` would refuse"),
    ] {
        let found = told(&["retrieve", at, question], 0);
        assert_eq!(found["threshold"], threshold, "{question}");
        assert_eq!(told(&["ask", at, question], code)["threshold"], threshold);
        let shown = run(&["retrieve", at, question]).stdout;
        let last = shown.lines().last().unwrap();
        assert!(
            last.starts_with("confidence ") && last.contains(says),
            "{shown}"
        );
        let row = by_statement(at, question);
        for (name, value) in [
            ("context", &found["context"]),
            ("units", &found["units"]),
            ("untold", &found["untold"]),
            ("confidence", &found["confidence"]["value"]),
            ("cosine", &found["confidence"]["cosine"]),
            ("coverage", &found["confidence"]["coverage"]),
            ("threshold", &threshold),
        ] {
            assert_eq!(&row[name], value, "{name} of {row}");
        }
        let count = found["found"].as_array().unwrap().len();
        assert_eq!(row["found"], count);
        of_folder.push((question, found, shown, row));
    }
    // Who reads little of it trusts it no less, and what has no room is told.
    let little = ["retrieve", at, KNOWN, "--budget", "1"];
    assert_eq!(told(&little, 0)["confidence"], of_folder[0].1["confidence"]);
    let shown = run(&little).stdout;
    let says = "nothing of it fits into the budget: `ask` would refuse";
    assert!(shown.lines().last().unwrap().ends_with(says), "{shown}");
    let served = Served::start(&folder, &[]);
    let address = served.address();
    for (question, found, shown, row) in of_folder {
        let by_address = told(&["retrieve", &address, question], 0);
        assert_eq!(at_any_commit(&by_address), at_any_commit(&found));
        assert_eq!(run(&["retrieve", &address, question]).stdout, shown);
        assert_eq!(by_statement(&address, question), row);
    }
    served.terminate();
}

#[test]
fn an_answer_reads_as_many_as_is_said_through_every_door() {
    let doors = Doors::of("bag");
    let (folder, path) = doors.to_be_served();
    let at = path.to_str().unwrap();
    let ask = |at: &str, more: &[&str]| {
        let asked = ["ask", at, QUESTION, "--preset", "vector"];
        told(&[&asked[..], more].concat(), 0)
    };
    let one = ask(at, &["--most", "1"]);
    let analysis = one["analysis"].as_str().unwrap();
    assert!(analysis.contains("of 1 passages"), "{analysis}");
    assert_ne!(ask(at, &[])["analysis"], one["analysis"]);
    let call =
        format!("CALL rag.ask('vector', '{QUESTION}', {{most: 1}}) YIELD analysis RETURN analysis");
    let by_statement = |at: &str| run(&["query", at, &call]).assert_code(0).stdout.clone();
    let row = by_statement(at);
    assert!(row.contains("of 1 passages"), "{row}");
    let served = Served::start(&folder, &[]);
    let address = served.address();
    let by_address = ask(&address, &["--most", "1"]);
    assert_eq!(at_any_commit(&by_address), at_any_commit(&one));
    assert_eq!(by_statement(&address), row);
    served.terminate();
    let none = run(&["ask", at, QUESTION, "--most", "0"]);
    let none = &none.assert_code(2).stderr;
    assert!(none.contains("a count above zero"), "{none}");
}

#[test]
fn somebody_at_a_terminal_sees_the_stages_of_a_question() {
    let doors = Doors::of("bag");
    let (folder, path) = doors.to_be_served();
    let at = path.to_str().unwrap();
    let state = doors.world.path("state");
    let check = |at: &str| {
        let arguments = ["ask", at, QUESTION, "--preset", "vector"];
        let mut terminal = Terminal::start(&arguments, &state, 200);
        terminal.waits_for("pack gave ");
        terminal.waits_for("confidence ");
        assert_eq!(terminal.ends(), Some(0));
        // Who is not there is told nothing of it.
        let said = run(&arguments);
        let (stdout, stderr) = (&said.assert_code(0).stdout, &said.stderr);
        assert!(!stdout.contains(" gave ") && !stderr.contains(" gave "));
    };
    check(at);
    let served = Served::start(&folder, &[]);
    check(&served.address());
    served.terminate();
}
