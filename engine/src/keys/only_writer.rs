//! Somebody who writes much, commit by commit, and means to be the only one, as a load of a dump does.
//!
//! It is given a database of its own (`Database::written_by`), whose transactions say here when they begin and when they
//! are commits. That keeps nobody out; it only tells.

use super::View;
use crate::codec::CommitSeq;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Notes whether anybody else has written between the commits of one writer. The database's own upkeep does not count.
#[derive(Debug)]
pub(crate) struct OnlyWriter {
    /// The last commit of this writer.
    last: AtomicU64,
    is_alone: AtomicBool,
}

impl OnlyWriter {
    /// One who goes on after a commit.
    pub(crate) fn since(commit: CommitSeq) -> Self {
        Self {
            last: AtomicU64::new(commit.get()),
            is_alone: AtomicBool::new(true),
        }
    }

    /// The last commit that it has made.
    pub(crate) fn last(&self) -> CommitSeq {
        CommitSeq::new(self.last.load(Ordering::Acquire))
    }

    /// Whether nobody else had written when any of its transactions began.
    pub(crate) fn is_alone(&self) -> bool {
        self.is_alone.load(Ordering::Acquire)
    }

    /// A transaction of its begins, on top of this.
    pub(super) fn begins(&self, base: &View) {
        if base.written > self.last() {
            self.is_alone.store(false, Ordering::Release);
        }
    }

    /// What it has written is a commit. It still holds the writer's place.
    pub(crate) fn has_made(&self, commit: CommitSeq) {
        self.last.store(commit.get(), Ordering::Release);
    }
}
