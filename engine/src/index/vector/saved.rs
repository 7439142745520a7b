//! Snapshots of vector indexes, in the store itself: they go where it goes, and no two files can disagree.
//!
//! Parts that have changed are written under a new generation, as a sorted run outside the log; then one commit
//! puts the head in their place and removes what it has replaced, and the journal is cut. Whatever happens before
//! that commit, the old snapshot is whole. The intent says that parts without a head may lie around.

use super::bound::{Bound, Live};
use super::head::{Head, INTENT, head_key, intent_key, part_key};
use super::{journal, leftovers};
use crate::catalog::SchemaId;
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::keys::{Background, View};
use crate::storage::batch::Batch;
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::storage::plant;
use crate::storage::store::ScanOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// So many entries of the journal are cut off by one commit.
const CUT_AT_ONCE: usize = 16_384;

/// How a snapshot is made.
#[derive(Clone, Copy)]
pub(super) enum Writing<'a> {
    /// Among the commits of others, until it is to stop.
    InTurn(&'a CancelToken),
    /// Nobody else writes any more.
    Alone,
}

impl Writing<'_> {
    fn commit(
        self,
        background: &Background,
        fill: &mut dyn FnMut(&View) -> Result<Batch>,
    ) -> Result<()> {
        match self {
            Self::InTurn(_) => background.commit(fill),
            Self::Alone => background.commit_alone(fill),
        }
    }

    fn check(self) -> Result<()> {
        match self {
            Self::InTurn(stop) => stop.check(),
            Self::Alone => Ok(()),
        }
    }
}

/// A snapshot that is made.
#[derive(Clone, Copy)]
pub(super) struct Saving<'a> {
    pub(super) background: &'a Background,
    pub(super) bound: &'a Bound,
    pub(super) live: &'a Live,
    pub(super) writing: Writing<'a>,
}

/// Keeps an index as it is now.
pub(super) fn save(saving: Saving<'_>) -> Result<()> {
    let Saving {
        background,
        bound,
        live,
        writing,
    } = saving;
    let copied = match background.folder() {
        Some(_) => save_parts(saving)?,
        // A database in memory keeps nothing, and its journal only serves who is making an index.
        None => {
            let _applying = bound.applying.lock();
            if !bound.answers_by(&live.index) {
                return Err(Error::Cancelled);
            }
            Copied::now(bound, live.index.latest())
        }
    };
    // Whoever reads the journal begins after the snapshot: what is cut off is of no use, and may go bit by bit.
    let range = journal::range_until(bound.def.id, copied.latest);
    let mut is_cut = false;
    while !is_cut {
        writing.commit(background, &mut |view| {
            let (mut batch, mut count) = (Batch::new(), 0);
            let options = ScanOptions::default();
            let mut cursor = view.snapshot.cursor(Family::Journal, &range, options);
            while count < CUT_AT_ONCE
                && let Some(entry) = cursor.next()?
            {
                batch.delete(Family::Journal, entry.key);
                count += 1;
            }
            is_cut = count < CUT_AT_ONCE;
            Ok(batch)
        })?;
    }
    bound.less_journaled(copied.journaled);
    Ok(())
}

/// What is in a copy of an index.
struct Copied {
    /// Everything up to here.
    latest: CommitSeq,
    /// So many ids of the journal.
    journaled: u64,
}

impl Copied {
    fn now(bound: &Bound, latest: u64) -> Self {
        Self {
            latest: CommitSeq::new(latest),
            journaled: bound.journaled.load(Ordering::Relaxed),
        }
    }
}

