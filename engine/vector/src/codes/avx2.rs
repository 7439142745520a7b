#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Codes with AVX2. Its product of bytes saturates, so bytes are widened to sixteen bits first.

use super::Parts;
use super::order::Sums;
use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch,
    _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_cvtepu8_epi16, _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_setzero_si256,
};

/// Eight sums.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

// SAFETY: (all blocks) the caller vouches for AVX2, and for what lies behind a pointer.
impl Sums for Avx2 {
    type Query = [__m256i; 4];

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    unsafe fn query(from: *const i8) -> Self::Query {
        // SAFETY: as above: four times sixteen bytes.
        unsafe {
            [
                _mm256_cvtepi8_epi16(_mm_loadu_si128(from.add(0).cast())),
                _mm256_cvtepi8_epi16(_mm_loadu_si128(from.add(16).cast())),
                _mm256_cvtepi8_epi16(_mm_loadu_si128(from.add(32).cast())),
                _mm256_cvtepi8_epi16(_mm_loadu_si128(from.add(48).cast())),
            ]
        }
    }

    #[inline(always)]
    unsafe fn add(mut self, query: Self::Query, row: *const u8) -> Self {
        for (at, query) in [0, 16, 32, 48].into_iter().zip(query) {
            // SAFETY: as above: four times sixteen bytes.
            unsafe {
                let row = _mm256_cvtepu8_epi16(_mm_loadu_si128(row.add(at).cast()));
                self.0 = _mm256_add_epi32(self.0, _mm256_madd_epi16(row, query));
            }
        }
        self
    }

    #[inline(always)]
    unsafe fn total(self) -> i32 {
        // SAFETY: as above.
        unsafe { total_of_eight(self.0) }
    }

    #[inline(always)]
    unsafe fn prefetch(at: *const u8) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}

impl Parts for Avx2 {}

/// The last three halvings: 4 to 4, 2 to 2, 1 to 1. The packing of [`halves`](super::halves) has them too.
///
/// # Safety
///
/// The machine has AVX2.
#[inline(always)]
pub(super) unsafe fn total_of_eight(sums: __m256i) -> i32 {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        let four = _mm_add_epi32(
            _mm256_castsi256_si128(sums),
            _mm256_extracti128_si256::<1>(sums),
        );
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b_00_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b_00_00_00_01>(two)))
    }
}
