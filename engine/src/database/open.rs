//! From a folder to an open database, step by step; the order is what makes it safe.
//!
//! ```text
//! lock -> header -> mark -> look (read-only) -> compare -> recover -> compare again
//!      -> migrate -> undo an unfinished load -> mark -> publish
//! ```
//! Until "recover" nothing is written, so a database that is refused is left as it was found.

use super::look::Promise;
use super::settings::Settings;
use super::texts::TextMerger;
use super::{Database, Inner, migrate};
use crate::algo::snapshot::ProjectionCache;
use crate::catalog::GraphState;
use crate::codec::{CommitSeq, DatabaseId};
use crate::error::{Error, Result};
use crate::index::Jobs;
use crate::index::property::ValueSets;
use crate::index::text::TextCache;
use crate::index::vector::VectorIndexes;
use crate::keys::{Background, Disk, Ground, View, undo_unfinished};
use crate::query::PlanCache;
use crate::storage::batch::Batch;
use crate::storage::commit::{CommitLog, Durability, MarkWriter};
use crate::storage::files::header::{CURRENT_FORMAT, Header};
use crate::storage::files::lock::FolderLock;
use crate::storage::files::mark::{ManifestFloor, Mark, MarkFile};
use crate::storage::files::reserve::{self, DiskGuard};
use crate::storage::files::{Layout, mark, remove_dir, sync_dir};
use crate::storage::memory::MemoryStore;
use crate::storage::meta;
use crate::storage::queue::WriterQueue;
use crate::storage::rocks::RocksStore;
use crate::storage::store::Store;
use parking_lot::Mutex;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Opens for reading and writing.
pub(super) fn for_writing(root: &Path, settings: &Settings) -> Result<Database> {
    let layout = Layout::new(root);
    let (header, lock) = take_or_create(&layout, settings)?;
    let reading = mark::read(&layout, header.id)?;
    let promise = Promise {
        layout: &layout,
        header: &header,
        mark: &reading.mark,
        accept_data_loss: settings.accept_data_loss,
    };
    let looked = promise.look()?;
    // Not before: what is refused stays as it was found, to the byte.
    lock.say_who();
    let store = recover(&layout, settings)?;
    let recovered = promise.compare(&*store.snapshot())?;
    if recovered != looked {
        let what =
            format_args!("recovery ended at commit {recovered}, after a look had seen {looked}");
        return Err(Error::corruption(layout.store(), what));
    }
    // What a process that was killed during a backup has left would hold on to disk space.
    remove_dir(&layout.checkpoint())?;
    migrate::to_current(&layout, &header, &store, migrate::STEPS)?;
    let start = undo_unfinished(&layout, &store, header.id, recovered)?;
    // What recovery found is in synced files by now, so readers may see it once the mark says so.
    let manifest = ManifestFloor::synced(&layout.store())?;
    let mut mark = MarkWriter {
        file: MarkFile::open(&layout, reading.turn)?,
        id: header.id,
        manifest,
        commit: start,
    };
    mark.write(start)?;
    // What is in memory once in a sorted file, up to twice in the log until that is done, and room
    // to merge meanwhile: a flush that finds none stops RocksDB, and deleting with it.
    let headroom = (settings.store.write_buffer_bytes as u64).saturating_mul(4);
    let guard = Some(DiskGuard::new(
        &layout,
        settings.disk_reserve_bytes,
        headroom,
    )?);
    let disk = Disk {
        layout,
        guard,
        lock,
    };
    assemble(
        Arc::new(store),
        settings,
        header.id,
        Some(mark),
        start,
        Some(disk),
        false,
    )
}

