//! Reading and writing single keys, batches over several families, and what a store says of itself.

use super::{Bytes, Open, Pair, Subject, get, pair};
use crate::storage::batch::Batch;
use crate::storage::family::{FAMILIES, FAMILY_COUNT, Family};
use crate::storage::range::KeyRange;

const F: Family = Family::Nodes;

pub(super) fn missing_keys_are_missing(open: Open) {
    let subject = Subject::open(open);
    assert_eq!(subject.get(F, b"a"), None);
    assert_eq!(subject.get(F, b""), None);
    subject.put(F, b"b", b"1");
    for missing in [&b"a"[..], b"", b"b\0", b"c", b"B"] {
        assert_eq!(subject.get(F, missing), None, "{missing:?}");
    }
    subject.delete(F, b"never there");
    assert_eq!(subject.get(F, b"never there"), None);
}

pub(super) fn a_stored_value_is_read(open: Open) {
    let subject = Subject::open(open);
    for family in Family::all() {
        subject.put(family, b"key of some length", family.name().as_bytes());
    }
    for family in Family::all() {
        let value = subject.get(family, b"key of some length");
        assert_eq!(value.as_deref(), Some(family.name().as_bytes()));
    }
}

pub(super) fn keys_and_values_may_be_empty(open: Open) {
    let subject = Subject::open(open);
    subject.put(F, b"", b"");
    subject.put(F, b"a", b"");
    assert_eq!(
        subject.get(F, b""),
        Some(Bytes::new()),
        "an empty value is not a missing one"
    );
    assert_eq!(subject.get(F, b"a"), Some(Bytes::new()));
    subject.put(F, b"", b"full");
    assert_eq!(subject.get(F, b""), Some(b"full".to_vec()));
    assert_eq!(subject.all(F), [pair(b"", b"full"), pair(b"a", b"")]);
    subject.delete(F, b"");
    assert_eq!(subject.all(F), [pair(b"a", b"")]);
}

pub(super) fn an_overwrite_replaces(open: Open) {
    let subject = Subject::open(open);
    for value in [&b"one"[..], b"two and longer", b"3", b""] {
        subject.put(F, b"a", value);
        assert_eq!(subject.get(F, b"a").as_deref(), Some(value));
        assert_eq!(subject.all(F), [pair(b"a", value)]);
    }
}

pub(super) fn a_delete_removes(open: Open) {
    let subject = Subject::open(open);
    subject.put_all(F, &[pair(b"a", b"1"), pair(b"b", b"2"), pair(b"c", b"3")]);
    subject.delete(F, b"b");
    assert_eq!(subject.get(F, b"b"), None);
    assert_eq!(subject.all(F), [pair(b"a", b"1"), pair(b"c", b"3")]);
    subject.delete(F, b"b");
    subject.put(F, b"b", b"back");
    assert_eq!(subject.get(F, b"b"), Some(b"back".to_vec()));
}

pub(super) fn the_last_change_of_a_batch_counts(open: Open) {
    let subject = Subject::open(open);
    let mut batch = Batch::new();
    batch.put(F, b"a", b"1");
    batch.put(F, b"a", b"2");
    batch.put(F, b"b", b"1");
    batch.delete(F, b"b");
    batch.delete(F, b"c");
    batch.put(F, b"c", b"1");
    subject.append(&batch);
    assert_eq!(subject.all(F), [pair(b"a", b"2"), pair(b"c", b"1")]);
}

pub(super) fn families_are_apart(open: Open) {
    let subject = Subject::open(open);
    for written in Family::all() {
        subject.put(written, written.name().as_bytes(), b"");
    }
    subject.delete(Family::In, Family::Out.name().as_bytes());
    for family in Family::all() {
        assert_eq!(subject.all(family), [pair(family.name(), b"")]);
    }
}

pub(super) fn a_batch_covers_all_families(open: Open) {
    let subject = Subject::open(open);
    let mut batch = Batch::new();
    for family in Family::all() {
        batch.put(family, b"stays", family.name().as_bytes());
        batch.put(family, b"goes", b"");
    }
    subject.append(&batch);
    let mut batch = Batch::new();
    for family in Family::all() {
        batch.delete(family, b"goes");
    }
    subject.append(&batch);
    for family in Family::all() {
        assert_eq!(subject.all(family), [pair(b"stays", family.name())]);
    }
}

pub(super) fn an_empty_batch_changes_nothing(open: Open) {
    let subject = Subject::open(open);
    subject.put(F, b"a", b"1");
    subject.append(&Batch::new());
    assert_eq!(subject.all(F), [pair(b"a", b"1")]);
}

pub(super) fn large_values_come_back_whole(open: Open) {
    let subject = Subject::open(open);
    let value: Bytes = (0..3_u32 << 20).map(|place| (place % 251) as u8).collect();
    let key = vec![b'k'; 10_000];
    subject.put(Family::Text, &key, &value);
    assert!(
        subject.get(Family::Text, &key) == Some(value),
        "the value came back changed"
    );
}

