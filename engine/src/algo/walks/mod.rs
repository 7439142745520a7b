//! Counting what matches a figure of nodes and links, without making the matches.
//!
//! ```text
//! (a)-->(b)-->(c)            for each a, for each b: as many as the row of b is long
//! (a)-->(b)-->(c)<--(a)      for each a, for each b: where the rows of a and b meet
//! (a)-[:X]->(b)-[:Y]->(c)    no relationship can be both: sums by place, no walks at all
//! (a)<-[:X]-(b)-[:X]->(c)    all pairs by place, less those of a relationship with itself: no walks either
//! ```
//! Numbers are those of all trails: where a figure says so, no relationship is taken twice, also among
//! parallel ones and loops. The result does not depend on the number of threads.
//!
//! Next: `figure.rs`, then `fold.rs` and `trails.rs`.

mod barred;
mod bits;
mod classes;
mod figure;
mod fold;
mod leaf;
mod marks;
mod meet;
mod pairs;
mod parts;
mod rows;
#[cfg(test)]
mod tests;
mod trails;
mod work;

pub(crate) use bits::Bits;
pub(crate) use classes::{Class, Classes};
pub(crate) use figure::{Absent, Differ, Figure, Found, Ground, Link, Times, Wanted};
pub(crate) use rows::Rows;
pub(crate) use work::Looked;

use super::AlgoError;
use super::parallel::{MOST_THREADS, run_jobs};
use crate::storage::cancel::Watch;
use figure::Steps;
use fold::Rest;
use std::ops::Range;
use trails::{Walker, ends_of};
use work::Work;

/// One in so many places must be a start before going through all rows is better than walking from the starts.
const PLACES_PER_START: usize = 16;
/// Longer walks than this are so many that going through all rows is better, wherever they begin.
const SHORT: usize = 2;
/// Fewer starts than this for each thread are not shared out.
const STARTS_PER_THREAD: usize = 256;

const STEP: &str = "count walks";

/// Counts the matches of a figure that begin at these places, which ascend; each counts as often as is said beside it.
///
/// More entries than `looked` allows end it as if it were cancelled.
pub(crate) fn count(
    figure: &Figure,
    ground: &Ground<'_>,
    (starts, wanted): (&[(u32, u64)], Wanted),
    threads: usize,
    looked: &Looked,
    watch: &mut Watch<'_>,
) -> Result<Found, AlgoError> {
    let is_broad = |starts: &[_]| starts.len().saturating_mul(PLACES_PER_START) >= ground.places;
    let mut rest = Rest::new(figure, ground, starts, wanted);
    let links = || figure.nodes.iter().flatten();
    if is_broad(starts)
        || figure.nodes.len() > SHORT
        || links().any(|link| link.times != Times::Each)
    {
        rest = alone(rest, watch, |rest, beat| {
            let mut work = Work::new(looked, beat);
            let rest = rest.fold(ground, &mut work)?;
            work.finish()?;
            Ok(rest)
        })?;
    }
    if rest.figure.nodes.is_empty() {
        return Ok(rest.alone(ground.places));
    }
    let mut found = Found::nothing(rest.wanted, ground.places);
    for steps in rest.figure.turns(ground) {
        let ends = match is_broad(&rest.starts) {
            true => ends(&steps, &rest, ground, looked, watch)?,
            false => None,
        };
        let more = walk(
            &steps,
            (&rest, ends.as_deref()),
            ground,
            threads,
            (looked, watch),
        )?;
        found.add(&more);
    }
    Ok(found)
}

/// How often the last node is found from each place, where that is more than a length: nodes before it are met often.
fn ends(
    steps: &Steps<'_>,
    rest: &Rest<'_>,
    ground: &Ground<'_>,
    looked: &Looked,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<u64>>, AlgoError> {
    let last = steps.len();
    let Some([link]) = steps.last().map(Vec::as_slice) else {
        return Ok(None);
    };
    if link.loops && rest.is_plain(last) {
        return Ok(None);
    }
    let ends = alone((), watch, |(), beat| {
        let mut work = Work::new(looked, beat);
        let mut ends = Vec::with_capacity(ground.places);
        for near in 0..ground.places as u32 {
            work.look(1 + link.rows.degree(near))?;
            ends.push(ends_of(link, near, |far| rest.weight(last, far)));
        }
        work.finish()?;
        Ok(ends)
    })?;
    Ok(Some(ends))
}

fn walk(
    steps: &Steps<'_>,
    (rest, ends): (&Rest<'_>, Option<&[u64]>),
    ground: &Ground<'_>,
    threads: usize,
    (looked, watch): (&Looked, &mut Watch<'_>),
) -> Result<Found, AlgoError> {
    let jobs = shares(steps, &rest.starts, threads);
    let parts = run_jobs(jobs, STEP, watch, |share, pulse| {
        let mut beat = || pulse.beat(0, 0);
        let work = Work::new(looked, &mut beat);
        let starts = rest.starts.get(share).unwrap_or_default();
        Walker::new(steps, (rest, ends), ground, work).walk(starts)
    })?;
    let mut parts = parts.into_iter();
    let mut found = (parts.next()).unwrap_or_else(|| Found::nothing(rest.wanted, ground.places));
    parts.for_each(|part| found.add(&part));
    Ok(found)
}

/// The work on the calling thread.
fn alone<J: Send, T: Send>(
    job: J,
    watch: &mut Watch<'_>,
    work: impl Fn(J, &mut dyn FnMut() -> Result<(), AlgoError>) -> Result<T, AlgoError> + Sync,
) -> Result<T, AlgoError> {
    let mut results = run_jobs(vec![job], STEP, watch, |job, pulse| {
        work(job, &mut || pulse.beat(0, 0))
    })?;
    let result = results.pop();
    result.ok_or_else(|| crate::error::Error::bug("a job gave no result").into())
}

/// Starts in portions that have about as many links each.
fn shares(steps: &Steps<'_>, starts: &[(u32, u64)], threads: usize) -> Vec<Range<usize>> {
    let threads = threads
        .min(starts.len() / STARTS_PER_THREAD)
        .clamp(1, MOST_THREADS);
    let links = |start: u32| {
        let first = steps.first().and_then(|links| links.first());
        1 + first.map_or(0, |link| link.rows.degree(start))
    };
    if threads == 1 {
        return std::iter::once(0..starts.len()).collect();
    }
    let all: usize = starts.iter().map(|(start, _)| links(*start)).sum();
    let (mut shares, mut begin, mut sum) = (Vec::with_capacity(threads), 0, 0);
    for (at, (start, _)) in starts.iter().enumerate() {
        sum += links(*start);
        if sum * threads >= all * (shares.len() + 1) {
            shares.push(begin..at + 1);
            begin = at + 1;
        }
    }
    if begin < starts.len() {
        shares.push(begin..starts.len());
    }
    shares
}
