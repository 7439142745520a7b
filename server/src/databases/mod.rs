//! The databases of a server, by name.
//!
//! A root folder has a folder for each database; a server of one existing database has just that one. Names come from
//! outside and become folders, so a name is a letter and then letters, digits, `_` and `-`: nothing that a path could
//! be made of.
//!
//! Nothing here knows who calls: `caller.rs` asks for the role before it hands out a database.
//!
//! Next: `open.rs`, then `registry.rs`.

mod holds;
mod leaving;
mod named;
mod open;
mod prepared;
mod registry;

pub(crate) use holds::{BEGINNING, BULK_WRITE, EXPORT, Hold, INGESTION};
pub(crate) use named::{NamedQueries, NamedQuery};
pub(crate) use open::{Doing, OpenDatabase, WriterTurn};
pub use registry::StartError;
pub(crate) use registry::{Databases, bad_name};

/// The longest name.
const MAX_NAME_BYTES: usize = 64;

/// Whether it can be the name of a database: also of a folder, on every system.
#[must_use]
pub(crate) fn is_name(name: &str) -> bool {
    let inner =
        |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_' || one == '-';
    name.len() <= MAX_NAME_BYTES
        && name.starts_with(|one: char| one.is_ascii_lowercase())
        && name.chars().all(inner)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn names_are_never_paths() {
        for name in ["a", "library", "library-2", "a_b", &"a".repeat(64)] {
            assert!(is_name(name), "{name}");
        }
        let long = "a".repeat(65);
        for name in [
            "", ".", "..", "../a", "a/b", "/a", "a\\b", "A", "1a", "-a", "_a", "a b", "a.b", "a\0",
            "ä", "a\n", "*", "con:", &long,
        ] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
