//! Markdown that nobody wrote, and vectors of it that nobody computed.

use crate::measure::seeded::rng_of;
use fastrand::Rng;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use stratigraph_models::{Embedder, ModelError, Rows};

/// Different words there are.
const WORDS: usize = 20_000;

/// Documents of some ten kilobytes, with headings, paragraphs, lists and tables.
pub(crate) struct Texts {
    rng: Rng,
    words: Vec<String>,
    number: usize,
}

impl Texts {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let syllables = [
            "ba", "ko", "ri", "ten", "la", "mu", "ser", "no", "vi", "dal", "e", "pro",
        ];
        let word = |_| {
            let count = 1 + rng.usize(1..4);
            (0..count)
                .map(|_| syllables[rng.usize(..syllables.len())])
                .collect()
        };
        let words = (0..WORDS).map(word).collect();
        Self {
            rng,
            words,
            number: 0,
        }
    }

    /// The next document: its id and its text.
    pub(crate) fn next(&mut self) -> (String, String) {
        self.number += 1;
        let mut text = String::with_capacity(40_000);
        let _ = writeln!(text, "# Report {}\n", self.number);
        for chapter in 0..4 + self.rng.usize(..4) {
            let _ = writeln!(text, "## Chapter {chapter}\n");
            for section in 0..self.rng.usize(1..4) {
                let _ = writeln!(text, "### Section {section} of {chapter}\n");
                for _ in 0..self.rng.usize(2..6) {
                    self.paragraph(&mut text);
                }
                if self.rng.u8(..4) == 0 {
                    self.list(&mut text);
                }
                if self.rng.u8(..8) == 0 {
                    self.table(&mut text);
                }
            }
        }
        (
            format!("{:03}/{:07}.md", self.number % 100, self.number),
            text,
        )
    }

    /// Few words are in most texts, and most words in few.
    fn word(&mut self) -> &str {
        let share = self.rng.f64();
        let place = (share * share * share * WORDS as f64) as usize;
        &self.words[place.min(WORDS - 1)]
    }

    fn sentence(&mut self, text: &mut String) {
        let count = self.rng.usize(6..24);
        let begins = text.len();
        for place in 0..count {
            if place > 0 {
                text.push(' ');
            }
            // Now and then a name.
            let is_name = place == 0 || self.rng.u8(..12) == 0;
            let word = self.word();
            match word.split_at_checked(1) {
                Some((first, rest)) if is_name => {
                    text.push_str(&first.to_uppercase());
                    text.push_str(rest);
                }
                _ => text.push_str(word),
            }
        }
        debug_assert!(text.len() > begins);
        text.push_str(". ");
    }

    fn paragraph(&mut self, text: &mut String) {
        for _ in 0..self.rng.usize(3..9) {
            self.sentence(text);
        }
        text.push_str("\n\n");
    }

    fn list(&mut self, text: &mut String) {
        for _ in 0..5 {
            text.push_str("- ");
            self.sentence(text);
            text.push('\n');
        }
        text.push('\n');
    }

    fn table(&mut self, text: &mut String) {
        text.push_str("| what | how much |\n|---|---|\n");
        for _ in 0..6 {
            let number = self.rng.u32(..10_000);
            let _ = writeln!(text, "| {} | {number} |", self.word());
        }
        text.push('\n');
    }
}

/// An embedder that makes numbers up, the same for the same text, and says how long that took.
pub(super) struct Numbers {
    dimensions: usize,
    took: Mutex<Duration>,
}

impl Numbers {
    pub(super) fn new(dimensions: usize) -> Self {
        let took = Mutex::default();
        Self { dimensions, took }
    }

    pub(super) fn took(&self) -> Duration {
        self.took.lock().map_or(Duration::ZERO, |took| *took)
    }
}

impl Embedder for Numbers {
    fn name(&self) -> &str {
        "numbers"
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let begun = Instant::now();
        let mut rows = Rows::zeros(texts.len(), self.dimensions)?;
        for (text, row) in texts.iter().zip(rows.iter_mut()) {
            let mut rng = rng_of(text);
            row.iter_mut().for_each(|number| *number = rng.f32() - 0.5);
        }
        if let Ok(mut took) = self.took.lock() {
            *took += begun.elapsed();
        }
        Ok(rows)
    }
}
