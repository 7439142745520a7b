//! Between the protocol's types and the engine's. Nothing here decides; what cannot be converted is a typed failure.
//!
//! Next: `incoming.rs`, `outgoing.rs`.

mod incoming;
mod outgoing;
mod summary;

pub(crate) use incoming::{parameters, value as value_in, vector};
pub(crate) use outgoing::{entries as entries_out, values as row_out};
pub(crate) use summary::{micros, summary, text_provenance, vector_provenance};

/// How deep lists and maps nest in messages. Readers of protocol buffers end at 100 nested messages, and a map in a map
/// takes three.
pub(crate) const MAX_DEPTH: usize = 30;

#[cfg(test)]
mod tests;
