//! Fills an [`Adjacency`] by counting sort, on several threads.
//!
//! Each thread owns a range of rows, so it alone writes a consecutive piece of every array; it
//! walks over all entries and takes those of its rows. That reads the entries once per thread but
//! needs neither locks nor `unsafe`, and most chunks are skipped by their bounds. Rows are sorted
//! by (target, relationship) afterwards, which is why the result never depends on threads or parts.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::adjacency::Adjacency;
use super::chunk::Chunk;
use crate::algo::AlgoError;
use crate::algo::parallel::{Pulse, even_ranges, run_jobs, split_by};
use crate::storage::cancel::Watch;
use crate::value::RelationshipId;

/// How many rows a thread handles between two looks at the cancel token.
const ROWS_PER_BEAT: usize = 1 << 16;

/// Which arrays the result has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    pub(super) relationships: bool,
    pub(super) weights: bool,
}

impl Columns {
    /// Bytes per entry.
    pub(super) fn entry_bytes(self) -> u64 {
        4 + if self.relationships { 8 } else { 0 } + if self.weights { 4 } else { 0 }
    }
}

/// One relationship seen from the row it is put in.
#[derive(Debug, Clone, Copy)]
struct Entry {
    target: u32,
    relationship: RelationshipId,
    weight: f32,
}

/// The piece of the arrays that one thread fills.
struct Rows<'a> {
    range: Range<usize>,
    /// Where the next entry of each row of the range goes, from the start of the piece.
    next: Vec<u32>,
    targets: &'a mut [u32],
    relationships: Option<&'a mut [RelationshipId]>,
    weights: Option<&'a mut [f32]>,
}

impl Rows<'_> {
    #[inline]
    fn put(&mut self, row: u32, entry: Entry) {
        // A row before the range wraps around and is past the end as well.
        let Some(next) = self
            .next
            .get_mut((row as usize).wrapping_sub(self.range.start))
        else {
            return;
        };
        let at = *next as usize;
        *next += 1;
        self.set(at, entry);
    }

    #[inline]
    fn set(&mut self, at: usize, entry: Entry) {
        self.targets[at] = entry.target;
        if let Some(relationships) = &mut self.relationships {
            relationships[at] = entry.relationship;
        }
        if let Some(weights) = &mut self.weights {
            weights[at] = entry.weight;
        }
    }

    #[inline]
    fn get(&self, at: usize) -> Entry {
        Entry {
            target: self.targets[at],
            relationship: self
                .relationships
                .as_ref()
                .map_or(RelationshipId::new(0), |relationships| relationships[at]),
            weight: self.weights.as_ref().map_or(1.0, |weights| weights[at]),
        }
    }

    /// Sorts the row that ends where the next one begins. Rows that were filled in order, as a scan
    /// of the store does, are only looked at.
    fn sort(&mut self, row: Range<usize>, spare: &mut Vec<Entry>) {
        // The weight only matters if one relationship was pushed twice; it keeps even that stable.
        let key = |entry: &Entry| (entry.target, entry.relationship, entry.weight.to_bits());
        let mut entries = row.clone().map(|at| key(&self.get(at)));
        if entries.by_ref().is_sorted() {
            return;
        }
        drop(entries);
        spare.clear();
        spare.extend(row.clone().map(|at| self.get(at)));
        spare.sort_unstable_by_key(key);
        for (at, &entry) in row.zip(spare.iter()) {
            self.set(at, entry);
        }
    }
}

/// Builds the rows of `nodes` nodes from chunks of relationships.
pub(super) fn from_chunks(
    nodes: usize,
    chunks: &[Chunk],
    both_ways: bool,
    columns: Columns,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Adjacency, AlgoError> {
    let counts = count_rows(nodes, chunks, both_ways, threads, watch)?;
    let fill = |rows: &mut Rows<'_>, pulse: &mut Pulse<'_, '_>| {
        for (done, chunk) in chunks.iter().enumerate() {
            pulse.beat(done, chunks.len())?;
            if !chunk.touches(&rows.range, both_ways) {
                continue;
            }
            for (source, target, relationship, weight) in chunk.iter() {
                let entry = Entry {
                    target,
                    relationship,
                    weight,
                };
                rows.put(source, entry);
                if both_ways && source != target {
                    let target = source;
                    rows.put(entry.target, Entry { target, ..entry });
                }
            }
        }
        Ok(())
    };
    fill_rows(
        &counts,
        columns,
        threads,
        "fill the projection",
        watch,
        fill,
    )
}

