//! Who may write while a load declares things and adds members: the database itself, and nobody else.

use super::*;
use crate::graph::NO_PROPERTIES;
use crate::keys::Background;
use crate::storage::batch::Batch;
use crate::storage::cancel::{CancelToken, Progress};
use crate::storage::family::Family;

type Write = fn(&Database);
type Look = fn(&ReadTxn) -> bool;

/// A dump of one node, with an index that it is in and a hierarchy of which it is a member by name.
fn dumped() -> Vec<u8> {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], [("p", 1)]).unwrap();
    txn.commit().unwrap();
    db.create_index(Index::on_nodes("A", ["p"])).unwrap();
    db.create_hierarchy(HierarchyOptions::new("parts", "PART"))
        .unwrap();
    let mut txn = db.write().unwrap();
    txn.add_member("parts", node).unwrap();
    txn.commit().unwrap();
    let mut text = Vec::new();
    db.dump(&mut text, &mut Watch::quiet()).unwrap();
    text
}

/// Loads the dump, and does something else when the load comes to a step.
fn load_while(db: &Database, step: &str, meanwhile: impl FnOnce(&Database)) -> Result<LoadReport> {
    let text = dumped();
    let mut meanwhile = Some(meanwhile);
    let mut report = |progress: Progress<'_>| {
        if progress.step == step
            && let Some(meanwhile) = meanwhile.take()
        {
            meanwhile(db);
        }
    };
    let mut watch = Watch::new(&mut report, CancelToken::new());
    let loaded = db.load(&text[..], &LoadOptions::default(), &mut watch);
    assert!(meanwhile.is_none(), "no step was {step:?}");
    loaded
}

/// What somebody writes in one commit.
fn commit(db: &Database, write: impl FnOnce(&mut WriteTxn)) {
    let mut txn = db.write().unwrap();
    write(&mut txn);
    txn.commit().unwrap();
}

/// What the thread of an index does whenever it likes.
fn keep_house(db: &Database) {
    let read = db.read().unwrap();
    let background = Background::new(read.database().ground());
    let kept = background.commit(|_| {
        let mut batch = Batch::new();
        // A commit, although it changes nothing.
        batch.delete(Family::Journal, b"nothing");
        Ok(batch)
    });
    kept.unwrap();
    assert!(db.read().unwrap().commit_seq() > read.commit_seq());
}

/// Between two commits of a declaration, which look what was written before them, and between a declaration and members.
#[test]
fn what_the_database_does_by_itself_does_not_end_a_load() {
    for step in ["fill the index", "add members"] {
        let db = Database::in_memory().unwrap();
        load_while(&db, step, keep_house).unwrap();
        let canonical = |db: &Database| {
            let mut text = Vec::new();
            db.dump_canonical(&mut text, &mut Watch::quiet()).unwrap();
            text
        };
        let quiet = Database::in_memory().unwrap();
        load_while(&quiet, step, |_| {}).unwrap();
        assert_eq!(canonical(&db), canonical(&quiet), "{step}");
    }
}

#[test]
fn what_somebody_writes_ends_a_load_and_stays() {
    let set: Write = |db| {
        commit(db, |txn| {
            txn.set_property(NodeId::new(0), "p", 2).unwrap();
        });
    };
    let is_set: Look = |read| read.property(NodeId::new(0), "p").unwrap().as_int() == Some(2);
    let label: Write = |db| {
        commit(db, |txn| {
            txn.add_label(NodeId::new(0), "Late").unwrap();
        });
    };
    let create: Write = |db| {
        commit(db, |txn| {
            txn.create_node(["Late"], NO_PROPERTIES).unwrap();
        });
    };
    let is_created: Look = |read| read.node_count(Some("Late")).unwrap() == 1;
    let delete: Write = |db| {
        commit(db, |txn| {
            txn.delete_node(NodeId::new(0)).unwrap();
        });
    };
    let is_deleted: Look = |read| read.node_count(None).unwrap() == 0;
    let declare: Write = |db| db.create_index(Index::on_nodes("B", ["q"])).unwrap();
    let is_declared: Look = |read| read.catalog().index_named("index_B_q").is_some();
    for (step, write, is_there) in [
        ("add members", set, is_set),
        ("add members", create, is_created),
        ("fill the index", set, is_set),
        ("fill the index", label, is_created),
        ("fill the index", create, is_created),
        ("fill the index", declare, is_declared),
        ("fill the index", delete, is_deleted),
    ] {
        let db = Database::in_memory().unwrap();
        let loaded = load_while(&db, step, |db| {
            write(db);
            // Neither is it hidden by what comes after it.
            keep_house(db);
        });
        let refused = loaded.unwrap_err().to_string();
        assert!(
            refused.starts_with("somebody else wrote into the database during the load; 1 nodes"),
            "{step}: {refused}"
        );
        assert!(is_there(&db.read().unwrap()), "{step}");
    }
}
