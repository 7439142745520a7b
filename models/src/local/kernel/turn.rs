//! Heads apart for Qwen's attention: queries and keys normed and turned by their places, all in one pass.
//!
//! Of each head the number at `i` and the one half a head further are a pair, turned by an angle that grows with the
//! token's place and shrinks with `i`.

use super::dispatch::{Fused, Loop, widest};
use super::root_norm::RootNorm;
use super::{numbers, rows_of};
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, bail};

/// The cosines and sines of all places.
pub(crate) struct Turning {
    /// For each place half a head of them.
    cosines: Vec<f32>,
    sines: Vec<f32>,
    half: usize,
}

impl Turning {
    /// For so many places and heads of this even size.
    pub(crate) fn new(places: usize, size: usize, slowness: f64) -> Self {
        let half = size / 2;
        let angle = |at: usize| {
            let (place, pair) = (at / half, at % half);
            place as f64 / slowness.powf(2.0 * pair as f64 / size as f64)
        };
        let angles = || (0..places * half).map(angle);
        Self {
            cosines: angles().map(|angle| angle.cos() as f32).collect(),
            sines: angles().map(|angle| angle.sin() as f32).collect(),
            half,
        }
    }
}

/// From rows of queries, keys and values, text after text, to `[heads of all texts, tokens, size]`: all that ask, then
/// all keys, then all values.
pub(crate) struct TurnHeads<'a> {
    pub(crate) heads: usize,
    pub(crate) key_heads: usize,
    /// How many tokens each text has.
    pub(crate) tokens: usize,
    pub(crate) query_norm: &'a RootNorm,
    pub(crate) key_norm: &'a RootNorm,
    pub(crate) turning: &'a Turning,
}

impl CustomOp1 for TurnHeads<'_> {
    fn name(&self) -> &'static str {
        "turn-heads"
    }

    fn cpu_fwd(&self, rows: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let size = self.query_norm.width();
        let width = (self.heads + 2 * self.key_heads) * size;
        rows_of(layout, width)?;
        let rows = numbers(rows, layout)?;
        let (count, tokens) = (rows.len() / width, self.tokens);
        if tokens == 0 || !count.is_multiple_of(tokens) || self.key_norm.width() != size {
            bail!("turn-heads: {count} rows for {tokens} tokens and heads of {size}");
        }
        if size != 2 * self.turning.half || self.turning.cosines.len() < tokens * size / 2 {
            bail!("turn-heads: {tokens} tokens are more than there are places");
        }
        let mut out = vec![0.0; rows.len()];
        widest(Rows {
            rows,
            size,
            out: &mut out,
            by: self,
        });
        let heads = rows.len() / (tokens * size);
        Ok((CpuStorage::F32(out), Shape::from((heads, tokens, size))))
    }
}

struct Rows<'a> {
    rows: &'a [f32],
    size: usize,
    out: &'a mut [f32],
    by: &'a TurnHeads<'a>,
}

impl Loop for Rows<'_> {
    #[inline(always)]
    fn run<F: Fused>(self) {
        let (size, by) = (self.size, self.by);
        let (heads, key_heads) = (by.heads, by.key_heads);
        let width = (heads + 2 * key_heads) * size;
        let mut to = self.out.chunks_exact_mut(size);
        for (first, heads, norm) in [
            (0, heads, Some(by.query_norm)),
            (heads, key_heads, Some(by.key_norm)),
            (heads + key_heads, key_heads, None),
        ] {
            for text in self.rows.chunks_exact(width * by.tokens) {
                for head in first..first + heads {
                    for (place, row) in text.chunks_exact(width).enumerate() {
                        let Some(to) = to.next() else { return };
                        to.copy_from_slice(&row[head * size..(head + 1) * size]);
                        if let Some(norm) = norm {
                            norm.row::<F>(to);
                            by.turning.turn::<F>(place, to);
                        }
                    }
                }
            }
        }
    }
}

impl Turning {
    #[inline(always)]
    fn turn<F: Fused>(&self, place: usize, row: &mut [f32]) {
        let at = place * self.half..(place + 1) * self.half;
        let (left, right) = row.split_at_mut(self.half);
        let turns = self.cosines[at.clone()].iter().zip(&self.sines[at]);
        for ((left, right), (cosine, sine)) in left.iter_mut().zip(right).zip(turns) {
            let (x, y) = (*left, *right);
            *left = F::fused(x, *cosine, -(y * sine));
            *right = F::fused(y, *cosine, x * sine);
        }
    }
}
