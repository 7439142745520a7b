//! Writes the golden database of the current format: `cargo run --example make_golden -- DIR`.
//!
//! Run it once when a format is released and commit the folder under `engine/tests/golden/`; the
//! test `golden` opens it with every later version and compares it with the dump beside it. It is
//! left as a crash leaves it: one part in sorted files, one bulk-loaded, one only in the log.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use stratigraph::storage::cancel::Watch;
use stratigraph::value::{Date, Duration, LocalTime, ValueKind};
use stratigraph::{
    Analysis, Constraint, Database, HierarchyOptions, Index, NO_PROPERTIES, NodeId, Read, Result,
    TextIndex, Value, Vector, VectorIndex, WriteTxn,
};

fn main() -> Result<()> {
    let Some(target) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: make_golden DIR   (a folder that does not exist yet)");
        std::process::exit(2);
    };
    let work = target.with_extension("work");
    let builder = Database::builder().create_if_missing(true);
    let db = builder.disk_reserve_bytes(0).open(&work)?;
    declare(&db)?;
    for number in 1..=20 {
        commit(&db, number)?;
    }
    db.flush()?;
    load(&db)?;
    for number in 21..=30 {
        commit(&db, number)?;
    }
    // Let compactions finish: they take files away while we copy.
    std::thread::sleep(std::time::Duration::from_secs(1));
    copy(&work, &target).expect("the golden database can be copied");
    let dump = File::create(target.with_extension("jsonl")).expect("the dump can be created");
    db.dump(dump, &mut Watch::quiet())?;
    println!("{} at commit {}", target.display(), db.read()?.commit_seq());
    drop(db);
    fs::remove_dir_all(&work).expect("the work folder can be removed");
    Ok(())
}

fn declare(db: &Database) -> Result<()> {
    db.create_constraint(Constraint::on_nodes("Entity").key(["number"]))?;
    db.create_constraint(Constraint::on_nodes("Entity").exists("name"))?;
    db.create_constraint(Constraint::on_relationships("NEXT").kind("weight", ValueKind::Float))?;
    db.create_index(Index::on_nodes("Entity", ["name", "number"]))?;
    db.create_index(Index::on_relationships("NEXT", ["weight"]))?;
    db.create_hierarchy(HierarchyOptions::new("tree", "CHILD").tree())?;
    db.create_hierarchy(HierarchyOptions::new("dag", "NEXT"))?;
    let vectors = VectorIndex::on_nodes("Entity", "emb", 3).filterable(["odd"]);
    db.create_vector_index(vectors.named("embeddings"))?;
    let texts = TextIndex::on_any_node(["long"]).weighted("name", 2.0);
    db.create_text_index(texts.analysis(Analysis::Italian).named("texts"))
}

/// One commit: an entity with a value of every kind, related to those before, and one deleted now
/// and then.
fn commit(db: &Database, number: i64) -> Result<()> {
    let mut txn = db.write()?;
    let entity = txn.create_node(
        ["Entity", if number % 2 == 0 { "Even" } else { "Odd" }],
        properties(number),
    )?;
    if let Some(before) = numbered(&txn, number - 1)? {
        let weight = [("weight", number as f64 / 4.0)];
        txn.create_relationship(before, "NEXT", entity, weight)?;
        txn.create_relationship(entity, "SELF", entity, NO_PROPERTIES)?;
    }
    if let Some(parent) = numbered(&txn, number / 2)?.filter(|parent| *parent != entity) {
        txn.create_relationship(parent, "CHILD", entity, NO_PROPERTIES)?;
    }
    if number % 7 == 0 {
        txn.add_member("tree", entity)?;
    }
    if number % 5 == 0
        && let Some(gone) = numbered(&txn, number - 2)?
    {
        txn.detach_delete_node(gone)?;
    }
    txn.commit()?;
    Ok(())
}

fn numbered(txn: &WriteTxn, number: i64) -> Result<Option<NodeId>> {
    for id in &txn.nodes_with_label("Entity")? {
        let node = NodeId::new(id);
        if txn.property(node, "number")?.as_int() == Some(number) {
            return Ok(Some(node));
        }
    }
    Ok(None)
}

fn properties(number: i64) -> Vec<(&'static str, Value)> {
    let day = Date::from_epoch_day(number * 400).expect("the day is in range");
    let noon = LocalTime::from_nanos_of_day(43_200_000_000_000 + number as u64)
        .expect("it is a time of day");
    vec![
        ("number", number.into()),
        ("name", format!("entity {}", number % 10).into()),
        ("odd", (number % 2 == 1).into()),
        ("half", (number as f64 / 2.0).into()),
        ("bytes", Value::bytes(vec![number as u8; 5])),
        ("day", day.into()),
        ("noon", noon.into()),
        (
            "while",
            Duration::new(number, 2, 3, 4)
                .expect("it is a duration")
                .into(),
        ),
        ("list", vec![number, number + 1].into()),
        ("long", format!("{number} ").repeat(900).into()),
        (
            "emb",
            Vector::new(vec![number as f32, 0.5, -1.0])
                .expect("they are finite")
                .into(),
        ),
    ]
}

/// A bulk load beside what is there, and related to it.
fn load(db: &Database) -> Result<()> {
    let first = db.read()?.node_ids()?.next().transpose()?;
    let mut load = db.bulk_load()?;
    for number in 1000..1050 {
        let node = load.add_node(["Entity", "Loaded"], properties(number))?;
        if let Some(first) = first {
            load.add_relationship(first, "LOADED", node, [("at", number)])?;
        }
    }
    load.finish(&mut Watch::quiet())?;
    Ok(())
}

/// Copies what makes up the database; RocksDB's option files name folders of this machine and are
/// not needed to open it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        // What indexes keep beside the store is made of what is stored.
        if name == "vectors" {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else if !name.starts_with("OPTIONS") && name != "LOCK" {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
