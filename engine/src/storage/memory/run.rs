//! Sorted runs of the store in memory, kept by name where another store would keep files.
//!
//! A run can be read and ingested once it is finished, and stays until the store is dropped or
//! another run is finished under its name.

use super::tree::Bytes;
use crate::error::{Error, Result};
use crate::storage::family::Family;
use crate::storage::store::RunWriter;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The finished runs of a store.
#[derive(Default)]
pub(super) struct Staging {
    finished: Mutex<HashMap<PathBuf, Arc<Run>>>,
}

/// A finished run.
pub(super) struct Run {
    family: Family,
    /// In rising order of their keys.
    pub(super) pairs: Vec<(Bytes, Bytes)>,
}

struct Writer {
    staging: Arc<Staging>,
    path: PathBuf,
    run: Run,
    bytes: u64,
}

impl Staging {
    /// Starts a run that will be found at `path`.
    pub(super) fn start(self: &Arc<Self>, family: Family, path: &Path) -> Box<dyn RunWriter> {
        let run = Run {
            family,
            pairs: Vec::new(),
        };
        Box::new(Writer {
            staging: Arc::clone(self),
            path: path.into(),
            run,
            bytes: 0,
        })
    }

    /// The finished run of `family` at `path`.
    pub(super) fn finished(&self, family: Family, path: &Path) -> Result<Arc<Run>> {
        let run = self.finished.lock().get(path).map(Arc::clone);
        let run = run.ok_or_else(|| Error::io("read", path, io::ErrorKind::NotFound.into()))?;
        if run.family == family {
            return Ok(run);
        }
        let message = format!("the run was written for family {}", run.family.name());
        Err(Error::Store {
            operation: "read a run",
            message,
        })
    }
}

impl RunWriter for Writer {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let pairs = &mut self.run.pairs;
        if pairs.last().is_some_and(|(last, _)| key <= &**last) {
            let entry = pairs.len() as u64;
            return Err(Error::BulkOrder {
                family: self.run.family.name(),
                entry,
            });
        }
        pairs.push((key.into(), value.into()));
        self.bytes += (key.len() + value.len()) as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        self.staging
            .finished
            .lock()
            .insert(self.path, Arc::new(self.run));
        Ok(self.bytes)
    }
}
