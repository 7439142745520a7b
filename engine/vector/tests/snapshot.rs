//! An index written as bytes and read again, whole, by parts, and from bytes that somebody has changed.

use fastrand::Rng;
use roaring::RoaringBitmap;
use std::io::Cursor;
use stratigraph_vector::{
    Answer, Coding, Effort, Index, IndexError, Loading, Metric, Query, Settings,
};

const DIMENSIONS: usize = 24;
/// Nobody searches at an earlier sequence.
const OLDEST: u64 = 36;
const TAG: &[u8] = b"the index of these tests";

fn settings(coding: Coding) -> Settings {
    Settings::new(DIMENSIONS, Metric::Cosine)
        .coding(coding)
        .memory_limit(64 << 20)
        .seed(5)
}

fn vector(random: &mut Rng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

/// An index with a graph, with some that have died, some that were taken out, and some that are fresh.
fn index(coding: Coding, random: &mut Rng) -> Index {
    let index = settings(coding).build().unwrap();
    for id in 0..2500 {
        index.insert(1 + id / 100, id, &vector(random)).unwrap();
    }
    index.tend(0);
    for id in 0..400 {
        index.remove(30 + id / 50, id * 3).unwrap();
    }
    index.tend(OLDEST);
    for id in 5000..5040 {
        index.insert(60, id, &vector(random)).unwrap();
    }
    index.calibrate().unwrap();
    index
}

fn saved(index: &Index) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.save(TAG, &mut bytes).unwrap();
    bytes
}

fn load(coding: Coding, bytes: &[u8]) -> Result<Index, IndexError> {
    Index::load(settings(coding), TAG, &mut Cursor::new(bytes))
}

/// What many different searches find, none of them before the sequence `oldest`.
fn answers(index: &Index, oldest: u64) -> Vec<Answer> {
    let mut random = Rng::with_seed(99);
    let mut answers = Vec::new();
    for round in 0..60 {
        let vector = vector(&mut random);
        let within: RoaringBitmap = (0..2600).filter(|_| random.u8(..) < 200).collect();
        let mut query = Query::new(&vector, 1 + round % 20);
        query = query.effort(match round % 4 {
            0 => Effort::Exact,
            1 => Effort::Scan,
            2 => Effort::Breadth(50),
            _ => Effort::Recall(0.9),
        });
        if round % 3 == 0 {
            query = query.within(&within);
        }
        if round % 5 == 0 {
            query = query.at(random.u64(oldest..=oldest + 30));
        }
        answers.push(index.search(&query).unwrap());
    }
    answers
}

#[test]
fn what_is_read_answers_and_goes_on_as_what_was_written() {
    for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
        let mut random = Rng::with_seed(1);
        let first = index(coding, &mut random);
        let bytes = saved(&first);
        let second = load(coding, &bytes).unwrap();
        assert_eq!(
            answers(&second, OLDEST),
            answers(&first, OLDEST),
            "{coding:?}"
        );
        assert_eq!(
            (second.len(), second.latest()),
            (first.len(), first.latest())
        );
        assert_eq!(saved(&second), bytes, "{coding:?}: written again");
        // Both go the same way from there.
        for index in [&first, &second] {
            let mut random = Rng::with_seed(2);
            for id in 0..600 {
                index.insert(70, id, &vector(&mut random)).unwrap();
            }
            index.tend(70);
            index.tend(70);
        }
        assert_eq!(
            answers(&second, 70),
            answers(&first, 70),
            "{coding:?}: later"
        );
    }
}

#[test]
fn an_empty_index_is_one_too() {
    let index = settings(Coding::Halves).build().unwrap();
    let again = load(Coding::Halves, &saved(&index)).unwrap();
    assert!(again.is_empty());
    again.insert(1, 1, &[1.0; DIMENSIONS]).unwrap();
    assert_eq!(
        again
            .search(&Query::new(&[1.0; DIMENSIONS], 3))
            .unwrap()
            .hits
            .len(),
        1
    );
}

