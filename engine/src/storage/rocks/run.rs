//! Sorted runs: the files of a bulk load, written beside the store and then ingested whole.

use super::options::{self, StoreSettings};
use super::refusal::refused;
use crate::error::{Error, Result};
use crate::storage::family::{FAMILIES, Family};
use crate::storage::files::remove_dir;
use crate::storage::store::{Entry, RunWriter};
use rocksdb::{Cache, DB, IngestExternalFileOptions, Options, SstFileWriter};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Options of each family's runs: the writer borrows them for as long as it lives.
static RUN_OPTIONS: LazyLock<Vec<Options>> = LazyLock::new(|| {
    let settings = StoreSettings::default();
    let cache = Cache::new_lru_cache(1 << 20);
    FAMILIES
        .iter()
        .map(|spec| options::family(spec, &cache, &settings))
        .collect()
});

/// A sorted file being written.
pub(super) struct SstRun {
    writer: SstFileWriter<'static>,
    family: Family,
    path: PathBuf,
    last: Option<Vec<u8>>,
    entries: u64,
}

impl SstRun {
    pub(super) fn create(family: Family, path: &Path) -> Result<Self> {
        let writer = SstFileWriter::create(&RUN_OPTIONS[family.index()]);
        writer
            .open(path)
            .map_err(|error| refused("create", path, &error))?;
        Ok(Self {
            writer,
            family,
            path: path.to_path_buf(),
            last: None,
            entries: 0,
        })
    }
}

impl RunWriter for SstRun {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        if self.last.as_deref().is_some_and(|last| key <= last) {
            return Err(Error::BulkOrder {
                family: self.family.name(),
                entry: self.entries,
            });
        }
        self.writer
            .put(key, value)
            .map_err(|error| refused("write", &self.path, &error))?;
        let last = self.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        self.entries += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        // RocksDB syncs the file before it says it is finished.
        self.writer
            .finish()
            .map_err(|error| refused("finish", &self.path, &error))?;
        Ok(self.writer.file_size())
    }
}

/// Second names for the runs, for RocksDB to take: the runs keep their own names for an undo.
pub(super) fn link_for_ingest(runs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let link = |run: &PathBuf| {
        let link = run.with_extension("ingest");
        match fs::remove_file(&link) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("replace", link, error));
            }
            _ => {}
        }
        fs::hard_link(run, &link).map_err(|error| Error::io("link", &link, error))?;
        Ok(link)
    };
    runs.iter().map(link).collect()
}

/// Calls `visit` with every pair of a run.
///
/// A sorted file can only be read by a database that holds it, so a small one is made for that.
pub(super) fn read(
    family: Family,
    run: &Path,
    visit: &mut dyn FnMut(Entry<'_>) -> Result<()>,
) -> Result<()> {
    let reader = run.with_extension("reading");
    remove_dir(&reader)?;
    let mut database = Options::default();
    database.create_if_missing(true);
    options::quiet_files(&mut database);
    // Same table format as the run, and no filters to build.
    let db = DB::open(&database, &reader).map_err(|error| refused("open", &reader, &error))?;
    let mut ingest = IngestExternalFileOptions::default();
    ingest.set_move_files(true);
    let links = link_for_ingest(&[run.to_path_buf()])?;
    db.ingest_external_file_opts(&ingest, links)
        .map_err(|error| refused("read", run, &error))?;
    let mut iterator = db.raw_iterator();
    iterator.seek_to_first();
    while let Some((key, value)) = iterator.item() {
        visit(Entry { key, value })?;
        iterator.next();
    }
    iterator
        .status()
        .map_err(|error| refused("read", run, &error))?;
    drop(iterator);
    drop(db);
    tracing::debug!(family = family.name(), run = %run.display(), "read a run");
    remove_dir(&reader)
}
