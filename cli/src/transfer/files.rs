//! The files of an import, open, and what they declare.
//!
//! Next: `table.rs`.

use super::json_line::{JsonRecord, record};
use super::place::TransferError;
use super::sources::{Form, Source, is_stdin};
use crate::failure::Failure;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use stratigraph::exchange::DeclarationLines;
use stratigraph_tables::{CsvReader, Lines, Signs};

/// How records are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) signs: Signs,
    /// The most bytes of a record.
    pub(crate) record_limit: u64,
    /// How many bad records are left out before the import ends.
    pub(crate) skip_bad: u64,
}

/// A file that is open.
pub(super) struct Opened<'s> {
    pub(super) source: &'s Source,
    pub(super) input: Input,
    name: Arc<str>,
}

pub(super) enum Input {
    /// Opened when its turn comes: there may be many.
    Csv,
    Json(Lines),
}

/// Files that are open, and what they declare.
pub(crate) struct Files<'s> {
    pub(super) opened: Vec<Opened<'s>>,
    pub(crate) declarations: DeclarationLines,
    /// The file that declares, for messages.
    pub(crate) declaring: Arc<str>,
    pub(super) total_bytes: u64,
    pub(super) reading: Reading,
}

impl<'s> Files<'s> {
    /// Opens what holds declarations and reads them; they stand before all else in a file.
    ///
    /// # Errors
    /// A file cannot be read, or declares nonsense.
    pub(crate) fn open(sources: &'s [Source], reading: Reading) -> Result<Self, Failure> {
        let mut files = Self {
            opened: Vec::new(),
            declarations: DeclarationLines::default(),
            declaring: "".into(),
            total_bytes: 0,
            reading,
        };
        for source in sources {
            for path in &source.files {
                files.total_bytes += path.metadata().map_or(0, |metadata| metadata.len());
            }
            let path = &source.files[0];
            let name: Arc<str> = path.display().to_string().into();
            let input = match source.form {
                Form::Csv => Input::Csv,
                Form::Json => Input::Json(Lines::new(
                    open(path)?,
                    Arc::clone(&name),
                    reading.record_limit,
                )),
            };
            files.opened.push(Opened {
                source,
                input,
                name,
            });
        }
        files.read_declarations()?;
        Ok(files)
    }

    fn read_declarations(&mut self) -> Result<(), Failure> {
        for opened in &mut self.opened {
            let Input::Json(lines) = &mut opened.input else {
                continue;
            };
            if opened.source.mapped.is_some() {
                continue;
            }
            while lines.read()? {
                let text = lines.text().unwrap_or_default();
                if !matches!(record(text), Ok(JsonRecord::Declaration)) {
                    lines.put_back();
                    break;
                }
                let added = self.declarations.add(lines.number, text);
                added.map_err(|error| TransferError::Unreadable {
                    place: lines.place(None),
                    reason: error.to_string(),
                })?;
                self.declaring = Arc::clone(&opened.name);
            }
        }
        Ok(())
    }
}

pub(super) fn csv(path: &Path, reading: Reading) -> Result<CsvReader<Box<dyn BufRead>>, Failure> {
    let name = path.display().to_string();
    let mut signs = reading.signs;
    if path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"))
    {
        signs.delimiter = b'\t';
    }
    Ok(CsvReader::new(
        open(path)?,
        name.into(),
        signs,
        reading.record_limit,
    ))
}

pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if is_stdin(path) {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(|source| Failure::Input {
        name: path.display().to_string(),
        source,
    })?;
    Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
}
