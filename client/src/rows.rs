//! Rows as they come.
//!
//! ```text
//! header ──> batch ──> batch ──> ... ──> summary ──> end
//! ```
//! An answer that ends without its summary was cut short, and is an error. Dropping [`Rows`] before the end tells the
//! server to stop. What is not taken from here is not taken from the connection either, so a slow reader slows the
//! statement and fills no memory.

use crate::call::{Attempt, Call};
use crate::error::{Failure, Safety, too_large};
use crate::made::Made;
use crate::transaction::Turn;
use crate::value::from_wire;
use crate::{Error, Row, Summary};
use futures_core::Stream;
use serde::de::DeserializeOwned;
use std::fmt;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use stratigraph_proto::v1;
use stratigraph_proto::v1::query_response::Part as QueryPart;
use stratigraph_proto::v1::run_in_transaction_response::Part as TransactionPart;
use tokio::time::Sleep;
use tonic::{Status, Streaming};

/// The rows of an answer, as they come.
#[must_use = "rows that are dropped stop their statement"]
pub struct Rows {
    call: Call,
    columns: Arc<[String]>,
    state: State,
    batch: std::vec::IntoIter<v1::Row>,
    given: u64,
    ends: Option<Pin<Box<Sleep>>>,
    turn: Option<Turn>,
}

enum State {
    /// Rows come, or the end.
    Open(Parts),
    /// All is there but the end of the stream.
    Told(Parts, Box<Summary>),
    /// All is there.
    Done(Box<Summary>),
    /// It was an error.
    Failed,
}

/// Parts of an answer.
pub(crate) enum Parts {
    Query(Streaming<v1::QueryResponse>),
    Transaction(Streaming<v1::RunInTransactionResponse>),
}

enum Part {
    Header(v1::QueryHeader),
    Rows(v1::RowBatch),
    Summary(Box<v1::QuerySummary>),
    /// Something that is newer than this client.
    Unknown,
}

impl Parts {
    fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Part, Status>>> {
        Poll::Ready(Some(Ok(match self {
            Self::Query(parts) => match ready!(Pin::new(parts).poll_next(context)) {
                None => return Poll::Ready(None),
                Some(Err(status)) => return Poll::Ready(Some(Err(status))),
                Some(Ok(response)) => match response.part {
                    Some(QueryPart::Header(header)) => Part::Header(header),
                    Some(QueryPart::Rows(rows)) => Part::Rows(rows),
                    Some(QueryPart::Summary(summary)) => Part::Summary(Box::new(summary)),
                    None => Part::Unknown,
                },
            },
            Self::Transaction(parts) => match ready!(Pin::new(parts).poll_next(context)) {
                None => return Poll::Ready(None),
                Some(Err(status)) => return Poll::Ready(Some(Err(status))),
                Some(Ok(response)) => match response.part {
                    Some(TransactionPart::Header(header)) => Part::Header(header),
                    Some(TransactionPart::Rows(rows)) => Part::Rows(rows),
                    Some(TransactionPart::Summary(summary)) => Part::Summary(Box::new(summary)),
                    None => Part::Unknown,
                },
            },
        })))
    }
}

