//! Sorted runs: written apart, then added to a family at once.

use super::{Open, Pair, Subject, get, pair, scan};
use crate::error::{Error, ErrorKind};
use crate::storage::family::Family;
use crate::storage::range::{Direction, KeyRange};
use crate::storage::store::Entry;

const F: Family = Family::Vectors;

fn numbered(keys: std::ops::Range<u32>, value: &[u8]) -> Vec<Pair> {
    keys.map(|key| pair(key.to_be_bytes(), value)).collect()
}

pub(super) fn an_ingested_run_is_read(open: Open) {
    let subject = Subject::open(open);
    let mut pairs = vec![pair(b"", b"empty key")];
    pairs.extend(numbered(0..1_000, b"value"));
    pairs.push(pair(b"\xff\xff", b""));
    let path = subject.run_path("run");
    let mut run = subject.store.new_run(F, &path).expect("new_run");
    for (key, value) in &pairs {
        run.put(key, value).expect("put");
    }
    let bytes = run.finish().expect("finish");
    assert!(bytes > 0, "a run has a size");
    subject.store.ingest(F, &[path]).expect("ingest");
    assert!(subject.all(F) == pairs);
    assert_eq!(subject.get(F, b""), Some(b"empty key".to_vec()));
    assert_eq!(
        subject.get(F, &999_u32.to_be_bytes()),
        Some(b"value".to_vec())
    );
    for other in Family::all().filter(|family| *family != F) {
        assert_eq!(subject.all(other), [], "{}", other.name());
    }
    subject.store.verify_checksums().expect("sound");
}

pub(super) fn later_snapshots_alone_see_a_run(open: Open) {
    let subject = Subject::open(open);
    subject.put_all(F, &numbered(0..10, b"old"));
    let before = subject.snapshot();
    let path = subject.run(F, "run", &numbered(5..15, b"new"));
    subject.store.ingest(F, &[path]).expect("ingest");
    let found = scan(&*before, F, &KeyRange::all(), Direction::Forward);
    assert_eq!(found, numbered(0..10, b"old"));
    assert_eq!(get(&*before, F, &12_u32.to_be_bytes()), None);
    let after = [numbered(0..5, b"old"), numbered(5..15, b"new")].concat();
    assert_eq!(subject.all(F), after);
    subject.store.compact(F).expect("compact");
    let found = scan(&*before, F, &KeyRange::all(), Direction::Backward);
    assert_eq!(found.len(), 10, "the old snapshot still sees what it saw");
    assert_eq!(subject.all(F), after);
}

pub(super) fn a_run_overwrites_and_revives(open: Open) {
    let subject = Subject::open(open);
    subject.put_all(F, &numbered(0..6, b"flushed"));
    subject.store.flush().expect("flush");
    subject.put_all(F, &numbered(2..4, b"in memory"));
    subject.delete(F, &4_u32.to_be_bytes());
    let path = subject.run(F, "run", &numbered(1..6, b"run"));
    subject.store.ingest(F, &[path]).expect("ingest");
    let all = [numbered(0..1, b"flushed"), numbered(1..6, b"run")].concat();
    assert_eq!(subject.all(F), all);
}

pub(super) fn several_runs_at_once(open: Open) {
    let subject = Subject::open(open);
    // The runs lie apart but come in no order.
    let runs: Vec<_> = [20..30, 0..10, 10..15]
        .into_iter()
        .map(|keys| subject.run(F, &format!("run-{}", keys.start), &numbered(keys, b"v")))
        .collect();
    assert_eq!(subject.all(F), []);
    subject.store.ingest(F, &runs).expect("ingest");
    assert_eq!(
        subject.all(F),
        [numbered(0..15, b"v"), numbered(20..30, b"v")].concat()
    );
    // They stay where they are, so that they can be read after they were ingested.
    let mut keys = 0;
    let mut count = |_: Entry<'_>| {
        keys += 1;
        Ok(())
    };
    subject
        .store
        .read_run(F, &runs[0], &mut count)
        .expect("read_run");
    assert_eq!(keys, 10);
}

