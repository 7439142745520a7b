//! Reading a dump: bytes in, lines out, and from the first line to the end.
//!
//! The header comes first, the end line last, and no line is longer than the options say. What is
//! between them goes through the checks of `reader.rs`, and from there to a [`Sink`]; the sink learns
//! of declarations and members last, after the end line has proved the rest.

use super::decode::{self, Line};
use super::error::DumpError;
use super::lines::Header;
use super::reader::Reader;
use super::sink::{Nothing, Sink};
use super::{FORMAT, LINES_PER_STEP};
use crate::error::Result;
use crate::storage::cancel::Watch;
use std::io::{BufRead, Read as _};
use std::sync::Arc;

/// The longest line that is read, unless another limit is set.
const LINE_BYTES: u64 = 64 << 20;

/// How a dump is read.
#[derive(Debug, Clone)]
#[must_use = "options do nothing until they are used"]
pub struct LoadOptions {
    pub(super) ignore_checksum: bool,
    line_bytes: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            ignore_checksum: false,
            line_bytes: LINE_BYTES,
        }
    }
}

impl LoadOptions {
    /// Takes a dump that was edited: neither its checksum nor its counts need to fit, and ids may be
    /// higher than its header says. Lines still have to come in order, the end line last.
    pub fn ignore_checksum(mut self, ignore: bool) -> Self {
        self.ignore_checksum = ignore;
        self
    }

    /// The longest line, 64 MiB by default. Taking one apart needs some ten times its length.
    pub fn line_bytes(mut self, limit: u64) -> Self {
        self.line_bytes = limit.max(1);
        self
    }
}

/// What a dump holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpContents {
    /// How many nodes.
    pub nodes: u64,
    /// How many relationships.
    pub relationships: u64,
    /// How many names of labels, types and properties.
    pub names: u64,
    /// How many indexes, constraints and hierarchies.
    pub declarations: u64,
    /// How many members that were added to hierarchies by name.
    pub members: u64,
    /// How many bytes of text.
    pub bytes: u64,
}

/// Reads a dump to its end without loading it: everything but what only a database can know, such as
/// whether a constraint is kept.
///
/// # Errors
/// [`DumpError`] for the first thing that is wrong; [`Error::Cancelled`](crate::Error::Cancelled).
pub fn verify_dump(
    input: impl BufRead,
    options: &LoadOptions,
    watch: &mut Watch<'_>,
) -> Result<DumpContents> {
    read_dump(input, options, &mut Nothing, watch)
}

/// Reads a dump into a sink.
pub(super) fn read_dump(
    mut input: impl BufRead,
    options: &LoadOptions,
    sink: &mut impl Sink,
    watch: &mut Watch<'_>,
) -> Result<DumpContents> {
    let mut buffer = Vec::new();
    let mut bytes = read_line(&mut input, &mut buffer, 1, options)?;
    let header = read_header(&buffer)?;
    let mut reader = Reader::new(options, header)?;
    loop {
        reader.pass(&buffer, bytes);
        if (reader.line - 1).is_multiple_of(LINES_PER_STEP) {
            let (what, done, total) = reader.progress();
            watch.step(what, done, total)?;
        }
        bytes = read_line(&mut input, &mut buffer, reader.line + 1, options)?;
        if bytes == 0 {
            return Err(DumpError::Cut { lines: reader.line }.into());
        }
        reader.line += 1;
        let text = as_text(&buffer, reader.line)?;
        if let Some(end) = reader.take(text, sink)? {
            let line = reader.line + 1;
            if read_line(&mut input, &mut buffer, line, options)? > 0 {
                return Err(DumpError::AfterEnd { line }.into());
            }
            let found = reader.prove(&end, bytes)?;
            sink.finish(reader.rest, watch)?;
            return Ok(found);
        }
    }
}

/// Reads the next line, without its end, and returns how many bytes it had with it; 0 at the end.
fn read_line(
    input: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    line: u64,
    options: &LoadOptions,
) -> Result<u64> {
    // A huge line must not hold its memory for the rest of the dump.
    const KEPT_BYTES: usize = 1 << 20;
    buffer.clear();
    buffer.shrink_to(KEPT_BYTES);
    // One more for the end of the line, and one to see that there is more.
    let limit = options.line_bytes.saturating_add(2);
    let read = input
        .by_ref()
        .take(limit)
        .read_until(b'\n', buffer)
        .map_err(|source| DumpError::Read {
            lines: line - 1,
            source: Arc::new(source),
        })?;
    if buffer.last() == Some(&b'\n') {
        buffer.pop();
    }
    if buffer.len() as u64 > options.line_bytes {
        let limit_bytes = options.line_bytes;
        return Err(DumpError::LineTooLong { line, limit_bytes }.into());
    }
    Ok(read as u64)
}

fn as_text(bytes: &[u8], line: u64) -> Result<&str, DumpError> {
    std::str::from_utf8(bytes).map_err(|error| DumpError::NotText {
        line,
        column: error.valid_up_to() as u64 + 1,
    })
}

fn read_header(bytes: &[u8]) -> Result<Header, DumpError> {
    let not = |reason: String| DumpError::NotADump { reason };
    let text = std::str::from_utf8(bytes).map_err(|_| not("it is not text".to_owned()))?;
    if text.is_empty() {
        return Err(not("it is empty".to_owned()));
    }
    let found = decode::decode_version(text).map_err(|bad| not(bad.problem))?;
    if found > FORMAT {
        return Err(DumpError::FutureFormat {
            found,
            supported: FORMAT,
        });
    }
    match decode::decode(text) {
        Ok(Line::Header(header)) if header.stratigraph_dump == FORMAT => Ok(header),
        Ok(_) => Err(not("it names no format of ours".to_owned())),
        Err(bad) => Err(bad.at(1)),
    }
}
