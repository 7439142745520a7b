//! The files of a model, wherever they lie. They are read as if an enemy had written them: each has a limit, and
//! no name that stands in one of them leads out of the model's own place.

mod hub;
mod zip;

use crate::error::ModelError;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zip::Archive;

/// Far above any vocabulary in JSON (MiniLM: 0.5 MB, those of a hundred languages: 17 MB), far below what would hurt.
pub(crate) const MOST_BYTES_OF_JSON: u64 = 64 << 20;
/// The largest models that a processor bears have 2.3 GB.
pub(crate) const MOST_BYTES_OF_WEIGHTS: u64 = 4 << 30;
/// The tensors.
const WEIGHTS: &str = "model.safetensors";

/// The largest archive that is looked at: one with such weights.
const MOST_BYTES_OF_ARCHIVE: u64 = MOST_BYTES_OF_WEIGHTS;

/// The files of one model.
pub(crate) struct Files {
    place: Place,
}

enum Place {
    Folder(PathBuf),
    Archive {
        archive: Archive,
        /// The archive's path, and the folder's in it.
        shown: PathBuf,
        /// What stands before the names.
        inside: String,
    },
}

impl Files {
    /// Those in a folder. Nothing is looked at yet.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self {
            place: Place::Folder(folder.to_path_buf()),
        }
    }

    /// Those that the hub's tools fetched, with the commit that they are of.
    pub(crate) fn in_hub(
        model: &str,
        revision: Option<&str>,
        cache: Option<&Path>,
    ) -> Result<(Self, String), ModelError> {
        let usual = || hub::cache(|name| env::var_os(name)).unwrap_or_default();
        let cache = cache.map_or_else(usual, Path::to_path_buf);
        let snapshot = hub::snapshot(&cache, model, revision)?;
        let commit = snapshot.file_name().unwrap_or_default();
        let commit = commit.to_string_lossy().into_owned();
        Ok((Self::in_folder(&snapshot), commit))
    }

    /// Those in a folder of an archive with these bytes.
    pub(crate) fn in_archive(path: &Path, sha256: &str, inside: &str) -> Result<Self, ModelError> {
        let bytes = read(path, MOST_BYTES_OF_ARCHIVE)?;
        let found = Sha256::digest(&bytes);
        let found: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
        if !found.eq_ignore_ascii_case(sha256) {
            return Err(ModelError::WrongHash {
                path: path.to_path_buf(),
                expected: sha256.to_owned(),
                found,
            });
        }
        let inside = match inside.trim_end_matches('/') {
            "" => String::new(),
            inside => format!("{inside}/"),
        };
        Ok(Self {
            place: Place::Archive {
                archive: Archive::new(path, bytes)?,
                shown: path.join(&inside),
                inside,
            },
        })
    }

    /// What to call a file in an error.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match &self.place {
            Place::Folder(folder) => folder.join(name),
            Place::Archive { shown, .. } => shown.join(name),
        }
    }

    fn has(&self, name: &str) -> bool {
        match &self.place {
            Place::Folder(folder) => folder.join(name).is_file(),
            Place::Archive {
                archive, inside, ..
            } => archive.has(&format!("{inside}{name}")),
        }
    }

    /// A file of JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, ModelError> {
        let bytes = self.read(name, MOST_BYTES_OF_JSON)?;
        serde_json::from_slice(&bytes).map_err(|error| malformed(self.path(name), error))
    }

    /// A file of JSON that a model may lack.
    pub(crate) fn json_if_any<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, ModelError> {
        match self.json(name) {
            Ok(json) => Ok(Some(json)),
            Err(ModelError::Unreadable { source, .. })
                if source.kind() == io::ErrorKind::NotFound =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The bytes of the tensors, and their path.
    pub(crate) fn weights(&self) -> Result<(PathBuf, Vec<u8>), ModelError> {
        let bytes = self.read(WEIGHTS, MOST_BYTES_OF_WEIGHTS);
        let missing = matches!(&bytes, Err(ModelError::Unreadable { source, .. })
            if source.kind() == io::ErrorKind::NotFound);
        for (other, found) in [
            ("model.safetensors.index.json", "tensors in several files"),
            ("pytorch_model.bin", "tensors in Python's own format only"),
        ] {
            if missing && self.has(other) {
                return Err(ModelError::Unsupported {
                    path: self.path(other),
                    setting: "the weights",
                    found: found.to_owned(),
                    supported: "one file model.safetensors".to_owned(),
                });
            }
        }
        Ok((self.path(WEIGHTS), bytes?))
    }

    fn read(&self, name: &str, limit: u64) -> Result<Vec<u8>, ModelError> {
        match &self.place {
            Place::Folder(folder) => read(&folder.join(name), limit),
            Place::Archive {
                archive, inside, ..
            } => {
                let bytes = archive.read(&format!("{inside}{name}"), limit)?;
                bytes.ok_or_else(|| ModelError::Unreadable {
                    path: self.path(name),
                    source: io::ErrorKind::NotFound.into(),
                })
            }
        }
    }
}

pub(crate) fn malformed(
    path: impl Into<PathBuf>,
    source: impl Into<crate::error::Cause>,
) -> ModelError {
    ModelError::Malformed {
        path: path.into(),
        source: source.into(),
    }
}

/// All of a file that is not longer than this.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ModelError> {
    let unreadable = |source| ModelError::Unreadable {
        path: path.to_path_buf(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    if bytes > limit {
        return Err(ModelError::TooLarge {
            path: path.to_path_buf(),
            bytes,
            limit,
        });
    }
    let mut content = Vec::new();
    // Once more here: a file may grow, and a pipe has no length.
    file.take(limit)
        .read_to_end(&mut content)
        .map_err(unreadable)?;
    Ok(content)
}
