//! What is kept holds, and what may not hold is not kept.

use super::*;
use crate::database::Database;
use crate::graph::Read;
use crate::storage::cancel::Watch;
use crate::value::Value;
use crate::{Index, NodeId};

/// A thousand nodes of one year and ten of another.
fn database() -> (Database, Vec<NodeId>) {
    let db = Database::in_memory().unwrap();
    let by_year = Index::on_nodes("Chunk", ["year"]).named("by_year");
    db.create_index(by_year).unwrap();
    let mut txn = db.write().unwrap();
    let years = std::iter::repeat_n(2023, 1000).chain(std::iter::repeat_n(2024, 10));
    let nodes = years.map(|year| txn.create_node(["Chunk"], [("year", year)]).unwrap());
    let nodes = nodes.collect();
    txn.commit().unwrap();
    (db, nodes)
}

fn of_year(read: &impl Read, year: i64) -> u64 {
    let ids = read.ids_with("by_year", &year.into(), u64::MAX).unwrap();
    let ids = ids.unwrap();
    let looked_up = read.index("by_year").unwrap();
    let looked_up = looked_up.equal(&[year.into()]).unwrap();
    let looked_up: RoaringTreemap = looked_up.map(|id| id.unwrap().number()).collect();
    assert_eq!(*ids, looked_up);
    ids.len()
}

#[test]
fn a_set_that_was_read_is_kept_until_it_changes() {
    let (db, nodes) = database();
    let kept = || db.info().value_set_bytes > 0;
    let before = db.read().unwrap();
    assert!(!kept());
    assert_eq!(of_year(&before, 2023), 1000);
    assert!(kept());
    let one = before.ids_with("by_year", &2023.into(), 5000).unwrap();
    let other = before.ids_with("by_year", &2023.into(), 1000).unwrap();
    assert!(Arc::ptr_eq(&one.unwrap(), &other.unwrap()), "read twice");

    // Another year changes, and something that is in no index.
    let mut txn = db.write().unwrap();
    txn.create_node(["Chunk"], [("year", 2024)]).unwrap();
    txn.set_property(nodes[0], "other", 7).unwrap();
    txn.commit().unwrap();
    assert!(kept());
    assert_eq!(of_year(&db.read().unwrap(), 2023), 1000);

    let mut txn = db.write().unwrap();
    txn.set_property(nodes[0], "year", 2024).unwrap();
    assert_eq!(of_year(&txn, 2023), 999, "its own change is missing");
    assert_eq!(of_year(&before, 2023), 1000);
    txn.commit().unwrap();
    assert!(!kept());
    assert_eq!(of_year(&db.read().unwrap(), 2023), 999);
    // Who began before reads what was before, and what he reads is for nobody else.
    assert_eq!(of_year(&before, 2023), 1000);
    assert_eq!(of_year(&db.read().unwrap(), 2023), 999);
    assert_eq!(of_year(&before, 2023), 1000);
}

#[test]
fn what_was_read_before_the_last_change_is_not_kept() {
    let (db, nodes) = database();
    let before = db.read().unwrap();
    let mut txn = db.write().unwrap();
    txn.set_property(nodes[0], "year", 2024).unwrap();
    txn.commit().unwrap();
    assert_eq!(of_year(&before, 2023), 1000);
    assert_eq!(db.info().value_set_bytes, 0);
    assert_eq!(of_year(&db.read().unwrap(), 2023), 999);
    // Nor is it found by who reads an earlier commit.
    assert!(db.info().value_set_bytes > 0);
    assert_eq!(of_year(&before, 2023), 1000);
}

#[test]
fn more_than_are_wanted_is_no_set() {
    let (db, nodes) = database();
    let read = db.read().unwrap();
    let with = |most| read.ids_with("by_year", &2023.into(), most).unwrap();
    assert!(with(999).is_none());
    // Nobody counts them again to say so, and who wants more of them has them read.
    assert!(with(500).is_none());
    assert_eq!(with(1000).unwrap().len(), 1000);
    assert!(with(999).is_none());
    let mut txn = db.write().unwrap();
    txn.delete_node(nodes[0]).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let with = |most| read.ids_with("by_year", &2023.into(), most).unwrap();
    assert_eq!(with(999).unwrap().len(), 999);
    for nothing in [Value::Null, Value::from(f64::NAN), Value::from(1999)] {
        let none = read.ids_with("by_year", &nothing, 10).unwrap();
        assert!(none.unwrap().is_empty(), "{nothing}");
    }
}

#[test]
fn what_a_load_brings_is_seen() {
    let (db, _) = database();
    assert_eq!(of_year(&db.read().unwrap(), 2023), 1000);
    let mut load = db.bulk_load().unwrap();
    load.add_node(["Chunk"], [("year", 2023)]).unwrap();
    load.finish(&mut Watch::quiet()).unwrap();
    assert_eq!(of_year(&db.read().unwrap(), 2023), 1001);
}

#[test]
fn nothing_is_kept_while_entries_change_and_the_oldest_goes() {
    let sets = ValueSets::default();
    let set = |count: u64| ValueSet::All(Arc::new((0..count).collect()));
    let ask = |prefix: &[u8], commit: u64, count: u64| {
        let commit = CommitSeq::new(commit);
        let found = sets.find(prefix, commit, u64::MAX, || Ok(set(count)));
        found.unwrap().unwrap().len()
    };
    let changing = sets.change(|_| false);
    assert_eq!(ask(b"a", 5, 1000), 1000);
    assert_eq!(sets.bytes(), 0);
    changing.at(CommitSeq::new(6));
    assert_eq!(ask(b"a", 5, 1000), 1000);
    assert_eq!(sets.bytes(), 0);
    assert_eq!(ask(b"a", 6, 1000), 1000);
    assert_eq!(ask(b"a", 7, 2000), 1000, "it was kept");
    assert_eq!(ask(b"a", 5, 900), 900, "it is of commit 6");
    // A commit that came to nothing changes nothing, but for what it would have touched.
    drop(sets.change(|range| range.contains(b"ab")));
    assert_eq!(ask(b"a", 7, 2000), 2000);
    for number in 0..MOST_SETS {
        ask(format!("b{number}").as_bytes(), 7, 300);
    }
    assert_eq!(ask(b"a", 7, 700), 700, "more are kept than may be");
    assert_eq!(ask(b"b1", 7, 700), 300);
    // Small ones, and those of long values, are not worth it.
    ask(b"small", 7, LEAST_IDS - 1);
    assert_eq!(ask(b"small", 7, 700), 700);
    let long = vec![0; LONGEST_PREFIX + 1];
    ask(&long, 7, 300);
    assert_eq!(ask(&long, 7, 700), 700);
}
