//! Snapshots: what one sees never changes, whatever happens to the store.

use super::{BOTH, Open, Pair, Subject, drain, expected, get, open_cursor, pair, scan, step};
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::range::{Direction, KeyRange};

const F: Family = Family::Edges;

pub(super) fn points_stay(open: Open) {
    let subject = Subject::open(open);
    subject.put(F, b"a", b"old");
    let snapshot = subject.snapshot();
    subject.put(F, b"a", b"new");
    subject.put(F, b"b", b"new");
    assert_eq!(get(&*snapshot, F, b"a"), Some(b"old".to_vec()));
    assert_eq!(get(&*snapshot, F, b"b"), None);
    let values = snapshot.multi_get(F, &[b"b", b"a"]).expect("multi_get");
    assert_eq!(values, [None, Some(b"old".to_vec())]);
    assert_eq!(
        subject.get(F, b"a"),
        Some(b"new".to_vec()),
        "a later snapshot sees it"
    );
}

pub(super) fn scans_stay(open: Open) {
    let subject = Subject::open(open);
    let pairs = [pair(b"b", b"1"), pair(b"d", b"2"), pair(b"f", b"3")];
    subject.put_all(F, &pairs);
    let snapshot = subject.snapshot();
    let mut batch = Batch::new();
    for key in [b"a", b"c", b"d", b"g"] {
        batch.put(F, key, b"new");
    }
    batch.delete(F, b"f");
    subject.append(&batch);
    for direction in BOTH {
        let found = scan(&*snapshot, F, &KeyRange::all(), direction);
        assert_eq!(found, expected(&pairs, &KeyRange::all(), direction));
    }
    assert_eq!(subject.all(F).len(), 5);
}

pub(super) fn open_cursors_stay(open: Open) {
    let subject = Subject::open(open);
    let pairs: Vec<Pair> = (0_u16..500)
        .map(|key| pair((key * 2).to_be_bytes(), b"old"))
        .collect();
    subject.put_all(F, &pairs);
    for direction in BOTH {
        let snapshot = subject.snapshot();
        let before = scan(&*snapshot, F, &KeyRange::all(), direction);
        let mut cursor = open_cursor(&*snapshot, F, &KeyRange::all(), direction);
        let mut seen: Vec<Pair> = (0..10).filter_map(|_| step(&mut *cursor)).collect();
        let mut batch = Batch::new();
        for key in 0_u16..1_000 {
            if key % 3 == 0 {
                batch.delete(F, &key.to_be_bytes());
            } else {
                batch.put(F, &key.to_be_bytes(), format!("{direction:?}").as_bytes());
            }
        }
        subject.append(&batch);
        seen.extend((0..200).filter_map(|_| step(&mut *cursor)));
        subject.store.flush().expect("flush");
        subject.store.compact(F).expect("compact");
        seen.extend(drain(&mut *cursor));
        assert!(seen == before, "a {direction:?} cursor saw a later batch");
        cursor.seek(&before[250].0);
        assert!(
            drain(&mut *cursor) == before[250..],
            "a seek showed a later batch"
        );
    }
}

pub(super) fn deletes_stay_unseen(open: Open) {
    let subject = Subject::open(open);
    let pairs: Vec<Pair> = (0_u8..50).map(|key| pair([key], [key])).collect();
    subject.put_all(F, &pairs);
    let snapshot = subject.snapshot();
    for (key, _) in &pairs {
        subject.delete(F, key);
    }
    assert_eq!(subject.all(F), []);
    assert_eq!(
        scan(&*snapshot, F, &KeyRange::all(), Direction::Forward),
        pairs
    );
    subject.store.compact(F).expect("compact");
    assert_eq!(
        scan(&*snapshot, F, &KeyRange::all(), Direction::Forward),
        pairs
    );
    // The keys come back; the old snapshot keeps their old values, one in between sees none.
    let between = subject.snapshot();
    subject.put_all(
        F,
        &pairs
            .iter()
            .map(|(key, _)| pair(&key[..], b"back"))
            .collect::<Vec<_>>(),
    );
    assert_eq!(
        scan(&*snapshot, F, &KeyRange::all(), Direction::Forward),
        pairs
    );
    assert_eq!(scan(&*between, F, &KeyRange::all(), Direction::Forward), []);
    assert_eq!(subject.all(F).len(), 50);
}

pub(super) fn snapshots_outlive_each_other_in_any_order(open: Open) {
    let subject = Subject::open(open);
    let mut held = Vec::new();
    for round in 0_u8..20 {
        subject.put(F, b"always", &[round]);
        subject.put(F, &[round], b"once");
        if round % 4 == 3 {
            subject.delete(F, &[round - 2]);
        }
        held.push((round, subject.snapshot(), subject.all(F)));
    }
    // Drop from the middle, the start and the end; the rest must not notice.
    for place in [10, 0, 17, 5, 5, 0, 12] {
        held.remove(place);
        subject.put(F, b"always", b"later");
        subject.store.compact(F).expect("compact");
        for (round, snapshot, pairs) in &held {
            assert_eq!(get(&**snapshot, F, b"always"), Some(vec![*round]));
            assert_eq!(
                &scan(&**snapshot, F, &KeyRange::all(), Direction::Forward),
                pairs
            );
        }
    }
    assert_eq!(subject.store.metrics().snapshots, held.len() as u64);
}

pub(super) fn snapshots_survive_flush_and_compaction(open: Open) {
    let subject = Subject::open(open);
    let mut held = Vec::new();
    for round in 0_u8..6 {
        let pairs: Vec<Pair> = (0_u8..40).map(|key| pair([key], [round])).collect();
        subject.put_all(F, &pairs);
        held.push((subject.snapshot(), pairs));
        subject.store.flush().expect("flush");
    }
    for family in Family::all() {
        subject.store.compact(family).expect("compact");
    }
    for (snapshot, pairs) in &held {
        assert_eq!(
            &scan(&**snapshot, F, &KeyRange::all(), Direction::Forward),
            pairs
        );
    }
}

pub(super) fn a_snapshot_of_an_empty_store_stays_empty(open: Open) {
    let subject = Subject::open(open);
    let empty = subject.snapshot();
    let twin = subject.snapshot();
    for family in Family::all() {
        subject.put(family, b"a", b"1");
    }
    drop(twin);
    subject.store.flush().expect("flush");
    for family in Family::all() {
        assert_eq!(get(&*empty, family, b"a"), None);
        assert_eq!(
            scan(&*empty, family, &KeyRange::all(), Direction::Backward),
            []
        );
    }
}
