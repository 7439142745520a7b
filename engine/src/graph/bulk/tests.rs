//! The sorters beside the standard library's sort, and what is put aside against garbling.

use super::adjacency::AdjacencySorter;
use super::pairs::PairSorter;
use super::scratch::{Scratch, ScratchWriter};
use super::sets::{LabelReader, SetWriter};
use crate::Database;
use crate::catalog::{LabelId, NameId, TypeId};
use crate::error::Error;
use crate::keys::{KeyBulkLoad, Workspace};
use crate::value::NodeId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A test in memory and on disk.
fn on_both(test: impl Fn(&Arc<Workspace>)) {
    let folder = tempfile::tempdir().unwrap();
    let builder = Database::builder().create_if_missing(true);
    for db in [
        Database::in_memory().unwrap(),
        builder.open(folder.path().join("db")).unwrap(),
    ] {
        let load: KeyBulkLoad = db.key_bulk_load().unwrap();
        test(load.space());
    }
}

#[test]
fn pairs_come_back_sorted_whatever_was_put_aside() {
    on_both(|space| {
        for (seed, beside) in [(1, false), (2, true), (3, true)] {
            println!("seed {seed}");
            let mut random = fastrand::Rng::with_seed(seed);
            let mut expected = Vec::new();
            let mut sorter = PairSorter::new(space, 4 << 10, beside);
            for _ in 0..5000 {
                let bytes = |random: &mut fastrand::Rng, most| {
                    let length = random.usize(..most);
                    std::iter::repeat_with(|| random.u8(..3))
                        .take(length)
                        .collect::<Vec<u8>>()
                };
                let pair = (bytes(&mut random, 9), bytes(&mut random, 40));
                sorter.push(&pair.0, &pair.1).unwrap();
                expected.push(pair);
            }
            expected.sort();
            assert_eq!(sorter.count(), 5000);
            let sorted = sorter.sorted().unwrap();
            let mut merged = sorted.merge().unwrap();
            for pair in &expected {
                let found = merged.next().unwrap();
                assert_eq!(found, Some((pair.0.as_slice(), pair.1.as_slice())));
            }
            assert!(merged.next().unwrap().is_none());
        }
    });
}

#[test]
fn relationships_come_back_in_groups_whose_size_is_known_first() {
    on_both(|space| {
        for (seed, nodes) in [(1, 3), (2, 50), (3, 100_000)] {
            println!("seed {seed}");
            let mut random = fastrand::Rng::with_seed(seed);
            let mut expected = [BTreeMap::new(), BTreeMap::new()];
            let mut sorter = AdjacencySorter::new(space, 8 << 10, seed % 2 == 0);
            for relationship in 0..20_000 {
                let (source, target) = (random.u64(..nodes), random.u64(..nodes));
                let of = TypeId::from_number(random.u32(..3));
                sorter
                    .push(NodeId::new(source), of, NodeId::new(target), relationship)
                    .unwrap();
                for (side, near, far) in [(0, source, target), (1, target, source)] {
                    let group: &mut Vec<_> = expected[side].entry((near, of)).or_default();
                    group.push((far, relationship));
                }
            }
            for (mut side, expected) in sorter.into_sides().unwrap().into_iter().zip(expected) {
                side.sort();
                let mut merged = side.merge().unwrap();
                for ((near, of), mut members) in expected {
                    members.sort_unstable();
                    let (group, count) = merged.next_group().unwrap().unwrap();
                    assert_eq!((group.near.get(), group.relationship_type), (near, of));
                    assert_eq!(count, members.len() as u64);
                    for member in members {
                        assert_eq!(merged.next_member().unwrap(), Some(member));
                    }
                    assert_eq!(merged.next_member().unwrap(), None);
                }
                assert!(merged.next_group().unwrap().is_none());
            }
        }
    });
}

#[test]
fn the_log_tells_the_labels_of_every_node() {
    on_both(|space| {
        let mut random = fastrand::Rng::with_seed(9);
        let mut sorter = PairSorter::new(space, 4 << 10, false);
        let mut sets = SetWriter::of_labels(ScratchWriter::create(space).unwrap());
        let mut expected = Vec::new();
        let mut node = 70_000;
        for _ in 0..3000 {
            node += random.u64(1..200);
            let labels: Vec<u32> = (0..5).filter(|_| random.u8(..3) == 0).collect();
            for label in &labels {
                sets.add(*label, node, &mut sorter).unwrap();
            }
            expected.push((node, labels));
        }
        let mut counts = [0; 5];
        let log = sets
            .finish(&mut sorter, |label, count| counts[label as usize] = count)
            .unwrap();
        for (label, count) in (0..).zip(counts) {
            let have = expected
                .iter()
                .filter(|(_, labels)| labels.contains(&label));
            assert_eq!(have.count() as u64, count);
        }
        let log = log.unwrap();
        let mut reader = LabelReader::new(&log).unwrap();
        assert_eq!(reader.labels_of(NodeId::new(5)).unwrap(), []);
        for (node, labels) in expected {
            let mut found = reader.labels_of(NodeId::new(node)).unwrap().to_vec();
            found.sort_unstable();
            let labels: Vec<LabelId> = labels.into_iter().map(LabelId::from_number).collect();
            assert_eq!(found, labels, "node {node}");
            // Asked again it says the same.
            assert_eq!(
                reader.labels_of(NodeId::new(node)).unwrap().len(),
                labels.len()
            );
        }
        assert_eq!(reader.labels_of(NodeId::new(1 << 40)).unwrap(), []);
    });
}

#[test]
fn what_was_put_aside_is_checked_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Database::builder().create_if_missing(true);
    let db = builder.open(folder.path().join("db")).unwrap();
    let load = db.key_bulk_load().unwrap();
    let write = || {
        let mut writer = ScratchWriter::create(load.space()).unwrap();
        for number in 0..100_000_u32 {
            writer
                .record(|block| block.extend_from_slice(&number.to_le_bytes()))
                .unwrap();
        }
        writer.finish().unwrap()
    };
    let read = |scratch: &Scratch| {
        let mut reader = scratch.read()?;
        let mut count = 0;
        while reader.more()? {
            assert_eq!(reader.u32()?, count);
            count += 1;
        }
        Ok::<_, Error>(count)
    };
    assert_eq!(read(&write()).unwrap(), 100_000);
    for at in [0, 5, 9, 300_000, 399_999] {
        let scratch = write();
        let path = scratch.path().unwrap();
        let mut bytes = std::fs::read(path).unwrap();
        bytes[at] ^= 1;
        std::fs::write(path, &bytes).unwrap();
        let error = read(&scratch).unwrap_err();
        assert!(matches!(error, Error::Corruption { .. }), "{at}: {error}");
        bytes.truncate(at);
        std::fs::write(path, &bytes).unwrap();
        assert!(at == 0 || read(&scratch).is_err(), "{at}");
    }
    let scratch = write();
    let path = scratch.path().unwrap().to_path_buf();
    drop(scratch);
    assert!(!path.exists());
}
