//! Writes the golden database of the current format: `cargo run --example make_golden -- DIR`.
//!
//! Run it once when a format is released and commit the folder under `engine/tests/golden/`; the
//! test `golden` opens it with every later version. It is left as a crash leaves it: one part in
//! sorted files, one bulk-loaded, one only in the log.

use std::fs;
use std::path::{Path, PathBuf};
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::storage::family::Family;
use stratigraph::{Database, Result};

fn main() -> Result<()> {
    let Some(target) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: make_golden DIR   (a folder that does not exist yet)");
        std::process::exit(2);
    };
    let work = target.with_extension("work");
    let builder = Database::builder().create_if_missing(true);
    let db = builder.disk_reserve_bytes(0).open(&work)?;
    commit(&db, 1..=20)?;
    db.flush()?;
    let mut load = db.key_bulk_load()?;
    for number in 1000..1050_u64 {
        load.put(
            Family::Vectors,
            &number.to_be_bytes(),
            &number.to_le_bytes(),
        )?;
    }
    load.finish(&mut Watch::new(&mut |_| {}, CancelToken::new()))?;
    commit(&db, 21..=30)?;
    // Let compactions finish: they take files away while we copy.
    std::thread::sleep(std::time::Duration::from_secs(1));
    copy(&work, &target).expect("the golden database can be copied");
    println!(
        "{} at commit {}",
        target.display(),
        db.key_read()?.commit_seq()
    );
    drop(db);
    fs::remove_dir_all(&work).expect("the work folder can be removed");
    Ok(())
}

/// One commit per number: its record in every family but `meta`, and the one before deleted again.
fn commit(db: &Database, numbers: std::ops::RangeInclusive<u64>) -> Result<()> {
    for number in numbers {
        let mut txn = db.key_write()?;
        for family in Family::all().filter(|family| *family != Family::Meta) {
            txn.put(
                family,
                &number.to_be_bytes(),
                format!("{} {number}", family.name()).as_bytes(),
            )?;
            if number % 5 == 0 {
                txn.delete(family, &(number - 1).to_be_bytes())?;
            }
        }
        txn.commit()?;
    }
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
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else if !name.starts_with("OPTIONS") && name != "LOCK" {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
