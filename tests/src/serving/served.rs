//! The server as a process, and what can be seen of it from outside.

use super::child::ChildArgs;
use super::memory::MemoryLimit;
use super::told::{self, ToldMemory};
use crate::driver::child::planted;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// A condition is waited for no longer than this: on a machine that is busy all of it may be needed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// Settings of a server that lets calls wait as long as it lives, so that a busy machine does not look like an error.
pub(crate) const PATIENT_SETTINGS: &str =
    "max_write_queue_wait = \"120s\"\nmax_queue_wait = \"120s\"\n";
/// The memory that a server gets.
pub(crate) const MEMORY: u64 = 1 << 30;

/// A server that runs.
pub(crate) struct Served {
    pub(crate) address: String,
    memory: MemoryLimit,
    metrics: String,
    process: std::process::Child,
    /// Its end is what tells the server to end.
    _stdin: ChildStdin,
}

/// What a server has in its hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holdings {
    pub(crate) threads: usize,
    /// Sockets; what files RocksDB has open is its own affair.
    pub(crate) connections: usize,
    pub(crate) running: u64,
    pub(crate) waiting: u64,
    pub(crate) writers: u64,
    pub(crate) transactions: u64,
    pub(crate) snapshots: u64,
    pub(crate) memory_free: u64,
}

/// Bytes of memory, as the kernel counts what a process has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryUse {
    /// What it has now,
    pub(crate) all: u64,
    /// and has had at most.
    pub(crate) most: u64,
    /// What of it now is of mapped files, such as the program and what was read of the rows of vectors. The kernel takes
    /// that back when others need it.
    pub(crate) mapped: u64,
}

impl MemoryUse {
    /// Reads it from the `status` of a process. One that has ended has none of it.
    fn read(status: &str) -> Result<Self> {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kilobytes =
                line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            kilobytes
                .map(|kilobytes| kilobytes * 1024)
                .with_context(|| format!("no {name} the server is gone"))
        };
        Ok(Self {
            all: field("VmRSS:")?,
            most: field("VmHWM:")?,
            mapped: field("RssFile:")?,
        })
    }
}

impl Served {
    /// Starts one over an empty folder with these settings beside those that every one has here.
    pub(crate) fn start(folder: &Path, settings: &str) -> Result<Self> {
        Self::start_with(folder, settings, None)
    }

