//! What the planner asks about the graph, answered by a transaction, and whether the answers still hold.
//!
//! Next: `compile.rs`.

use super::plan::Statistics;
use crate::catalog::{Catalog, Counter, IndexDef};
use crate::error::{Error, Result};
use crate::graph::Read;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A count that is so many times what it was is another one.
const FACTOR: u64 = 4;
/// Below this many nobody cares.
const FEW: u64 = 16;
/// A plan is looked at again after so many commits at most.
const MOST_COMMITS: u64 = 64;
/// And within a transaction each time that it is used so often.
const USES: u64 = 8;

/// Counts of one transaction. What could not be read is told at the end: a plan is made of numbers.
pub(super) struct Counts<'a, R> {
    read: &'a R,
    /// What was asked for, each once.
    counted: RefCell<BTreeMap<Counter, u64>>,
    /// Distinct values of indexes.
    distinct: RefCell<BTreeMap<Arc<str>, u64>>,
    /// Names of which there was nothing.
    unknown: RefCell<Vec<Name>>,
    failed: RefCell<Option<Error>>,
}

/// A name that nothing had.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Label(Arc<str>),
    Type(Arc<str>),
}

impl Name {
    fn is_known(&self, catalog: &Catalog) -> bool {
        match self {
            Self::Label(name) => catalog.labels.id(name).is_some(),
            Self::Type(name) => catalog.types.id(name).is_some(),
        }
    }
}

/// What a plan was made by: while it is about the same, so is the plan.
#[derive(Debug, Default)]
pub(super) struct Guards {
    counts: Vec<(Counter, u64)>,
    unknown: Vec<Name>,
    /// The commit that the plan was made at, and the one from which it is looked at again: sooner for a new plan.
    made_at: u64,
    look_at: AtomicU64,
    /// How often it was used where something was written and not committed.
    uses: AtomicU64,
}

impl Guards {
    /// Whether the counts are still about the same, as far as they are looked at.
    pub(super) fn hold<R: Read>(&self, read: &R) -> Result<bool> {
        let now = read.commit_seq().get();
        // What a transaction has written itself is nobody else's, and there is no commit to go by.
        let pending = read.view().pending.is_some();
        let looks = match pending {
            true => self
                .uses
                .fetch_add(1, Ordering::Relaxed)
                .is_multiple_of(USES),
            false => now >= self.look_at.load(Ordering::Relaxed),
        };
        if !looks {
            return Ok(true);
        }
        let catalog = read.catalog();
        if self.unknown.iter().any(|name| name.is_known(catalog)) {
            return Ok(false);
        }
        for (counter, before) in &self.counts {
            if !is_about(*before, read.count(*counter)?) {
                return Ok(false);
            }
        }
        if !pending {
            let age = now.saturating_sub(self.made_at);
            let next = now.saturating_add(age.clamp(1, MOST_COMMITS));
            self.look_at.store(next, Ordering::Relaxed);
        }
        Ok(true)
    }
}

/// Whether two counts make the same plan.
fn is_about(before: u64, now: u64) -> bool {
    let (less, more) = (before.min(now), before.max(now));
    more <= less.saturating_mul(FACTOR).saturating_add(FEW)
}

impl<'a, R: Read> Counts<'a, R> {
    pub(super) fn new(read: &'a R) -> Self {
        Self {
            read,
            counted: RefCell::default(),
            distinct: RefCell::default(),
            unknown: RefCell::default(),
            failed: RefCell::new(None),
        }
    }

    /// What the plan depends on, if everything could be read.
    pub(super) fn finish(self) -> Result<Guards> {
        if let Some(error) = self.failed.into_inner() {
            return Err(error);
        }
        let made_at = self.read.commit_seq().get();
        Ok(Guards {
            counts: self.counted.into_inner().into_iter().collect(),
            unknown: self.unknown.into_inner(),
            made_at,
            look_at: AtomicU64::new(made_at.saturating_add(1)),
            uses: AtomicU64::new(0),
        })
    }

    fn number(&self, count: Result<u64>) -> u64 {
        count.unwrap_or_else(|error| {
            self.failed.borrow_mut().get_or_insert(error);
            0
        })
    }

    fn count(&self, counter: Counter) -> u64 {
        if let Some(known) = self.counted.borrow().get(&counter) {
            return *known;
        }
        let count = self.number(self.read.count(counter));
        self.counted.borrow_mut().insert(counter, count);
        count
    }

    /// Notes that there is nothing of a name.
    fn nothing(&self, name: Name) -> u64 {
        let mut unknown = self.unknown.borrow_mut();
        if !unknown.contains(&name) {
            unknown.push(name);
        }
        0
    }

    /// How many there are with a label and of a type, if both names are known.
    fn count_of(
        &self,
        (label, of): (&str, &str),
        counter: impl Fn(crate::catalog::LabelId, crate::catalog::TypeId) -> Counter,
    ) -> u64 {
        let catalog = self.read.catalog();
        match (catalog.labels.id(label), catalog.types.id(of)) {
            (Some(label), Some(of)) => self.count(counter(label, of)),
            (None, _) => self.nothing(Name::Label(label.into())),
            (_, None) => self.nothing(Name::Type(of.into())),
        }
    }
}

impl<R: Read> Statistics for Counts<'_, R> {
    fn catalog(&self) -> &Catalog {
        self.read.catalog()
    }

    fn nodes(&self) -> u64 {
        self.count(Counter::Nodes)
    }

    fn labelled(&self, label: &str) -> u64 {
        match self.read.catalog().labels.id(label) {
            Some(label) => self.count(Counter::Label(label)),
            None => self.nothing(Name::Label(label.into())),
        }
    }

    fn relationships(&self, of: Option<&str>) -> u64 {
        let Some(of) = of else {
            return self.count(Counter::Relationships);
        };
        match self.read.catalog().types.id(of) {
            Some(of) => self.count(Counter::Type(of)),
            None => self.nothing(Name::Type(of.into())),
        }
    }

    fn leaving(&self, label: &str, of: &str) -> u64 {
        self.count_of((label, of), Counter::From)
    }

    fn reaching(&self, label: &str, of: &str) -> u64 {
        self.count_of((label, of), Counter::To)
    }

    fn members(&self, hierarchy: &str) -> Option<u64> {
        let hierarchy = self.read.catalog().hierarchy_named(hierarchy)?;
        Some(self.count(Counter::Members(hierarchy.id)))
    }

    fn entries(&self, index: &IndexDef) -> u64 {
        self.count(Counter::Entries(index.id))
    }

    fn found_by(&self, index: &IndexDef) -> u64 {
        if index.unique {
            return 1;
        }
        let known = self.distinct.borrow().get(&index.name).copied();
        let distinct = known.unwrap_or_else(|| {
            let lookup = self.read.index(&index.name);
            let distinct = self.number(lookup.and_then(|lookup| lookup.distinct()));
            let name = Arc::clone(&index.name);
            self.distinct.borrow_mut().insert(name, distinct);
            distinct
        });
        // To the nearest: a sketch is not exact, and one for each value is what it mostly means.
        let distinct = distinct.max(1);
        (self.entries(index).saturating_add(distinct / 2) / distinct).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::is_about;

    #[test]
    fn counts_are_about_the_same_within_a_factor() {
        for (before, now, same) in [
            (0, 16, true),
            (0, 17, false),
            (17, 0, false),
            (100, 416, true),
            (100, 417, false),
            (417, 100, false),
            (u64::MAX, u64::MAX - 1, true),
        ] {
            assert_eq!(is_about(before, now), same, "{before} and {now}");
        }
    }
}