/// Writes the parts that have changed, and puts them in the place of the last ones.
fn save_parts(saving: Saving<'_>) -> Result<Copied> {
    let Saving {
        background,
        bound,
        writing,
        ..
    } = saving;
    let id = bound.def.id;
    let keeps_all = bound.keeps_all.swap(true, Ordering::AcqRel);
    let view = background.published();
    // Then parts may stay behind of which nobody knows: the intent stays too, and the next open removes them.
    let mut leaves = leftovers::is_unfinished(&view, id)?;
    let before = Head::read(&*view.snapshot, id)
        .unwrap_or_else(|error| {
            tracing::warn!(index = &*bound.def.name, %error, "the last snapshot of a vector index is damaged");
            leaves = true;
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
    let run = run_path(background, id).ok_or_else(|| Error::bug("what is kept has a folder"))?;
    let taken_in = take_in(saving, known, &run, &mut head);
    plant::step("the parts of a vector index are taken in, and their run is there");
    leftovers::remove_if_there(&run);
    let copied = taken_in?;
    plant::step("the run of a vector index is removed");
    let mut is_dropped = false;
    writing.commit(background, &mut |view| {
        let mut batch = Batch::new();
        is_dropped = view.state.catalog.vector_index(id).is_none();
        // Whoever has dropped it has removed what there was before, and knows nothing of what came since.
        let (goes, stays) = match &before {
            _ if is_dropped => (&head.parts[..], &[][..]),
            Some(before) => (&before.parts[..], &head.parts[..]),
            None => (&[][..], &head.parts[..]),
        };
        for (part, old) in (0..).zip(goes) {
            if stays.get(part as usize) != Some(old) {
                batch.delete(Family::VectorSnapshot, &part_key(id, part, *old));
            }
        }
        batch.delete(Family::VectorSnapshot, &intent_key(id));
        if !is_dropped {
            batch.put(Family::VectorSnapshot, &head_key(id), &head.encode());
            if leaves {
                batch.put(Family::VectorSnapshot, &intent_key(id), INTENT);
            }
        }
        Ok(batch)
    })?;
    if is_dropped {
        return Err(bound.def.dropped_meanwhile());
    }
    bound.keeps_all.store(false, Ordering::Release);
    Ok(copied)
}

/// Writes the parts that have changed as a run, and takes that into the store.
fn take_in(saving: Saving<'_>, known: &[u32], run: &Path, head: &mut Head) -> Result<Copied> {
    let Saving {
        background,
        bound,
        writing,
        ..
    } = saving;
    let (id, generation) = (bound.def.id, head.generation);
    let copied = write_parts(saving, known, run, head)?;
    if head.parts.contains(&generation) {
        writing.commit(background, &mut |view| {
            let index = view.state.catalog.vector_index(id);
            index.ok_or_else(|| bound.def.dropped_meanwhile())?;
            let mut batch = Batch::new();
            batch.put(Family::VectorSnapshot, &intent_key(id), INTENT);
            Ok(batch)
        })?;
        // A run is durable at once, and so must be what says that it may lie around.
        background.sync()?;
        background.ingest(Family::VectorSnapshot, run)?;
    }
    Ok(copied)
}

/// Writes the parts that have changed as a run, if there are any.
fn write_parts(saving: Saving<'_>, known: &[u32], run: &Path, head: &mut Head) -> Result<Copied> {
    let Saving {
        background,
        bound,
        live,
        writing,
    } = saving;
    let id = bound.def.id;
    let applying = bound.applying.lock();
    if !bound.answers_by(&live.index) {
        return Err(Error::Cancelled);
    }
    let mut snapshot = live.index.snapshot(&tag(background, id));
    let copied = Copied::now(bound, snapshot.latest());
    drop(applying);
    let mut run = background.store().new_run(Family::VectorSnapshot, run)?;
    let mut is_empty = true;
    let mut bytes = Vec::new();
    let refused = |source| bound.def.refused(source);
    for part in 0..snapshot.parts() {
        writing.check()?;
        match known.get(part as usize) {
            Some(generation) if !snapshot.is_changed(part) => head.parts.push(*generation),
            _ => {
                snapshot.part(part, &mut bytes).map_err(refused)?;
                run.put(&part_key(id, part, head.generation), &bytes)?;
                plant::step("a part of a vector index is written");
                is_empty = false;
                head.parts.push(head.generation);
            }
        }
    }
    snapshot.head(&mut head.index).map_err(refused)?;
    // From here on only `keeps_all` knows that it is not kept yet: who waits for the index's tender may have the
    // writer's place.
    snapshot.done();
    if !is_empty {
        run.finish()?;
    }
    Ok(copied)
}

/// The file of an index's vectors.
pub(super) fn rows_path(background: &Background, id: SchemaId) -> Option<PathBuf> {
    let layout = background.folder()?;
    Some(layout.vectors().join(format!("{}.rows", id.get())))
}

/// Where a run is written before it is taken in.
pub(super) fn run_path(background: &Background, id: SchemaId) -> Option<PathBuf> {
    let layout = background.folder()?;
    Some(layout.vectors().join(format!("{}.run", id.get())))
}

/// Whose snapshot it is: a part of another database, or of another index, is never taken.
pub(super) fn tag(background: &Background, id: SchemaId) -> Vec<u8> {
    let mut tag = background.id().as_bytes().to_vec();
    tag.extend_from_slice(&id.get().to_be_bytes());
    tag
}
