//! Statements that are over before a thread could be woken are run where they came in.
//!
//! To wake a thread and to be woken by it costs more than a look at one node does. So a statement that reads and has been
//! quick on its thread a few times is tried on the thread of its call, with a small share of time, steps and rows. If
//! that is not enough, or anything goes wrong, what was found is thrown away and the statement begins anew on a thread
//! of its own: it has read a snapshot, and nobody was told anything. Each such try costs it some of its good name, so
//! that one that is often long is seldom tried, and one that a busy machine has held up once still is.
//!
//! It must never run what writes, and never give less than a thread would. Next: `services/query.rs`, which calls it.

use crate::convert;
use crate::failure::Failure;
use crate::run::Run;
use crate::work::{Batch, PartStream, caught};
use std::hash::{BuildHasher as _, RandomState};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use stratigraph_proto::v1::{self, ExecutionMode, query_response::Part};
use tokio_stream::Stream;
use tonic::Status;

/// What took no longer on its thread was quick.
const QUICK: Duration = Duration::from_micros(500);
/// How long a try may take. The engine looks at the clock from time to time, so this is about what others wait for.
const TRY_TIME: Duration = Duration::from_millis(2);
/// How many rows and relationships a try may go through.
const TRY_STEPS: u64 = 2048;
/// What a try may answer with.
const TRY_ROWS: usize = 64;
const TRY_BYTES: usize = 16 << 10;
/// How often it must have been quick before it is tried.
const TIMES: u64 = 3;
/// What a run on a thread that was not quick takes away of that, and what a try for nothing does.
const SLOW_COSTS: u64 = 2;
const TRY_COSTS: u64 = 6;
/// How many statements are remembered. Two that share a place only cost each other tries.
const PLACES: usize = 1024;
/// The bits of a place that count; the others say whose it is.
const COUNT: u64 = 0xf;

/// What is known of statements.
pub(crate) struct Quick {
    places: Box<[AtomicU64]>,
    hasher: RandomState,
    is_on: bool,
}

/// A statement of a database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key(u64);

impl Quick {
    /// Nothing is known.
    pub(crate) fn new(config: &crate::Config) -> Self {
        Self {
            places: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
            hasher: RandomState::new(),
            // What is slow from the beginning has to be noted with its plan.
            is_on: config.slow_query_time.0 > TRY_TIME,
        }
    }

    pub(crate) fn key(&self, database: &str, text: &str) -> Key {
        Key(self.hasher.hash_one((database, text)) & !COUNT)
    }

    fn place(&self, key: Key) -> &AtomicU64 {
        // The lowest bits count.
        &self.places[(key.0 >> 4) as usize % PLACES]
    }

    /// Whether it is likely to be over soon.
    pub(crate) fn is_likely(&self, key: Key) -> bool {
        let known = self.place(key).load(Ordering::Relaxed);
        self.is_on && known & !COUNT == key.0 && known & COUNT >= TIMES
    }

    /// It has run on a thread for so long.
    pub(crate) fn note(&self, key: Key, took: Duration) {
        if took <= QUICK {
            self.change(key, |count| count + 1);
        } else {
            self.change(key, |count| count.saturating_sub(SLOW_COSTS));
        }
    }

    /// Another thread may change it at the same time; one of the two is lost then, which does not matter.
    fn change(&self, key: Key, change: impl FnOnce(u64) -> u64) {
        let place = self.place(key);
        let known = place.load(Ordering::Relaxed);
        let is_his = known & !COUNT == key.0;
        let count = change(if is_his { known & COUNT } else { 0 }).min(COUNT);
        // What is not known to be quick takes nobody's place.
        if is_his || count > 0 {
            place.store(key.0 | count, Ordering::Relaxed);
        }
    }

