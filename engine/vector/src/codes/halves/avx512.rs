#![expect(
    unsafe_code,
    reason = "a kernel: it calls the processor's instructions"
)]
//! Halves with AVX-512 and VNNI: sixty-four products in one instruction, twice per group.
//!
//! A high nibble is masked where it stands and so counts sixteen times, which one shift at the very
//! end takes back: a shift per group is saved. Such a sum fits: what a lane adds per group is less
//! than 2^17, and there are at most 2^9 groups.

use crate::codes::order::Sums;
use std::arch::x86_64::{
    __m128i, __m512i, _MM_HINT_T0, _mm_add_epi32, _mm_prefetch, _mm_storeu_si128,
    _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
    _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm512_add_epi32,
    _mm512_and_si512, _mm512_castsi512_si256, _mm512_dpbusd_epi32, _mm512_extracti64x4_epi64,
    _mm512_loadu_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_setzero_si512,
    _mm512_srai_epi32,
};

/// Sixteen sums of low nibbles, and sixteen of high ones, times sixteen. Two chains of additions, so
/// that a single row need not wait for one.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i, __m512i);

impl Avx512 {
    /// Sixteen sums.
    #[inline(always)]
    unsafe fn sums(self) -> __m512i {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_add_epi32(self.0, _mm512_srai_epi32::<4>(self.1)) }
    }

    /// Sixteen sums as four.
    #[inline(always)]
    unsafe fn four_sums(self) -> __m128i {
        // SAFETY: the caller vouches for AVX-512F; a machine with it has AVX2.
        unsafe {
            let sums = self.sums();
            let half = _mm256_add_epi32(
                _mm512_castsi512_si256(sums),
                _mm512_extracti64x4_epi64::<1>(sums),
            );
            _mm_add_epi32(
                _mm256_castsi256_si128(half),
                _mm256_extracti128_si256::<1>(half),
            )
        }
    }
}

// SAFETY: (all blocks) the caller vouches for AVX-512F, -BW and -VNNI, and for what lies behind a
// pointer.
impl Sums for Avx512 {
    type Query = [__m512i; 2];

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm512_setzero_si512(), _mm512_setzero_si512()) }
    }

    #[inline(always)]
    unsafe fn query(from: *const i8) -> Self::Query {
        // SAFETY: as above: twice sixty-four bytes.
        unsafe {
            [
                _mm512_loadu_si512(from.cast()),
                _mm512_loadu_si512(from.add(64).cast()),
            ]
        }
    }

    #[inline(always)]
    unsafe fn add(self, query: Self::Query, row: *const u8) -> Self {
        // SAFETY: as above: sixty-four bytes.
        unsafe {
            let row = _mm512_loadu_si512(row.cast());
            let low = _mm512_and_si512(row, _mm512_set1_epi8(0x0f));
            let high = _mm512_and_si512(row, _mm512_set1_epi8(0xf0_u8.cast_signed()));
            Self(
                _mm512_dpbusd_epi32(self.0, low, query[0]),
                _mm512_dpbusd_epi32(self.1, high, query[1]),
            )
        }
    }

    #[inline(always)]
    unsafe fn total(self) -> i32 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_add_epi32(self.sums()) }
    }

    #[inline(always)]
    unsafe fn totals(four: [Self; 4]) -> [i32; 4] {
        // SAFETY: as above; a machine with AVX-512F has AVX2; the array has room for four.
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
            let mut totals = [0; 4];
            _mm_storeu_si128(totals.as_mut_ptr().cast(), _mm_add_epi32(low, high));
            totals
        }
    }

    #[inline(always)]
    unsafe fn prefetch(at: *const u8) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}
