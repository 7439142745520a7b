//! Removing what is left behind: by snapshots that were not finished, and by indexes that are gone.

use super::head::{Head, head_key, intent_key, read_part_key};
use super::saved::{rows_path, run_path};
use crate::catalog::{Catalog, SchemaId};
use crate::error::{Error, Result};
use crate::keys::{Background, View};
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use std::fs;
use std::path::Path;

/// So many keys are removed by one commit.
const AT_ONCE: usize = 4096;

/// Removes parts that a snapshot has left which was not finished.
pub(super) fn remove_unfinished(background: &Background, id: SchemaId) -> Result<()> {
    let view = background.published();
    if !is_unfinished(&view, id)? {
        return Ok(());
    }
    let head = match Head::read(&*view.snapshot, id) {
        // With a damaged one there is no snapshot, and so no part is of use.
        Err(Error::Record { .. }) => None,
        head => head?,
    };
    remove_parts(background, id, |part, generation| {
        let kept = head.as_ref().and_then(|head| head.parts.get(part as usize));
        kept != Some(&generation)
    })?;
    background.commit(|_| {
        let mut batch = Batch::new();
        batch.delete(Family::VectorSnapshot, &intent_key(id));
        Ok(batch)
    })
}

/// Whether there may be parts that no head has.
pub(super) fn is_unfinished(view: &View, id: SchemaId) -> Result<bool> {
    let mut is_left = false;
    let mut see = |_: &[u8]| is_left = true;
    view.snapshot
        .get(Family::VectorSnapshot, &intent_key(id), &mut see)?;
    Ok(is_left)
}

/// Removes some parts of an index.
fn remove_parts(
    background: &Background,
    id: SchemaId,
    goes: impl Fn(u32, u32) -> bool,
) -> Result<()> {
    let mut range = KeyRange::prefix(&head_key(id));
    let mut is_done = false;
    while !is_done {
        background.commit(|view| {
            let mut batch = Batch::new();
            let options = ScanOptions::default();
            let mut cursor = view
                .snapshot
                .cursor(Family::VectorSnapshot, &range, options);
            is_done = true;
            while let Some(entry) = cursor.next()? {
                let part = read_part_key(entry.key);
                if part.is_none_or(|(part, generation)| !goes(part, generation)) {
                    continue;
                }
                batch.delete(Family::VectorSnapshot, entry.key);
                if batch.len() == AT_ONCE {
                    range.start = entry.key.to_vec();
                    is_done = false;
                    break;
                }
            }
            Ok(batch)
        })?;
    }
    Ok(())
}

/// Removes what is of indexes that are not there any more: files, and parts that came after the rest of their
/// index had gone.
pub(super) fn remove_strangers(background: &Background, catalog: &Catalog) -> Result<()> {
    if background.is_read_only() {
        return Ok(());
    }
    // What bears a number that nobody has been given is not for this to judge.
    let next = background.published().state.next.schema;
    let stays = |id: SchemaId| {
        catalog.vector_index(id).is_some() || catalog.dropped().contains(&id) || id.get() >= next
    };
    for id in kept_indexes(background)?
        .into_iter()
        .filter(|id| !stays(*id))
    {
        remove_parts(background, id, |_, _| true)?;
        background.commit(|_| {
            let mut batch = Batch::new();
            batch.delete(Family::VectorSnapshot, &head_key(id));
            batch.delete(Family::VectorSnapshot, &intent_key(id));
            Ok(batch)
        })?;
    }
    let Some(layout) = background.folder() else {
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
            remove_if_there(&path);
        }
    }
    Ok(())
}

/// The indexes of which anything is kept.
fn kept_indexes(background: &Background) -> Result<Vec<SchemaId>> {
    let view = background.published();
    let mut ids: Vec<SchemaId> = Vec::new();
    let mut range = KeyRange::all();
    loop {
        let options = ScanOptions::default();
        let mut cursor = view
            .snapshot
            .cursor(Family::VectorSnapshot, &range, options);
        let Some(entry) = cursor.next()? else {
            return Ok(ids);
        };
        let Some(id) = entry.key.first_chunk() else {
            // It is for `check` to tell.
            range.start = [entry.key, &[0]].concat();
            continue;
        };
        let id = SchemaId(u32::from_be_bytes(*id));
        ids.push(id);
        match KeyRange::prefix(&head_key(id)).end {
            Some(next) => range.start = next,
            None => return Ok(ids),
        }
    }
}

/// Removes the files of an index that is gone.
pub(super) fn remove_files(background: &Background, id: SchemaId) {
    let files = [rows_path(background, id), run_path(background, id)];
    for path in files.iter().flatten() {
        remove_if_there(path);
    }
}

/// Removes a file. One that stays is in nobody's way: the next open removes it.
pub(super) fn remove_if_there(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "a file of a vector index is left behind");
    }
}
