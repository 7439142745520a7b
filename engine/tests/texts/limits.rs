//! Long texts and large transactions: what is written is never refused for its terms, and can be read.

use super::*;

/// 4,096 texts are one transaction, however long they are.
#[test]
fn long_texts_can_be_indexed_after_they_were_written() {
    let db = Database::builder()
        .transaction_bytes(4 << 20)
        .in_memory()
        .unwrap();
    for from in 0..30 {
        let mut txn = db.write().unwrap();
        for number in 0..100 {
            let text = words((from * 100 + number) * 200, 200);
            txn.create_node(["N"], [("text", text.as_str())]).unwrap();
        }
        txn.commit().unwrap();
    }
    db.create_text_index(texts_by(Analysis::Plain)).unwrap();
}

/// `commit` says that only levels of hierarchies can be too many at the last moment.
#[test]
fn what_a_transaction_took_it_can_commit() {
    let db = Database::builder()
        .transaction_bytes(1 << 20)
        .in_memory()
        .unwrap();
    db.create_text_index(texts_by(Analysis::Plain)).unwrap();
    let mut txn = db.write().unwrap();
    let text = words(0, 28_000);
    txn.create_node(["N"], [("text", text.as_str())]).unwrap();
    txn.commit().unwrap();
}

#[test]
fn a_search_is_not_refused_for_the_size_of_the_transaction() {
    let db = Database::builder()
        .transaction_bytes(1 << 20)
        .in_memory()
        .unwrap();
    db.create_text_index(texts_by(Analysis::Plain)).unwrap();
    let mut txn = db.write().unwrap();
    let text = words(0, 28_000);
    txn.create_node(["N"], [("text", text.as_str())]).unwrap();
    txn.search_text("texts", &TextSearch::new("word0000001", 1))
        .unwrap();
}

/// `should_merge` and `merge_some` have different limits.
#[test]
fn tending_ends() {
    let db = Database::builder()
        .transaction_bytes(4 << 20)
        .in_memory()
        .unwrap();
    db.create_text_index(texts_by(Analysis::Plain)).unwrap();
    for number in 0..8 {
        let mut txn = db.write().unwrap();
        let text = words(number * 12_000, 12_000);
        txn.create_node(["N"], [("text", text.as_str())]).unwrap();
        txn.commit().unwrap();
    }
    let token = CancelToken::new();
    let mut steps = 0;
    let stop = token.clone();
    let mut report = |_: Progress<'_>| {
        steps += 1;
        if steps > 200 {
            stop.cancel();
        }
    };
    let tended = db.tend_text_index("texts", &mut Watch::new(&mut report, token));
    assert!(tended.is_ok(), "after {steps} steps: {tended:?}");
}

/// `analysis` says that what lies beyond 1,048,576 positions is not indexed.
#[test]
fn a_code_of_very_many_parts_keeps_to_the_limit_of_positions() {
    let text = format!("gnu {}zebra", "a/".repeat((1 << 20) + 100));
    let (db, _) = with_texts(Analysis::Plain, &[text]);
    let read = db.read().unwrap();
    for (word, times) in [("gnu", 1), ("a", 1), ("zebra", 0)] {
        assert_eq!(found(&read, "texts", word).len(), times, "{word}");
    }
}

/// So a frequency can have more bits than a block may have, and the index can no longer be read.
#[test]
fn what_is_written_can_be_read() {
    let db = Database::in_memory().unwrap();
    let index = TextIndex::on_any_node(["other"]).weighted("one", 64.0);
    let index = index.weighted("two", 64.0).weighted("light", 0.25);
    db.create_text_index(index.analysis(Analysis::Plain).named("texts"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let text = "a/".repeat((1 << 22) + 100);
    let texts = [("one", text.as_str()), ("two", text.as_str())];
    txn.create_node(["N"], texts).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let answer = read.search_text("texts", &TextSearch::new("a", 1));
    assert!(answer.is_ok(), "{:?}", answer.err());
}
