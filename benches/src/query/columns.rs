//! Files that the peer loads from: comma-separated rows, and numpy's arrays for what would be long as text.

use anyhow::Result;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes one row a line.
pub(super) fn rows(path: &Path, rows: impl Iterator<Item = String>) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for row in rows {
        writeln!(file, "{row}")?;
    }
    Ok(file.flush()?)
}

/// Writes an array, of which `bytes` are little-endian and row by row.
pub(super) fn npy(path: &Path, kind: &str, shape: &[usize], bytes: &[u8]) -> Result<()> {
    let shape: String = shape.iter().map(|side| format!("{side},")).collect();
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The format wants the data at a multiple of 64, and a line feed before it.
    const FIXED: usize = 10;
    while !(FIXED + head.len() + 1).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&u16::try_from(head.len())?.to_le_bytes())?;
    file.write_all(head.as_bytes())?;
    file.write_all(bytes)?;
    Ok(file.flush()?)
}

/// As they lie in a file.
pub(super) fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}
