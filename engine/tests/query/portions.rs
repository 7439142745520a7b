//! Subqueries in transactions: what is committed stays known when the statement cannot go on.
//!
//! Next: `profiles.rs`.

use super::one;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use stratigraph::{Database, Error, ErrorKind, HostFunction, ProcedureType, Value};

/// A writer that lines up behind a portion, and keeps the place once it has it.
#[derive(Default)]
struct Rival {
    thread: Mutex<Option<JoinHandle<()>>>,
    may_end: AtomicBool,
}

impl Rival {
    /// Lines up, unless it has; most likely it stands in the line when this returns.
    fn line_up(self: &Arc<Self>, database: &Database) {
        let mut thread = self.thread.lock().unwrap();
        if thread.is_some() {
            return;
        }
        let (rival, database) = (Arc::clone(self), database.clone());
        *thread = Some(std::thread::spawn(move || {
            let Ok(txn) = database.write() else { return };
            while !rival.may_end.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(1));
            }
            txn.rollback();
        }));
        std::thread::sleep(Duration::from_millis(20));
    }

    fn end(&self) {
        self.may_end.store(true, Ordering::Release);
        if let Some(thread) = self.thread.lock().unwrap().take() {
            thread.join().unwrap();
        }
    }
}

/// Runs a statement of three portions while somebody else wants to write; how it ended, and what is there then.
fn contested(on_error: &str) -> (Result<(), Error>, i64) {
    let database = Database::builder()
        .write_queue_timeout(Duration::from_millis(300))
        .in_memory()
        .unwrap();
    let rival = Arc::new(Rival::default());
    let (called, asked) = (Arc::clone(&rival), database.clone());
    let line_up = HostFunction::new("test.rival", ProcedureType::INTEGER)
        .takes("number", ProcedureType::INTEGER)
        .run(move |arguments| {
            called.line_up(&asked);
            Ok(arguments.first().cloned().unwrap_or(Value::Null))
        });
    database.register_function(line_up).unwrap();
    let text = format!(
        "UNWIND range(1, 3) AS n CALL (n) {{ CREATE (:N {{n: test.rival(n)}}) }} IN TRANSACTIONS OF 1 ROW {on_error}"
    );
    let ran = database.query(&text, ());
    let ran = ran.and_then(stratigraph::Rows::finish).map(drop);
    rival.end();
    (ran, one(&database, "MATCH (n) RETURN count(n)"))
}

#[test]
fn a_portion_that_is_committed_is_not_said_to_have_failed_when_the_next_cannot_begin() {
    for on_error in ["ON ERROR FAIL", "ON ERROR CONTINUE", "ON ERROR BREAK"] {
        // The rival may come too late for all of it, or give up.
        let mut attempts = (0..50).map(|_| contested(on_error));
        let error = attempts.find_map(|(ran, there)| match ran {
            Err(Error::PartlyCommitted { portions, source }) => {
                assert_eq!(i64::try_from(portions).unwrap(), there);
                let waited = matches!(*source, Error::WriterQueueTimeout { .. });
                assert!(waited, "{source}");
                Some(Error::PartlyCommitted { portions, source })
            }
            Err(other) => panic!("{on_error}: {other}"),
            Ok(()) => None,
        });
        let error = error.expect("it comes to that");
        assert_ne!(error.kind(), ErrorKind::Retry);
        assert!(
            error.to_string().contains(" committed, and then: waited"),
            "{error}"
        );
    }
}

#[test]
fn a_mistake_after_some_portions_says_how_many_stay() {
    let database = Database::in_memory().unwrap();
    let mistake = |text| super::mistake(&database, text).1;
    let text = "UNWIND [1, 2, 0] AS n CALL (n) { CREATE (:N {n: 1 / n}) } IN TRANSACTIONS OF 1 ROW";
    assert_eq!(
        mistake(text),
        "1 / 0 has no result; 2 portions are committed"
    );
    // Also one that comes after all of them.
    let text =
        "UNWIND [1] AS n CALL (n) { CREATE (:N) } IN TRANSACTIONS OF 1 ROW RETURN n / 0 AS x";
    assert_eq!(mistake(text), "1 / 0 has no result; 1 portion is committed");
    let text = "UNWIND [0] AS n CALL (n) { CREATE (:N {n: 1 / n}) } IN TRANSACTIONS OF 1 ROW";
    assert_eq!(mistake(text), "1 / 0 has no result");
    assert_eq!(one(&database, "MATCH (n) RETURN count(n)"), 3);
}
