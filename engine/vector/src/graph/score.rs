#![expect(unsafe_code, reason = "it calls kernels on slots that it vouches for")]
//! How far a query is from slots, by their codes. Lower is nearer, whatever the metric.

use super::blocks::Blocks;
use crate::codes::{CodeKernels, halves::HalfKernels};
use crate::coding::{CELL, CLIPPED, Code, Coding, narrow};
use crate::kernel::Kernels;
use crate::metric::Metric;

/// A query against the codes of an index.
pub(crate) struct Scorer<'a> {
    blocks: &'a Blocks,
    query: &'a Code,
    coding: Coding,
    halves: &'static HalfKernels,
    bytes: &'static CodeKernels,
    whole: &'static Kernels,
    /// The sum of the query's numbers.
    sum: i32,
    /// What a dot product of codes is multiplied by, besides the slot's own scale.
    factor: f32,
    euclidean: bool,
}

/// The deviation of what codes say from the truth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// Of half a code from the whole one.
    pub(crate) half: f32,
    /// Of all bits from the vector itself.
    pub(crate) all_bits: f32,
}

/// Room to score in; one for many queries.
#[derive(Debug, Default)]
pub(crate) struct Scores {
    raw: Vec<i32>,
    low: Vec<i32>,
    pub(crate) far: Vec<f32>,
}

impl Scores {
    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        let (whole, real) = (size_of::<i32>(), size_of::<f32>());
        (self.raw.capacity() + self.low.capacity()) * whole + self.far.capacity() * real
    }
}

impl<'a> Scorer<'a> {
    pub(crate) fn new(blocks: &'a Blocks, query: &'a Code) -> Self {
        let euclidean = blocks.coder.metric == Metric::Euclidean;
        Self {
            blocks,
            query,
            coding: blocks.coder.coding,
            halves: HalfKernels::best(),
            bytes: CodeKernels::best(),
            whole: Kernels::best(),
            sum: query.numbers.iter().map(|number| i32::from(*number)).sum(),
            factor: if euclidean { -2.0 } else { -1.0 } * query.unit,
            euclidean,
        }
    }

