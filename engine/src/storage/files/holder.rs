//! Who has a database open: what a writer leaves in its lock file, and what others find out from it.
//!
//! It is for a message and for nothing else. The lock decides; what is written here may be torn, of a process
//! that was killed, or of a machine that we cannot see. So nothing here fails, and nothing is believed that the
//! lock does not bear out: a file says who *writes* only while somebody holds the lock for writing.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// More than what we write; a file that holds more is not ours.
const MOST_BYTES: u64 = 4096;
/// The list of all locks of a machine may be long.
const MOST_LOCK_BYTES: u64 = 4 << 20;
/// So much of a command is shown.
const MOST_COMMAND_CHARS: usize = 120;
/// So many processes are named.
const MOST_NAMED: usize = 8;

/// A process that has a database open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holder {
    /// The number of its process, as that process sees it.
    pub pid: u32,
    /// Since when, in UTC: `2026-11-22T10:35:16Z`. `None` where only its lock is seen.
    pub since: Option<String>,
    /// Where its server listens, if it told.
    #[serde(default)]
    pub address: Option<String>,
    /// How it was called, where the system tells. Never stored: arguments may hold what is not for a file.
    #[serde(skip)]
    pub command: Option<String>,
}

/// Who keeps a database from being opened, as far as can be known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holders {
    /// The one that writes, or those that read. Empty if the system does not tell.
    pub processes: Vec<Holder>,
    /// Whether it has it open for writing.
    pub writes: bool,
}

impl Holder {
    /// This process, from `now` on.
    pub(super) fn this(now: SystemTime) -> Self {
        let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        let since = jiff::Timestamp::from_second(seconds).ok();
        Self {
            pid: std::process::id(),
            since: since.map(|since| since.to_string()),
            address: None,
            command: None,
        }
    }

    /// Leaves it in the lock file, in the place of what was there.
    pub(super) fn write(&self, file: &File) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        file.set_len(0)?;
        file.write_all_at(&line, 0)
    }

    /// The writer that left its name in the lock file.
    fn read(path: &Path) -> Option<Self> {
        let mut text = Vec::new();
        let file = File::open(path).ok()?;
        file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
        let mut holder: Self = serde_json::from_slice(&text).ok()?;
        holder.command = command_of(holder.pid);
        Some(holder)
    }

    fn seen(pid: u32) -> Self {
        Self {
            pid,
            since: None,
            address: None,
            command: command_of(pid),
        }
    }
}

impl Holders {
    /// The process that has the lock for writing.
    pub(super) fn writer(path: &Path) -> Self {
        let written = Holder::read(path);
        let processes = match written {
            Some(holder) => vec![holder],
            None => locks_on(path).into_iter().map(Holder::seen).collect(),
        };
        Self {
            processes,
            writes: true,
        }
    }

    /// The processes that have the lock for reading. They write nothing, so only the system knows of them.
    pub(super) fn readers(path: &Path) -> Self {
        let mut pids = locks_on(path);
        pids.sort_unstable();
        pids.dedup();
        Self {
            processes: pids.into_iter().map(Holder::seen).collect(),
            writes: false,
        }
    }
}

/// How a process was called. Only Linux tells in this way.
fn command_of(pid: u32) -> Option<String> {
    let mut bytes = Vec::new();
    let file = File::open(format!("/proc/{pid}/cmdline")).ok()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut words = text.split('\0').filter(|word| !word.is_empty());
    let program = words.next()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let all: Vec<&str> = std::iter::once(program).chain(words).collect();
    let all = all.join(" ");
    let mut short: String = all.chars().take(MOST_COMMAND_CHARS).collect();
    if short.len() < all.len() {
        short.push('…');
    }
    Some(short)
}

/// The processes that hold a lock on a file, as Linux lists them in `/proc/locks`.
fn locks_on(path: &Path) -> Vec<u32> {
    let mut text = String::new();
    let listed = File::open("/proc/locks").and_then(|file| {
        file.take(MOST_LOCK_BYTES)
            .read_to_string(&mut text)
            .map(drop)
    });
    match (listed, fs::metadata(path)) {
        (Ok(()), Ok(metadata)) => holders_in(&text, metadata.ino()),
        _ => Vec::new(),
    }
}

/// The processes in such a list: `4: FLOCK  ADVISORY  READ 1234 08:01:5678 0 EOF`. A line of one that waits has an
/// arrow. Devices are not compared: a layered file system names another one there than `stat` does.
fn holders_in(list: &str, inode: u64) -> Vec<u32> {
    let lines = list.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        if words.next()? != "FLOCK" {
            return None;
        }
        let pid: u32 = words.nth(2)?.parse().ok()?;
        let of: u64 = words.next()?.rsplit(':').next()?.parse().ok()?;
        // Zero is a process that we cannot see.
        (of == inode && pid > 0).then_some(pid)
    });
    lines.collect()
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pid == std::process::id() {
            f.write_str("this process")?;
        } else {
            write!(f, "process {}", self.pid)?;
            if let Some(command) = &self.command {
                write!(f, " ({command})")?;
            }
        }
        if let Some(since) = &self.since {
            write!(f, " since {since}")?;
        }
        Ok(())
    }
}

