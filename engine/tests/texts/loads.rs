//! Bulk loads, dumps, and opening again.

use super::*;
use stratigraph::LoadOptions;

fn declared(db: &Database) {
    let index = TextIndex::on_nodes("Paper", ["abstract"]).weighted("title", 2.0);
    db.create_text_index(index.parameters(0.9, 0.4).named("papers"))
        .unwrap();
    let index = TextIndex::on_any_relationship(["note"]).analysis(Analysis::Chinese);
    db.create_text_index(index.named("notes")).unwrap();
}

#[test]
fn a_bulk_load_brings_its_texts() {
    let db = Database::in_memory().unwrap();
    declared(&db);
    let mut txn = db.write().unwrap();
    let first = txn.create_node(["Paper"], [("title", "Basalt")]).unwrap();
    txn.commit().unwrap();
    let mut load = db.bulk_load().unwrap();
    let second = load
        .add_node(["Paper"], [("title", "Basalt columns")])
        .unwrap();
    load.add_node(["Other"], [("title", "Basalt")]).unwrap();
    load.finish(&mut Watch::quiet()).unwrap();
    let read = db.read().unwrap();
    assert_eq!(
        found(&read, "papers", "basalt"),
        [first.into(), second.into()]
    );
}

#[test]
fn a_dump_has_the_declarations() {
    let db = Database::in_memory().unwrap();
    declared(&db);
    let mut txn = db.write().unwrap();
    let paper = txn
        .create_node(["Paper"], [("abstract", "On granite")])
        .unwrap();
    txn.commit().unwrap();
    let mut dump = Vec::new();
    db.dump(&mut dump, &mut Watch::quiet()).unwrap();
    let text = String::from_utf8(dump.clone()).unwrap();
    let line = r#"{"text_index":"papers","label":"Paper","fields":[{"property":"abstract","weight":1.0},{"property":"title","weight":2.0}],"analysis":"english","k1":0.9,"b":0.4}"#;
    assert!(text.contains(line), "{text}");
    let copy = Database::in_memory().unwrap();
    copy.load(
        dump.as_slice(),
        &LoadOptions::default(),
        &mut Watch::quiet(),
    )
    .unwrap();
    assert_eq!(
        found(&copy.read().unwrap(), "papers", "granite"),
        [paper.into()]
    );
    let mut again = Vec::new();
    copy.dump(&mut again, &mut Watch::quiet()).unwrap();
    let declared = |dump: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(dump).into_owned();
        let lines = text
            .lines()
            .filter(|line| line.starts_with("{\"text_index\""));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(declared(&again), declared(&dump));
}

#[test]
fn it_is_there_after_an_open() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::create(folder.path().join("db")).unwrap();
    declared(&db);
    let mut txn = db.write().unwrap();
    let paper = txn.create_node(["Paper"], [("title", "Gneiss")]).unwrap();
    txn.commit().unwrap();
    drop(db);
    let db = Database::open(folder.path().join("db")).unwrap();
    assert_eq!(
        found(&db.read().unwrap(), "papers", "gneiss"),
        [paper.into()]
    );
    db.drop_text_index("papers").unwrap();
    db.close().unwrap();
    let db = Database::builder()
        .open_read_only(folder.path().join("db"))
        .unwrap();
    assert!(
        db.read()
            .unwrap()
            .catalog()
            .text_index_named("papers")
            .is_none()
    );
}
