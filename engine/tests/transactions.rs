//! What a transaction promises, on both stores: own writes, isolation, savepoints, limits, order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use stratigraph::clock::{Clock, SystemClock};
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::{Direction, KeyRange};
use stratigraph::storage::store::ScanOptions;
use stratigraph::{Database, DatabaseBuilder, Durability, Error, ErrorKind, Read as _, TimeLimit};

/// Runs a test on a database in memory and on one in a folder.
fn on_both(builder: &DatabaseBuilder, test: impl Fn(&Database)) {
    test(&builder.clone().in_memory().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let small = builder
        .clone()
        .create_if_missing(true)
        .disk_reserve_bytes(0);
    test(&small.open(folder.path().join("db")).unwrap());
}

fn pairs(read: &impl KeyRead, range: &KeyRange, direction: Direction) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut scan = read
        .scan_with(
            Family::Nodes,
            range,
            ScanOptions {
                direction,
                ..ScanOptions::default()
            },
        )
        .unwrap();
    let mut found = Vec::new();
    while let Some(entry) = scan.next().unwrap() {
        found.push((entry.key.to_vec(), entry.value.to_vec()));
    }
    found
}

fn keys(read: &impl KeyRead, range: &KeyRange, direction: Direction) -> Vec<Vec<u8>> {
    pairs(read, range, direction)
        .into_iter()
        .map(|(key, _)| key)
        .collect()
}

#[test]
fn a_writer_reads_its_own_writes_and_nobody_else_does() {
    on_both(&Database::builder(), |db| {
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, b"a", b"1").unwrap();
        assert_eq!(
            txn.get(Family::Nodes, b"a").unwrap().as_deref(),
            Some(&b"1"[..])
        );
        assert_eq!(txn.get(Family::Text, b"a").unwrap(), None);
        assert_eq!(
            db.key_read().unwrap().get(Family::Nodes, b"a").unwrap(),
            None
        );
        let old = db.key_read().unwrap();
        let commit = txn.commit().unwrap();
        assert_eq!(
            old.get(Family::Nodes, b"a").unwrap(),
            None,
            "a snapshot never changes"
        );
        let new = db.key_read().unwrap();
        assert_eq!(new.commit_seq(), commit);
        assert!(new.contains(Family::Nodes, b"a").unwrap());
        let mut txn = db.key_write().unwrap();
        txn.delete(Family::Nodes, b"a").unwrap();
        assert_eq!(txn.get(Family::Nodes, b"a").unwrap(), None);
        drop(txn);
        assert!(
            db.key_read()
                .unwrap()
                .contains(Family::Nodes, b"a")
                .unwrap(),
            "a dropped transaction leaves no trace"
        );
    });
}

#[test]
fn a_scan_merges_changes_over_what_is_stored() {
    on_both(&Database::builder(), |db| {
        let mut txn = db.key_write().unwrap();
        for key in ["b", "d", "f", "h"] {
            txn.put(Family::Nodes, key.as_bytes(), b"stored").unwrap();
        }
        txn.commit().unwrap();
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, b"a", b"new").unwrap();
        txn.put(Family::Nodes, b"d", b"changed").unwrap();
        txn.delete(Family::Nodes, b"f").unwrap();
        txn.delete(Family::Nodes, b"zz").unwrap();
        txn.put(Family::Nodes, b"i", b"new").unwrap();
        let all: Vec<&[u8]> = vec![b"a", b"b", b"d", b"h", b"i"];
        assert_eq!(keys(&txn, &KeyRange::all(), Direction::Forward), all);
        let backward: Vec<_> = all.iter().rev().map(|key| key.to_vec()).collect();
        assert_eq!(keys(&txn, &KeyRange::all(), Direction::Backward), backward);
        assert_eq!(
            keys(&txn, &KeyRange::between("b", "h"), Direction::Backward),
            vec![b"d".to_vec(), b"b".to_vec()]
        );
        let changed = pairs(&txn, &KeyRange::prefix(b"d"), Direction::Forward);
        assert_eq!(changed, vec![(b"d".to_vec(), b"changed".to_vec())]);

        let mut scan = txn
            .scan(Family::Nodes, &KeyRange::between("b", "i"))
            .unwrap();
        scan.seek(b"c");
        assert_eq!(scan.next().unwrap().unwrap().key, b"d");
        scan.seek(b"a");
        assert_eq!(
            scan.next().unwrap().unwrap().key,
            b"b",
            "a seek never leaves the range"
        );
        scan.seek(b"hh");
        assert!(scan.next().unwrap().is_none());
        let values = txn
            .multi_get(Family::Nodes, &[b"f", b"d", b"b", b"none"])
            .unwrap();
        assert_eq!(
            values,
            vec![
                None,
                Some(b"changed".to_vec()),
                Some(b"stored".to_vec()),
                None
            ]
        );
    });
}

