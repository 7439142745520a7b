//! Where things live: the checkout, the cache that outlives it, the shared target directory, and the data that
//! is no part of the repository.
//!
//! Three environment variables move them: `STRATIGRAPH_CACHE` (everything kept between checkouts), cargo's own
//! `CARGO_TARGET_DIR` (build output only), and `STRATIGRAPH_SHARED` (the data). This file decides names and must
//! never create or remove anything.

use std::env;
use std::path::{Path, PathBuf};

/// The folders every verb works with, all absolute.
pub(crate) struct Places {
    /// The root of this checkout.
    pub(crate) checkout: PathBuf,
    /// What is built once per machine: librocksdb, tools, benchmark data.
    pub(crate) cache: PathBuf,
    /// Cargo's output, shared by every checkout on the machine.
    pub(crate) target: PathBuf,
    /// Data that tests read where it is there: sets of documents in `eval`, the conformance suite in `tck`.
    pub(crate) shared: PathBuf,
}

impl Places {
    /// Reads the environment once.
    pub(crate) fn find() -> Result<Self, String> {
        let cache = match (dir("STRATIGRAPH_CACHE"), dir("XDG_CACHE_HOME"), dir("HOME")) {
            (Some(own), _, _) => own,
            (None, Some(xdg), _) => xdg.join("stratigraph"),
            (None, None, Some(home)) => home.join(".cache/stratigraph"),
            (None, None, None) => {
                return Err("no HOME: set STRATIGRAPH_CACHE to a folder for build caches".into());
            }
        };
        let target = dir("CARGO_TARGET_DIR").unwrap_or_else(|| cache.join("target"));
        let checkout = checkout()?;
        let shared = dir("STRATIGRAPH_SHARED").unwrap_or_else(|| checkout.join("../shared"));
        Ok(Self {
            checkout,
            cache,
            target,
            shared,
        })
    }
}

/// `cargo run` says which checkout it was called in, and that is believed first: with a shared
/// target directory the program may have been compiled in another checkout of the same commit.
fn checkout() -> Result<PathBuf, String> {
    let called_in = dir("CARGO_MANIFEST_DIR").filter(|package| package.ends_with("xtask"));
    let package = called_in.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    let checkout = package.parent().map(Path::to_path_buf);
    checkout
        .filter(|root| root.join("Cargo.toml").is_file())
        .ok_or_else(|| format!("{} is not inside a checkout", package.display()))
}

/// A folder from the environment. Made absolute, because the programs we start run elsewhere.
fn dir(variable: &str) -> Option<PathBuf> {
    let value = env::var_os(variable).filter(|value| !value.is_empty())?;
    std::path::absolute(PathBuf::from(value)).ok()
}
