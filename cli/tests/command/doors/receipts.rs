//! Receipts of what was found and answered, at a folder and at an address.

use super::asking::QUESTION;
use super::*;
use crate::queries::feed;
use crate::world::command;

#[test]
fn receipts_are_read_from_a_list_as_from_what_was_printed() {
    let doors = Doors::of("bag");
    let (folder, path) = doors.to_be_served();
    let at = path.to_str().unwrap();
    let printed = run(&["retrieve", at, QUESTION, "--preset", "vector", "--json"]);
    let printed = &printed.assert_code(0).stdout;
    let whole: serde_json::Value = serde_json::from_str(printed).unwrap();
    let found = whole["found"].as_array().unwrap().iter();
    let list: Vec<&serde_json::Value> = found.map(|found| &found["receipt"]).collect();
    assert!(!list.is_empty(), "{whole}");
    let look = |file: &[&str], input: &str| {
        let arguments = [&["receipts", at, "--json"][..], file].concat();
        feed(command(&arguments), input)
    };
    let verdict = look(&[], printed);
    verdict.answer("receipts", &["receipts", "standing"]);
    assert_eq!(verdict.assert_code(0).stdout, look(&["-"], printed).stdout);
    let of_list = look(&[], &json!(list).to_string());
    assert_eq!(of_list.stdout, verdict.stdout, "{}", of_list.stderr);
    let of_none = look(&[], "[]");
    let none = of_none
        .assert_code(0)
        .answer("receipts", &["receipts", "standing"]);
    assert_eq!(
        (&none["receipts"], &none["standing"]),
        (&json!([]), &json!({}))
    );
    for wrong in ["3", r#""x""#, "null", "[3]", "{}", r#"{"found": [3]}"#, "{"] {
        let refused = look(&[], wrong);
        assert_eq!(refused.code, 2, "{wrong}: {}", refused.stderr);
        let (kind, message) = refused.error();
        assert!(
            kind == "request" && message.contains("a list of receipts"),
            "{wrong}: {message}"
        );
    }
    // What an answer cites has receipts as well.
    let answer = run(&["ask", at, QUESTION, "--preset", "vector", "--json"]);
    let answer = &answer.assert_code(0).stdout;
    let whole: serde_json::Value = serde_json::from_str(answer).unwrap();
    let cited = whole["sources"].as_array().unwrap().len();
    let check = |at: &str| {
        let of_answer = feed(command(&["receipts", at, "--json"]), answer);
        let told = of_answer
            .assert_code(0)
            .answer("receipts", &["receipts", "standing"]);
        assert_eq!(told["standing"], json!({"stands": cited}));
    };
    check(at);
    let served = Served::start(&folder, &[]);
    check(&served.address());
    served.terminate();
}

#[test]
fn receipts_fall_with_what_was_edited_at_both_places() {
    let doors = Doors::of("bag");
    let (folder, path) = doors.to_be_served();
    let found = doors.world.path("found.json");
    let said = run(&[
        "retrieve",
        path.to_str().unwrap(),
        "Where does basalt come from, and what is dry near Mount Etna?",
        "--preset",
        "vector",
        "--json",
    ]);
    fs::write(&found, &said.assert_code(0).stdout).unwrap();
    let look = |at: &str, code: i32| {
        let said = run(&["receipts", at, found.to_str().unwrap(), "--json"]);
        let answer: serde_json::Value =
            serde_json::from_str(&said.assert_code(code).stdout).unwrap();
        answer["standing"].clone()
    };
    assert_eq!(look(path.to_str().unwrap(), 0), json!({"stands": 4}));
    // One word of one of them.
    let rocks = doors.files().join("2021/rocks.md");
    let text = fs::read_to_string(&rocks)
        .unwrap()
        .replace("It was lava", "It was liquid");
    fs::write(&rocks, text).unwrap();
    let docs = doors.world.path("docs");
    let how = [
        "--metadata",
        "{year}/*",
        "--filter",
        "year",
        "--profile",
        "bag",
    ];
    let ingest = [
        &[
            "ingest",
            docs.to_str().unwrap(),
            "--into",
            path.to_str().unwrap(),
        ][..],
        &how,
    ]
    .concat();
    run(&ingest).assert_code(0);
    // The other heading of the document has moved.
    let expected = json!({"gone": 1, "moved": 1, "stands": 2});
    assert_eq!(look(path.to_str().unwrap(), 2), expected);
    let served = Served::start(&folder, &[]);
    assert_eq!(look(&served.address(), 2), expected);
    served.terminate();
}
