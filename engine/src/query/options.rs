//! How a query runs, where that is not the usual way.
//!
//! Nothing here changes what a query means, except where it stops it.
//!
//! Next: `result.rs`.

use crate::clock::Clock;
use crate::query::functions::Moment;
use crate::query::plan::{Rule, Rules};
use crate::storage::cancel::CancelToken;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// So many rows go from one operator to the next at a time if nothing else is said.
pub(crate) const BATCH_ROWS: usize = 1024;
/// A query holds so many bytes of rows if nothing else is said: 1 GiB. What sorts, groups or collects more than
/// that should be asked for in portions, and a machine that serves several queries must survive all of them.
pub(crate) const MEMORY_BYTES: u64 = 1 << 30;

/// Long work over much of the graph is shared out to so many threads if nothing else is said.
pub(crate) const THREADS: usize = 2;

/// How a query runs.
///
/// ```
/// use std::time::Duration;
/// use stratigraph::{Database, QueryOptions};
///
/// let careful = QueryOptions::new()
///     .timeout(Duration::from_secs(10))
///     .memory_bytes(64 << 20)
///     .max_rows(10_000);
/// let db = Database::in_memory()?;
/// let rows = db.query_with("UNWIND range(1, 10001) AS n RETURN n", (), &careful)?;
/// assert!(rows.finish().is_err(), "one row too many");
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "they are only described until a query runs with them"]
pub struct QueryOptions {
    pub(crate) batch_rows: usize,
    pub(crate) memory_bytes: u64,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_rows: Option<u64>,
    pub(crate) max_steps: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) exact: bool,
    pub(crate) rules: Rules,
    pub(crate) threads: usize,
    pub(crate) cancel: CancelToken,
    pub(crate) now: Option<Moment>,
    pub(crate) clock: Option<Arc<dyn Clock>>,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self {
            batch_rows: BATCH_ROWS,
            memory_bytes: MEMORY_BYTES,
            timeout: None,
            max_rows: None,
            max_steps: None,
            seed: None,
            exact: false,
            rules: Rules::ALL,
            threads: THREADS,
            cancel: CancelToken::new(),
            now: None,
            clock: None,
        }
    }
}

impl QueryOptions {
    /// The usual way.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many rows go from one operator to the next at a time; 1,024 if nothing is said, at least 1. It never
    /// changes a result.
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// How many bytes of rows the query may hold, about; 1 GiB if nothing is said. One that needs more fails.
    pub fn memory_bytes(mut self, bytes: u64) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// How long the query may run; as long as it takes if nothing is said.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How many rows it may give; one that gives more fails. To get only the first rows of many, say `LIMIT` in
    /// the query.
    pub fn max_rows(mut self, rows: u64) -> Self {
        self.max_rows = Some(rows);
        self
    }

    /// How much work it may be, as [`Summary::steps`](crate::Summary::steps) counts it: rows that operators make and
    /// relationships that are looked at, those of traversals included. One that needs more fails, soon after.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// What `rand()` begins with. The same seed gives the same numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Whether no search of a vector index misses anything, as `EXACT` has it, whatever the query says; as each says itself if
    /// not. Codes are compared with all that may be found, and vectors with what a proven bound does not rule out
    /// ([`Effort::Proven`](crate::Effort::Proven)). It may find what is nearer.
    pub fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Whether the planner looks for a better way than the one that is written; it does if nothing is said. It
    /// never changes a result.
    pub fn optimise(mut self, optimise: bool) -> Self {
        self.rules = match optimise {
            true => Rules::ALL,
            false => Rules::NONE,
        };
        self
    }

    /// Plans without one rule, to see what it is worth or whether a fault is its. It never changes a result.
    pub fn without_rule(mut self, rule: Rule) -> Self {
        self.rules = self.rules.without(rule);
        self
    }

    /// To how many threads long work over much of the graph is shared out; 2 if nothing is said, at least 1. It never
    /// changes a result.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Lets `token` stop the query.
    pub fn cancel(mut self, token: CancelToken) -> Self {
        self.cancel = token;
        self
    }

    /// What `date()` and its kin take for now, for results that can be foretold.
    pub fn now(mut self, now: SystemTime) -> Self {
        self.now = Some(moment(now));
        self
    }

    /// What measures the time limit; the system's clock if nothing is said.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }
}

/// A point in time as queries count it.
pub(crate) fn moment(time: SystemTime) -> Moment {
    let whole = |seconds: u64| i64::try_from(seconds).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => Moment {
            second: whole(after.as_secs()),
            nanosecond: after.subsec_nanos(),
        },
        Err(before) => {
            let before = before.duration();
            let (seconds, rest) = (-whole(before.as_secs()), before.subsec_nanos());
            match rest {
                0 => Moment {
                    second: seconds,
                    nanosecond: 0,
                },
                // The nanoseconds of a second count forward, also before 1970.
                rest => Moment {
                    second: seconds - 1,
                    nanosecond: 1_000_000_000 - rest,
                },
            }
        }
    }
}

impl fmt::Debug for QueryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryOptions")
            .field("batch_rows", &self.batch_rows)
            .field("memory_bytes", &self.memory_bytes)
            .field("timeout", &self.timeout)
            .field("max_rows", &self.max_rows)
            .field("max_steps", &self.max_steps)
            .field("seed", &self.seed)
            .field("exact", &self.exact)
            .field("rules", &self.rules)
            .field("threads", &self.threads)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_before_1970_count_forward_within_their_second() {
        let at = |time: SystemTime| {
            let Moment { second, nanosecond } = moment(time);
            (second, nanosecond)
        };
        let off = Duration::new(2, 250);
        assert_eq!(at(UNIX_EPOCH), (0, 0));
        assert_eq!(at(UNIX_EPOCH + off), (2, 250));
        assert_eq!(at(UNIX_EPOCH - off), (-3, 999_999_750));
        assert_eq!(at(UNIX_EPOCH - Duration::from_secs(2)), (-2, 0));
    }

    #[test]
    fn a_batch_has_a_row_at_least() {
        assert_eq!(QueryOptions::new().batch_rows(0).batch_rows, 1);
        assert_eq!(QueryOptions::new().batch_rows, BATCH_ROWS);
    }
}
