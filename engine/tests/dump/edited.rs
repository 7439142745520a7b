//! Dumps that somebody has edited: what is taken although no dump looks like that, and what a refusal
//! says to whoever has the line before them.

use crate::{dump, dump_error, load_with};
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, DumpError, Error, LoadOptions, NO_PROPERTIES, NodeId, Read, Value};

const HEADER: &str = r#"{"stratigraph_dump":1,"nodes":1,"relationships":0,"next":{"node":9,"relationship":9,"declaration":9}}"#;
const END: &str = r#"{"end":{"nodes":1,"relationships":0,"checksum":""}}"#;

fn edited() -> LoadOptions {
    LoadOptions::default().ignore_checksum(true)
}

fn load(lines: &[&str]) -> Result<Database, Error> {
    load_with(lines.join("\n").as_bytes(), &edited()).map(|(db, _)| db)
}

/// A database whose node 0 has these properties.
fn node_with(properties: &str) -> Result<Database, Error> {
    let node = format!(r#"{{"node":0,"labels":[],"properties":{properties}}}"#);
    load(&[HEADER, &node, END])
}

#[track_caller]
fn refusal(lines: &[&str]) -> String {
    dump_error(load(lines).unwrap_err()).to_string()
}

#[test]
fn what_is_harmless_is_taken_and_written_as_a_dump_writes_it() {
    let lines = [
        HEADER,
        r#"{"label":"B"}"#,
        r#"{"label":"B"}"#,
        r#"{"hierarchy":"h","type":"T","tree":false}"#,
        r#" { "node" : 0, "properties": {"q":1, "none":null, "p":2}, "labels": ["B","A","B"] } "#,
        r#"{"member":0,"hierarchy":"h"}"#,
        r#"{"member":0,"hierarchy":"h"}"#,
        END,
    ];
    // Neither the line ends of another system nor a missing last one matter.
    for text in [
        lines.join("\r\n"),
        lines.join("\n"),
        lines.join("\n") + "\n",
    ] {
        let (db, report) = load_with(text.as_bytes(), &edited()).unwrap();
        assert_eq!(report.contents.members, 1);
        let (text, _) = dump(&db);
        let node = text.lines().find(|line| line.starts_with(r#"{"node""#));
        assert_eq!(
            node.unwrap(),
            r#"{"node":0,"labels":["A","B"],"properties":{"p":2,"q":1}}"#
        );
        assert_eq!(
            text.lines()
                .filter(|line| line.contains(r#"{"label""#))
                .count(),
            2
        );
    }
}

#[test]
fn a_zero_with_a_minus_and_without_a_point_is_an_integer() {
    let db = node_with(
        r#"{"a":-0,"b":[-0,1],"c":-0.0,"d":"[-0]","e":[-0],"f":-0e0,"g":{"vector":[-0]}}"#,
    )
    .unwrap();
    let read = db.read().unwrap();
    let value = |name: &str| format!("{:?}", read.property(NodeId::new(0), name).unwrap());
    let expected = |value: Value| format!("{value:?}");
    assert_eq!(value("a"), expected(0.into()));
    assert_eq!(value("b"), expected(vec![0, 1].into()));
    assert_eq!(value("c"), expected((-0.0).into()));
    assert_eq!(value("d"), expected("[-0]".into()));
    assert_eq!(value("e"), expected(vec![0].into()));
    assert_eq!(value("f"), expected((-0.0).into()));
    assert!(dump(&db).0.contains(r#""g":{"vector":[0.0]}"#));
    // Columns are those of the text as it is.
    let error = dump_error(node_with(r#"{"a":-0,"b":18446744073709551616}"#).unwrap_err());
    assert!(
        error
            .to_string()
            .starts_with("line 2, column 48: the integer"),
        "{error}"
    );
}

#[test]
fn a_date_or_time_in_another_form_is_refused_with_the_form_it_has() {
    for (written, accepted) in [
        (r#"{"localtime":"12:31:14.5"}"#, "12:31:14.500"),
        (r#"{"localtime":"12:31:00"}"#, "12:31"),
        (r#"{"time":"12:31+00:00"}"#, "12:31Z"),
        (
            r#"{"localdatetime":"1984-10-11T12:31:14.6450"}"#,
            "1984-10-11T12:31:14.645",
        ),
        (
            r#"{"datetime":"1984-10-11T12:00-00:00"}"#,
            "1984-10-11T12:00Z",
        ),
        (r#"{"duration":"P14M"}"#, "P1Y2M"),
        (r#"{"duration":"PT90S"}"#, "PT1M30S"),
    ] {
        let error = node_with(&format!(r#"{{"p":{written}}}"#)).unwrap_err();
        let said = dump_error(error).to_string();
        assert!(
            said.contains(&format!(": write it as {accepted} (at $)")),
            "{said}"
        );
        let right = written.split(":\"").next().unwrap();
        node_with(&format!(r#"{{"p":{right}:"{accepted}"}}}}"#)).unwrap();
    }
}

#[test]
fn declarations_that_are_refused_at_the_end_name_their_line() {
    let index = r#"{"index":"by_name","label":"A","properties":["p"]}"#;
    let hierarchy = r#"{"hierarchy":"h","type":"T","tree":false}"#;
    let node = r#"{"node":0,"labels":["A"],"properties":{}}"#;
    let itself = r#"{"relationship":0,"type":"T","from":0,"to":0,"properties":{}}"#;
    let exists = r#"{"constraint":"c","label":"A","properties":["p"],"demand":"exists"}"#;
    let kind = r#"{"constraint":"c","label":"A","properties":["p"],"demand":"type","kind":"odd"}"#;
    for (lines, said) in [
        (
            vec![index, index],
            "line 3: an index like by_name is already there",
        ),
        (
            vec![hierarchy, hierarchy],
            "line 3: hierarchy h is already there",
        ),
        (vec![index, exists], "line 3: "),
        (vec![index, index, exists], "line 3: an index"),
        (
            vec![kind],
            "line 2: constraint: `kind` names no kind of value",
        ),
    ] {
        let lines = [&[HEADER], &lines[..], &[node, END]].concat();
        let refused = refusal(&lines);
        assert!(refused.starts_with(said), "{refused}");
    }
    let cycle = refusal(&[HEADER, index, hierarchy, node, itself, END]);
    assert!(
        cycle.starts_with("line 3: hierarchy h has no cycles"),
        "{cycle}"
    );
}

#[test]
fn what_is_wrong_with_a_whole_line_has_no_column() {
    assert_eq!(
        refusal(&[HEADER, "", END]),
        "line 2: a line is one JSON object that begins with the key of its kind"
    );
    assert_eq!(
        refusal(&[HEADER, r#"{"labels":[],"node":0,"properties":{}}"#, END]),
        "line 2: a node begins with the key `node` and its id"
    );
}

#[test]
fn a_refused_load_leaves_even_the_commit_number() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    txn.create_node(["A"], NO_PROPERTIES).unwrap();
    txn.commit().unwrap();
    let (text, _) = dump(&db);
    let before = db.read().unwrap().commit_seq();
    let loaded = db.load(
        text.as_bytes(),
        &LoadOptions::default(),
        &mut Watch::quiet(),
    );
    assert!(matches!(
        dump_error(loaded.unwrap_err()),
        DumpError::NotEmpty
    ));
    assert_eq!(db.read().unwrap().commit_seq(), before);
}
