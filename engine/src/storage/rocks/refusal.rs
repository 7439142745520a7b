//! RocksDB's refusals as errors of our own: what kind they are, and which file they name.

use crate::error::Error;
use rocksdb::ErrorKind as Said;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The refusal as our error; `dir` stands for the file where RocksDB names none.
pub(super) fn refused(operation: &'static str, dir: &Path, error: &rocksdb::Error) -> Error {
    let message = error.as_ref();
    let path = named_file(dir, message).unwrap_or_else(|| dir.to_path_buf());
    match error.kind() {
        Said::Corruption | Said::NotFound => Error::Corruption {
            path,
            what: message.to_owned(),
        },
        Said::IOError if message.contains("No such file") => Error::Corruption {
            path,
            what: format!("a file is missing: {message}"),
        },
        // A stored option or family that this engine never writes is damage, not a wrong request.
        Said::InvalidArgument | Said::NotSupported if operation == "open" => Error::Corruption {
            path,
            what: message.to_owned(),
        },
        Said::IOError
        | Said::Incomplete
        | Said::TimedOut
        | Said::ShutdownInProgress
        | Said::Aborted => Error::Io {
            operation,
            path,
            source: Arc::new(std::io::Error::other(message.to_owned())),
        },
        _ => Error::Store {
            operation,
            message: message.to_owned(),
        },
    }
}

/// The first path below `dir` in the message; RocksDB puts the file name into most of them.
pub(super) fn named_file(dir: &Path, message: &str) -> Option<PathBuf> {
    let dir = dir.to_str()?;
    let from = &message[message.find(dir)?..];
    let end = from
        .find(|c: char| c.is_whitespace() || matches!(c, ',' | '\'' | '"' | ')'))
        .unwrap_or(from.len());
    Some(PathBuf::from(from[..end].trim_end_matches([':', '.'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_found_in_the_message() {
        let dir = Path::new("/data/store");
        let message =
            "Corruption: block checksum mismatch in /data/store/000012.sst offset 0 size 98";
        assert_eq!(
            named_file(dir, message),
            Some(PathBuf::from("/data/store/000012.sst"))
        );
        assert_eq!(
            named_file(dir, "IO error: While open: /data/store/CURRENT: denied"),
            Some("/data/store/CURRENT".into())
        );
        assert_eq!(named_file(dir, "Corruption: nothing named"), None);
    }
}
