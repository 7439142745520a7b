//! The rounds of PageRank, shared out over threads block by block.
//!
//! A round fills the sums of every row from the gifts of the round before, and then turns sums into
//! scores and gifts. How sums are filled is chosen in `layout.rs`.

use std::ops::Range;

use super::restart::Restart;
use super::tiles::{BLOCK, STRIPE, Tiles};
use super::{PageRank, PageRankOptions};
use crate::algo::AlgoError;
use crate::algo::parallel::{Pulse, run_jobs, split_by};
use crate::storage::cancel::Watch;

/// All scores together while rounds are taken. A large power of two keeps the scores of far-away
/// nodes from becoming subnormal in 32 bits, which would be slow and inexact; it divides out exactly.
const WHOLE: f64 = (1_u64 << 60) as f64;

/// Sums over nodes are taken in this many interleaved lanes, which the compiler turns into vectors.
const LANES: usize = 8;

/// What stays the same in all rounds.
pub(super) struct Walk<'a> {
    restart: &'a Restart,
    options: &'a PageRankOptions,
    /// The rows of each thread: whole blocks.
    ranges: Vec<Range<usize>>,
    /// By place: the part of its score that a node gives along each relationship (of weight 1).
    shares: Vec<f64>,
    /// The nodes that lead nowhere, in ascending order; their shares are 0.
    nowhere: Vec<u32>,
}

/// What a block of rows adds to the sums over all nodes.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// The scores of nodes that lead nowhere.
    dangling: f64,
    change: f64,
}

/// What one thread writes in a round, all for the same rows.
pub(super) struct Job<'a, G> {
    number: usize,
    range: Range<usize>,
    /// Padded to whole blocks.
    scores: &'a mut [f64],
    gifts: &'a mut [G],
    sums: &'a mut [Sums],
}

/// What all threads read in a round.
pub(super) struct Round<'a, G, R> {
    walk: &'a Walk<'a>,
    gifts: &'a [G],
    /// If somebody wants to know the change.
    old_scores: Option<&'a [f64]>,
    damping: f64,
    /// The score that restarts in this round.
    restarting: f64,
    rounded: R,
}

impl<'a> Walk<'a> {
    /// Prepares the rounds; `away` tells how much leads away from a place.
    pub(super) fn new(
        restart: &'a Restart,
        options: &'a PageRankOptions,
        ranges: Vec<Range<usize>>,
        away: impl Fn(u32) -> f64 + Sync,
        watch: &mut Watch<'_>,
    ) -> Result<Self, AlgoError> {
        let mut shares = vec![0.0; ranges.last().map_or(0, |range| range.end)];
        let pieces = split_by(&mut shares, ranges.iter().map(ExactSizeIterator::len));
        let jobs = ranges.iter().cloned().zip(pieces).collect();
        let nowhere = run_jobs(jobs, "prepare PageRank", watch, |(range, shares), pulse| {
            let mut nowhere = Vec::new();
            for (place, share) in range.clone().zip(shares) {
                if place.is_multiple_of(BLOCK) {
                    pulse.beat(place, range.end)?;
                }
                let away = away(place as u32);
                if away > 0.0 {
                    *share = away.recip();
                } else {
                    nowhere.push(place as u32);
                }
            }
            Ok(nowhere)
        })?;
        Ok(Self {
            restart,
            options,
            ranges,
            shares,
            nowhere: nowhere.concat(),
        })
    }

    /// The rows of each thread.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        self.ranges.clone()
    }

    /// The listed nodes of these rows that lead nowhere.
    fn nowhere(&self, rows: &Range<usize>) -> &[u32] {
        let before = |end: usize| {
            self.nowhere
                .partition_point(|&place| (place as usize) < end)
        };
        &self.nowhere[before(rows.start)..before(rows.end)]
    }

    /// Takes rounds until they are enough. `rounded` stores a gift; `work` fills the sums of one
    /// thread and finishes them.
    pub(super) fn rounds<G: Copy + Default + Send + Sync, R: Fn(f64) -> G + Copy + Sync>(
        &self,
        rounded: R,
        work: impl Fn(Job<'_, G>, &Round<'_, G, R>, &mut Pulse<'_, '_>) -> Result<(), AlgoError> + Sync,
        watch: &mut Watch<'_>,
    ) -> Result<PageRank, AlgoError> {
        let nodes = self.shares.len();
        let options = self.options;
        let padded = nodes.next_multiple_of(BLOCK);
        let wants_change = options.tolerance > 0.0;
        let mut scores = vec![0.0; padded];
        let mut old_scores = vec![0.0; if wants_change { padded } else { 0 }];
        let mut gifts = vec![G::default(); nodes.next_multiple_of(STRIPE)];
        let mut old_gifts = vec![G::default(); gifts.len()];
        let mut sums = vec![Sums::default(); padded / BLOCK];

        // At first everybody restarts, and nobody has been given anything.
        let first = Round {
            walk: self,
            gifts: &old_gifts,
            old_scores: None,
            damping: 0.0,
            restarting: WHOLE,
            rounded,
        };
        let jobs = self.jobs(&mut scores, &mut gifts, &mut sums);
        run_jobs(jobs, "prepare PageRank", watch, |job, pulse| {
            first.by_rows(job, |_, _, sums| sums.fill(0.0), pulse)
        })?;

        let mut done = 0;
        let mut change = None;
        while done < options.iterations && nodes > 0 {
            watch.step("PageRank", u64::from(done), u64::from(options.iterations))?;
            if wants_change {
                std::mem::swap(&mut scores, &mut old_scores);
            }
            std::mem::swap(&mut gifts, &mut old_gifts);
            let dangling: f64 = sums.iter().map(|sums| sums.dangling).sum();
            let round = Round {
                walk: self,
                gifts: &old_gifts,
                old_scores: wants_change.then_some(&*old_scores),
                damping: options.damping,
                restarting: WHOLE * (1.0 - options.damping) + options.damping * dangling,
                rounded,
            };
            let jobs = self.jobs(&mut scores, &mut gifts, &mut sums);
            run_jobs(jobs, "walk through blocks", watch, |job, pulse| {
                work(job, &round, pulse)
            })?;
            done += 1;
            if wants_change {
                let sum = sums.iter().map(|sums| sums.change).sum::<f64>() / WHOLE;
                change = Some(sum);
                if sum < options.tolerance {
                    break;
                }
            }
        }
        let jobs = self.jobs(&mut scores, &mut gifts, &mut sums);
        run_jobs(jobs, "finish PageRank", watch, |job, _| {
            for score in job.scores {
                *score /= WHOLE;
            }
            Ok(())
        })?;
        scores.truncate(nodes);
        Ok(PageRank {
            scores,
            iterations: done,
            change,
        })
    }

    /// Cuts what is written in a round into the pieces of the threads.
    fn jobs<'j, G>(
        &self,
        scores: &'j mut [f64],
        gifts: &'j mut [G],
        sums: &'j mut [Sums],
    ) -> Vec<Job<'j, G>> {
        let blocks = || self.ranges.iter().map(|rows| rows.len().div_ceil(BLOCK));
        let rows = || blocks().map(|blocks| blocks * BLOCK);
        split_by(scores, rows())
            .into_iter()
            .zip(split_by(gifts, rows()))
            .zip(split_by(sums, blocks()))
            .zip(&self.ranges)
            .enumerate()
            .map(|(number, (((scores, gifts), sums), range))| Job {
                number,
                range: range.clone(),
                scores,
                gifts,
                sums,
            })
            .collect()
    }
}

