//! A full disk: writing is refused before anything breaks, reading and deleting go on, and once
//! there is room everything does. It needs the right to mount a small file system; where that is
//! refused it says so, and only the failing calls of `faults.rs` are tested.

use super::small_disk::{SmallDisk, builder};
use std::collections::BTreeMap;
use std::path::PathBuf;
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::{Database, Error, ErrorKind, NO_PROPERTIES};

/// A database that is filled, and what must be in it.
struct Filled {
    dir: PathBuf,
    expected: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Filled {
    fn put(&mut self, db: &Database, number: u32) -> Result<(), Error> {
        let mut value = vec![0; 8 << 10];
        fastrand::Rng::with_seed(u64::from(number)).fill(&mut value);
        let key = number.to_be_bytes().to_vec();
        let mut txn = db.key_write()?;
        txn.put(Family::VectorSnapshot, &key, &value)?;
        txn.commit()?;
        self.expected.insert(key, value);
        Ok(())
    }

    fn delete(&mut self, db: &Database) -> Result<(), Error> {
        let key = self.expected.keys().next().unwrap().clone();
        let mut txn = db.key_write()?;
        txn.delete(Family::VectorSnapshot, &key)?;
        txn.commit()?;
        self.expected.remove(&key);
        Ok(())
    }

    fn is_all_there(&self, db: &Database) {
        let read = db.key_read().unwrap();
        let mut scan = read.scan(Family::VectorSnapshot, &KeyRange::all()).unwrap();
        let mut found = BTreeMap::new();
        while let Some(entry) = scan.next().unwrap() {
            found.insert(entry.key.to_vec(), entry.value.to_vec());
        }
        assert!(
            found == self.expected,
            "{} found, {} expected",
            found.len(),
            self.expected.len()
        );
        for (key, value) in &self.expected {
            assert_eq!(
                read.get(Family::VectorSnapshot, key).unwrap().as_ref(),
                Some(value)
            );
        }
    }

    /// Every file with its bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let folders = [self.dir.clone(), self.dir.join("store")];
        let entries = folders
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).unwrap());
        let files = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file());
        files
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect()
    }
}

#[test]
fn a_full_disk_loses_nothing_and_can_be_left_again() {
    let Some(disk) = SmallDisk::new(8 << 20) else {
        return;
    };
    let mut filled = Filled {
        dir: disk.path().join("database"),
        expected: BTreeMap::new(),
    };
    let db = builder().create_if_missing(true).open(&filled.dir).unwrap();
    let mut txn = db.write().unwrap();
    let hub = txn.create_node(["Hub"], [("name", "hub")]).unwrap();
    for number in 0..50 {
        let spoke = txn.create_node(["Spoke"], [("number", number)]).unwrap();
        txn.create_relationship(hub, "HOLDS", spoke, NO_PROPERTIES)
            .unwrap();
    }
    txn.commit().unwrap();
    let full = (0..10_000)
        .find_map(|number| filled.put(&db, number).err())
        .expect("8 MiB hold less than that");
    assert!(matches!(full, Error::DiskFull { .. }), "{full}");
    assert_eq!(full.kind(), ErrorKind::Unavailable);
    assert_eq!(
        db.info().failure,
        None,
        "nothing was written, so nothing is poisoned"
    );
    eprintln!("{} batches of 8 KiB, then: {full}", filled.expected.len());
    filled.is_all_there(&db);
    let mut txn = db.write().unwrap();
    txn.create_node(["Spoke"], [("text", "long ".repeat(400_000))])
        .unwrap();
    let refused = txn.commit().expect_err("adding does not work");
    assert!(matches!(refused, Error::DiskFull { .. }), "{refused}");
    for _ in 0..8 {
        filled.delete(&db).expect("deleting works on a full disk");
    }
    filled.is_all_there(&db);
    // So does deleting in the graph, although sets and counts are written anew.
    let mut txn = db.write().unwrap();
    assert_eq!(txn.detach_delete_node(hub).unwrap(), 50);
    txn.commit().expect("deleting a node works on a full disk");

    // Somebody else takes the rest, the reserve that was given up included.
    disk.fill();
    filled.is_all_there(&db);
    let refused = filled
        .put(&db, 20_000)
        .expect_err("there is not a byte left");
    assert!(matches!(refused, Error::DiskFull { .. }), "{refused}");
    eprintln!(
        "closing while full: {:?}",
        db.close().map_err(|error| error.to_string())
    );

    let before = filled.files();
    let db = builder()
        .open_read_only(&filled.dir)
        .expect("a full disk can be read");
    filled.is_all_there(&db);
    drop(db);
    assert!(filled.files() == before, "a reader changed files");

    match builder().open(&filled.dir) {
        Ok(db) => {
            eprintln!("opening for writing while full: works");
            filled.is_all_there(&db);
            let deleted = filled.delete(&db);
            eprintln!(
                "deleting then: {:?}",
                deleted.map_err(|error| error.to_string())
            );
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
            eprintln!("opening for writing while full: {error}");
        }
    }

    disk.free_up();
    let db = builder().open(&filled.dir).expect("there is room again");
    filled.is_all_there(&db);
    filled.delete(&db).unwrap();
    // What is deleted takes room until it is compacted, and compacting takes room too.
    disk.grow(32 << 20);
    db.compact(&mut Watch::quiet()).unwrap();
    filled.put(&db, 30_000).expect("there is room");
    assert!(db.check(&mut Watch::quiet()).unwrap().is_clean());
    db.close().unwrap();
    filled.is_all_there(&builder().open(&filled.dir).unwrap());
}