    /// What it compares with.
    pub(crate) fn blocks(&self) -> &'a Blocks {
        self.blocks
    }

    /// How far each slot is, into `scores.far`.
    ///
    /// Slots beyond the last are a mistake of the caller's, and end here.
    #[inline]
    pub(crate) fn far(&self, slots: &[u32], scores: &mut Scores) {
        self.vouch(slots);
        let Scores { raw, far, .. } = scores;
        raw.resize(slots.len(), 0);
        far.clear();
        match self.coding {
            Coding::Halves => {
                // SAFETY: every slot has a block, and with it half a code as long as the query.
                unsafe {
                    self.halves
                        .gathered(&self.query.numbers, self.blocks.codes(), slots, raw);
                };
                // A nibble stands for the middle of its cell, 7.5 below.
                self.finish(slots, raw, 1.0, 7.5, far);
            }
            Coding::Bytes => {
                let codes = self.blocks.codes();
                // SAFETY: every slot has a block, and with it a code as long as the query.
                unsafe { self.bytes.gathered(&self.query.numbers, codes, slots, raw) };
                self.finish(slots, raw, 1.0, 128.0, far);
            }
            Coding::Whole => {
                let query = &self.query.components;
                for slot in slots {
                    let row = self.blocks.whole(*slot);
                    let score = if self.euclidean {
                        self.whole.squared_l2(query, row)
                    } else {
                        self.whole.dot(query, row).map(|dot| -dot)
                    };
                    debug_assert!(score.is_ok(), "a query has as many dimensions as the rows");
                    far.push(score.unwrap_or(f32::MAX));
                }
            }
        }
    }

    /// The same by all bits, where walks read only half of them.
    pub(crate) fn far_by_all_bits(&self, slots: &[u32], scores: &mut Scores) {
        if self.coding != Coding::Halves {
            return self.far(slots, scores);
        }
        self.vouch(slots);
        for slot in slots {
            self.blocks.prefetch_low_half(*slot);
        }
        let Scores { raw, low, far } = scores;
        raw.resize(slots.len(), 0);
        low.resize(slots.len(), 0);
        let numbers = &self.query.numbers;
        // SAFETY: every slot has both halves, each as long as the query.
        unsafe {
            self.halves
                .gathered(numbers, self.blocks.codes(), slots, raw);
            self.halves
                .gathered(numbers, self.blocks.low_halves(), slots, low);
        }
        for (raw, low) in raw.iter_mut().zip(low) {
            *raw = 16 * *raw + *low;
        }
        far.clear();
        self.finish(slots, raw, 1.0 / 16.0, 127.5, far);
    }

    /// The sum of products of the query with what walks read of the code of each slot; nothing where vectors are
    /// kept whole.
    pub(crate) fn sums<'s>(&self, slots: &[u32], scores: &'s mut Scores) -> &'s [i32] {
        self.vouch(slots);
        let numbers = &self.query.numbers;
        let codes = self.blocks.codes();
        let raw = &mut scores.raw;
        raw.clear();
        raw.resize(slots.len(), 0);
        match self.coding {
            // SAFETY: every slot has a block, and with it half a code as long as the query.
            Coding::Halves => unsafe { self.halves.gathered(numbers, codes, slots, raw) },
            // SAFETY: every slot has a block, and with it a code as long as the query.
            Coding::Bytes => unsafe { self.bytes.gathered(numbers, codes, slots, raw) },
            Coding::Whole => raw.clear(),
        }
        raw
    }

    /// The same with the low halves of codes; nothing where codes have none.
    pub(crate) fn low_sums<'s>(&self, slots: &[u32], scores: &'s mut Scores) -> &'s [i32] {
        self.vouch(slots);
        let low = &mut scores.low;
        low.clear();
        if self.coding == Coding::Halves {
            low.resize(slots.len(), 0);
            let (numbers, halves) = (&self.query.numbers, self.blocks.low_halves());
            // SAFETY: every slot has both halves, each as long as the query.
            unsafe { self.halves.gathered(numbers, halves, slots, low) };
        }
        low
    }

    /// How much codes of such slots lose.
    pub(crate) fn noise(&self, slots: &[u32]) -> Noise {
        let scales = slots.iter().map(|slot| self.blocks.scale(*slot));
        let scale = self
            .blocks
            .same_scale()
            .unwrap_or_else(|| scales.fold(0.0, f32::max));
        let squares = self
            .query
            .numbers
            .iter()
            .map(|number| i32::from(*number).pow(2));
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let length = (squares.sum::<i32>() as f32).sqrt();
        // A number that is rounded is off by a deviation of this share of a step.
        let rounded = self.factor.abs() * scale / 12.0_f32.sqrt();
        match self.coding {
            Coding::Halves => {
                let cells = 1.0 / narrow(CELL);
                let row = (rounded * length / 16.0).hypot(
                    // What was beyond the outermost cells, in cells.
                    self.factor.abs() * scale * length * CLIPPED * cells,
                );
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                let components = (self.blocks.coder.dimensions as f32).sqrt();
                Noise {
                    half: rounded * length,
                    all_bits: row.hypot(rounded * components * cells),
                }
            }
            Coding::Bytes => Noise {
                half: 0.0,
                // Both sides are rounded, and about as much.
                all_bits: rounded * length * 2.0_f32.sqrt(),
            },
            Coding::Whole => Noise {
                half: 0.0,
                all_bits: 0.0,
            },
        }
    }

    /// From sums of products to how far that is. What a code's bytes stand for is `offset` below them.
    #[inline]
    fn finish(&self, slots: &[u32], raw: &[i32], step: f32, offset: f32, far: &mut Vec<f32>) {
        #[expect(
            clippy::cast_precision_loss,
            reason = "what a code leaves out is far more"
        )]
        let dots = raw.iter().map(|raw| *raw as f32);
        #[expect(clippy::cast_precision_loss, reason = "as above")]
        let offset = self.sum as f32 * offset;
        let factor = self.factor * step;
        match self.blocks.same_scale() {
            Some(scale) => {
                let factor = factor * scale;
                far.extend(dots.map(|dot| (dot - offset) * factor));
            }
            None => far.extend(dots.zip(slots).map(|(dot, slot)| {
                (dot - offset) * factor * self.blocks.scale(*slot) + self.blocks.square(*slot)
            })),
        }
    }

    #[inline]
    fn vouch(&self, slots: &[u32]) {
        let last = slots.iter().fold(0, |last, slot| last.max(*slot));
        assert!(slots.is_empty() || last < self.blocks.slots());
    }
}
