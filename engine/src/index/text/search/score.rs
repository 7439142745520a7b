//! BM25 of a term: what an occurrence is worth by how often, how long and how rare.
//!
//! ```text
//! score = idf * boost * (k1 + 1) / (1 + K(length) / frequency)
//! K     = k1 * (1 - b + b * length / average length)
//! idf   = ln(1 + (documents - with the term + 0.5) / (with the term + 0.5))
//! ```
//! This is the usual `f * (k1 + 1) / (f + K)`, written so that each step can only rise or only fall with what goes
//! in: rounded or not, the score of the best pair of a block is never below that of one of its postings, which is
//! what leaving blocks out rests on. Frequencies and lengths are weighted sums over the properties before any of
//! this (BM25F). Parts are rounded to multiples of what the last bit of the greatest possible sum is worth, so that
//! sums of them are exact: the order in which terms are added does not show, however far apart their boosts are.

use crate::index::text::postings::impact::Impacts;
use crate::index::text::postings::norm;
use crate::index::text::settings::TextSettings;
use crate::index::text::statistics::Statistics;

/// K of every norm, in stored units.
#[derive(Debug)]
pub(crate) struct Lengths {
    k: Box<[f32; 256]>,
    /// One divided by small frequencies: a multiplication takes a fraction of a division's time.
    inverse: Box<[f32; 256]>,
    k1: f32,
    /// A power of two that no sum of parts is greater than. Adding it to a part rounds the part.
    ceiling: f64,
}

impl Lengths {
    pub(crate) fn new(settings: &TextSettings, statistics: &Statistics) -> Self {
        let average = (statistics.length as f64 / statistics.live.max(1) as f64).max(1e-9);
        let (k1, b) = (settings.k1(), settings.b());
        let unit = f64::from(settings.unit());
        let k = |norm: usize| {
            let length = f64::from(norm::decode(norm as u8));
            (f64::from(k1) * (1.0 - f64::from(b) + f64::from(b) * length / average) / unit) as f32
        };
        Self {
            k: Box::new(std::array::from_fn(k)),
            inverse: Box::new(std::array::from_fn(|frequency| {
                1.0 / frequency.max(1) as f32
            })),
            k1,
            ceiling: 0.0,
        }
    }

    /// Says that no sum of parts will be greater; before the first of them is asked for.
    pub(crate) fn expect_at_most(&mut self, sum: f64) {
        const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
        self.ceiling = 2.0 * f64::from_bits(sum.to_bits() & EXPONENT);
    }

    /// A part of a score, as it is added.
    #[inline]
    pub(crate) fn rounded(&self, part: f64) -> f64 {
        (part + self.ceiling) - self.ceiling
    }

    /// What a term of `counted` documents scores at most, with a boost: its weight.
    pub(crate) fn weight(&self, live: u64, counted: u64, boost: f32) -> f32 {
        let (live, counted) = (live as f64, counted.min(live) as f64);
        let idf = (1.0 + (live - counted + 0.5) / (counted + 0.5)).ln();
        (idf * f64::from(boost) * (f64::from(self.k1) + 1.0)) as f32
    }

    /// The score of one posting.
    #[inline]
    pub(crate) fn score(&self, weight: f32, frequency: u32, norm: u8) -> f64 {
        let inverse = match self.inverse.get(frequency as usize) {
            Some(inverse) => *inverse,
            None => 1.0 / frequency as f32,
        };
        self.rounded(f64::from(
            weight / (1.0 + self.k[usize::from(norm)] * inverse),
        ))
    }

    /// No posting that these were made of scores more.
    pub(crate) fn bound(&self, weight: f32, impacts: &Impacts) -> f64 {
        let scores = impacts
            .iter()
            .map(|impact| self.score(weight, impact.frequency, impact.norm));
        scores.fold(0.0, f64::max)
    }
}
