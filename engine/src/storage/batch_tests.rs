//! Tests of [`Batch`]: savepoints, the accounts it keeps, and looking for neighbours.

use super::batch::{Batch, Savepoint};
use super::family::Family;
use super::range::KeyRange;
use crate::error::Error;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::ops::Bound;

const F: Family = Family::Nodes;
const CHOSEN: [Family; 2] = [Family::Nodes, Family::Journal];

type Content = BTreeMap<(Family, Vec<u8>), Option<Vec<u8>>>;

fn content(batch: &Batch) -> Content {
    let changes = |family| {
        batch
            .changes(family)
            .map(move |(key, value)| ((family, key.to_vec()), value.map(<[u8]>::to_vec)))
    };
    Family::all().flat_map(changes).collect()
}

/// The accounts, computed from what is there.
fn assert_accounts(batch: &Batch) {
    let content = content(batch);
    let bytes: usize = content
        .iter()
        .map(|((_, key), value)| Batch::cost_of(key, value.as_deref().unwrap_or_default()))
        .sum();
    assert_eq!(batch.bytes(), bytes, "bytes of {content:?}");
    assert_eq!(
        batch.only_deletes(),
        content.values().all(Option::is_none),
        "{content:?}"
    );
    assert_eq!(batch.len(), content.len());
    assert_eq!(batch.is_empty(), content.is_empty());
}

#[test]
fn it_says_what_it_changes() {
    let mut batch = Batch::new();
    assert!(batch.is_empty() && batch.only_deletes());
    batch.put(F, b"a", b"1");
    batch.delete(F, b"b");
    batch.put(F, b"", b"");
    assert_eq!(batch.get(F, b"a"), Some(Some(&b"1"[..])));
    assert_eq!(batch.get(F, b"b"), Some(None));
    assert_eq!(batch.get(F, b""), Some(Some(&b""[..])));
    assert_eq!(batch.get(F, b"c"), None);
    assert_eq!(batch.get(Family::Edges, b"a"), None);
    assert_eq!(batch.len(), 3);
    assert_accounts(&batch);
}

#[test]
fn an_inner_savepoint_rolls_back_alone() {
    let mut batch = Batch::new();
    batch.put(F, b"a", b"1");
    let outer = batch.savepoint();
    batch.put(F, b"a", b"22");
    batch.put(F, b"b", b"1");
    let after_outer = content(&batch);
    let inner = batch.savepoint();
    batch.delete(F, b"a");
    batch.put(F, b"b", b"4444");
    batch.put(F, b"b", b"55555");
    batch.put(Family::Edges, b"c", b"1");
    batch.rollback_to(inner).expect("inner");
    assert_eq!(content(&batch), after_outer);
    assert_accounts(&batch);
    batch.rollback_to(outer).expect("outer");
    assert_eq!(batch.get(F, b"a"), Some(Some(&b"1"[..])));
    assert_eq!(batch.len(), 1);
    assert_accounts(&batch);
}

#[test]
fn a_savepoint_can_be_rolled_back_to_again_and_again() {
    let mut batch = Batch::new();
    batch.delete(F, b"a");
    let savepoint = batch.savepoint();
    for round in 0_u8..5 {
        batch.put(F, b"a", &vec![round; usize::from(round)]);
        batch.put(F, &[round], b"");
        assert!(!batch.only_deletes());
        batch.rollback_to(savepoint).expect("still there");
        assert_eq!(batch.get(F, b"a"), Some(None));
        assert_eq!(batch.len(), 1);
        assert!(batch.only_deletes());
        assert_accounts(&batch);
    }
}

