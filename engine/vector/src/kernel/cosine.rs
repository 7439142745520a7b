//! Cosines from dot products, and from the vectors themselves where 32 bits do not hold the squares: that is
//! rare, so plain code in 64 bits, in one order of additions that is the same on every machine.

/// The cosine from a dot product and the dot products of either vector with itself; nothing if one
/// of those is zero or no number, or if the quotient is no number. It is never above one or below
/// minus one, whatever rounding did, and a vector's cosine with itself is one.
///
/// The product of the squares is taken in `f64`, where it is exact. But what `f32` has lost is lost: of a vector
/// that is shorter than about 1e-15 or longer than about 1.8e19 the squares of components are too small or too
/// large for it, and so is what comes of them. [`cosine_of_long`] takes any.
#[must_use]
pub fn cosine_from_parts(dot: f32, left_square: f32, right_square: f32) -> Option<f32> {
    let squares = f64::from(left_square) * f64::from(right_square);
    if !squares.is_finite() || squares <= 0.0 || dot.is_nan() {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number between -1 and 1 fits; it is rounded once"
    )]
    let cosine = (f64::from(dot) / squares.sqrt()).clamp(-1.0, 1.0) as f32;
    Some(cosine)
}

/// The cosine of two vectors of which the dot product and the squares of their lengths are known: whoever has
/// these from somewhere gets the same bits as from [`Kernels::cosine`](super::Kernels::cosine).
#[must_use]
pub fn cosine_of(left: &[f32], right: &[f32], dot: f32, squares: [f32; 2]) -> Option<f32> {
    if squares.into_iter().all(is_plain) && dot.is_finite() {
        let [left_square, right_square] = squares;
        return cosine_from_parts(dot, left_square, right_square);
    }
    cosine_of_long(left, right)
}

/// Whether a square of a length was not rounded away on its way.
fn is_plain(square: f32) -> bool {
    const SHORTEST: f32 = 1e-30;
    square.is_finite() && square >= SHORTEST
}

/// The cosine of the angle between two vectors, one of which may be so long that the square of its
/// length overflows `f32`; nothing if one has no direction, or components that are not finite.
///
/// What [`cosine_from_parts`] makes of finite parts may differ from this in the last bits. Of vectors of
/// different lengths the shorter one decides how much is looked at.
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
