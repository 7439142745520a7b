//! What closes each half of a layer: add the bias and the residual, then layer norm.
//!
//! Mean and variance are taken in two passes; in one, their difference would lose digits.

use super::dispatch::{Fused, Loop, sum, widest};
use super::{numbers, parameter, rows_of};
use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor, bail};

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

impl CustomOp2 for AddNorm {
    fn name(&self) -> &'static str {
        "add-norm"
    }

    fn cpu_fwd(
        &self,
        left: &CpuStorage,
        left_layout: &Layout,
        right: &CpuStorage,
        right_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        rows_of(left_layout, self.bias.len())?;
        if left_layout.dims() != right_layout.dims() {
            bail!("add-norm: {left_layout:?} and {right_layout:?}");
        }
        let out = widest(Rows {
            left: numbers(left, left_layout)?,
            right: numbers(right, right_layout)?,
            by: self,
        });
        Ok((CpuStorage::F32(out), left_layout.shape().clone()))
    }
}

struct Rows<'a> {
    left: &'a [f32],
    right: &'a [f32],
    by: &'a AddNorm,
}

impl Loop for Rows<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<F: Fused>(self) -> Vec<f32> {
        let by = self.by;
        let width = by.bias.len();
        let mut all = vec![0.0; self.left.len()];
        let pairs = self
            .left
            .chunks_exact(width)
            .zip(self.right.chunks_exact(width));
        for ((left, right), out) in pairs.zip(all.chunks_exact_mut(width)) {
            for (((left, right), bias), out) in left.iter().zip(right).zip(&by.bias).zip(&mut *out)
            {
                *out = left + right + bias;
            }
            let mean = sum(out, |lane, number| lane + number) / width as f32;
            let squares = sum(out, |lane, number| {
                let off = number - mean;
                F::fused(off, off, lane)
            });
            let factor = (squares / width as f32 + by.epsilon).sqrt().recip();
            for ((out, scale), shift) in out.iter_mut().zip(&by.scale).zip(&by.shift) {
                *out = F::fused((*out - mean) * factor, *scale, *shift);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::every;
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
            let make = || Rows {
                left: &left,
                right: &right,
                by: &by,
            };
            for (version, out) in every(make) {
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
                            "{version}, {width}: {found}, not {expected}"
                        );
                    }
                }
            }
        }
    }
}
