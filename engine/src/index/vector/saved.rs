//! Snapshots of vector indexes, in the store itself: they go where it goes, and no two files can disagree.
//!
//! ```text
//! vector_snapshot  [index: 4 BE]                                ->  the head
//!                  [index: 4 BE][part: 4 BE][generation: 4 BE]  ->  a part, as the index writes it
//!
//! head    [format: 1][generation: varint][parts: count][generation: varint]*[the index's own head]
//! intent  [index: 4 BE][FFFFFFFF]                               ->  [format: 1][generation: varint][parts: varint]
//! ```
//! Parts that have changed are written under a new generation, as a sorted run outside the log; then one commit
//! puts the head in their place, removes what it has replaced, and cuts the journal. Whatever happens before
//! that commit, the old snapshot is whole. The intent says which parts of a new generation may lie around.

use super::bound::{Bound, Live};
use super::journal;
use crate::catalog::{Catalog, SchemaId, VectorIndexDef};
use crate::codec::{CodecError, CommitSeq, KeyWriter, RecordReader, RecordWriter};
use crate::database::Background;
use crate::database::keys::View;
use crate::error::{Error, Result};
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::store::{ScanOptions, Snapshot as StoreSnapshot};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use stratigraph_vector::{Index, IndexError, Loading, Settings};

const FORMAT: u8 = 1;
const HEAD: &str = "vector snapshot head";
const INTENT: &str = "vector snapshot intent";
const NO_PART: u32 = u32::MAX;

/// How the commits of a snapshot are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// Among those of others.
    InTurn,
    /// Nobody else writes any more.
    Alone,
}

/// What a head says, but for what the index says itself.
#[derive(Debug, Default, PartialEq)]
struct Head {
    generation: u32,
    /// The generation of each part.
    parts: Vec<u32>,
    /// The index's own head.
    index: Vec<u8>,
}

impl Head {
    fn encode(&self) -> Vec<u8> {
        let bytes = self.index.len() + 2 * self.parts.len() + 16;
        let mut record = RecordWriter::with_capacity(FORMAT, bytes);
        record.push_varint(self.generation.into());
        record.push_count(self.parts.len());
        for part in &self.parts {
            record.push_varint(u64::from(*part));
        }
        record.push_raw(&self.index);
        record.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut record = RecordReader::new(HEAD, FORMAT..=FORMAT, bytes)?;
        let generation = record.read_varint_u32()?;
        let count = record.read_count(1)?;
        let mut parts = Vec::with_capacity(count);
        for _ in 0..count {
            parts.push(record.read_varint_u32()?);
        }
        Ok(Self {
            generation,
            parts,
            index: record.read_rest().to_vec(),
        })
    }

    fn read(snapshot: &dyn StoreSnapshot, index: SchemaId) -> Result<Option<Self>> {
        let mut head = None;
        snapshot.get(Family::VectorSnapshot, &head_key(index), &mut |bytes| {
            head = Some(Self::decode(bytes));
        })?;
        head.transpose().map_err(damaged)
    }
}

/// Keeps an index as it is now.
pub(super) fn save(
    background: &Background,
    bound: &Bound,
    live: &Live,
    writing: Writing,
) -> Result<()> {
    let id = bound.def.id;
    let commit = |fill: &mut dyn FnMut(&View) -> Result<Batch>| match writing {
        Writing::InTurn => background.commit(fill),
        Writing::Alone => background.commit_alone(fill),
    };
    let keeps_all = bound.keeps_all.swap(true, Ordering::AcqRel);
    let before = Head::read(&*background.published().snapshot, id)
        .unwrap_or_else(|error| {
            tracing::warn!(index = &*bound.def.name, %error, "the last snapshot of a vector index is damaged");
            None
        });
    let generation = before
        .as_ref()
        .map_or(1, |head| head.generation.wrapping_add(1));
    let known = before.as_ref().filter(|_| !keeps_all);
    let known = known.map_or(&[][..], |head| head.parts.as_slice());
    let mut head = Head {
        generation,
        ..Head::default()
    };
    let latest = if background.folder().is_some() {
        let run = run_path(background, id)?;
        let (latest, is_empty) = write_parts(background, bound, live, known, &run, &mut head)?;
        if !is_empty {
            commit(&mut |_| Ok(intent(id, generation, head.parts.len())))?;
            background.ingest(Family::VectorSnapshot, &run)?;
        }
        fs::remove_file(&run).map_err(|error| Error::io("remove", &run, error))?;
        latest
    } else {
        // A database in memory keeps nothing, and its journal only serves who is making an index.
        live.index.latest()
    };
    let until = CommitSeq::new(latest);
    commit(&mut |view| {
        let mut batch = Batch::new();
        let index = view.state.catalog.vector_index(id);
        // Somebody may have dropped it.
        if index.is_none() {
            return Ok(batch);
        }
        if !head.parts.is_empty() {
            batch.put(Family::VectorSnapshot, &head_key(id), &head.encode());
        }
        for (part, old) in (0..).zip(before.as_ref().map_or(&[][..], |head| &head.parts)) {
            if head.parts.get(part as usize) != Some(old) {
                batch.delete(Family::VectorSnapshot, &part_key(id, part, *old));
            }
        }
        batch.delete(Family::VectorSnapshot, &part_key_prefix(id, NO_PART));
        let range = journal::range_until(id, until);
        let mut cursor = view
            .snapshot
            .cursor(Family::Journal, &range, ScanOptions::default());
        while let Some(entry) = cursor.next()? {
            batch.delete(Family::Journal, entry.key);
        }
        Ok(batch)
    })?;
    bound.keeps_all.store(false, Ordering::Release);
    Ok(())
}

