//! What a code leaves out of its vector, in four bytes that never say too little.
//!
//! ```text
//! [1, or 0: nobody knows][rounding][clipping][low half]
//! ```
//!
//! Of a vector of length one, turned, with components `c`, the code stands for `s`. What it leaves out is
//! `c - s = rounded + clipped`: `clipped` is by how far a component lies beyond the outermost cells, which
//! happens to one or two of some hundred, and `rounded` is the rest, half a step per component at the most.
//! The second byte is the length of `rounded`, as a share of the longest that it can be; the third the sum of
//! the sizes of `clipped`, in eighths of a cell; the fourth the length of what the low half of a code adds to
//! the high one, again as a share of the longest. All are rounded up. Where a byte has no room for it, nobody
//! knows: such a vector is never ruled out by its code.
//!
//! Next: `graph/bounds.rs`, which makes bounds of it.

use super::{Code, Coder, Coding, largest};

/// What a code leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost([u8; Self::BYTES]);

/// What the three bytes are to be multiplied by, for vectors of length one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LostUnits {
    /// For a step of one.
    pub(crate) rounded: f64,
    pub(crate) clipped: f64,
    pub(crate) low: f64,
}

/// Rounding in 32 bits may put a component by so much beyond the half of a step.
const LOOSE: f64 = 1.02;
/// So many parts of a cell can be told apart in what was clipped.
const PARTS_OF_A_CELL: f64 = 8.0;
/// What the sums below lose in 64 bits is far less than this share of them.
const SURELY: f64 = 1.0 + 1e-9;

impl Lost {
    pub(crate) const BYTES: usize = 4;

    pub(crate) fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(self) -> [u8; Self::BYTES] {
        self.0
    }

    /// The bytes for rounding, clipping and the low half; nothing if nobody knows.
    #[inline]
    pub(crate) fn known(self) -> Option<[u8; 3]> {
        let [state, rounded, clipped, low] = self.0;
        (state == 1).then_some([rounded, clipped, low])
    }

    fn of(rounded: f64, clipped: f64, low: f64) -> Self {
        match [rounded, clipped, low].map(up) {
            [Some(rounded), Some(clipped), Some(low)] => Self([1, rounded, clipped, low]),
            _ => Self::default(),
        }
    }
}

/// The next whole number, if a byte has room for it.
fn up(number: f64) -> Option<u8> {
    let number = (number * SURELY).ceil();
    #[expect(clippy::cast_possible_truncation, reason = "it was looked at")]
    #[expect(clippy::cast_sign_loss, reason = "as above")]
    (0.0..=255.0).contains(&number).then_some(number as u8)
}

impl Coder {
    /// What the bytes stand for.
    pub(crate) fn lost_units(&self) -> LostUnits {
        #[expect(clippy::cast_precision_loss, reason = "fewer dimensions than that")]
        let components = (self.dimensions as f64).sqrt();
        let cell = f64::from(self.cell());
        LostUnits {
            rounded: 0.5 * components * LOOSE / 255.0,
            clipped: cell / PARTS_OF_A_CELL,
            low: 7.5 / 16.0 * cell * components / 255.0,
        }
    }

    /// How wide a step between two numbers is that a byte can stand for, of a vector of length one: the same
    /// for all halved codes.
    pub(crate) fn half_step(&self) -> f64 {
        f64::from(self.cell()) / 16.0
    }

    /// What the code that was made of `code.components` leaves out of them.
    pub(super) fn lost(&self, code: &Code) -> Lost {
        let units = self.lost_units();
        match self.coding {
            Coding::Whole => Lost::default(),
            Coding::Halves => {
                let step = self.half_step();
                let (mut rounded, mut clipped, mut low) = (0.0, 0.0, 0.0);
                for (component, byte) in code.components.iter().zip(&code.stored) {
                    let left = f64::from(*component) - (f64::from(*byte) - 127.5) * step;
                    let within = match byte {
                        0 | 255 => left.clamp(-0.5 * step, 0.5 * step),
                        _ => left,
                    };
                    clipped += (left - within).abs();
                    rounded += within * within;
                    low += (f64::from(byte & 15) - 7.5).powi(2);
                }
                Lost::of(
                    rounded.sqrt() / step / units.rounded,
                    clipped / units.clipped,
                    low.sqrt() * step / units.low,
                )
            }
            Coding::Bytes => {
                let step = f64::from(largest(&code.components) / 127.0);
                if step <= 0.0 {
                    return Lost::default();
                }
                let both = code.components.iter().zip(&code.numbers);
                let left = both.map(|(component, number)| {
                    (f64::from(*component) - f64::from(*number) * step).powi(2)
                });
                Lost::of(left.sum::<f64>().sqrt() / step / units.rounded, 0.0, 0.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;

    #[test]
    fn the_bytes_are_never_less_than_what_is_left_out() {
        let mut random = fastrand::Rng::with_seed(7);
        for dimensions in [1, 2, 3, 16, 100, 200, 384, 768] {
            for coding in [Coding::Halves, Coding::Bytes] {
                let coder = Coder::new(coding, Metric::Cosine, dimensions);
                let units = coder.lost_units();
                let mut known = 0;
                for _ in 0..50 {
                    let vector: Vec<f32> = (0..dimensions).map(|_| random.f32() - 0.5).collect();
                    let mut code = Code::default();
                    coder.encode(&vector, &mut code).unwrap();
                    let Some([rounded, clipped, _]) = code.lost.known() else {
                        continue;
                    };
                    known += 1;
                    let (step, numbers): (f64, Vec<f64>) = match coding {
                        Coding::Halves => (
                            coder.half_step(),
                            code.stored.iter().map(|b| f64::from(*b) - 127.5).collect(),
                        ),
                        _ => (
                            f64::from(code.unit),
                            code.numbers.iter().map(|n| f64::from(*n)).collect(),
                        ),
                    };
                    let left = code.components.iter().zip(&numbers);
                    let left = left.map(|(c, n)| (f64::from(*c) - n * step).powi(2));
                    let length = left.sum::<f64>().sqrt();
                    // Of what was clipped the length is at most the sum.
                    let bound = f64::from(rounded) * units.rounded * step
                        + f64::from(clipped) * units.clipped;
                    assert!(length <= bound, "{dimensions} {coding:?}: {length} {bound}");
                }
                assert!(known >= if dimensions > 8 { 50 } else { 0 }, "{dimensions}");
            }
        }
    }

    #[test]
    fn one_component_that_is_far_beyond_all_cells_is_not_known() {
        let coder = Coder::new(Coding::Halves, Metric::Cosine, 384);
        let mut code = Code::default();
        coder.encode(&[1.0; 384], &mut code).unwrap();
        code.components.fill(0.0);
        code.components[5] = 1.0;
        code.stored.fill(127);
        code.stored[5] = 255;
        assert_eq!(coder.lost(&code).known(), None);
        assert_eq!(Lost::default().known(), None);
    }
}