/// Opens without writing a byte.
pub(super) fn for_reading(root: &Path, settings: &Settings) -> Result<Database> {
    let layout = Layout::new(root);
    let header = match Header::read(&layout)? {
        Some(header) if header.ready => header,
        other => return Err(nothing_at(&layout, other)),
    };
    let lock = FolderLock::shared(&layout)?;
    if header.format < CURRENT_FORMAT {
        let path = root.to_path_buf();
        return Err(Error::MigrationNeeded {
            path,
            found: header.format,
            current: CURRENT_FORMAT,
        });
    }
    let reading = mark::read(&layout, header.id)?;
    reading.mark.manifest.check(&layout.store())?;
    let promise = Promise {
        layout: &layout,
        header: &header,
        mark: &reading.mark,
        accept_data_loss: settings.accept_data_loss,
    };
    promise.check_logs()?;
    let needs_writing = |why| Error::RecoveryNeeded {
        path: root.to_path_buf(),
        why,
    };
    let store = match RocksStore::open_read_only(&layout.store(), &settings.store) {
        Err(Error::Corruption { .. }) if promise.torn_manifest()?.is_some() => {
            return Err(needs_writing(
                "the end of RocksDB's manifest is torn, as a loss of power leaves it",
            ));
        }
        opened => opened?,
    };
    let snapshot = store.snapshot();
    let recovered = promise.compare(&*snapshot)?;
    if meta::unfinished_load(&*snapshot)?.is_some() {
        return Err(needs_writing(
            "a bulk load was cut short, and has to be undone",
        ));
    }
    drop(snapshot);
    let disk = Disk {
        layout,
        guard: None,
        lock,
    };
    assemble(
        Arc::new(store),
        settings,
        header.id,
        None,
        recovered,
        Some(disk),
        true,
    )
}

/// A database in memory. It has an id too, so that nothing above sees a difference.
pub(super) fn in_memory(settings: &Settings) -> Result<Database> {
    let store = MemoryStore::new();
    let id = new_id(Path::new("memory"))?;
    write_identity(&store, id)?;
    assemble(
        Arc::new(store),
        settings,
        id,
        None,
        CommitSeq::ZERO,
        None,
        false,
    )
}

/// Locks the folder and reads whose it is, or makes a new database of it.
fn take_or_create(layout: &Layout, settings: &Settings) -> Result<(Header, FolderLock)> {
    let header = Header::read(layout)?;
    if header.is_none() {
        refuse_other_contents(layout)?;
    }
    match header {
        Some(Header { ready: true, .. }) => {}
        _ if settings.create_if_missing => {
            fs::create_dir_all(layout.root())
                .map_err(|error| Error::io("create", layout.root(), error))?;
        }
        _ => return Err(nothing_at(layout, header)),
    }
    let lock = FolderLock::exclusive(layout)?;
    // Read again: somebody else may have made the database before we had the lock.
    match Header::read(layout)? {
        Some(header) if header.ready => Ok((header, lock)),
        _ => Ok((create(layout, settings)?, lock)),
    }
}

/// Makes a new database. The header says last that it is ready: a crash before that leaves a folder
/// in which nothing was ever stored, and the next creation starts over.
fn create(layout: &Layout, settings: &Settings) -> Result<Header> {
    let id = new_id(layout.root())?;
    let mut header = Header {
        id,
        format: CURRENT_FORMAT,
        ready: false,
    };
    header.write(layout)?;
    remove_dir(&layout.store())?;
    let store = RocksStore::open(&layout.store(), &settings.store)?;
    write_identity(&store, id)?;
    store.flush()?;
    drop(store);
    let manifest = ManifestFloor::synced(&layout.store())?;
    MarkFile::create(
        layout,
        &Mark {
            id,
            commit: CommitSeq::ZERO,
            manifest,
        },
    )?;
    sync_dir(&layout.store())?;
    header.ready = true;
    header.write(layout)?;
    if let Some(parent) = layout
        .root()
        .canonicalize()
        .ok()
        .as_deref()
        .and_then(Path::parent)
    {
        sync_dir(parent)?;
    }
    Ok(header)
}

fn write_identity(store: &dyn Store, id: DatabaseId) -> Result<()> {
    let mut batch = Batch::new();
    meta::put_identity(&mut batch, id);
    meta::put_sequence(&mut batch, id, CommitSeq::ZERO);
    store.append(&batch)?;
    store.sync_log()
}

