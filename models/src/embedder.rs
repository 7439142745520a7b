//! The face of every embedder: texts in, rows of numbers out.
//!
//! It names no model and no library. An implementation must not panic on any text, and must return
//! the same rows for the same texts.

use crate::error::ModelError;
use crate::language::Coverage;
use std::sync::Arc;

/// What a text is to those that it is compared with. Many models read a question otherwise than what answers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// It is kept, and found by others.
    #[default]
    Passage,
    /// It asks for others.
    Question,
}

/// Something that turns texts into vectors whose nearness is nearness in meaning.
///
/// ```
/// use stratigraph_models::{Embedder, ModelError, Rows};
///
/// // Stands in for a model in tests: how often each vowel occurs.
/// struct Vowels;
///
/// impl Embedder for Vowels {
///     fn name(&self) -> &str {
///         "vowels"
///     }
///     fn dimensions(&self) -> usize {
///         5
///     }
///     fn max_tokens(&self) -> usize {
///         usize::MAX
///     }
///     fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
///         let mut rows = Rows::zeros(texts.len(), 5)?;
///         for (text, row) in texts.iter().zip(rows.iter_mut()) {
///             for (vowel, count) in "aeiou".chars().zip(row) {
///                 *count = text.matches(vowel).count() as f32;
///             }
///         }
///         Ok(rows)
///     }
/// }
///
/// let rows = Vowels.embed(&["banana", ""])?;
/// assert_eq!(rows.row(0), Some(&[3.0, 0.0, 0.0, 0.0, 0.0][..]));
/// # Ok::<(), ModelError>(())
/// ```
pub trait Embedder: Send + Sync {
    /// What to call the model. Vectors of embedders with different names must not be compared.
    fn name(&self) -> &str;

    /// How many numbers a row has.
    fn dimensions(&self) -> usize;

    /// How many tokens of a text are read, those that the model adds included. The rest of a longer
    /// text has no influence on its row.
    fn max_tokens(&self) -> usize;

    /// How many tokens of a text that is kept are its own: without those that the model adds, and those of what is put
    /// before it. For whoever cuts texts so that all of them is read.
    fn max_text_tokens(&self) -> usize {
        self.max_tokens()
    }

    /// One row for each text that is kept and will be found, in the order of the texts. An empty text has a row too.
    ///
    /// # Errors
    ///
    /// When the model cannot compute. No text by itself is an error.
    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError>;

    /// One row for each text that asks, to be compared with rows of [`embed`](Self::embed). Models to which it is
    /// all the same need not say anything here.
    ///
    /// # Errors
    ///
    /// As for [`embed`](Self::embed).
    fn embed_questions(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed(texts)
    }

    /// One of the two above.
    ///
    /// # Errors
    ///
    /// As for [`embed`](Self::embed).
    fn embed_for(&self, purpose: Purpose, texts: &[&str]) -> Result<Rows, ModelError> {
        match purpose {
            Purpose::Passage => self.embed(texts),
            Purpose::Question => self.embed_questions(texts),
        }
    }

    /// Where each token of a text ends, in bytes from its beginning, for whoever cuts texts to a model's measure. The
    /// tokens that the model adds are not among them. Nothing where the model does not tell.
    ///
    /// # Errors
    ///
    /// When the text cannot be cut into tokens.
    fn token_ends(&self, _text: &str) -> Result<Option<Vec<usize>>, ModelError> {
        Ok(None)
    }

    /// The vectors of the tokens of each text, in their order and without those that the model adds, for whoever compares
    /// texts token by token. Their lengths differ; a text has as many rows as it has tokens that are read, which may be none.
    /// Nothing where the model does not tell: one vector for a text is all that most do.
    ///
    /// # Errors
    ///
    /// As for [`embed`](Self::embed).
    fn token_vectors(&self, _texts: &[&str]) -> Result<Option<Vec<Rows>>, ModelError> {
        Ok(None)
    }

    /// How much of the writing of these texts the model can read, where it can tell. Reads the beginnings of them.
    ///
    /// # Errors
    ///
    /// When a text cannot be cut into tokens.
    fn coverage(&self, _texts: &[&str]) -> Result<Option<Coverage>, ModelError> {
        Ok(None)
    }
}

