//! Tests of [`CommitLog`]: the views that it has in mind, and how many commits a group is likely to have.

use super::*;
use crate::clock::SystemClock;
use crate::storage::memory::MemoryStore;

fn log(durability: Durability) -> CommitLog<()> {
    let store = Arc::new(MemoryStore::new());
    let start = View {
        commit: CommitSeq::new(0),
        written: CommitSeq::new(0),
        snapshot: store.snapshot(),
        state: Arc::new(()),
    };
    let id = DatabaseId::from_bytes([7; 16]);
    let clock = Arc::new(SystemClock::new());
    CommitLog::new(id, store, clock, durability, None, Arc::new(start))
}

fn append(log: &CommitLog<()>) -> CommitSeq {
    log.append(Batch::new(), Arc::new(())).unwrap()
}

#[test]
fn the_oldest_view_is_the_oldest_that_somebody_holds() {
    let log = log(Durability::Periodic(Duration::from_secs(1)));
    append(&log);
    let first = log.published();
    append(&log);
    let second = log.published();
    let last = append(&log);
    assert!(first.commit < second.commit && second.commit < last);
    assert_eq!(log.oldest(), first.commit);
    drop(first);
    assert_eq!(log.oldest(), second.commit);
    drop(second);
    assert_eq!(log.oldest(), last, "nobody holds another");
}

#[test]
fn views_that_nobody_holds_take_no_memory_for_long() {
    let log = log(Durability::Periodic(Duration::from_secs(1)));
    let held = log.published();
    for _ in 0..4 * FEW_VIEWS {
        append(&log);
        assert!(log.state.lock().views.len() <= FEW_VIEWS);
    }
    assert_eq!(log.oldest(), held.commit);
}

#[test]
fn upkeep_is_a_commit_that_nobody_has_written() {
    let log = log(Durability::Periodic(Duration::from_secs(1)));
    let written = append(&log);
    let kept = log.append_upkeep(Batch::new(), Arc::new(())).unwrap();
    assert!(written < kept);
    let view = log.published();
    assert_eq!((view.commit, view.written), (kept, written));
    let last = append(&log);
    assert_eq!(log.published().written, last);
}

#[test]
fn a_group_expects_as_many_commits_as_there_were_in_the_last_one() {
    let log = log(Durability::Commit);
    let last = (0..3).map(|_| append(&log)).last().unwrap();
    log.wait_until_durable(last).unwrap();
    assert_eq!(log.state.lock().expected, 3);
    assert_eq!((log.durable(), log.published().commit), (last, last));
}