    /// The same over whatever is in the folder, with a bug if one is named.
    pub(crate) fn start_with(folder: &Path, settings: &str, bug: Option<&str>) -> Result<Self> {
        let file = folder.join("settings.toml");
        let usual =
            "listen = \"127.0.0.1:0\"\nmetrics_listen = \"127.0.0.1:0\"\nlog_level = \"error\"\n";
        fs::write(&file, format!("{usual}{settings}"))?;
        let child = ChildArgs {
            dir: folder.join("data"),
            settings: file,
            plant: bug.map(str::to_owned),
        };
        let mut process = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(format!("--dir={}", child.dir.display()))
            .arg(format!("--settings={}", child.settings.display()))
            .args(planted(child.plant.as_deref()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let memory = MemoryLimit::set(process.id(), MEMORY);
        let mut stdin = process.stdin.take().context("no stdin")?;
        writeln!(stdin, "go")?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let Some((address, metrics)) = line.trim().split_once(' ') else {
            bail!("the server has not started");
        };
        Ok(Self {
            address: address.to_owned(),
            metrics: metrics.to_owned(),
            memory,
            process,
            _stdin: stdin,
        })
    }

    /// All metrics, as text.
    fn metrics(&self) -> Result<String> {
        let mut stream = TcpStream::connect(&self.metrics)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    }

    /// What it has in its hands now.
    pub(crate) fn holdings(&self) -> Result<Holdings> {
        let process = Path::new("/proc").join(self.process.id().to_string());
        // Counted before the metrics are asked for, over a connection that ends when it likes.
        let connections = sockets(&process.join("fd"))?;
        let text = tokio::task::block_in_place(|| self.metrics())?;
        let value = |name: &str| told::metric(&text, name);
        Ok(Holdings {
            threads: process.join("task").read_dir()?.count(),
            connections,
            running: value("queries_running")?,
            waiting: value("queries_waiting")?,
            writers: value("database_writers")?,
            transactions: value("database_open_transactions")?,
            snapshots: value("database_snapshots")?,
            memory_free: value("query_memory_free_bytes")?,
        })
    }

    /// Waits until what it holds is as it should be.
    pub(crate) async fn until(
        &self,
        what: &str,
        is: impl Fn(&Holdings) -> bool,
    ) -> Result<Holdings> {
        let began = Instant::now();
        loop {
            let holdings = self.holdings()?;
            if is(&holdings) {
                return Ok(holdings);
            }
            ensure!(
                began.elapsed() < PATIENCE,
                "{what}, but it has {holdings:?}"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The processor time that it has used.
    pub(crate) fn processor_time(&self) -> Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let (_, rest) = stat.rsplit_once(')').context("an odd stat")?;
        let ticks = rest
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(str::parse::<u64>);
        let ticks: u64 = ticks.collect::<Result<Vec<_>, _>>()?.iter().sum();
        // A hundredth of a second each, on every Linux there is.
        Ok(Duration::from_millis(ticks * 10))
    }

    /// What memory it has, as the kernel counts it.
    pub(crate) fn memory_use(&self) -> Result<MemoryUse> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        MemoryUse::read(&status)
    }

    /// What it says itself that its memory is for; it has a vector index.
    pub(crate) fn told_memory(&self) -> Result<ToldMemory> {
        let text = tokio::task::block_in_place(|| self.metrics())?;
        told::memory(&text)
    }

    /// How many files and sockets it has open.
    pub(crate) fn open_files(&self) -> Result<usize> {
        let open = Path::new("/proc").join(self.process.id().to_string());
        Ok(open.join("fd").read_dir()?.count())
    }

    /// Whether the kernel holds it to its memory.
    pub(crate) fn memory_is_limited(&self) -> bool {
        self.memory.is_enforced()
    }

    /// What its memory must have been, and what it was, in words if it is wrong.
    pub(crate) fn memory_is_fine(&mut self) -> Result<(), String> {
        if self.memory.kills() > 0 {
            return Err(format!(
                "it was killed at {} MiB",
                self.memory.bytes() >> 20
            ));
        }
        if let Ok(Some(status)) = self.process.try_wait() {
            return Err(format!("it has ended with {status}"));
        }
        let had = self.memory_use().map_err(|error| error.to_string())?;
        if !self.memory.is_enforced() && had.most > self.memory.bytes() {
            return Err(format!("it has had {} MiB", had.most >> 20));
        }
        Ok(())
    }
}

/// How many sockets a process has open, by the folder of what it has open.
fn sockets(open: &Path) -> Result<usize> {
    let is_socket = |entry: &fs::DirEntry| {
        // One may be closed while we look.
        fs::read_link(entry.path()).is_ok_and(|to| to.to_string_lossy().starts_with("socket:"))
    };
    let entries = open.read_dir()?.collect::<Result<Vec<_>, _>>()?;
    Ok(entries.iter().filter(|entry| is_socket(entry)).count())
}

impl Drop for Served {
    fn drop(&mut self) {
        // Its database is a temporary one: nothing has to be closed well.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_mapped_files_is_a_part_of_memory() {
        let status = "Name:\tsoak\nVmHWM:\t    4096 kB\nVmRSS:\t    3072 kB\nRssAnon:\t    1024 kB\nRssFile:\t    2048 kB\nRssShmem:\t       0 kB\n";
        let wanted = MemoryUse {
            all: 3 << 20,
            most: 4 << 20,
            mapped: 2 << 20,
        };
        assert_eq!(MemoryUse::read(status).unwrap(), wanted);
        let error = MemoryUse::read("Name:\tsoak\nState:\tZ (zombie)\n").unwrap_err();
        assert_eq!(error.to_string(), "no VmRSS: the server is gone");
    }
}
