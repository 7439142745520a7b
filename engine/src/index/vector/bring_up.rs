//! Making an index ready: from its snapshot, or from the vectors themselves, and then from the journal up to now.

use super::bound::{Bound, Live, State, VectorSettings};
use super::truth::{Truth, each};
use super::{journal, leftovers, loaded, saved};
use crate::catalog::{Counter, GraphState, Scope, VectorIndexDef};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::graph::view::View;
use crate::keys::{self, Background, KeyRead, StoredKeys};
use crate::storage::cancel::CancelToken;
use crate::storage::plant;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use stratigraph_vector::{Index, IndexError, Rerank, Settings};

/// With no more than so many ids left in the journal, writers are held up for the rest.
const FEW: usize = 2_000;
/// Progress is told, and a wish to stop looked for, once for so many.
const PORTION: usize = 256;

/// Loads an index that was kept and brings it up to now. Returns whether there was one.
///
/// # Errors
/// What is wrong with the snapshot: the index has to be made then.
pub(super) fn load(
    background: &Background,
    settings: VectorSettings,
    bound: &Bound,
) -> Result<bool> {
    let view = background.published();
    let def = &bound.def;
    if !background.is_read_only() {
        leftovers::remove_unfinished(background, def.id)?;
    }
    let rows = saved::rows_path(background, def.id);
    let length = rows.as_ref().and_then(|rows| fs::metadata(rows).ok());
    let length = length.map_or(0, |file| file.len());
    let threads = settings.threads;
    let settings = index_settings(background, settings, def, &view)?;
    let Some(index) = loaded::load(background, def, &view, settings, threads)? else {
        return Ok(false);
    };
    bound.keeps_all.store(false, Ordering::Release);
    let rows = if length < index.rows_bytes() {
        Rows::Missing
    } else {
        Rows::There
    };
    let at = CommitSeq::new(index.latest());
    resume(
        background,
        bound,
        &Arc::new(index),
        at,
        rows,
        &CancelToken::new(),
    )?;
    Ok(true)
}

/// Makes an index of what is stored.
pub(super) fn make(
    background: &Background,
    settings: VectorSettings,
    bound: &Bound,
    stop: &CancelToken,
) -> Result<()> {
    let view = if background.is_read_only() {
        background.published()
    } else {
        // Not an earlier one: what a snapshot that is being made has may be cut from the journal meanwhile.
        let (place, view) = background.enter(stop)?;
        drop(place);
        background.acknowledge(view.commit)?;
        view
    };
    let def = &bound.def;
    if let (false, Some(rows)) = (
        background.is_read_only(),
        saved::rows_path(background, def.id),
    ) {
        // Searches that are under way may still read those of the index before.
        leftovers::remove_if_there(&rows);
    }
    let index = index_settings(background, settings, def, &view)?;
    let index = index.build().map_err(|source| def.refused(source))?;
    let stored = StoredKeys::new(Arc::clone(&view));
    let graph = graph_view(&stored, &view);
    let total = most(&graph, def.scope)?;
    let mut done = 0_usize;
    each(&graph, def, |id, vector| {
        if done.is_multiple_of(PORTION) {
            stop.check()?;
            plant::step("a vector index is being made");
            bound.set(State::Building {
                done: done as u64,
                total,
            });
        }
        done += 1;
        let inserted = index.insert(view.commit.get(), id, vector);
        inserted.map_err(|source| Error::VectorRefused {
            index: Arc::clone(&def.name),
            entity: def.scope.entity(id),
            source: Box::new(source),
        })
    })?;
    plant::step("a vector index has all vectors");
    index.tend(view.commit.get());
    plant::step("a vector index is linked");
    bound.keeps_all.store(true, Ordering::Release);
    resume(
        background,
        bound,
        &Arc::new(index),
        view.commit,
        Rows::There,
        stop,
    )
}

/// Whether the file of an index's vectors is as it should be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    There,
    /// Some are lost, and have to be put back.
    Missing,
}

fn mend_rows(index: &Index, def: &VectorIndexDef, view: &Arc<keys::View>) -> Result<()> {
    let stored = StoredKeys::new(Arc::clone(view));
    let graph = graph_view(&stored, view);
    let truth = Truth::new(&graph, def, usize::MAX)?;
    let mended = index.mend(|id| truth.vector_of(id).map_err(Refusal::Engine));
    let mended = mended.map_err(|refusal| match refusal {
        Refusal::Engine(error) => error,
        Refusal::Index(source) => def.refused(source),
    })?;
    tracing::warn!(
        index = &*def.name,
        mended,
        "vectors were put back into their file"
    );
    Ok(())
}

/// What may go wrong while rows are mended.
enum Refusal {
    Engine(Error),
    Index(IndexError),
}

