//! What extraction costs: before it is spent, and after.

use std::ops::AddAssign;
use stratigraph_models::Usage;

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// How often a model was asked, repetitions after replies that could not be used included.
    pub calls: u64,
    /// How many replies were there already.
    pub kept: u64,
    /// The tokens, as the model counts them.
    pub usage: Usage,
    /// How many statements of replies were dropped: names that are in no text, and the like.
    pub dropped: u64,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.kept += other.kept;
        self.usage += other.usage;
        self.dropped += other.dropped;
    }
}

/// What would be spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// How often a model would be asked, if no reply had to be repeated.
    pub calls: u64,
    /// How many replies are there already.
    pub kept: u64,
    /// The tokens that would be read. Where a call depends on the reply to another, a guess.
    pub input_tokens: u64,
    /// The tokens that would be written: a guess from the length of what is read.
    pub output_tokens: u64,
}

impl AddAssign for Estimate {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.kept += other.kept;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
    }
}

impl Estimate {
    /// So many of it.
    #[must_use]
    pub(super) fn times(self, count: u64) -> Self {
        Self {
            calls: self.calls * count,
            kept: self.kept * count,
            input_tokens: self.input_tokens * count,
            output_tokens: self.output_tokens * count,
        }
    }
}