pub(super) fn multi_get_keeps_order_and_duplicates(open: Open) {
    let subject = Subject::open(open);
    subject.put_all(
        F,
        &[
            pair(b"", b"e"),
            pair(b"a", b"1"),
            pair(b"b", b""),
            pair(b"c", b"3"),
        ],
    );
    subject.delete(F, b"c");
    subject.put(Family::Edges, b"x", b"elsewhere");
    let snapshot = subject.snapshot();
    let keys: [&[u8]; 8] = [b"b", b"x", b"a", b"c", b"a", b"", b"b", b"x"];
    let values = snapshot.multi_get(F, &keys).expect("multi_get");
    let expected: Vec<_> = keys.iter().map(|key| get(&*snapshot, F, key)).collect();
    assert_eq!(values, expected);
    let found: Vec<_> = values.iter().map(Option::is_some).collect();
    assert_eq!(found, [true, false, true, false, true, true, true, false]);
    assert_eq!(
        snapshot.multi_get(F, &[]).expect("multi_get"),
        Vec::<Option<Bytes>>::new()
    );
}

pub(super) fn values_survive_flush_and_compaction(open: Open) {
    let subject = Subject::open(open);
    subject.put_all(F, &[pair(b"a", b"1"), pair(b"b", b"2"), pair(b"c", b"3")]);
    subject.store.flush().expect("flush");
    subject.put(F, b"a", b"new");
    subject.delete(F, b"b");
    let expected = [pair(b"a", b"new"), pair(b"c", b"3")];
    assert_eq!(subject.all(F), expected);
    subject.store.sync_log().expect("sync_log");
    subject.store.flush().expect("flush");
    assert_eq!(subject.all(F), expected);
    for family in Family::all() {
        subject.store.compact(family).expect("compact");
    }
    assert_eq!(subject.all(F), expected);
    assert_eq!(subject.get(F, b"b"), None);
}

pub(super) fn checksums_of_sound_data_pass(open: Open) {
    let subject = Subject::open(open);
    subject
        .store
        .verify_checksums()
        .expect("an empty store is sound");
    for family in Family::all() {
        subject.put(family, b"a", b"1");
    }
    subject
        .store
        .verify_checksums()
        .expect("sound before a flush");
    subject.store.flush().expect("flush");
    subject
        .store
        .verify_checksums()
        .expect("sound after a flush");
}

pub(super) fn approximate_bytes_are_plausible(open: Open) {
    let subject = Subject::open(open);
    let values = IncompressibleBytes::default();
    let pairs: Vec<Pair> = (0_u64..2_000)
        .zip(values)
        .map(|(key, value)| pair(key.to_be_bytes(), value))
        .collect();
    subject.put_all(F, &pairs);
    subject.store.flush().expect("flush");
    let payload: usize = pairs
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();

    let about = |range: &KeyRange| subject.store.approximate_bytes(F, range) as usize;
    let whole = about(&KeyRange::all());
    assert!(
        (payload / 4..payload * 4).contains(&whole),
        "{whole} for {payload}"
    );
    let middle = 1_000_u64.to_be_bytes();
    for half in [KeyRange::between([], middle), KeyRange::starting_at(middle)] {
        let part = about(&half);
        assert!(
            (whole / 5..whole * 4 / 5).contains(&part),
            "{part} of {whole}: {half:?}"
        );
    }
    let nothing = about(&KeyRange::starting_at(*b"\xffbeyond every key"));
    assert!(
        nothing < whole / 10,
        "{nothing} of {whole} where nothing is"
    );
    assert_eq!(
        about(&KeyRange::between(*b"b", *b"a")),
        0,
        "an empty range takes nothing"
    );
    assert!(
        (subject
            .store
            .approximate_bytes(Family::Out, &KeyRange::all()) as usize)
            < whole / 10
    );
}

pub(super) fn metrics_count(open: Open) {
    let subject = Subject::open(open);
    let before = subject.store.metrics();
    let names: Vec<_> = before.families.iter().map(|family| family.name).collect();
    assert_eq!(
        names,
        FAMILIES.iter().map(|spec| spec.name).collect::<Vec<_>>()
    );
    assert_eq!(names.len(), FAMILY_COUNT);
    assert_eq!(before.snapshots, 0);

    for key in 0_u8..100 {
        subject.put(F, &[key], b"value");
    }
    for _ in 0..3 {
        subject.store.sync_log().expect("sync_log");
    }
    let held = [subject.snapshot(), subject.snapshot()];
    let during = subject.store.metrics();
    assert_eq!(during.batches - before.batches, 100);
    assert_eq!(during.log_syncs - before.log_syncs, 3);
    assert_eq!(during.snapshots, 2);
    let keys = during.families[F.index()].keys;
    assert!(
        (50..=200).contains(&keys),
        "{keys} keys instead of about 100"
    );
    assert_eq!(during.families[Family::Out.index()].keys, 0);

    drop(held);
    assert_eq!(subject.store.metrics().snapshots, 0);
}

/// Values of 500 bytes that no compression makes smaller, the same in every run.
struct IncompressibleBytes(u64);

impl Default for IncompressibleBytes {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Iterator for IncompressibleBytes {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut byte = || {
            // Xorshift64: good enough to have no pattern that a compressor finds.
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 32) as u8
        };
        Some((0..500).map(|_| byte()).collect())
    }
}