impl Rows {
    /// Makes a call until its header is there.
    pub(crate) async fn open<F, A>(
        call: Call,
        turn: Option<Turn>,
        mut send: F,
    ) -> Result<Self, Error>
    where
        F: FnMut(Attempt) -> A,
        A: Future<Output = Result<Parts, Status>>,
    {
        let mut made = 0;
        let failure = loop {
            let attempt = send(call.attempt());
            let opened = call.in_time(async {
                let mut parts = attempt.await?;
                let first = poll_fn(|context| parts.poll_part(context)).await;
                Ok((parts, first.transpose()?))
            });
            let failure = match opened.await {
                None => Failure {
                    error: call.too_late(),
                    again: None,
                },
                Some(Err(status)) => call.failure(&status),
                Some(Ok((parts, Some(Part::Header(header))))) => {
                    return Ok(Self {
                        ends: call
                            .deadline()
                            .map(|at| Box::pin(tokio::time::sleep_until(at))),
                        call,
                        columns: header.columns.into(),
                        state: State::Open(parts),
                        batch: Vec::new().into_iter(),
                        given: 0,
                        turn: turn.map(Turn::answered),
                    });
                }
                Some(Ok(_)) => Failure {
                    error: interrupted(&call, 0, "it did not begin with its columns".to_owned()),
                    again: None,
                },
            };
            made += 1;
            match call.pause(made, &failure) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => break failure,
            }
        };
        Err(match turn.map(Turn::answered) {
            Some(turn) => turn.transaction().note(failure.error),
            None => failure.error,
        })
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The id of the request, which the log of the server knows.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.call.request_id
    }

    /// The next row; `None` after the last.
    ///
    /// # Errors
    /// [`Error::Refused`] if the statement failed, [`Error::Interrupted`] if the answer was cut short,
    /// [`Error::Deadline`] if its time is over. Nothing comes after an error.
    pub async fn next(&mut self) -> Result<Option<Row>, Error> {
        poll_fn(|context| self.poll_row(context)).await.transpose()
    }

    /// What is known after the last row, once that was given.
    #[must_use]
    pub fn summary(&self) -> Option<&Summary> {
        match &self.state {
            State::Done(summary) | State::Told(_, summary) => Some(summary),
            State::Open(_) | State::Failed => None,
        }
    }

    /// Reads the rest of the rows away, and gives the summary.
    ///
    /// # Errors
    /// Those of [`Rows::next`].
    pub async fn finish(mut self) -> Result<Summary, Error> {
        while self.next().await?.is_some() {}
        match std::mem::replace(&mut self.state, State::Failed) {
            State::Done(summary) | State::Told(_, summary) => Ok(*summary),
            State::Open(_) | State::Failed => Err(interrupted(
                &self.call,
                self.given,
                "it had failed before".to_owned(),
            )),
        }
    }

    /// The rest of the rows, each as a `T`: see [`Row::deserialize`].
    pub fn deserialize<T: DeserializeOwned>(self) -> TypedRows<T> {
        TypedRows {
            rows: self,
            what: PhantomData,
        }
    }

    fn poll_row(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Row, Error>>> {
        loop {
            if let Some(row) = self.batch.next() {
                self.given += 1;
                let row = self.row(row);
                return Poll::Ready(Some(row.inspect_err(|_| self.end(State::Failed))));
            }
            let parts = match &mut self.state {
                State::Open(parts) | State::Told(parts, _) => parts,
                State::Done(_) | State::Failed => return Poll::Ready(None),
            };
            let Poll::Ready(part) = parts.poll_part(context) else {
                if let Some(ends) = &mut self.ends
                    && ends.as_mut().poll(context).is_ready()
                {
                    return self.fail(Error::Deadline {
                        allowed: self.call.allowed().unwrap_or_default(),
                    });
                }
                return Poll::Pending;
            };
            match (part, std::mem::replace(&mut self.state, State::Failed)) {
                // What is told is told; how the stream ends after that changes nothing.
                (None | Some(Err(_)), State::Told(_, summary)) => {
                    self.end(State::Done(summary));
                    return Poll::Ready(None);
                }
                (Some(Ok(Part::Rows(batch))), State::Open(parts)) => {
                    self.state = State::Open(parts);
                    self.batch = batch.rows.into_iter();
                }
                (Some(Ok(Part::Summary(summary))), State::Open(parts)) => {
                    self.state = State::Told(parts, Box::new(Summary::made_of(*summary)));
                }
                // A part that is newer than this client, beside those that it knows.
                (Some(Ok(Part::Unknown)), state) => self.state = state,
                (Some(Err(status)), _) => {
                    let error = self.of_status(&status);
                    return self.fail(error);
                }
                (None, _) => {
                    let problem = "it ended without its summary".to_owned();
                    let error = interrupted(&self.call, self.given, problem);
                    return self.fail(error);
                }
                (Some(Ok(Part::Header(_) | Part::Rows(_) | Part::Summary(_))), _) => {
                    return self.fail(Error::protocol("parts of an answer in a wrong order"));
                }
            }
        }
    }

    fn row(&self, sent: v1::Row) -> Result<Row, Error> {
        if sent.values.len() != self.columns.len() {
            return Err(Error::protocol(
                "a row with more or fewer values than columns",
            ));
        }
        let values = sent.values.into_iter().map(from_wire);
        let values = values.collect::<Result<_, _>>();
        let values = values.map_err(|error| Error::protocol(error.to_string()))?;
        Ok(Row::new(Arc::clone(&self.columns), values))
    }

    /// What a status means in the middle of an answer: nothing is done again, and what was done before the header stays done.
    fn of_status(&self, status: &Status) -> Error {
        if let Some(error) = too_large(status) {
            return error;
        }
        match self.call.failure(status).error {
            Error::OutcomeUnknown { problem, .. } | Error::Connect { problem, .. } => {
                interrupted(&self.call, self.given, problem)
            }
            Error::Refused(refusal) if !refusal.is_ours() => {
                interrupted(&self.call, self.given, refusal.to_string())
            }
            other => other,
        }
    }

    fn fail(&mut self, error: Error) -> Poll<Option<Result<Row, Error>>> {
        let error = match error {
            // After its header a statement that writes has been done: the time being over takes nothing back.
            Error::Deadline { allowed } if self.call.safety == Safety::MayWrite => {
                let problem = format!("its time of {} ms was over", allowed.as_millis());
                interrupted(&self.call, self.given, problem)
            }
            error => error,
        };
        let error = match &self.turn {
            Some(turn) => turn.transaction().note(error),
            None => error,
        };
        self.end(State::Failed);
        Poll::Ready(Some(Err(error)))
    }

    /// Lets go of the stream, and of the turn in the transaction.
    fn end(&mut self, state: State) {
        self.state = state;
        self.batch = Vec::new().into_iter();
        self.ends = None;
        self.turn = None;
    }
}

fn interrupted(call: &Call, rows: u64, problem: String) -> Error {
    Error::Interrupted {
        request_id: call.request_id.clone(),
        rows,
        problem,
        may_have_written: call.safety == Safety::MayWrite,
    }
}

impl Stream for Rows {
    type Item = Result<Row, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_row(context)
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Rows")
            .field("columns", &self.columns)
            .field("given", &self.given)
            .finish_non_exhaustive()
    }
}

/// The rows of an answer, each as a `T`.
#[derive(Debug)]
#[must_use = "rows that are dropped stop their statement"]
pub struct TypedRows<T> {
    rows: Rows,
    what: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> TypedRows<T> {
    /// The next row; `None` after the last.
    ///
    /// # Errors
    /// Those of [`Rows::next`], and [`Error::Type`] if it is no `T`; the rows after it can be read all the same.
    pub async fn next(&mut self) -> Result<Option<T>, Error> {
        let row = self.rows.next().await?;
        row.map(|row| row.deserialize()).transpose()
    }

    /// What is known after the last row, once that was given.
    #[must_use]
    pub fn summary(&self) -> Option<&Summary> {
        self.rows.summary()
    }
}

impl<T: DeserializeOwned> Stream for TypedRows<T> {
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let row = ready!(self.get_mut().rows.poll_row(context));
        Poll::Ready(row.map(|row| row.and_then(|row| row.deserialize())))
    }
}
