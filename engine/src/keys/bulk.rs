//! Bulk load: sorted entries that go to files of their own and are taken in whole.
//!
//! ```text
//! durable marker -> sorted runs in load/ -> ingest, family by family -> one last commit
//! ```
//! The last commit carries the sequence and removes the marker; only then do readers see anything.
//! A marker found at open means the load was cut short: every key of its runs is removed again, and
//! what it replaced is put back from runs that hold just that. So a load may touch any number of
//! stored keys with bounded memory; only what it deletes has to fit into the last commit.
//!
//! [`workspace`] makes the files; several threads may write runs at once.

mod workspace;

pub(crate) use workspace::{RunStream, Workspace};

use super::View;
use super::ground::Ground;
use super::only_writer::OnlyWriter;
use super::open_database::OpenDatabase;
use super::write::{check_key, check_value};
use crate::catalog::GraphState;
use crate::codec::{CommitSeq, DatabaseId};
use crate::error::{Error, Result};
use crate::storage::batch::Batch;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::files::mark::ManifestFloor;
use crate::storage::files::{Layout, folder_of, remove_dir, sync_dir};
use crate::storage::meta;
use crate::storage::queue::WriterPlace;
use crate::storage::range::KeyRange;
use crate::storage::store::{ScanOptions, Store};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use workspace::{Holds, RunFile, runs_in};

/// An undo removes keys in batches of about this size, so that its memory is bounded.
const UNDO_BATCH_BYTES: usize = 4 << 20;

/// A bulk load under way. Dropping it undoes what it has done.
///
/// ```
/// use stratigraph::storage::cancel::Watch;
/// use stratigraph::storage::family::Family;
/// use stratigraph::Database;
/// use stratigraph::keys::KeyRead;
///
/// let db = Database::in_memory()?;
/// let mut load = db.key_bulk_load()?;
/// for number in 0..1000_u64 {
///     load.put(Family::Nodes, &number.to_be_bytes(), b"record")?;
/// }
/// load.finish(&mut Watch::quiet())?;
/// assert!(db.key_read()?.contains(Family::Nodes, &999_u64.to_be_bytes())?);
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct KeyBulkLoad {
    /// Keeps every other writer out; past its limits already, since a load may take hours. It comes first, so that it
    /// is left before the database is let go: who lets go last closes it, and nobody can while a load is in it. By
    /// then `drop` has undone everything.
    _place: WriterPlace,
    database: Arc<dyn OpenDatabase>,
    ground: Arc<Ground>,
    base: Arc<View>,
    space: Arc<Workspace>,
    families: BTreeMap<Family, FamilyLoad>,
    /// What is being taken in, once that has begun.
    runs: Vec<RunFile>,
    ingesting: bool,
    finished: bool,
    /// Whose it is, if that one has to know who else writes: a load of a dump that declares a hierarchy.
    only: Option<Arc<OnlyWriter>>,
}

/// One family's part of a load.
struct FamilyLoad {
    stream: RunStream,
    entries: u64,
    last: Option<Vec<u8>>,
    /// The first stored key at or after the last one loaded: keys below it need no look.
    next_stored: NextStored,
}

enum NextStored {
    Unknown,
    Key(Vec<u8>),
    None,
}

impl KeyBulkLoad {
    pub(crate) fn begin(
        database: Arc<dyn OpenDatabase>,
        only: Option<Arc<OnlyWriter>>,
    ) -> Result<Self> {
        let ground = Arc::clone(database.ground());
        ground.ensure_writable()?;
        let place = ground.queue.enter()?;
        place.begin_load()?;
        let dir = match &ground.disk {
            Some(disk) => {
                // For good, before there is a marker: were an earlier load's folder back after a
                // loss of power, beside this load's marker, undoing would take what that one added.
                let dir = disk.layout.load();
                remove_dir(&dir)?;
                sync_dir(disk.layout.root())?;
                dir
            }
            None => PathBuf::from("load"),
        };
        let mut marker = Batch::new();
        meta::put_load_marker(&mut marker, 0);
        let base = ground.log.appended()?;
        if let Some(only) = &only {
            only.begins(&base);
        }
        let marked = ground.log.append(marker, Arc::clone(&base.state))?;
        if let Some(only) = &only {
            only.has_made(marked);
        }
        ground.log.acknowledge(marked)?;
        // Before any run is written: whoever finds a run must find the marker too.
        ground.log.sync()?;
        let load = Self {
            _place: place,
            database,
            base,
            space: Workspace::new(&ground, dir),
            ground,
            families: BTreeMap::new(),
            runs: Vec::new(),
            ingesting: false,
            finished: false,
            only,
        };
        if load.ground.disk.is_some() {
            let dir = load.space.dir();
            fs::create_dir(dir).map_err(|error| Error::io("create", dir, error))?;
        }
        Ok(load)
    }

