#![expect(
    unsafe_code,
    reason = "calls the wide versions of the loop, after asking the processor"
)]
//! The step between the two wide matrices: add the bias, then GELU, in one pass.
//!
//! GELU is `x / 2 * (1 + erf(x / sqrt 2))`. The library's error function takes one number at a time and
//! was a third of all time; here it is one fraction of polynomials without a branch, which the
//! compiler turns into vector instructions. It is exact to a few units in the last place, and its
//! neighbours in the model are no better.

use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, bail};

/// Adds a bias to each row and applies GELU.
pub(crate) struct BiasGelu;

impl CustomOp2 for BiasGelu {
    fn name(&self) -> &'static str {
        "bias-gelu"
    }

    fn cpu_fwd(
        &self,
        rows: &CpuStorage,
        rows_layout: &Layout,
        bias: &CpuStorage,
        bias_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (CpuStorage::F32(rows), CpuStorage::F32(bias)) = (rows, bias) else {
            bail!("bias-gelu takes f32 only");
        };
        let (Some((start, end)), Some((bias_start, bias_end))) = (
            rows_layout.contiguous_offsets(),
            bias_layout.contiguous_offsets(),
        ) else {
            bail!("bias-gelu takes contiguous tensors only");
        };
        let (rows, bias) = (&rows[start..end], &bias[bias_start..bias_end]);
        if bias.is_empty() || rows_layout.dims().last() != Some(&bias.len()) {
            bail!(
                "bias-gelu: rows of {rows_layout:?} with {} biases",
                bias.len()
            );
        }
        let mut out = vec![0.0; rows.len()];
        bias_gelu(rows, bias, &mut out);
        Ok((CpuStorage::F32(out), rows_layout.shape().clone()))
    }
}

fn bias_gelu(rows: &[f32], bias: &[f32], out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512F.
            return unsafe { wide::avx512(rows, bias, out) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { wide::avx2(rows, bias, out) };
        }
    }
    // NEON is part of every aarch64, so the compiler uses it without being asked.
    narrow(rows, bias, out);
}

/// The same loop for every processor.
#[inline(always)]
fn each_row(rows: &[f32], bias: &[f32], out: &mut [f32], gelu: impl Fn(f32) -> f32) {
    for (row, out) in rows
        .chunks_exact(bias.len())
        .zip(out.chunks_exact_mut(bias.len()))
    {
        for ((value, bias), out) in row.iter().zip(bias).zip(out) {
            *out = gelu(value + bias);
        }
    }
}

fn narrow(rows: &[f32], bias: &[f32], out: &mut [f32]) {
    each_row(rows, bias, out, |value| gelu(value, |a, b, c| a * b + c));
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{each_row, gelu};

    #[target_feature(enable = "avx512f")]
    pub(super) fn avx512(rows: &[f32], bias: &[f32], out: &mut [f32]) {
        each_row(rows, bias, out, |value| gelu(value, f32::mul_add));
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2(rows: &[f32], bias: &[f32], out: &mut [f32]) {
        each_row(rows, bias, out, |value| gelu(value, f32::mul_add));
    }
}

/// Without fused multiplication `mul_add` would be a call, hence the argument.
#[inline(always)]
fn gelu(x: f32, fused: impl Fn(f32, f32, f32) -> f32) -> f32 {
    let half = 0.5 * x;
    let erf = erf(x * std::f32::consts::FRAC_1_SQRT_2, &fused);
    fused(half, erf, half)
}

/// The error function as an odd polynomial over an even one; beyond 4 it is 1 in `f32`.
#[inline(always)]
fn erf(x: f32, fused: impl Fn(f32, f32, f32) -> f32) -> f32 {
    const ABOVE: [f32; 7] = [
        -2.726_142_3e-10,
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906_4e-4,
        -2.954_599_8e-3,
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
        above = fused(above, square, *factor);
    }
    let mut below = BELOW[0];
    for factor in &BELOW[1..] {
        below = fused(below, square, *factor);
    }
    if certain {
        1.0f32.copysign(x)
    } else {
        x * above / below
    }
}

#[cfg(test)]
mod tests {
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
        let values: Vec<f32> = (-6000..=6000).map(|n| n as f32 / 1000.0).collect();
        let bias = vec![0.25; values.len()];
        let mut versions: Vec<(&str, fn(&[f32], &[f32], &mut [f32]))> =
            vec![("chosen", bias_gelu), ("narrow", narrow)];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has AVX2 and FMA.
            versions.push(("avx2", |rows, bias, out| unsafe {
                wide::avx2(rows, bias, out)
            }));
        }
        for (name, version) in versions {
            let mut out = vec![0.0; values.len()];
            version(&values, &bias, &mut out);
            for (value, out) in values.iter().zip(out) {
                let x = f64::from(value + 0.25);
                let expected = 0.5 * x * (1.0 + erf_by_series(x / std::f64::consts::SQRT_2));
                let off = (f64::from(out) - expected).abs();
                assert!(
                    off < 5e-7 * x.abs().max(1.0),
                    "{name} at {x}: {out}, not {expected}"
                );
            }
        }
    }

    #[test]
    fn the_ends_and_what_is_no_number() {
        let mut out = [0.0; 4];
        let rows = [f32::INFINITY, 1e30, -1e30, f32::NAN];
        bias_gelu(&rows, &[0.0; 4], &mut out);
        assert_eq!(out[..3], [f32::INFINITY, 1e30, 0.0]);
        assert!(out[3].is_nan());
    }
}
