//! Rows are looked at before anybody computes with them, whoever made them.

use crate::embedder::{Embedder, Purpose, Rows};
use crate::error::ModelError;
use crate::language::Coverage;

/// An embedder whose rows are as many as the texts, as wide as it says, of finite numbers, and not nothing but zeros.
///
/// Embedders of this crate keep to that by themselves; this is for those of others.
#[derive(Clone, Debug)]
pub struct Checked<E> {
    embedder: E,
}

impl<E: Embedder> Checked<E> {
    /// Looks at all that this one gives.
    pub fn new(embedder: E) -> Self {
        Self { embedder }
    }

    /// The one whose rows are looked at.
    pub fn inner(&self) -> &E {
        &self.embedder
    }

    fn embed_checked(&self, purpose: Purpose, texts: &[&str]) -> Result<Rows, ModelError> {
        let rows = self.embedder.embed_for(purpose, texts)?;
        let dimensions = self.embedder.dimensions();
        if rows.len() != texts.len() || (!rows.is_empty() && rows.dimensions() != dimensions) {
            return Err(ModelError::WrongRows {
                texts: texts.len(),
                dimensions,
                found_rows: rows.len(),
                found_dimensions: rows.dimensions(),
            });
        }
        for (place, row) in rows.iter().enumerate() {
            check(place, row)?;
        }
        Ok(rows)
    }
}

/// Whether a row is one to compute with.
pub(crate) fn check(place: usize, row: &[f32]) -> Result<(), ModelError> {
    if !row.iter().all(|number| number.is_finite()) {
        return Err(ModelError::NotFinite { place });
    }
    // In f64, so that no square of an f32 is too small or too large.
    let squares: f64 = row.iter().map(|number| f64::from(*number).powi(2)).sum();
    if squares == 0.0 {
        return Err(ModelError::NoDirection { place });
    }
    Ok(())
}

impl<E: Embedder> Embedder for Checked<E> {
    fn name(&self) -> &str {
        self.embedder.name()
    }

    fn dimensions(&self) -> usize {
        self.embedder.dimensions()
    }

    fn max_tokens(&self) -> usize {
        self.embedder.max_tokens()
    }

    fn max_text_tokens(&self) -> usize {
        self.embedder.max_text_tokens()
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed_checked(Purpose::Passage, texts)
    }

    fn embed_questions(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed_checked(Purpose::Question, texts)
    }

    fn token_ends(&self, text: &str) -> Result<Option<Vec<usize>>, ModelError> {
        self.embedder.token_ends(text)
    }

    fn token_vectors(&self, texts: &[&str]) -> Result<Option<Vec<Rows>>, ModelError> {
        let Some(vectors) = self.embedder.token_vectors(texts)? else {
            return Ok(None);
        };
        let dimensions = self.embedder.dimensions();
        let wrong = |found: &Rows| !found.is_empty() && found.dimensions() != dimensions;
        if vectors.len() != texts.len() || vectors.iter().any(wrong) {
            let wrong = vectors.iter().find(|one| wrong(one));
            return Err(ModelError::WrongRows {
                texts: texts.len(),
                dimensions,
                found_rows: vectors.len(),
                found_dimensions: wrong.map_or(dimensions, Rows::dimensions),
            });
        }
        for (place, rows) in vectors.iter().enumerate() {
            if !rows.values().iter().all(|number| number.is_finite()) {
                return Err(ModelError::NotFinite { place });
            }
        }
        Ok(Some(vectors))
    }

    fn coverage(&self, texts: &[&str]) -> Result<Option<Coverage>, ModelError> {
        self.embedder.coverage(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives the numbers of its texts.
    struct Spelt;

    impl Embedder for Spelt {
        fn name(&self) -> &str {
            "spelt"
        }
        fn dimensions(&self) -> usize {
            2
        }
        fn max_tokens(&self) -> usize {
            2
        }
        fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
            let width = texts.first().map_or(2, |text| text.split(' ').count());
            let mut rows = Rows::zeros(texts.len().min(3), width)?;
            for (row, text) in rows.iter_mut().zip(texts) {
                for (number, text) in row.iter_mut().zip(text.split(' ')) {
                    *number = text.parse().unwrap();
                }
            }
            Ok(rows)
        }
    }

    #[test]
    fn what_is_no_row_does_not_get_through() {
        let checked = Checked::new(Spelt);
        assert_eq!(checked.embed(&["1 0", "0 1e-45"]).unwrap().len(), 2);
        assert!(checked.embed(&[]).unwrap().is_empty());
        for (texts, said) in [
            (&["1 0", "0 NaN"][..], "text 1 holds numbers that are not"),
            (&["inf 0"], "text 0 holds numbers that are not"),
            (&["1 0", "1 0", "0 0"], "text 2 has no direction"),
            (&["1 2 3"], "1 rows of 3 numbers"),
            (&["1"], "1 rows of 1 numbers"),
            (&["1 0", "1 0", "1 0", "1 0"], "3 rows of 2 numbers"),
        ] {
            for purpose in [Purpose::Passage, Purpose::Question] {
                let error = checked.embed_for(purpose, texts).unwrap_err().to_string();
                assert!(error.contains(said), "{texts:?}: {error}");
            }
        }
    }
}
