//! Counting what matches a figure of nodes and links, without making the matches.
//!
//! ```text
//! (a)-->(b)-->(c)            for each a, for each b: as many as the row of b is long
//! (a)-->(b)-->(c)<--(a)      for each a, for each b: where the rows of a and b meet
//! (a)-[:X]->(b)-[:Y]->(c)    no relationship can be both: sums by place, no walks at all
//! ```
//! Numbers are those of all trails: where a figure says so, no relationship is taken twice, also among
//! parallel ones and loops. The result does not depend on the number of threads.
//!
//! Next: `figure.rs`, then `trails.rs`.

mod bits;
mod figure;
mod marks;
mod meet;
mod rows;
#[cfg(test)]
mod tests;
mod trails;
mod tree;
mod work;

pub(crate) use bits::Bits;
pub(crate) use figure::{Figure, Found, Ground, Link, Wanted};
pub(crate) use rows::Rows;
pub(crate) use work::Looked;

use super::AlgoError;
use super::parallel::{MOST_THREADS, run_jobs};
use crate::storage::cancel::Watch;
use figure::Steps;
use std::ops::Range;
use trails::Walker;
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
    let mut found = Found::nothing(wanted, ground.places);
    let is_broad = starts.len().saturating_mul(PLACES_PER_START) >= ground.places;
    let by_rows = figure.is_free() && (is_broad || figure.nodes.len() > SHORT);
    for steps in figure.turns(ground) {
        let more = match wanted {
            Wanted::Total | Wanted::Each(0) if by_rows => {
                back(&steps, ground, (starts, wanted), looked, watch)?
            }
            Wanted::Last | Wanted::Each(_) if by_rows && ends_a_chain(figure, wanted) => {
                forward(&steps, ground, (starts, wanted), looked, watch)?
            }
            _ => walk(&steps, ground, (starts, wanted), threads, (looked, watch))?,
        };
        found.add(&more);
    }
    Ok(found)
}

/// Whether what is asked is about the last node of a chain.
fn ends_a_chain(figure: &Figure, wanted: Wanted) -> bool {
    let last = figure.nodes.len();
    figure.is_chain() && (wanted == Wanted::Last || wanted == Wanted::Each(last))
}

fn back(
    steps: &Steps<'_>,
    ground: &Ground<'_>,
    (starts, wanted): (&[(u32, u64)], Wanted),
    looked: &Looked,
    watch: &mut Watch<'_>,
) -> Result<Found, AlgoError> {
    let ways = alone(watch, |beat| {
        let mut work = Work::new(looked, beat);
        let ways = tree::back(steps, ground, &mut work)?;
        work.finish()?;
        Ok(ways)
    })?;
    let mut found = Found::nothing(wanted, ground.places);
    for (start, times) in starts.iter().copied() {
        let walks = (ways.get(start as usize)).map_or(0, |ways| ways.saturating_mul(times));
        match found.each.get_mut(start as usize) {
            Some(each) => *each = each.saturating_add(walks),
            None => found.total = found.total.saturating_add(walks),
        }
    }
    Ok(found)
}

fn forward(
    steps: &Steps<'_>,
    ground: &Ground<'_>,
    (starts, wanted): (&[(u32, u64)], Wanted),
    looked: &Looked,
    watch: &mut Watch<'_>,
) -> Result<Found, AlgoError> {
    let ways = alone(watch, |beat| {
        let mut work = Work::new(looked, beat);
        let ways = tree::forward(steps, ground, starts, &mut work)?;
        work.finish()?;
        Ok(ways)
    })?;
    let mut found = Found::default();
    match wanted {
        Wanted::Last => found.last = tree::which(&ways),
        Wanted::Total | Wanted::Each(_) => found.each = ways,
    }
    Ok(found)
}

fn walk(
    steps: &Steps<'_>,
    ground: &Ground<'_>,
    (starts, wanted): (&[(u32, u64)], Wanted),
    threads: usize,
    (looked, watch): (&Looked, &mut Watch<'_>),
) -> Result<Found, AlgoError> {
    let jobs = shares(steps, starts, threads);
    let parts = run_jobs(jobs, STEP, watch, |share, pulse| {
        let mut beat = || pulse.beat(0, 0);
        let work = Work::new(looked, &mut beat);
        Walker::new(steps, ground, wanted, work).walk(starts.get(share).unwrap_or_default())
    })?;
    let mut parts = parts.into_iter();
    let mut found = (parts.next()).unwrap_or_else(|| Found::nothing(wanted, ground.places));
    parts.for_each(|part| found.add(&part));
    Ok(found)
}

/// The work on the calling thread.
fn alone<T: Send>(
    watch: &mut Watch<'_>,
    work: impl Fn(&mut dyn FnMut() -> Result<(), AlgoError>) -> Result<T, AlgoError> + Sync,
) -> Result<T, AlgoError> {
    let mut results = run_jobs(vec![()], STEP, watch, |(), pulse| {
        work(&mut || pulse.beat(0, 0))
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
