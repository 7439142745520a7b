//! The one error type of the engine, and what a caller can do about each.
//!
//! Errors carry fields, never formatted strings, so that the command line, gRPC and tests read the
//! same facts. [`Error::kind`] says what to do; the message says what happened and, where there is
//! something to do, names it. No error type of a dependency appears here.

use crate::codec::{CodecError, CommitSeq, DatabaseId, FormatVersion};
use crate::exchange::DumpError;
use crate::graph::Entity;
use crate::query::QueryError;
use crate::storage::files::holder::Holders;
use crate::value::{NodeId, NotStorable, RelationshipId, ValueKind};
use std::path::PathBuf;
use std::sync::Arc;
use stratigraph_vector::{IndexError, VectorError};

mod code;
mod cycle;
mod kind;
mod limit;
mod make;
mod violation;

pub use cycle::Cycle;
pub use kind::ErrorKind;
pub use limit::TimeLimit;
pub use violation::{Violation, ViolationReason};

/// The engine's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in the engine.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A query is wrong, or went wrong.
    #[error("{0}")]
    Query(Box<QueryError>),
    /// There is no database at the path.
    #[error("no database at {}: create one with `Database::create` or the builder's `create_if_missing`", path.display())]
    NotFound {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The folder holds something else.
    #[error("{} is not a Stratigraph database: {reason}", path.display())]
    NotADatabase {
        /// The folder.
        path: PathBuf,
        /// What was seen there.
        reason: &'static str,
    },
    /// `create` met something that is already there.
    #[error("{} already exists and is not empty", path.display())]
    AlreadyExists {
        /// The path.
        path: PathBuf,
    },
    /// Another process, or another handle of this one, holds the database.
    #[error("{} is open elsewhere{holders}", path.display())]
    AlreadyOpen {
        /// The database's folder.
        path: PathBuf,
        /// Who has it, as far as can be known.
        holders: Box<Holders>,
    },
    /// A file belongs to another database.
    #[error("{} belongs to database {found}, not to {expected}: it was copied from elsewhere; put the right file back or restore a backup", path.display())]
    ForeignFile {
        /// The file.
        path: PathBuf,
        /// The database it lies in.
        expected: DatabaseId,
        /// The database it names.
        found: DatabaseId,
    },
    /// The database was written by a newer version of the engine.
    #[error("{} has format {found}; this version reads up to {supported}: use a newer stratigraph", path.display())]
    FutureFormat {
        /// The file that says so.
        path: PathBuf,
        /// The format it names.
        found: FormatVersion,
        /// The newest format this version knows.
        supported: FormatVersion,
    },
    /// The database has an older format and may not be written now.
    #[error("{} has format {found} and must be upgraded to {current} first: open it once for writing", path.display())]
    MigrationNeeded {
        /// The database's folder.
        path: PathBuf,
        /// Its format.
        found: FormatVersion,
        /// The format of this version.
        current: FormatVersion,
    },
    /// What a crash has left must be put in order first, which a read-only open cannot do.
    #[error("{} must be opened once for writing first: {why}", path.display())]
    RecoveryNeeded {
        /// The database's folder.
        path: PathBuf,
        /// What was left.
        why: &'static str,
    },
    /// What was asked for has to wait for the bulk load that is going on.
    #[error("a bulk load is going on, and this has to wait for it: try again when it has finished")]
    LoadInProgress,
    /// Acknowledged commits are missing.
    #[error("acknowledged commits are lost in {}: commits up to {acknowledged} were acknowledged, the files hold up to {recovered}; nothing was changed: restore a backup, or keep what is left with `stratigraph recover --accept-loss`", path.display())]
    DataLoss {
        /// The database's folder.
        path: PathBuf,
        /// The last commit that was acknowledged as durable.
        acknowledged: CommitSeq,
        /// The last commit that the files hold.
        recovered: CommitSeq,
    },
    /// Stored bytes are not what was written.
    #[error("{} is damaged: {what}", path.display())]
    Corruption {
        /// The file or, where only RocksDB knows it, the folder.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// A stored key or record does not decode.
    #[error("a record in family {family} is damaged: {source}")]
    Record {
        /// The family.
        family: &'static str,
        /// What the decoder met.
        source: CodecError,
    },
    /// The database was opened read-only.
    #[error("the database is open read-only")]
    ReadOnly,
    /// The database handle was closed.
    #[error("the database is closed")]
    Closed,
    /// The writer before this one took too long.
    #[error(
        "waited {waited_ms} ms for another write transaction to end (limit {limit_ms} ms): try again, keep write transactions short, or raise `write_queue_timeout`"
    )]
    WriterQueueTimeout {
        /// How long it waited.
        waited_ms: u64,
        /// The limit.
        limit_ms: u64,
    },
    /// The write transaction was idle or open for too long and has been rolled back.
    #[error("the write transaction was rolled back: its {limit} limit of {limit_ms} ms had passed")]
    TransactionExpired {
        /// Which limit.
        limit: TimeLimit,
        /// Its value.
        limit_ms: u64,
    },
    /// The write transaction holds too much.
    #[error(
        "the write transaction would hold {bytes} bytes, over its limit of {limit_bytes}: commit in smaller portions, or raise `transaction_bytes`"
    )]
    TransactionTooLarge {
        /// What it would have held.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// A key or value is larger than the engine stores.
    #[error("a {what} of {bytes} bytes is over the limit of {limit_bytes}")]
    TooLarge {
        /// `key` or `value`.
        what: &'static str,
        /// Its length.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The savepoint was released or rolled back past, or is another transaction's.
    #[error(
        "this transaction has no such savepoint: it was released, the transaction was rolled back to an earlier one, or it is another transaction's"
    )]
    UnknownSavepoint,
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
    /// An earlier write failed; nothing may be written until the database is opened again.
    #[error(
        "writing has stopped since an earlier write failed ({cause}): reading goes on; open the database again to write"
    )]
    Poisoned {
        /// What failed.
        cause: Arc<str>,
    },
    /// The commit failed half-way: it may or may not be there after the next open.
    #[error(
        "the outcome of this commit is unknown ({cause}): it may or may not be there when the database is opened again"
    )]
    OutcomeUnknown {
        /// What failed.
        cause: Arc<str>,
    },
    /// A statement that commits in portions ended half-way.
    #[error(
        "{portions} {} committed, and then: {source}; look at what is there before you run the statement again",
        if *portions == 1 { "portion is" } else { "portions are" }
    )]
    PartlyCommitted {
        /// How many portions are committed.
        portions: u64,
        /// What ended it.
        source: Box<Error>,
    },
    /// The disk has no room left above the reserve.
    #[error("the disk of {} is full: {free_bytes} bytes are free and {needed_bytes} are needed (the reserve included); deleting still works, reading too", path.display())]
    DiskFull {
        /// The database's folder.
        path: PathBuf,
        /// What the file system offers.
        free_bytes: u64,
        /// What the write wanted, with the reserve that stays free for deletes.
        needed_bytes: u64,
    },
    /// The key is one that the storage floor keeps for itself.
    #[error(
        "keys of family meta below tag 16 belong to the storage floor: nobody else may write them"
    )]
    ReservedKey,
    /// Keys of a bulk load came out of order.
    #[error("bulk load of family {family}: keys must rise, and entry {entry} does not")]
    BulkOrder {
        /// The family.
        family: &'static str,
        /// Which entry of this family, from 0.
        entry: u64,
    },
    /// A bulk load met a key that is already stored.
    #[error("bulk load of family {family}: entry {entry} is already stored; a bulk load only adds")]
    BulkExists {
        /// The family.
        family: &'static str,
        /// Which entry of this family, from 0.
        entry: u64,
    },
    /// No node has this id.
    #[error("there is no node {node}")]
    NodeNotFound {
        /// The id.
        node: NodeId,
    },
    /// No relationship has this id.
    #[error("there is no relationship {relationship}")]
    RelationshipNotFound {
        /// The id.
        relationship: RelationshipId,
    },
    /// The node cannot be deleted alone.
    #[error(
        "node {node} still has {relationships} relationships: delete them first, or use `detach_delete_node`"
    )]
    HasRelationships {
        /// The node.
        node: NodeId,
        /// How many relationships it has.
        relationships: u64,
    },
    /// Deleting the node does not fit into a transaction.
    #[error(
        "deleting node {node} and its {relationships} relationships would take about {bytes} bytes, and the transaction has {limit_bytes} left: delete them in portions, a transaction each, with `delete_relationships_of`, or raise `transaction_bytes`"
    )]
    TooConnected {
        /// The node.
        node: NodeId,
        /// How many relationships it has.
        relationships: u64,
        /// What deleting them would hold.
        bytes: u64,
        /// What the transaction may still hold.
        limit_bytes: u64,
    },
    /// The value cannot be a property.
    #[error("property {property} cannot be stored: {source}")]
    NotStorable {
        /// The property.
        property: Arc<str>,
        /// Why not.
        source: Box<NotStorable>,
    },
    /// A value was to be read as something else.
    #[error("{path} is of kind {found} and cannot be read: {problem}")]
    WrongType {
        /// Which part of the value or row: `friends[1].name`.
        path: String,
        /// What is there.
        found: ValueKind,
        /// What was wanted.
        problem: String,
    },
    /// Something of the host cannot be a value.
    #[error("this cannot be a value of the database: {problem}")]
    NoValue {
        /// Why not.
        problem: String,
    },
    /// There are more of something than there may be.
    #[error("{count} {what} are over the limit of {limit}")]
    TooMany {
        /// What there is too much of, in the plural.
        what: &'static str,
        /// How many there would be.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// This cannot be a name.
    #[error(
        "{name:?} cannot be the name of a {what}: names have 1 to {limit_bytes} bytes and no zero byte"
    )]
    BadName {
        /// What it should have named.
        what: &'static str,
        /// How the name begins.
        name: String,
        /// The longest name.
        limit_bytes: u64,
    },
    /// Nothing declared has this name.
    #[error("there is no {what} {name}")]
    UnknownName {
        /// What was asked for.
        what: &'static str,
        /// Its name.
        name: Arc<str>,
    },
    /// Something declared has this name already, or is just the same.
    #[error(
        "{what} {name} is already there{}",
        if *building { "; it is being built, or its building was cut short: `Database::finish_schema` goes on with it" } else { "" }
    )]
    AlreadyDeclared {
        /// What it is.
        what: &'static str,
        /// Its name.
        name: Arc<str>,
        /// Whether it is still being built.
        building: bool,
    },
    /// The properties have an index already, and a constraint needs one of its own.
    #[error("{what} {name} is on the same properties, which have one index at most: drop it first")]
    PropertiesIndexed {
        /// What is to be dropped: `index` or `constraint`.
        what: &'static str,
        /// Its name.
        name: Arc<str>,
    },
    /// Somebody dropped what was being built.
    #[error("{what} {name} was dropped while it was being built: it is not there")]
    DroppedMeanwhile {
        /// What it was: `index` or `constraint`.
        what: &'static str,
        /// Its name.
        name: Arc<str>,
    },
    /// The index belongs to a constraint.
    #[error("index {index} proves constraint {constraint}: drop the constraint instead")]
    IndexOfConstraint {
        /// The index.
        index: Arc<str>,
        /// The constraint.
        constraint: Arc<str>,
    },
    /// The index belongs to a vector index.
    #[error("index {index} is what vector index {owner} is filtered by: drop that one instead")]
    IndexOfVectorIndex {
        /// The index.
        index: Arc<str>,
        /// The vector index.
        owner: Arc<str>,
    },
    /// A vector index is filtered by the index that proves the constraint.
    #[error(
        "constraint {constraint} is needed: vector index {needed_by} is filtered by it; drop that one first"
    )]
    NeededForFilter {
        /// The constraint.
        constraint: Arc<str>,
        /// The vector index.
        needed_by: Arc<str>,
    },
    /// The declaration cannot be.
    #[error("{what}: {reason}")]
    BadDeclaration {
        /// What was declared.
        what: &'static str,
        /// What does not fit.
        reason: &'static str,
    },
    /// The index is still being built.
    #[error(
        "index {index} is not ready: it is being built, or its building was cut short; `Database::finish_schema` goes on with it"
    )]
    IndexNotReady {
        /// The index.
        index: Arc<str>,
    },
    /// Values of this kind cannot be in an index.
    #[error("index {index} cannot hold a {kind}")]
    NotIndexable {
        /// The index.
        index: Arc<str>,
        /// The kind.
        kind: ValueKind,
    },
    /// An index cannot find what lies between values of this kind.
    #[error(
        "index {index} cannot look up a range of {kind} values; look up the others and compare them yourself"
    )]
    NoRange {
        /// The index.
        index: Arc<str>,
        /// The kind.
        kind: ValueKind,
    },
    /// The values are too long for an index.
    #[error(
        "{entity} has values of {bytes} bytes for index {index}, over the limit of {limit_bytes}: drop the index, or index something shorter"
    )]
    IndexedValueTooLong {
        /// The index.
        index: Arc<str>,
        /// What has the values.
        entity: Entity,
        /// How long they are as a key.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// A constraint refuses the change.
    #[error("{0}")]
    ConstraintViolation(Box<Violation>),
    /// The relationship would close a cycle in a hierarchy.
    #[error("hierarchy {hierarchy} has no cycles, and this relationship would close one: {cycle}")]
    HierarchyCycle {
        /// The hierarchy.
        hierarchy: Arc<str>,
        /// From the child down to the parent.
        cycle: Cycle,
    },
    /// The child has a parent already, and the hierarchy is a tree.
    #[error(
        "hierarchy {hierarchy} is a tree: node {child} has the parent {parent} and cannot get {refused} too; delete that relationship first"
    )]
    HierarchyParent {
        /// The hierarchy.
        hierarchy: Arc<str>,
        /// The child.
        child: NodeId,
        /// Its parent.
        parent: NodeId,
        /// The parent that was refused.
        refused: NodeId,
    },
    /// A question about a hierarchy needs too much reading.
    #[error(
        "hierarchy {hierarchy}: this change would have to look at more than {limit} nodes and relationships at once: make it in smaller steps"
    )]
    HierarchyTooLarge {
        /// The hierarchy.
        hierarchy: Arc<str>,
        /// The limit.
        limit: u64,
    },
    /// Vectors that should be compared have different numbers of components.
    #[error(
        "property {property} has vectors of {expected} and of {found} dimensions (node {node} is the first of these): they cannot be compared"
    )]
    MixedDimensions {
        /// The property.
        property: Arc<str>,
        /// The first node whose vector does not fit.
        node: NodeId,
        /// The dimensions of those before.
        expected: u64,
        /// Its dimensions.
        found: u64,
    },
    /// Nobody has a vector in a property that was to be compared.
    #[error("no node has a vector in property {property}")]
    NoVectors {
        /// The property.
        property: Arc<str>,
    },
    /// The vectors of a property are more than may be held.
    #[error(
        "the vectors of property {property} take more than {limit_bytes} bytes: read those of fewer nodes, or allow more"
    )]
    VectorsTooLarge {
        /// The property.
        property: Arc<str>,
        /// The limit.
        limit_bytes: u64,
    },
    /// A dump was not written or not loaded.
    #[error("{0}")]
    Dump(Box<DumpError>),
    /// A vector index refuses a vector, a query or a snapshot.
    #[error("vector index {index}: {source}")]
    VectorIndex {
        /// The index.
        index: Arc<str>,
        /// Why.
        source: Box<IndexError>,
    },
    /// A node or relationship has a vector that an index cannot hold.
    #[error("{entity} has a vector that vector index {index} refuses: {source}")]
    VectorRefused {
        /// The index.
        index: Arc<str>,
        /// What has it.
        entity: Entity,
        /// Why.
        source: Box<IndexError>,
    },
    /// A property that a vector index is on holds something else than a vector.
    #[error(
        "{entity} has a {kind} where vector index {index} needs a vector of {dimensions} dimensions"
    )]
    NotAVector {
        /// The index.
        index: Arc<str>,
        /// What has it.
        entity: Entity,
        /// What it is.
        kind: ValueKind,
        /// What the index holds.
        dimensions: u32,
    },
    /// A vector index could not be made.
    #[error(
        "vector index {index} could not be made: {cause}; put that right, drop the index and create it again"
    )]
    VectorIndexFailed {
        /// The index.
        index: Arc<str>,
        /// What stood in the way.
        cause: Arc<str>,
    },
    /// A vector index was not declared to be filtered by that property.
    #[error(
        "vector index {index} cannot be filtered by {property}: declare it with `filterable`, or pass a set of ids"
    )]
    NotFilterable {
        /// The index.
        index: Arc<str>,
        /// The property.
        property: Arc<str>,
    },
    /// Vectors do not fit together.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// The engine met a state that its own rules exclude.
    #[error("a bug in the engine: {what}; please report it")]
    Bug {
        /// What was met.
        what: &'static str,
    },
    /// The operating system refused something.
    #[error("cannot {operation} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        operation: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// The store below refused something that is neither damage nor an I/O error.
    #[error("the store refused to {operation}: {message}")]
    Store {
        /// What was tried, as a verb.
        operation: &'static str,
        /// What the store said.
        message: String,
    },
    /// This kind of database cannot do that.
    #[error("{operation} needs a database on disk")]
    NeedsDisk {
        /// What was asked for.
        operation: &'static str,
    },
    /// A setting is out of range.
    #[error("setting {name} = {value}: {reason}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What it was set to.
        value: u64,
        /// Why not.
        reason: &'static str,
    },
    /// The backup asked for does not exist.
    #[error("{} holds no backup {wanted}", path.display())]
    NoSuchBackup {
        /// The backup folder.
        path: PathBuf,
        /// Which backup was asked for.
        wanted: u64,
    },
}
