//! What can happen to a file: the kinds of damage, and doing each to a copy.

use super::log_format::{record_ends, type_bytes};
use anyhow::{Context, Result};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

const PAGE_BYTES: usize = 4096;

/// Which files are harmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// RocksDB's log.
    Wal,
    /// A sorted file.
    Sst,
    /// RocksDB's manifest.
    Manifest,
    /// The file that names the manifest.
    Current,
    /// RocksDB's stored options.
    Options,
    /// RocksDB's id.
    Identity,
    /// Our header.
    Header,
    /// Our high-water mark.
    Mark,
    /// The whole vectors of an index.
    Vectors,
    /// A file of a backup.
    BackupFile,
    /// The manifest of a backup.
    BackupManifest,
}

impl Target {
    /// Each with its name, and how often it is drawn where it exists.
    const ALL: &[(Self, &str, usize)] = &[
        (Self::Wal, "wal", 30),
        (Self::Sst, "sst", 35),
        (Self::Manifest, "manifest", 12),
        (Self::Current, "current", 4),
        (Self::Options, "options", 4),
        (Self::Identity, "identity", 2),
        (Self::Header, "header", 5),
        (Self::Mark, "mark", 8),
        (Self::Vectors, "vectors", 8),
        (Self::BackupFile, "backup-file", 35),
        (Self::BackupManifest, "backup-manifest", 15),
    ];

    /// The files of this kind in a database or backup folder, in the order of their names. An empty
    /// one, such as the log after a clean close, has nothing to harm.
    fn files(self, root: &Path) -> Result<Vec<PathBuf>> {
        let (folder, wanted): (PathBuf, fn(&str) -> bool) = match self {
            Self::Wal => (root.join("store"), |name| name.ends_with(".log")),
            Self::Sst => (root.join("store"), |name| name.ends_with(".sst")),
            Self::Manifest => (root.join("store"), |name| name.starts_with("MANIFEST-")),
            Self::Current => (root.join("store"), |name| name == "CURRENT"),
            Self::Options => (root.join("store"), |name| name.starts_with("OPTIONS-")),
            Self::Identity => (root.join("store"), |name| name == "IDENTITY"),
            Self::Header => (root.to_path_buf(), |name| name == "STRATIGRAPH"),
            Self::Mark => (root.to_path_buf(), |name| name == "MARK"),
            Self::Vectors => (root.join("vectors"), |_| true),
            Self::BackupFile => (root.join("files"), |_| true),
            Self::BackupManifest => (root.to_path_buf(), |name| name.ends_with(".backup")),
        };
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if wanted(&entry.file_name().to_string_lossy()) && entry.metadata()?.len() > 0 {
                files.push(entry.path());
            }
        }
        files.sort();
        Ok(files)
    }
}

/// What happens to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Harm {
    /// One bit is another.
    Flip,
    /// One bit is another in the byte of a log that says how to read what follows.
    FlipType,
    /// A page reads as zeros.
    ZeroPage,
    /// The end is missing.
    Cut,
    /// The end is missing from just after a record.
    CutAtRecord,
    /// Nothing is left in it.
    Empty,
    /// It is gone.
    Delete,
    /// Two files have each other's contents.
    Swap,
    /// It has the contents of another database's file.
    Foreign,
    /// Something follows that does not belong to it.
    Garbage,
}

impl Harm {
    const ALL: &[(Self, &str)] = &[
        (Self::Flip, "flip"),
        (Self::FlipType, "flip-type"),
        (Self::ZeroPage, "zero-page"),
        (Self::Cut, "cut"),
        (Self::CutAtRecord, "cut-record"),
        (Self::Empty, "empty"),
        (Self::Delete, "delete"),
        (Self::Swap, "swap"),
        (Self::Foreign, "foreign"),
        (Self::Garbage, "garbage"),
    ];
}

/// A kind of damage: which file, and what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// Which files.
    pub(super) target: Target,
    /// What happens to them.
    pub(super) harm: Harm,
}

impl Kind {
    /// Draws one that can be done in `root`.
    ///
    /// # Errors
    /// If the folder cannot be read, or has nothing to harm.
    pub(super) fn draw(root: &Path, rng: &mut fastrand::Rng) -> Result<Self> {
        let mut urn = Vec::new();
        for (target, _, weight) in Target::ALL {
            if !target.files(root)?.is_empty() {
                urn.extend(std::iter::repeat_n(*target, *weight));
            }
        }
        let target = *rng
            .choice(&urn)
            .with_context(|| format!("{} has nothing to harm", root.display()))?;
        loop {
            let (harm, _) = Harm::ALL[rng.usize(..Harm::ALL.len())];
            let kind = Self { target, harm };
            if kind.is_possible(root)? {
                return Ok(kind);
            }
        }
    }

