//! Models that compute here, on tiny ones with random weights: right by second implementations in plain loops, and
//! typed errors for whatever else stands in a model's files.

#[cfg(feature = "endpoint")]
mod called;
mod families;
mod hostile;
mod judge;
mod plain;
mod sources;
mod tiny;
