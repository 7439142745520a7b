//! Whether a model can read the writing of a corpus, and what to take if it cannot.
//!
//! A model that lacks a language does not say so: it makes vectors of letters that it never learned anything about.
//! What shows is how it cuts texts into tokens. Where it knows a language its tokens are words and parts of words;
//! where it does not they are single letters, or the one token for what is unknown. That is counted, by writing.
//! It says nothing about a language in letters that the model knows from another: French to an English model.

use crate::embedder::Embedder;
use crate::error::ModelError;
use crate::lexical::Lexical;
use std::collections::BTreeMap;
use std::fmt;

/// Below this share of its letters a corpus is not read. MiniLM reads more than nine tenths of Latin letters, and less
/// than a third of Chinese, Russian, Arabic and others (`tests/language.rs`).
const ENOUGH: f64 = 0.6;
/// So many texts are looked at, spread over all.
const MOST_TEXTS: usize = 256;

/// What models are called that were trained on English alone, by their own word: letters do not tell, as Italian has the
/// same.
const ENGLISH_ALONE: [&str; 6] = [
    "all-minilm-l6",
    "all-minilm-l12",
    "all-mpnet-base",
    "bge-small-en",
    "bge-base-en",
    "bge-large-en",
];

/// Whether the model of this name was trained on English alone, as far as is known.
///
/// ```
/// use stratigraph_models::knows_english_alone;
///
/// assert!(knows_english_alone("sentence-transformers/all-MiniLM-L6-v2"));
/// assert!(!knows_english_alone("paraphrase-multilingual-MiniLM-L12-v2"));
/// ```
#[must_use]
pub fn knows_english_alone(name: &str) -> bool {
    let name = name.to_lowercase().replace('_', "-");
    ENGLISH_ALONE.iter().any(|known| name.contains(known))
}

/// How many letters a model reads as more than letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By the name of the writing: letters, and how many of them are read.
    scripts: BTreeMap<&'static str, (u64, u64)>,
}

impl Coverage {
    /// One more letter.
    pub fn count(&mut self, letter: char, read: bool) {
        let (letters, of_them) = self.scripts.entry(script(letter)).or_default();
        *letters += 1;
        *of_them += u64::from(read);
    }

    /// How many letters were looked at.
    #[must_use]
    pub fn letters(&self) -> u64 {
        self.scripts.values().map(|(letters, _)| letters).sum()
    }

    /// Which share of them is read, from 0 to 1; all of it where there are none.
    #[must_use]
    pub fn share(&self) -> f64 {
        let read: u64 = self.scripts.values().map(|(_, read)| read).sum();
        match self.letters() {
            0 => 1.0,
            letters => read as f64 / letters as f64,
        }
    }

    /// Whether the model can be used for such texts.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.share() >= ENOUGH
    }
}

/// In words: `reads 12 % of 3,000 letters (Han: 5 % of 2,700, Latin: 98 % of 300)`.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |read: f64| (read * 100.0).round();
        let share = percent(self.share());
        write!(f, "reads {share} % of {} letters", self.letters())?;
        let mut scripts: Vec<_> = self.scripts.iter().collect();
        scripts.sort_by_key(|(_, (letters, _))| std::cmp::Reverse(*letters));
        for (place, (name, (letters, read))) in scripts.iter().take(3).enumerate() {
            let before = if place == 0 { " (" } else { ", " };
            let share = percent(*read as f64 / *letters as f64);
            write!(f, "{before}{name}: {share} % of {letters}")?;
        }
        if scripts.is_empty() {
            return Ok(());
        }
        f.write_str(")")
    }
}

/// The writing that a letter belongs to, as far as it matters here.
fn script(letter: char) -> &'static str {
    match letter as u32 {
        0x0041..=0x024F | 0x1E00..=0x1EFF | 0xFF21..=0xFF5A => "Latin",
        0x0370..=0x03FF | 0x1F00..=0x1FFF => "Greek",
        0x0400..=0x052F => "Cyrillic",
        0x0530..=0x058F => "Armenian",
        0x0590..=0x05FF => "Hebrew",
        0x0600..=0x06FF | 0x0750..=0x077F | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => "Arabic",
        0x0900..=0x0DFF => "Indic",
        0x0E00..=0x0EFF => "Thai or Lao",
        0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7AF => "Hangul",
        0x3040..=0x30FF => "Kana",
        0x2E80..=0x2FDF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0x2_0000..=0x3_FFFF => "Han",
        _ => "other writing",
    }
}

/// Whether one letter of it is a word or a syllable. Those of Kana are, too, but write nothing but sounds.
#[cfg(feature = "candle")]
pub(crate) fn stands_alone(letter: char) -> bool {
    matches!(script(letter), "Han" | "Hangul")
}

/// What [`choose_embedder`] took.
pub struct Chosen {
    /// To embed with.
    pub embedder: Box<dyn Embedder>,
    /// Why, in words for whoever started the program.
    pub reason: String,
    /// Whether it is not the one that was wanted.
    pub fell_back: bool,
}

impl fmt::Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chosen")
            .field("embedder", &self.embedder.name())
            .field("reason", &self.reason)
            .field("fell_back", &self.fell_back)
            .finish()
    }
}

/// The wanted embedder if it can read these texts, which should be some of those to be embedded; otherwise the one of
/// letters, which reads all writing and understands none.
///
/// ```
/// use stratigraph_models::{Lexical, choose_embedder};
///
/// let chosen = choose_embedder(Box::new(Lexical::new()), &["Какой сегодня день?"])?;
/// assert!(!chosen.fell_back);
/// println!("{}", chosen.reason);
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
///
/// # Errors
///
/// When the wanted one cannot cut the texts into tokens.
pub fn choose_embedder(wanted: Box<dyn Embedder>, texts: &[&str]) -> Result<Chosen, ModelError> {
    let step = texts.len().div_ceil(MOST_TEXTS).max(1);
    let some: Vec<&str> = texts.iter().step_by(step).copied().collect();
    let name = wanted.name().to_owned();
    let Some(coverage) = wanted.coverage(&some)? else {
        return Ok(Chosen {
            embedder: wanted,
            reason: format!("{name} does not tell which writing it reads, and is used"),
            fell_back: false,
        });
    };
    if coverage.is_enough() {
        return Ok(Chosen {
            embedder: wanted,
            reason: format!("{name} {coverage}, and is used"),
            fell_back: false,
        });
    }
    let lexical = Lexical::new();
    let reason = format!(
        "{name} {coverage} as more than single letters, which is too little: {} is used instead, which finds what is \
         written and not what is meant; a model of this language would find more",
        lexical.name()
    );
    Ok(Chosen {
        embedder: Box::new(lexical),
        reason,
        fell_back: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted_by_their_writing() {
        let mut coverage = Coverage::default();
        assert!(coverage.is_enough() && coverage.to_string() == "reads 100 % of 0 letters");
        for letter in "审计报告".chars() {
            coverage.count(letter, letter == '报');
        }
        coverage.count('a', true);
        assert_eq!(coverage.letters(), 5);
        assert!(!coverage.is_enough());
        let said = "reads 40 % of 5 letters (Han: 25 % of 4, Latin: 100 % of 1)";
        assert_eq!(coverage.to_string(), said);
    }
}