    /// Whether `root` has files for it.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(super) fn is_possible(self, root: &Path) -> Result<bool> {
        let files = self.target.files(root)?.len();
        Ok(match self.harm {
            Harm::CutAtRecord | Harm::FlipType => {
                files > 0 && matches!(self.target, Target::Wal | Target::Manifest)
            }
            Harm::Swap => files > 1,
            _ => files > 0,
        })
    }

    /// Does it to a file in `root` and says to which and where; `foreign` is another database of the
    /// same make.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub(super) fn apply(
        self,
        root: &Path,
        foreign: &Path,
        rng: &mut fastrand::Rng,
    ) -> Result<String> {
        let files = self.target.files(root)?;
        let path = rng.choice(&files).context("the file is gone already")?;
        let name = path.strip_prefix(root).unwrap_or(path).display();
        let mut bytes = fs::read(path)?;
        match self.harm {
            Harm::Delete => {
                fs::remove_file(path)?;
                return Ok(format!("{name}"));
            }
            Harm::Swap => {
                let others: Vec<_> = files.iter().filter(|other| *other != path).collect();
                let other = rng.choice(others).context("there is no second file")?;
                fs::write(path, fs::read(other)?)?;
                fs::write(other, bytes)?;
                return Ok(format!(
                    "{name} and {}",
                    other.strip_prefix(root).unwrap_or(other).display()
                ));
            }
            Harm::Foreign => {
                let theirs = self.target.files(foreign)?;
                let theirs = rng
                    .choice(&theirs)
                    .context("the other database has no such file")?;
                fs::write(path, fs::read(theirs)?)?;
                return Ok(format!("{name} from {}", theirs.display()));
            }
            _ => {}
        }
        let length = bytes.len();
        let at = match self.harm {
            Harm::Flip | Harm::FlipType if length > 0 => {
                let types = if self.harm == Harm::FlipType {
                    type_bytes(&bytes)
                } else {
                    Vec::new()
                };
                let at = rng.choice(types).unwrap_or_else(|| rng.usize(..length));
                bytes[at] ^= 1 << rng.u8(..8);
                at
            }
            Harm::ZeroPage if length > 0 => {
                let at = rng.usize(..length) / PAGE_BYTES * PAGE_BYTES;
                bytes[at..length.min(at + PAGE_BYTES)].fill(0);
                at
            }
            Harm::Cut if length > 0 => rng.usize(..length),
            Harm::CutAtRecord => {
                let mut ends = record_ends(&bytes);
                ends.retain(|end| *end < length);
                rng.choice(ends).unwrap_or(0)
            }
            Harm::Garbage => {
                bytes.extend(std::iter::repeat_with(|| rng.u8(..)).take(1 + length % 5000));
                length
            }
            _ => 0,
        };
        if matches!(self.harm, Harm::Cut | Harm::CutAtRecord | Harm::Empty) {
            bytes.truncate(at);
        }
        fs::write(path, bytes)?;
        Ok(format!("{name} at {at} of {length}"))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = Target::ALL
            .iter()
            .find(|(target, ..)| *target == self.target)
            .map_or("", |(_, name, _)| name);
        let harm = Harm::ALL
            .iter()
            .find(|(harm, _)| *harm == self.harm)
            .map_or("", |(_, name)| name);
        write!(f, "{target}-{harm}")
    }
}

impl std::str::FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let targets = Target::ALL.iter().map(|(target, ..)| *target);
        let mut kinds = targets.flat_map(|target| {
            Harm::ALL.iter().map(move |(harm, _)| Self {
                target,
                harm: *harm,
            })
        });
        kinds.find(|kind| kind.to_string() == text).ok_or_else(|| {
            let targets: Vec<_> = Target::ALL.iter().map(|(_, name, _)| *name).collect();
            let harms: Vec<_> = Harm::ALL.iter().map(|(_, name)| *name).collect();
            format!("a kind is TARGET-HARM, where TARGET is one of {targets:?} and HARM one of {harms:?}")
        })
    }
}
