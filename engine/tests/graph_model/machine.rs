//! The database and the plain graph side by side: transactions, declarations, old snapshots,
//! flushes and reopenings.

use crate::compare::{Look, compare};
use crate::declare;
use crate::plain::Plain;
use crate::refusal::{self, Refusal};
use crate::writer::{Given, Writer, numbered};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use stratigraph::keys::KeyRead as _;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::{FAMILIES, Family};
use stratigraph::storage::range::KeyRange;
use stratigraph::{Database, Durability, NO_PROPERTIES, NodeId, ReadTxn};

/// Where the database lives.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    Memory,
    Folder(PathBuf),
}

impl Home {
    fn open(&self) -> Database {
        match self {
            Self::Memory => Database::in_memory().unwrap(),
            // As little in memory as may be, so that files are read and merged; nobody cuts the power.
            Self::Folder(path) => Database::builder()
                .create_if_missing(true)
                .write_buffer_bytes(64 << 10)
                .cache_bytes(1 << 20)
                .background_threads(1)
                .disk_reserve_bytes(0)
                .durability(Durability::Periodic(Duration::from_secs(3600)))
                .open(path)
                .unwrap(),
        }
    }
}

pub(crate) struct Machine {
    home: Home,
    /// Absent only while it is opened anew.
    db: Option<Database>,
    plain: Plain,
    kept: Vec<(ReadTxn, Plain)>,
    given: Given,
    names: Vec<(u32, String)>,
    rng: Rng,
    pub(crate) operations: u64,
}

impl Machine {
    pub(crate) fn new(home: Home, seed: u64) -> Self {
        Self {
            db: Some(home.open()),
            home,
            plain: Plain::default(),
            kept: Vec::new(),
            given: Given::default(),
            names: Vec::new(),
            rng: Rng::with_seed(seed),
            operations: 0,
        }
    }

    /// The whole sequence.
    pub(crate) fn run(&mut self, steps: u32) {
        if self.rng.u16(0..1000) == 0 {
            self.use_up_ids();
        }
        for _ in 0..steps {
            self.step();
        }
        let read = self.db().read().unwrap();
        compare(&read, &self.plain, Look::All, &mut self.rng);
        drop(read);
        self.look_back();
        self.check();
        if self.rng.u8(0..3) == 0 {
            self.clear();
        }
    }

    fn db(&self) -> &Database {
        self.db.as_ref().expect("it is open between steps")
    }

    fn step(&mut self) {
        self.operations += 1;
        match self.rng.u32(0..100) {
            0..60 => self.write(),
            60..76 => declare::step(
                self.db.as_ref().expect("it is open between steps"),
                &mut self.plain,
                &mut self.rng,
            ),
            76..86 => {
                let read = self.db().read().unwrap();
                self.kept.push((read, self.plain.clone()));
            }
            86..90 if !self.kept.is_empty() => {
                let at = self.rng.usize(0..self.kept.len());
                let (read, plain) = self.kept.swap_remove(at);
                compare(&read, &plain, Look::Some(6), &mut self.rng);
            }
            90..93 => self.db().flush().unwrap(),
            93..95 => self.db().compact(&mut Watch::quiet()).unwrap(),
            95..100 => self.reopen(),
            _ => {}
        }
    }

    fn write(&mut self) {
        let txn = self.db().write().unwrap();
        let plain = self.plain.clone();
        let mut writer = Writer::new(txn, plain, self.given, &mut self.rng);
        writer.work();
        self.operations += writer.operations;
        let (after, names) = (writer.plain.clone(), writer.names());
        let txn = writer.txn;
        if self.rng.u8(0..8) == 0 {
            match self.rng.bool() {
                true => txn.rollback(),
                false => drop(txn),
            }
        } else {
            let expected = after.refused_at_commit();
            match txn.commit() {
                Ok(_) => {
                    assert!(expected.is_empty(), "committed: {expected:?}");
                    let highest = |ids: Option<u64>, before: Option<u64>| ids.max(before);
                    self.given.node =
                        highest(after.nodes.keys().next_back().copied(), self.given.node);
                    self.given.relationship = highest(
                        after.relationships.keys().next_back().copied(),
                        self.given.relationship,
                    );
                    self.plain = after;
                    for named in &self.names {
                        assert!(names.contains(named), "{named:?} is lost: {names:?}");
                    }
                    self.names = names;
                }
                Err(error) => {
                    assert!(
                        expected.contains(&Refusal::of(&error)),
                        "{error}: {expected:?}"
                    );
                    refusal::is_true(&error, &after, None);
                }
            }
        }
        let look = match self.rng.u8(0..12) {
            0 => Look::All,
            _ => Look::Some(5),
        };
        let read = self.db().read().unwrap();
        compare(&read, &self.plain, look, &mut self.rng);
    }

