//! Around the two products of attention: heads apart, softmax, heads together again.
//!
//! The products want each head of each text in one piece, so the numbers are moved once before and
//! once after; the bias is added on the way.

use super::dispatch::{Fused, Loop, largest, sum, widest};
use super::{numbers, numbers_mut, parameter, rows_of};
use candle_core::{CpuStorage, CustomOp1, InplaceOp1, Layout, Result, Shape, Tensor, bail};

/// From rows of queries, keys and values, text after text, to `[3, texts, heads, tokens, size]`.
pub(crate) struct SplitHeads<'a> {
    pub(crate) bias: &'a [f32],
    pub(crate) heads: usize,
    /// How many tokens each text has.
    pub(crate) tokens: usize,
}

impl SplitHeads<'_> {
    /// The bias in the form this kernel wants.
    pub(crate) fn bias(bias: &Tensor) -> Result<Vec<f32>> {
        parameter(bias)
    }
}

impl CustomOp1 for SplitHeads<'_> {
    fn name(&self) -> &'static str {
        "split-heads"
    }

    fn cpu_fwd(&self, rows: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (width, heads, tokens) = (self.bias.len(), self.heads, self.tokens);
        rows_of(layout, width)?;
        let rows = numbers(rows, layout)?;
        let count = rows.len() / width;
        if heads == 0
            || tokens == 0
            || !width.is_multiple_of(3 * heads)
            || !count.is_multiple_of(tokens)
        {
            bail!("split-heads: {count} rows of {width} for {heads} heads and {tokens} tokens");
        }
        let (texts, size) = (count / tokens, width / 3 / heads);
        let mut out = Vec::with_capacity(rows.len());
        for part in 0..3 {
            for text in 0..texts {
                for head in 0..heads {
                    let first = (part * heads + head) * size;
                    let bias = &self.bias[first..first + size];
                    for token in 0..tokens {
                        let start = (text * tokens + token) * width + first;
                        let row = &rows[start..start + size];
                        out.extend(row.iter().zip(bias).map(|(number, bias)| number + bias));
                    }
                }
            }
        }
        Ok((
            CpuStorage::F32(out),
            Shape::from((3, texts, heads, tokens, size)),
        ))
    }
}

/// From `[texts, heads, tokens, size]` back to rows, appended text after text.
pub(crate) struct JoinHeads;

impl CustomOp1 for JoinHeads {
    fn name(&self) -> &'static str {
        "join-heads"
    }

    fn cpu_fwd(&self, all: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (texts, heads, tokens, size) = layout.shape().dims4()?;
        let all = numbers(all, layout)?;
        let mut out = Vec::with_capacity(all.len());
        for text in 0..texts {
            for token in 0..tokens {
                for head in 0..heads {
                    let start = ((text * heads + head) * tokens + token) * size;
                    out.extend_from_slice(&all[start..start + size]);
                }
            }
        }
        Ok((
            CpuStorage::F32(out),
            Shape::from((texts * tokens, heads * size)),
        ))
    }
}

/// Softmax over the last dimension: all of it, or for each row only up to its own token.
pub(crate) struct Softmax {
    /// If only what was before counts: how many tokens a text has. Row `r` belongs to token `r % tokens`.
    pub(crate) before_only: Option<usize>,
    /// Which row the first one is.
    pub(crate) first_row: usize,
}

impl InplaceOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(&self, rows: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let width = layout.dims().last().copied().unwrap_or(0);
        rows_of(layout, width)?;
        let rows = numbers_mut(rows, layout)?;
        let Some(tokens) = self.before_only else {
            widest(Rows { rows, width });
            return Ok(());
        };
        let (_, in_head, _) = layout.shape().dims3()?;
        if tokens != width || in_head == 0 {
            bail!("softmax: {tokens} tokens, but rows of {width}");
        }
        for (at, row) in rows.chunks_exact_mut(width).enumerate() {
            let token = (self.first_row + at % in_head) % tokens;
            let (seen, unseen) = row.split_at_mut(token + 1);
            unseen.fill(0.0);
            widest(Rows {
                width: seen.len(),
                rows: seen,
            });
        }
        Ok(())
    }
}

struct Rows<'a> {
    rows: &'a mut [f32],
    width: usize,
}