impl From<IndexError> for Refusal {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

/// Brings an index that has everything up to a commit to the present, and lets it answer.
pub(super) fn resume(
    background: &Background,
    bound: &Bound,
    index: &Arc<Index>,
    mut at: CommitSeq,
    rows: Rows,
    stop: &CancelToken,
) -> Result<()> {
    let def = &bound.def;
    if background.is_read_only() {
        let view = background.published();
        catch_up(bound, index, &view, at, stop)?;
        let live = Live::new(Arc::clone(index), view.commit, None);
        bound.set(State::Ready(Arc::new(live)));
        return Ok(());
    }
    // Most of it without holding anybody up. Commits do not touch the index while it does not answer.
    loop {
        stop.check()?;
        let view = background.published();
        let left = catch_up(bound, index, &view, at, stop)?;
        plant::step("a vector index has caught up in part");
        at = at.max(view.commit);
        if left < FEW {
            if rows == Rows::Missing {
                mend_rows(index, def, &view)?;
            }
            break;
        }
    }
    let (place, view) = background.enter(stop)?;
    if view.state.catalog.vector_index(def.id).is_none() {
        return Err(def.dropped_meanwhile());
    }
    if bound.is_spoilt(index) {
        return Err(Error::bug("a vector index has missed a commit"));
    }
    catch_up(bound, index, &view, at, stop)?;
    plant::step("a vector index has caught up");
    let oldest = background.clone();
    let tender = index
        .tend_in_background(move || oldest.oldest().get())
        .map_err(|error| Error::io("start a thread for", &*def.name, error))?;
    let count = journal::count(&StoredKeys::new(Arc::clone(&view)), def.id)?;
    bound.journaled.store(count, Ordering::Relaxed);
    // Whoever waits for the index reads at a commit that it answers.
    background.acknowledge(view.commit)?;
    // What it has missed has come to it at once, and not commit by commit: who reads before cannot use it.
    let live = Live::new(Arc::clone(index), view.commit, Some(tender));
    bound.set(State::Ready(Arc::new(live)));
    plant::step("a vector index answers");
    drop(place);
    Ok(())
}

/// Brings an index from one commit to that of a view. Returns how many ids there were to look at.
fn catch_up(
    bound: &Bound,
    index: &Index,
    view: &Arc<keys::View>,
    at: CommitSeq,
    stop: &CancelToken,
) -> Result<usize> {
    let def = &bound.def;
    let stored = StoredKeys::new(Arc::clone(view));
    let graph = graph_view(&stored, view);
    let ids = journal::touched_after(&stored, def.id, at)?;
    let truth = Truth::new(&graph, def, ids.len())?;
    // No snapshot may have half of it.
    let _applying = bound.applying.lock();
    for (done, id) in ids.iter().enumerate() {
        if done.is_multiple_of(PORTION) {
            stop.check()?;
        }
        let commit = view.commit.get();
        let changed = match truth.vector_of(*id)? {
            // Searches scan them until they are linked, which is better than to answer by all vectors until then.
            Some(vector) => index.insert_unlinked(commit, *id, &vector),
            None => index.remove(commit, *id).map(drop),
        };
        changed.map_err(|source| def.refused(source))?;
    }
    Ok(ids.len())
}

/// How many vectors there may be at most.
fn most<K: KeyRead>(view: &View<'_, K>, scope: Scope) -> Result<u64> {
    view.count(match scope {
        Scope::Label(label) => Counter::Label(label),
        Scope::Type(of) => Counter::Type(of),
        Scope::AnyNode => Counter::Nodes,
        Scope::AnyRelationship => Counter::Relationships,
    })
}

fn index_settings(
    background: &Background,
    settings: VectorSettings,
    def: &VectorIndexDef,
    view: &Arc<keys::View>,
) -> Result<Settings> {
    let rerank = match saved::rows_path(background, def.id) {
        // Nobody writes, and so the stored vectors are the rows.
        Some(_) if background.is_read_only() => {
            Rerank::Custom(Arc::new(super::stored_rows::StoredRows::new(view, def)))
        }
        Some(rows) => {
            let folder = rows.parent().unwrap_or(&rows).to_path_buf();
            fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
            Rerank::File(rows)
        }
        None => Rerank::Memory,
    };
    let bytes = usize::try_from(settings.memory_bytes).unwrap_or(usize::MAX);
    Ok(Settings::new(def.dimensions as usize, def.metric)
        .coding(def.coding)
        .links(def.links as usize)
        .breadth(def.breadth as usize)
        .memory_limit(bytes)
        .threads(settings.threads)
        .rerank(rerank))
}

fn graph_view<'a>(stored: &'a StoredKeys, view: &'a keys::View) -> View<'a, StoredKeys> {
    let state: &GraphState = &view.state;
    View {
        keys: stored,
        state,
        pending: None,
    }
}