    /// All of the answer to one that is likely to be over soon, if it is.
    pub(crate) fn answer(&self, key: Key, run: &Run<'_>) -> Option<AnswerStream> {
        if run.limits.mode != ExecutionMode::Unspecified {
            return None;
        }
        let began = Instant::now();
        // Why it is not answered will be found again, on a thread.
        let answered = caught(|| answer(run, began)).ok().flatten();
        match answered {
            Some(_) => self.change(key, |count| count + 1),
            None => self.change(key, |count| count.saturating_sub(TRY_COSTS)),
        }
        answered.map(|parts| AnswerStream::Ready(parts.into_iter()))
    }
}

fn answer(run: &Run<'_>, began: Instant) -> Result<Option<Vec<v1::QueryResponse>>, Failure> {
    let options = run
        .limits
        .options_of_a_try(run.cancel, TRY_TIME, TRY_STEPS)?;
    let read = run.database.read(run.cancel)?;
    let mut rows = read.query_with(run.text, run.parameters, &options)?;
    let columns = rows.columns().iter().map(ToString::to_string).collect();
    let mut parts = vec![part(Part::Header(v1::QueryHeader { columns }))];
    let mut batch = Batch::default();
    let (mut bytes, mut count) = (0, 0);
    for row in rows.by_ref() {
        bytes += batch.add(row?.values())?;
        count += 1;
        if bytes > TRY_BYTES || count > TRY_ROWS {
            return Ok(None);
        }
        if batch.rows() >= run.limits.batch_rows {
            parts.push(of_rows(&mut batch));
        }
    }
    if batch.rows() > 0 {
        parts.push(of_rows(&mut batch));
    }
    let summary = rows.finish()?;
    let elapsed = began.elapsed();
    let metrics = &run.shared.metrics;
    metrics.ran("read", summary.rows(), run.waited, elapsed, false);
    let mut told = convert::summary(&summary);
    told.queued_us = convert::micros(run.waited);
    told.elapsed_us = convert::micros(elapsed);
    parts.push(part(Part::Summary(told)));
    Ok(Some(parts))
}

fn part(part: Part) -> v1::QueryResponse {
    v1::QueryResponse { part: Some(part) }
}

fn of_rows(batch: &mut Batch) -> v1::QueryResponse {
    part(Part::Rows(v1::RowBatch::of_encoded(batch.take())))
}

/// The answer to a statement.
pub(crate) enum AnswerStream {
    /// All of it is there.
    Ready(std::vec::IntoIter<v1::QueryResponse>),
    /// It comes from a thread.
    Coming(PartStream<v1::QueryResponse>),
}

impl Stream for AnswerStream {
    type Item = Result<v1::QueryResponse, Status>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.get_mut() {
            Self::Ready(parts) => Poll::Ready(parts.next().map(Ok)),
            Self::Coming(parts) => Pin::new(parts).poll_next(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Duration = Duration::from_millis(1);

    #[test]
    fn what_was_quick_a_few_times_is_tried_until_it_is_slow() {
        let quick = Quick::new(&crate::Flags::default().resolve().unwrap());
        let (one, other) = (quick.key("a", "RETURN 1"), quick.key("b", "RETURN 1"));
        assert_ne!(one.0, other.0);
        for _ in 0..TIMES {
            assert!(!quick.is_likely(one));
            quick.note(one, QUICK);
        }
        assert!(quick.is_likely(one) && !quick.is_likely(other));
        quick.note(one, SLOW);
        assert!(!quick.is_likely(one));
        // One that was quick for long may be slow now and then, but not often.
        (0..100).for_each(|_| quick.note(one, QUICK));
        quick.note(one, SLOW);
        assert!(quick.is_likely(one) && quick.place(one).load(Ordering::Relaxed) & !COUNT == one.0);
        (0..10).for_each(|_| quick.note(one, SLOW));
        assert!(!quick.is_likely(one));
    }

    #[test]
    fn where_everything_is_slow_nothing_is_tried() {
        let mut config = crate::Flags::default().resolve().unwrap();
        config.slow_query_time = "0ms".parse().unwrap();
        let quick = Quick::new(&config);
        let key = quick.key("a", "RETURN 1");
        (0..10).for_each(|_| quick.note(key, QUICK));
        assert!(!quick.is_likely(key));
    }
}
