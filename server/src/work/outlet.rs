//! How the rows of a statement get out: from its thread into the stream of the call, so many bytes at a time.
//!
//! What waits for the client is bounded by bytes, and rows are written down once, as they are on the wire. Whoever takes
//! rows slowly has as long as the statement has, and whoever takes none has `max_stall`; who kills the statement is
//! heard in between. The thread never waits to say how it ended: that lies ready for the client instead.
//!
//! Next: `stream.rs`.

use super::stream::{Ending, PartStream, Sent};
use crate::convert;
use crate::failure::Failure;
use crate::status::status;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Rows, Summary, Value};
use stratigraph_proto::v1;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError, mpsc};
use tonic::codegen::Bytes;

/// About how many bytes may wait for the client, unless one message alone has more.
const WAITING_BYTES: usize = 256 << 10;
/// What a small message counts as.
const LEAST_MESSAGE_BYTES: usize = 1 << 10;
/// About how many bytes of rows a message has at most, unless one row alone has more.
const MESSAGE_BYTES: usize = 64 << 10;
/// Rows do not wait longer than this for others to fill their message.
const FLUSH_AFTER: Duration = Duration::from_millis(20);
/// How often it is looked whether somebody has stopped a statement that waits for its client.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A part of the answer to a statement.
pub(crate) enum Part {
    Header(v1::QueryHeader),
    Rows(v1::RowBatch),
    Summary(Box<v1::QuerySummary>),
}

/// Where a statement's thread puts its parts.
pub(crate) struct Outlet {
    sender: mpsc::UnboundedSender<Sent>,
    /// A permit for each byte that may wait.
    room: Arc<Semaphore>,
    ending: Ending,
    runtime: Handle,
    stall: Duration,
    deadline: Instant,
    /// Who may stop it.
    stops: Vec<CancelToken>,
    max_row_bytes: usize,
}

/// A channel for the answer to a statement that has time until `deadline` and that `cancel` stops. `unsaid` is what its
/// client hears if the statement goes without a word.
pub(crate) fn channel<M>(
    config: &crate::Config,
    deadline: Instant,
    cancel: &CancelToken,
    unsaid: Failure,
) -> (Outlet, PartStream<M>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let room = Arc::new(Semaphore::new(WAITING_BYTES));
    let ending = Ending::default();
    let stream = PartStream::new(receiver, &room, &ending, cancel, unsaid);
    let outlet = Outlet {
        sender,
        room,
        ending,
        runtime: Handle::current(),
        stall: config.max_stall.0,
        deadline,
        stops: vec![cancel.clone()],
        max_row_bytes: config.max_response_size.bytes(),
    };
    (outlet, stream)
}

/// Rows that wait for others to fill their message.
pub(crate) struct Batch {
    encoded: Vec<u8>,
    rows: usize,
    /// Where the last row begins.
    last: usize,
    since: Instant,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            encoded: Vec::new(),
            rows: 0,
            last: 0,
            since: Instant::now(),
        }
    }
}

impl Batch {
    /// Adds a row; how many bytes it has.
    pub(crate) fn add(&mut self, values: &[Value]) -> Result<usize, Failure> {
        self.last = self.encoded.len();
        convert::row_out(values, &mut self.encoded)?;
        self.rows += 1;
        Ok(self.encoded.len() - self.last)
    }

    /// What was there before the last row, if the two are too much for one message.
    fn overflow(&mut self) -> Option<Bytes> {
        if self.last == 0 || self.encoded.len() <= MESSAGE_BYTES {
            return None;
        }
        let last = self.encoded.split_off(self.last);
        let before = self.take();
        *self = Self {
            encoded: last,
            rows: 1,
            ..Self::default()
        };
        Some(before)
    }

    /// All of it; it is empty then.
    pub(crate) fn take(&mut self) -> Bytes {
        std::mem::take(self).encoded.into()
    }

    /// How many rows it has.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }
}

impl Outlet {
    /// Gives it no more time than until `deadline`, and lets `cancel` stop it too.
    pub(crate) fn held_to(&mut self, deadline: Instant, cancel: &CancelToken) {
        self.deadline = self.deadline.min(deadline);
        self.stops.push(cancel.clone());
    }

    /// Sends a header and all rows; gives what is known then. Blocks.
    pub(crate) fn rows(&self, mut rows: Rows<'_>, batch_rows: usize) -> Result<Summary, Failure> {
        let columns: Vec<String> = rows.columns().iter().map(ToString::to_string).collect();
        let bytes = columns.iter().map(String::len).sum();
        self.send(Part::Header(v1::QueryHeader { columns }), bytes)?;
        let mut batch = Batch::default();
        for row in rows.by_ref() {
            let length = batch.add(row?.values())?;
            if length > self.max_row_bytes {
                return Err(Failure::Limit {
                    what: "the size of a row",
                    limit: format!("{} bytes", self.max_row_bytes),
                    hint: "return less in each row, or raise max_response_size",
                });
            }
            if let Some(before) = batch.overflow() {
                self.batch(before)?;
            }
            if batch.rows >= batch_rows || batch.since.elapsed() > FLUSH_AFTER {
                self.batch(batch.take())?;
            }
        }
        if batch.rows > 0 {
            self.batch(batch.take())?;
        }
        Ok(rows.finish()?)
    }

