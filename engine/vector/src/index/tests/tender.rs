//! Who tends in the background does it whenever there is enough to do, and ends when it is told to.

use super::settings;
use crate::{Coding, Index, Metric};
use std::sync::Arc;
use std::time::Duration;

/// Waits for something that happens soon; ends the test if it does not.
fn until(what: &str, happened: impl Fn() -> bool) {
    for _ in 0..20_000 {
        if happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{what} did not happen");
}

fn index() -> Arc<Index> {
    Arc::new(
        settings(2, Metric::Euclidean, Coding::Bytes)
            .build()
            .unwrap(),
    )
}

fn insert(index: &Index, ids: std::ops::Range<u64>) {
    for id in ids {
        index.insert(1, id, &[id as f32, 1.0]).unwrap();
    }
}

#[test]
fn what_there_is_to_do_at_the_beginning_is_done() {
    let index = index();
    insert(&index, 0..2000);
    let _tender = index.tend_in_background(|| 0).unwrap();
    until("linking", || index.fresh.len() == 0);
}

#[test]
fn removing_alone_is_a_reason_to_tend() {
    let index = index();
    insert(&index, 0..2000);
    index.tend(0);
    let tender = index.tend_in_background(|| 9).unwrap();
    for id in 0..1000 {
        index.remove(9, id).unwrap();
    }
    until("freeing", || index.writer.lock().free.len() > 900);
    drop(tender);
    index.assert_sound();
}

#[test]
fn of_two_each_ends_when_it_is_dropped() {
    let index = index();
    for round in 0..20 {
        let first = index.tend_in_background(|| 0).unwrap();
        let dropping = std::thread::spawn(move || drop(first));
        let second = index.tend_in_background(|| 0).unwrap();
        dropping.join().unwrap();
        insert(&index, round * 1500..(round + 1) * 1500);
        until("linking by the other", || index.fresh.len() < 256 + 1024);
        drop(second);
    }
    index.assert_sound();
}
