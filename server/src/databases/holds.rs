//! Who holds a database, in words: what would be lost if it were dropped now.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A transaction that is not among those that are open yet.
pub(crate) const BEGINNING: &str = "transaction that begins";
/// A bulk write.
pub(crate) const BULK_WRITE: &str = "bulk write";
/// An export.
pub(crate) const EXPORT: &str = "export";
/// Documents that come in, or summaries that are written.
pub(crate) const INGESTION: &str = "ingestion";

/// Who holds a database.
#[derive(Default)]
pub(crate) struct Holds(Arc<Mutex<BTreeMap<&'static str, usize>>>);

/// Says that somebody holds it, as long as this lives.
pub(crate) struct Hold {
    all: Arc<Mutex<BTreeMap<&'static str, usize>>>,
    what: &'static str,
}

impl Holds {
    /// Something begins that must not lose its database; in the singular.
    pub(crate) fn hold(&self, what: &'static str) -> Hold {
        *self.0.lock().entry(what).or_default() += 1;
        Hold {
            all: Arc::clone(&self.0),
            what,
        }
    }

    /// How many writes or may write: the end of the server waits for those.
    pub(super) fn writing(&self) -> usize {
        let held = self.0.lock();
        let of = |what| held.get(what).copied().unwrap_or_default();
        of(BEGINNING) + of(BULK_WRITE)
    }

    /// All of them, with their numbers.
    pub(super) fn all(&self) -> Vec<(&'static str, usize)> {
        let held = self.0.lock();
        held.iter().map(|(what, count)| (*what, *count)).collect()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if let Some(count) = all.get_mut(self.what) {
            *count -= 1;
            if *count == 0 {
                all.remove(self.what);
            }
        }
    }
}
