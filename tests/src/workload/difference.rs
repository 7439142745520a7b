//! Where what was found is not what was expected.

use std::fmt;

/// Something that is not as expected, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// A key, or a question that the graph was asked.
    pub place: String,
    /// What should be there.
    pub expected: Option<String>,
    /// What is there.
    pub found: Option<String>,
}

impl Difference {
    /// The difference between two pairs' values, if there is one.
    #[must_use]
    pub fn of_bytes(
        place: impl FnOnce() -> String,
        expected: Option<&[u8]>,
        found: Option<&[u8]>,
    ) -> Option<Self> {
        let words = |value: &[u8]| {
            format!(
                "{} bytes {:02x?}",
                value.len(),
                &value[..value.len().min(8)]
            )
        };
        (expected != found).then(|| Self {
            place: place(),
            expected: expected.map(words),
            found: found.map(words),
        })
    }

    /// The difference between two answers, if there is one.
    #[must_use]
    pub fn of_answers(
        place: impl FnOnce() -> String,
        expected: Option<&str>,
        found: Option<&str>,
    ) -> Option<Self> {
        (expected != found).then(|| Self {
            place: place(),
            expected: expected.map(str::to_owned),
            found: found.map(str::to_owned),
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        for (what, words) in [("expected", &self.expected), ("found", &self.found)] {
            match words {
                None => write!(f, ", {what} nothing")?,
                Some(words) => write!(f, ", {what} {words}")?,
            }
        }
        Ok(())
    }
}
