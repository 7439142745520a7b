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

/// Writes vectors, one after the other in `numbers`, each with its number as its id; what the peer is to copy.
pub(super) fn numbered_vectors(
    dir: &Path,
    name: &str,
    numbers: &[f32],
    width: usize,
) -> Result<String> {
    let count = numbers.len() / width;
    let ids: Vec<u8> = (0..count as i64).flat_map(i64::to_le_bytes).collect();
    let vectors: Vec<u8> = numbers.iter().copied().flat_map(f32::to_le_bytes).collect();
    let of = |what: &str| dir.join(format!("{name}_{what}.npy"));
    let (id_file, vector_file) = (of("ids"), of("vectors"));
    npy(&id_file, "<i8", &[count], &ids)?;
    npy(&vector_file, "<f4", &[count, width], &vectors)?;
    Ok(format!(
        "('{}', '{}') BY COLUMN",
        id_file.display(),
        vector_file.display()
    ))
}

/// Writes an array, of which `bytes` are little-endian and row by row.
fn npy(path: &Path, kind: &str, shape: &[usize], bytes: &[u8]) -> Result<()> {
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
