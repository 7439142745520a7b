//! wip placeholder until the kernels are merged.
#![allow(unsafe_code, missing_docs)]
use super::Strided;

pub(crate) fn split(stored: &[u8], high: &mut [u8], low: &mut [u8]) {
    high.fill(0);
    low.fill(0);
    for (at, bits) in stored.iter().enumerate() {
        let (group, place) = (at / 128, at % 128);
        let byte = group * 64 + place % 64;
        let shift = place / 64 * 4;
        high[byte] |= (bits >> 4) << shift;
        low[byte] |= (bits & 15) << shift;
    }
}

/// The numbers that halved bits stand for, as a query has them. Where the low half is not read, it is
/// taken for its middle.
pub(crate) fn numbers(high: &[u8], low: Option<&[u8]>, numbers: &mut Vec<i8>) {
    numbers.clear();
    numbers.resize(2 * high.len(), 0);
    let number = |high: u8, low: u8| (high << 4 | low).wrapping_add(128).cast_signed().max(-127);
    let groups = numbers.as_chunks_mut::<128>().0.iter_mut();
    let highs = high.as_chunks::<64>().0;
    if let Some(low) = low {
        for ((group, high), low) in groups.zip(highs).zip(low.as_chunks::<64>().0) {
            for at in 0..64 {
                group[at] = number(high[at] & 15, low[at] & 15);
                group[64 + at] = number(high[at] >> 4, low[at] >> 4);
            }
        }
    } else {
        for (group, high) in groups.zip(highs) {
            for at in 0..64 {
                group[at] = number(high[at] & 15, 8);
                group[64 + at] = number(high[at] >> 4, 8);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(crate) unsafe fn gathered(query: &[i8], rows: Strided, places: &[u32], results: &mut [i32]) {
    use std::arch::x86_64::*;
    let low = _mm512_set1_epi8(15);
    let groups = query.len() / 128;
    for (place, result) in places.iter().zip(results) {
        let row = rows.first.wrapping_add(*place as usize * rows.stride);
        let mut a = _mm512_setzero_si512();
        let mut b = _mm512_setzero_si512();
        for g in 0..groups {
            unsafe {
                let r = _mm512_loadu_si512(row.add(g * 64).cast());
                let lo = _mm512_and_si512(r, low);
                let hi = _mm512_and_si512(_mm512_srli_epi16::<4>(r), low);
                a = _mm512_dpbusd_epi32(a, lo, _mm512_loadu_si512(query.as_ptr().add(g * 128).cast()));
                b = _mm512_dpbusd_epi32(b, hi, _mm512_loadu_si512(query.as_ptr().add(g * 128 + 64).cast()));
            }
        }
        *result = _mm512_reduce_add_epi32(_mm512_add_epi32(a, b));
    }
}