#[test]
fn only_parts_that_have_changed_need_to_be_written_again() {
    let mut random = Rng::with_seed(3);
    let index = index(Coding::Bytes, &mut random);
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut head = Vec::new();
    let mut keep = |keeps: bool| {
        let mut snapshot = index.snapshot(TAG);
        kept.resize(snapshot.parts() as usize, Vec::new());
        let mut written = 0;
        for part in 0..snapshot.parts() {
            if snapshot.is_changed(part) {
                snapshot.part(part, &mut kept[part as usize]).unwrap();
                written += 1;
            }
        }
        snapshot.head(&mut head).unwrap();
        if keeps {
            snapshot.done();
        }
        let mut loading = Loading::new(settings(Coding::Bytes), TAG, &head).unwrap();
        for (part, bytes) in (0..).zip(&kept) {
            loading.part(part, bytes).unwrap();
        }
        (written, kept.len(), answers(&loading.finish().unwrap(), 71))
    };
    let (written, all, found) = keep(true);
    assert_eq!(written, all);
    for (at, (found, known)) in found.iter().zip(answers(&index, 71)).enumerate() {
        assert_eq!(*found, known, "{at}");
    }
    assert_eq!(keep(true).0, 0, "nothing has changed");
    index.remove(70, 1).unwrap();
    assert_eq!(keep(false).0, 1, "one has died");
    assert_eq!(keep(true).0, 1, "the last one was not kept");
    assert_eq!(keep(true).0, 0);
    for id in 7000..7300 {
        index.insert(71, id, &vector(&mut random)).unwrap();
    }
    index.tend(71);
    let (written, all, found) = keep(true);
    assert!(written > all / 2, "links have changed everywhere");
    for (at, (found, known)) in found.iter().zip(answers(&index, 71)).enumerate() {
        assert_eq!(*found, known, "{at}");
    }
}

#[test]
fn a_head_is_refused_while_a_part_that_has_changed_is_not_written() {
    let index = settings(Coding::Bytes).build().unwrap();
    index.insert(1, 1, &[1.0; DIMENSIONS]).unwrap();
    let mut snapshot = index.snapshot(TAG);
    let error = snapshot.head(&mut Vec::new()).unwrap_err();
    assert_eq!(error, IndexError::PartMissing { part: 0 });
}

#[test]
fn a_part_of_an_earlier_snapshot_is_refused() {
    let index = settings(Coding::Bytes).build().unwrap();
    index.insert(1, 1, &[1.0; DIMENSIONS]).unwrap();
    index.insert(1, 2, &[1.0; DIMENSIONS]).unwrap();
    let mut head = Vec::new();
    let mut keep = || {
        let mut part = Vec::new();
        let mut snapshot = index.snapshot(TAG);
        snapshot.part(0, &mut part).unwrap();
        snapshot.head(&mut head).unwrap();
        part
    };
    let earlier = keep();
    index.remove(2, 1).unwrap();
    let later = keep();
    let mut loading = Loading::new(settings(Coding::Bytes), TAG, &head).unwrap();
    let error = loading.part(0, &earlier).unwrap_err();
    assert!(matches!(error, IndexError::Damaged { .. }), "{error}");
    loading.part(0, &later).unwrap();
    assert_eq!(loading.finish().unwrap().len(), 1);
}

#[test]
fn another_index_is_refused() {
    let bytes = saved(&index(Coding::Bytes, &mut Rng::with_seed(4)));
    let base = || settings(Coding::Bytes);
    let wrong = [
        ("coding", base().coding(Coding::Halves)),
        ("links", base().links(40)),
        (
            "dimensions",
            Settings::new(25, Metric::Cosine)
                .coding(Coding::Bytes)
                .memory_limit(1 << 20),
        ),
        (
            "metric",
            Settings::new(DIMENSIONS, Metric::Dot)
                .coding(Coding::Bytes)
                .memory_limit(1 << 20),
        ),
    ];
    for (what, settings) in wrong {
        let error = Index::load(settings, TAG, &mut Cursor::new(&bytes)).unwrap_err();
        assert_eq!(error, IndexError::OtherIndex { what });
    }
    let error = Index::load(base(), b"another", &mut Cursor::new(&bytes)).unwrap_err();
    assert_eq!(error, IndexError::OtherIndex { what: "tag" });
    let small = base().memory_limit(100 << 10);
    let error = Index::load(small, TAG, &mut Cursor::new(&bytes)).unwrap_err();
    assert!(matches!(error, IndexError::Full { .. }), "{error}");
}

