//! A file of JSON lines that grows while something is paid for: what came is there, whatever happens next.
//!
//! A line is written whole, and is on the disk before anything else is done; so is the name of the file, before its first line.
//! What stands behind the last line break is half a line of a process that was killed: it is no row, and goes when the file is
//! written to again. One process writes at a time; who only reads disturbs nobody. `extract/reply_file.rs` and
//! `evaluate/jury/kept.rs` say what the lines are.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde_json::Value as Json;
use stratigraph::storage::files::folder_of;
use thiserror::Error;

/// Why something cannot be kept in a file, or what is kept cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GrowingError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process writes to it.
    #[error(
        "{} is written to by another process: wait for its end, or name another folder with --work or --keep",
        path.display()
    )]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// A row is not what it should be.
    #[error("{}, line {line}: {problem}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

impl GrowingError {
    fn file(path: &Path, source: io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            source,
        }
    }
}

/// A file that is written to.
#[derive(Debug)]
pub(crate) struct Growing {
    path: PathBuf,
    file: File,
    /// The bytes of its whole lines.
    length: u64,
}

impl Growing {
    /// Opens a file for writing, with what its whole lines have. It is made if it is not there, and its folder as well.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<u8>), GrowingError> {
        let failed = |source| GrowingError::file(path, source);
        let folder = folder_of(path);
        make_folder(folder).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = path.to_owned();
                return Err(GrowingError::Taken { path });
            }
            // Some file systems have no locks: then nobody can tell whether another process writes.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut growing = Self {
            path: path.to_owned(),
            file,
            length: 0,
        };
        let bytes = growing.mend().map_err(failed)?;
        if bytes.is_empty() {
            // It may be new, and its name is on the disk only when its folder is.
            sync_folder(folder).map_err(failed)?;
        }
        Ok((growing, bytes))
    }

    /// Takes half a line away, so that the next one stands alone.
    fn mend(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        let whole = whole(&bytes);
        if whole < bytes.len() {
            bytes.truncate(whole);
            self.file.set_len(whole as u64)?;
        }
        self.file.seek(SeekFrom::Start(whole as u64))?;
        if bytes.last().is_some_and(|byte| *byte != b'\n') {
            self.file.write_all(b"\n")?;
            bytes.push(b'\n');
        }
        self.length = bytes.len() as u64;
        Ok(bytes)
    }

    /// Adds a row. When this returns it is on the disk.
    pub(crate) fn add(&mut self, row: &Json) -> Result<(), GrowingError> {
        self.add_by(row, |file, line| {
            file.write_all(line)?;
            file.sync_data()
        })
    }

    /// The same with another way of writing: a test has a disk that is full.
    fn add_by(
        &mut self,
        row: &Json,
        write: impl FnOnce(&mut File, &[u8]) -> io::Result<()>,
    ) -> Result<(), GrowingError> {
        let line = format!("{row}\n");
        // Again before each row: what was left behind then may not have been cut off.
        let written = self.cut_off();
        if let Err(source) = written.and_then(|()| write(&mut self.file, line.as_bytes())) {
            let _ = self.cut_off();
            return Err(GrowingError::file(&self.path, source));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Half a line must not be the beginning of the next one.
    fn cut_off(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }
}

/// Makes a folder with all that it lies in, each on the disk in the one above it.
fn make_folder(folder: &Path) -> io::Result<()> {
    let missing = folder.ancestors();
    let missing = missing.take_while(|one| !one.as_os_str().is_empty() && !one.exists());
    let missing: Vec<&Path> = missing.collect();
    fs::create_dir_all(folder)?;
    missing
        .into_iter()
        .try_for_each(|made| sync_folder(folder_of(made)))
}

/// Puts the names in a folder on the disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// What the whole lines of a file have; nothing if it is not there. Nothing of it is changed.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, GrowingError> {
    match fs::read(path) {
        Ok(mut bytes) => {
            let whole = whole(&bytes);
            bytes.truncate(whole);
            Ok(bytes)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(GrowingError::file(path, error)),
    }
}

/// The rows of these lines, each with its line from 1, or what is wrong with it.
pub(crate) fn rows(bytes: &[u8]) -> impl Iterator<Item = (usize, Result<Json, String>)> + '_ {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace));
    lines.map(|(place, line)| {
        let row = serde_json::from_slice(line).map_err(|error| error.to_string());
        (place + 1, row)
    })
}

