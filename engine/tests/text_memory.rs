//! What a search or a damaged record may take of memory. Alone in its process, since it asks how much that has.

#![cfg(target_os = "linux")]

use std::sync::{Mutex, MutexGuard, PoisonError};
use stratigraph::storage::family::Family;
use stratigraph::{Analysis, Database, NodeId, Read, TextIndex, TextSearch};

/// Held by whoever measures.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_texts<T: AsRef<str>>(analysis: Analysis, texts: &[T]) -> (Database, Vec<NodeId>) {
    let db = Database::in_memory().unwrap();
    db.create_text_index(
        TextIndex::on_any_node(["text"])
            .analysis(analysis)
            .named("texts"),
    )
    .unwrap();
    let mut txn = db.write().unwrap();
    let nodes = texts
        .iter()
        .map(|text| txn.create_node(["N"], [("text", text.as_ref())]).unwrap());
    let nodes = nodes.collect();
    txn.commit().unwrap();
    (db, nodes)
}

fn search(read: &impl Read, words: &str) {
    read.search_text("texts", &TextSearch::new(words, 10))
        .unwrap();
}

/// The most that this process has had in memory since the last call, in kilobytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    let peak = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    peak
}

/// Three bytes of a query must not cost four bytes for each document of a segment.
#[test]
fn many_prefixes_do_not_take_memory_by_the_gigabyte() {
    let _alone = alone();
    let texts = vec!["a"; 10_000];
    let (db, _) = with_texts(Analysis::Plain, &texts);
    let read = db.read().unwrap();
    search(&read, "a*");
    peak();
    let before = peak();
    search(&read, &"a* ".repeat(1000));
    let more = peak().saturating_sub(before);
    assert!(
        more < 20 << 10,
        "{more} KiB for a query of 3,000 bytes over 10,000 documents"
    );
}

/// Terms that share long beginnings are few bytes for many.
#[test]
fn bytes_from_disk_do_not_grow_three_thousand_times() {
    let _alone = alone();
    let (db, nodes) = with_texts(Analysis::Plain, &["alpha"]);
    let index = db
        .read()
        .unwrap()
        .catalog()
        .text_index_named("texts")
        .unwrap()
        .id;
    // document 0, length 1, 5,001 terms, of which the first is long and each other is the one before and one byte.
    let mut bytes = vec![1, 0, 1];
    let varint = |bytes: &mut Vec<u8>, mut number: usize| {
        while number >= 128 {
            bytes.push(number as u8 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
    };
    varint(&mut bytes, 5001);
    bytes.push(0);
    varint(&mut bytes, 30_000);
    bytes.extend([b'a'; 30_000]);
    for more in 0..5000 {
        varint(&mut bytes, 30_000 + more);
        bytes.extend([1, b'a']);
    }
    let stored = bytes.len();
    let mut key = index.get().to_be_bytes().to_vec();
    key.push(4);
    key.extend(nodes[0].get().to_be_bytes());
    let mut txn = db.key_write().unwrap();
    txn.put(Family::TextDocuments, &key, &bytes).unwrap();
    txn.commit().unwrap();
    peak();
    let before = peak();
    let mut txn = db.write().unwrap();
    txn.set_property(nodes[0], "text", "beta").unwrap();
    let _ = txn.commit();
    let more = peak().saturating_sub(before);
    assert!(more < 20 << 10, "{more} KiB for a record of {stored} bytes");
}
