//! Where things are in a block: see the picture in [`super`].

use crate::codes::halves;
use crate::coding::{Coder, Coding, Lost};
use crate::metric::Metric;

/// A cache line; blocks begin at one.
const LINE: usize = 64;
pub(super) const WORD: usize = size_of::<u32>();

/// Where things are in a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(super) coding: Coding,
    pub(super) dimensions: usize,
    /// Bytes of the code in the block.
    pub(super) code: usize,
    /// Bytes of the code that lie apart.
    pub(super) apart: usize,
    /// Bytes for what the code leaves out, which lie apart as well.
    pub(super) lost: usize,
    pub(super) scale_at: Option<usize>,
    pub(super) square_at: Option<usize>,
    pub(super) links_at: usize,
    pub(crate) links: usize,
    pub(super) stride: usize,
    /// The scale of all, where all are equal.
    pub(super) scale: f32,
}

impl Layout {
    /// With at least so many links; what is left of the last line is for links, too.
    pub(crate) fn new(coder: &Coder, least_links: usize) -> Self {
        let (code, apart) = match coder.coding {
            Coding::Halves => (
                halves::packed_bytes(coder.dimensions),
                halves::packed_bytes(coder.dimensions),
            ),
            Coding::Bytes => (coder.dimensions.next_multiple_of(WORD), 0),
            Coding::Whole => (coder.dimensions * size_of::<f32>(), 0),
        };
        let mut end = code;
        let mut word = |wanted: bool| {
            let at = end;
            end += if wanted { WORD } else { 0 };
            wanted.then_some(at)
        };
        let coded = coder.coding != Coding::Whole;
        let same_scale = coder.metric == Metric::Cosine && coder.coding == Coding::Halves;
        let scale_at = word(coded && !same_scale);
        let square_at = word(coded && coder.metric == Metric::Euclidean);
        let stride = (end + least_links * WORD).next_multiple_of(LINE);
        Self {
            coding: coder.coding,
            dimensions: coder.dimensions,
            code,
            apart,
            lost: if coded { Lost::BYTES } else { 0 },
            scale_at,
            square_at,
            links_at: end,
            links: (stride - end) / WORD,
            stride,
            scale: if coded { coder.cell() } else { 1.0 },
        }
    }

    /// How many bytes a slot takes.
    pub(crate) fn bytes(&self) -> usize {
        self.stride + self.apart + self.lost
    }
}
