//! Bulk load of the graph: byte for byte what transactions would have written, or nothing at all.

#[path = "../folder/mod.rs"]
mod folder;
mod items;
mod refused;
mod same;
mod undone;

use items::{Item, fill, write};
use std::path::Path;
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::value::ValueKind;
use stratigraph::{
    BulkLoad, BulkOptions, BulkReport, Constraint, Database, HierarchyOptions, Index, Result,
};

/// Everything that is stored, but for what tells one commit, and one database, from another.
type Stored = Vec<(Family, Vec<u8>, Vec<u8>)>;

fn stored(db: &Database) -> Stored {
    let txn = db.key_read().unwrap();
    let mut pairs = Vec::new();
    for family in Family::all() {
        let mut scan = txn.scan(family, &KeyRange::all()).unwrap();
        while let Some(entry) = scan.next().unwrap() {
            if family != Family::Meta || entry.key[0] >= 16 {
                pairs.push((family, entry.key.to_vec(), entry.value.to_vec()));
            }
        }
    }
    pairs
}

fn assert_same(left: &Stored, right: &Stored, what: &str) {
    for (left, right) in left.iter().zip(right) {
        assert_eq!(left, right, "{what}");
    }
    assert_eq!(left.len(), right.len(), "{what}");
}

fn assert_sound(db: &Database) {
    let report = db.check(&mut Watch::quiet()).unwrap();
    assert!(report.is_clean(), "{:?}", report.findings);
}

fn finish(load: BulkLoad) -> Result<BulkReport> {
    load.finish(&mut Watch::quiet())
}

/// Adds everything in one load.
fn load_all(db: &Database, options: BulkOptions, items: &[Item]) -> Result<BulkReport> {
    let mut load = db.bulk_load_with(options)?;
    fill(&mut load, items);
    finish(load)
}

/// So little that everything is put aside many times over.
fn small(threads: usize) -> BulkOptions {
    BulkOptions::new().memory_bytes(1).threads(threads)
}

fn open(path: &Path) -> Database {
    let builder = Database::builder().create_if_missing(true);
    let builder = builder
        .disk_reserve_bytes(0)
        .write_buffer_bytes(1 << 20)
        .cache_bytes(8 << 20);
    builder.open(path).unwrap()
}

/// Databases of both kinds, empty but for what is declared.
fn databases(folder: &Path, name: &str) -> [Database; 2] {
    let databases = [Database::in_memory().unwrap(), open(&folder.join(name))];
    for db in &databases {
        declare(db);
    }
    databases
}

/// What transactions write of all this.
fn written(items: &[&[Item]]) -> Stored {
    let db = Database::in_memory().unwrap();
    declare(&db);
    for items in items {
        write(&db, items);
    }
    stored(&db)
}

fn declare(db: &Database) {
    db.create_index(Index::on_nodes("Person", ["name"]).named("by_name"))
        .unwrap();
    db.create_index(Index::on_nodes("Person", ["name", "age"]).named("by_both"))
        .unwrap();
    db.create_index(Index::on_relationships("KNOWS", ["since"]).named("by_since"))
        .unwrap();
    db.create_constraint(
        Constraint::on_nodes("Person")
            .unique(["email"])
            .named("one_email"),
    )
    .unwrap();
    db.create_constraint(
        Constraint::on_nodes("Person")
            .exists("name")
            .named("has_name"),
    )
    .unwrap();
    db.create_constraint(
        Constraint::on_relationships("KNOWS")
            .kind("since", ValueKind::Integer)
            .named("since_when"),
    )
    .unwrap();
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS").tree())
        .unwrap();
    db.create_hierarchy(HierarchyOptions::new("parts", "PART_OF"))
        .unwrap();
}
