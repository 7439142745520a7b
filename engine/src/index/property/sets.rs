//! What has one value, as a set: reading forty thousand entries takes longer than most searches among them, and the next
//! one often asks for the same.
//!
//! ```text
//! a reader at commit 7 reads a set         -> it counts from 7 on
//! a commit that changes one of its entries -> it is forgotten before that commit can be seen
//! a reader at commit 6                     -> reads it for himself
//! ```
//! While a commit that changes entries is under way nothing is kept, nor is what was read before the last of them: nobody
//! knows whether it still holds.

use crate::codec::CommitSeq;
use crate::error::Result;
use crate::storage::range::KeyRange;
use parking_lot::Mutex;
use roaring::RoaringTreemap;
use std::sync::Arc;

/// What all sets together may take, about.
const MOST_BYTES: usize = 32 << 20;
/// So many are kept: each commit that changes entries looks whether it changes one of them.
const MOST_SETS: usize = 64;
/// A smaller set is read as quickly as it is found here.
const LEAST_IDS: u64 = 256;
/// A longer value is not kept: whoever asks must not decide how much memory that takes.
const LONGEST_PREFIX: usize = 1 << 10;

/// The sets that were asked for lately, of all indexes of a database.
#[derive(Default)]
pub struct ValueSets {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The one used last comes last.
    kept: Vec<Kept>,
    /// The last commit that has changed an entry of any index.
    changed: Option<CommitSeq>,
    /// How many of such commits are under way.
    changing: usize,
}

struct Kept {
    /// What the keys of its entries begin with.
    prefix: Vec<u8>,
    from: CommitSeq,
    set: ValueSet,
}

/// What has a value, unless that is too much.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ValueSet {
    All(Arc<RoaringTreemap>),
    MoreThan(u64),
}

impl ValueSet {
    /// The set, if it has no more than `most`; nothing if this does not say.
    pub(super) fn within(&self, most: u64) -> Option<Option<Arc<RoaringTreemap>>> {
        match self {
            Self::All(ids) => Some((ids.len() <= most).then(|| Arc::clone(ids))),
            Self::MoreThan(count) => (most <= *count).then_some(None),
        }
    }

    fn is_worth_keeping(&self) -> bool {
        match self {
            Self::All(ids) => ids.len() >= LEAST_IDS,
            Self::MoreThan(count) => *count >= LEAST_IDS,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::All(ids) => ids.serialized_size(),
            Self::MoreThan(_) => 0,
        }
    }
}

impl ValueSets {
    /// The set of a value at a commit, if it has no more than `most` ids. `read` reads it, or that there are more.
    pub(super) fn find(
        &self,
        prefix: &[u8],
        commit: CommitSeq,
        most: u64,
        read: impl FnOnce() -> Result<ValueSet>,
    ) -> Result<Option<Arc<RoaringTreemap>>> {
        if let Some(found) = self.state.lock().find(prefix, commit, most) {
            return Ok(found);
        }
        let set = read()?;
        let found = set.within(most).flatten();
        if prefix.len() <= LONGEST_PREFIX && set.is_worth_keeping() {
            self.state.lock().keep(Kept {
                prefix: prefix.to_vec(),
                from: commit,
                set,
            });
        }
        Ok(found)
    }

    /// Forgets the sets of which a commit `touches` an entry, and keeps no other until the commit is known.
    pub(crate) fn change(&self, touches: impl Fn(&KeyRange) -> bool) -> Changing<'_> {
        let mut state = self.state.lock();
        state
            .kept
            .retain(|kept| !touches(&KeyRange::prefix(&kept.prefix)));
        state.changing += 1;
        Changing(self)
    }

    /// What they take, about.
    pub(crate) fn bytes(&self) -> u64 {
        self.state.lock().bytes() as u64
    }
}

impl State {
    fn find(
        &mut self,
        prefix: &[u8],
        commit: CommitSeq,
        most: u64,
    ) -> Option<Option<Arc<RoaringTreemap>>> {
        let is_it = |kept: &Kept| kept.from <= commit && kept.prefix == prefix;
        let at = self.kept.iter().position(is_it)?;
        let found = self.kept[at].set.within(most)?;
        let used = self.kept.remove(at);
        self.kept.push(used);
        Some(found)
    }

    fn keep(&mut self, new: Kept) {
        let is_of_now = self.changed.is_none_or(|changed| changed <= new.from);
        if self.changing > 0 || !is_of_now {
            return;
        }
        self.kept.retain(|kept| kept.prefix != new.prefix);
        self.kept.push(new);
        while self.kept.len() > MOST_SETS || self.bytes() > MOST_BYTES {
            self.kept.remove(0);
        }
    }

    fn bytes(&self) -> usize {
        let sets = self.kept.iter();
        sets.map(|kept| kept.prefix.len() + kept.set.bytes()).sum()
    }
}

/// A commit that changes entries is under way, until this is dropped.
#[must_use]
pub(crate) struct Changing<'a>(&'a ValueSets);

impl Changing<'_> {
    /// Says which commit it was, before anybody can see it.
    pub(crate) fn at(self, commit: CommitSeq) {
        self.0.state.lock().changed = Some(commit);
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.0.state.lock().changing -= 1;
    }
}

#[cfg(test)]
mod tests;
