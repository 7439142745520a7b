//! What one run may take: the least of what the server allows and what the client asks for.

use crate::caller::Caller;
use crate::config::Config;
use crate::failure::Failure;
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::CancelToken;
use stratigraph_proto::v1;

/// What one run may take.
#[derive(Clone)]
pub(crate) struct RunLimits {
    /// When it must have ended.
    pub(crate) deadline: Instant,
    /// How many bytes of rows it may hold.
    pub(crate) memory_bytes: u64,
    rows: u64,
    steps: u64,
    /// How many rows a message may have.
    pub(crate) batch_rows: usize,
    seed: Option<u64>,
    /// What its text begins with.
    pub(crate) mode: v1::ExecutionMode,
    /// Whether it may not write, whoever asks.
    pub(crate) read_only: bool,
}

/// How many rows a message has if nothing is said. A message is also cut by its bytes.
const BATCH_ROWS: u32 = 1024;

/// The most that a caller may ask for of something.
pub(crate) struct Allowance;

impl Allowance {
    /// What was asked for, but no more than there is; zero is refused, since it would allow nothing.
    pub(crate) fn least(asked: Option<u64>, most: u64, field: &str) -> Result<u64, Failure> {
        match asked {
            Some(0) => Err(Failure::request(field, "must be at least 1, or left out")),
            Some(asked) => Ok(asked.min(most)),
            None => Ok(most),
        }
    }
}

impl RunLimits {
    /// What a caller gets.
    pub(crate) fn new(
        config: &Config,
        caller: &Caller,
        asked: Option<v1::QueryOptions>,
    ) -> Result<Self, Failure> {
        let asked = asked.unwrap_or_default();
        let millis = Allowance::least(
            asked.timeout_ms,
            config.max_query_time.millis(),
            "options.timeout_ms",
        )?;
        let mut deadline = caller.began + Duration::from_millis(millis);
        if let Some(earlier) = caller.deadline.filter(|earlier| *earlier < deadline) {
            deadline = earlier;
        }
        let mode = v1::ExecutionMode::try_from(asked.mode)
            .map_err(|_| Failure::request("options.mode", "this server does not know it"))?;
        let batch = Allowance::least(
            asked.batch_rows.map(u64::from),
            BATCH_ROWS.into(),
            "options.batch_rows",
        )?;
        Ok(Self {
            deadline,
            memory_bytes: Allowance::least(
                asked.memory_bytes,
                config.max_query_memory.0,
                "options.memory_bytes",
            )?,
            rows: Allowance::least(asked.max_rows, config.max_rows, "options.max_rows")?,
            steps: config.max_steps,
            batch_rows: usize::try_from(batch).unwrap_or(1),
            seed: asked.seed,
            mode,
            read_only: asked.read_only,
        })
    }

    /// How much time is left; none is a failure.
    pub(crate) fn time_left(&self) -> Result<Duration, Failure> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(Failure::Deadline)
        } else {
            Ok(left)
        }
    }

    /// The engine's options for a run that begins now.
    pub(crate) fn options(
        &self,
        cancel: &CancelToken,
    ) -> Result<stratigraph::QueryOptions, Failure> {
        let options = stratigraph::QueryOptions::new()
            .timeout(self.time_left()?)
            .memory_bytes(self.memory_bytes)
            .max_rows(self.rows)
            .max_steps(self.steps)
            .cancel(cancel.clone());
        Ok(match self.seed {
            Some(seed) => options.seed(seed),
            None => options,
        })
    }

    /// The engine's options for a try that may not take more than this, and no more than the run itself.
    pub(crate) fn options_of_a_try(
        &self,
        cancel: &CancelToken,
        time: Duration,
        steps: u64,
    ) -> Result<stratigraph::QueryOptions, Failure> {
        let options = self.options(cancel)?.timeout(time.min(self.time_left()?));
        Ok(options.max_steps(steps.min(self.steps)))
    }

    /// The text as it runs. The word is on a line of its own, so that columns stay where they were.
    pub(crate) fn text_to_run(&self, text: &str) -> String {
        match self.mode {
            v1::ExecutionMode::Unspecified => text.to_owned(),
            v1::ExecutionMode::Explain => format!("EXPLAIN\n{text}"),
            v1::ExecutionMode::Profile => format!("PROFILE\n{text}"),
        }
    }
}