/// How many of these bytes are of whole lines. A last line that lacks nothing but its end is one.
fn whole(bytes: &[u8]) -> usize {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    let end = end.map_or(0, |place| place + 1);
    match serde_json::from_slice::<IgnoredAny>(&bytes[end..]) {
        Ok(_) => bytes.len(),
        Err(_) => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(bytes: &[u8]) -> Vec<String> {
        rows(bytes)
            .map(|(line, row)| format!("{line} {}", row.unwrap()["a"]))
            .collect()
    }

    #[test]
    fn half_a_line_is_none_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("rows.jsonl");
        assert!(read(&path).unwrap().is_empty());
        let (mut file, bytes) = Growing::open(&path).unwrap();
        assert!(bytes.is_empty());
        file.add(&json!({"a": 1})).unwrap();
        file.add(&json!({"a": "two\nlines"})).unwrap();
        drop(file);
        let whole = fs::read(&path).unwrap();
        for half in ["{\"a\": 3", "{", "{\"a\": \"x"] {
            fs::write(&path, [&whole[..], half.as_bytes()].concat()).unwrap();
            assert_eq!(
                texts(&read(&path).unwrap()),
                ["1 1", "2 \"two\\nlines\""],
                "{half}"
            );
            let (mut file, bytes) = Growing::open(&path).unwrap();
            assert_eq!(bytes, whole);
            file.add(&json!({"a": 4})).unwrap();
            drop(file);
            assert_eq!(texts(&fs::read(&path).unwrap())[2], "3 4");
        }
        // A row that lacks nothing but its end is one, and the next stands alone.
        fs::write(&path, "{\"a\": 1}").unwrap();
        let (mut file, _) = Growing::open(&path).unwrap();
        file.add(&json!({"a": 2})).unwrap();
        assert_eq!(texts(&fs::read(&path).unwrap()), ["1 1", "2 2"]);
    }

    #[test]
    fn what_a_full_disk_has_taken_of_a_line_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let (mut file, _) = Growing::open(&path).unwrap();
        file.add(&json!({"a": 1})).unwrap();
        let row = json!({"a": "a row that does not fit any more"});
        // All of it may have been written, and be lost all the same.
        for taken in [0, 9, row.to_string().len() + 1] {
            let full = |file: &mut File, line: &[u8]| -> io::Result<()> {
                file.write_all(&line[..taken])?;
                Err(io::ErrorKind::StorageFull.into())
            };
            let failed = file.add_by(&row, full).unwrap_err();
            let GrowingError::File { source, .. } = &failed else {
                panic!("{failed}");
            };
            assert_eq!(source.kind(), io::ErrorKind::StorageFull);
            assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n", "{taken}");
        }
        // There is room again: the next row stands alone.
        file.add(&json!({"a": 2})).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n{\"a\":2}\n");
    }

    #[test]
    fn a_file_is_made_with_all_the_folders_that_it_lies_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a").join("b").join("rows.jsonl");
        make_folder(folder_of(&path)).unwrap();
        // Once more there is nothing to be made.
        make_folder(folder_of(&path)).unwrap();
        assert!(folder_of(&path).is_dir());
    }

    #[test]
    fn one_writes_at_a_time_and_others_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let (mut file, _) = Growing::open(&path).unwrap();
        let taken = Growing::open(&path).unwrap_err();
        assert!(matches!(taken, GrowingError::Taken { .. }), "{taken}");
        file.add(&json!({"a": 1})).unwrap();
        assert_eq!(texts(&read(&path).unwrap()), ["1 1"]);
        drop(file);
        assert!(Growing::open(&path).is_ok());
    }

    #[test]
    fn a_line_that_is_no_json_is_told_with_its_place() {
        let lines = b"\n{\"a\": 1}\nnone\n";
        let rows: Vec<(usize, bool)> = rows(lines).map(|(line, row)| (line, row.is_ok())).collect();
        assert_eq!(rows, [(2, true), (3, false)]);
    }
}
