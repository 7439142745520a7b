//! Where the peers are: `benches/peers/setup.py` installs a group of them once, in a folder of its own in the cache, and
//! writes down where.
//!
//! A group that is not there is set up first, which is said, with how long it takes. Whoever measures beside peers asks before
//! any of that is timed; nothing is ever installed while something is measured.

use super::cache::cache;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Other indexes of vectors and of texts.
pub(crate) const INDEXES: Group = Group {
    file: "peers.json",
    word: None,
    lock: None,
    takes: "10 minutes",
};

/// Those that make graphs of documents.
pub(crate) const DOCUMENTS: Group = Group {
    file: "documents.json",
    word: Some("documents"),
    lock: None,
    takes: "five minutes, 1.5 GB",
};

/// The one that is asked queries.
pub(crate) const QUERY: Group = Group {
    file: "query.json",
    word: Some("query"),
    lock: None,
    takes: "a minute",
};

/// The databases that have the same tasks.
pub(crate) const BESIDE: Group = Group {
    file: "beside.json",
    word: Some("beside"),
    lock: Some("requirements-beside.txt"),
    takes: "five minutes",
};

/// Peers that are installed together.
pub(crate) struct Group {
    /// What the setup writes down, in the folder of the peers.
    file: &'static str,
    /// What the setup is told; nothing for those that it installs by itself.
    word: Option<&'static str>,
    /// A file whose text the setup writes down as well: one that was set up with another text is set up again.
    lock: Option<&'static str>,
    takes: &'static str,
}

impl Group {
    /// All that the setup has written down; it is run first if it has not, or had another lock.
    ///
    /// # Errors
    /// A setup that cannot be run, or fails.
    pub(crate) fn places(&self) -> Result<Value> {
        let path = cache()?.join("peers").join(self.file);
        if !path.exists() {
            self.set_up()?;
        }
        let places = self.written(&path)?;
        let Some(lock) = self.lock else {
            return Ok(places);
        };
        let lock = benches().join("peers").join(lock);
        let lock = std::fs::read_to_string(&lock)
            .with_context(|| format!("cannot read {}", lock.display()))?;
        if places["lock"] == lock {
            return Ok(places);
        }
        self.set_up()?;
        self.written(&path)
    }

    fn written(&self, path: &Path) -> Result<Value> {
        let text = std::fs::read(path)
            .with_context(|| format!("`{}` has not written {}", self.by_hand(), path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{} is no JSON", path.display()))
    }

    /// One of the places.
    ///
    /// # Errors
    /// As above; a place that is not written down.
    pub(crate) fn place(&self, name: &str) -> Result<PathBuf> {
        let places = self.places()?;
        let place = places[name].as_str();
        Ok(place
            .with_context(|| format!("no {name} in {}", self.file))?
            .into())
    }

    /// The Python that has them.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn python(&self) -> Result<PathBuf> {
        self.place("python")
    }

    fn set_up(&self) -> Result<()> {
        let by_hand = self.by_hand();
        eprintln!(
            "the peers are not there, or not as they should be: `{by_hand}` sets them up in the cache, once ({})",
            self.takes
        );
        let status = Command::new("python3")
            .arg(benches().join("peers/setup.py"))
            .args(self.word)
            .stdin(Stdio::null())
            // What it says is no figure.
            .stdout(std::io::stderr())
            .status()
            .with_context(|| {
                format!(
                    "cannot start python3, which `{by_hand}` needs, 3.11 or newer (Debian: python3 python3-venv python3-dev)"
                )
            })?;
        ensure!(
            status.success(),
            "the peers are not there, and `{by_hand}` failed with {status}; what it says about that is above"
        );
        Ok(())
    }

    /// What somebody would type.
    fn by_hand(&self) -> String {
        let words = ["python3 benches/peers/setup.py"];
        let words: Vec<&str> = words.into_iter().chain(self.word).collect();
        words.join(" ")
    }
}

/// This package's folder in the checkout the benchmark was called in. Cargo says which; the path at
/// compile time may be of another checkout that shares the build output.
pub(crate) fn benches() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| "benches".into(), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_one_that_the_setup_knows() {
        let setup = std::fs::read_to_string(benches().join("peers/setup.py")).unwrap();
        for group in [INDEXES, DOCUMENTS, QUERY, BESIDE] {
            let told = group.by_hand();
            assert!(setup.contains(&format!("{told} ")), "{told}");
            let written = format!("write(home / \"{}\"", group.file);
            assert!(setup.contains(&written), "{written}");
        }
    }

    #[test]
    fn whatever_is_installed_beside_has_its_version_in_the_lock() {
        let peers = benches().join("peers");
        let lock = std::fs::read_to_string(peers.join("requirements-beside.txt")).unwrap();
        let pinned: Vec<&str> = lock
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split_once("==").expect(line).0)
            .collect();
        let setup = std::fs::read_to_string(peers.join("setup.py")).unwrap();
        let (_, table) = setup.split_once("\nBESIDE = {\n").unwrap();
        let (table, _) = table.split_once("\n}\n").unwrap();
        for line in table.lines() {
            let (_, packages) = line.split_once(": [").expect(line);
            for package in packages.split('"').skip(1).step_by(2) {
                assert!(pinned.contains(&package), "{package}");
            }
        }
    }
}
