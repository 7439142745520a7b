//! The table of peers, and how the process of each is started.

use super::driver::Driver;
use crate::measure::installed::{INDEXES, benches};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A row of the table.
pub(super) struct Known {
    pub(super) name: &'static str,
    /// What its driver calls it.
    driver: &'static str,
    language: Language,
    /// Large pages for everything it asks for: a peer that does not ask for them itself.
    huge_pages: bool,
    /// Whether it is measured with `--quick`.
    pub(super) quick: bool,
    /// Whether it is measured on a million rows without being named: the others take hours there.
    pub(super) million: bool,
    /// Whether it has filters worth waiting for.
    pub(super) filters: bool,
}

enum Language {
    Python,
    Rust,
}

const fn python(name: &'static str) -> Known {
    Known {
        name,
        driver: name,
        language: Language::Python,
        huge_pages: false,
        quick: false,
        million: false,
        filters: false,
    }
}

const fn rust(name: &'static str) -> Known {
    Known {
        language: Language::Rust,
        ..python(name)
    }
}

/// The first is the one that the others are compared with.
pub(super) const PEERS: &[Known] = &[
    Known {
        quick: true,
        million: true,
        filters: true,
        ..python("hnswlib")
    },
    Known {
        driver: "hnswlib",
        huge_pages: true,
        ..python("hnswlib-huge")
    },
    python("usearch"),
    Known {
        quick: true,
        million: true,
        ..python("usearch-i8")
    },
    Known {
        filters: true,
        ..python("faiss-hnsw")
    },
    Known {
        quick: true,
        million: true,
        filters: true,
        ..python("faiss-sq8")
    },
    Known {
        million: true,
        ..python("faiss-ivfpq")
    },
    Known {
        million: true,
        filters: true,
        ..python("qdrant-edge")
    },
    rust("diskann"),
    rust("diskann-sq8"),
    // Its filter answers tens of queries a second: it would take longer than all others together.
    rust("hnsw_rs"),
];

/// What the setup wrote down.
pub(super) struct Places {
    python: PathBuf,
    rust: PathBuf,
}

impl Places {
    pub(super) fn find() -> Result<Self> {
        Ok(Self {
            python: INDEXES.python()?,
            rust: INDEXES.place("rust")?,
        })
    }

    /// The peer's process, which reads the set in `folder`.
    pub(super) fn start(&self, peer: &Known, folder: &Path) -> Result<Driver> {
        let mut command = match peer.language {
            Language::Rust => Command::new(&self.rust),
            Language::Python => {
                let mut python = Command::new(&self.python);
                // No byte code beside the sources.
                python
                    .arg("-B")
                    .arg(benches().join("peers/python/driver.py"));
                python
            }
        };
        if peer.huge_pages {
            command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
        }
        command.arg(peer.driver).arg(folder);
        Driver::start(peer.name, command)
    }
}
