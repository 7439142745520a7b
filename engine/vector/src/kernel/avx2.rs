#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Sixteen lanes in two registers of AVX2, with FMA.

use super::order::{LANES, Lanes};
use std::arch::x86_64::{
    __m256, _MM_HINT_T0, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_movehl_ps, _mm_prefetch,
    _mm_shuffle_ps, _mm256_add_ps, _mm256_castps256_ps128, _mm256_extractf128_ps, _mm256_fmadd_ps,
    _mm256_loadu_ps, _mm256_loadu_si256, _mm256_maskload_ps, _mm256_setzero_ps, _mm256_sub_ps,
};

/// Lanes 0 to 7, and 8 to 15.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256, __m256);

/// A window of sixteen from here selects as many lanes as it starts before the middle.
const MASKS: [i32; 2 * LANES] = {
    let mut masks = [0; 2 * LANES];
    let mut lane = 0;
    while lane < LANES {
        masks[lane] = -1;
        lane += 1;
    }
    masks
};

// SAFETY: (all blocks) the caller vouches for AVX2 and FMA, and for what lies behind a pointer. A
// masked load does not touch what its mask leaves out.
impl Lanes for Avx2 {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_setzero_ps(), _mm256_setzero_ps()) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))) }
    }

    #[inline(always)]
    unsafe fn load_part(from: *const f32, count: usize) -> Self {
        // SAFETY: as above; the windows lie inside `MASKS`, because `count` is below sixteen. The
        // second address is made without a promise, since the numbers may end before it.
        unsafe {
            let window = MASKS.as_ptr().add(LANES - count);
            let low = _mm256_loadu_si256(window.cast());
            let high = _mm256_loadu_si256(window.add(8).cast());
            Self(
                _mm256_maskload_ps(from, low),
                _mm256_maskload_ps(from.wrapping_add(8), high),
            )
        }
    }

    #[inline(always)]
    unsafe fn fused_add(self, left: Self, right: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(
                _mm256_fmadd_ps(left.0, right.0, self.0),
                _mm256_fmadd_ps(left.1, right.1, self.1),
            )
        }
    }

    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(
                _mm256_sub_ps(self.0, other.0),
                _mm256_sub_ps(self.1, other.1),
            )
        }
    }

    #[inline(always)]
    unsafe fn total(self) -> f32 {
        // SAFETY: as above.
        unsafe { total_of_eight(_mm256_add_ps(self.0, self.1)) }
    }

    #[inline(always)]
    unsafe fn prefetch(at: *const f32) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}

/// The last three halvings: 4 to 4, 2 to 2, 1 to 1.
///
/// # Safety
///
/// The machine has AVX.
#[inline(always)]
pub(super) unsafe fn total_of_eight(lanes: __m256) -> f32 {
    // SAFETY: the caller vouches for AVX.
    unsafe {
        let four = _mm_add_ps(
            _mm256_castps256_ps128(lanes),
            _mm256_extractf128_ps::<1>(lanes),
        );
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
    }
}
