//! An index of this process as a peer: one query per call on one thread, timed here.

use super::cost::Cost;
use super::curve::{LONG_S, Point, hits};
use super::filters::Group;
use super::peer::{Built, Peer};
use super::set::VectorSet;
use super::truth::K;
use anyhow::{Context, Result};

/// An index over the rows of a set.
pub(super) trait Index: Sized {
    fn build(set: &VectorSet, threads: usize) -> Result<Self>;

    /// At most [`K`] rows into the empty `found`.
    fn search(&mut self, query: &[f32], breadth: usize, found: &mut Vec<u32>) -> Result<()>;

    /// The same among the rows of the group.
    fn search_among(
        &mut self,
        query: &[f32],
        breadth: usize,
        group: &Group,
        found: &mut Vec<u32>,
    ) -> Result<()>;
}

pub(super) struct InProcess<'a, I> {
    set: &'a VectorSet,
    index: Option<I>,
    /// Of the first build: a later one finds memory that the one before has left to the process.
    rss_bytes: f64,
}

impl<'a, I: Index> InProcess<'a, I> {
    pub(super) fn new(set: &'a VectorSet) -> Self {
        Self {
            set,
            index: None,
            rss_bytes: 0.0,
        }
    }
}

impl<I: Index> Peer for InProcess<'_, I> {
    fn build(&mut self, threads: usize) -> Result<Built> {
        self.index = None;
        let cost = Cost::begin();
        let index = I::build(self.set, threads)?;
        let (cpu_s, wall_s) = (cost.cpu_s(), cost.wall_s());
        self.rss_bytes = self.rss_bytes.max(cost.rss_bytes());
        self.index = Some(index);
        Ok(Built {
            cpu_s,
            wall_s,
            rss_bytes: self.rss_bytes,
        })
    }

    fn search(&mut self, breadths: &[usize], until: f64) -> Result<Vec<Point>> {
        let set = self.set;
        let index = self.index.as_mut().context("search before build")?;
        let queries = || set.queries.chunks_exact(set.dims);
        let mut found = Vec::new();
        for query in queries() {
            // A round that does not count: caches are as they are in the middle of work.
            found.clear();
            index.search(query, K, &mut found)?;
        }
        let one = |breadth| {
            let (mut right, mut rows) = (0, 0);
            let cost = Cost::begin();
            for (query, truth) in queries().zip(set.truth.chunks_exact(K)) {
                found.clear();
                index.search(query, breadth, &mut found)?;
                right += hits(&found, truth);
                rows += found.len();
            }
            let count = set.truth.len() / K;
            Ok(point(&cost, breadth, count, right, set.truth.len(), rows))
        };
        curve(breadths, until, one)
    }

    fn filtered(
        &mut self,
        case: &str,
        breadths: &[usize],
        until: f64,
    ) -> Result<Option<Vec<Point>>> {
        let set = self.set;
        let index = self.index.as_mut().context("search before build")?;
        let case = set.cases.iter().find(|known| known.name == case);
        let case = case.context("there is no such case")?;
        let wanted = case.truth.iter().filter(|row| **row != u32::MAX).count();
        let mut found = Vec::new();
        let mut pass = |breadth| {
            let (mut right, mut rows) = (0, 0);
            let mut truths = case.truth.chunks_exact(K);
            for group in &case.groups {
                for query in &group.queries {
                    found.clear();
                    index.search_among(set.query(*query), breadth, group, &mut found)?;
                    right += hits(&found, truths.next().context("too few answers")?);
                    rows += found.len();
                }
            }
            anyhow::Ok((right, rows))
        };
        let queries = case.truth.len() / K;
        let one = |breadth| {
            let cost = Cost::begin();
            let (right, rows) = pass(breadth)?;
            if cost.cpu_s() >= LONG_S {
                return Ok(point(&cost, breadth, queries, right, wanted, rows));
            }
            let cost = Cost::begin();
            let mut passes = 0;
            while cost.cpu_s() < LONG_S {
                pass(breadth)?;
                passes += 1;
            }
            let count = queries * passes;
            let (right, wanted, rows) = (right * passes, wanted * passes, rows * passes);
            Ok(point(&cost, breadth, count, right, wanted, rows))
        };
        curve(breadths, until, one).map(Some)
    }
}

/// Stops where the recall is reached: the slow end of the curve says nothing more.
fn curve(
    breadths: &[usize],
    until: f64,
    mut one: impl FnMut(usize) -> Result<Point>,
) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for &breadth in breadths {
        let point = one(breadth)?;
        points.push(point);
        if point.recall >= until {
            break;
        }
    }
    Ok(points)
}

fn point(
    cost: &Cost,
    breadth: usize,
    queries: usize,
    right: usize,
    wanted: usize,
    rows: usize,
) -> Point {
    let queries = queries as f64;
    Point {
        breadth,
        recall: right as f64 / wanted as f64,
        qps_cpu: queries / cost.cpu_s(),
        qps_wall: queries / cost.wall_s(),
        rows: rows as f64 / queries,
    }
}