    /// Adds an entry. Within each family keys must rise, and must not be stored yet.
    ///
    /// # Errors
    /// [`Error::BulkOrder`] and [`Error::BulkExists`], after which the load goes on without this
    /// entry; anything else ends it.
    pub fn put(&mut self, family: Family, key: &[u8], value: &[u8]) -> Result<()> {
        check_key(family, key)?;
        check_value(value)?;
        let space = &self.space;
        let load = self
            .families
            .entry(family)
            .or_insert_with(|| FamilyLoad::new(space, family));
        if load.last.as_deref().is_some_and(|last| key <= last) {
            return Err(Error::BulkOrder {
                family: family.name(),
                entry: load.entries,
            });
        }
        if load.is_stored(&self.base, family, key)? {
            return Err(Error::BulkExists {
                family: family.name(),
                entry: load.entries,
            });
        }
        load.stream.put(key, value)?;
        load.entries += 1;
        let last = load.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        Ok(())
    }

    /// What was stored when the load began.
    pub(crate) fn base(&self) -> &Arc<View> {
        &self.base
    }

    /// Where others write runs for this load, on any thread. Their streams must have ended before
    /// the load is finished or dropped.
    pub(crate) fn space(&self) -> &Arc<Workspace> {
        &self.space
    }

    /// How many entries were [`put`](Self::put).
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.families.values().map(|load| load.entries).sum()
    }

    /// Takes everything in, and returns when it is durable and readers see it.
    ///
    /// # Errors
    /// [`Error::Cancelled`] or what the store refuses; the load is undone then.
    pub fn finish(self, watch: &mut Watch<'_>) -> Result<CommitSeq> {
        let state = Arc::clone(&self.base.state);
        self.finish_with(Batch::new(), state, |_, _| {}, watch)
    }

    /// The database that is loaded.
    pub(crate) fn database(&self) -> &Arc<dyn OpenDatabase> {
        &self.database
    }

    /// Finishes with `last`, which becomes visible together with the runs: it may also remove what is
    /// stored, which runs cannot. `complete` adds what has to name the commit. From then on `state` is what the
    /// graph knows.
    pub(crate) fn finish_with(
        mut self,
        mut last: Batch,
        state: Arc<GraphState>,
        complete: impl FnOnce(CommitSeq, &mut Batch),
        watch: &mut Watch<'_>,
    ) -> Result<CommitSeq> {
        self.space.admit(last.bytes() as u64)?;
        for load in std::mem::take(&mut self.families).into_values() {
            load.stream.finish()?;
        }
        self.runs = self.space.finished_runs()?;
        // A family whose every entry was refused has no run.
        let mut families: Vec<Family> = self.runs.iter().map(|run| run.family).collect();
        families.sort_unstable();
        families.dedup();
        let steps = families.len() as u64;
        self.announce_ingest()?;
        let ground = Arc::clone(&self.ground);
        let list = ground.file_list.lock();
        for (done, family) in families.into_iter().enumerate() {
            watch.step("take in the sorted runs", done as u64, steps)?;
            let runs = self.runs.iter();
            let runs = runs.filter(|run| run.family == family && run.holds == Holds::Loaded);
            let runs: Vec<PathBuf> = runs.map(|run| run.path.clone()).collect();
            self.ground.store.ingest(family, &runs)?;
        }
        watch.step("take in the sorted runs", steps, steps)?;
        meta::clear_load_marker(&mut last);
        let before = self.ground.log.appended()?.commit;
        complete(before.next().unwrap_or(before), &mut last);
        self.space.admit(last.bytes() as u64)?;
        if let Some(disk) = &self.ground.disk {
            // No log holds what was ingested, so the mark must vouch for the manifest that lists it.
            self.ground
                .log
                .rely_on_manifest(ManifestFloor::synced(&disk.layout.store())?)?;
        }
        let commit = self.append(last, state)?;
        drop(list);
        self.finished = true;
        self.ground.log.acknowledge(commit)?;
        if self.ground.disk.is_some() {
            self.ground.log.sync()?;
            self.clear_away();
        }
        Ok(commit)
    }

    /// Says durably that runs are being taken in, and how many: whoever undoes that needs them all.
    fn announce_ingest(&mut self) -> Result<()> {
        if self.ground.disk.is_some() {
            let dir = self.space.dir();
            sync_dir(dir)?;
            sync_dir(folder_of(dir))?;
        }
        let mut marker = Batch::new();
        meta::put_load_marker(&mut marker, self.runs.len() as u64);
        self.append(marker, Arc::clone(&self.base.state))?;
        self.ground.log.sync()?;
        self.ingesting = true;
        Ok(())
    }

    /// Appends a commit of the load.
    fn append(&self, batch: Batch, state: Arc<GraphState>) -> Result<CommitSeq> {
        let commit = self.ground.log.append(batch, state)?;
        if let Some(only) = &self.only {
            only.has_made(commit);
        }
        Ok(commit)
    }

    fn undo(&mut self) -> Result<()> {
        let (log, store) = (&self.ground.log, &self.ground.store);
        if self.ingesting {
            // Past the commit log, which would publish what is half undone.
            let at = log.appended()?.commit;
            let append = &mut |mut batch: Batch| {
                meta::put_sequence(&mut batch, self.ground.id, at);
                store.append(&batch)
            };
            put_back(&**store, &self.runs, append)?;
        }
        let mut last = Batch::new();
        meta::clear_load_marker(&mut last);
        let commit = self.append(last, Arc::clone(&self.base.state))?;
        log.acknowledge(commit)?;
        if self.ground.disk.is_some() {
            log.sync()?;
            self.clear_away();
        }
        Ok(())
    }

    /// Removes the runs. What stays is in nobody's way: the next load or open removes it.
    fn clear_away(&self) {
        if let Err(error) = remove_dir(self.space.dir()) {
            tracing::warn!(%error, "the runs of a bulk load are still there");
        }
    }
}

