//! A limit of the memory of a process: a control group of the kernel, version 2 or 1, where we may make one.
//!
//! A process that takes more is killed, as it would be in a container. Where no group can be made the run says so, and
//! the most that the process has ever had is compared with the limit afterwards.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// The limit of a process.
pub(super) struct MemoryLimit {
    bytes: u64,
    group: Option<Group>,
}

struct Group {
    folder: PathBuf,
    version: Version,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl MemoryLimit {
    /// Limits a process that has done nothing yet.
    pub(super) fn set(process: u32, bytes: u64) -> Self {
        let group = match Group::make(process, bytes) {
            Ok(group) => Some(group),
            Err(error) => {
                eprintln!(
                    "no control group ({error:#}): the most memory that the server has had is compared instead"
                );
                None
            }
        };
        Self { bytes, group }
    }

    /// Whether the kernel sees to it.
    pub(super) fn is_enforced(&self) -> bool {
        self.group.is_some()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many processes were killed for it.
    pub(super) fn kills(&self) -> u64 {
        let Some(group) = &self.group else { return 0 };
        let file = match group.version {
            Version::One => "memory.oom_control",
            Version::Two => "memory.events",
        };
        let text = fs::read_to_string(group.folder.join(file)).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        line.and_then(|count| count.trim().parse().ok())
            .unwrap_or(0)
    }
}

impl Group {
    fn make(process: u32, bytes: u64) -> Result<Self> {
        let (parent, version) = parent()?;
        let folder = parent.join(format!("stratigraph-test-{process}"));
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // From here on dropping it removes it.
        let group = Self { folder, version };
        match version {
            Version::One => group.write("memory.limit_in_bytes", bytes)?,
            Version::Two => {
                group.write("memory.max", bytes)?;
                // Not there without swap.
                let _ = group.write("memory.swap.max", 0);
            }
        }
        group.write("cgroup.procs", process.into())?;
        Ok(group)
    }

    fn write(&self, file: &str, value: u64) -> Result<()> {
        let file = self.folder.join(file);
        fs::write(&file, value.to_string())
            .with_context(|| format!("cannot write {}", file.display()))
    }
}

/// Our own group, below which another may be made.
fn parent() -> Result<(PathBuf, Version)> {
    let root = Path::new("/sys/fs/cgroup");
    let ours = fs::read_to_string("/proc/self/cgroup")?;
    let of = |controller: &str| {
        ours.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            let is_it = controllers.split(',').any(|one| one == controller);
            is_it.then(|| path.trim_start_matches('/').to_owned())
        })
    };
    if let Some(path) = of("memory") {
        // Inside of a container its own group is the root of what it sees.
        let below = root.join("memory").join(path);
        let folder = if below.is_dir() {
            below
        } else {
            root.join("memory")
        };
        return Ok((folder, Version::One));
    }
    let folder = root.join(of("").context("no control groups")?);
    let passed_on = fs::read_to_string(folder.join("cgroup.subtree_control"))?;
    ensure!(
        passed_on.split_whitespace().any(|one| one == "memory"),
        "{} does not pass the memory controller on",
        folder.display()
    );
    Ok((folder, Version::Two))
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its processes have ended; a moment later the kernel knows it too.
        for _ in 0..50 {
            if fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        eprintln!("{} is left", self.folder.display());
    }
}
