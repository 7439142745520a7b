//! Random transactions, savepoints, aborts, old snapshots, flushes and reopenings against plain
//! ordered maps, on both stores.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::path::Path;
use stratigraph::Database;
use stratigraph::keys::{KeyRead, KeyReadTxn, KeyWriteTxn};
use stratigraph::storage::batch::Savepoint;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::{Direction, KeyRange};
use stratigraph::storage::store::ScanOptions;

type Contents = BTreeMap<(Family, Vec<u8>), Vec<u8>>;

const USED: [Family; 4] = [Family::Nodes, Family::Out, Family::Text, Family::Vectors];

#[derive(Debug, Clone)]
enum Change {
    Put(Family, Vec<u8>, Vec<u8>),
    Delete(Family, Vec<u8>),
    Savepoint,
    RollBack(usize),
    Release(usize),
}

#[derive(Debug, Clone)]
enum Step {
    Commit(Vec<Change>),
    Abort(Vec<Change>),
    KeepSnapshot,
    DropSnapshot(usize),
    Load(BTreeMap<Vec<u8>, Vec<u8>>),
    Flush,
    Compact,
    /// Only a database on disk outlives its closing.
    Reopen {
        cleanly: bool,
    },
}

fn family() -> impl Strategy<Value = Family> {
    select(&USED[..])
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(select(&[0x00, 0x01, 0x7F, 0xFF][..]), 0..4),
        vec(select(&[0x00, 0x01][..]), 8..12),
    ]
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        6 => (family(), key(), vec(any::<u8>(), 0..40)).prop_map(|(f, k, v)| Change::Put(f, k, v)),
        3 => (family(), key()).prop_map(|(f, k)| Change::Delete(f, k)),
        2 => Just(Change::Savepoint),
        1 => any::<usize>().prop_map(Change::RollBack),
        1 => any::<usize>().prop_map(Change::Release),
    ];
    vec(change, 0..20)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => changes().prop_map(Step::Commit),
        2 => changes().prop_map(Step::Abort),
        2 => Just(Step::KeepSnapshot),
        1 => any::<usize>().prop_map(Step::DropSnapshot),
        1 => proptest::collection::btree_map(key(), vec(any::<u8>(), 0..9), 0..9).prop_map(Step::Load),
        1 => Just(Step::Flush),
        1 => Just(Step::Compact),
        2 => any::<bool>().prop_map(|cleanly| Step::Reopen { cleanly }),
    ]
}

/// The database, what it must hold, and old snapshots with what they must hold.
struct Machine<'a> {
    db: Option<Database>,
    folder: Option<&'a Path>,
    model: Contents,
    kept: Vec<(KeyReadTxn, Contents)>,
}

impl Machine<'_> {
    fn db(&self) -> &Database {
        self.db
            .as_ref()
            .expect("the database is open between steps")
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Commit(changes) => {
                let mut txn = self.db().key_write().unwrap();
                let mut model = self.model.clone();
                apply(&mut txn, &mut model, changes);
                compare(&txn, &model);
                txn.commit().unwrap();
                self.model = model;
            }
            Step::Abort(changes) => {
                let mut txn = self.db().key_write().unwrap();
                apply(&mut txn, &mut self.model.clone(), changes);
                txn.rollback();
            }
            Step::KeepSnapshot => self
                .kept
                .push((self.db().key_read().unwrap(), self.model.clone())),
            Step::DropSnapshot(which) if !self.kept.is_empty() => {
                self.kept.swap_remove(which % self.kept.len());
            }
            Step::DropSnapshot(_) => {}
            Step::Load(pairs) => {
                let mut load = self.db().key_bulk_load().unwrap();
                let mut model = self.model.clone();
                for (key, value) in pairs {
                    let stored = self.model.contains_key(&(Family::Nodes, key.clone()));
                    assert_eq!(load.put(Family::Nodes, &key, &value).is_err(), stored);
                    model.entry((Family::Nodes, key)).or_insert(value);
                }
                load.finish(&mut Watch::quiet()).unwrap();
                self.model = model;
            }
            Step::Flush => self.db().flush().unwrap(),
            Step::Compact => self.db().compact(&mut Watch::quiet()).unwrap(),
            Step::Reopen { cleanly } => {
                let Some(folder) = self.folder else { return };
                self.kept.clear();
                let db = self.db.take().expect("the database is open between steps");
                if cleanly {
                    db.close().unwrap();
                } else {
                    drop(db);
                }
                self.db = Some(open(folder));
            }
        }
        compare(&self.db().key_read().unwrap(), &self.model);
        for (snapshot, contents) in &self.kept {
            compare(snapshot, contents);
        }
    }
}

