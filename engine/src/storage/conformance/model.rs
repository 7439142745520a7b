//! Random operations on a store and on plain maps, which must agree at every look.
//!
//! A failure is made smaller and printed with the steps that are left; the seed is kept by proptest
//! under `engine/proptest-regressions` and tried first from then on.

use super::{Bytes, Open, Pair, Subject, drain, expected, get, open_cursor, scan, step};
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::range::{Direction, KeyRange};
use crate::storage::store::Snapshot;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use std::collections::BTreeMap;
use std::sync::Arc;

const CASES: u32 = 64;
const STEPS: usize = 60;

/// One family of each way of storing them.
const CHOSEN: [Family; 4] = [
    Family::Nodes,
    Family::Out,
    Family::Hierarchy,
    Family::Vectors,
];

type Content = BTreeMap<Family, BTreeMap<Bytes, Bytes>>;

#[derive(Debug, Clone)]
enum Step {
    /// `None` deletes.
    Append(Vec<(Family, Bytes, Option<Bytes>)>),
    Ingest(Family, BTreeMap<Bytes, Bytes>),
    TakeSnapshot,
    /// The number picks one of those that are held, as in the steps below.
    DropSnapshot(usize),
    Get(usize, Family, Vec<Bytes>),
    Scan(usize, Family, KeyRange, Direction, Vec<Move>),
    Compact(Family),
    Flush,
}

#[derive(Debug, Clone)]
enum Move {
    Next(usize),
    Seek(Bytes),
}

fn family() -> impl Strategy<Value = Family> {
    select(&CHOSEN[..])
}

/// Few enough keys that they meet again, with the extreme bytes and both sides of eight bytes.
fn key() -> impl Strategy<Value = Bytes> {
    let byte = select(&[0x00_u8, 0x01, b'a', 0xfe, 0xff][..]);
    let short = prop::collection::vec(byte.clone(), 0..=3);
    let long = (
        select(vec![*b"12345678", *b"1234567\xff"]),
        prop::collection::vec(byte, 0..=2),
    )
        .prop_map(|(start, rest)| [&start[..], &rest].concat());
    prop_oneof![3 => short, 1 => long]
}

fn value() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(any::<u8>(), 0..6)
}

fn range() -> impl Strategy<Value = KeyRange> {
    prop_oneof![
        Just(KeyRange::all()),
        key().prop_map(|prefix| KeyRange::prefix(&prefix)),
        key().prop_map(KeyRange::starting_at),
        // Half of these are empty, which is as it should be.
        (key(), key()).prop_map(|(start, end)| KeyRange::between(start, end)),
    ]
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        (1_usize..12).prop_map(Move::Next),
        key().prop_map(Move::Seek)
    ];
    prop::collection::vec(one, 0..6)
}

fn one_step() -> impl Strategy<Value = Step> {
    let direction = select(&super::BOTH[..]);
    let change = (family(), key(), prop::option::weighted(0.7, value()));
    let run = prop::collection::btree_map(key(), value(), 1..8);
    let keys = prop::collection::vec(key(), 1..5);
    prop_oneof![
        8 => prop::collection::vec(change, 0..12).prop_map(Step::Append),
        1 => (family(), run).prop_map(|(family, run)| Step::Ingest(family, run)),
        3 => Just(Step::TakeSnapshot),
        2 => any::<usize>().prop_map(Step::DropSnapshot),
        4 => (any::<usize>(), family(), keys).prop_map(|(at, family, keys)| Step::Get(at, family, keys)),
        6 => (any::<usize>(), family(), range(), direction, moves()).prop_map(
            |(at, family, range, direction, moves)| Step::Scan(at, family, range, direction, moves)
        ),
        1 => family().prop_map(Step::Compact),
        1 => Just(Step::Flush),
    ]
}

/// The store, what it should hold, and the snapshots with what they should hold.
struct Race {
    subject: Subject,
    content: Content,
    held: Vec<(Arc<dyn Snapshot>, Content)>,
    runs: usize,
}

