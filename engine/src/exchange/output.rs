//! Where lines go: counted, hashed, and written in large pieces.

use super::error::DumpError;
use super::lines::{EndCounts, EndLine, Origin};
use crate::error::Result;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Lines are written when there is so much of them.
const PIECE_BYTES: usize = 256 << 10;

/// The text of a dump on its way out.
pub(super) struct Output<W> {
    out: W,
    piece: Vec<u8>,
    hash: Box<Xxh3>,
    bytes: u64,
    longest_line_bytes: u64,
}

/// What was written.
pub(super) struct Written {
    pub(super) bytes: u64,
    pub(super) longest_line_bytes: u64,
    pub(super) checksum: String,
}

impl<W: Write> Output<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            piece: Vec::with_capacity(PIECE_BYTES * 2),
            hash: Box::default(),
            bytes: 0,
            longest_line_bytes: 0,
        }
    }

    /// Adds one line, which `write` writes without its end.
    pub(super) fn line(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let begin = self.piece.len();
        write(&mut self.piece)?;
        self.piece.push(b'\n');
        let length = (self.piece.len() - begin) as u64;
        self.longest_line_bytes = self.longest_line_bytes.max(length);
        if self.piece.len() >= PIECE_BYTES {
            self.write_piece()?;
        }
        Ok(())
    }

    /// Adds one line that serde writes.
    pub(super) fn json(&mut self, line: &impl Serialize) -> Result<()> {
        self.line(|text| {
            // Into memory, and with string keys only: it cannot fail.
            serde_json::to_writer(text, line).map_err(|error| write_failed(error.into()))
        })
    }

    /// Writes the last line, and everything out.
    pub(super) fn end(
        mut self,
        nodes: u64,
        relationships: u64,
        of: Option<Origin>,
    ) -> Result<Written> {
        self.write_piece()?;
        let checksum = checksum_text(&self.hash);
        let end = EndCounts {
            nodes,
            relationships,
            checksum: checksum.clone(),
        };
        self.json(&EndLine { end, of })?;
        self.write_piece()?;
        self.out.flush().map_err(write_failed)?;
        Ok(Written {
            bytes: self.bytes,
            longest_line_bytes: self.longest_line_bytes,
            checksum,
        })
    }

    fn write_piece(&mut self) -> Result<()> {
        self.hash.update(&self.piece);
        self.out.write_all(&self.piece).map_err(write_failed)?;
        self.bytes += self.piece.len() as u64;
        self.piece.clear();
        Ok(())
    }
}

/// A checksum as the end line has it.
pub(super) fn checksum_text(hash: &Xxh3) -> String {
    format!("{:016x}", hash.digest())
}

fn write_failed(source: std::io::Error) -> crate::Error {
    DumpError::Write {
        source: Arc::new(source),
    }
    .into()
}
