//! Builds the recording shim and starts a child under it.
//!
//! The C source is part of this crate, so the library always matches the parser. It must never be
//! preloaded through a wrapper (`timeout`, `sh -c`): the first process takes the record, and the
//! next one stops with a message. Next: `tests/shim/iolog.c`.

use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = include_str!("../../shim/iolog.c");

/// Compiles the shim into a directory, unless this version of it is already there.
///
/// # Errors
/// When `cc` is missing or refuses, or the directory cannot be written.
pub fn build(out_dir: &Path) -> Result<PathBuf> {
    // Named after its source (FNV-1a), so that two checkouts can share a directory.
    let version = SOURCE.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let library = out_dir.join(format!("libiolog-{version:016x}.so"));
    if library.exists() {
        return Ok(library);
    }
    fs::create_dir_all(out_dir)?;
    // Tests run in parallel processes: each compiles under a name of its own, and a rename puts
    // only a finished library in place.
    let mark = format!("{}-{}", std::process::id(), fastrand::u64(..));
    let source = out_dir.join(format!("iolog-{mark}.c"));
    let unfinished = out_dir.join(format!("libiolog-{mark}.so"));
    fs::write(&source, SOURCE)?;
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC"])
        .arg("-o")
        .args([&unfinished, &source])
        .args(["-ldl", "-lpthread"])
        .output()?;
    fs::remove_file(&source)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::other(format!("cc failed on iolog.c:\n{said}")));
    }
    fs::rename(&unfinished, &library)?;
    Ok(library)
}

/// What a child's shim shall do; [`Preload::apply`] puts it into the child's environment.
#[derive(Clone, Debug)]
#[must_use]
pub struct Preload {
    library: PathBuf,
    root: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Preload {
    /// A shim for the files below `root`, which must exist when the child starts.
    pub fn new(library: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Preload {
        Preload {
            library: library.into(),
            root: root.into(),
            variables: Vec::new(),
        }
    }

    /// Records to a file that must not exist yet.
    pub fn record(self, file: &Path) -> Preload {
        self.with("IOLOG_FILE", file.display().to_string())
    }

    /// Records what the child writes to this descriptor (1 is its standard output) as
    /// acknowledgements.
    pub fn acks(self, fd: i32) -> Preload {
        self.with("IOLOG_ACK_FD", fd.to_string())
    }

    /// Makes calls fail: `"fdatasync:EIO:3"` only the third, `"pwrite:ENOSPC:3+"` that and all
    /// later ones. The calls are listed in `iolog.c`.
    pub fn fail(self, rules: &str) -> Preload {
        self.with("IOLOG_FAIL", rules.to_owned())
    }

    /// Limits the failures to paths that contain this text.
    pub fn fail_only_in(self, part_of_path: &str) -> Preload {
        self.with("IOLOG_FAIL_MATCH", part_of_path.to_owned())
    }

    fn with(mut self, variable: &'static str, value: String) -> Preload {
        self.variables.push((variable, value));
        self
    }

    /// Sets the child's environment; nothing of an outer shim is left in it.
    ///
    /// # Errors
    /// When the library's path cannot stand in `LD_PRELOAD`, which has no quoting.
    pub fn apply<'c>(&self, command: &'c mut Command) -> Result<&'c mut Command> {
        let library = fs::canonicalize(&self.library)?;
        let text = library.to_string_lossy();
        if text.contains([' ', ':', char::REPLACEMENT_CHARACTER]) {
            return Err(Error::other(format!("LD_PRELOAD cannot hold {text:?}")));
        }
        for name in ["FILE", "ACK_FD", "FAIL", "FAIL_MATCH"] {
            command.env_remove(format!("IOLOG_{name}"));
        }
        command.env("LD_PRELOAD", &library);
        command.env("IOLOG_ROOT", &self.root);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }
}
