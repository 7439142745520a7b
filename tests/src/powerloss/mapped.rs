//! What a loss of power leaves of files that were written through mapped memory: of each page what was there
//! at some time, or nothing.

use crate::power::MAPPED;
use std::fs;
use std::io::{ErrorKind, Result};
use std::path::Path;

const PAGE_BYTES: usize = 4096;

/// Makes the mapped files of an image in `dir` a mixture of nothing and of what `last` has of them, which is
/// what they came to.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn mix(dir: &Path, last: &Path, rng: &mut fastrand::Rng) -> Result<()> {
    let files = match fs::read_dir(dir.join(MAPPED)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        files => files?,
    };
    for file in files {
        let file = file?;
        let known = match fs::read(last.join(MAPPED).join(file.file_name())) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            known => known?,
        };
        let written = rng.f32();
        let mut mixture = vec![0; known.len()];
        let pages = mixture.chunks_mut(PAGE_BYTES);
        for (page, known) in pages.zip(known.chunks(PAGE_BYTES)) {
            if rng.f32() < written {
                page.copy_from_slice(known);
            }
        }
        mixture.truncate(rng.usize(..=known.len()));
        fs::write(file.path(), mixture)?;
    }
    Ok(())
}
