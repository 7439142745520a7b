//! Vectors from the letters of a text alone: no model, no file, no meaning.
//!
//! Words and parts of words are hashed into places of a vector, so that texts with the same words, or with
//! words that share letters, are near each other. It knows no synonyms and no second language. It is named
//! for what it is, and stands in where a machine has no model: everything runs, and what is found is what
//! is written.
//!
//! ```
//! use stratigraph_models::{Embedder, Lexical};
//!
//! let lexical = Lexical::new();
//! let rows = lexical.embed(&["sandstone cliffs", "a cliff of sandstone", "tax law"])?;
//! let rows: Vec<&[f32]> = rows.iter().collect();
//! let cosine = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
//! assert!(cosine(rows[0], rows[1]) > 0.6);
//! assert!(cosine(rows[0], rows[2]) < 0.2);
//! # Ok::<(), stratigraph_models::ModelError>(())
//! ```
//!
//! A text goes through `features.rs`, which finds its words and their parts, and `rarity.rs`, which says how
//! much each counts; here they are put into a row.

mod features;
mod rarity;

use crate::embedder::{Embedder, Rows};
use crate::error::ModelError;
use features::each_feature;
use rarity::Rarity;

/// An embedder of letters.
#[derive(Clone, Debug)]
pub struct Lexical {
    name: String,
    rarity: Rarity,
}

impl Default for Lexical {
    fn default() -> Self {
        Self::new()
    }
}

impl Lexical {
    /// As many dimensions as the small models have.
    const DIMENSIONS: usize = 384;

    /// Rows of 384 numbers. All words count alike but for the commonest of a few languages, so that rows never
    /// depend on what was embedded before.
    #[must_use]
    pub fn new() -> Self {
        Self::of(Rarity::default())
    }

    /// Learns how rare words are from these texts. Its rows are better for texts like them, and must not be
    /// compared with those of other trainings: its name says which it is.
    #[must_use]
    pub fn trained<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::of(Rarity::of_texts(texts))
    }

    /// What was learned, to be kept beside the vectors that were made with it.
    #[must_use]
    pub fn training(&self) -> Vec<u8> {
        self.rarity.to_bytes()
    }

    /// The embedder that learned this.
    ///
    /// # Errors
    ///
    /// [`ModelError::BadTraining`] if these are not bytes of [`training`](Self::training).
    pub fn from_training(bytes: &[u8]) -> Result<Self, ModelError> {
        Rarity::from_bytes(bytes)
            .map(Self::of)
            .ok_or(ModelError::BadTraining)
    }

    fn of(rarity: Rarity) -> Self {
        let name = match rarity.fingerprint() {
            Some(fingerprint) => format!("lexical-1-{fingerprint:016x}"),
            None => "lexical-1".to_owned(),
        };
        Self { name, rarity }
    }

    fn fill(&self, text: &str, row: &mut [f32]) {
        let mut counted: Vec<(u64, f32)> = Vec::new();
        each_feature(text, |feature| {
            counted.push((feature.hash, feature.share * self.rarity.weight(&feature)));
        });
        // A word ten times is not ten times as much: what comes again counts by the logarithm.
        counted.sort_unstable_by_key(|(hash, _)| *hash);
        for same in counted.chunk_by(|(a, _), (b, _)| a == b) {
            let (hash, weight) = same[0];
            let weight = weight * (1.0 + (same.len() as f32).ln());
            let place = (hash % Self::DIMENSIONS as u64) as usize;
            // The highest bit is not used by the place: features that fall together cancel out on average.
            row[place] += if hash >> 63 == 0 { weight } else { -weight };
        }
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|value| *value /= length);
        } else {
            // A row has length 1 whatever the text is; this one is near nothing that has words.
            row[0] = 1.0;
        }
    }
}

impl Embedder for Lexical {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        Self::DIMENSIONS
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut rows = Rows::zeros(texts.len(), Self::DIMENSIONS)?;
        for (text, row) in texts.iter().zip(rows.iter_mut()) {
            self.fill(text, row);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(embedder: &Lexical, a: &str, b: &str) -> f32 {
        let rows = embedder.embed(&[a, b]).unwrap();
        let (a, b) = (rows.row(0).unwrap(), rows.row(1).unwrap());
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn rows_have_length_1_and_do_not_depend_on_their_neighbours() {
        let lexical = Lexical::new();
        let texts = [
            "",
            " ",
            "a",
            "Rocks and rivers",
            "岩石",
            "🪨",
            "x".repeat(100_000).as_str(),
        ]
        .map(str::to_owned);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let together = lexical.embed(&texts).unwrap();
        for (place, text) in texts.iter().enumerate() {
            let alone = lexical.embed(&[text]).unwrap();
            assert_eq!(alone.row(0), together.row(place));
            let length: f32 = alone.values().iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 1e-5, "{text:.20}");
        }
    }

    #[test]
    fn shared_words_and_letters_are_near() {
        let lexical = Lexical::new();
        assert!(cosine(&lexical, "The Rivers, ran.", "the rivers ran") > 0.999);
        assert!(cosine(&lexical, "budgets", "budget") > 0.5);
        assert!(cosine(&lexical, "审计报告", "审计的报告") > 0.5);
        assert!(cosine(&lexical, "budget", "volcano").abs() < 0.2);
        // What is common in all texts says little.
        assert!(cosine(&lexical, "the rock of the age", "the law of the land") < 0.3);
    }

    #[test]
    fn what_was_learned_makes_rare_words_count_and_is_kept() {
        let texts = [
            "report of audit one",
            "report of audit two",
            "report of a volcano",
            "report of rivers",
        ];
        let learned = Lexical::trained(texts);
        let fixed = Lexical::new();
        let (a, b) = ("report of a volcano", "report of audit");
        assert!(cosine(&learned, a, b) < cosine(&fixed, a, b) - 0.05);
        let again = Lexical::from_training(&learned.training()).unwrap();
        assert_eq!(again.name(), learned.name());
        assert_ne!(again.name(), fixed.name());
        assert_eq!(again.embed(&[a]).unwrap(), learned.embed(&[a]).unwrap());
    }

    #[test]
    fn bytes_that_were_never_learned_are_refused() {
        let mut bytes = Lexical::trained(["a b"]).training();
        for length in [0, 1, 8, bytes.len() - 1] {
            assert!(matches!(
                Lexical::from_training(&bytes[..length]),
                Err(ModelError::BadTraining)
            ));
        }
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert!(Lexical::from_training(&bytes).is_err());
        assert_eq!(
            Lexical::from_training(&Lexical::new().training())
                .unwrap()
                .name(),
            "lexical-1"
        );
    }
}
