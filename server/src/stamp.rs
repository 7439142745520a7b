//! What tells that a file has changed: its time alone does not, for what is written twice within a tick.

use std::path::Path;
use std::time::SystemTime;

/// What tells one state of a file from another; two missing files are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(Option<(Option<SystemTime>, u64, u64)>);

impl Stamp {
    /// How a file is now. Taken before it is read: what comes in between is then seen as a change.
    pub(crate) fn of(path: &Path) -> Self {
        Self(path.metadata().ok().map(|metadata| {
            #[cfg(unix)]
            let number = std::os::unix::fs::MetadataExt::ino(&metadata);
            #[cfg(not(unix))]
            let number = 0;
            (metadata.modified().ok(), metadata.len(), number)
        }))
    }
}
