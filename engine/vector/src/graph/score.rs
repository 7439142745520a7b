#![expect(unsafe_code, reason = "it calls kernels on slots that it vouches for")]
//! How far a query is from slots, by their codes. Lower is nearer, whatever the metric.

use super::blocks::Blocks;
use super::code::Code;
use crate::codes::CodeKernels;
use crate::metric::Metric;

/// A query against the codes of an index.
pub(crate) struct Scorer<'a> {
    blocks: &'a Blocks,
    kernels: &'static CodeKernels,
    query: &'a [i8],
    offset: i32,
    /// What a dot product of codes is multiplied by, besides the slot's own scale.
    factor: f32,
    euclidean: bool,
}

impl<'a> Scorer<'a> {
    pub(crate) fn new(blocks: &'a Blocks, metric: Metric, query: &'a Code) -> Self {
        let euclidean = metric == Metric::Euclidean;
        Self {
            blocks,
            kernels: CodeKernels::best(),
            query: &query.numbers,
            offset: query.offset(),
            factor: if euclidean { -2.0 } else { -1.0 } * query.scale,
            euclidean,
        }
    }

    /// How far each slot is. `raw` is room to work in.
    ///
    /// Slots beyond the last are a mistake of the caller's, and end here.
    #[inline]
    pub(crate) fn far(&self, slots: &[u32], raw: &mut Vec<i32>, far: &mut Vec<f32>) {
        raw.resize(slots.len(), 0);
        let last = slots.iter().fold(0, |last, slot| last.max(*slot));
        assert!(slots.is_empty() || last < self.blocks.slots());
        // SAFETY: every slot has a block, and with it a code as long as the query.
        unsafe {
            self.kernels
                .gathered(self.query, self.blocks.codes(), slots, raw)
        };
        far.clear();
        far.extend(
            slots
                .iter()
                .zip(raw)
                .map(|(slot, raw)| self.of(*slot, *raw)),
        );
    }

    #[inline]
    fn of(&self, slot: u32, raw: i32) -> f32 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "what a code leaves out is far more"
        )]
        let dot = (raw - self.offset) as f32;
        let far = dot * self.factor * self.blocks.scale(slot);
        if self.euclidean {
            far + self.blocks.square(slot)
        } else {
            far
        }
    }
}
