//! What a caller can do about each error.

use super::Error;
use stratigraph_vector::IndexError;

/// What a caller should do about an [`Error`]. The list is closed on purpose: whoever maps it must think again when
/// there is something else to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is wrong: change it, trying again as it is cannot help.
    Request,
    /// Nothing is wrong with the request: try it again.
    Retry,
    /// Somebody else has what was asked for.
    Conflict,
    /// Stored bytes are not what was written: restore from a backup.
    Corrupt,
    /// The database cannot serve this now (disk full, sync failed, closed).
    Unavailable,
    /// The engine broke a promise to itself: please report it.
    Bug,
}

impl ErrorKind {
    /// The kind as one lower-case word, for `--json` and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Retry => "retry",
            Self::Conflict => "conflict",
            Self::Corrupt => "corrupt",
            Self::Unavailable => "unavailable",
            Self::Bug => "bug",
        }
    }
}

impl Error {
    /// What to do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Query(_)
            | Self::NotFound { .. }
            | Self::NotADatabase { .. }
            | Self::AlreadyExists { .. }
            | Self::FutureFormat { .. }
            | Self::MigrationNeeded { .. }
            | Self::RecoveryNeeded { .. }
            | Self::ReadOnly
            | Self::TransactionTooLarge { .. }
            | Self::TooLarge { .. }
            | Self::UnknownSavepoint
            | Self::Cancelled
            | Self::PartlyCommitted { .. }
            | Self::ReservedKey
            | Self::BulkOrder { .. }
            | Self::BulkExists { .. }
            | Self::NeedsDisk { .. }
            | Self::Setting { .. }
            | Self::NoSuchBackup { .. }
            | Self::NodeNotFound { .. }
            | Self::RelationshipNotFound { .. }
            | Self::HasRelationships { .. }
            | Self::TooConnected { .. }
            | Self::NotStorable { .. }
            | Self::WrongType { .. }
            | Self::NoValue { .. }
            | Self::TooMany { .. }
            | Self::BadName { .. }
            | Self::UnknownName { .. }
            | Self::AlreadyDeclared { .. }
            | Self::PropertiesIndexed { .. }
            | Self::IndexOfConstraint { .. }
            | Self::BadDeclaration { .. }
            | Self::NotIndexable { .. }
            | Self::NoRange { .. }
            | Self::MixedDimensions { .. }
            | Self::NoVectors { .. }
            | Self::VectorsTooLarge { .. }
            | Self::Vector(_)
            | Self::IndexedValueTooLong { .. }
            | Self::ConstraintViolation(_)
            | Self::HierarchyCycle { .. }
            | Self::HierarchyParent { .. }
            | Self::HierarchyTooLarge { .. } => ErrorKind::Request,
            Self::VectorRefused { .. }
            | Self::NotAVector { .. }
            | Self::VectorIndexFailed { .. }
            | Self::NotFilterable { .. }
            | Self::IndexOfVectorIndex { .. }
            | Self::NeededForFilter { .. } => ErrorKind::Request,
            Self::VectorIndex { source, .. } => of_index(source),
            Self::LoadInProgress
            | Self::IndexNotReady { .. }
            | Self::WriterQueueTimeout { .. }
            | Self::TransactionExpired { .. } => ErrorKind::Retry,
            Self::AlreadyOpen { .. } | Self::DroppedMeanwhile { .. } => ErrorKind::Conflict,
            Self::ForeignFile { .. }
            | Self::DataLoss { .. }
            | Self::Corruption { .. }
            | Self::Record { .. } => ErrorKind::Corrupt,
            Self::Closed
            | Self::Poisoned { .. }
            | Self::OutcomeUnknown { .. }
            | Self::DiskFull { .. }
            | Self::Io { .. } => ErrorKind::Unavailable,
            Self::Dump(error) => error.kind(),
            Self::Store { .. } | Self::Bug { .. } => ErrorKind::Bug,
        }
    }
}

/// What to do about an error of a vector index.
fn of_index(error: &IndexError) -> ErrorKind {
    match error {
        IndexError::Damaged { .. }
        | IndexError::OtherFormat { .. }
        | IndexError::OtherIndex { .. }
        | IndexError::RowLost { .. } => ErrorKind::Corrupt,
        IndexError::Full { .. }
        | IndexError::NoMemory { .. }
        | IndexError::Original { .. }
        | IndexError::Io { .. } => ErrorKind::Unavailable,
        IndexError::SequenceGoesBack { .. } => ErrorKind::Bug,
        _ => ErrorKind::Request,
    }
}
