//! One possible content of the recorded directory after a power loss.
//!
//! It must never be written over an existing directory: two images mixed are a state that no power
//! loss leaves. Contents are shared with the disk model and with other images, so holding one is
//! cheap. Next: `disk.rs`, which makes them.

use super::record::NodeId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is in this folder is written through mapped memory, which no recorder sees, and never synced: only
/// the names and lengths of its files are known.
pub const MAPPED: &str = "vectors";

/// The files and directories that survived.
#[derive(Default)]
pub struct Image {
    /// Parents stand before their children.
    pub(super) directories: Vec<PathBuf>,
    pub(super) files: Vec<ImageFile>,
}

pub(super) struct ImageFile {
    pub(super) path: PathBuf,
    pub(super) node: NodeId,
    pub(super) content: Arc<Vec<u8>>,
}

impl Image {
    /// The content of a file, by its path relative to the recorded directory.
    #[must_use]
    pub fn file(&self, path: impl AsRef<Path>) -> Option<&[u8]> {
        let path = path.as_ref();
        let file = self.files.iter().find(|file| file.path == path)?;
        Some(&file.content)
    }

    /// The paths of all files, sorted.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> = self.files.iter().map(|file| file.path.as_path()).collect();
        paths.sort();
        paths
    }

    /// The paths of all directories below the recorded one, parents first.
    #[must_use]
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Writes the image to a directory that does not exist yet or is empty.
    ///
    /// # Errors
    /// When the directory holds something, or cannot be written.
    pub fn write_to(&self, dir: &Path) -> Result<()> {
        fs::create_dir_all(dir)?;
        if fs::read_dir(dir)?.next().is_some() {
            let text = format!("{} is not empty", dir.display());
            return Err(std::io::Error::other(text));
        }
        for directory in &self.directories {
            fs::create_dir(dir.join(directory))?;
        }
        let mut written: HashMap<NodeId, PathBuf> = HashMap::new();
        for file in &self.files {
            let path = dir.join(&file.path);
            match written.get(&file.node) {
                // A checkpoint shares its table files with the database; so does its image.
                Some(first) => fs::hard_link(first, &path)?,
                None => {
                    fs::write(&path, file.content.as_slice())?;
                    written.insert(file.node, path);
                }
            }
        }
        Ok(())
    }

    /// What differs between this image and a real directory, one sentence each.
    ///
    /// With `Mode::Everything` at the end of a recording the list has to be empty; otherwise some
    /// call went round the shim, and the recording proves nothing.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn differences(&self, dir: &Path) -> Result<Vec<String>> {
        let mut real_files = BTreeMap::new();
        let mut real_directories = BTreeSet::new();
        let mut to_visit = vec![PathBuf::new()];
        while let Some(parent) = to_visit.pop() {
            for entry in fs::read_dir(dir.join(&parent))? {
                let entry = entry?;
                let path = parent.join(entry.file_name());
                if entry.file_type()?.is_dir() {
                    real_directories.insert(path.clone());
                    to_visit.push(path);
                } else {
                    real_files.insert(path, fs::read(entry.path())?);
                }
            }
        }
        let mut found = Vec::new();
        for directory in &self.directories {
            if !real_directories.remove(directory) {
                found.push(format!("{}: recorded only", directory.display()));
            }
        }
        for file in &self.files {
            let name = file.path.display();
            match real_files.remove(&file.path) {
                None => found.push(format!("{name}: recorded only")),
                Some(real) if real == *file.content || file.path.starts_with(MAPPED) => {}
                Some(real) => {
                    let same = real.iter().zip(file.content.iter());
                    let at = same.take_while(|(a, b)| a == b).count();
                    let (have, want) = (real.len(), file.content.len());
                    found.push(format!(
                        "{name}: differs from byte {at}; {have} bytes on disk, {want} recorded"
                    ));
                }
            }
        }
        let extra = real_directories.iter().chain(real_files.keys());
        found.extend(extra.map(|path| format!("{}: on disk only", path.display())));
        Ok(found)
    }
}
