//! Files of text, read and written whole; what fails says which file it was.
//!
//! Here is nothing that knows what stands in a file.

use std::fs;
use std::path::Path;

/// Reads a file, and says which one if it cannot.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Writes a file, and says which one if it cannot.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
