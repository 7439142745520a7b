#![expect(
    unsafe_code,
    reason = "calls the wide versions of a loop, after asking the processor"
)]
//! One loop, compiled several times: for AVX-512, for AVX2 with FMA, and for any processor.
//!
//! A loop is written once, in plain Rust without a branch, and inlined into a function that may use
//! the wider instructions. No intrinsics are needed, and nothing here touches memory.

/// A loop over numbers. Its `run` must be `#[inline(always)]`, or the wider instructions do not reach it.
pub(super) trait Loop {
    /// Does all of it.
    fn run<F: Fused>(self);
}

/// How `a * b + c` is computed: without the instruction for it `f32::mul_add` would be a call.
pub(super) trait Fused {
    /// `a * b + c`, rounded once or twice.
    fn fused(a: f32, b: f32, c: f32) -> f32;
}

/// With the instruction.
pub(super) struct Once;

impl Fused for Once {
    #[inline(always)]
    fn fused(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// Without it.
pub(super) struct Twice;

impl Fused for Twice {
    #[inline(always)]
    fn fused(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
}

/// Runs a loop with the widest instructions there are.
pub(super) fn widest(work: impl Loop) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512F.
            return unsafe { avx512(work) };
        }
        if has_avx2() {
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { avx2(work) };
        }
    }
    // NEON, with its fused multiplication, is part of every aarch64.
    if cfg!(target_arch = "aarch64") {
        work.run::<Once>();
    } else {
        work.run::<Twice>();
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512(work: impl Loop) {
    work.run::<Once>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(work: impl Loop) {
    work.run::<Once>();
}

/// A version of a loop, for tests: each must give what the others give.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(super) enum Version {
    Widest,
    Plain,
    Fused,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

#[cfg(test)]
impl Version {
    /// Those that this processor can run.
    pub(super) fn every() -> Vec<Self> {
        let mut versions = vec![Self::Widest, Self::Plain, Self::Fused];
        #[cfg(target_arch = "x86_64")]
        versions.extend(has_avx2().then_some(Self::Avx2));
        versions
    }

    pub(super) fn run(self, work: impl Loop) {
        match self {
            Self::Widest => widest(work),
            Self::Plain => work.run::<Twice>(),
            Self::Fused => work.run::<Once>(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                assert!(has_avx2());
                // SAFETY: the processor has AVX2 and FMA.
                unsafe { avx2(work) }
            }
        }
    }
}

/// Sums are kept in so many lanes, because an order of addition is what the compiler must not change.
const LANES: usize = 16;

/// The sum of a function over numbers.
#[inline(always)]
pub(super) fn sum(numbers: &[f32], add: impl Fn(f32, f32) -> f32) -> f32 {
    in_lanes(numbers, 0.0, add, |left, right| left + right)
}

/// The largest of some numbers, where what is no number does not count.
#[inline(always)]
pub(super) fn largest(numbers: &[f32]) -> f32 {
    let larger = |lane, number| if number > lane { number } else { lane };
    in_lanes(numbers, f32::NEG_INFINITY, larger, larger)
}

#[inline(always)]
fn in_lanes(
    numbers: &[f32],
    start: f32,
    take: impl Fn(f32, f32) -> f32,
    join: impl Fn(f32, f32) -> f32,
) -> f32 {
    let mut lanes = [start; LANES];
    let (whole, rest) = numbers.as_chunks::<LANES>();
    for chunk in whole {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = take(*lane, *number);
        }
    }
    for (lane, number) in lanes.iter_mut().zip(rest) {
        *lane = take(*lane, *number);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] = join(lanes[lane], lanes[lane + width]);
        }
        width /= 2;
    }
    lanes[0]
}