impl Race {
    fn take(&mut self, step: Step) {
        match step {
            Step::Append(changes) => {
                let mut batch = Batch::new();
                for (family, key, value) in changes {
                    let rows = self.content.entry(family).or_default();
                    match value {
                        Some(value) => {
                            batch.put(family, &key, &value);
                            rows.insert(key, value);
                        }
                        None => {
                            batch.delete(family, &key);
                            rows.remove(&key);
                        }
                    }
                }
                self.subject.append(&batch);
            }
            Step::Ingest(family, rows) => {
                self.runs += 1;
                let pairs: Vec<Pair> = rows.clone().into_iter().collect();
                let path = self
                    .subject
                    .run(family, &format!("run-{}", self.runs), &pairs);
                self.subject.store.ingest(family, &[path]).expect("ingest");
                self.content.entry(family).or_default().extend(rows);
            }
            Step::TakeSnapshot => self.hold(),
            Step::DropSnapshot(at) => {
                if !self.held.is_empty() {
                    self.held.swap_remove(at % self.held.len());
                }
            }
            Step::Get(at, family, keys) => {
                let (snapshot, content) = self.view(at);
                let rows = content.get(&family);
                let wanted: Vec<Option<Bytes>> = keys
                    .iter()
                    .map(|key| rows.and_then(|rows| rows.get(key)).cloned())
                    .collect();
                let single: Vec<_> = keys
                    .iter()
                    .map(|key| get(&*snapshot, family, key))
                    .collect();
                assert_eq!(single, wanted, "get {keys:?}");
                let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                assert_eq!(
                    snapshot.multi_get(family, &keys).expect("multi_get"),
                    wanted
                );
            }
            Step::Scan(at, family, range, direction, moves) => {
                let (snapshot, content) = self.view(at);
                let wanted = expected(&rows(&content, family), &range, direction);
                walk(&*snapshot, family, &range, direction, moves, &wanted);
            }
            Step::Compact(family) => self.subject.store.compact(family).expect("compact"),
            Step::Flush => self.subject.store.flush().expect("flush"),
        }
    }

    fn hold(&mut self) {
        self.held
            .push((self.subject.snapshot(), self.content.clone()));
    }

    /// A held snapshot, or a fresh one in the place behind the last.
    fn view(&self, at: usize) -> (Arc<dyn Snapshot>, Content) {
        match self.held.get(at % (self.held.len() + 1)) {
            Some((snapshot, content)) => (Arc::clone(snapshot), content.clone()),
            None => (self.subject.snapshot(), self.content.clone()),
        }
    }

    /// Compares everything that can be seen in every snapshot.
    fn finish(mut self) {
        self.hold();
        for (snapshot, content) in &self.held {
            for family in CHOSEN {
                for direction in super::BOTH {
                    let wanted = expected(&rows(content, family), &KeyRange::all(), direction);
                    assert_eq!(
                        scan(&**snapshot, family, &KeyRange::all(), direction),
                        wanted
                    );
                }
            }
        }
        assert_eq!(
            self.subject.store.metrics().snapshots,
            self.held.len() as u64
        );
        self.held.clear();
        assert_eq!(self.subject.store.metrics().snapshots, 0);
    }
}

fn rows(content: &Content, family: Family) -> Vec<Pair> {
    let rows = content.get(&family).into_iter().flatten();
    rows.map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Moves a cursor about and compares each step with `wanted`, which is in the cursor's direction.
fn walk(
    snapshot: &dyn Snapshot,
    family: Family,
    range: &KeyRange,
    direction: Direction,
    moves: Vec<Move>,
    wanted: &[Pair],
) {
    let mut cursor = open_cursor(snapshot, family, range, direction);
    let mut place = 0;
    for one in moves {
        match one {
            Move::Next(times) => {
                for _ in 0..times {
                    assert_eq!(step(&mut *cursor).as_ref(), wanted.get(place));
                    place = (place + 1).min(wanted.len());
                }
            }
            Move::Seek(key) => {
                cursor.seek(&key);
                place = wanted.partition_point(|(other, _)| match direction {
                    Direction::Forward => *other < key,
                    Direction::Backward => *other > key,
                });
            }
        }
    }
    assert_eq!(drain(&mut *cursor), wanted[place..]);
}

pub(super) fn random_operations_match_plain_maps(open: Open) {
    let config = Config {
        source_file: Some(file!()),
        ..Config::with_cases(CASES)
    };
    let steps = prop::collection::vec(one_step(), 1..=STEPS);
    let outcome = TestRunner::new(config).run(&steps, |steps| {
        let subject = Subject::open(open);
        let mut race = Race {
            subject,
            content: Content::new(),
            held: Vec::new(),
            runs: 0,
        };
        for step in steps {
            race.take(step);
        }
        race.finish();
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
