//! Everything a writer has in every family, as expected or as found.

use super::{Change, families, progress_key, range};
use crate::workload::{Difference, Writer};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stratigraph::Result;
use stratigraph::keys::KeyRead;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::Direction;
use stratigraph::storage::store::ScanOptions;

/// Everything a writer has in every family, as expected or as found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    families: BTreeMap<Family, BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl State {
    /// Reads a writer's keys in all families.
    ///
    /// # Errors
    /// What the scans report.
    ///
    /// # Panics
    /// If a scan leaves its range or its order: that is a bug and no damage.
    pub fn read(read: &impl KeyRead, writer: Writer, direction: Direction) -> Result<Self> {
        let mut state = Self::default();
        for family in families() {
            let options = ScanOptions {
                direction,
                ..ScanOptions::default()
            };
            let mut scan = read.scan_with(family, &range(writer), options)?;
            let mut last: Option<Vec<u8>> = None;
            while let Some(entry) = scan.next()? {
                let rises = last.as_deref().is_none_or(|last| match direction {
                    Direction::Forward => last < entry.key,
                    Direction::Backward => last > entry.key,
                });
                assert!(
                    rises && range(writer).contains(entry.key),
                    "a scan of {} is out of order",
                    family.name()
                );
                last = Some(entry.key.to_vec());
                state
                    .family(family)
                    .insert(entry.key.to_vec(), entry.value.to_vec());
            }
        }
        Ok(state)
    }

    /// The value of a key.
    #[must_use]
    pub fn value(&self, family: Family, key: &[u8]) -> Option<&[u8]> {
        self.families.get(&family)?.get(key).map(Vec::as_slice)
    }

    /// Every pair, family by family and key by key.
    pub fn pairs(&self) -> impl Iterator<Item = (Family, &[u8], &[u8])> {
        let families = self.families.iter();
        families.flat_map(|(family, pairs)| {
            pairs
                .iter()
                .map(|(key, value)| (*family, key.as_slice(), value.as_slice()))
        })
    }

    /// Where `found` differs from what is expected here.
    #[must_use]
    pub fn differences(&self, found: &Self) -> Vec<Difference> {
        let missing_or_other = self.pairs().filter_map(|(family, key, expected)| {
            Difference::of_bytes(
                || place(family, key),
                Some(expected),
                found.value(family, key),
            )
        });
        let unexpected = found
            .pairs()
            .filter(|(family, key, _)| self.value(*family, key).is_none());
        let unexpected = unexpected.filter_map(|(family, key, value)| {
            Difference::of_bytes(|| place(family, key), None, Some(value))
        });
        missing_or_other.chain(unexpected).collect()
    }

    /// Applies a batch.
    pub(crate) fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            let family = self.family(change.family);
            match change.value {
                Some(value) => family.insert(change.key, value),
                None => family.remove(&change.key),
            };
        }
        // A family whose last pair went is as good as one never written.
        self.families.retain(|_, pairs| !pairs.is_empty());
    }

    /// What the writer says of how far it came.
    pub(crate) fn progress(&self, writer: Writer) -> Option<&[u8]> {
        self.value(Family::Journal, &progress_key(writer))
    }

    fn family(&mut self, family: Family) -> &mut BTreeMap<Vec<u8>, Vec<u8>> {
        self.families.entry(family).or_default()
    }
}

/// A pair's place, in words.
#[must_use]
pub fn place(family: Family, key: &[u8]) -> String {
    let mut words = format!("{} ", family.name());
    for byte in key {
        // Writing to a string cannot fail.
        let _ = write!(words, "{byte:02x}");
    }
    words
}