#[test]
fn a_released_savepoint_keeps_its_changes_for_the_outer_one() {
    let mut batch = Batch::new();
    let outer = batch.savepoint();
    batch.put(F, b"a", b"1");
    let inner = batch.savepoint();
    let innermost = batch.savepoint();
    batch.put(F, b"a", b"2");
    batch.release(inner).expect("inner");
    assert_eq!(batch.get(F, b"a"), Some(Some(&b"2"[..])));
    for gone in [inner, innermost] {
        assert!(matches!(
            batch.rollback_to(gone),
            Err(Error::UnknownSavepoint)
        ));
        assert!(matches!(batch.release(gone), Err(Error::UnknownSavepoint)));
    }
    batch.put(F, b"b", b"3");
    batch.rollback_to(outer).expect("outer");
    assert!(batch.is_empty());
    assert_accounts(&batch);
}

#[test]
fn a_rollback_forgets_later_savepoints() {
    let mut batch = Batch::new();
    let first = batch.savepoint();
    let second = batch.savepoint();
    batch.put(F, b"a", b"1");
    batch.rollback_to(first).expect("first");
    assert!(matches!(
        batch.rollback_to(second),
        Err(Error::UnknownSavepoint)
    ));
    // A new one in the same place is not the one that is gone.
    let third = batch.savepoint();
    assert_ne!(third, second);
    batch.put(F, b"a", b"1");
    assert!(matches!(
        batch.rollback_to(second),
        Err(Error::UnknownSavepoint)
    ));
    assert_eq!(batch.len(), 1, "a refused rollback changes nothing");
    batch.rollback_to(third).expect("third");
    assert!(batch.is_empty());
}

#[test]
fn a_savepoint_after_a_released_one_starts_afresh() {
    let mut batch = Batch::new();
    let first = batch.savepoint();
    batch.put(F, b"a", b"1");
    batch.release(first).expect("first");
    batch.put(F, b"b", b"1");
    let second = batch.savepoint();
    batch.put(F, b"a", b"2");
    batch.rollback_to(second).expect("second");
    assert_eq!(batch.get(F, b"a"), Some(Some(&b"1"[..])));
    assert_eq!(batch.len(), 2);
    assert_accounts(&batch);
}

#[test]
fn neighbours_are_found_inside_the_range_only() {
    let mut batch = Batch::new();
    for key in [b"b", b"d", b"f"] {
        batch.put(F, key, key);
    }
    batch.delete(F, b"d");
    let all = KeyRange::all();
    let first = |from, range| batch.first_from(F, from, range).map(|(key, _)| key[0]);
    let last = |until, range| batch.last_until(F, until, range).map(|(key, _)| key[0]);
    assert_eq!(first(Bound::Unbounded, &all), Some(b'b'));
    assert_eq!(first(Bound::Included(&b"b"[..]), &all), Some(b'b'));
    assert_eq!(first(Bound::Excluded(&b"b"[..]), &all), Some(b'd'));
    assert_eq!(first(Bound::Excluded(&b"f"[..]), &all), None);
    assert_eq!(last(Bound::Unbounded, &all), Some(b'f'));
    assert_eq!(last(Bound::Included(&b"e"[..]), &all), Some(b'd'));
    assert_eq!(last(Bound::Excluded(&b"d"[..]), &all), Some(b'b'));
    assert_eq!(last(Bound::Excluded(&b"b"[..]), &all), None);
    let middle = KeyRange::between(*b"c", *b"f");
    assert_eq!(first(Bound::Unbounded, &middle), Some(b'd'));
    assert_eq!(
        first(Bound::Excluded(&b"d"[..]), &middle),
        None,
        "the end is not part of it"
    );
    assert_eq!(last(Bound::Unbounded, &middle), Some(b'd'));
    assert_eq!(last(Bound::Excluded(&b"d"[..]), &middle), None);
    for until in [Bound::Included(&b"f"[..]), Bound::Excluded(&b"f"[..])] {
        assert_eq!(last(until, &middle), Some(b'd'), "before the end");
    }
    let deleted = batch.first_from(F, Bound::Unbounded, &middle);
    assert_eq!(
        deleted,
        Some((&b"d"[..], None)),
        "a delete is a change like any other"
    );
    assert_eq!(
        batch.first_from(Family::Edges, Bound::Unbounded, &all),
        None
    );
}