#[test]
fn savepoints_take_back_exactly_what_came_after() {
    on_both(&Database::builder(), |db| {
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, b"a", b"1").unwrap();
        let first = txn.savepoint();
        txn.put(Family::Nodes, b"a", b"2").unwrap();
        let second = txn.savepoint();
        txn.delete(Family::Nodes, b"a").unwrap();
        txn.rollback_to(second).unwrap();
        assert_eq!(
            txn.get(Family::Nodes, b"a").unwrap().as_deref(),
            Some(&b"2"[..])
        );
        txn.rollback_to(first).unwrap();
        assert_eq!(
            txn.get(Family::Nodes, b"a").unwrap().as_deref(),
            Some(&b"1"[..])
        );
        assert!(matches!(
            txn.rollback_to(second),
            Err(Error::UnknownSavepoint)
        ));
        txn.rollback_to(first).unwrap();
        txn.release(first).unwrap();
        assert!(matches!(
            txn.rollback_to(first),
            Err(Error::UnknownSavepoint)
        ));
        txn.commit().unwrap();
        assert_eq!(
            db.key_read()
                .unwrap()
                .get(Family::Nodes, b"a")
                .unwrap()
                .as_deref(),
            Some(&b"1"[..])
        );
    });
}

#[test]
fn a_transaction_over_its_limit_refuses_the_change_and_goes_on() {
    on_both(&Database::builder().transaction_bytes(10_000), |db| {
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, b"small", b"fits").unwrap();
        let refused = txn.put(Family::Nodes, b"large", &[0; 20_000]).unwrap_err();
        assert!(
            matches!(
                refused,
                Error::TransactionTooLarge {
                    limit_bytes: 10_000,
                    ..
                }
            ),
            "{refused}"
        );
        assert_eq!(refused.kind(), ErrorKind::Request);
        let long = txn.put(Family::Nodes, &[0; 70_000], b"").unwrap_err();
        assert!(
            matches!(long, Error::TooLarge { what: "key", .. }),
            "{long}"
        );
        txn.commit().unwrap();
        assert!(
            db.key_read()
                .unwrap()
                .contains(Family::Nodes, b"small")
                .unwrap()
        );
    });
}

#[test]
fn overwriting_below_a_savepoint_counts_towards_the_limit() {
    on_both(&Database::builder().transaction_bytes(100_000), |db| {
        let mut txn = db.key_write().unwrap();
        txn.savepoint();
        let refused =
            (0..1_000).find_map(|_| txn.put(Family::Nodes, b"same key", &[0; 1_000]).err());
        assert!(
            matches!(refused, Some(Error::TransactionTooLarge { .. })),
            "what can be taken back takes memory"
        );
    });
}

#[test]
fn a_cancelled_transaction_stops() {
    on_both(&Database::builder(), |db| {
        let mut txn = db.key_write().unwrap();
        for number in 0..2_000_u32 {
            txn.put(Family::Nodes, &number.to_be_bytes(), b"").unwrap();
        }
        txn.commit().unwrap();
        let token = CancelToken::new();
        let read = db.key_read().unwrap().with_cancel(token.clone());
        let mut scan = read.scan(Family::Nodes, &KeyRange::all()).unwrap();
        assert!(scan.next().unwrap().is_some());
        token.cancel();
        let stopped = std::iter::repeat_with(|| scan.next().map(|_| ()))
            .take(300)
            .find_map(Result::err);
        assert!(
            matches!(stopped, Some(Error::Cancelled)),
            "a scan asks at least every few hundred steps"
        );
        let mut txn = db.key_write().unwrap().with_cancel(token);
        assert!(matches!(
            txn.put(Family::Nodes, b"a", b""),
            Err(Error::Cancelled)
        ));
        assert!(matches!(txn.commit(), Err(Error::Cancelled)));
    });
}

/// A clock that stands still until it is told to move.
#[derive(Default)]
struct TestClock {
    millis: AtomicU64,
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.millis.load(Ordering::SeqCst))
    }
}

#[test]
fn an_idle_writer_loses_its_place_to_whoever_waits() {
    let clock = Arc::new(TestClock::default());
    let builder = Database::builder()
        .clock(Arc::clone(&clock) as Arc<dyn Clock>)
        .transaction_idle_limit(Duration::from_secs(5))
        .write_queue_timeout(Duration::from_secs(60));
    on_both(&builder, |db| {
        let mut idle = db.key_write().unwrap();
        idle.put(Family::Nodes, b"idle", b"").unwrap();
        clock.millis.fetch_add(6_000, Ordering::SeqCst);
        let mut next = db.key_write().unwrap();
        next.put(Family::Nodes, b"next", b"").unwrap();
        let expired = idle.put(Family::Nodes, b"late", b"").unwrap_err();
        assert!(
            matches!(
                expired,
                Error::TransactionExpired {
                    limit: TimeLimit::Idle,
                    limit_ms: 5_000
                }
            ),
            "{expired}"
        );
        assert_eq!(expired.kind(), ErrorKind::Retry);
        assert!(matches!(
            idle.commit(),
            Err(Error::TransactionExpired { .. })
        ));
        next.commit().unwrap();
        let read = db.key_read().unwrap();
        assert!(read.contains(Family::Nodes, b"next").unwrap());
        assert!(!read.contains(Family::Nodes, b"idle").unwrap());
    });
}

