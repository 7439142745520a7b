//! Dumps that somebody has edited: what is taken although no dump looks like that, and what a refusal
//! says to whoever has the line before them.

use crate::{dump, dump_error, load_with, watched};
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
    let loaded = watched(|watch| db.load(text.as_bytes(), &LoadOptions::default(), watch));
    assert!(matches!(
        dump_error(loaded.unwrap_err()),
        DumpError::NotEmpty
    ));
    assert_eq!(db.read().unwrap().commit_seq(), before);
}
