//! Scans: order, ranges, directions and seeks.

use super::{
    BOTH, Bytes, Open, Pair, Subject, drain, expected, get, open_cursor, pair, scan, step,
};
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::range::{Direction, KeyRange};

const F: Family = Family::PropIndex;

/// Keys that are each other's prefixes and neighbours, with the extreme bytes among them; sorted.
fn awkward_pairs() -> Vec<Pair> {
    let keys: &[&[u8]] = &[
        b"",
        b"\0",
        b"\0\0",
        b"\0\xff",
        b"a",
        b"a\0",
        b"aa",
        b"ab",
        b"a\xff",
        b"a\xff\xff",
        b"b",
        b"\x7f",
        b"\x80",
        b"\xfe\xff",
        b"\xff",
        b"\xff\0",
        b"\xff\xff",
        b"\xff\xff\x01",
        b"\xff\xff\xff",
    ];
    keys.iter()
        .enumerate()
        .map(|(place, key)| pair(*key, [place as u8]))
        .collect()
}

/// Every range that such keys can bound, and a few between them.
fn awkward_ranges() -> Vec<KeyRange> {
    let mut edges: Vec<Bytes> = awkward_pairs().into_iter().map(|(key, _)| key).collect();
    edges.extend([
        b"\x01".to_vec(),
        b"a\x80".to_vec(),
        b"zz".to_vec(),
        b"\xff\xff\xff\xff".to_vec(),
    ]);
    let mut ranges = vec![KeyRange::all()];
    for edge in &edges {
        ranges.push(KeyRange::prefix(edge));
        ranges.push(KeyRange::starting_at(edge.clone()));
        ranges.extend(
            edges
                .iter()
                .map(|end| KeyRange::between(edge.clone(), end.clone())),
        );
    }
    ranges
}

/// Stores the pairs in an order that is not theirs, partly flushed, so that a scan must merge.
fn store_scattered(subject: &Subject, family: Family, pairs: &[Pair]) {
    for part in 0..3 {
        for (key, value) in pairs.iter().rev().skip(part).step_by(3) {
            subject.put(family, key, value);
        }
        if part < 2 {
            subject.store.flush().expect("flush");
        }
    }
}

pub(super) fn keys_come_in_byte_order(open: Open) {
    let subject = Subject::open(open);
    let pairs = awkward_pairs();
    let mut sorted = pairs.clone();
    sorted.sort();
    store_scattered(&subject, F, &pairs);
    assert_eq!(subject.all(F), sorted);
    let snapshot = subject.snapshot();
    sorted.reverse();
    assert_eq!(
        scan(&*snapshot, F, &KeyRange::all(), Direction::Backward),
        sorted
    );
}

pub(super) fn every_kind_of_range(open: Open) {
    let subject = Subject::open(open);
    let mut pairs = awkward_pairs();
    store_scattered(&subject, F, &pairs);
    pairs.sort();
    let snapshot = subject.snapshot();
    for range in awkward_ranges() {
        for direction in BOTH {
            let found = scan(&*snapshot, F, &range, direction);
            assert_eq!(
                found,
                expected(&pairs, &range, direction),
                "{range:?} {direction:?}"
            );
        }
    }
}

pub(super) fn prefixes_of_ff_bytes_have_an_end(open: Open) {
    let subject = Subject::open(open);
    store_scattered(&subject, F, &awkward_pairs());
    let snapshot = subject.snapshot();
    let cases: [(&[u8], &[&[u8]]); 4] = [
        (
            b"\xff\xff",
            &[b"\xff\xff", b"\xff\xff\x01", b"\xff\xff\xff"],
        ),
        (b"\xff\xff\xff", &[b"\xff\xff\xff"]),
        (b"a\xff", &[b"a\xff", b"a\xff\xff"]),
        (b"\xfe", &[b"\xfe\xff"]),
    ];
    for (prefix, keys) in cases {
        for direction in BOTH {
            let mut found: Vec<Bytes> = scan(&*snapshot, F, &KeyRange::prefix(prefix), direction)
                .into_iter()
                .map(|(key, _)| key)
                .collect();
            if direction == Direction::Backward {
                found.reverse();
            }
            assert_eq!(found, keys, "{prefix:?} {direction:?}");
        }
    }
}

