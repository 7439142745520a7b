//! Copies of whole databases, and their state in the page cache.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Copies a database that nobody has open. Afterwards nothing of the copy waits to be written: a
/// measured open must pay for its own syncs, not for the copying.
///
/// Sorted files are never written to once they are finished, so a second name for them is as good
/// as a copy and shares its pages in the cache; so is one for the reserve, which is only ever
/// looked at or removed. Everything else (log, manifest, mark, ...) is copied, because opening
/// writes to it or replaces it.
pub(crate) fn copy_database(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy_database(&source, &target)?;
        } else if source
            .extension()
            .is_some_and(|extension| extension == "sst")
            || entry.file_name() == "RESERVE"
        {
            fs::hard_link(&source, &target)?;
        } else {
            fs::copy(&source, &target)?;
            File::open(&target)?.sync_all()?;
        }
    }
    File::open(to)?.sync_all()?;
    Ok(())
}

/// Reads every file once, so that both sides find everything in the page cache.
pub(crate) fn warm(dir: &Path) -> Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut total = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            total += warm(&entry.path())?;
        } else if entry.file_name() != "RESERVE" {
            let mut file = File::open(entry.path())?;
            loop {
                match file.read(&mut buffer)? {
                    0 => break,
                    bytes => total += bytes as u64,
                }
            }
        }
    }
    Ok(total)
}

/// How many files of that extension lie in the folder, and their bytes.
pub(crate) fn size_of(dir: &Path, extension: &str) -> Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry
            .path()
            .extension()
            .is_some_and(|found| found == extension)
        {
            files += 1;
            bytes += entry.metadata()?.len();
        }
    }
    Ok((files, bytes))
}