    fn batch(&self, encoded: Bytes) -> Result<(), Failure> {
        let bytes = encoded.len();
        self.send(Part::Rows(v1::RowBatch::of_encoded(encoded)), bytes)
    }

    /// Ends the answer well. Blocks.
    pub(crate) fn summary(&self, summary: v1::QuerySummary) -> Result<(), Failure> {
        let bytes = summary.plan.len();
        self.send(Part::Summary(Box::new(summary)), bytes)
    }

    /// Ends the answer with a failure, which the client finds after what was sent before.
    pub(crate) fn fail(&self, failure: &Failure) {
        self.ending.say(status(failure));
    }

    /// Whether there is anybody who wants more, and time for it.
    fn check(&self) -> Result<(), Failure> {
        if Instant::now() >= self.deadline {
            return Err(Failure::Deadline);
        }
        match self.stops.iter().any(CancelToken::is_cancelled) {
            true => Err(Failure::Cancelled),
            false => Ok(()),
        }
    }

    fn send(&self, part: Part, bytes: usize) -> Result<(), Failure> {
        self.check()?;
        let bytes = bytes.clamp(LEAST_MESSAGE_BYTES, WAITING_BYTES);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let room = match Arc::clone(&self.room).try_acquire_many_owned(bytes) {
            Ok(room) => room,
            Err(TryAcquireError::Closed) => return Err(Failure::Cancelled),
            Err(TryAcquireError::NoPermits) => self.runtime.block_on(self.wait_for_room(bytes))?,
        };
        let sent = Sent { part, _room: room };
        self.sender.send(sent).map_err(|_| Failure::Cancelled)
    }

    async fn wait_for_room(&self, bytes: u32) -> Result<OwnedSemaphorePermit, Failure> {
        let stalls = Instant::now() + self.stall;
        let mut room = pin!(Arc::clone(&self.room).acquire_many_owned(bytes));
        loop {
            let look = stalls.min(self.deadline).min(Instant::now() + LOOK_EVERY);
            match tokio::time::timeout_at(look.into(), &mut room).await {
                // It closes when the client leaves.
                Ok(room) => return room.map_err(|_| Failure::Cancelled),
                Err(_) => self.check()?,
            }
            if Instant::now() >= stalls {
                return Err(Failure::Stalled { limit: self.stall });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph::Database;
    use tokio_stream::StreamExt as _;

    /// What waits for a client that takes nothing of `text`.
    async fn left_lying(text: &'static str) -> (Failure, Vec<usize>) {
        let mut config = crate::Flags::default().resolve().unwrap();
        config.max_stall = crate::Period(Duration::from_millis(100));
        let cancel = CancelToken::new();
        let deadline = Instant::now() + Duration::from_secs(600);
        let (outlet, mut stream) =
            channel::<v1::QueryResponse>(&config, deadline, &cancel, Failure::Cancelled);
        let sent = tokio::task::spawn_blocking(move || {
            let rows = Database::in_memory().unwrap().query(text, ()).unwrap();
            outlet.rows(rows, 1024).map(drop).unwrap_err()
        });
        let failure = sent.await.unwrap();
        let mut sizes = Vec::new();
        while let Some(Ok(message)) = stream.next().await {
            sizes.push(prost::Message::encoded_len(&message));
        }
        (failure, sizes)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_waits_is_bounded_by_bytes() {
        let (failure, sizes) = left_lying(
            "UNWIND range(1, 100) AS n RETURN reduce(s = 'x', i IN range(1, 20) | s + s) AS s",
        )
        .await;
        assert!(matches!(failure, Failure::Stalled { .. }), "{failure}");
        // The header may be waiting while there is no room for the first megabyte.
        assert!(sizes.len() <= 2, "{sizes:?}");
        let (failure, sizes) =
            left_lying("UNWIND range(1, 100000) AS n RETURN 'xxxxxxxxxxxxxxxxxxxxxxxxx' AS s")
                .await;
        assert!(matches!(failure, Failure::Stalled { .. }), "{failure}");
        assert!(
            sizes.iter().all(|bytes| *bytes <= MESSAGE_BYTES),
            "{sizes:?}"
        );
        let waiting: usize = sizes.iter().sum();
        assert!(
            waiting > MESSAGE_BYTES && waiting <= WAITING_BYTES,
            "{sizes:?}"
        );
    }
}
