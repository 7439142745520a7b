//! A first tour of the storage floor, on a real folder: `cargo run --example storage_tour -- DIR`.
//!
//! It writes the layers of a small library as one transaction each, reads them back level by level
//! from a snapshot, takes a change back, and shows what the database says of itself.

use std::path::PathBuf;
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::{Database, Result};

/// A document as the layers will keep it: a heading, and the sections below it.
const CHAPTERS: &[(&str, &[&str])] = &[
    (
        "Storage",
        &["Column families", "Transactions", "The high-water mark"],
    ),
    ("Graph", &["Nodes", "Relationships", "Hierarchies"]),
    ("Retrieval", &["Level by level", "Similarity", "Provenance"]),
];

fn main() -> Result<()> {
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: storage_tour DIR   (a folder that does not exist yet)");
        std::process::exit(2);
    };
    let db = Database::create(&path)?;
    println!("created database {} in {}", db.id(), path.display());

    for (number, (chapter, sections)) in (0_u64..).zip(CHAPTERS) {
        let mut txn = db.key_write()?;
        txn.put(Family::Nodes, &number.to_be_bytes(), chapter.as_bytes())?;
        for (place, section) in (0_u64..).zip(*sections) {
            let child = (number + 1) * 100 + place;
            txn.put(Family::Nodes, &child.to_be_bytes(), section.as_bytes())?;
            let edge = [number.to_be_bytes(), child.to_be_bytes()].concat();
            txn.put(Family::Out, &edge, b"")?;
        }
        let commit = txn.commit()?;
        println!(
            "commit {commit}: chapter {chapter:?} with {} sections, durable",
            sections.len()
        );
    }

    let before = db.key_read()?;
    let mut txn = db.key_write()?;
    let savepoint = txn.savepoint();
    txn.delete(Family::Nodes, &0_u64.to_be_bytes())?;
    txn.rollback_to(savepoint)?;
    txn.put(Family::Nodes, &0_u64.to_be_bytes(), b"The storage floor")?;
    txn.commit()?;

    println!("\nlevel by level, from the snapshot taken before the last commit:");
    for number in 0..CHAPTERS.len() as u64 {
        let chapter = before
            .get(Family::Nodes, &number.to_be_bytes())?
            .unwrap_or_default();
        println!("  {}", String::from_utf8_lossy(&chapter));
        let mut children = before.scan(Family::Out, &KeyRange::prefix(&number.to_be_bytes()))?;
        while let Some(edge) = children.next()? {
            let section = before
                .get(Family::Nodes, &edge.key[8..])?
                .unwrap_or_default();
            println!("    {}", String::from_utf8_lossy(&section));
        }
    }
    let renamed = db
        .key_read()?
        .get(Family::Nodes, &0_u64.to_be_bytes())?
        .unwrap_or_default();
    println!(
        "a reader that starts now sees {:?} instead",
        String::from_utf8_lossy(&renamed)
    );

    let report = db.check(&mut Watch::new(&mut |_| {}, CancelToken::new()))?;
    let info = db.info();
    println!(
        "\n{} commits, {} log syncs, {} findings",
        info.commits.commits,
        info.store.log_syncs,
        report.findings.len()
    );
    db.close()
}
