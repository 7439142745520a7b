//! Where what is fetched or made once is kept.

use anyhow::Result;
use std::env;
use std::path::{Path, PathBuf};

/// The folder that `xtask/src/places.rs` and `benches/peers/setup.py` name.
pub(crate) fn cache() -> Result<PathBuf> {
    let dir = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    match (dir("STRATIGRAPH_CACHE"), dir("XDG_CACHE_HOME"), dir("HOME")) {
        (Some(own), _, _) => Ok(own.into()),
        (None, Some(xdg), _) => Ok(Path::new(&xdg).join("stratigraph")),
        (None, None, Some(home)) => Ok(Path::new(&home).join(".cache/stratigraph")),
        (None, None, None) => anyhow::bail!("no HOME: set STRATIGRAPH_CACHE"),
    }
}
