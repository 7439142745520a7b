#![expect(unsafe_code, reason = "a kernel: it reads through pointers")]
//! Sixteen lanes on any machine: the twin that the others must agree with.
//!
//! `mul_add` is one instruction where the machine has it, and a slow but exact call where not.

use super::order::{LANES, Lanes};

/// Sixteen numbers in an array.
#[derive(Clone, Copy)]
pub(super) struct Scalar([f32; LANES]);

impl Lanes for Scalar {
    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([0.0; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for sixteen numbers; an array of f32 needs no more alignment.
        Self(unsafe { from.cast::<[f32; LANES]>().read() })
    }

    #[inline(always)]
    unsafe fn load_part(from: *const f32, count: usize) -> Self {
        let mut lanes = [0.0; LANES];
        // SAFETY: the caller vouches for `count` numbers.
        let numbers = unsafe { std::slice::from_raw_parts(from, count) };
        for (lane, number) in lanes.iter_mut().zip(numbers) {
            *lane = *number;
        }
        Self(lanes)
    }

    #[inline(always)]
    unsafe fn fused_add(mut self, left: Self, right: Self) -> Self {
        for ((sum, left), right) in self.0.iter_mut().zip(left.0).zip(right.0) {
            *sum = left.mul_add(right, *sum);
        }
        self
    }

    #[inline(always)]
    unsafe fn minus(mut self, other: Self) -> Self {
        for (lane, other) in self.0.iter_mut().zip(other.0) {
            *lane -= other;
        }
        self
    }

    #[inline(always)]
    unsafe fn total(self) -> f32 {
        let mut lanes = self.0;
        for half in [8, 4, 2, 1] {
            let (low, high) = lanes.split_at_mut(half);
            for (lane, other) in low.iter_mut().zip(high) {
                *lane += *other;
            }
        }
        lanes[0]
    }

    #[inline(always)]
    unsafe fn prefetch(_at: *const f32) {}
}
