//! How the rows of a statement get out: from its thread through a bounded channel into the stream of the call.

use crate::convert;
use crate::failure::Failure;
use crate::status::status;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Rows, Summary};
use stratigraph_proto::v1;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio_stream::Stream;
use tonic::Status;

/// How many messages may wait for the client.
const WAITING_MESSAGES: usize = 4;
/// About how many bytes of rows a message has at most, unless one row alone has more.
const MESSAGE_BYTES: usize = 64 << 10;
/// Rows do not wait longer than this for others to fill their message.
const FLUSH_AFTER: Duration = Duration::from_millis(20);
/// How many rows go by between two looks at the clock.
const ROWS_BETWEEN_LOOKS: usize = 16;

/// A part of the answer to a statement.
pub(crate) enum Part {
    Header(v1::QueryHeader),
    Rows(v1::RowBatch),
    Summary(Box<v1::QuerySummary>),
}

/// Where a statement's thread puts its parts.
pub(crate) struct Outlet {
    sender: mpsc::Sender<Result<Part, Status>>,
    runtime: Handle,
    stall: Duration,
    cancel: CancelToken,
    max_message_bytes: usize,
}

/// The parts as they come, as the messages of a method. Dropping it cancels the statement.
pub(crate) struct PartStream<M> {
    receiver: mpsc::Receiver<Result<Part, Status>>,
    _guard: CancelOnDrop,
    messages: PhantomData<fn() -> M>,
}

struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A channel for the answer to a statement that `cancel` stops.
pub(crate) fn channel<M>(config: &crate::Config, cancel: &CancelToken) -> (Outlet, PartStream<M>) {
    let (sender, receiver) = mpsc::channel(WAITING_MESSAGES);
    let outlet = Outlet {
        sender,
        runtime: Handle::current(),
        stall: config.max_stall.0,
        cancel: cancel.clone(),
        max_message_bytes: config.max_response_size.bytes(),
    };
    let stream = PartStream {
        receiver,
        _guard: CancelOnDrop(cancel.clone()),
        messages: PhantomData,
    };
    (outlet, stream)
}

impl Outlet {
    /// Sends a header and all rows; gives what is known then. Blocks.
    pub(crate) fn rows(&self, mut rows: Rows<'_>, batch_rows: usize) -> Result<Summary, Failure> {
        let columns = rows.columns().iter().map(ToString::to_string).collect();
        self.send(Part::Header(v1::QueryHeader { columns }))?;
        let mut batch = v1::RowBatch::default();
        let (mut bytes, mut sent_at) = (0, Instant::now());
        for row in rows.by_ref() {
            let before = bytes;
            let values = convert::row_out(row?.values(), &mut bytes)?;
            if bytes - before > self.max_message_bytes {
                return Err(Failure::Limit {
                    what: "the size of a row",
                    limit: format!("{} bytes", self.max_message_bytes),
                    hint: "return less in each row, or raise max_response_size",
                });
            }
            batch.rows.push(v1::Row { values });
            let count = batch.rows.len();
            let late = count.is_multiple_of(ROWS_BETWEEN_LOOKS) && sent_at.elapsed() > FLUSH_AFTER;
            if count >= batch_rows || bytes >= MESSAGE_BYTES || late {
                self.send(Part::Rows(std::mem::take(&mut batch)))?;
                (bytes, sent_at) = (0, Instant::now());
            }
        }
        if !batch.rows.is_empty() {
            self.send(Part::Rows(batch))?;
        }
        Ok(rows.finish()?)
    }

    /// Ends the answer well. Blocks.
    pub(crate) fn summary(&self, summary: v1::QuerySummary) -> Result<(), Failure> {
        self.send(Part::Summary(Box::new(summary)))
    }

    /// Ends the answer with a failure. Whoever has left does not hear it.
    pub(crate) fn fail(&self, failure: &Failure) {
        let status = status(failure);
        let send = self.sender.send(Err(status));
        let _ = self
            .runtime
            .block_on(tokio::time::timeout(self.stall, send));
    }

    fn send(&self, part: Part) -> Result<(), Failure> {
        let part = match self.sender.try_send(Ok(part)) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Closed(_)) => return Err(Failure::Cancelled),
            Err(TrySendError::Full(part)) => part,
        };
        let send = tokio::time::timeout(self.stall, self.sender.send(part));
        match self.runtime.block_on(send) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Failure::Cancelled),
            Err(_) => {
                self.cancel.cancel();
                Err(Failure::Stalled { limit: self.stall })
            }
        }
    }
}

impl<M: From<Part>> Stream for PartStream<M> {
    type Item = Result<M, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let part = self.receiver.poll_recv(context);
        part.map(|part| part.map(|part| part.map(M::from)))
    }
}

impl From<Part> for v1::QueryResponse {
    fn from(part: Part) -> Self {
        use v1::query_response::Part as To;
        let part = match part {
            Part::Header(header) => To::Header(header),
            Part::Rows(rows) => To::Rows(rows),
            Part::Summary(summary) => To::Summary(*summary),
        };
        Self { part: Some(part) }
    }
}

impl From<Part> for v1::RunInTransactionResponse {
    fn from(part: Part) -> Self {
        use v1::run_in_transaction_response::Part as To;
        let part = match part {
            Part::Header(header) => To::Header(header),
            Part::Rows(rows) => To::Rows(rows),
            Part::Summary(summary) => To::Summary(*summary),
        };
        Self { part: Some(part) }
    }
}
