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
