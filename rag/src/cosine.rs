//! How near the directions of two vectors are.
//!
//! There are two ways to add up, on purpose. [`cosine`] is the engine's: what is compared here gets the number that a
//! search would give it. [`dot`] adds in `f64`, one product after the other: clusters of relations and `BERTScore` are
//! made of that, and with other last bits what lies at a bound would fall to the other side of it.

use stratigraph::Kernels;

/// The cosine of two vectors of the same length; nothing of others, or where one has no direction.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> Option<f32> {
    let cosine = Kernels::best().cosine(one, other).ok()??;
    Some(cosine.clamp(-1.0, 1.0))
}

/// The sum of the products of two vectors, which is their cosine if both have length 1.
pub(crate) fn dot(one: &[f32], other: &[f32]) -> f64 {
    let products = one
        .iter()
        .zip(other)
        .map(|(one, other)| f64::from(*one) * f64::from(*other));
    products.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_of_directions() {
        assert_eq!(cosine(&[2.0, 0.0], &[3.0, 0.0]), Some(1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 0.0]), None);
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
    }
}