/// Turns all relationships of `forward` round.
pub(super) fn turned(
    forward: &Adjacency,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Adjacency, AlgoError> {
    let mut counts = vec![0_u32; forward.len()];
    for &target in &forward.targets {
        counts[target as usize] += 1;
    }
    let columns = Columns {
        relationships: forward.relationships.is_some(),
        weights: forward.weights.is_some(),
    };
    // Rows are met in ascending order, so those of the result come out sorted.
    let fill = |rows: &mut Rows<'_>, pulse: &mut Pulse<'_, '_>| {
        for row in 0..forward.len() {
            if row.is_multiple_of(ROWS_PER_BEAT) {
                pulse.beat(row, forward.len())?;
            }
            for at in forward.row(row as u32) {
                let entry = Entry {
                    target: row as u32,
                    relationship: forward
                        .relationships
                        .as_ref()
                        .map_or(RelationshipId::new(0), |relationships| relationships[at]),
                    weight: forward.weights.as_ref().map_or(1.0, |weights| weights[at]),
                };
                rows.put(forward.targets[at], entry);
            }
        }
        Ok(())
    };
    fill_rows(
        &counts,
        columns,
        threads,
        "turn the projection round",
        watch,
        fill,
    )
}

/// How many entries each row will have. The sums do not depend on the order of the additions.
fn count_rows(
    nodes: usize,
    chunks: &[Chunk],
    both_ways: bool,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Vec<u32>, AlgoError> {
    let mut counts: Vec<AtomicU32> = Vec::new();
    counts.resize_with(nodes, AtomicU32::default);
    let portion = chunks.len().div_ceil(threads.clamp(1, 64)).max(1);
    let jobs: Vec<_> = chunks.chunks(portion).collect();
    run_jobs(jobs, "count relationships", watch, |chunks, pulse| {
        for (done, chunk) in chunks.iter().enumerate() {
            pulse.beat(done, chunks.len())?;
            for (source, target, ..) in chunk.iter() {
                counts[source as usize].fetch_add(1, Ordering::Relaxed);
                if both_ways && source != target {
                    counts[target as usize].fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    })?;
    Ok(counts.into_iter().map(AtomicU32::into_inner).collect())
}

/// Lays out the arrays, has every thread fill its rows, and sorts them.
///
/// The caller has made sure that the sum of `counts` fits 32 bits.
fn fill_rows(
    counts: &[u32],
    columns: Columns,
    threads: usize,
    step: &'static str,
    watch: &mut Watch<'_>,
    fill: impl Fn(&mut Rows<'_>, &mut Pulse<'_, '_>) -> Result<(), AlgoError> + Sync,
) -> Result<Adjacency, AlgoError> {
    let mut offsets = Vec::with_capacity(counts.len() + 1);
    let mut end = 0_u32;
    offsets.push(0);
    offsets.extend(counts.iter().map(|&count| {
        end += count;
        end
    }));
    let entries = end as usize;
    let mut targets = vec![0_u32; entries];
    let mut relationships = columns
        .relationships
        .then(|| vec![RelationshipId::new(0); entries]);
    let mut weights = columns.weights.then(|| vec![0_f32; entries]);

    let ranges = even_ranges(&offsets, threads);
    let piece = |range: &Range<usize>| (offsets[range.end] - offsets[range.start]) as usize;
    let lengths = || ranges.iter().map(piece);
    let mut target_pieces = split_by(&mut targets, lengths()).into_iter();
    let mut relationship_pieces = relationships
        .as_mut()
        .map(|all| split_by(all, lengths()).into_iter());
    let mut weight_pieces = weights
        .as_mut()
        .map(|all| split_by(all, lengths()).into_iter());
    let jobs: Vec<_> = ranges
        .iter()
        .map(|range| Rows {
            range: range.clone(),
            next: offsets[range.clone()]
                .iter()
                .map(|offset| offset - offsets[range.start])
                .collect(),
            targets: target_pieces.next().unwrap_or_default(),
            relationships: relationship_pieces.as_mut().and_then(Iterator::next),
            weights: weight_pieces.as_mut().and_then(Iterator::next),
        })
        .collect();
    run_jobs(jobs, step, watch, |mut rows, pulse| {
        fill(&mut rows, pulse)?;
        let base = offsets[rows.range.start];
        let mut spare = Vec::new();
        for row in rows.range.clone() {
            if row.is_multiple_of(ROWS_PER_BEAT) {
                pulse.beat(row, rows.range.end)?;
            }
            let (start, end) = (offsets[row] - base, offsets[row + 1] - base);
            rows.sort(start as usize..end as usize, &mut spare);
        }
        Ok(())
    })?;
    Ok(Adjacency {
        offsets,
        targets,
        relationships,
        weights,
    })
}
