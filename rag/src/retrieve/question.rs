//! A question: its words, what it is limited to, and whether anything near may be missed for it.

use std::collections::BTreeMap;

use stratigraph::Value;

use super::RetrieveError;

/// What somebody wants to know.
///
/// ```
/// use stratigraph_rag::retrieve::Question;
///
/// let question = Question::new("What is basalt?")?.only("year", 2023);
/// assert_eq!(question.text(), "What is basalt?");
/// # Ok::<(), stratigraph_rag::retrieve::RetrieveError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Question {
    text: String,
    filters: BTreeMap<String, Value>,
    is_exact: bool,
}

impl Question {
    /// So many bytes a question may have.
    pub const MOST_BYTES: usize = 16 << 10;

    /// Of any documents.
    ///
    /// # Errors
    /// [`RetrieveError::EmptyQuestion`], [`RetrieveError::LongQuestion`].
    pub fn new(text: impl Into<String>) -> Result<Self, RetrieveError> {
        let text = text.into();
        // Whatever came of it would be near by chance alone.
        if !text.contains(char::is_alphanumeric) {
            return Err(RetrieveError::EmptyQuestion);
        }
        if text.len() > Self::MOST_BYTES {
            return Err(RetrieveError::LongQuestion {
                bytes: text.len(),
                most: Self::MOST_BYTES,
            });
        }
        Ok(Self {
            text,
            filters: BTreeMap::new(),
            is_exact: false,
        })
    }

    /// Only from chunks whose property `name`, one of those that the profile names, is this.
    pub fn only(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.filters.insert(name.into(), value.into());
        self
    }

    /// So that no search for it misses anything that is near, whatever its pipeline says, and the same snapshot gives the same bytes
    /// every time: all vectors count, and walks are followed to their end.
    ///
    /// ```
    /// use stratigraph_rag::retrieve::Question;
    ///
    /// let question = Question::new("What is basalt?")?.exact();
    /// assert!(question.is_exact());
    /// # Ok::<(), stratigraph_rag::retrieve::RetrieveError>(())
    /// ```
    pub fn exact(mut self) -> Self {
        self.is_exact = true;
        self
    }

    /// Whether it is asked so.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Its words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The properties of chunks that it chooses by, with their values.
    pub(super) fn filters(&self) -> &BTreeMap<String, Value> {
        &self.filters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_letter_and_no_digit_is_no_question() {
        for text in ["", "   ", "?", " \n…—!? ", "\u{200B}"] {
            let refused = Question::new(text).unwrap_err();
            assert!(matches!(refused, RetrieveError::EmptyQuestion), "{text:?}");
            let told = refused.to_string();
            assert!(told.contains("say in words"), "{told}");
        }
        for text in ["x", "7?", "岩石", "è"] {
            assert_eq!(Question::new(text).unwrap().text(), text);
        }
    }
}
