//! What ends a transfer: the words that the user reads.

use stratigraph_tables::export::ExportError;
use stratigraph_tables::{BadRecord, Place, TableError};

use crate::failure::Failure;

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Input { name, source } => Self::Input { name, source },
            TableError::Unreadable { place, reason } => {
                TransferError::Unreadable { place, reason }.into()
            }
            TableError::TooLong { place, what, limit } => {
                let reason =
                    format!("{what} of more than {limit} bytes: --record-limit takes longer ones");
                TransferError::Unreadable { place, reason }.into()
            }
        }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Engine(error) => error.into(),
            other => TransferError::NoForm(other).into(),
        }
    }
}

/// What ends a transfer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TransferError {
    /// A record is bad, and none may be.
    #[error(
        "{0}\nNothing was imported. --skip-bad N leaves out up to N such records, --dry-run finds them first"
    )]
    Bad(BadRecord),
    /// More records are bad than may be.
    #[error("more than {limit} records are bad; the last was {last}\nNothing was imported")]
    TooManyBad { limit: u64, last: BadRecord },
    /// Nothing after this place can be understood.
    #[error("{place}: {reason}\nNothing was imported")]
    Unreadable { place: Place, reason: String },
    /// The header of a CSV file makes no sense.
    #[error("{place}: {reason}")]
    Header { place: Place, reason: String },
    /// The mapping makes no sense.
    #[error("the mapping {file}: {reason}")]
    Mapping { file: String, reason: String },
    /// The declarations refuse what was imported.
    #[error("{file}: {reason}\n{after}")]
    Declaration {
        file: String,
        reason: String,
        after: &'static str,
    },
    /// What was asked for cannot be.
    #[error("{0}")]
    Request(String),
    /// The graph holds what the form cannot say.
    #[error("{0}")]
    NoForm(ExportError),
}
