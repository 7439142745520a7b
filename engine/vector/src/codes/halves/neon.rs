#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Halves with NEON. A nibble fits a byte with a sign, so bytes are multiplied as they are; a group's
//! eight products, at most 1920 each, fit a sum of sixteen bits.

use crate::codes::order::Sums;
use std::arch::aarch64::{
    int8x16_t, int32x4_t, vaddvq_s32, vandq_u8, vdupq_n_s16, vdupq_n_s32, vdupq_n_u8, vget_low_s8,
    vld1q_s8, vld1q_u8, vmlal_high_s8, vmlal_s8, vpadalq_s16, vreinterpretq_s8_u8, vshrq_n_u8,
};

/// Four sums.
#[derive(Clone, Copy)]
pub(super) struct Neon(int32x4_t);

// SAFETY: (all blocks) the caller vouches for NEON, and for what lies behind a pointer.
impl Sums for Neon {
    /// Those of low nibbles, then those of high ones.
    type Query = [[int8x16_t; 4]; 2];

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Self(unsafe { vdupq_n_s32(0) })
    }

    #[inline(always)]
    unsafe fn query(from: *const i8) -> Self::Query {
        // SAFETY: as above: eight times sixteen bytes.
        unsafe {
            [
                [
                    vld1q_s8(from.add(0)),
                    vld1q_s8(from.add(16)),
                    vld1q_s8(from.add(32)),
                    vld1q_s8(from.add(48)),
                ],
                [
                    vld1q_s8(from.add(64)),
                    vld1q_s8(from.add(80)),
                    vld1q_s8(from.add(96)),
                    vld1q_s8(from.add(112)),
                ],
            ]
        }
    }

    #[inline(always)]
    unsafe fn add(self, query: Self::Query, row: *const u8) -> Self {
        // SAFETY: as above: four times sixteen bytes.
        unsafe {
            let (mut first, mut second) = (vdupq_n_s16(0), vdupq_n_s16(0));
            let mut part = 0;
            while part < 4 {
                let bytes = vld1q_u8(row.add(part * 16));
                let low = vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15)));
                let high = vreinterpretq_s8_u8(vshrq_n_u8::<4>(bytes));
                let (query_low, query_high) = (query[0][part], query[1][part]);
                first = vmlal_s8(first, vget_low_s8(low), vget_low_s8(query_low));
                first = vmlal_s8(first, vget_low_s8(high), vget_low_s8(query_high));
                second = vmlal_high_s8(second, low, query_low);
                second = vmlal_high_s8(second, high, query_high);
                part += 1;
            }
            Self(vpadalq_s16(vpadalq_s16(self.0, first), second))
        }
    }

    #[inline(always)]
    unsafe fn total(self) -> i32 {
        // SAFETY: as above.
        unsafe { vaddvq_s32(self.0) }
    }

    #[inline(always)]
    unsafe fn prefetch(_at: *const u8) {}
}
