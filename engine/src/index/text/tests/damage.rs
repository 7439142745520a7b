//! Bytes that are not what was written: an error, whatever they are, and never a panic.

use super::model::set;
use super::slow::index;
use crate::database::Database;
use crate::index::text::{
    Analysis, Query, SearchOptions, TextCache, TextFinding, TextReader, TextWriter, check,
};
use crate::keys::{KeyRead, KeyWriteTxn};
use crate::storage::family::Family;

fn written() -> (Database, crate::index::text::TextIndex) {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::English);
    for round in 0..3_u64 {
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        for owner in 0..200 {
            let body = format!(
                "the graph of {} and {} trees",
                owner % 13,
                (owner + round) % 50
            );
            set(
                &mut writer,
                owner * (round + 1),
                &("title".to_owned(), body),
            );
        }
        writer.settle(&mut txn).unwrap();
        txn.commit().unwrap();
    }
    (db, index)
}

fn pairs(
    txn: &KeyWriteTxn,
    index: &crate::index::text::TextIndex,
) -> Vec<(Family, Vec<u8>, Vec<u8>)> {
    let mut pairs = Vec::new();
    for (family, range) in index.keys() {
        let mut scan = txn.scan(family, &range).unwrap();
        while let Some(entry) = scan.next().unwrap() {
            pairs.push((family, entry.key.to_vec(), entry.value.to_vec()));
        }
    }
    pairs
}

#[test]
fn every_changed_byte_is_survived_and_the_check_notices_most() {
    let (db, index) = written();
    let mut txn = db.key_write().unwrap();
    let mut rng = fastrand::Rng::with_seed(11);
    let pairs = pairs(&txn, &index);
    let queries = ["graph of trees", "+the \"graph of 3\" -7", "tr* 12"].map(Query::parse);
    let (mut noticed, rounds) = (0_u32, 300);
    for round in 0..rounds {
        let (family, key, value) = &pairs[rng.usize(..pairs.len())];
        let mut changed = value.clone();
        let place = rng.usize(..changed.len());
        match rng.u8(0..3) {
            0 => changed[place] ^= 1 << rng.u8(0..8),
            1 => changed.truncate(place),
            _ => changed[place] = rng.u8(..),
        }
        txn.put(*family, key, &changed).unwrap();
        let cache = TextCache::default();
        let mut findings = 0;
        check(&txn, &index, |_| findings += 1).unwrap();
        noticed += u32::from(findings > 0 || changed == *value);
        for query in &queries {
            let search = TextReader::open(&txn, &index, &cache);
            if let Ok(search) = search {
                let _ = search.search(query, &SearchOptions::top(10));
            }
        }
        let mut writer = TextWriter::new(index.clone());
        set(
            &mut writer,
            round % 50,
            &(String::new(), "another text".to_owned()),
        );
        let savepoint = txn.savepoint();
        let _ = writer.settle(&mut txn);
        txn.rollback_to(savepoint).unwrap();
        txn.put(*family, key, value).unwrap();
    }
    // What it cannot notice: prints, sizes, and impacts that are too high.
    assert!(noticed * 10 > rounds as u32 * 7, "{noticed} of {rounds}");
}

#[test]
fn a_check_tells_what_is_wrong() {
    let (db, index) = written();
    let told = |change: &dyn Fn(&mut KeyWriteTxn)| {
        let mut txn = db.key_write().unwrap();
        change(&mut txn);
        let mut told = Vec::new();
        check(&txn, &index, |finding| told.push(finding)).unwrap();
        told
    };
    assert!(told(&|_| {}).is_empty());
    let document = |owner: u64| [&[0, 0, 0, 7, 4][..], &owner.to_be_bytes()].concat();
    let findings = told(&|txn| txn.delete(Family::TextDocuments, &document(5)).unwrap());
    assert!(matches!(
        findings.as_slice(),
        [TextFinding::Document {
            what: "is live and its owner does not know it",
            ..
        }]
    ));
    let findings = told(&|txn| {
        let other = txn
            .get(Family::TextDocuments, &document(6))
            .unwrap()
            .unwrap();
        txn.put(Family::TextDocuments, &document(5), &other)
            .unwrap();
    });
    assert!(findings.len() >= 2, "{findings:?}");
    let findings = told(&|txn| {
        txn.put(
            Family::Postings,
            &[0, 0, 0, 7, 0, 0, 0, 99, 0, 0, 0, 0, 0],
            b"x",
        )
        .unwrap();
    });
    assert!(matches!(
        findings.as_slice(),
        [TextFinding::Leftover { count: 1, .. }]
    ));
}
