#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Halves with AVX2. Its product of bytes adds two products in sixteen bits and saturates; with
//! nibbles that is no danger: two are at most 3840, and eight such sums still fit.

use crate::codes::avx2::total_of_eight;
use crate::codes::order::Sums;
use std::arch::x86_64::{
    __m128i, __m256i, _MM_HINT_T0, _mm_add_epi32, _mm_prefetch, _mm_storeu_si128, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_and_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_srli_epi16,
};

/// Eight sums.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

/// The sixteen-bit sums of the products of thirty-two bytes' nibbles.
///
/// # Safety
///
/// The machine has AVX2, and thirty-two bytes can be read from `row` on.
#[inline(always)]
unsafe fn products(low: __m256i, high: __m256i, row: *const u8) -> __m256i {
    // SAFETY: the caller vouches for all of it.
    unsafe {
        let nibble = _mm256_set1_epi8(15);
        let row = _mm256_loadu_si256(row.cast());
        _mm256_add_epi16(
            _mm256_maddubs_epi16(_mm256_and_si256(row, nibble), low),
            _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16::<4>(row), nibble), high),
        )
    }
}

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
        // SAFETY: as above: four times thirty-two bytes.
        unsafe {
            [
                _mm256_loadu_si256(from.add(0).cast()),
                _mm256_loadu_si256(from.add(32).cast()),
                _mm256_loadu_si256(from.add(64).cast()),
                _mm256_loadu_si256(from.add(96).cast()),
            ]
        }
    }

    #[inline(always)]
    unsafe fn add(self, query: Self::Query, row: *const u8) -> Self {
        // SAFETY: as above: twice thirty-two bytes. Four products of two fit sixteen bits.
        unsafe {
            let sums = _mm256_add_epi16(
                products(query[0], query[2], row),
                products(query[1], query[3], row.add(32)),
            );
            let sums = _mm256_madd_epi16(sums, _mm256_set1_epi16(1));
            Self(_mm256_add_epi32(self.0, sums))
        }
    }

    #[inline(always)]
    unsafe fn total(self) -> i32 {
        // SAFETY: as above.
        unsafe { total_of_eight(self.0) }
    }

    #[inline(always)]
    unsafe fn totals(four: [Self; 4]) -> [i32; 4] {
        // SAFETY: as above; the array has room for four.
        unsafe {
            let [a, b, c, d] = four;
            let pairs = (_mm256_hadd_epi32(a.0, b.0), _mm256_hadd_epi32(c.0, d.0));
            let halves = _mm256_hadd_epi32(pairs.0, pairs.1);
            let sums: __m128i = _mm_add_epi32(
                _mm256_castsi256_si128(halves),
                _mm256_extracti128_si256::<1>(halves),
            );
            let mut totals = [0; 4];
            _mm_storeu_si128(totals.as_mut_ptr().cast(), sums);
            totals
        }
    }

    #[inline(always)]
    unsafe fn prefetch(at: *const u8) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}