/// Opens the store for good. On a full disk recovery needs the reserve.
fn recover(layout: &Layout, settings: &Settings) -> Result<RocksStore> {
    match RocksStore::open(&layout.store(), &settings.store) {
        Err(error @ Error::Io { .. })
            if error.to_string().contains("No space left") && layout.reserve().exists() =>
        {
            tracing::warn!(%error, "opening failed: trying again without the reserve");
            reserve::release(layout)?;
            RocksStore::open(&layout.store(), &settings.store)
        }
        opened => opened,
    }
}

fn assemble(
    store: Arc<dyn Store>,
    settings: &Settings,
    id: DatabaseId,
    mark: Option<MarkWriter>,
    start: CommitSeq,
    disk: Option<Disk>,
    read_only: bool,
) -> Result<Database> {
    let clock = Arc::clone(&settings.clock);
    let queue = WriterQueue::new(Arc::clone(&clock), settings.limits);
    let durability = settings.durability;
    let snapshot = store.snapshot();
    let state = Arc::new(GraphState::load(&*snapshot)?);
    let catalog = Arc::clone(&state.catalog);
    let log = Arc::new(CommitLog::new(
        id,
        Arc::clone(&store),
        clock,
        durability,
        mark,
        Arc::new(View {
            commit: start,
            written: start,
            snapshot,
            state,
        }),
    ));
    let syncer = match durability {
        Durability::Periodic(interval) if !read_only => {
            let log = Arc::clone(&log);
            let thread = std::thread::Builder::new().name("stratigraph-sync".into());
            let spawned = thread.spawn(move || log.sync_periodically(interval));
            Some(
                spawned
                    .map_err(|error| Error::io("start a thread for", "the log's sync", error))?,
            )
        }
        _ => None,
    };
    let syncer = Mutex::new(syncer);
    let projections = ProjectionCache::new(settings.projection_cache_bytes);
    let texts = TextCache::new(settings.text_cache_bytes);
    let ground = Arc::new(Ground {
        store,
        log,
        queue,
        id,
        transaction_bytes: settings.transaction_bytes,
        read_only,
        closed: AtomicBool::new(false),
        file_list: Mutex::new(()),
        disk,
    });
    let background = Background::new(&ground);
    let jobs = Arc::new(Jobs::default());
    let text_merger = TextMerger::new(background.clone(), Arc::clone(&jobs));
    let vectors = VectorIndexes::open(background, settings.vectors, Arc::clone(&jobs), &catalog)?;
    Ok(Database {
        inner: Arc::new(Inner {
            ground,
            projections,
            procedures: parking_lot::RwLock::default(),
            plans: PlanCache::default(),
            vectors,
            texts,
            value_sets: ValueSets::default(),
            text_merger,
            jobs,
            builds: super::schema::Builds::default(),
            syncer,
            backing_up: Mutex::new(()),
        }),
        only: None,
    })
}

fn new_id(path: &Path) -> Result<DatabaseId> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::io("draw an id for", path, std::io::Error::other(error)))?;
    Ok(DatabaseId::from_bytes(bytes))
}

/// Why there is no database: a header that is not ready yet means that none was ever finished.
fn nothing_at(layout: &Layout, unfinished: Option<Header>) -> Error {
    match (unfinished, refuse_other_contents(layout)) {
        (None, Err(error)) => error,
        _ => Error::NotFound {
            path: layout.root().to_path_buf(),
        },
    }
}

/// A folder without a header must hold nothing else than what a cut-short creation may leave.
fn refuse_other_contents(layout: &Layout) -> Result<()> {
    let path = layout.root().to_path_buf();
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(Error::NotADatabase {
                path,
                reason: "it is a file, not a folder",
            });
        }
        other => other.map_err(|error| Error::io("read", &path, error))?,
    };
    let ours = [layout.lock(), layout.header().with_extension("new")];
    let mut others = entries
        .flatten()
        .filter(|entry| !ours.contains(&entry.path()))
        .peekable();
    if others.peek().is_none() {
        return Ok(());
    }
    let parts = [layout.mark(), layout.store()];
    if others.any(|entry| parts.contains(&entry.path())) {
        return Err(Error::corruption(
            layout.header(),
            "the header is missing, while the rest of a database is there",
        ));
    }
    Err(Error::NotADatabase {
        path,
        reason: "the folder is not empty and has no file STRATIGRAPH",
    })
}
