//! Bugs that the harnesses plant to prove that they would catch them.
//!
//! Without the feature `planted-bugs` every question here is a constant `false`. With it, a bug is
//! planted for the whole process by name, before a database is opened, and never otherwise. In the same way
//! a process can be made to end at a certain [`step`] of what takes many of them, as if it had been killed.

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
    use std::sync::atomic::{AtomicU64, Ordering};

    static PLANTED: OnceLock<Bug> = OnceLock::new();

    /// Plants one bug for the rest of this process. A second call changes nothing.
    pub fn plant(bug: Bug) {
        PLANTED.get_or_init(|| bug);
    }

    pub(crate) fn is(bug: Bug) -> bool {
        PLANTED.get() == Some(&bug)
    }

    /// At which step the process ends; 0 for none.
    static ENDS_AT: AtomicU64 = AtomicU64::new(0);
    static STEPS: AtomicU64 = AtomicU64::new(0);

    /// Ends this process, without any farewell, at one of the steps that it will make.
    pub fn end_at(step: u64) {
        ENDS_AT.store(step, Ordering::SeqCst);
    }

    /// How many steps were made.
    pub fn steps() -> u64 {
        STEPS.load(Ordering::SeqCst)
    }

    pub(crate) fn step(what: &str) {
        let made = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        if made == ENDS_AT.load(Ordering::SeqCst) {
            eprintln!("ends at step {made}: {what}");
            std::process::abort();
        }
    }
}

#[cfg(feature = "planted-bugs")]
pub use planted::{end_at, plant, steps};

#[cfg(feature = "planted-bugs")]
pub(crate) use planted::{is, step};

#[cfg(not(feature = "planted-bugs"))]
pub(crate) const fn is(_: Bug) -> bool {
    false
}

#[cfg(not(feature = "planted-bugs"))]
pub(crate) const fn step(_: &str) {}