/// Writes the parts that have changed as a run. Returns the commit up to which everything is in them, and whether
/// there are none.
fn write_parts(
    background: &Background,
    bound: &Bound,
    live: &Live,
    known: &[u32],
    run: &Path,
    head: &mut Head,
) -> Result<(u64, bool)> {
    let id = bound.def.id;
    let applying = bound.applying.lock();
    let mut snapshot = live.index.snapshot(&tag(background, id));
    let journaled = bound.journaled.load(Ordering::Relaxed);
    drop(applying);
    let store = background.store();
    let mut run = store.new_run(Family::VectorSnapshot, run)?;
    let mut is_empty = true;
    let mut bytes = Vec::new();
    let refused = |source| refused(&bound.def, source);
    for part in 0..snapshot.parts() {
        match known.get(part as usize) {
            Some(generation) if !snapshot.is_changed(part) => head.parts.push(*generation),
            _ => {
                snapshot.part(part, &mut bytes).map_err(refused)?;
                run.put(&part_key(id, part, head.generation), &bytes)?;
                is_empty = false;
                head.parts.push(head.generation);
            }
        }
    }
    snapshot.head(&mut head.index).map_err(refused)?;
    let latest = snapshot.latest();
    // From here on only `keeps_all` knows that it is not kept yet: who waits for the index's tender may have the
    // writer's place.
    snapshot.done();
    if !is_empty {
        run.finish()?;
    }
    bound.journaled.fetch_sub(journaled, Ordering::Relaxed);
    Ok((latest, is_empty))
}

/// Reads the last snapshot, if there is one.
pub(super) fn load(
    background: &Background,
    def: &VectorIndexDef,
    view: &View,
    settings: Settings,
) -> Result<Option<Index>> {
    let Some(head) = Head::read(&*view.snapshot, def.id)? else {
        return Ok(None);
    };
    let refused = |source| refused(def, source);
    let tag = tag(background, def.id);
    let mut loading = Loading::new(settings, &tag, &head.index).map_err(refused)?;
    if loading.parts() as usize != head.parts.len() {
        return Err(damaged(CodecError::NotCanonical { what: HEAD, at: 1 }));
    }
    for (part, generation) in (0..).zip(&head.parts) {
        let mut outcome = None;
        let key = part_key(def.id, part, *generation);
        view.snapshot
            .get(Family::VectorSnapshot, &key, &mut |bytes| {
                outcome = Some(loading.part(part, bytes));
            })?;
        let missing = IndexError::Damaged {
            what: "a part is not there",
        };
        outcome.unwrap_or(Err(missing)).map_err(refused)?;
    }
    loading.finish().map(Some).map_err(refused)
}

/// Removes parts that a snapshot has left which was not finished.
pub(super) fn remove_unfinished(background: &Background, id: SchemaId) -> Result<()> {
    let view = background.published();
    let mut intent = None;
    view.snapshot.get(
        Family::VectorSnapshot,
        &part_key_prefix(id, NO_PART),
        &mut |bytes| intent = Some(decode_intent(bytes)),
    )?;
    let Some(intent) = intent else {
        return Ok(());
    };
    let (generation, parts) = intent.map_err(damaged)?;
    let head = Head::read(&*view.snapshot, id).unwrap_or_default();
    background.commit(|_| {
        let mut batch = Batch::new();
        for part in 0..parts {
            let kept = head.as_ref().and_then(|head| head.parts.get(part as usize));
            if kept != Some(&generation) {
                batch.delete(Family::VectorSnapshot, &part_key(id, part, generation));
            }
        }
        batch.delete(Family::VectorSnapshot, &part_key_prefix(id, NO_PART));
        Ok(batch)
    })
}

