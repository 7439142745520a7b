//! Bugs that the harnesses plant to prove that they would catch them.
//!
//! Without the feature `planted-bugs` every question here is a constant `false`. With it, a bug is
//! planted for the whole process by name, before a database is opened, and never otherwise.

/// A bug that a harness must catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The log is never synced.
    SkipSync,
    /// A commit is acknowledged before its sync.
    AcknowledgeEarly,
    /// One family is left out of every batch.
    DropFamily,
    /// A scan takes a damaged block for the end of the data.
    IgnoreStatus,
    /// The high-water mark is never written.
    SkipMark,
    /// A relationship is not entered at its target.
    SkipInEntry,
    /// A degree stays when a relationship is deleted.
    StaleDegree,
    /// An index keeps the entry of a value that was replaced by another.
    StaleIndex,
    /// A level of a hierarchy stays when its node moves to another.
    LevelNotMoved,
    /// A vector index keeps the vector of what was deleted.
    StaleVector,
    /// A text index keeps the words of what was deleted.
    StaleText,
}

impl Bug {
    /// Every bug with its name on the command line.
    pub const ALL: &[(&str, Self)] = &[
        ("skip-sync", Self::SkipSync),
        ("acknowledge-early", Self::AcknowledgeEarly),
        ("drop-family", Self::DropFamily),
        ("ignore-status", Self::IgnoreStatus),
        ("skip-mark", Self::SkipMark),
        ("skip-in-entry", Self::SkipInEntry),
        ("stale-degree", Self::StaleDegree),
        ("stale-index", Self::StaleIndex),
        ("level-not-moved", Self::LevelNotMoved),
        ("stale-vector", Self::StaleVector),
        ("stale-text", Self::StaleText),
    ];

    /// The bug of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, bug)| *bug)
    }
}

#[cfg(feature = "planted-bugs")]
mod planted {
    use super::Bug;
    use std::sync::OnceLock;

    static PLANTED: OnceLock<Bug> = OnceLock::new();

    /// Plants one bug for the rest of this process. A second call changes nothing.
    pub fn plant(bug: Bug) {
        PLANTED.get_or_init(|| bug);
    }

    pub(crate) fn is(bug: Bug) -> bool {
        PLANTED.get() == Some(&bug)
    }
}

#[cfg(feature = "planted-bugs")]
pub use planted::plant;

#[cfg(feature = "planted-bugs")]
pub(crate) use planted::is;

#[cfg(not(feature = "planted-bugs"))]
pub(crate) const fn is(_: Bug) -> bool {
    false
}