pub(super) fn empty_ranges_hold_nothing(open: Open) {
    let subject = Subject::open(open);
    subject.put_all(F, &awkward_pairs());
    let snapshot = subject.snapshot();
    for (start, end) in [("b", "a"), ("a", "a"), ("", ""), ("a\0", "a")] {
        let range = KeyRange::between(start, end);
        for direction in BOTH {
            let mut cursor = open_cursor(&*snapshot, F, &range, direction);
            assert_eq!(step(&mut *cursor), None, "{range:?} {direction:?}");
            for key in ["", "a", "b", "\u{7f}"] {
                cursor.seek(key.as_bytes());
                assert_eq!(
                    step(&mut *cursor),
                    None,
                    "{range:?} {direction:?} from {key:?}"
                );
            }
        }
    }
}

pub(super) fn long_scans_are_complete(open: Open) {
    let subject = Subject::open(open);
    let pairs: Vec<Pair> = (0_u32..5_000)
        .map(|key| pair(key.to_be_bytes(), key.to_le_bytes()))
        .collect();
    subject.put_all(F, &pairs[2_500..]);
    subject.store.flush().expect("flush");
    subject.put_all(F, &pairs[..2_500]);
    let snapshot = subject.snapshot();
    let ranges = [
        KeyRange::all(),
        KeyRange::between(7_u32.to_be_bytes(), 4_990_u32.to_be_bytes()),
        KeyRange::prefix(&[0, 0, 3]),
    ];
    for range in ranges {
        for direction in BOTH {
            let found = scan(&*snapshot, F, &range, direction);
            assert!(
                found == expected(&pairs, &range, direction),
                "{range:?} {direction:?}"
            );
        }
    }
}

pub(super) fn deleted_keys_are_skipped(open: Open) {
    let subject = Subject::open(open);
    let mut pairs: Vec<Pair> = (0_u16..2_000)
        .map(|key| pair(key.to_be_bytes(), b""))
        .collect();
    subject.put_all(F, &pairs);
    subject.store.flush().expect("flush");
    let before = subject.snapshot();
    let stays = |key: &[u8]| key[1] % 128 == 5;
    let mut deletes = Batch::new();
    for (key, _) in pairs.iter().filter(|(key, _)| !stays(key)) {
        deletes.delete(F, key);
    }
    subject.append(&deletes);
    let after = subject.snapshot();
    for direction in BOTH {
        let found = scan(&*before, F, &KeyRange::all(), direction);
        assert!(
            found == expected(&pairs, &KeyRange::all(), direction),
            "{direction:?}"
        );
    }
    pairs.retain(|(key, _)| stays(key));
    for direction in BOTH {
        let found = scan(&*after, F, &KeyRange::all(), direction);
        assert_eq!(
            found,
            expected(&pairs, &KeyRange::all(), direction),
            "{direction:?}"
        );
    }
}

pub(super) fn seeks_go_anywhere_in_the_range(open: Open) {
    let subject = Subject::open(open);
    let pairs: Vec<Pair> = (0_u16..600)
        .map(|key| pair((key * 2).to_be_bytes(), b""))
        .collect();
    store_scattered(&subject, F, &pairs);
    let snapshot = subject.snapshot();
    for direction in BOTH {
        let range = KeyRange::between(100_u16.to_be_bytes(), 1_000_u16.to_be_bytes());
        let inside = expected(&pairs, &range, direction);
        let mut cursor = open_cursor(&*snapshot, F, &range, direction);
        // Present and missing keys, there and back, before the first step and after the end.
        for target in [500_u16, 501, 120, 980, 999, 980, 121, 100, 500, 500] {
            let target = target.to_be_bytes();
            cursor.seek(&target);
            let rest = || {
                inside.iter().filter(move |(key, _)| match direction {
                    Direction::Forward => key.as_slice() >= &target[..],
                    Direction::Backward => key.as_slice() <= &target[..],
                })
            };
            for wanted in rest().take(3) {
                assert_eq!(
                    step(&mut *cursor).as_ref(),
                    Some(wanted),
                    "{direction:?} {target:?}"
                );
            }
            cursor.seek(&target);
            assert_eq!(
                drain(&mut *cursor),
                rest().cloned().collect::<Vec<_>>(),
                "{direction:?}"
            );
        }
    }
}

