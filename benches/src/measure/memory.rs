//! The memory that this process holds, and the most that it has held; and what the system says of others.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Lets the process's peak begin anew.
pub(crate) fn reset_peak() -> Result<()> {
    fs::write("/proc/self/clear_refs", "5").context("cannot reset the peak of memory")
}

/// The most memory that the process held since, in bytes.
pub(crate) fn peak() -> Result<u64> {
    of_this_process("VmHWM:")
}

/// What it holds of its own now, which nobody else can be given, in bytes.
pub(crate) fn own() -> Result<u64> {
    of_this_process("RssAnon:")
}

/// What it holds of files now, which the system gives to others when they need it, in bytes.
pub(crate) fn of_files() -> Result<u64> {
    of_this_process("RssFile:")
}

fn of_this_process(name: &str) -> Result<u64> {
    of_status(&fs::read_to_string("/proc/self/status")?, name)
}

/// A number of `/proc/PID/status`, in bytes.
pub(crate) fn of_status(status: &str, name: &str) -> Result<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let bytes = line.and_then(bytes_of);
    bytes.with_context(|| format!("no {name}"))
}

/// The sum of one number that `/proc/PID/smaps` has of every mapping, over those of the files that are wanted, in bytes.
pub(crate) fn of_mappings(
    smaps: &str,
    number: &str,
    is_wanted: impl Fn(&Path) -> bool,
) -> Result<u64> {
    let (mut is_inside, mut bytes) = (false, 0);
    for line in smaps.lines() {
        // The first line of a mapping begins with its addresses and ends with its file; nothing else there has a slash.
        let word = line.split('-').next().unwrap_or_default();
        if u64::from_str_radix(word, 16).is_ok() {
            let file = line.find('/').map(|at| Path::new(&line[at..]));
            is_inside = file.is_some_and(&is_wanted);
        } else if let (true, Some(rest)) = (is_inside, line.strip_prefix(number)) {
            bytes += bytes_of(rest).with_context(|| format!("{number} is no number: {line}"))?;
        }
    }
    Ok(bytes)
}

/// `12 kB` as the system writes it, which means KiB.
fn bytes_of(words: &str) -> Option<u64> {
    let kib = words.trim().trim_end_matches(" kB").parse::<u64>().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
55d0c0a00000-55d0c0b00000 r-xp 00001000 fe:00 1234                       /usr/bin/python3
Size:               1024 kB
Rss:                 900 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me dw sd
7f00a0000000-7f00a0100000 rw-p 00000000 00:00 0
Rss:                 300 kB
Anonymous:           300 kB
7f00b0000000-7f00b0100000 r--s 00000000 fe:00 77                         /data/side/a file.rows (deleted)
Rss:                 100 kB
Anonymous:             4 kB
AnonHugePages:         0 kB
7f00c0000000-7f00c0100000 rw-p 00000000 fe:00 78                         /data/side-killed/rows
Rss:                  50 kB
Anonymous:             0 kB
7f00d0000000-7f00d0100000 rw-p 00000000 00:00 0                          [heap]
Rss:                  70 kB
";

    #[test]
    fn only_mappings_of_wanted_files_count() {
        let of = |number: &str, folder: &str| {
            of_mappings(SMAPS, number, |path| path.starts_with(folder)).unwrap()
        };
        assert_eq!(of("Rss:", "/data/side"), 100 * 1024);
        assert_eq!(of("Anonymous:", "/data/side"), 4 * 1024);
        assert_eq!(of("Rss:", "/data"), 150 * 1024);
        assert_eq!(of("Rss:", "/nowhere"), 0);
        let file = Path::new("/data/side-killed/rows");
        let mapped = of_mappings(SMAPS, "Rss:", |path| path == file).unwrap();
        assert_eq!(mapped, 50 * 1024);
        assert_eq!(
            of_status("Name: a\nRssAnon:\t  12 kB\n", "RssAnon:").unwrap(),
            12 * 1024
        );
        assert!(of_mappings("1-2 r /a\nRss: many kB", "Rss:", |_| true).is_err());
    }

    #[test]
    fn this_program_is_a_file_that_is_mapped() {
        let smaps = fs::read_to_string("/proc/self/smaps").unwrap();
        let program = fs::canonicalize(std::env::current_exe().unwrap()).unwrap();
        let mapped = of_mappings(&smaps, "Rss:", |path| path == program.as_path()).unwrap();
        let all = of_mappings(&smaps, "Rss:", |_| true).unwrap();
        assert!(mapped > 0 && mapped < all, "{mapped} of {all}");
    }
}
