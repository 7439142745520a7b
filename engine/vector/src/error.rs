//! What can be wrong with vectors that a caller hands in.

use thiserror::Error;

/// Why vectors could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VectorError {
    /// Two vectors that should be compared have different lengths.
    #[error("a vector of {found} dimensions met one of {expected}")]
    DimensionMismatch {
        /// The dimensions of the rows, or of the left vector.
        expected: usize,
        /// The dimensions of the query, or of the right vector.
        found: usize,
    },
    /// The numbers of a matrix do not make whole rows.
    #[error(
        "{values} numbers are no rows of {dimensions} dimensions that start {stride} numbers apart"
    )]
    BadShape {
        /// How many numbers there are.
        values: usize,
        /// The dimensions a row should have.
        dimensions: usize,
        /// How far apart rows should start.
        stride: usize,
    },
    /// A row was asked for that the matrix does not have.
    #[error("row {place} was asked for, but there are {rows}")]
    NoSuchRow {
        /// The largest place asked for.
        place: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// The room for the results is not as long as the list of rows.
    #[error("{rows} rows were to be scored into room for {room} results")]
    WrongRoom {
        /// How many rows should be scored.
        rows: usize,
        /// How many results fit.
        room: usize,
    },
}

/// Why an index could not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A vector does not fit the index, or cannot be compared.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// The system has not as many addresses or as much memory as the index may use.
    #[error("no memory for {bytes} bytes; lower the index's memory limit")]
    NoMemory {
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// The index has reached its limit.
    #[error(
        "the index is full: its limit of {limit_bytes} bytes has room for {vectors} vectors; raise the limit, or remove vectors and tend"
    )]
    Full {
        /// The limit.
        limit_bytes: usize,
        /// How many vectors fit.
        vectors: usize,
    },
    /// A component is infinite or no number.
    #[error("component {place} of the vector is {value}, which is no finite number")]
    NotFinite {
        /// Which one, from 0 on.
        place: usize,
        /// What it is.
        value: String,
    },
    /// A vector is so long that its products with others would be infinite.
    #[error("the vector is {length} long; what is compared by length may be at most 1e18 long")]
    TooLong {
        /// How long it is.
        length: String,
    },
    /// A vector of length zero has no direction that a cosine could be taken of.
    #[error(
        "a vector of length zero has no direction; under the cosine metric it cannot be indexed"
    )]
    NoDirection,
    /// Whoever asked does not want the answer any more.
    #[error("the search was stopped")]
    Stopped,
    /// A vector could not be kept or read where the vectors are.
    #[error("{place}: {reason}")]
    Original {
        /// Where.
        place: String,
        /// Why.
        reason: String,
    },
    /// A vector in the file of vectors is not the one that was written.
    #[error(
        "the vector of {id}, in slot {slot}, is not in its file as it was written; `Index::mend` puts it back"
    )]
    RowLost {
        /// Where it should be.
        slot: u32,
        /// Whose it is.
        id: u64,
    },
    /// Bytes that should be an index are none, or not this part of it.
    #[error("the snapshot is damaged: {what}; build the index anew")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
    /// Bytes are an index in a format that this version does not know.
    #[error("the snapshot has format {found}, this version reads {known}; build the index anew")]
    OtherFormat {
        /// The one it has.
        found: u32,
        /// The one that is known.
        known: u32,
    },
    /// Bytes are an index, but another one.
    #[error("the snapshot is that of an index with another {what}")]
    OtherIndex {
        /// What is different.
        what: &'static str,
    },
    /// Reading or writing failed.
    #[error("{doing}: {reason}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        reason: String,
    },
    /// What happens later cannot have a smaller sequence.
    #[error(
        "sequence {sequence} comes after {latest}; sequences must not go back, and the last one there is cannot be used"
    )]
    SequenceGoesBack {
        /// The one that was given.
        sequence: u64,
        /// The latest before.
        latest: u64,
    },
    /// What could be seen at this sequence is not all there any more.
    #[error(
        "at sequence {sequence} one would miss what has died since, up to {forgotten}, and was taken out; search at {forgotten} or later"
    )]
    Forgotten {
        /// The one that was asked for.
        sequence: u64,
        /// From which on nothing is missing.
        forgotten: u64,
    },
    /// A number of a query is none.
    #[error("the {what} of the query is no number")]
    NotANumber {
        /// Which.
        what: &'static str,
    },
    /// A part of a snapshot has changed and was not written before the head that is to name it.
    #[error(
        "part {part} of the snapshot has changed and was not written yet; write it before the head"
    )]
    PartMissing {
        /// Which part.
        part: usize,
    },
    /// A setting makes no sense.
    #[error("{setting} is {value}, but must be {wanted}")]
    BadSetting {
        /// Which one.
        setting: &'static str,
        /// What it was set to.
        value: usize,
        /// What it may be.
        wanted: &'static str,
    },
}