    /// Old snapshots have not moved.
    fn look_back(&mut self) {
        for (read, plain) in self.kept.drain(..) {
            compare(&read, &plain, Look::Some(8), &mut self.rng);
        }
    }

    fn reopen(&mut self) {
        let Home::Folder(_) = self.home else {
            return;
        };
        self.look_back();
        let before = numbered(&self.db().read().unwrap());
        let db = self.db.take().expect("it is open between steps");
        match self.rng.bool() {
            true => db.close().unwrap(),
            false => drop(db),
        }
        self.db = Some(self.home.open());
        let read = self.db().read().unwrap();
        assert_eq!(numbered(&read), before);
        compare(&read, &self.plain, Look::All, &mut self.rng);
    }

    /// Goes to where ids fill one container of a set and begin the next. It takes a while, so few
    /// sequences do it.
    fn use_up_ids(&mut self) {
        const NEARLY_FULL: u64 = (1 << 16) - 12;
        let mut txn = self.db().write().unwrap();
        let first = txn.create_node(["A"], NO_PROPERTIES).unwrap();
        for _ in 1..NEARLY_FULL {
            let node = txn.create_node(["A"], NO_PROPERTIES).unwrap();
            txn.create_relationship(first, "T", node, NO_PROPERTIES)
                .unwrap();
            txn.detach_delete_node(node).unwrap();
        }
        txn.delete_node(first).unwrap();
        txn.commit().unwrap();
        self.given = Given {
            node: Some(NEARLY_FULL - 1),
            relationship: Some(NEARLY_FULL - 2),
        };
    }

    /// The database finds nothing wrong with itself either.
    fn check(&self) {
        let mut watch = Watch::quiet();
        let report = self.db().check(&mut watch).unwrap();
        assert!(report.is_clean(), "{:?}", report.findings);
    }

    /// Takes everything away, in any order; nothing of it may stay behind.
    fn clear(&mut self) {
        let mut nodes: Vec<u64> = self.plain.nodes.keys().copied().collect();
        self.rng.shuffle(&mut nodes);
        let declarations_first = self.rng.bool();
        if declarations_first {
            declare::drop_all(self.db(), &mut self.plain.clone());
            self.plain.indexes.clear();
            self.plain.constraints.clear();
            self.plain.hierarchies.clear();
        }
        let mut txn = self.db().write().unwrap();
        for node in nodes {
            txn.detach_delete_node(NodeId::new(node)).unwrap();
        }
        txn.commit().unwrap();
        if !declarations_first {
            declare::drop_all(self.db(), &mut self.plain.clone());
        }
        let keys = self.db().key_read().unwrap();
        for spec in FAMILIES.iter().filter(|spec| spec.family != Family::Meta) {
            let scan = keys.scan(spec.family, &KeyRange::all()).unwrap();
            assert_eq!(scan.count().unwrap(), 0, "left behind in {}", spec.name);
        }
        // Names and the next ids stay: tags 16 to 19.
        let mut scan = keys
            .scan(Family::Meta, &KeyRange::starting_at([20]))
            .unwrap();
        let mut left = BTreeSet::new();
        while let Some(entry) = scan.next().unwrap() {
            left.insert(entry.key.to_vec());
        }
        assert!(left.is_empty(), "left behind in meta: {left:?}");
    }
}
