//! What the figures were measured on: they mean nothing without it.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The machine and the file system of the benchmark's folder.
pub(crate) struct Machine {
    cpu: String,
    cores: usize,
    memory_bytes: u64,
    kernel: String,
    pub(crate) file_system: String,
    device: String,
    folder: String,
}

impl Machine {
    pub(crate) fn look(dir: &Path) -> Result<Self> {
        let dir = dir
            .canonicalize()
            .with_context(|| format!("no folder {}", dir.display()))?;
        let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into());
        let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
        let memory_kib: u64 = memory.trim_end_matches(" kB").parse().unwrap_or(0);
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let (file_system, device) = mount_of(&dir).unwrap_or(("unknown".into(), "?".into()));
        Ok(Self {
            cpu,
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: memory_kib * 1024,
            kernel: kernel.trim().to_owned(),
            file_system,
            device,
            folder: dir.display().to_string(),
        })
    }

    /// Whether files of the folder live in memory, where a sync does nothing.
    pub(crate) fn is_memory(&self) -> bool {
        matches!(self.file_system.as_str(), "tmpfs" | "ramfs" | "devtmpfs")
    }

    pub(crate) fn print(&self) {
        let place = format!("{} on {} ({})", self.folder, self.file_system, self.device);
        let lines = self.lines_with(&place);
        lines.iter().for_each(|line| println!("{line}"));
    }

    /// What a page says about it, a line each: where a folder is on somebody's machine is nobody's business.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines_with(&self.file_system)
    }

    fn lines_with(&self, files: &str) -> Vec<String> {
        let gib = self.memory_bytes as f64 / f64::from(1 << 30);
        vec![
            format!("machine    {} x {}, {gib:.1} GiB RAM", self.cores, self.cpu),
            format!("kernel     {}", self.kernel),
            format!("files      {files}"),
            format!("load       {} at the start", load()),
        ]
    }
}

/// The load averages: a busy machine shows here, and its figures deserve a second run.
pub(crate) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace()
        .take(3)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The first value of `name` in a file of `name : value` lines.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// File system type and device of the deepest mount above `dir`.
///
/// From mountinfo, not statfs: it needs no C binding and also names the device.
fn mount_of(dir: &Path) -> Option<(String, String)> {
    let text = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mounts = text.lines().filter_map(|line| {
        // 36 35 98:0 /root /mount/point options... - type device options
        let (place, kind) = line.split_once(" - ")?;
        let point = place.split(' ').nth(4)?;
        let mut kind = kind.split(' ');
        Some((point, kind.next()?.to_owned(), kind.next()?.to_owned()))
    });
    // A later line of the same mount point lies over the earlier one, which `max_by_key` keeps to.
    let deepest = mounts.filter(|(point, ..)| dir.starts_with(point));
    let (_, kind, device) = deepest.max_by_key(|(point, ..)| point.len())?;
    Some((kind, device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_not_told_where_the_folder_is() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::look(folder.path()).unwrap();
        let lines = machine.lines();
        let files = format!("files      {}", machine.file_system);
        assert!(lines.contains(&files), "{lines:?}");
        let place = machine.folder.as_str();
        assert!(lines.iter().all(|line| !line.contains(place)), "{lines:?}");
        let printed = machine.lines_with(place);
        assert!(printed.iter().any(|line| line.contains(place)));
    }
}
