//! Cosines where 32 bits do not hold the squares: rare, so plain code in 64 bits, in one order of
//! additions that is the same on every machine.

/// The cosine of the angle between two vectors, one of which may be so long that the square of its
/// length overflows `f32`; nothing if one has no direction, or components that are not finite.
///
/// What [`cosine_from_parts`](super::cosine_from_parts) makes of finite parts may differ from this
/// in the last bits. Of vectors of different lengths the shorter one decides how much is looked at.
///
/// ```
/// use stratigraph_vector::cosine_of_long;
///
/// assert_eq!(cosine_of_long(&[3e30, 4e30], &[3.0, 4.0]), Some(1.0));
/// assert_eq!(cosine_of_long(&[3e30, 4e30], &[0.0, 0.0]), None);
/// ```
#[must_use]
pub fn cosine_of_long(left: &[f32], right: &[f32]) -> Option<f32> {
    let (mut dot, mut left_square, mut right_square) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (left, right) in left.iter().zip(right) {
        let (left, right) = (f64::from(*left), f64::from(*right));
        dot += left * right;
        left_square += left * left;
        right_square += right * right;
    }
    // One root each: the product of two squares may be too large even for 64 bits.
    let lengths = left_square.sqrt() * right_square.sqrt();
    if !lengths.is_finite() || lengths <= 0.0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number between -1 and 1 fits; it is rounded once"
    )]
    let cosine = (dot / lengths).clamp(-1.0, 1.0) as f32;
    Some(cosine)
}
