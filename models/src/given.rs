//! Vectors that were made elsewhere, by whatever model: they are looked up by their texts.

use crate::cached::TextHash;
use crate::checked::check;
use crate::embedder::{Embedder, Rows};
use crate::error::ModelError;
use std::collections::HashMap;

/// An embedder that knows the vectors it was given, and no others. They are kept as they are.
///
/// ```
/// use stratigraph_models::{Embedder, GivenVectors};
///
/// let mut vectors = GivenVectors::new("made elsewhere", 2);
/// vectors.give("old rocks", &[0.6, 0.8])?;
/// assert_eq!(vectors.embed(&["old rocks"])?.row(0), Some(&[0.6, 0.8][..]));
/// assert!(vectors.embed(&["young rocks"]).is_err());
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GivenVectors {
    name: String,
    dimensions: usize,
    vectors: HashMap<TextHash, Vec<f32>>,
}

impl GivenVectors {
    /// None yet; all will have so many numbers.
    #[must_use]
    pub fn new(name: impl Into<String>, dimensions: usize) -> Self {
        Self {
            name: name.into(),
            dimensions,
            vectors: HashMap::new(),
        }
    }

    /// The vector of a text; one that it had before is replaced.
    ///
    /// # Errors
    ///
    /// When it has another width, numbers that are none, or no direction.
    pub fn give(&mut self, text: &str, vector: &[f32]) -> Result<(), ModelError> {
        if vector.len() != self.dimensions {
            return Err(ModelError::WrongRows {
                texts: 1,
                dimensions: self.dimensions,
                found_rows: 1,
                found_dimensions: vector.len(),
            });
        }
        check(0, vector)?;
        self.vectors.insert(TextHash::of(text), vector.to_vec());
        Ok(())
    }

    /// How many texts have a vector.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Whether none was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }
}

impl Embedder for GivenVectors {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    /// [`ModelError::NotGiven`] for a text without a vector.
    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut rows = Rows::zeros(texts.len(), self.dimensions)?;
        for (place, (text, row)) in texts.iter().zip(rows.iter_mut()).enumerate() {
            let vector = self.vectors.get(&TextHash::of(text));
            let vector = vector.ok_or(ModelError::NotGiven { place })?;
            row.copy_from_slice(vector);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_vectors_are_taken_and_only_given_texts_have_one() {
        let mut given = GivenVectors::new("mine", 2);
        assert!(given.is_empty());
        for (vector, said) in [
            (&[1.0][..], "1 numbers"),
            (&[1.0, f32::NAN], "not finite"),
            (&[0.0, 0.0], "no direction"),
        ] {
            let error = given.give("a", vector).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        given.give("a", &[1.0, 2.0]).unwrap();
        given.give("a", &[3.0, 4.0]).unwrap();
        assert_eq!(given.len(), 1);
        assert_eq!(
            given.embed_questions(&["a", "a"]).unwrap().values(),
            [3., 4., 3., 4.]
        );
        let error = given.embed(&["a", "b"]).unwrap_err();
        assert!(matches!(error, ModelError::NotGiven { place: 1 }));
    }
}
