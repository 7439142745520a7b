//! Between the protocol's types and the engine's. Nothing here decides; what cannot be converted is a typed failure.
//!
//! Next: `incoming.rs`, `outgoing.rs`, `written.rs`, `size.rs`.

mod incoming;
mod outgoing;
mod size;
mod summary;
mod written;

pub(crate) use incoming::{parameters, value as value_in, vector};
pub(crate) use outgoing::entries as entries_out;
pub(crate) use size::entry_bytes;
pub(crate) use summary::{micros, summary, text_provenance, vector_provenance};
pub(crate) use written::row as row_out;

/// How deep lists and maps nest in messages. Readers of protocol buffers end at 100 nested messages, and a map in a map
/// takes three.
pub(crate) const MAX_DEPTH: usize = 30;

/// One level further in, if there is one.
fn deeper(depth: usize) -> Result<usize, crate::failure::Failure> {
    depth
        .checked_sub(1)
        .ok_or_else(|| crate::failure::Failure::Limit {
            what: "the nesting of lists and maps in a result",
            limit: MAX_DEPTH.to_string(),
            hint: "return the parts",
        })
}

#[cfg(test)]
mod tests;
