//! Searches, checks, merges and writes to a text index whose stored bytes were changed: an error, or an answer in
//! order, whatever they are.
//!
//! Input: edits of five bytes, a place among all stored values and what is put there; an edit to an odd place cuts
//! the value off there. Next: `engine/src/index/text/segment/view.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use stratigraph::index::text::{
    OwnerId, Query, SearchOptions, TextCache, TextIndex, TextReader, check, merge_some,
};
use stratigraph::keys::{KeyRead, KeyWriteTxn};
use stratigraph::storage::family::Family;
use stratigraph::{Analysis, Database, Read};

type Pairs = Vec<(Family, Vec<u8>, Vec<u8>)>;

/// A database with an index, and the index's pairs.
fn real() -> &'static (Database, TextIndex, Pairs) {
    static REAL: OnceLock<(Database, TextIndex, Pairs)> = OnceLock::new();
    REAL.get_or_init(|| {
        let db = Database::in_memory().expect("memory");
        let index = stratigraph::TextIndex::on_nodes("N", ["t"]);
        let index = index.analysis(Analysis::English).named("t");
        db.create_text_index(index).expect("a new one");
        for round in 0..3_u64 {
            let mut txn = db.write().expect("nobody else writes");
            for number in 0..200 {
                let text = format!(
                    "the graph of {} and {} trees",
                    number % 13,
                    (number + round) % 50
                );
                txn.create_node(["N"], [("t", text)]).expect("a node");
            }
            txn.commit().expect("memory");
        }
        let read = db.read().expect("open");
        let index = read
            .catalog()
            .text_index_named("t")
            .expect("declared")
            .index();
        let keys = db.key_read().expect("open");
        let mut pairs = Vec::new();
        for (family, range) in index.keys() {
            let mut scan = keys.scan(family, &range).expect("memory");
            while let Some(entry) = scan.next().expect("memory") {
                pairs.push((family, entry.key.to_vec(), entry.value.to_vec()));
            }
        }
        (db, index, pairs)
    })
}

fn ask(txn: &KeyWriteTxn, index: &TextIndex) {
    let cache = TextCache::new(1 << 20);
    let Ok(reader) = TextReader::open(txn, index, &cache) else {
        return;
    };
    for words in [
        "graph of trees",
        "+the \"graph of 3\" -7",
        "tr* 12",
        "\"and 7 trees\"",
    ] {
        if let Ok(found) = reader.search(&Query::parse(words), &SearchOptions::top(10)) {
            let hits = &found.hits;
            assert!(hits.len() <= 10);
            assert!(hits.is_sorted_by(|left, right| left.score >= right.score));
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let (db, index, pairs) = real();
    let mut txn = db.key_write().expect("nobody else writes");
    let mut values: Vec<Vec<u8>> = pairs.iter().map(|(_, _, value)| value.clone()).collect();
    for edit in data.chunks_exact(5) {
        let place = u32::from_le_bytes([edit[0], edit[1], edit[2], edit[3]]) as usize;
        let value = &mut values[place / 2 % pairs.len()];
        if value.is_empty() {
            continue;
        }
        let at = place / 2 / pairs.len() % value.len();
        match place % 2 {
            0 => value[at] = edit[4],
            _ => value.truncate(at),
        }
    }
    for ((family, key, before), value) in pairs.iter().zip(&values) {
        if value != before {
            txn.put(*family, key, value).expect("room");
        }
    }
    ask(&txn, index);
    check(&txn, index, |finding| drop(finding.to_string())).expect("memory");
    let _ = merge_some(&mut txn, index);
    ask(&txn, index);
    let mut writer = stratigraph::index::text::TextWriter::new(index.clone());
    writer.remove(OwnerId::new(u64::from(data.first().copied().unwrap_or(0))));
    let _ = writer.settle(&mut txn);
    ask(&txn, index);
});
