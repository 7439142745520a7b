//! Reading the last snapshot of a vector index, by as many threads as link.

use super::head::{HEAD, Head, damaged, part_key};
use super::saved::tag;
use crate::catalog::VectorIndexDef;
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::keys::{Background, View};
use crate::storage::family::Family;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::Builder;
use stratigraph_vector::{Index, IndexError, Loading, Settings};

/// Reads the last snapshot, if there is one.
pub(super) fn load(
    background: &Background,
    def: &VectorIndexDef,
    view: &View,
    settings: Settings,
    threads: usize,
) -> Result<Option<Index>> {
    let Some(head) = Head::read(&*view.snapshot, def.id)? else {
        return Ok(None);
    };
    let refused = |source| def.refused(source);
    let tag = tag(background, def.id);
    let loading = Loading::new(settings, &tag, &head.index).map_err(refused)?;
    if loading.parts() as usize != head.parts.len() {
        return Err(damaged(CodecError::NotCanonical { what: HEAD, at: 1 }));
    }
    let load_part = |part: u32, generation: u32| -> Result<()> {
        let mut outcome = None;
        let key = part_key(def.id, part, generation);
        view.snapshot
            .get(Family::VectorSnapshot, &key, &mut |bytes| {
                outcome = Some(loading.part(part, bytes));
            })?;
        let missing = IndexError::Damaged {
            what: "a part is not there",
        };
        outcome.unwrap_or(Err(missing)).map_err(refused)
    };
    // Each thread takes the next part, until there is none or one has failed.
    let next = AtomicU32::new(0);
    let work = || -> Result<()> {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            let Some(generation) = head.parts.get(part as usize) else {
                return Ok(());
            };
            load_part(part, *generation)
                .inspect_err(|_| next.store(u32::MAX / 2, Ordering::Relaxed))?;
        }
    };
    std::thread::scope(|scope| {
        // With a thread refused, the others do its share.
        let start = |_| Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let outcome = work();
        let others = others.into_iter().map(|other| {
            let panicked = |_| Error::bug("a thread that loads a vector index panicked");
            other.join().map_err(panicked)?
        });
        others.fold(outcome, Result::and)
    })?;
    let index = loading.finish().map_err(refused)?;
    // The journal would have nothing for it.
    if index.latest() > view.commit.get() {
        let what = "it has what was never committed";
        return Err(refused(IndexError::Damaged { what }));
    }
    Ok(Some(index))
}
