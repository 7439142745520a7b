//! Norm by the root of the mean square: no mean is taken off, and nothing is added.

use super::dispatch::{Fused, Loop, sum, widest};
use super::{numbers, parameter, rows_of};
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

/// Scales each row to a mean square of 1, then each number by its own scale.
pub(crate) struct RootNorm {
    scale: Vec<f32>,
    epsilon: f32,
}

impl RootNorm {
    pub(crate) fn new(scale: &Tensor, epsilon: f64) -> Result<Self> {
        Ok(Self {
            scale: parameter(scale)?,
            epsilon: epsilon as f32,
        })
    }

    pub(super) fn width(&self) -> usize {
        self.scale.len()
    }

    /// One row.
    #[inline(always)]
    pub(super) fn row<F: Fused>(&self, row: &mut [f32]) {
        let squares = sum(row, |lane, number| F::fused(number, number, lane));
        let factor = (squares / row.len() as f32 + self.epsilon).sqrt().recip();
        for (number, scale) in row.iter_mut().zip(&self.scale) {
            *number = *number * factor * scale;
        }
    }
}

impl CustomOp1 for RootNorm {
    fn name(&self) -> &'static str {
        "root-norm"
    }

    fn cpu_fwd(&self, rows: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        rows_of(layout, self.width())?;
        let mut out = numbers(rows, layout)?.to_vec();
        widest(Rows {
            rows: &mut out,
            by: self,
        });
        Ok((CpuStorage::F32(out), layout.shape().clone()))
    }
}

struct Rows<'a> {
    rows: &'a mut [f32],
    by: &'a RootNorm,
}

impl Loop for Rows<'_> {
    #[inline(always)]
    fn run<F: Fused>(self) {
        for row in self.rows.chunks_exact_mut(self.by.width()) {
            self.by.row::<F>(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::Version;
    use super::*;

    #[test]
    fn every_version_agrees_with_the_definition() {
        let mut random = fastrand::Rng::with_seed(6);
        for width in [1, 2, 15, 16, 17, 1024] {
            let mut some = |count: usize| -> Vec<f32> {
                (0..count).map(|_| random.f32() * 4.0 - 2.0).collect()
            };
            let rows = some(3 * width);
            let by = RootNorm {
                scale: some(width),
                epsilon: 1e-6,
            };
            for version in Version::every() {
                let mut out = rows.clone();
                version.run(Rows {
                    rows: &mut out,
                    by: &by,
                });
                for (row, out) in rows.chunks_exact(width).zip(out.chunks_exact(width)) {
                    let squares: f64 = row.iter().map(|x| f64::from(*x).powi(2)).sum();
                    let root = (squares / width as f64 + 1e-6).sqrt();
                    for ((x, scale), out) in row.iter().zip(&by.scale).zip(out) {
                        let expected = f64::from(*x) / root * f64::from(*scale);
                        let off = (f64::from(*out) - expected).abs();
                        assert!(off < 1e-5, "{version:?}: {out}, not {expected}");
                    }
                }
            }
        }
    }
}
