//! The one way this program calls cargo on the workspace.
//!
//! Every call names the same library folder and the same target directory: they are part of
//! cargo's fingerprints, so a call that differed would rebuild what another has just built.

use crate::native;
use crate::packages;
use crate::places::Places;
use crate::shell;
use crate::tools;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo, pointed at this checkout, its target directory and librocksdb.
pub(crate) struct Cargo<'a> {
    places: &'a Places,
    lib: PathBuf,
}

impl<'a> Cargo<'a> {
    /// For everything that links: librocksdb is there afterwards.
    pub(crate) fn linking(places: &'a Places) -> Result<Self, String> {
        packages::ensure()?;
        Ok(Self {
            places,
            lib: native::ensure(places)?,
        })
    }

    /// For lints and documentation, which need the library's folder by name but not the library.
    pub(crate) fn without_linking(places: &'a Places) -> Result<Self, String> {
        packages::ensure()?;
        Ok(Self {
            places,
            lib: native::lib_dir(places)?,
        })
    }

    /// A cargo command in the checkout's root; add to it, then give it to [`shell::run`].
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("cargo");
        command
            .args(arguments)
            .current_dir(&self.places.checkout)
            .env("PATH", tools::search_path(self.places))
            .env("ROCKSDB_LIB_DIR", &self.lib)
            .env("ROCKSDB_STATIC", "1")
            // Tests run in the folders of their packages, from where a path that is not whole leads elsewhere.
            .env("STRATIGRAPH_SHARED", &self.places.shared)
            .env("CARGO_TARGET_DIR", &self.places.target);
        command
    }

    /// Runs cargo with these arguments and nothing else.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<(), String> {
        shell::run(&mut self.command(arguments))
    }

    /// A program of the workspace in debug mode, as its tests have built it. Features of what only tests depend on count
    /// where a test is asked for too: without one the storage engine and the models would be compiled once more.
    pub(crate) fn debug(&self, name: &str) -> Result<PathBuf, String> {
        self.run(&["build", "--workspace", "--test", "command", "--bin", name])?;
        Ok(self.places.target.join("debug").join(name))
    }

    /// Runs such a program in the checkout's root.
    pub(crate) fn run_debug(&self, name: &str, arguments: &[&str]) -> Result<(), String> {
        let mut command = Command::new(self.debug(name)?);
        shell::run(command.args(arguments).current_dir(&self.places.checkout))
    }

    /// Where a release program lands.
    pub(crate) fn release(&self, name: impl AsRef<Path>) -> PathBuf {
        self.places.target.join("release").join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_names_the_library_the_target_directory_and_the_checkout() {
        let places = Places {
            checkout: "here".into(),
            cache: "cache".into(),
            target: "target".into(),
            shared: "shared".into(),
        };
        let cargo = Cargo {
            places: &places,
            lib: "lib".into(),
        };
        let command = cargo.command(&["build"]);
        let value = |name: &str| {
            let found = command.get_envs().find(|(key, _)| *key == name);
            found
                .and_then(|(_, value)| value)
                .map(|value| value.to_string_lossy().into_owned())
        };
        assert_eq!(value("ROCKSDB_LIB_DIR").as_deref(), Some("lib"));
        assert_eq!(value("ROCKSDB_STATIC").as_deref(), Some("1"));
        assert_eq!(value("CARGO_TARGET_DIR").as_deref(), Some("target"));
        assert!(value("PATH").is_some_and(|path| path.starts_with("cache/tools/bin:")));
        assert_eq!(command.get_current_dir(), Some(Path::new("here")));
    }
}
