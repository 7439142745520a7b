//! Copying a database's folder, as a crash would leave it if the database is open meanwhile.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// So often a folder is copied in which files come and go: a busy machine lets the store's own threads tidy up
/// in the middle of it.
const TRIES: usize = 100;

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    for _ in 0..TRIES {
        match try_copy(from, to) {
            // No crash leaves half of what was tidied up, so neither may a copy.
            Err(error) if error.kind() == ErrorKind::NotFound => fs::remove_dir_all(to).unwrap(),
            copied => return copied.unwrap(),
        }
    }
    panic!("{} does not hold still", from.display());
}

fn try_copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            try_copy(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}
