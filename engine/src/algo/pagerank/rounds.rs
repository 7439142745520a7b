//! The rounds of PageRank, shared out over threads block by block.
//!
//! A round fills the sums of every row from the gifts of the round before, either row by row or
//! tile by tile, and then turns sums into scores and gifts.

use std::ops::Range;

use super::restart::Restart;
use super::tiles::{self, BLOCK, STRIPE, Tiles};
use super::{PageRank, PageRankOptions};
use crate::algo::parallel::{even_ranges, run_jobs, split_by};
use crate::algo::projection::Adjacency;
use crate::algo::{AlgoError, Projection};
use crate::storage::cancel::Watch;

/// All scores together while rounds are taken. A large power of two keeps the scores of far-away
/// nodes from becoming subnormal in 32 bits, which would be slow and inexact; it divides out exactly.
const WHOLE: f64 = (1_u64 << 60) as f64;

/// Sums over nodes are taken in this many interleaved lanes, which the compiler turns into vectors.
const LANES: usize = 8;

/// How sums are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Rows,
    Tiles,
    /// Tiles if they pay off.
    Best,
}

pub(super) fn run(
    projection: &Projection,
    restart: &Restart,
    options: &PageRankOptions,
    layout: Layout,
    watch: &mut Watch<'_>,
) -> Result<PageRank, AlgoError> {
    if options.weighted && !projection.is_weighted() {
        return Err(AlgoError::NoWeights);
    }
    let incoming = projection.build_incoming(watch)?;
    let nodes = incoming.len();
    // Threads get whole blocks.
    let block_starts = incoming.offsets().iter().copied().step_by(BLOCK);
    let entries = incoming.targets().len() as u32;
    let mut blocks: Vec<u32> = block_starts.take(nodes.div_ceil(BLOCK)).collect();
    blocks.push(entries);
    let ranges: Vec<Range<usize>> = even_ranges(&blocks, options.threads)
        .into_iter()
        .map(|blocks| blocks.start * BLOCK..(blocks.end * BLOCK).min(nodes))
        .collect();
    let walk = if options.weighted {
        Walk {
            restart,
            options,
            shares: weighted_shares(projection),
            ranges,
        }
    } else {
        let degree = |[start, end]: &[u32; 2]| f64::from(end - start);
        let degrees = projection.outgoing().offsets().array_windows().map(degree);
        Walk {
            restart,
            options,
            shares: degrees.map(inverse).collect(),
            ranges,
        }
    };
    if let Some(weights) = incoming.all_weights().filter(|_| options.weighted) {
        // Weighted gifts are divided by sums of weights, which may be tiny: they need 64 bits.
        let fill = |rows: Range<usize>, gifts: &[f64], sums: &mut [f64]| {
            for (sum, [start, end]) in sums.iter_mut().zip(windows(incoming, &rows)) {
                let entries = *start as usize..*end as usize;
                *sum = incoming.targets()[entries.clone()]
                    .iter()
                    .zip(&weights[entries])
                    .map(|(&source, &weight)| gifts[source as usize] * f64::from(weight))
                    .sum();
            }
        };
        return walk.rounds(|score| score, |job, round| round.by_rows(job, fill), watch);
    }
    let rounded = |score: f64| score as f32;
    let wants_tiles = match layout {
        Layout::Rows => false,
        Layout::Tiles => true,
        Layout::Best => tiles::pay_off(incoming, options.iterations),
    };
    if wants_tiles {
        let tiles = run_jobs(
            walk.ranges.clone(),
            "prepare PageRank",
            watch,
            |range, pulse| {
                pulse.beat(0, 1)?;
                Ok(Tiles::of(incoming, range))
            },
        )?;
        return walk.rounds(rounded, |job, round| round.by_tiles(job, &tiles), watch);
    }
    let fill = |rows: Range<usize>, gifts: &[f32], sums: &mut [f64]| {
        for (sum, [start, end]) in sums.iter_mut().zip(windows(incoming, &rows)) {
            let sources = &incoming.targets()[*start as usize..*end as usize];
            let gift = |&source: &u32| f64::from(gifts[source as usize]);
            *sum = sources.iter().map(gift).sum();
        }
    };
    walk.rounds(rounded, |job, round| round.by_rows(job, fill), watch)
}

