//! The step between the two wide matrices: add the bias, then GELU.
//!
//! GELU is `x / 2 * (1 + erf(x / sqrt 2))`. The error function is one fraction of polynomials without a
//! branch, exact to a few units in the last place; what comes before and after it is no better.

use super::dispatch::{Fused, Loop, widest};
use super::{numbers_mut, parameter, rows_of};
use candle_core::{CpuStorage, InplaceOp1, Layout, Result, Tensor};

/// Adds a bias to each row and applies GELU.
pub(crate) struct BiasGelu {
    bias: Vec<f32>,
}

impl BiasGelu {
    pub(crate) fn new(bias: &Tensor) -> Result<Self> {
        let bias = parameter(bias)?;
        Ok(Self { bias })
    }
}

impl InplaceOp1 for BiasGelu {
    fn name(&self) -> &'static str {
        "bias-gelu"
    }

    fn cpu_fwd(&self, rows: &mut CpuStorage, layout: &Layout) -> Result<()> {
        rows_of(layout, self.bias.len())?;
        widest(Rows {
            rows: numbers_mut(rows, layout)?,
            bias: &self.bias,
        });
        Ok(())
    }
}

struct Rows<'a> {
    rows: &'a mut [f32],
    bias: &'a [f32],
}

impl Loop for Rows<'_> {
    #[inline(always)]
    fn run<F: Fused>(self) {
        for row in self.rows.chunks_exact_mut(self.bias.len()) {
            for (number, bias) in row.iter_mut().zip(self.bias) {
                *number = gelu::<F>(*number + bias);
            }
        }
    }
}

#[inline(always)]
fn gelu<F: Fused>(x: f32) -> f32 {
    let half = 0.5 * x;
    F::fused(half, erf::<F>(x * std::f32::consts::FRAC_1_SQRT_2), half)
}

/// The error function as an odd polynomial over an even one.
#[inline(always)]
fn erf<F: Fused>(x: f32) -> f32 {
    const ABOVE: [f32; 7] = [
        -2.726_142_3e-10,
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906_4e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ];
    const BELOW: [f32; 5] = [
        -1.456_607_2e-5,
        -2.133_740_6e-4,
        -1.682_827e-3,
        -7.373_329_4e-3,
        -1.426_473_9e-2,
    ];
    // Exactly one, or large negative numbers would leave a rest of themselves instead of nothing.
    let certain = x.abs() >= 4.0;
    let square = x * x;
    let mut above = ABOVE[0];
    for factor in &ABOVE[1..] {
        above = F::fused(above, square, *factor);
    }
    let mut below = BELOW[0];
    for factor in &BELOW[1..] {
        below = F::fused(below, square, *factor);
    }
    if certain {
        1.0f32.copysign(x)
    } else {
        x * above / below
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::Version;
    use super::*;

    /// By its series, in `f64`: slow, and nothing in common with the above.
    fn erf_by_series(x: f64) -> f64 {
        let (mut sum, mut term) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * std::f64::consts::FRAC_2_SQRT_PI
    }

    #[test]
    fn every_version_agrees_with_the_series() {
        let rows: Vec<f32> = (-6000..=6000).map(|n| n as f32 / 1000.0).collect();
        let bias = vec![0.25; rows.len()];
        for version in Version::every() {
            let mut out = rows.clone();
            version.run(Rows {
                rows: &mut out,
                bias: &bias,
            });
            for (number, out) in rows.iter().zip(out) {
                let x = f64::from(number + 0.25);
                let expected = 0.5 * x * (1.0 + erf_by_series(x / std::f64::consts::SQRT_2));
                let off = (f64::from(out) - expected).abs();
                assert!(
                    off < 5e-7 * x.abs().max(1.0),
                    "{version:?} at {x}: {out}, not {expected}"
                );
            }
        }
    }

    #[test]
    fn the_ends_and_what_is_no_number() {
        let rows = [f32::INFINITY, 1e30, -1e30, f32::NAN];
        for version in Version::every() {
            let mut out = rows;
            version.run(Rows {
                rows: &mut out,
                bias: &[0.0; 4],
            });
            assert_eq!(out[..3], [f32::INFINITY, 1e30, 0.0], "{version:?}");
            assert!(out[3].is_nan(), "{version:?}");
        }
    }
}