#[test]
fn a_writer_that_lasts_too_long_ends_even_when_it_is_busy() {
    let clock = Arc::new(TestClock::default());
    let builder = Database::builder()
        .clock(Arc::clone(&clock) as Arc<dyn Clock>)
        .transaction_time_limit(Duration::from_secs(10));
    on_both(&builder, |db| {
        let mut txn = db.key_write().unwrap();
        for _ in 0..9 {
            clock.millis.fetch_add(1_000, Ordering::SeqCst);
            txn.put(Family::Nodes, b"busy", b"").unwrap();
        }
        clock.millis.fetch_add(1_000, Ordering::SeqCst);
        let expired = txn.put(Family::Nodes, b"busy", b"").unwrap_err();
        assert!(
            matches!(
                expired,
                Error::TransactionExpired {
                    limit: TimeLimit::Total,
                    ..
                }
            ),
            "{expired}"
        );
        db.key_write().unwrap();
    });
}

#[test]
fn waiting_for_a_writer_ends_with_a_typed_error() {
    on_both(
        &Database::builder().write_queue_timeout(Duration::from_millis(50)),
        |db| {
            let _first = db.key_write().unwrap();
            let error = db.key_write().err().unwrap();
            assert!(
                matches!(error, Error::WriterQueueTimeout { limit_ms: 50, .. }),
                "{error}"
            );
            assert_eq!(error.kind(), ErrorKind::Retry);
        },
    );
}

#[test]
fn writers_queue_up_and_every_commit_is_there() {
    on_both(&Database::builder(), |db| {
        thread::scope(|scope| {
            for writer in 0..8_u8 {
                scope.spawn(move || {
                    for number in 0..50_u8 {
                        let mut txn = db.key_write().unwrap();
                        let before = txn.get(Family::Nodes, b"counter").unwrap();
                        let count =
                            before.map_or(0, |bytes| u64::from_be_bytes(bytes.try_into().unwrap()));
                        txn.put(Family::Nodes, b"counter", &(count + 1).to_be_bytes())
                            .unwrap();
                        txn.put(Family::Edges, &[writer, number], b"").unwrap();
                        txn.commit().unwrap();
                    }
                });
            }
        });
        let read = db.key_read().unwrap();
        let count = read.get(Family::Nodes, b"counter").unwrap().unwrap();
        assert_eq!(
            u64::from_be_bytes(count.try_into().unwrap()),
            400,
            "no update was lost"
        );
        assert_eq!(
            read.scan(Family::Edges, &KeyRange::all())
                .unwrap()
                .count()
                .unwrap(),
            400
        );
        assert_eq!(read.commit_seq().get(), 400);
        assert_eq!(db.info().commits.commits, 400);
    });
}

#[test]
fn readers_never_see_half_a_commit() {
    on_both(&Database::builder(), |db| {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..300_u64 {
                    let mut txn = db.key_write().unwrap();
                    for family in [Family::Nodes, Family::Edges, Family::Out, Family::In] {
                        txn.put(family, b"same everywhere", &number.to_be_bytes())
                            .unwrap();
                    }
                    txn.commit().unwrap();
                }
                done.store(true, Ordering::Release);
            });
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Acquire) {
                        let read = db.key_read().unwrap();
                        let nodes = read.get(Family::Nodes, b"same everywhere").unwrap();
                        for family in [Family::Edges, Family::Out, Family::In] {
                            assert_eq!(read.get(family, b"same everywhere").unwrap(), nodes);
                        }
                    }
                });
            }
        });
    });
}

#[test]
fn closing_refuses_what_comes_later_and_lets_a_running_writer_finish_or_fail_cleanly() {
    on_both(&Database::builder(), |db| {
        let mut running = db.key_write().unwrap();
        running.put(Family::Nodes, b"never", b"").unwrap();
        db.clone().close().unwrap();
        assert!(matches!(db.key_read().err(), Some(Error::Closed)));
        assert!(matches!(db.key_write().err(), Some(Error::Closed)));
        assert!(matches!(running.commit(), Err(Error::Closed)));
    });
}

