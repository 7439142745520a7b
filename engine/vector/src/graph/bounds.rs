//! Bounds of true scores by codes: proven, for every vector, not likely for most.
//!
//! What an answer tells is a number `t` that the kernels compute in 32 bits; what is known of a row without
//! reading it is its code and four bytes about what that leaves out. Here is how far apart the two can be.
//!
//! # Proof
//!
//! Let `q` and `x` be query and row divided by their lengths, `R` the exact turn, `p` and `c` what
//! [turning](crate::coding) them has given in 32 bits, `n·v` the query in bytes, `s` what the code of the row
//! stands for, and `|·|` the length of a vector, `|·|₁` the sum and `|·|∞` the largest of its sizes.
//!
//! 1. *Turning.* `p = Rq + d` and `c = Rx + e` with `|d|, |e| ≤ r`: one rounding to 32 bits, and
//!    [`Rotation::rounding`](crate::coding) of what the turn itself rounds. As `<Rq, Rx> = <q, x>`,
//!    `|<q, x> - <p, c>| = |<d, Rx> + <p, e>| ≤ r + (1 + r) r`.
//! 2. *The row's code.* `c = s + rounded + clipped`, and so
//!    `|<p, c> - <p, s>| ≤ |p| |rounded| + |p|∞ |clipped|₁`, by Cauchy-Schwarz and by Hölder. The row's
//!    [four bytes](crate::coding::Lost) are never less than those two. That clipping is bounded apart matters:
//!    it is several times as long as rounding, but all of it lies in one or two components, of which a query
//!    has little in each.
//! 3. *The query's code.* `|<p, s> - <n·v, s>| ≤ |p - n·v| |s|`, where `|p - n·v|` is known, and
//!    `|s| ≤ |c| + |rounded| ≤ 1 + r + |rounded|`, as clipping makes no vector longer.
//! 4. *The sum.* `<n·v, s>` is whole numbers until it is multiplied in 64 bits.
//! 5. *Half of a code.* It stands for `s - low`, and `|<n·v, low>| ≤ |n·v| |low|`.
//! 6. *The answer.* A lane of the kernels adds `k = ⌈dimensions / 16⌉` products, each with one rounding, and
//!    four more additions make one number of the lanes. With `u = 2^-24` that is off by at most
//!    `g = (k + 5) u / (1 - (k + 5) u)` times `Σ|qᵢxᵢ|` (times one, divided by the lengths); so is each
//!    square of a length, of which a cosine takes roots; and it is rounded once:
//!    `|t - <q, x>| ≤ 2g / (1 - g) + 2u`, with one `u` to spare. Where squares do not fit 32 bits, all of this
//!    happens in 64, with less.
//!
//! Numbers that are too small for all of their digits are off by at most 2^-149 each. Cosines are only taken
//! in 32 bits of squares from 1e-30 on, beside which that is nothing; for dot products it is added. Sums of
//! 64 bits lose less than a billionth, which is added as well ([`SPARE`]). A dot product is the cosine times
//! both lengths: of a row it is as its scale says, three roundings away, and one that is too short for that
//! is never ruled out.
//!
//! Next: `index/search/sieve.rs`, which uses them.

use super::blocks::Blocks;
use crate::coding::{Code, Coding, largest};
use crate::metric::Metric;

/// Half of the last bit of a number in 32 bits, as a share of it.
const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;
/// What 64 bits lose, many times over.
const SPARE: f64 = 1e-9;
/// What products that are nearly zero lose, all dimensions together.
const NEARLY_ZERO: f64 = 1e-39;
/// Scales and lengths below this may have lost digits.
const SHORTEST: f64 = 1e-30;
/// How many lanes the kernels of answers have.
const LANES: usize = 16;
/// The steps of a byte to either side.
const STEPS: f64 = 127.0;

/// From where to where a true score may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Between {
    pub(crate) const ANYWHERE: Self = Self {
        least: f64::NEG_INFINITY,
        most: f64::INFINITY,
    };
}

/// A query against the codes of an index, with what they can be off by.
pub(crate) struct Bounds<'a> {
    blocks: &'a Blocks,
    coding: Coding,
    /// By what a sum of products of codes is to be multiplied, for a row of length one.
    factor: f64,
    /// What a row's bytes are less than they say, times the sum of the query.
    offset: f64,
    half_offset: f64,
    /// What a row's bytes mean for this query, for a row of length one; of [`Coding::Bytes`] for a step of one.
    rounded: [f64; 256],
    clipped: [f64; 256],
    low: [f64; 256],
    /// What is lost whatever the row, for a row of length one.
    always: f64,
    /// From a scale to the length of the row, or a bound of it.
    length_of_scale: f64,
    /// Lengths of rows are one.
    same_length: bool,
}

