//! An index as bytes: a head and parts, each of which can be written, kept and read by itself.
//!
//! ```text
//! head   [STRATVEC][format u32][length u64][body ...][checksum u64]
//! part   [body: blocks, low halves, what codes leave out, slots, vectors or their seals, of 256 slots][checksum u64]
//! file   [head][part 0][part 1]...
//! ```
//!
//! All numbers are little-endian. The head names the checksum of each part, so that parts of different
//! times cannot be taken for one index; a part that has not changed since it was last written need not be
//! written again. A checksum finds what chance damages. What malice makes is found by looking: every number
//! that is used as a place is checked before it is, so that hostile bytes give an error and nothing else.

mod bytes;
mod head;
mod load;
mod part;
mod save;

pub use load::Loading;
pub use save::Snapshot;

use crate::error::IndexError;

/// What a head begins with.
const MAGIC: [u8; 8] = *b"STRATVEC";
/// Bytes of another format are refused.
const FORMAT: u32 = 2;
/// So many slots are in a part.
pub(crate) const PART_SLOTS: u32 = 256;

/// How many parts so many slots make.
fn parts(slots: u32) -> u32 {
    slots.div_ceil(PART_SLOTS)
}

fn damaged(what: &'static str) -> IndexError {
    IndexError::Damaged { what }
}
