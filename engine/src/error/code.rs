//! A stable word for each error, for those who read errors with programs.

use super::Error;

impl Error {
    /// What it is, in one word that stays the same in every version: the code of a query's error, else the name of the
    /// variant.
    ///
    /// ```
    /// use stratigraph::Database;
    ///
    /// let db = Database::in_memory()?;
    /// assert_eq!(db.drop_index("none").unwrap_err().code(), "UnknownName");
    /// assert_eq!(db.query("RETURN persn", ()).unwrap_err().code(), "UndefinedVariable");
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Query(error) => error.detail().name(),
            Self::NotFound { .. } => "NotFound",
            Self::NotADatabase { .. } => "NotADatabase",
            Self::AlreadyExists { .. } => "AlreadyExists",
            Self::AlreadyOpen { .. } => "AlreadyOpen",
            Self::ForeignFile { .. } => "ForeignFile",
            Self::FutureFormat { .. } => "FutureFormat",
            Self::MigrationNeeded { .. } => "MigrationNeeded",
            Self::RecoveryNeeded { .. } => "RecoveryNeeded",
            Self::LoadInProgress => "LoadInProgress",
            Self::DataLoss { .. } => "DataLoss",
            Self::Corruption { .. } => "Corruption",
            Self::Record { .. } => "Record",
            Self::ReadOnly => "ReadOnly",
            Self::Closed => "Closed",
            Self::WriterQueueTimeout { .. } => "WriterQueueTimeout",
            Self::TransactionExpired { .. } => "TransactionExpired",
            Self::TransactionTooLarge { .. } => "TransactionTooLarge",
            Self::TooLarge { .. } => "TooLarge",
            Self::UnknownSavepoint => "UnknownSavepoint",
            Self::Cancelled => "Cancelled",
            Self::Poisoned { .. } => "Poisoned",
            Self::OutcomeUnknown { .. } => "OutcomeUnknown",
            Self::PartlyCommitted { .. } => "PartlyCommitted",
            Self::DiskFull { .. } => "DiskFull",
            Self::ReservedKey => "ReservedKey",
            Self::BulkOrder { .. } => "BulkOrder",
            Self::BulkExists { .. } => "BulkExists",
            Self::NodeNotFound { .. } => "NodeNotFound",
            Self::RelationshipNotFound { .. } => "RelationshipNotFound",
            Self::HasRelationships { .. } => "HasRelationships",
            Self::TooConnected { .. } => "TooConnected",
            Self::NotStorable { .. } => "NotStorable",
            Self::WrongType { .. } => "WrongType",
            Self::NoValue { .. } => "NoValue",
            Self::TooMany { .. } => "TooMany",
            Self::BadName { .. } => "BadName",
            Self::UnknownName { .. } => "UnknownName",
            Self::AlreadyDeclared { .. } => "AlreadyDeclared",
            Self::PropertiesIndexed { .. } => "PropertiesIndexed",
            Self::DroppedMeanwhile { .. } => "DroppedMeanwhile",
            Self::IndexOfConstraint { .. } => "IndexOfConstraint",
            Self::IndexOfVectorIndex { .. } => "IndexOfVectorIndex",
            Self::NeededForFilter { .. } => "NeededForFilter",
            Self::BadDeclaration { .. } => "BadDeclaration",
            Self::IndexNotReady { .. } => "IndexNotReady",
            Self::NotIndexable { .. } => "NotIndexable",
            Self::NoRange { .. } => "NoRange",
            Self::IndexedValueTooLong { .. } => "IndexedValueTooLong",
            Self::ConstraintViolation(_) => "ConstraintViolation",
            Self::HierarchyCycle { .. } => "HierarchyCycle",
            Self::HierarchyParent { .. } => "HierarchyParent",
            Self::HierarchyTooLarge { .. } => "HierarchyTooLarge",
            Self::MixedDimensions { .. } => "MixedDimensions",
            Self::NoVectors { .. } => "NoVectors",
            Self::VectorsTooLarge { .. } => "VectorsTooLarge",
            Self::Dump(_) => "Dump",
            Self::VectorIndex { .. } => "VectorIndex",
            Self::VectorRefused { .. } => "VectorRefused",
            Self::NotAVector { .. } => "NotAVector",
            Self::VectorIndexFailed { .. } => "VectorIndexFailed",
            Self::NotFilterable { .. } => "NotFilterable",
            Self::Vector(_) => "Vector",
            Self::Bug { .. } => "Bug",
            Self::Io { .. } => "Io",
            Self::Store { .. } => "Store",
            Self::NeedsDisk { .. } => "NeedsDisk",
            Self::Setting { .. } => "Setting",
            Self::NoSuchBackup { .. } => "NoSuchBackup",
        }
    }
}
