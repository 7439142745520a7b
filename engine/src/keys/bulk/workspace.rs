//! Where the files of a load are made: sorted runs, what they replace, and files to put things aside.
//!
//! ```text
//! load/4-000000.sst      a run of family 4
//! load/4-000001.before   what the run replaced, as it was
//! load/scratch-000000    whatever its maker likes; nothing of it matters after the load
//! ```
//! Everybody who works for one load shares one [`Workspace`], on any thread. A run that was started
//! must be finished before the load is: nobody may take in half a run.

use crate::error::{Error, Result};
use crate::keys::Ground;
use crate::storage::family::Family;
use crate::storage::store::RunWriter;
use parking_lot::Mutex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A run is closed at about this size, so that no single file grows without bound.
const RUN_BYTES: usize = 256 << 20;
/// Free space on the disk is looked at once for so many bytes.
const GUARD_BYTES: usize = 16 << 20;

/// The files of one load.
pub(crate) struct Workspace {
    ground: Arc<Ground>,
    dir: PathBuf,
    runs: Mutex<Vec<Run>>,
    scratches: AtomicU64,
}

/// A run, and whether it can be read yet.
struct Run {
    file: RunFile,
    is_finished: bool,
}

/// A run by what it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunFile {
    pub(super) holds: Holds,
    pub(super) family: Family,
    pub(super) path: PathBuf,
}

/// What is in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    /// What the load adds, and the new values of what it replaces.
    Loaded,
    /// The old values of what the load replaces.
    Before,
}

impl Holds {
    fn extension(self) -> &'static str {
        match self {
            Self::Loaded => "sst",
            Self::Before => "before",
        }
    }
}

impl Workspace {
    pub(super) fn new(ground: &Arc<Ground>, dir: PathBuf) -> Arc<Self> {
        Arc::new(Self {
            ground: Arc::clone(ground),
            dir,
            runs: Mutex::default(),
            scratches: AtomicU64::new(0),
        })
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Starts a stream of runs. Streams of one family must not overlap.
    pub(crate) fn stream(self: &Arc<Self>, family: Family) -> RunStream {
        RunStream {
            space: Arc::clone(self),
            family,
            loaded: None,
            before: None,
            unguarded_bytes: 0,
        }
    }

    /// A name for a file of the load's own; `None` in memory, where there are no files.
    pub(crate) fn scratch(&self) -> Option<PathBuf> {
        self.ground.disk.as_ref()?;
        let number = self.scratches.fetch_add(1, Ordering::Relaxed);
        Some(self.dir.join(format!("scratch-{number:06}")))
    }

    /// Whether the disk has room for so many bytes more.
    ///
    /// # Errors
    /// [`Error::DiskFull`].
    pub(crate) fn admit(&self, bytes: u64) -> Result<()> {
        self.ground.admit(bytes, false)
    }

    /// Every run, all of which must be finished.
    pub(super) fn finished_runs(&self) -> Result<Vec<RunFile>> {
        let runs = self.runs.lock();
        if runs.iter().any(|run| !run.is_finished) {
            return Err(Error::bug("a run of a bulk load was not finished"));
        }
        Ok(runs.iter().map(|run| run.file.clone()).collect())
    }

    fn start(&self, family: Family, holds: Holds) -> Result<OpenRun> {
        let mut runs = self.runs.lock();
        let number = runs.len();
        let name = format!("{}-{number:06}.{}", family.index(), holds.extension());
        let path = self.dir.join(name);
        let writer = self.ground.store.new_run(family, &path)?;
        runs.push(Run {
            file: RunFile {
                holds,
                family,
                path,
            },
            is_finished: false,
        });
        Ok(OpenRun {
            writer,
            number,
            bytes: 0,
        })
    }

    fn finish(&self, run: Option<OpenRun>) -> Result<()> {
        let Some(run) = run else {
            return Ok(());
        };
        run.writer.finish()?;
        if let Some(known) = self.runs.lock().get_mut(run.number) {
            known.is_finished = true;
        }
        Ok(())
    }
}

/// Pairs of one family in rising order, written as runs.
///
/// Dropping it without [`finish`](Self::finish) makes finishing the load impossible.
pub(crate) struct RunStream {
    space: Arc<Workspace>,
    family: Family,
    loaded: Option<OpenRun>,
    before: Option<OpenRun>,
    unguarded_bytes: usize,
}

struct OpenRun {
    writer: Box<dyn RunWriter>,
    number: usize,
    bytes: usize,
}

impl RunStream {
    /// Adds a pair whose key is certainly not stored: an undo removes it.
    ///
    /// # Errors
    /// [`Error::BulkOrder`], [`Error::DiskFull`] and what the store refuses; all of them end the load.
    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let bytes = key.len() + value.len();
        self.unguarded_bytes += bytes;
        if self.unguarded_bytes >= GUARD_BYTES {
            self.space
                .admit(std::mem::take(&mut self.unguarded_bytes) as u64)?;
        }
        let run = match &mut self.loaded {
            Some(run) => run,
            none => none.insert(self.space.start(self.family, Holds::Loaded)?),
        };
        run.writer.put(key, value)?;
        run.bytes += bytes;
        if run.bytes >= RUN_BYTES {
            self.cut()?;
        }
        Ok(())
    }

    /// Adds the new value of a stored key: an undo puts `before` back.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub(crate) fn replace(&mut self, key: &[u8], before: &[u8], value: &[u8]) -> Result<()> {
        let run = match &mut self.before {
            Some(run) => run,
            none => none.insert(self.space.start(self.family, Holds::Before)?),
        };
        run.writer.put(key, before)?;
        self.put(key, value)
    }

    /// Adds the new value of a key, whatever is stored under it.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub(crate) fn put_over(
        &mut self,
        key: &[u8],
        before: Option<&[u8]>,
        value: &[u8],
    ) -> Result<()> {
        match before {
            Some(before) => self.replace(key, before, value),
            None => self.put(key, value),
        }
    }

    /// Begins a new run, so that another stream may have keys between the two.
    ///
    /// # Errors
    /// What the store refuses.
    pub(crate) fn cut(&mut self) -> Result<()> {
        self.space.finish(self.loaded.take())?;
        self.space.finish(self.before.take())
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// What the store refuses.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.cut()
    }
}

/// The runs in a load's folder, as their names tell.
pub(super) fn runs_in(dir: &Path) -> Result<Vec<RunFile>> {
    let entries = fs::read_dir(dir).map_err(|error| Error::io("read", dir, error))?;
    let mut runs = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Error::io("read", dir, error))?.path();
        let extension = path.extension();
        let mut kinds = [Holds::Loaded, Holds::Before].into_iter();
        let holds = kinds.find(|holds| extension.is_some_and(|of| of == holds.extension()));
        let Some(holds) = holds else {
            continue;
        };
        let name = path.file_stem().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.split('-').next()?.parse::<usize>().ok());
        let family = number.and_then(|number| Family::all().nth(number));
        let family = family.ok_or_else(|| Error::corruption(&path, "it names no family"))?;
        runs.push(RunFile {
            holds,
            family,
            path,
        });
    }
    runs.sort();
    Ok(runs)
}
