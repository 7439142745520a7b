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
