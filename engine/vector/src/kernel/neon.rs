#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Sixteen lanes in four registers of NEON.
//!
//! There is no stable prefetch for this processor, so rows are not asked for ahead of time.

use super::order::{LANES, Lanes};
use std::arch::aarch64::{
    float32x4_t, vadd_f32, vaddq_f32, vdupq_n_f32, vfmaq_f32, vget_high_f32, vget_lane_f32,
    vget_low_f32, vld1q_f32, vsubq_f32,
};

/// Lanes 0 to 3, 4 to 7, 8 to 11, and 12 to 15.
#[derive(Clone, Copy)]
pub(super) struct Neon([float32x4_t; 4]);

// SAFETY: (all blocks) the caller vouches for NEON, and for what lies behind a pointer.
impl Lanes for Neon {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Self([unsafe { vdupq_n_f32(0.0) }; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        unsafe {
            Self([
                vld1q_f32(from),
                vld1q_f32(from.add(4)),
                vld1q_f32(from.add(8)),
                vld1q_f32(from.add(12)),
            ])
        }
    }

    #[inline(always)]
    unsafe fn load_part(from: *const f32, count: usize) -> Self {
        let mut lanes = [0.0_f32; LANES];
        // SAFETY: as above for `count` numbers; then sixteen are there.
        unsafe {
            let numbers = std::slice::from_raw_parts(from, count);
            for (lane, number) in lanes.iter_mut().zip(numbers) {
                *lane = *number;
            }
            Self::load(lanes.as_ptr())
        }
    }

    #[inline(always)]
    unsafe fn fused_add(mut self, left: Self, right: Self) -> Self {
        for ((sum, left), right) in self.0.iter_mut().zip(left.0).zip(right.0) {
            // SAFETY: as above.
            *sum = unsafe { vfmaq_f32(*sum, left, right) };
        }
        self
    }

    #[inline(always)]
    unsafe fn minus(mut self, other: Self) -> Self {
        for (lanes, other) in self.0.iter_mut().zip(other.0) {
            // SAFETY: as above.
            *lanes = unsafe { vsubq_f32(*lanes, other) };
        }
        self
    }

    #[inline(always)]
    unsafe fn total(self) -> f32 {
        let [a, b, c, d] = self.0;
        // SAFETY: as above.
        unsafe {
            let four = vaddq_f32(vaddq_f32(a, c), vaddq_f32(b, d));
            let two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
            vget_lane_f32::<0>(two) + vget_lane_f32::<1>(two)
        }
    }

    #[inline(always)]
    unsafe fn prefetch(_at: *const f32) {}
}
