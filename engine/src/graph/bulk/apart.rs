//! Long values and vectors of what is loaded, which lie in families of their own.
//!
//! Their keys rise for each kind of entity, and for vectors for each property too: every such row has
//! a stream of runs. Streams take buffers, so there are only so many; the vectors of further
//! properties are sorted.

use super::pairs::PairSorter;
use crate::codec::{CodecError, KeyReader};
use crate::error::{Error, Result};
use crate::graph::properties::Apart;
use crate::keys::{RunStream, Workspace};
use crate::storage::family::Family;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many streams of vectors there are at most.
const STREAMS: usize = 16;
/// What the vectors of one row have in common: the property and the kind of entity.
const VECTOR_ROW_BYTES: usize = 5;
/// What the texts of one row have in common: the kind of entity.
const TEXT_ROW_BYTES: usize = 1;

/// Takes what lies apart; what belongs to one kind of entity comes in the order of its ids.
pub(super) struct ApartWriter {
    space: Arc<Workspace>,
    texts: BTreeMap<[u8; TEXT_ROW_BYTES], RunStream>,
    vectors: BTreeMap<[u8; VECTOR_ROW_BYTES], RunStream>,
    more_vectors: PairSorter,
}

impl ApartWriter {
    pub(super) fn new(space: &Arc<Workspace>, limit_bytes: usize, beside: bool) -> Self {
        Self {
            space: Arc::clone(space),
            texts: BTreeMap::new(),
            vectors: BTreeMap::new(),
            more_vectors: PairSorter::new(space, limit_bytes, beside),
        }
    }

    pub(super) fn put(&mut self, apart: &Apart) -> Result<()> {
        let Apart { family, key, value } = apart;
        let stream = || self.space.stream(*family);
        match family {
            Family::Text => {
                let row = self.texts.entry(row(key)?);
                row.or_insert_with(stream).put(key, value)
            }
            Family::Vectors => {
                let row = row(key)?;
                if self.vectors.len() >= STREAMS && !self.vectors.contains_key(&row) {
                    return self.more_vectors.push(key, value);
                }
                let row = self.vectors.entry(row);
                row.or_insert_with(stream).put(key, value)
            }
            _ => Err(Error::bug("a value that lies in no family of its own")),
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        for stream in self.texts.into_values() {
            stream.finish()?;
        }
        for stream in self.vectors.into_values() {
            stream.finish()?;
        }
        let sorted = self.more_vectors.sorted()?;
        let mut merged = sorted.merge()?;
        let mut stream = self.space.stream(Family::Vectors);
        let mut last = None;
        while let Some((key, value)) = merged.next()? {
            let row = row::<VECTOR_ROW_BYTES>(key)?;
            if last != Some(row) {
                // Another stream may have a property in between.
                stream.cut()?;
                last = Some(row);
            }
            stream.put(key, value)?;
        }
        stream.finish()
    }
}

/// The part of a key that its row has in common.
fn row<const N: usize>(key: &[u8]) -> Result<[u8; N]> {
    let row: Result<_, CodecError> = KeyReader::new("key of a value apart", key).read_array();
    row.map_err(|error| Error::record("load", error))
}