fn open(folder: &Path) -> Database {
    let builder = Database::builder()
        .create_if_missing(true)
        .disk_reserve_bytes(0);
    builder
        .write_buffer_bytes(64 << 10)
        .cache_bytes(1 << 20)
        .open(folder)
        .unwrap()
}

fn apply(txn: &mut KeyWriteTxn, model: &mut Contents, changes: Vec<Change>) {
    let mut savepoints: Vec<(Savepoint, Contents)> = Vec::new();
    for change in changes {
        match change {
            Change::Put(family, key, value) => {
                txn.put(family, &key, &value).unwrap();
                model.insert((family, key), value);
            }
            Change::Delete(family, key) => {
                txn.delete(family, &key).unwrap();
                model.remove(&(family, key));
            }
            Change::Savepoint => savepoints.push((txn.savepoint(), model.clone())),
            Change::RollBack(which) if !savepoints.is_empty() => {
                savepoints.truncate(which % savepoints.len() + 1);
                let (savepoint, contents) = &savepoints[savepoints.len() - 1];
                txn.rollback_to(*savepoint).unwrap();
                model.clone_from(contents);
            }
            Change::Release(which) if !savepoints.is_empty() => {
                let (savepoint, _) = savepoints[which % savepoints.len()];
                txn.release(savepoint).unwrap();
                savepoints.truncate(which % savepoints.len());
            }
            Change::RollBack(_) | Change::Release(_) => {}
        }
    }
}

/// Everything a reader can see, both ways, and every key by itself.
fn compare(read: &impl KeyRead, model: &Contents) {
    for family in USED {
        let wanted: Vec<(&[u8], &[u8])> = model
            .iter()
            .filter(|((of, _), _)| *of == family)
            .map(|((_, key), value)| (&key[..], &value[..]))
            .collect();
        for direction in [Direction::Forward, Direction::Backward] {
            let options = ScanOptions {
                direction,
                ..ScanOptions::default()
            };
            let mut scan = read.scan_with(family, &KeyRange::all(), options).unwrap();
            let mut found = Vec::new();
            while let Some(entry) = scan.next().unwrap() {
                found.push((entry.key.to_vec(), entry.value.to_vec()));
            }
            if direction == Direction::Backward {
                found.reverse();
            }
            let found: Vec<(&[u8], &[u8])> = found
                .iter()
                .map(|(key, value)| (&key[..], &value[..]))
                .collect();
            assert_eq!(found, wanted, "{family:?} {direction:?}");
        }
        for (key, value) in wanted {
            assert_eq!(read.get(family, key).unwrap().as_deref(), Some(value));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_database_in_memory_behaves_like_maps(steps in vec(step(), 1..40)) {
        let db = Database::in_memory().unwrap();
        let mut machine = Machine { db: Some(db), folder: None, model: Contents::new(), kept: Vec::new() };
        steps.into_iter().for_each(|step| machine.take(step));
    }

    #[test]
    fn a_database_on_disk_behaves_like_maps(steps in vec(step(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db");
        let mut machine = Machine { db: Some(open(&path)), folder: Some(&path), model: Contents::new(), kept: Vec::new() };
        steps.into_iter().for_each(|step| machine.take(step));
    }
}