#[derive(Debug, Clone)]
enum Step {
    Put(Family, Vec<u8>, Vec<u8>),
    Delete(Family, Vec<u8>),
    Mark,
    /// The number picks one of all savepoints there ever were, so that gone ones come up too.
    Rollback(usize),
    Release(usize),
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(select(&[0_u8, b'a', 0xff][..]), 0..=2)
}

fn step() -> impl Strategy<Value = Step> {
    let family = select(&CHOSEN[..]);
    let value = prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        5 => (family.clone(), key(), value).prop_map(|(family, key, value)| Step::Put(family, key, value)),
        3 => (family, key()).prop_map(|(family, key)| Step::Delete(family, key)),
        2 => Just(Step::Mark),
        2 => any::<usize>().prop_map(Step::Rollback),
        1 => any::<usize>().prop_map(Step::Release),
    ]
}

proptest! {
    #[test]
    fn accounts_and_content_stay_exact(steps in prop::collection::vec(step(), 0..80)) {
        let mut batch = Batch::new();
        let mut model = Content::new();
        // Each savepoint there ever was, with the model of its moment while it can be used.
        let mut marks: Vec<(Savepoint, Option<Content>)> = Vec::new();
        for step in steps {
            match step {
                Step::Put(family, key, value) => {
                    batch.put(family, &key, &value);
                    model.insert((family, key), Some(value));
                }
                Step::Delete(family, key) => {
                    batch.delete(family, &key);
                    model.insert((family, key), None);
                }
                Step::Mark => marks.push((batch.savepoint(), Some(model.clone()))),
                Step::Rollback(at) if !marks.is_empty() => {
                    let at = at % marks.len();
                    let (savepoint, then) = marks[at].clone();
                    let result = batch.rollback_to(savepoint);
                    prop_assert_eq!(result.is_ok(), then.is_some());
                    if let Some(then) = then {
                        model = then;
                        marks[at + 1..].iter_mut().for_each(|(_, later)| *later = None);
                    }
                }
                Step::Release(at) if !marks.is_empty() => {
                    let at = at % marks.len();
                    let usable = marks[at].1.is_some();
                    prop_assert_eq!(batch.release(marks[at].0).is_ok(), usable);
                    if usable {
                        marks[at..].iter_mut().for_each(|(_, later)| *later = None);
                    }
                }
                Step::Rollback(_) | Step::Release(_) => {}
            }
            prop_assert_eq!(content(&batch), model.clone());
            assert_accounts(&batch);
        }
    }

    #[test]
    fn neighbours_match_a_plain_search(
        keys in prop::collection::btree_map(key(), prop::bool::ANY, 0..12),
        edge in key(),
        kind in 0..3,
        (start, end) in (key(), prop::option::of(key())),
    ) {
        let mut batch = Batch::new();
        for (key, stored) in &keys {
            if *stored { batch.put(F, key, b"v") } else { batch.delete(F, key) }
        }
        let range = match end {
            Some(end) => KeyRange::between(start, end),
            None => KeyRange::starting_at(start),
        };
        let bound = [Bound::Unbounded, Bound::Included(&edge[..]), Bound::Excluded(&edge[..])][kind as usize];
        let up = keys.keys().find(|key| range.contains(key) && match bound {
            Bound::Included(edge) => &key[..] >= edge,
            Bound::Excluded(edge) => &key[..] > edge,
            Bound::Unbounded => true,
        });
        let down = keys.keys().rev().find(|key| range.contains(key) && match bound {
            Bound::Included(edge) => &key[..] <= edge,
            Bound::Excluded(edge) => &key[..] < edge,
            Bound::Unbounded => true,
        });
        let first = batch.first_from(F, bound, &range).map(|(key, _)| key);
        let last = batch.last_until(F, bound, &range).map(|(key, _)| key);
        prop_assert_eq!(first, up.map(Vec::as_slice));
        prop_assert_eq!(last, down.map(Vec::as_slice));
    }
}