impl Loop for Rows<'_> {
    #[inline(always)]
    fn run<F: Fused>(self) {
        for row in self.rows.chunks_exact_mut(self.width) {
            let most = largest(row);
            for number in &mut *row {
                *number = exp::<F>(*number - most);
            }
            let factor = sum(row, |lane, number| lane + number).recip();
            row.iter_mut().for_each(|number| *number *= factor);
        }
    }
}

/// The exponential of a number that is at most 0: two to the whole part, times a polynomial for the rest.
#[inline(always)]
pub(super) fn exp<F: Fused>(x: f32) -> f32 {
    /// ln 2 in two parts, so that subtracting a multiple of it loses nothing.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    /// 1.5 times 2 to the 23rd: adding it leaves the whole part in the lowest bits.
    const TO_WHOLE: f32 = 12_582_912.0;
    // Below, the result would be denormal; it is as good as nothing. Written so that what is no
    // number stays none.
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = F::fused(x, std::f32::consts::LOG2_E, TO_WHOLE);
    let whole = shifted - TO_WHOLE;
    let rest = F::fused(whole, -LN_2[1], F::fused(whole, -LN_2[0], x));
    let mut y = 1.0 / 5040.0;
    for factor in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        y = F::fused(y, rest, factor);
    }
    let power = shifted
        .to_bits()
        .wrapping_shl(23)
        .wrapping_add(1.0f32.to_bits());
    y * f32::from_bits(power)
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::Version;
    use super::*;
    use candle_core::Device;

    #[test]
    fn every_version_of_softmax_agrees_with_the_definition() {
        let mut random = fastrand::Rng::with_seed(9);
        for (width, spread) in [(1, 1.0), (3, 10.0), (16, 0.1), (39, 20.0), (256, 200.0)] {
            let rows: Vec<f32> = (0..4 * width)
                .map(|_| (random.f32() - 0.5) * spread)
                .collect();
            for version in Version::every() {
                let mut out = rows.clone();
                version.run(Rows {
                    rows: &mut out,
                    width,
                });
                for (row, out) in rows.chunks_exact(width).zip(out.chunks_exact(width)) {
                    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                    // The difference as `f32` has it: its rounding is not what is looked at.
                    let raised = |x: &f32| f64::from(x - largest).exp();
                    let total: f64 = row.iter().map(raised).sum();
                    for (x, out) in row.iter().zip(out) {
                        let expected = raised(x) / total;
                        let off = (f64::from(*out) - expected).abs();
                        assert!(
                            off < 1e-6 * expected + 1e-30,
                            "{version:?}: {out}, not {expected}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_does_not_become_one() {
        for row in [
            [0.0, f32::NAN],
            [f32::INFINITY, 0.0],
            [f32::NEG_INFINITY, f32::NEG_INFINITY],
        ] {
            for version in Version::every() {
                let mut out = row;
                version.run(Rows {
                    rows: &mut out,
                    width: 2,
                });
                assert!(
                    out.iter().any(|number| number.is_nan()),
                    "{version:?}: {row:?} gave {out:?}"
                );
            }
        }
    }

    #[test]
    fn heads_go_apart_and_come_together() -> Result<()> {
        let (texts, heads, tokens, size) = (2, 3, 4, 5);
        let width = 3 * heads * size;
        let numbers: Vec<f32> = (0..texts * tokens * width).map(|n| n as f32).collect();
        let rows = Tensor::from_vec(numbers, (texts * tokens, width), &Device::Cpu)?;
        let bias: Vec<f32> = (0..width).map(|n| n as f32 / 64.0).collect();
        let apart = rows.apply_op1_no_bwd(&SplitHeads {
            bias: &bias,
            heads,
            tokens,
        })?;
        let expected = rows
            .broadcast_add(&Tensor::new(&bias[..], &Device::Cpu)?)?
            .reshape((texts, tokens, 3, heads, size))?;
        for part in 0..3 {
            let plain = expected
                .narrow(2, part, 1)?
                .squeeze(2)?
                .transpose(1, 2)?
                .contiguous()?;
            assert_eq!(
                apart.get(part)?.flatten_all()?.to_vec1::<f32>()?,
                plain.flatten_all()?.to_vec1::<f32>()?
            );
            let joined = apart.get(part)?.apply_op1_no_bwd(&JoinHeads)?;
            let plain = expected
                .narrow(2, part, 1)?
                .reshape((texts * tokens, heads * size))?;
            assert_eq!(joined.to_vec2::<f32>()?, plain.to_vec2::<f32>()?);
        }
        Ok(())
    }
}