/// The file of an index's vectors.
pub(super) fn rows_path(background: &Background, id: SchemaId) -> Option<PathBuf> {
    let layout = background.folder()?;
    Some(layout.vectors().join(format!("{}.rows", id.get())))
}

/// Where a run is written before it is taken in.
fn run_path(background: &Background, id: SchemaId) -> Result<PathBuf> {
    let layout = background
        .folder()
        .ok_or_else(|| Error::bug("a database in memory keeps no snapshots"))?;
    let folder = layout.vectors();
    fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
    let path = folder.join(format!("{}.run", id.get()));
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", &path, error))
        }
        _ => Ok(path),
    }
}

/// Removes the file of an index's vectors.
pub(super) fn remove_rows(background: &Background, id: SchemaId) {
    if let Some(path) = rows_path(background, id)
        && let Err(error) = fs::remove_file(&path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "a file of vectors is left behind");
    }
}

/// Removes files of indexes that are not there any more.
pub(super) fn remove_strangers(background: &Background, catalog: &Catalog) -> Result<()> {
    let Some(layout) = background.folder().filter(|_| !background.is_read_only()) else {
        return Ok(());
    };
    let folder = layout.vectors();
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| Error::io("read", &folder, error))?,
    };
    for entry in entries {
        let path = entry
            .map_err(|error| Error::io("read", &folder, error))?
            .path();
        let of = |id: &SchemaId| rows_path(background, *id).as_ref() == Some(&path);
        if !catalog.vector_indexes().any(|index| of(&index.id)) {
            fs::remove_file(&path).map_err(|error| Error::io("remove", &path, error))?;
        }
    }
    Ok(())
}

/// Whose snapshot it is: a part of another database, or of another index, is never taken.
fn tag(background: &Background, id: SchemaId) -> Vec<u8> {
    let mut tag = background.id().as_bytes().to_vec();
    tag.extend_from_slice(&id.get().to_be_bytes());
    tag
}

fn head_key(index: SchemaId) -> Vec<u8> {
    index.get().to_be_bytes().to_vec()
}

fn part_key_prefix(index: SchemaId, part: u32) -> Vec<u8> {
    KeyWriter::with_capacity(8)
        .push_u32(index.get())
        .push_u32(part)
        .finish()
}

fn part_key(index: SchemaId, part: u32, generation: u32) -> Vec<u8> {
    KeyWriter::with_capacity(12)
        .push_u32(index.get())
        .push_u32(part)
        .push_u32(generation)
        .finish()
}

/// The batch that says which parts of a generation may come to be.
fn intent(index: SchemaId, generation: u32, parts: usize) -> Batch {
    let mut batch = Batch::new();
    let mut record = RecordWriter::new(FORMAT);
    record.push_varint(generation.into());
    record.push_varint(parts as u64);
    batch.put(
        Family::VectorSnapshot,
        &part_key_prefix(index, NO_PART),
        &record.finish(),
    );
    batch
}

fn decode_intent(bytes: &[u8]) -> Result<(u32, u32), CodecError> {
    let mut record = RecordReader::new(INTENT, FORMAT..=FORMAT, bytes)?;
    let intent = (record.read_varint_u32()?, record.read_varint_u32()?);
    record.finish()?;
    Ok(intent)
}

fn refused(def: &VectorIndexDef, source: IndexError) -> Error {
    Error::VectorIndex {
        index: def.name.clone(),
        source: Box::new(source),
    }
}

fn damaged(error: CodecError) -> Error {
    Error::record(Family::VectorSnapshot.name(), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_keys_come_back() {
        let head = Head {
            generation: 300,
            parts: vec![299, 300],
            index: b"own".to_vec(),
        };
        let bytes = head.encode();
        assert_eq!(bytes, b"\x01\xAC\x02\x02\xAB\x02\xAC\x02own");
        assert_eq!(Head::decode(&bytes), Ok(head));
        let id = SchemaId(7);
        assert_eq!(part_key(id, 2, 300), [0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 1, 44]);
        assert!(
            part_key(id, 2, 300) > head_key(id)
                && part_key(id, 2, 300) < part_key_prefix(id, NO_PART)
        );
    }
}
