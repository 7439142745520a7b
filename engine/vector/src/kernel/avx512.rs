#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Sixteen lanes in one register of AVX-512F.

use super::order::Lanes;
use std::arch::x86_64::{
    __m512, _MM_HINT_T0, _mm_prefetch, _mm256_add_ps, _mm256_castpd_ps, _mm512_castps_pd,
    _mm512_castps512_ps256, _mm512_extractf64x4_pd, _mm512_fmadd_ps, _mm512_loadu_ps,
    _mm512_maskz_loadu_ps, _mm512_setzero_ps, _mm512_sub_ps,
};

/// One register.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512);

// SAFETY: (all blocks) the caller vouches for AVX-512F, and for what lies behind a pointer. A
// masked load does not touch what its mask leaves out.
impl Lanes for Avx512 {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_setzero_ps() })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_loadu_ps(from) })
    }

    #[inline(always)]
    unsafe fn load_part(from: *const f32, count: usize) -> Self {
        let mask = (1_u16 << count) - 1;
        // SAFETY: as above; the mask selects the first `count` lanes.
        Self(unsafe { _mm512_maskz_loadu_ps(mask, from) })
    }

    #[inline(always)]
    unsafe fn fused_add(self, left: Self, right: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_fmadd_ps(left.0, right.0, self.0) })
    }

    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn total(self) -> f32 {
        // SAFETY: as above; a machine with AVX-512F has AVX.
        unsafe {
            let low = _mm512_castps512_ps256(self.0);
            // The extraction of eight floats needs AVX-512DQ, that of four doubles does not.
            let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(self.0)));
            super::avx2::total_of_eight(_mm256_add_ps(low, high))
        }
    }

    #[inline(always)]
    unsafe fn prefetch(at: *const f32) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}
