//! CSV files with one header: what their columns are, by the header, the mapping and the command line.
//!
//! Next: `parts.rs`.

use super::files::{Reading, csv};
use super::header::{Column, Part, part_of, split};
use super::place::TransferError;
use super::sources::Source;
use crate::failure::Failure;
use std::io::BufRead;
use stratigraph_tables::{CsvReader, Next, Place};

/// The header of CSV files.
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    pub(super) names: Vec<String>,
    pub(super) part: Part,
    /// The file with the header, after it.
    pub(super) first: CsvReader<Box<dyn BufRead>>,
}

impl Table {
    pub(super) fn open(source: &Source, reading: Reading) -> Result<Self, Failure> {
        let mut reader = csv(&source.files[0], reading)?;
        let wrong =
            |place: Place, reason: String| Failure::from(TransferError::Header { place, reason });
        match reader.read()? {
            Next::Record => {}
            Next::Bad(bad) => return Err(wrong(bad.place, bad.problem.to_string())),
            Next::End => {
                return Err(wrong(
                    reader.place(1, None),
                    "the file is empty: it begins with a header".to_owned(),
                ));
            }
        }
        let (mut columns, mut names) = (Vec::new(), Vec::new());
        for at in 0..reader.width() {
            let Some(field) = reader.field(at) else {
                continue;
            };
            let mapped = source
                .mapped
                .as_ref()
                .and_then(|mapped| mapped.column(field.text));
            let column = match mapped {
                Some(column) => column,
                None => Column::read(field.text).map_err(|reason| {
                    wrong(reader.place(field.line, Some(field.column)), reason)
                })?,
            };
            columns.push(column);
            names.push(split(field.text.trim()).0.to_owned());
        }
        if let Some(mapped) = &source.mapped
            && let Some(missing) = mapped
                .expected()
                .find(|name| !names.iter().any(|known| known == name))
        {
            return Err(wrong(
                reader.here(),
                format!("the mapping names the column {missing:?}, which is not there"),
            ));
        }
        let said = part_of(&columns).map_err(|reason| wrong(reader.here(), reason))?;
        let part = match (said, source.part) {
            (Some(said), Some(asked)) if said != asked => {
                return Err(wrong(reader.here(), "the header is of the other kind: nodes have :ID and :LABEL, relationships :START_ID, :END_ID and :TYPE".to_owned()));
            }
            (Some(said), _) => said,
            (None, Some(asked)) => asked,
            (None, None) => {
                return Err(wrong(reader.here(), "nothing says what this is: a header of nodes has :ID or :LABEL, one of relationships :START_ID, :END_ID and :TYPE; or use --nodes, --relationships or --mapping".to_owned()));
            }
        };
        let has = |is: fn(&Column) -> bool| columns.iter().any(is);
        if part == Part::Relationships {
            for (there, word) in [
                (
                    has(|column| matches!(column, Column::Start { .. })),
                    ":START_ID",
                ),
                (
                    has(|column| matches!(column, Column::End { .. })),
                    ":END_ID",
                ),
                (
                    has(|column| matches!(column, Column::Type)) || source.of.is_some(),
                    ":TYPE, and no --relationships TYPE=",
                ),
            ] {
                if !there {
                    return Err(wrong(reader.here(), format!("there is no {word}")));
                }
            }
        }
        Ok(Self {
            columns,
            names,
            part,
            first: reader,
        })
    }
}