/// The bounds of each of these rows.
fn windows<'a>(incoming: &'a Adjacency, rows: &Range<usize>) -> impl Iterator<Item = &'a [u32; 2]> {
    incoming.offsets()[rows.start..=rows.end].array_windows()
}

/// By place: one over the sum of the weights that lead away.
fn weighted_shares(projection: &Projection) -> Vec<f64> {
    let sum = |place| {
        let weights = projection.weights(place).unwrap_or_default();
        weights.iter().map(|&weight| f64::from(weight)).sum()
    };
    let places = 0..projection.len() as u32;
    places.map(sum).map(inverse).collect()
}

/// One over a degree; 0 marks a node that leads nowhere.
fn inverse(degree: f64) -> f64 {
    if degree > 0.0 { degree.recip() } else { 0.0 }
}

/// What stays the same in all rounds.
struct Walk<'a> {
    restart: &'a Restart,
    options: &'a PageRankOptions,
    /// By place: the part of its score that a node gives along each relationship (of weight 1).
    shares: Vec<f64>,
    /// The rows of each thread.
    ranges: Vec<Range<usize>>,
}

/// The nodes that lead nowhere, in ascending order.
struct Dangling(Vec<u32>);

impl Dangling {
    fn of(shares: &[f64]) -> Self {
        let places = (0_u32..).zip(shares);
        Self(
            places
                .filter(|&(_, &share)| share == 0.0)
                .map(|(place, _)| place)
                .collect(),
        )
    }

    fn within(&self, rows: &Range<usize>) -> &[u32] {
        let before = |end: usize| self.0.partition_point(|&place| (place as usize) < end);
        &self.0[before(rows.start)..before(rows.end)]
    }
}

/// What a block of rows adds to the sums over all nodes.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// The scores of nodes that lead nowhere.
    dangling: f64,
    change: f64,
}

/// What one thread writes in a round, all for the same rows.
struct Job<'a, G> {
    number: usize,
    range: Range<usize>,
    /// Padded to whole blocks.
    scores: &'a mut [f64],
    gifts: &'a mut [G],
    sums: &'a mut [Sums],
}

/// What all threads read in a round.
struct Round<'a, G, R> {
    gifts: &'a [G],
    /// If somebody wants to know the change.
    old_scores: Option<&'a [f64]>,
    dangling: &'a Dangling,
    shares: &'a [f64],
    restart: &'a Restart,
    damping: f64,
    /// The score that restarts in this round.
    restarting: f64,
    /// The part of it that every node gets.
    base: f64,
    rounded: R,
}

