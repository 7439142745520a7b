//! What closes each half of a layer: add the bias and the residual, then layer norm.
//!
//! Mean and variance are taken in two passes; in one, their difference would lose digits.

use super::dispatch::{Fused, Loop, sum, widest};
use super::{numbers, numbers_mut, parameter, rows_of};
use candle_core::{CpuStorage, InplaceOp2, Layout, Result, Tensor, bail};

/// Layer norm over the sum of two matrices and a bias.
pub(crate) struct AddNorm {
    bias: Vec<f32>,
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

impl AddNorm {
    pub(crate) fn new(
        bias: &Tensor,
        (scale, shift): (Tensor, Tensor),
        epsilon: f64,
    ) -> Result<Self> {
        let (bias, scale, shift) = (parameter(bias)?, parameter(&scale)?, parameter(&shift)?);
        if bias.len() != scale.len() || bias.len() != shift.len() {
            bail!("add-norm: parameters of different lengths");
        }
        Ok(Self {
            bias,
            scale,
            shift,
            epsilon: epsilon as f32,
        })
    }
}

impl InplaceOp2 for AddNorm {
    fn name(&self) -> &'static str {
        "add-norm"
    }

    fn cpu_fwd(
        &self,
        rows: &mut CpuStorage,
        layout: &Layout,
        residual: &CpuStorage,
        residual_layout: &Layout,
    ) -> Result<()> {
        rows_of(layout, self.bias.len())?;
        if layout.dims() != residual_layout.dims() {
            bail!("add-norm: {layout:?} and {residual_layout:?}");
        }
        widest(Rows {
            rows: numbers_mut(rows, layout)?,
            residual: numbers(residual, residual_layout)?,
            by: self,
        });
        Ok(())
    }
}

struct Rows<'a> {
    rows: &'a mut [f32],
    residual: &'a [f32],
    by: &'a AddNorm,
}

impl Loop for Rows<'_> {
    #[inline(always)]
    fn run<F: Fused>(self) {
        let by = self.by;
        let width = by.bias.len();
        let residual = self.residual.chunks_exact(width);
        for (row, residual) in self.rows.chunks_exact_mut(width).zip(residual) {
            for ((number, residual), bias) in row.iter_mut().zip(residual).zip(&by.bias) {
                *number += residual + bias;
            }
            let mean = sum(row, |lane, number| lane + number) / width as f32;
            let squares = sum(row, |lane, number| {
                let off = number - mean;
                F::fused(off, off, lane)
            });
            let factor = (squares / width as f32 + by.epsilon).sqrt().recip();
            for ((number, scale), shift) in row.iter_mut().zip(&by.scale).zip(&by.shift) {
                *number = F::fused((*number - mean) * factor, *scale, *shift);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::Version;
    use super::*;

    #[test]
    fn every_version_agrees_with_the_definition() {
        let mut random = fastrand::Rng::with_seed(5);
        for width in [1, 2, 15, 16, 17, 384] {
            let mut some = |count: usize| -> Vec<f32> {
                (0..count).map(|_| random.f32() * 4.0 - 1.0).collect()
            };
            let (left, right) = (some(3 * width), some(3 * width));
            let by = AddNorm {
                bias: some(width),
                scale: some(width),
                shift: some(width),
                epsilon: 1e-5,
            };
            for version in Version::every() {
                let mut out = left.clone();
                version.run(Rows {
                    rows: &mut out,
                    residual: &right,
                    by: &by,
                });
                for row in 0..3 {
                    let summed: Vec<f64> = (0..width)
                        .map(|i| {
                            f64::from(left[row * width + i] + right[row * width + i] + by.bias[i])
                        })
                        .collect();
                    let mean = summed.iter().sum::<f64>() / width as f64;
                    let variance =
                        summed.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / width as f64;
                    for i in 0..width {
                        let scaled = (summed[i] - mean) / (variance + 1e-5).sqrt();
                        let expected = scaled * f64::from(by.scale[i]) + f64::from(by.shift[i]);
                        let found = f64::from(out[row * width + i]);
                        assert!(
                            (found - expected).abs() < 2e-5,
                            "{version:?}, {width}: {found}, not {expected}"
                        );
                    }
                }
            }
        }
    }
}
