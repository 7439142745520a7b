//! Which rows are near which, a block of rows against another: a bit per pair.
//!
//! A tile is what the kernels are asked at once, and small enough that both blocks stay in the cache.
//! Tiles are kept only as far as [`Tiles::kept`] says, so that memory never grows with the pairs.
//! Next: `vectors.rs`, which decides a pair, and `exact.rs`, which walks the tiles.

use super::vectors::{Radius, Vectors};
use std::ops::Range;

/// Rows in a block: one bit of a word each.
pub(super) const BLOCK: usize = u64::BITS as usize;

/// Bit `b` of word `a`: whether row `a` of one block is near row `b` of another.
pub(super) type Tile = [u64; BLOCK];

/// All pairs of rows, in tiles.
pub(super) struct Tiles<'v> {
    pub(super) vectors: &'v Vectors<'v>,
    pub(super) radius: Radius,
    pub(super) rows: usize,
    /// How many bytes of tiles may be kept from one round for the next.
    pub(super) keep_bytes: usize,
}

impl Tiles<'_> {
    /// How many blocks there are.
    pub(super) fn count(&self) -> usize {
        self.rows.div_ceil(BLOCK)
    }

    pub(super) fn rows_of(&self, block: usize) -> Range<usize> {
        block * BLOCK..self.rows.min((block + 1) * BLOCK)
    }

    /// For how many blocks, from the first on, the tiles with themselves and all later ones are kept.
    pub(super) fn kept(&self) -> usize {
        let mut room = self.keep_bytes / size_of::<Tile>();
        (0..self.count())
            .take_while(|block| match room.checked_sub(self.count() - block) {
                Some(left) => {
                    room = left;
                    true
                }
                None => false,
            })
            .count()
    }

    /// The rows of `other` that are near each row of `block`; a row is near itself.
    pub(super) fn near(&self, block: usize, other: usize) -> Tile {
        let mut near =
            (self.vectors).near_rows(self.rows_of(block), self.rows_of(other), &self.radius);
        if block == other {
            for (row, bits) in near.iter_mut().enumerate().take(self.rows_of(block).len()) {
                *bits |= 1 << row;
            }
        }
        near
    }

    /// Each pair once: the rows of `other` that come after a row of `block` and are near it.
    pub(super) fn near_above(&self, block: usize, other: usize) -> Tile {
        let mut near = self.near(block, other);
        without_below(&mut near, block == other);
        near
    }

    /// What [`near`](Self::near) says about the `wanted` pairs; of others it may say anything true.
    pub(super) fn near_among(&self, block: usize, other: usize, wanted: &Tile) -> Tile {
        let count: u32 = wanted.iter().map(|bits| bits.count_ones()).sum();
        if count >= PAIRS_WORTH_A_TILE {
            return self.near(block, other);
        }
        let mut near = [0; BLOCK];
        let others = self.rows_of(other);
        for ((row, near), wanted) in self.rows_of(block).zip(&mut near).zip(wanted) {
            if *wanted != 0 {
                *near = (self.vectors).near_some(row, others.clone(), *wanted, &self.radius);
            }
        }
        near
    }
}

/// From so many pairs of a tile on, all of them together are cheaper than these one by one.
const PAIRS_WORTH_A_TILE: u32 = (BLOCK * BLOCK / 4) as u32;

/// Leaves one of the two bits of each pair, and none of a row with itself, in a tile of one block.
pub(super) fn without_below(tile: &mut Tile, of_one_block: bool) {
    if of_one_block {
        for (row, bits) in tile.iter_mut().enumerate() {
            *bits &= !(u64::MAX >> (BLOCK - 1 - row));
        }
    }
}

/// The places of the bits that are set, in rising order.
pub(crate) fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros();
        // The lowest bit goes; of nothing, nothing.
        bits &= bits.wrapping_sub(1);
        (place < u64::BITS).then_some(place as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Metric;
    use super::*;

    #[test]
    fn places_are_those_of_the_bits() {
        assert_eq!(places(0).count(), 0);
        assert!(places(1 << 63 | 0b101).eq([0, 2, 63]));
        assert!(places(u64::MAX).eq(0..64));
    }

    #[test]
    fn a_tile_of_one_block_has_each_pair_once() {
        let mut tile = [u64::MAX; BLOCK];
        without_below(&mut tile, true);
        for (row, bits) in tile.into_iter().enumerate() {
            assert!(places(bits).eq(row + 1..BLOCK), "{row}");
        }
    }

    #[test]
    fn what_is_kept_fits() {
        let numbers = [0.0; 3 * BLOCK + 1];
        let vectors = Vectors::new(&numbers, 1, Metric::L2).unwrap();
        let kept = |tiles: usize| {
            let tiles = Tiles {
                vectors: &vectors,
                radius: vectors.radius(1.0),
                rows: numbers.len(),
                keep_bytes: tiles * size_of::<Tile>() + 7,
            };
            assert_eq!(tiles.count(), 4);
            tiles.kept()
        };
        // Four tiles of the first block, then three, two and one.
        let expected = [
            (0, 0),
            (3, 0),
            (4, 1),
            (6, 1),
            (7, 2),
            (9, 3),
            (10, 4),
            (99, 4),
        ];
        for (tiles, blocks) in expected {
            assert_eq!(kept(tiles), blocks, "{tiles}");
        }
    }
}
