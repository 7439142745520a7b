//! Chooses how a round adds up what the sources of each row give: row by row or tile by tile.
//!
//! Both add the same numbers in the same order, so the choice is one of speed only.

use std::ops::Range;

use super::restart::Restart;
use super::rounds::Walk;
use super::tiles::{self, BLOCK, Tiles, Tiling};
use super::{PageRank, PageRankOptions};
use crate::algo::parallel::{even_ranges, run_jobs};
use crate::algo::projection::Adjacency;
use crate::algo::{AlgoError, Projection};
use crate::storage::cancel::Watch;

/// How the entries of the incoming direction are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Rows,
    /// Weighted rounds have no tiles and take rows instead.
    Tiles,
}

impl Layout {
    /// The faster one.
    pub(super) fn of(projection: &Projection, options: &PageRankOptions) -> Self {
        let outgoing = projection.outgoing();
        let (nodes, entries) = (outgoing.len(), outgoing.targets().len());
        if !options.weighted && tiles::pay_off(nodes, entries, options.iterations) {
            Self::Tiles
        } else {
            Self::Rows
        }
    }
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
    let ranges = whole_blocks(incoming, options.threads);
    if let Some(weights) = incoming.all_weights().filter(|_| options.weighted) {
        let weights_away = |place| {
            let weights = projection.weights(place).unwrap_or_default();
            weights.iter().map(|&weight| f64::from(weight)).sum()
        };
        let walk = Walk::new(restart, options, ranges, weights_away, watch)?;
        // These gifts are divided by sums of weights, which may be tiny: they need 64 bits.
        let fill = |rows: Range<usize>, gifts: &[f64], sums: &mut [f64]| {
            for (sum, row) in sums.iter_mut().zip(bounds(incoming, &rows)) {
                let sources = &incoming.targets()[row.clone()];
                let gift =
                    |(&source, &weight): (&u32, &f32)| gifts[source as usize] * f64::from(weight);
                *sum = sources.iter().zip(&weights[row]).map(gift).sum();
            }
        };
        return walk.rounds(
            |score| score,
            |job, round, pulse| round.by_rows(job, fill, pulse),
            watch,
        );
    }

    let relationships_away = |place| projection.degree(place) as f64;
    let walk = Walk::new(restart, options, ranges, relationships_away, watch)?;
    let rounded = |score: f64| score as f32;
    if layout == Layout::Tiles {
        let ranges = walk.ranges();
        let tiling = match projection.tiling(&ranges) {
            Some(kept) => kept,
            None => {
                let step = "prepare PageRank";
                let tiles = run_jobs(ranges.clone(), step, watch, |range, pulse| {
                    pulse.beat(0, 1)?;
                    Ok(Tiles::of(incoming, range))
                })?;
                projection.keep_tiling(Tiling { ranges, tiles })
            }
        };
        let tiles = &tiling.tiles;
        return walk.rounds(
            rounded,
            |job, round, pulse| round.by_tiles(job, tiles, pulse),
            watch,
        );
    }
    let fill = |rows: Range<usize>, gifts: &[f32], sums: &mut [f64]| {
        for (sum, row) in sums.iter_mut().zip(bounds(incoming, &rows)) {
            let gift = |&source: &u32| f64::from(gifts[source as usize]);
            *sum = incoming.targets()[row].iter().map(gift).sum();
        }
    };
    walk.rounds(
        rounded,
        |job, round, pulse| round.by_rows(job, fill, pulse),
        watch,
    )
}

/// Shares all rows out to threads, in whole blocks.
fn whole_blocks(incoming: &Adjacency, threads: usize) -> Vec<Range<usize>> {
    let nodes = incoming.len();
    let starts = incoming.offsets().iter().copied().step_by(BLOCK);
    let mut blocks: Vec<u32> = starts.take(nodes.div_ceil(BLOCK)).collect();
    blocks.push(incoming.targets().len() as u32);
    let to_rows = |blocks: Range<usize>| blocks.start * BLOCK..(blocks.end * BLOCK).min(nodes);
    even_ranges(&blocks, threads)
        .into_iter()
        .map(to_rows)
        .collect()
}

/// The entries of each of these rows.
fn bounds<'a>(
    incoming: &'a Adjacency,
    rows: &Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let offsets = &incoming.offsets()[rows.start..=rows.end];
    offsets
        .array_windows()
        .map(|&[start, end]| start as usize..end as usize)
}
