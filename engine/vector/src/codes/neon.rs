#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Codes with NEON: bytes are widened to sixteen bits, and their products to thirty-two.

use super::Parts;
use super::order::Sums;
use std::arch::aarch64::{
    int8x16_t, int32x4_t, vaddvq_s32, vdupq_n_s32, vget_high_s8, vget_high_s16, vget_high_u8,
    vget_low_s8, vget_low_s16, vget_low_u8, vld1q_s8, vld1q_u8, vmlal_s16, vmovl_s8, vmovl_u8,
    vreinterpretq_s16_u16,
};

/// Four sums.
#[derive(Clone, Copy)]
pub(super) struct Neon(int32x4_t);

// SAFETY: (all blocks) the caller vouches for NEON, and for what lies behind a pointer.
impl Sums for Neon {
    type Query = [int8x16_t; 4];

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Self(unsafe { vdupq_n_s32(0) })
    }

    #[inline(always)]
    unsafe fn query(from: *const i8) -> Self::Query {
        // SAFETY: as above: four times sixteen bytes.
        unsafe {
            [
                vld1q_s8(from.add(0)),
                vld1q_s8(from.add(16)),
                vld1q_s8(from.add(32)),
                vld1q_s8(from.add(48)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn add(mut self, query: Self::Query, row: *const u8) -> Self {
        for (at, query) in [0, 16, 32, 48].into_iter().zip(query) {
            // SAFETY: as above: four times sixteen bytes.
            unsafe {
                let row = vld1q_u8(row.add(at));
                // A byte without sign fits sixteen bits with one.
                let low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(row)));
                let high = vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(row)));
                let (query_low, query_high) =
                    (vmovl_s8(vget_low_s8(query)), vmovl_s8(vget_high_s8(query)));
                for (row, query) in [(low, query_low), (high, query_high)] {
                    self.0 = vmlal_s16(self.0, vget_low_s16(row), vget_low_s16(query));
                    self.0 = vmlal_s16(self.0, vget_high_s16(row), vget_high_s16(query));
                }
            }
        }
        self
    }

    #[inline(always)]
    unsafe fn total(self) -> i32 {
        // SAFETY: as above.
        unsafe { vaddvq_s32(self.0) }
    }

    #[inline(always)]
    unsafe fn prefetch(_at: *const u8) {}
}

impl Parts for Neon {}