impl<G: Copy, R: Fn(f64) -> G + Copy> Round<'_, G, R> {
    /// Fills the sums of a block with `fill`, block after block.
    pub(super) fn by_rows(
        &self,
        job: Job<'_, G>,
        fill: impl Fn(Range<usize>, &[G], &mut [f64]),
        pulse: &mut Pulse<'_, '_>,
    ) -> Result<(), AlgoError> {
        let starts = job.range.clone().step_by(BLOCK);
        let blocks = job
            .scores
            .chunks_mut(BLOCK)
            .zip(job.gifts.chunks_mut(BLOCK));
        for ((start, (scores, gifts)), sums) in starts.zip(blocks).zip(job.sums) {
            pulse.beat(start, job.range.end)?;
            let rows = start..(start + BLOCK).min(job.range.end);
            fill(rows.clone(), self.gifts, scores);
            *sums = self.finish(&rows, scores, gifts);
        }
        Ok(())
    }

    /// Turns the sums of a block into its scores and gifts.
    fn finish(&self, rows: &Range<usize>, scores: &mut [f64], gifts: &mut [G]) -> Sums {
        let scores = &mut scores[..rows.len()];
        let restart = self.walk.restart;
        let base = self.restarting * restart.common_share(self.walk.shares.len());
        for score in &mut *scores {
            *score = base + self.damping * *score;
        }
        for &(place, share) in restart.listed(rows) {
            scores[place as usize - rows.start] += share * self.restarting;
        }
        let shares = &self.walk.shares[rows.clone()];
        for ((gift, score), share) in gifts.iter_mut().zip(&*scores).zip(shares) {
            *gift = (self.rounded)(score * share);
        }
        let score = |&place: &u32| scores[place as usize - rows.start];
        let change = |old: &[f64]| change_of(scores, &old[rows.clone()]);
        Sums {
            dangling: self.walk.nowhere(rows).iter().map(score).sum(),
            change: self.old_scores.map_or(0.0, change),
        }
    }
}

impl<R: Fn(f64) -> f32 + Copy> Round<'_, f32, R> {
    /// Fills the sums of all blocks of a thread stripe by stripe.
    pub(super) fn by_tiles(
        &self,
        job: Job<'_, f32>,
        tiles: &[Tiles],
        pulse: &mut Pulse<'_, '_>,
    ) -> Result<(), AlgoError> {
        let Job {
            number,
            range,
            scores,
            gifts,
            sums,
        } = job;
        let Some(tiles) = tiles.get(number) else {
            return Ok(());
        };
        let (stripes, _) = self.gifts.as_chunks::<STRIPE>();
        let (blocks, _) = scores.as_chunks_mut::<BLOCK>();
        for (stripe, stripe_gifts) in stripes.iter().enumerate() {
            let is_last = stripe + 1 == stripes.len();
            let outputs = gifts.chunks_mut(BLOCK).zip(&mut *sums);
            for ((block, scores), (gifts, sums)) in blocks.iter_mut().enumerate().zip(outputs) {
                pulse.beat(stripe, stripes.len())?;
                if stripe == 0 {
                    scores.fill(0.0);
                }
                tiles.add(stripe, block, stripe_gifts, scores);
                if is_last {
                    let start = range.start + block * BLOCK;
                    let rows = start..(start + BLOCK).min(range.end);
                    *sums = self.finish(&rows, scores, gifts);
                }
            }
        }
        Ok(())
    }
}

/// By how much the scores of a block have changed.
fn change_of(scores: &[f64], old: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (scores, old) in scores.chunks(LANES).zip(old.chunks(LANES)) {
        for ((score, old), lane) in scores.iter().zip(old).zip(&mut lanes) {
            *lane += (score - old).abs();
        }
    }
    lanes.iter().sum()
}
