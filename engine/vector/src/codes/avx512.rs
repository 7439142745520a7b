#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Codes with AVX-512 and VNNI: sixty-four products in one instruction.

use super::Parts;
use super::order::Sums;
use std::arch::x86_64::{
    __m128i, __m512i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_extract_epi32,
    _mm_prefetch, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
    _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm512_castsi512_si256,
    _mm512_dpbusd_epi32, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_maskz_loadu_epi8,
    _mm512_reduce_add_epi32, _mm512_setzero_si512,
};

/// Sixteen sums.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

impl Avx512 {
    /// Sixteen sums as four.
    #[inline(always)]
    unsafe fn four_sums(self) -> __m128i {
        // SAFETY: the caller vouches for AVX-512F; a machine with it has AVX2.
        unsafe {
            let half = _mm256_add_epi32(
                _mm512_castsi512_si256(self.0),
                _mm512_extracti64x4_epi64::<1>(self.0),
            );
            _mm_add_epi32(
                _mm256_castsi256_si128(half),
                _mm256_extracti128_si256::<1>(half),
            )
        }
    }
}

// SAFETY: (all blocks) the caller vouches for AVX-512F, -BW and -VNNI, and for what lies behind a
// pointer. A masked load does not touch what its mask leaves out.
impl Sums for Avx512 {
    type Query = __m512i;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn query(from: *const i8) -> Self::Query {
        // SAFETY: as above.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn add(self, query: Self::Query, row: *const u8) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(_mm512_dpbusd_epi32(
                self.0,
                _mm512_loadu_si512(row.cast()),
                query,
            ))
        }
    }

    #[inline(always)]
    unsafe fn total(self) -> i32 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_add_epi32(self.0) }
    }

    #[inline(always)]
    unsafe fn totals(four: [Self; 4]) -> [i32; 4] {
        // SAFETY: as above; a machine with AVX-512F has AVX2.
        unsafe {
            let [a, b, c, d] = four;
            let (a, b) = (a.four_sums(), b.four_sums());
            let (c, d) = (c.four_sums(), d.four_sums());
            // Four by four sums, turned so that adding four registers adds up each of them.
            let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
            let (ab_high, cd_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
            let low = _mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd));
            let high = _mm_add_epi32(
                _mm_unpacklo_epi64(ab_high, cd_high),
                _mm_unpackhi_epi64(ab_high, cd_high),
            );
            let sums = _mm_add_epi32(low, high);
            [
                _mm_cvtsi128_si32(sums),
                _mm_extract_epi32::<1>(sums),
                _mm_extract_epi32::<2>(sums),
                _mm_extract_epi32::<3>(sums),
            ]
        }
    }

    #[inline(always)]
    unsafe fn prefetch(at: *const u8) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}

// SAFETY: (all blocks) as above.
impl Parts for Avx512 {
    #[inline(always)]
    unsafe fn query_part(from: *const i8, count: usize) -> Self::Query {
        // SAFETY: as above.
        unsafe { _mm512_maskz_loadu_epi8((1_u64 << count) - 1, from) }
    }

    #[inline(always)]
    unsafe fn add_part(self, query: Self::Query, row: *const u8, count: usize) -> Self {
        // SAFETY: as above.
        unsafe {
            let row = _mm512_maskz_loadu_epi8((1_u64 << count) - 1, row.cast());
            Self(_mm512_dpbusd_epi32(self.0, row, query))
        }
    }
}
