//! What was read of segments lately, decoded, shared by searches.
//!
//! It is only a cache: segments never change, and everything in it is kept under the print that the segment's line
//! in the statistics has, which every search reads through its own transaction. So a reader of an older commit,
//! and a writer whose transaction is rolled back, each find what belongs to what they see, or read it anew.
//!
//! Two halves take turns: what is used moves to the young half; when that is full, it becomes the old one, and
//! what was in the old one is forgotten.

use super::keys::SegmentId;
use super::segment::columns::Columns;
use super::segment::directory::Directory;
use super::segment::gone::Gone;
use super::segment::page::Page;
use super::statistics::SegmentRecord;
use crate::catalog::SchemaId;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// What a cache holds unless it is told otherwise.
pub(crate) const DEFAULT_BYTES: usize = 256 << 20;
/// What an entry takes beside its content, about.
const ENTRY_BYTES: usize = 160;

/// Which thing of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Thing {
    Directory,
    Columns,
    Gone,
    Page(u32),
    Positions(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CacheKey {
    index: SchemaId,
    segment: SegmentId,
    print: u64,
    thing: Thing,
}

/// Something of a segment, decoded.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Directory(Arc<Directory>),
    Columns(Arc<Columns>),
    Gone(Arc<Gone>),
    Page(Arc<Page>),
    Positions(Arc<[u8]>),
}

impl Item {
    fn bytes(&self) -> usize {
        ENTRY_BYTES
            + match self {
                Self::Directory(directory) => directory.memory_bytes(),
                Self::Columns(columns) => columns.memory_bytes(),
                Self::Gone(gone) => gone.memory_bytes(),
                Self::Page(page) => page.bytes().len(),
                Self::Positions(bytes) => bytes.len(),
            }
    }
}

type Half = HashMap<CacheKey, Item, BuildHasherDefault<MixHasher>>;

#[derive(Debug, Default)]
struct Halves {
    young: Half,
    young_bytes: usize,
    old: Half,
    old_bytes: usize,
}

/// Keeps what searches have read; a database has one for all its text indexes.
#[derive(Debug)]
pub struct TextCache {
    halves: Mutex<Halves>,
    half_bytes: usize,
}

impl Default for TextCache {
    fn default() -> Self {
        Self::new(DEFAULT_BYTES)
    }
}

impl TextCache {
    /// A cache of at most about so many bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self {
            halves: Mutex::new(Halves::default()),
            half_bytes: bytes / 2,
        }
    }

    /// How many bytes it holds now, about.
    pub(crate) fn bytes(&self) -> usize {
        let halves = self.halves.lock();
        halves.young_bytes + halves.old_bytes
    }

    pub(super) fn get(
        &self,
        index: SchemaId,
        segment: &SegmentRecord,
        thing: Thing,
    ) -> Option<Item> {
        let key = key(index, segment, thing);
        let mut halves = self.halves.lock();
        if let Some(item) = halves.young.get(&key) {
            return Some(item.clone());
        }
        let item = halves.old.remove(&key)?;
        halves.old_bytes -= item.bytes();
        self.keep(&mut halves, key, item.clone());
        Some(item)
    }

    pub(super) fn put(&self, index: SchemaId, segment: &SegmentRecord, thing: Thing, item: Item) {
        self.keep(&mut self.halves.lock(), key(index, segment, thing), item);
    }

    fn keep(&self, halves: &mut Halves, key: CacheKey, item: Item) {
        let bytes = item.bytes();
        // The columns of a large segment may be more than half; without them every search would read them again.
        if bytes > 2 * self.half_bytes {
            return;
        }
        if halves.young_bytes + bytes > self.half_bytes {
            halves.old = std::mem::take(&mut halves.young);
            halves.old_bytes = std::mem::take(&mut halves.young_bytes);
        }
        halves.young_bytes += bytes;
        // Two searches that missed it have both read it.
        if let Some(same) = halves.young.insert(key, item) {
            halves.young_bytes -= same.bytes();
        }
    }
}

fn key(index: SchemaId, segment: &SegmentRecord, thing: Thing) -> CacheKey {
    let print = if thing == Thing::Gone {
        segment.gone_print
    } else {
        segment.print
    };
    CacheKey {
        index,
        segment: segment.id,
        print,
        thing,
    }
}

/// Prints are hashes already: mixing in the rest is enough.
#[derive(Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_halves_hold_is_counted_once() {
        let segment = SegmentRecord {
            id: SegmentId(1),
            first: 0,
            span: 1,
            present: 1,
            gone: 0,
            pages: 1,
            position_pages: 9,
            bytes: 0,
            print: 7,
            gone_print: 0,
        };
        let (index, each) = (SchemaId(1), ENTRY_BYTES + 240);
        // Two fit into a half.
        let cache = TextCache::new(5 * each);
        let put = |page| {
            let positions = Item::Positions(vec![0_u8; 240].into());
            cache.put(index, &segment, Thing::Positions(page), positions);
        };
        assert_eq!(cache.bytes(), 0);
        put(0);
        put(0);
        assert_eq!(cache.bytes(), each, "the same, read by two");
        put(1);
        put(2);
        assert_eq!(cache.bytes(), 3 * each, "two are old now");
        assert!(cache.get(index, &segment, Thing::Positions(0)).is_some());
        assert_eq!(cache.bytes(), 3 * each, "one is young again");
        put(3);
        assert!(cache.get(index, &segment, Thing::Positions(1)).is_none());
        assert_eq!(cache.bytes(), 3 * each, "one is forgotten");
    }
}
