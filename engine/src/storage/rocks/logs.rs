//! Reading RocksDB's logs before RocksDB does: whose batches they hold, and that it can read them.
//!
//! RocksDB replays whatever log lies in its folder, and a log of another database would be served as
//! ours. It also loops for ever at a part that claims to come from a recycled log
//! (facebook/rocksdb#13333); we never recycle logs, so such a part is damage.

use super::log_format::{FIRST, LAST, MIDDLE, Part, WHOLE, part_at};
use crate::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Types that only recycled logs have.
const RECYCLED: [u8; 6] = [5, 6, 7, 8, 11, 131];
/// Sequence and count stand before a batch's entries.
const BATCH_HEADER_BYTES: usize = 12;
const DELETE: u8 = 0;
const PUT: u8 = 1;

/// The first entry of a batch, as far as it is in the first family.
#[derive(Debug, PartialEq, Eq)]
pub enum FirstEntry<'a> {
    /// There is no entry: RocksDB puts such a batch into the log that follows a damaged one.
    None,
    /// A put of this key and value.
    Put(&'a [u8], &'a [u8]),
    /// A delete of this key.
    Delete(&'a [u8]),
    /// Something else, which no batch of ours begins with.
    Other,
}

/// Calls `visit` with the first entry of every batch in the store's logs.
///
/// A log ends where its first bad part is, as it does for RocksDB.
///
/// # Errors
/// [`Error::Corruption`] at a part that RocksDB could not get past, and whatever `visit` says.
pub fn visit_batches(
    store: &Path,
    visit: &mut dyn FnMut(&Path, &FirstEntry<'_>) -> Result<()>,
) -> Result<()> {
    for path in files_named(store, |name| name.ends_with(".log"))? {
        let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        let mut visit = |batch: &[u8]| visit(&path, &first_entry(batch));
        walk(&path, &bytes, &mut visit)?;
    }
    Ok(())
}

/// Refuses a manifest that RocksDB could not get past.
///
/// # Errors
/// [`Error::Corruption`] if there is such a part in it.
pub fn check_manifest(path: &Path) -> Result<()> {
    let bytes = fs::read(path).map_err(|error| Error::io("read", path, error))?;
    walk(path, &bytes, &mut |_| Ok(()))
}

fn walk(path: &Path, bytes: &[u8], visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut place = 0;
    let mut record: Option<Vec<u8>> = None;
    loop {
        match part_at(bytes, place) {
            Part::Good { kind, .. } | Part::Bad { kind } if RECYCLED.contains(&kind) => {
                let what =
                    format!("a part near byte {place} has type {kind}, which no log of ours has");
                return Err(Error::corruption(path, what));
            }
            Part::Good { kind, data, end } => {
                match (kind, &mut record) {
                    (WHOLE, _) => {
                        visit(data)?;
                        record = None;
                    }
                    (FIRST, _) => record = Some(data.to_vec()),
                    (MIDDLE, Some(record)) => record.extend_from_slice(data),
                    (LAST, Some(parts)) => {
                        parts.extend_from_slice(data);
                        visit(parts)?;
                        record = None;
                    }
                    _ => record = None,
                }
                place = end;
            }
            Part::Unwritten { next_block } => {
                record = None;
                place = next_block;
            }
            Part::Bad { .. } | Part::End => return Ok(()),
        }
    }
}

/// Files of a folder by name, in order.
fn files_named(dir: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(|error| Error::io("read", dir, error))? {
        let entry = entry.map_err(|error| Error::io("read", dir, error))?;
        if entry.file_name().to_str().is_some_and(&wanted) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn first_entry(batch: &[u8]) -> FirstEntry<'_> {
    if batch.len() == BATCH_HEADER_BYTES {
        return FirstEntry::None;
    }
    let entry = batch
        .get(BATCH_HEADER_BYTES..)
        .and_then(<[u8]>::split_first);
    let parsed = match entry {
        Some((&PUT, rest)) => {
            counted(rest).and_then(|(key, rest)| Some(FirstEntry::Put(key, counted(rest)?.0)))
        }
        Some((&DELETE, rest)) => counted(rest).map(|(key, _)| FirstEntry::Delete(key)),
        _ => None,
    };
    parsed.unwrap_or(FirstEntry::Other)
}

/// Bytes after their length, and what follows them.
fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = crate::codec::varint::read_u64(bytes).ok()?;
    rest.split_at_checked(usize::try_from(length).ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::log_format::part;
    use super::*;

    fn walked(bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut records = Vec::new();
        walk(Path::new("000001.log"), bytes, &mut |record| {
            records.push(record.to_vec());
            Ok(())
        })?;
        Ok(records)
    }

    #[test]
    fn records_are_put_together_from_their_parts() {
        let bytes = [
            part(WHOLE, b"one"),
            part(FIRST, b"t"),
            part(MIDDLE, b"w"),
            part(LAST, b"o"),
        ]
        .concat();
        assert_eq!(walked(&bytes).unwrap(), [b"one".to_vec(), b"two".to_vec()]);
        assert_eq!(
            walked(&bytes[..bytes.len() - 1]).unwrap(),
            [b"one".to_vec()]
        );
        assert!(walked(&[]).unwrap().is_empty());
    }

    #[test]
    fn a_part_that_rocksdb_would_not_get_past_is_damage() {
        for kind in RECYCLED {
            let mut bytes = [part(WHOLE, b"one"), part(WHOLE, b"two")].concat();
            bytes[10 + 6] = kind;
            let refused = walked(&bytes).unwrap_err();
            assert!(matches!(refused, Error::Corruption { .. }), "{refused}");
        }
    }

    #[test]
    fn the_first_entry_of_a_batch_is_read_and_anything_else_is_other() {
        let header = [0; BATCH_HEADER_BYTES];
        let put = [&header[..], &[PUT, 1, 7, 2, 8, 9]].concat();
        assert_eq!(first_entry(&put), FirstEntry::Put(&[7], &[8, 9]));
        let delete = [&header[..], &[DELETE, 0]].concat();
        assert_eq!(first_entry(&delete), FirstEntry::Delete(&[]));
        assert_eq!(first_entry(&header), FirstEntry::None);
        for other in [
            &put[..put.len() - 1],
            &[],
            &[&header[..], &[5, 1, 1, 7]].concat(),
        ] {
            assert_eq!(first_entry(other), FirstEntry::Other, "{other:?}");
        }
    }
}