#[test]
fn periodic_durability_shows_commits_at_once_and_syncs_later() {
    let builder = Database::builder().durability(Durability::Periodic(Duration::from_millis(20)));
    on_both(&builder, |db| {
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, b"a", b"").unwrap();
        let commit = txn.commit().unwrap();
        assert!(
            db.key_read()
                .unwrap()
                .contains(Family::Nodes, b"a")
                .unwrap()
        );
        let durable = (0..200).any(|_| {
            thread::sleep(Duration::from_millis(10));
            db.info().durable >= commit
        });
        assert!(durable, "the sync thread never came");
    });
}

#[test]
fn what_nobody_waited_for_is_written_and_seen_with_the_next_that_is() {
    on_both(&Database::builder(), |db| {
        let named = |name: &'static str| {
            let mut txn = db.write().unwrap();
            txn.create_node(["Named"], [("name", name)]).unwrap();
            txn
        };
        let seen = || db.read().unwrap().node_count(Some("Named")).unwrap();
        let first = named("first").commit_unsynced().unwrap();
        // A loss of power could still take it back, so no reader sees it; a writer starts from it.
        assert!(db.info().durable < first);
        assert_eq!(seen(), 0);
        assert_eq!(db.write().unwrap().node_count(Some("Named")).unwrap(), 1);
        let second = named("second").commit().unwrap();
        assert_eq!((first.next(), seen()), (Some(second), 2));
        // One that changes nothing waits for nobody either.
        let third = named("third").commit_unsynced().unwrap();
        assert_eq!(db.write().unwrap().commit_unsynced().unwrap(), third);
        assert_eq!(seen(), 2);
        assert_eq!((db.sync().unwrap(), seen()), (third, 3));
    });
}

#[test]
fn an_empty_transaction_writes_nothing() {
    on_both(&Database::builder(), |db| {
        let before = db.info().store.batches;
        let commit = db.key_write().unwrap().commit().unwrap();
        assert_eq!(commit, db.key_read().unwrap().commit_seq());
        assert_eq!(db.info().store.batches, before);
    });
}

#[test]
fn a_database_is_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Database>();
}

#[test]
fn the_floors_own_records_are_nobody_elses_to_write() {
    on_both(&Database::builder(), |db| {
        let mut txn = db.key_write().unwrap();
        for key in [&[][..], &[0], &[1], &[15, 7]] {
            let put = txn.put(Family::Meta, key, b"").unwrap_err();
            let delete = txn.delete(Family::Meta, key).unwrap_err();
            assert!(
                matches!((put, delete), (Error::ReservedKey, Error::ReservedKey)),
                "{key:?}"
            );
        }
        txn.put(Family::Meta, &[16], b"").unwrap();
        drop(txn);
        let mut load = db.key_bulk_load().unwrap();
        assert!(matches!(
            load.put(Family::Meta, &[3], b""),
            Err(Error::ReservedKey)
        ));
    });
}

#[test]
fn scanning_is_not_resting() {
    let clock = Arc::new(TestClock::default());
    let builder = Database::builder()
        .clock(Arc::clone(&clock) as Arc<dyn Clock>)
        .transaction_idle_limit(Duration::from_secs(5));
    on_both(&builder, |db| {
        let mut txn = db.key_write().unwrap();
        for number in 0..2_000_u32 {
            txn.put(Family::Nodes, &number.to_be_bytes(), b"").unwrap();
        }
        let mut scan = txn.scan(Family::Nodes, &KeyRange::all()).unwrap();
        while scan.next().unwrap().is_some() {
            clock.millis.fetch_add(10, Ordering::SeqCst);
        }
        drop(scan);
        txn.put(Family::Nodes, b"still here", b"").unwrap();
    });
}

#[test]
fn closing_waits_for_no_bulk_load() {
    on_both(&Database::builder(), |db| {
        let load = db.key_bulk_load().unwrap();
        assert!(matches!(db.clone().close(), Err(Error::LoadInProgress)));
        drop(load);
        db.clone().close().unwrap();
    });
}

#[test]
fn the_second_in_the_queue_watches_the_limits_of_the_first() {
    let builder = Database::builder()
        .transaction_idle_limit(Duration::from_millis(300))
        .write_queue_timeout(Duration::from_secs(30));
    on_both(&builder, |db| {
        let first = db.key_write().unwrap();
        thread::scope(|scope| {
            let second = scope.spawn(|| {
                let idle = db.key_write().unwrap();
                thread::sleep(Duration::from_secs(2));
                drop(idle);
            });
            thread::sleep(Duration::from_millis(50));
            let third = scope.spawn(|| {
                let clock = SystemClock::new();
                drop(db.key_write().unwrap());
                clock.now()
            });
            thread::sleep(Duration::from_millis(50));
            drop(first);
            let waited = third.join().unwrap();
            second.join().unwrap();
            assert!(
                waited < Duration::from_millis(1_500),
                "it waited {waited:?} for an idle writer"
            );
        });
    });
}