/// What points to an embedder is one.
macro_rules! also_behind {
    ($($pointer:ty),*) => {$(
        impl<E: Embedder + ?Sized> Embedder for $pointer {
            fn name(&self) -> &str {
                (**self).name()
            }
            fn dimensions(&self) -> usize {
                (**self).dimensions()
            }
            fn max_tokens(&self) -> usize {
                (**self).max_tokens()
            }
            fn max_text_tokens(&self) -> usize {
                (**self).max_text_tokens()
            }
            fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
                (**self).embed(texts)
            }
            fn embed_questions(&self, texts: &[&str]) -> Result<Rows, ModelError> {
                (**self).embed_questions(texts)
            }
            fn token_ends(&self, text: &str) -> Result<Option<Vec<usize>>, ModelError> {
                (**self).token_ends(text)
            }
            fn token_vectors(&self, texts: &[&str]) -> Result<Option<Vec<Rows>>, ModelError> {
                (**self).token_vectors(texts)
            }
            fn coverage(&self, texts: &[&str]) -> Result<Option<Coverage>, ModelError> {
                (**self).coverage(texts)
            }
        }
    )*};
}

also_behind!(&E, Box<E>, Arc<E>);

/// Vectors of equal length, one after another in one piece of memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    values: Vec<f32>,
    dimensions: usize,
    tokens: Option<u64>,
}

impl Rows {
    /// So many rows of nothing but zeros.
    ///
    /// # Errors
    ///
    /// [`ModelError::TooManyRows`] when that is more than this machine can address.
    pub fn zeros(count: usize, dimensions: usize) -> Result<Self, ModelError> {
        let length = count.checked_mul(dimensions);
        // `vec!` would end the process instead of saying no.
        let length = length.filter(|length| *length <= isize::MAX as usize / size_of::<f32>());
        let length = length.ok_or(ModelError::TooManyRows { count, dimensions })?;
        Ok(Self {
            values: vec![0.0; length],
            dimensions,
            tokens: None,
        })
    }

    /// These numbers, row after row.
    ///
    /// # Errors
    ///
    /// [`ModelError::WrongRows`] if they make no whole rows.
    pub fn of(values: Vec<f32>, dimensions: usize) -> Result<Self, ModelError> {
        let rows = values.len().checked_div(dimensions).unwrap_or(0);
        match rows * dimensions == values.len() {
            true => Ok(Self {
                values,
                dimensions,
                tokens: None,
            }),
            false => Err(ModelError::WrongRows {
                texts: rows,
                dimensions,
                found_rows: rows + 1,
                found_dimensions: values.len() % dimensions.max(1),
            }),
        }
    }

    /// The same rows, for which so many tokens were read.
    #[must_use]
    pub fn counted(mut self, tokens: Option<u64>) -> Self {
        self.tokens = tokens;
        self
    }

    /// How many tokens were read for them, where whoever made them counts that: somebody who is paid for it does.
    #[must_use]
    pub fn tokens(&self) -> Option<u64> {
        self.tokens
    }

    /// How many numbers each row has.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.dimensions).unwrap_or(0)
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The row of the text at this place, or nothing when there was no such text.
    #[must_use]
    pub fn row(&self, place: usize) -> Option<&[f32]> {
        let start = place.checked_mul(self.dimensions)?;
        let end = start.checked_add(self.dimensions)?;
        self.values.get(start..end)
    }

    /// The rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimensions.max(1))
    }

    /// The rows in order, to be written.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [f32]> {
        self.values.chunks_exact_mut(self.dimensions.max(1))
    }

    /// All numbers, row after row.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All numbers, row after row, without a copy.
    #[must_use]
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_not_there_is_nothing_and_no_panic() {
        let rows = Rows::zeros(2, 3).unwrap();
        assert_eq!((rows.len(), rows.iter().len()), (2, 2));
        assert_eq!(rows.row(1), Some(&[0.0; 3][..]));
        assert_eq!(rows.row(2), None);
        assert_eq!(rows.row(usize::MAX), None);
    }

    #[test]
    fn more_than_memory_can_hold_is_refused() {
        let refused = Rows::zeros(usize::MAX / 2, 384);
        assert!(matches!(refused, Err(ModelError::TooManyRows { .. })));
    }

    #[test]
    fn rows_of_no_numbers_are_no_rows() {
        assert_eq!(Rows::zeros(5, 0).unwrap().len(), 0);
        assert!(Rows::default().is_empty());
    }
}
