//! A small tree of files for a test, removed when the test is over.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of its own below the system's for what is temporary.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Named for the test, so that two that run at once do not meet.
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("xtask-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Where it is.
    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    /// A file in it, with the folders that it needs.
    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A folder in it.
    pub(crate) fn folder(&self, name: &str) {
        fs::create_dir_all(self.0.join(name)).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