impl<'a> Bounds<'a> {
    /// For a query that was turned and encoded, and is so long. Nothing if codes bound nothing: where vectors are
    /// kept whole, where the score is a distance, and where the query is so short that digits are lost.
    pub(crate) fn new(blocks: &'a Blocks, query: &Code, length: f64) -> Option<Self> {
        let coder = &blocks.coder;
        let same_length = coder.metric == Metric::Cosine;
        if coder.coding == Coding::Whole || coder.metric == Metric::Euclidean {
            return None;
        }
        let times = if same_length { 1.0 } else { length };
        if times < SHORTEST {
            return None;
        }
        let unit = f64::from(largest(&query.components) / 127.0);
        let both = query.components.iter().zip(&query.numbers);
        let (mut turned, mut most, mut coded, mut left) = (0.0, 0.0_f64, 0.0, 0.0);
        for (component, number) in both {
            let (component, number) = (f64::from(*component), f64::from(*number) * unit);
            turned += component * component;
            most = most.max(component.abs());
            coded += number * number;
            left += (component - number).powi(2);
        }
        let [turned, coded, left] = [turned, coded, left].map(f64::sqrt);
        let sum: i32 = query.numbers.iter().map(|number| i32::from(*number)).sum();
        let units = coder.lost_units();
        let step = match coder.coding {
            Coding::Halves => coder.half_step(),
            Coding::Bytes | Coding::Whole => 1.0,
        };
        let longest_rounded = match coder.coding {
            Coding::Halves => 255.0 * units.rounded * step,
            // A component is at most one, and so is a step at most a 127th.
            Coding::Bytes | Coding::Whole => 255.0 * units.rounded / STEPS * 1.01,
        };
        #[expect(clippy::cast_precision_loss, reason = "fewer dimensions than that")]
        let (dimensions, chain) = (
            coder.dimensions as f64,
            (coder.dimensions.div_ceil(LANES) + 5) as f64,
        );
        let turning = coder.rotation.rounding() + ROUNDING;
        let kernel = chain * ROUNDING / (1.0 - chain * ROUNDING);
        // Of the scale of a row three bits may be missing, and of what it is multiplied by.
        let scaling = 8.0 * ROUNDING * (1.0 + left + longest_rounded + turning);
        let always = left * (1.0 + turning + longest_rounded)
            + turning * (2.0 + turning)
            + 2.0 * kernel / (1.0 - kernel)
            + 2.0 * ROUNDING
            + scaling
            + SPARE;
        let table = |each: f64| std::array::from_fn(|byte| byte as f64 * each * times);
        let offset = f64::from(sum);
        Some(Self {
            blocks,
            coding: coder.coding,
            factor: unit * step * times,
            offset: offset
                * match coder.coding {
                    Coding::Halves => 127.5,
                    Coding::Bytes | Coding::Whole => 128.0,
                },
            half_offset: offset * 7.5,
            // A share more than what 64 bits lose.
            rounded: table(turned * units.rounded * step * (1.0 + 8.0 * ROUNDING)),
            clipped: table(most * units.clipped * (1.0 + 8.0 * ROUNDING)),
            low: table(coded * units.low * (1.0 + 8.0 * ROUNDING)),
            always: always * times,
            length_of_scale: match coder.coding {
                Coding::Halves => 1.0 / f64::from(coder.cell()),
                // The largest component is no less than one of equal ones would be.
                Coding::Bytes | Coding::Whole => STEPS * dimensions.sqrt() * 1.001,
            },
            same_length,
        })
    }

    /// Where the score of a slot may be, of which all bits of the code make this sum with the query.
    #[inline]
    pub(crate) fn by_all_bits(&self, slot: u32, sum: i32) -> Between {
        let Some([rounded, clipped, _]) = self.blocks.lost(slot).known() else {
            return Between::ANYWHERE;
        };
        let coded = (f64::from(sum) - self.offset) * self.factor;
        self.between(slot, coded, rounded, clipped, 0)
    }

    /// Where it may be by the sum of its high half alone; of codes in one piece as [`Self::by_all_bits`].
    #[inline]
    pub(crate) fn by_half(&self, slot: u32, sum: i32) -> Between {
        if self.coding != Coding::Halves {
            return self.by_all_bits(slot, sum);
        }
        let Some([rounded, clipped, low]) = self.blocks.lost(slot).known() else {
            return Between::ANYWHERE;
        };
        let coded = (f64::from(sum) - self.half_offset) * 16.0 * self.factor;
        self.between(slot, coded, rounded, clipped, low)
    }

    #[inline]
    fn between(&self, slot: u32, coded: f64, rounded: u8, clipped: u8, low: u8) -> Between {
        let (rounded, clipped) = (
            self.rounded[usize::from(rounded)],
            self.clipped[usize::from(clipped)],
        );
        let low = self.low[usize::from(low)];
        let (score, lost) = match self.coding {
            Coding::Halves if self.same_length => (coded, rounded + clipped + low + self.always),
            Coding::Halves => {
                let scale = f64::from(self.blocks.scale(slot));
                if scale < SHORTEST {
                    return Between::ANYWHERE;
                }
                let length = scale * self.length_of_scale;
                let lost = (rounded + clipped + low + self.always) * (1.0 + 8.0 * ROUNDING);
                (coded * length, lost * length + NEARLY_ZERO)
            }
            Coding::Bytes | Coding::Whole => {
                let scale = f64::from(self.blocks.scale(slot));
                if scale < SHORTEST {
                    return Between::ANYWHERE;
                }
                let length = match self.same_length {
                    true => 1.0,
                    false => scale * self.length_of_scale,
                };
                let lost = rounded * scale * (1.0 + 8.0 * ROUNDING) + self.always * length;
                (coded * scale, lost + NEARLY_ZERO)
            }
        };
        Between {
            least: score - lost,
            most: score + lost,
        }
    }
}