pub(super) fn seeks_never_leave_the_range(open: Open) {
    let subject = Subject::open(open);
    let mut pairs = awkward_pairs();
    store_scattered(&subject, F, &pairs);
    pairs.sort();
    let snapshot = subject.snapshot();
    let targets: Vec<Bytes> = pairs.iter().map(|(key, _)| key.clone()).collect();
    for range in awkward_ranges() {
        for direction in BOTH {
            let inside = expected(&pairs, &range, direction);
            let mut cursor = open_cursor(&*snapshot, F, &range, direction);
            for target in &targets {
                let reached = inside.iter().find(|(key, _)| match direction {
                    Direction::Forward => key >= target,
                    Direction::Backward => key <= target,
                });
                cursor.seek(target);
                let found = step(&mut *cursor);
                assert_eq!(
                    found.as_ref(),
                    reached,
                    "{range:?} {direction:?} to {target:?}"
                );
            }
        }
    }
}

pub(super) fn scans_cross_short_and_long_keys_of_prefixed_families(open: Open) {
    // These families have a filter on the first eight bytes of a key, which must not hide a key
    // that is shorter, nor end a scan that leaves its first eight bytes.
    let subject = Subject::open(open);
    let family = Family::Out;
    let mut pairs: Vec<Pair> = Vec::new();
    for node in 0_u64..20 {
        let start = node.to_be_bytes();
        pairs.push(pair(&start[..], b"eight bytes"));
        pairs.push(pair(&start[..7], b"seven bytes, and seven only"));
        for rest in 0_u8..5 {
            pairs.push(pair([&start[..], &[rest]].concat(), [rest]));
        }
    }
    pairs.push(pair(b"", b"empty"));
    pairs.push(pair(b"\xff", b"short"));
    pairs.sort();
    pairs.dedup_by(|later, earlier| later.0 == earlier.0);
    store_scattered(&subject, family, &pairs);
    let snapshot = subject.snapshot();
    let three = 3_u64.to_be_bytes();
    let ranges = [
        KeyRange::all(),
        KeyRange::prefix(&three),
        KeyRange::prefix(&99_u64.to_be_bytes()),
        KeyRange::prefix(&three[..7]),
        KeyRange::prefix(b"\xff"),
        KeyRange::starting_at(three),
        KeyRange::between(three, 9_u64.to_be_bytes()),
        KeyRange::between(b"", 2_u64.to_be_bytes()),
    ];
    for range in ranges {
        for direction in BOTH {
            let found = scan(&*snapshot, family, &range, direction);
            assert_eq!(
                found,
                expected(&pairs, &range, direction),
                "{range:?} {direction:?}"
            );
        }
    }
    for (key, value) in &pairs {
        assert_eq!(
            get(&*snapshot, family, key).as_ref(),
            Some(value),
            "{key:?}"
        );
    }
}

pub(super) fn cursors_are_independent(open: Open) {
    let subject = Subject::open(open);
    let pairs: Vec<Pair> = (0_u8..100).map(|key| pair([key], [key])).collect();
    subject.put_all(F, &pairs);
    let snapshot = subject.snapshot();
    let mut up = open_cursor(&*snapshot, F, &KeyRange::all(), Direction::Forward);
    let mut down = open_cursor(&*snapshot, F, &KeyRange::all(), Direction::Backward);
    for place in 0_u8..100 {
        assert_eq!(step(&mut *up), Some(pair([place], [place])));
        assert_eq!(step(&mut *down), Some(pair([99 - place], [99 - place])));
    }
    assert_eq!((step(&mut *up), step(&mut *down)), (None, None));
}