impl Drop for KeyBulkLoad {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // Unfinished runs must be closed before they can be read.
        self.families.clear();
        if let Err(error) = self.undo() {
            // Half of a load may be in the store: nobody may publish that. The next open undoes it.
            self.ground.log.stop_writing(&error);
        }
    }
}

impl FamilyLoad {
    fn new(space: &Arc<Workspace>, family: Family) -> Self {
        Self {
            stream: space.stream(family),
            entries: 0,
            last: None,
            next_stored: NextStored::Unknown,
        }
    }

    fn is_stored(&mut self, base: &View, family: Family, key: &[u8]) -> Result<bool> {
        let known = match &self.next_stored {
            NextStored::Unknown => false,
            NextStored::Key(next) => key <= next.as_slice(),
            NextStored::None => true,
        };
        if !known {
            let mut cursor =
                base.snapshot
                    .cursor(family, &KeyRange::starting_at(key), ScanOptions::default());
            self.next_stored = cursor.next()?.map_or(NextStored::None, |entry| {
                NextStored::Key(entry.key.to_vec())
            });
        }
        Ok(matches!(&self.next_stored, NextStored::Key(next) if next == key))
    }
}

/// Undoes a load that a crash has cut short; returns the commit that the store is at then.
pub(crate) fn undo_unfinished(
    layout: &Layout,
    store: &dyn Store,
    id: DatabaseId,
    recovered: CommitSeq,
) -> Result<CommitSeq> {
    let dir = layout.load();
    let Some(taken_in) = meta::unfinished_load(&*store.snapshot())? else {
        // A load that was finished, or undone, may have left its folder.
        remove_dir(&dir)?;
        return Ok(recovered);
    };
    tracing::warn!("a bulk load was cut short: undoing it");
    if taken_in > 0 {
        let runs = runs_in(&dir)?;
        if (runs.len() as u64) < taken_in {
            let what = format_args!(
                "an unfinished bulk load cannot be undone: {} of {taken_in} runs are there",
                runs.len()
            );
            return Err(Error::corruption(&dir, what));
        }
        let append = &mut |mut batch: Batch| {
            meta::put_sequence(&mut batch, id, recovered);
            store.append(&batch)
        };
        put_back(store, &runs, append)?;
    }
    let commit = recovered.next().unwrap_or(recovered);
    let mut last = Batch::new();
    meta::clear_load_marker(&mut last);
    meta::put_sequence(&mut last, id, commit);
    store.append(&last)?;
    store.sync_log()?;
    remove_dir(&dir)?;
    Ok(commit)
}

/// Removes every key of the runs and then puts back what they replaced, in portions. Done twice, it
/// comes to the same.
fn put_back(
    store: &dyn Store,
    runs: &[RunFile],
    append: &mut dyn FnMut(Batch) -> Result<()>,
) -> Result<()> {
    for holds in [Holds::Loaded, Holds::Before] {
        for run in runs.iter().filter(|run| run.holds == holds) {
            let mut batch = Batch::new();
            store.read_run(run.family, &run.path, &mut |entry| {
                match holds {
                    Holds::Loaded => batch.delete(run.family, entry.key),
                    Holds::Before => batch.put(run.family, entry.key, entry.value),
                }
                if batch.bytes() >= UNDO_BATCH_BYTES {
                    append(std::mem::take(&mut batch))?;
                }
                Ok(())
            })?;
            append(batch)?;
        }
    }
    Ok(())
}
