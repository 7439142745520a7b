//! The statements that run now, and those that took long.

use crate::caller::Caller;
use crate::config::Config;
use crate::convert::micros;
use crate::failure::Failure;
use crate::literals::without_literals;
use crate::status::status;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use stratigraph::storage::cancel::CancelToken;
use stratigraph_proto::v1;

/// How much of a text is kept.
const SHOWN_TEXT_BYTES: usize = 4 << 10;

/// The statements that run now, and those that took long.
pub(crate) struct Running {
    now: Mutex<BTreeMap<u64, Arc<RunningQuery>>>,
    next: Mutex<u64>,
    slow: Mutex<VecDeque<SlowQuery>>,
    slow_from: Duration,
    most_slow: usize,
    /// Whether literals stay in texts.
    literals: bool,
}

/// A statement that runs now.
pub(crate) struct RunningQuery {
    number: u64,
    pub(crate) request_id: Arc<str>,
    pub(crate) database: Arc<str>,
    pub(crate) text: String,
    pub(crate) token_name: Arc<str>,
    pub(crate) began: Instant,
    /// Stops it.
    pub(crate) cancel: CancelToken,
    killed: AtomicBool,
}

/// A statement that took long.
pub(crate) type SlowQuery = v1::SlowQuery;

/// Says that a statement runs as long as it lives.
pub(crate) struct Started {
    all: Arc<Running>,
    query: Arc<RunningQuery>,
}

/// How a statement has ended.
pub(crate) struct Finished {
    /// How long it ran.
    pub(crate) elapsed: Duration,
    /// Whether it is slow, so that its plan is wanted.
    pub(crate) is_slow: bool,
}

impl Running {
    pub(crate) fn new(config: &Config) -> Arc<Self> {
        Arc::new(Self {
            now: Mutex::default(),
            next: Mutex::new(1),
            slow: Mutex::default(),
            slow_from: config.slow_query_time.0,
            most_slow: config.max_slow_queries as usize,
            literals: config.log_literals,
        })
    }

    /// A statement begins.
    pub(crate) fn begin(
        self: &Arc<Self>,
        caller: &Caller,
        database: &Arc<str>,
        text: &str,
        cancel: &CancelToken,
    ) -> Started {
        let number = {
            let mut next = self.next.lock();
            *next += 1;
            *next - 1
        };
        let query = Arc::new(RunningQuery {
            number,
            request_id: Arc::clone(&caller.request_id),
            database: Arc::clone(database),
            text: self.shown(text),
            token_name: Arc::clone(caller.identity.name()),
            began: Instant::now(),
            cancel: cancel.clone(),
            killed: AtomicBool::new(false),
        });
        self.now.lock().insert(number, Arc::clone(&query));
        Started {
            all: Arc::clone(self),
            query,
        }
    }

    /// The beginning of a text, without what somebody may have written into it.
    fn shown(&self, text: &str) -> String {
        let end = text.floor_char_boundary(SHOWN_TEXT_BYTES);
        self.told(text.get(..end).unwrap_or_default())
    }

    fn told(&self, text: &str) -> String {
        if self.literals {
            text.to_owned()
        } else {
            without_literals(text)
        }
    }

    /// Those of a database, the oldest first.
    pub(crate) fn of(&self, database: &str) -> Vec<Arc<RunningQuery>> {
        let now = self.now.lock();
        now.values()
            .filter(|query| *query.database == *database)
            .cloned()
            .collect()
    }

    /// How many run.
    pub(crate) fn count(&self) -> usize {
        self.now.lock().len()
    }

    /// Stops one of a database; whether it ran.
    pub(crate) fn kill(&self, database: &str, id: &str) -> bool {
        let number = id.parse::<u64>();
        let query = number
            .ok()
            .and_then(|number| self.now.lock().get(&number).cloned());
        let Some(query) = query.filter(|query| *query.database == *database) else {
            return false;
        };
        query.killed.store(true, Ordering::Release);
        query.cancel.cancel();
        true
    }

    /// Stops all of them.
    pub(crate) fn cancel_all(&self) {
        for query in self.now.lock().values() {
            query.cancel.cancel();
        }
    }

    /// The slow ones of a database, the latest first.
    pub(crate) fn slow(&self, database: &str, limit: usize) -> Vec<SlowQuery> {
        let slow = self.slow.lock();
        slow.iter()
            .rev()
            .filter(|query| query.database == database)
            .take(limit)
            .cloned()
            .collect()
    }
}

impl RunningQuery {
    /// What it is called while it runs.
    pub(crate) fn id(&self) -> String {
        self.number.to_string()
    }
}

impl Started {
    /// How it stands.
    pub(crate) fn finished(&self) -> Finished {
        let elapsed = self.query.began.elapsed();
        Finished {
            elapsed,
            is_slow: elapsed >= self.all.slow_from,
        }
    }

    /// What a failure was, if somebody has killed the statement.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        if let Failure::AfterCommit { source } = failure {
            let source = Box::new(self.explain(*source));
            return Failure::AfterCommit { source };
        }
        let cancelled = matches!(
            failure,
            Failure::Cancelled | Failure::Engine(stratigraph::Error::Cancelled)
        );
        if cancelled && self.query.killed.load(Ordering::Acquire) {
            Failure::Killed
        } else {
            failure
        }
    }

    /// Keeps it among the slow ones, and logs it.
    pub(crate) fn note_slow(&self, rows: u64, plan: &str, failure: Option<&Failure>) {
        let elapsed_us = micros(self.query.began.elapsed());
        let outcome = failure.map_or(tonic::Code::Ok, |failure| status(failure).code());
        let query = SlowQuery {
            ended_at_ms: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX)),
            request_id: self.query.request_id.to_string(),
            database: self.query.database.to_string(),
            text: self.query.text.clone(),
            elapsed_us,
            rows,
            plan: self.all.told(plan),
            outcome: format!("{outcome:?}"),
        };
        tracing::warn!(
            target: "stratigraph_server::slow",
            request_id = %query.request_id,
            database = %query.database,
            elapsed_ms = elapsed_us / 1000,
            rows,
            outcome = %query.outcome,
            text = %query.text,
            plan = %query.plan,
            "slow query"
        );
        let mut slow = self.all.slow.lock();
        while slow.len() >= self.all.most_slow.max(1) {
            slow.pop_front();
        }
        slow.push_back(query);
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.all.now.lock().remove(&self.query.number);
    }
}