pub(super) fn keys_of_a_run_must_rise(open: Open) {
    let subject = Subject::open(open);
    let cases: [(&[&[u8]], u64); 5] = [
        (&[b"b", b"a"], 1),
        (&[b"a", b"a"], 1),
        (&[b"a", b"b", b"c", b"b\xff"], 3),
        (&[b"", b""], 1),
        (&[b"aa", b"a"], 1),
    ];
    for (place, (keys, wrong)) in cases.into_iter().enumerate() {
        let path = subject.run_path(&format!("run-{place}"));
        let mut run = subject.store.new_run(F, &path).expect("new_run");
        let (last, rising) = keys.split_last().expect("keys");
        for key in rising {
            run.put(key, b"").expect("a rising key");
        }
        match run.put(last, b"") {
            Err(Error::BulkOrder { family, entry }) => {
                assert_eq!((family, entry), (F.name(), wrong), "{keys:?}");
            }
            other => panic!("{other:?} for {keys:?}"),
        }
    }
}

pub(super) fn an_unfinished_or_uningested_run_shows_nothing(open: Open) {
    let subject = Subject::open(open);
    let mut run = subject
        .store
        .new_run(F, &subject.run_path("dropped"))
        .expect("new_run");
    run.put(b"a", b"1").expect("put");
    drop(run);
    subject.run(F, "finished", &numbered(0..10, b"v"));
    assert_eq!(subject.all(F), []);
    assert_eq!(subject.get(F, b"a"), None);
}

pub(super) fn read_run_gives_the_pairs_and_passes_errors_on(open: Open) {
    let subject = Subject::open(open);
    let mut pairs = vec![pair(b"", b"")];
    pairs.extend(numbered(0..500, b"value"));
    let path = subject.run(F, "run", &pairs);
    let mut read: Vec<Pair> = Vec::new();
    let mut keep = |entry: Entry<'_>| {
        read.push(pair(entry.key, entry.value));
        Ok(())
    };
    subject
        .store
        .read_run(F, &path, &mut keep)
        .expect("read_run");
    assert!(read == pairs, "the pairs in their order");

    let mut visits = 0;
    let mut stop = |_: Entry<'_>| {
        visits += 1;
        if visits == 7 {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    };
    let stopped = subject.store.read_run(F, &path, &mut stop);
    assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
    assert_eq!(visits, 7, "an error ends the reading");
}

pub(super) fn a_run_that_is_not_there_is_an_error(open: Open) {
    let subject = Subject::open(open);
    let path = subject.run_path("nowhere");
    let read = subject
        .store
        .read_run(F, &path, &mut |_| Ok(()))
        .expect_err("no such run");
    assert_ne!(read.kind(), ErrorKind::Request, "{read}");
    let finished = subject.run(F, "finished", &numbered(0..10, b"v"));
    subject
        .store
        .ingest(F, &[finished, path])
        .expect_err("one of the runs is missing");
    assert_eq!(subject.all(F), [], "the runs come in at once or not at all");
}

pub(super) fn writes_after_a_run_win(open: Open) {
    let subject = Subject::open(open);
    let first = subject.run(F, "first", &numbered(0..10, b"first"));
    subject.store.ingest(F, &[first]).expect("ingest");
    subject.put(F, &3_u32.to_be_bytes(), b"put");
    subject.delete(F, &4_u32.to_be_bytes());
    let second = subject.run(F, "second", &numbered(8..9, b"second"));
    subject.store.ingest(F, &[second]).expect("ingest");
    let all = [
        numbered(0..3, b"first"),
        numbered(3..4, b"put"),
        numbered(5..8, b"first"),
        numbered(8..9, b"second"),
        numbered(9..10, b"first"),
    ];
    assert_eq!(subject.all(F), all.concat());
    subject.store.flush().expect("flush");
    assert_eq!(subject.all(F), all.concat());
}