impl Walk<'_> {
    fn rounds<G: Copy + Default + Send + Sync, R: Fn(f64) -> G + Copy + Sync>(
        &self,
        rounded: R,
        work: impl Fn(Job<'_, G>, &Round<'_, G, R>) + Sync,
        watch: &mut Watch<'_>,
    ) -> Result<PageRank, AlgoError> {
        let nodes = self.shares.len();
        let options = self.options;
        let padded = nodes.next_multiple_of(BLOCK);
        let common = self.restart.common_share(nodes);
        let mut scores = vec![common * WHOLE; padded];
        for &(place, share) in self.restart.listed(&(0..nodes)) {
            scores[place as usize] = share * WHOLE;
        }
        let wants_change = options.tolerance > 0.0;
        let mut old_scores = vec![0.0; if wants_change { padded } else { 0 }];
        let mut gifts = vec![G::default(); nodes.next_multiple_of(STRIPE)];
        let mut old_gifts = gifts.clone();
        for ((gift, score), share) in gifts.iter_mut().zip(&scores).zip(&self.shares) {
            *gift = rounded(score * share);
        }
        let nowhere = Dangling::of(&self.shares);
        let mut sums = vec![Sums::default(); padded / BLOCK];
        for (start, sums) in (0..nodes).step_by(BLOCK).zip(&mut sums) {
            let places = nowhere.within(&(start..start + BLOCK));
            sums.dangling = places.iter().map(|&place| scores[place as usize]).sum();
        }

        let mut done = 0;
        let mut change = None;
        while done < options.iterations && nodes > 0 {
            watch.step("PageRank", u64::from(done), u64::from(options.iterations))?;
            if wants_change {
                std::mem::swap(&mut scores, &mut old_scores);
            }
            std::mem::swap(&mut gifts, &mut old_gifts);
            let dangling: f64 = sums.iter().map(|sums| sums.dangling).sum();
            let restarting = WHOLE * (1.0 - options.damping) + options.damping * dangling;
            let round = Round {
                gifts: &old_gifts,
                old_scores: wants_change.then_some(&*old_scores),
                dangling: &nowhere,
                shares: &self.shares,
                restart: self.restart,
                damping: options.damping,
                restarting,
                base: restarting * common,
                rounded,
            };
            let blocks = || self.ranges.iter().map(|rows| rows.len().div_ceil(BLOCK));
            let rows = || blocks().map(|blocks| blocks * BLOCK);
            let outputs = split_by(&mut scores, rows())
                .into_iter()
                .zip(split_by(&mut gifts, rows()))
                .zip(split_by(&mut sums, blocks()));
            let jobs = self
                .ranges
                .iter()
                .zip(outputs)
                .enumerate()
                .map(|(number, (range, ((scores, gifts), sums)))| Job {
                    number,
                    range: range.clone(),
                    scores,
                    gifts,
                    sums,
                })
                .collect();
            run_jobs(jobs, "PageRank", watch, |job, _| {
                work(job, &round);
                Ok(())
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
        scores.truncate(nodes);
        for score in &mut scores {
            *score /= WHOLE;
        }
        Ok(PageRank {
            scores,
            iterations: done,
            change,
        })
    }
}

impl<G: Copy, R: Fn(f64) -> G + Copy> Round<'_, G, R> {
    /// Fills the sums of a block with `fill`, block after block.
    fn by_rows(&self, job: Job<'_, G>, fill: impl Fn(Range<usize>, &[G], &mut [f64])) {
        let blocks = job
            .scores
            .chunks_mut(BLOCK)
            .zip(job.gifts.chunks_mut(BLOCK));
        for ((start, (scores, gifts)), sums) in
            job.range.clone().step_by(BLOCK).zip(blocks).zip(job.sums)
        {
            let rows = start..(start + BLOCK).min(job.range.end);
            fill(rows.clone(), self.gifts, scores);
            *sums = self.finish(&rows, scores, gifts);
        }
    }

    /// Turns the sums of a block into its scores and gifts.
    fn finish(&self, rows: &Range<usize>, scores: &mut [f64], gifts: &mut [G]) -> Sums {
        let scores = &mut scores[..rows.len()];
        for score in &mut *scores {
            *score = self.base + self.damping * *score;
        }
        for &(place, share) in self.restart.listed(rows) {
            scores[place as usize - rows.start] += share * self.restarting;
        }
        let shares = &self.shares[rows.clone()];
        for ((gift, score), share) in gifts.iter_mut().zip(&*scores).zip(shares) {
            *gift = (self.rounded)(score * share);
        }
        let dangling = self.dangling.within(rows);
        Sums {
            dangling: dangling
                .iter()
                .map(|&place| scores[place as usize - rows.start])
                .sum(),
            change: self
                .old_scores
                .map_or(0.0, |old| change_of(scores, &old[rows.clone()])),
        }
    }
}

impl<R: Fn(f64) -> f32 + Copy> Round<'_, f32, R> {
    /// Fills the sums of all blocks of a thread stripe by stripe.
    fn by_tiles(&self, job: Job<'_, f32>, tiles: &[Tiles]) {
        let Some(tiles) = tiles.get(job.number) else {
            return;
        };
        let (stripes, _) = self.gifts.as_chunks::<STRIPE>();
        let (blocks, _) = job.scores.as_chunks_mut::<BLOCK>();
        for (stripe, stripe_gifts) in stripes.iter().enumerate().take(tiles.stripes()) {
            let is_last = stripe + 1 == tiles.stripes();
            let outputs = job.gifts.chunks_mut(BLOCK).zip(&mut *job.sums);
            for ((block, scores), (gifts, sums)) in blocks.iter_mut().enumerate().zip(outputs) {
                if stripe == 0 {
                    scores.fill(0.0);
                }
                tiles.add(stripe, block, stripe_gifts, scores);
                if is_last {
                    let start = job.range.start + block * BLOCK;
                    let rows = start..(start + BLOCK).min(job.range.end);
                    *sums = self.finish(&rows, scores, gifts);
                }
            }
        }
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
