//! Packing: neighbouring atoms are put together as long as they fit.

use std::ops::Range;

use super::Measured;

/// How atoms are put together.
#[derive(Clone, Copy)]
pub(super) struct Packing {
    /// The most units of a pack.
    pub(super) limit: usize,
    /// The most units that the next pack begins with again.
    pub(super) overlap: usize,
}

/// Puts atoms, which follow each other without a gap, together. Every atom is in a pack.
pub(super) fn pack(
    measured: &Measured<'_>,
    atoms: &[Range<usize>],
    packing: Packing,
) -> Vec<Range<usize>> {
    let mut packs = Vec::new();
    let mut first = 0;
    while first < atoms.len() {
        let start = atoms[first].start;
        let fits = |end: usize| measured.size(&(start..end)) <= packing.limit;
        let count = atoms[first + 1..]
            .iter()
            .take_while(|atom| fits(atom.end))
            .count();
        let last = first + count;
        packs.push(start..atoms[last].end);
        if last + 1 == atoms.len() {
            break;
        }
        // Back as many atoms as the overlap allows, but never so far that nothing new fits.
        let end = atoms[last].end;
        let next = atoms[last + 1].end;
        let mut again = last + 1;
        while again > first + 1
            && measured.size(&(atoms[again - 1].start..end)) <= packing.overlap
            && measured.size(&(atoms[again - 1].start..next)) <= packing.limit
        {
            again -= 1;
        }
        first = again;
    }
    packs
}
