//! The step between Qwen's wide matrices: the first half of a row is a gate for the second half.
//!
//! The gate is `x * sigmoid(x)`, and the exponential is softmax's own, of numbers that are at most 0.

use super::attention::exp;
use super::dispatch::{Fused, Loop, widest};
use super::{numbers, rows_of};
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, bail};

/// Halves each row.
pub(crate) struct SwiGlu;

impl CustomOp1 for SwiGlu {
    fn name(&self) -> &'static str {
        "swiglu"
    }

    fn cpu_fwd(&self, rows: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (count, width) = layout.shape().dims2()?;
        rows_of(layout, width)?;
        if !width.is_multiple_of(2) {
            bail!("swiglu: rows of {width} numbers");
        }
        let half = width / 2;
        let mut out = vec![0.0; count * half];
        widest(Rows {
            rows: numbers(rows, layout)?,
            half,
            out: &mut out,
        });
        Ok((CpuStorage::F32(out), Shape::from((count, half))))
    }
}

struct Rows<'a> {
    rows: &'a [f32],
    half: usize,
    out: &'a mut [f32],
}

impl Loop for Rows<'_> {
    #[inline(always)]
    fn run<F: Fused>(self) {
        let rows = self.rows.chunks_exact(2 * self.half);
        for (row, out) in rows.zip(self.out.chunks_exact_mut(self.half)) {
            let (gate, through) = row.split_at(self.half);
            for ((gate, through), out) in gate.iter().zip(through).zip(out) {
                *out = silu::<F>(*gate) * through;
            }
        }
    }
}

#[inline(always)]
fn silu<F: Fused>(x: f32) -> f32 {
    // By the exponential of a negative number on either side, so that nothing overflows.
    let small = exp::<F>(-x.abs());
    let above = if x >= 0.0 { x } else { x * small };
    above / (1.0 + small)
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::Version;
    use super::*;

    #[test]
    fn every_version_agrees_with_the_definition() {
        let gates: Vec<f32> = (-400..=400).map(|n| n as f32 / 8.0).collect();
        let half = gates.len();
        let mut rows = gates.clone();
        rows.extend(vec![2.0; half]);
        for version in Version::every() {
            let mut out = vec![0.0; half];
            version.run(Rows {
                rows: &rows,
                half,
                out: &mut out,
            });
            for (x, out) in gates.iter().zip(out) {
                let x = f64::from(*x);
                let expected = 2.0 * x / (1.0 + (-x).exp());
                let off = (f64::from(out) - expected).abs();
                assert!(off < 1e-6 * x.abs().max(1.0), "{version:?}: {out} at {x}");
            }
        }
    }

    #[test]
    fn what_is_no_number_does_not_become_one() {
        for version in Version::every() {
            let mut out = [0.0];
            version.run(Rows {
                rows: &[f32::NAN, 1.0],
                half: 1,
                out: &mut out,
            });
            assert!(out[0].is_nan(), "{version:?}");
        }
    }
}