#[test]
fn bytes_that_were_changed_by_chance_are_refused() {
    let bytes = saved(&index(Coding::Halves, &mut Rng::with_seed(6)));
    let mut random = Rng::with_seed(7);
    for _ in 0..300 {
        let mut bad = bytes.clone();
        match random.u8(..3) {
            0 => bad.truncate(random.usize(..bytes.len())),
            1 => {
                let at = random.usize(..=bytes.len());
                bad.insert(at, random.u8(..));
            }
            _ => {
                let at = random.usize(..bytes.len());
                bad[at] ^= 1 << random.u8(..8);
            }
        }
        assert!(load(Coding::Halves, &bad).is_err());
    }
}

/// Changes bytes as one who knows the format, and mends all checksums.
fn forge(bytes: &[u8], parts: &[usize], random: &mut Rng) -> Vec<u8> {
    let mut bad = bytes.to_vec();
    let end = bad.len();
    let head = head_of(&bad);
    for _ in 0..random.usize(1..4) {
        let in_head = random.bool();
        let at = if in_head {
            random.usize(head + 20..end - 8)
        } else {
            random.usize(..head)
        };
        match random.u8(..4) {
            0 => bad[at] = random.u8(..),
            1 => bad[at] ^= 1 << random.u8(..8),
            2 => bad[at..(at + 4).min(end - 8)].fill(0xff),
            _ => bad[at..(at + 8).min(end - 8)].fill(random.u8(..3)),
        }
    }
    mend_checksums(&mut bad, parts);
    bad
}

/// Where the head begins: the last number says so.
fn head_of(bytes: &[u8]) -> usize {
    u64::from_le_bytes(*bytes.last_chunk::<8>().unwrap()) as usize
}

fn mend_checksums(bytes: &mut [u8], parts: &[usize]) {
    let seal = |bytes: &mut [u8]| {
        let (body, checksum) = bytes.split_last_chunk_mut::<8>().unwrap();
        let sum = xxhash_rust::xxh3::xxh3_64(body);
        *checksum = sum.to_le_bytes();
        sum
    };
    let (head, end) = (head_of(bytes), bytes.len());
    let mut start = 0;
    for (part, length) in parts.iter().enumerate() {
        let sum = seal(&mut bytes[start..start + length]);
        start += length;
        let place = end - 16 - 8 * (parts.len() - part);
        bytes[place..place + 8].copy_from_slice(&sum.to_le_bytes());
    }
    seal(&mut bytes[head..end - 8]);
}

#[test]
fn one_id_in_two_slots_is_refused() {
    let (one, other) = (0x1111_1111_1111_1111_u64, 0x2222_2222_2222_2222_u64);
    let index = settings(Coding::Bytes).build().unwrap();
    for id in [one, other] {
        index.insert(1, id, &[1.0; DIMENSIONS]).unwrap();
    }
    let mut bytes = saved(&index);
    load(Coding::Bytes, &bytes).unwrap();
    let head = head_of(&bytes);
    let at = bytes[..head]
        .windows(8)
        .position(|found| found == other.to_le_bytes())
        .unwrap();
    bytes[at..at + 8].copy_from_slice(&one.to_le_bytes());
    mend_checksums(&mut bytes, &[head]);
    let error = load(Coding::Bytes, &bytes).unwrap_err();
    assert!(matches!(error, IndexError::Damaged { .. }), "{error}");
}

#[test]
fn bytes_that_were_forged_do_no_harm() {
    let rounds = if cfg!(debug_assertions) { 400 } else { 4000 };
    for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
        let index = index(coding, &mut Rng::with_seed(8));
        let bytes = saved(&index);
        let mut snapshot = index.snapshot(TAG);
        let mut part = Vec::new();
        let parts: Vec<usize> = (0..snapshot.parts())
            .map(|number| {
                snapshot.part(number, &mut part).unwrap();
                part.len()
            })
            .collect();
        drop(snapshot);
        let mut random = Rng::with_seed(9);
        let mut accepted = 0;
        for _ in 0..rounds {
            let bad = forge(&bytes, &parts, &mut random);
            if let Ok(index) = load(coding, &bad) {
                accepted += 1;
                let query = vector(&mut random);
                for effort in [Effort::Breadth(30), Effort::Scan, Effort::Exact] {
                    let answer = index
                        .search(&Query::new(&query, 10).effort(effort))
                        .unwrap();
                    assert!(answer.hits.len() <= 10);
                    assert!(answer.hits.iter().all(|hit| hit.score.is_finite()));
                }
            }
        }
        assert!(
            accepted > 0 && accepted < rounds,
            "{coding:?}: {accepted} of {rounds}"
        );
    }
}