/// What follows the path in the message: who has it, and what to do about it.
impl fmt::Display for Holders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = if self.writes { "writing" } else { "reading" };
        if self.processes.is_empty() {
            write!(f, " for {doing}")?;
        }
        for (place, holder) in self.processes.iter().take(MOST_NAMED).enumerate() {
            let before = if place == 0 { " by" } else { "," };
            write!(f, "{before} {holder}")?;
        }
        if let Some(more) = self.processes.len().checked_sub(MOST_NAMED)
            && more > 0
        {
            write!(f, " and {more} more")?;
        }
        let ours = self
            .processes
            .iter()
            .any(|one| one.pid == std::process::id());
        let address = self.processes.iter().find_map(|one| one.address.as_ref());
        match (address, ours) {
            (Some(address), _) => write!(
                f,
                ", which serves it: ask it there with `stratigraph repl {address}`, or end it"
            ),
            (None, true) => f.write_str(": share one `Database`, which clones"),
            (None, false) => f.write_str(
                ": one process may write, or several may read; end it, or let it serve the database and ask it there",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_list_is_read_and_not_trusted() {
        let list = "\
1: FLOCK  ADVISORY  READ 1234 08:01:5678 0 EOF
2: FLOCK  ADVISORY  READ 99 00:2f:5678 0 EOF
2: -> FLOCK  ADVISORY  WRITE 7 08:01:5678 0 EOF
3: POSIX  ADVISORY  WRITE 8 08:01:5678 0 EOF
4: FLOCK  ADVISORY  WRITE 9 08:01:56 0 EOF
5: FLOCK  ADVISORY  WRITE 0 08:01:5678 0 EOF
6: FLOCK  ADVISORY  WRITE
nonsense
";
        assert_eq!(holders_in(list, 5678), [1234, 99]);
    }

    #[test]
    fn the_message_names_who_and_what_to_do() {
        let holder = |pid, command: Option<&str>, address: Option<&str>| Holder {
            pid,
            since: Some("2026-11-22T10:35:16Z".to_owned()),
            address: address.map(str::to_owned),
            command: command.map(str::to_owned),
        };
        let said = |processes, writes| Holders { processes, writes }.to_string();
        assert_eq!(
            said(
                vec![holder(u32::MAX, Some("stratigraph repl library"), None)],
                true
            ),
            " by process 4294967295 (stratigraph repl library) since 2026-11-22T10:35:16Z: one process may write, \
             or several may read; end it, or let it serve the database and ask it there"
        );
        assert_eq!(
            said(
                vec![holder(u32::MAX, None, Some("grpc://127.0.0.1:7474"))],
                true
            ),
            " by process 4294967295 since 2026-11-22T10:35:16Z, which serves it: ask it there with \
             `stratigraph repl grpc://127.0.0.1:7474`, or end it"
        );
        assert!(said(Vec::new(), false).starts_with(" for reading: one process"));
        let this = holder(std::process::id(), None, None);
        assert_eq!(
            said(vec![this], true),
            " by this process since 2026-11-22T10:35:16Z: share one `Database`, which clones"
        );
        let many = (1..20).map(|pid| Holder::seen(u32::MAX - pid)).collect();
        assert!(said(many, false).contains(" and 11 more: "));
    }

    #[test]
    fn what_is_in_the_file_may_be_anything() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("LOCK");
        for text in [
            "",
            "{",
            "{\"pid\":-1}",
            "{\"pid\":\"x\"}",
            "\u{0}\u{0}",
            "[1]",
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(Holder::read(&path), None, "{text}");
        }
        fs::write(&path, vec![b' '; 1 << 20]).unwrap();
        assert_eq!(Holder::read(&path), None);
        let file = File::options().write(true).open(&path).unwrap();
        let mut this = Holder::this(UNIX_EPOCH + std::time::Duration::from_secs(1_795_343_716));
        assert_eq!(this.since.as_deref(), Some("2026-11-22T10:35:16Z"));
        this.address = Some("grpc://127.0.0.1:7474".to_owned());
        this.write(&file).unwrap();
        let read = Holder::read(&path).unwrap();
        assert_eq!(
            (read.pid, &read.since, &read.address),
            (this.pid, &this.since, &this.address)
        );
    }
}
