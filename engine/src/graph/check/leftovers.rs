//! What is stored about what was found: sets, counts, and how many entries and values there are.

use super::Examination;
use super::nodes::damaged;
use crate::catalog::{Counter, Readiness, SchemaId};
use crate::codec::KeyReader;
use crate::error::Result;
use crate::graph::keys::{TextKey, VectorKey};
use crate::graph::sets::{self, ContainerKey, SetId};
use crate::keys::KeyRead;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use roaring::RoaringTreemap;
use std::collections::BTreeMap;

impl Examination<'_, '_> {
    pub(super) fn leftovers(&mut self, watch: &mut Watch<'_>) -> Result<()> {
        const STEPS: u64 = 4;
        watch.step("check sets", 0, STEPS)?;
        self.stored_sets()?;
        watch.step("check indexes", 1, STEPS)?;
        self.index_entries()?;
        watch.step("check values apart", 2, STEPS)?;
        let decode_text = |key: &[u8]| TextKey::decode(key).map(|_| ());
        self.count_keys(Family::Text, self.texts, decode_text)?;
        let decode_vector = |key: &[u8]| VectorKey::decode(key).map(|_| ());
        self.count_keys(Family::Vectors, self.vectors, decode_vector)?;
        watch.step("check counts", 3, STEPS)?;
        self.stored_counts()
    }

    fn stored_sets(&mut self) -> Result<()> {
        let mut stored: BTreeMap<SetId, RoaringTreemap> = BTreeMap::new();
        let keys = self.view.keys;
        let mut scan = keys.scan_with(Family::Labels, &KeyRange::all(), ScanOptions::once())?;
        while let Some(entry) = scan.next()? {
            let container = ContainerKey::decode(entry.key)
                .and_then(|key| Ok((key, sets::decode_container(entry.value)?)));
            match container {
                Ok((key, container)) => {
                    let set = stored.entry(key.set).or_default();
                    let appended = sets::append(set, key.high, &container);
                    self.findings.note(appended)?;
                }
                Err(error) => self.findings.find(Family::Labels, error),
            }
        }
        let ids: std::collections::BTreeSet<SetId> =
            stored.keys().chain(self.sets.keys()).copied().collect();
        for id in ids {
            let empty = RoaringTreemap::new();
            let stored = stored.get(&id).unwrap_or(&empty);
            let actual = self.sets.get(&id).unwrap_or(&empty);
            if stored != actual {
                let what = format_args!(
                    "set {id:?} lacks {:?} and has {:?} too much (the first of each)",
                    (actual - stored).min(),
                    (stored - actual).min()
                );
                self.findings.find(Family::Labels, what);
            }
        }
        Ok(())
    }

    fn index_entries(&mut self) -> Result<()> {
        let catalog = self.view.catalog();
        let mut stored: BTreeMap<SchemaId, u64> = BTreeMap::new();
        let keys = self.view.keys;
        let mut scan = keys.scan_with(Family::PropIndex, &KeyRange::all(), ScanOptions::once())?;
        while let Some(entry) = scan.next()? {
            match KeyReader::new("index key", entry.key).read_u32() {
                Ok(number) => *stored.entry(SchemaId(number)).or_default() += 1,
                Err(error) => self.findings.find(Family::PropIndex, error),
            }
        }
        for index in catalog.indexes() {
            let found = stored.remove(&index.id).unwrap_or_default();
            let expected = self.entries.get(&index.id).copied().unwrap_or_default();
            if index.readiness == Readiness::Ready && found != expected {
                let what = format_args!("index {} has {found} entries for {expected}", index.name);
                self.findings.find(Family::PropIndex, what);
            }
            self.add(Counter::Entries(index.id), found);
        }
        for (id, entries) in stored {
            if !catalog.dropped().contains(&id) {
                let what = format_args!(
                    "{entries} entries of index {}, which is not there",
                    id.get()
                );
                self.findings.find(Family::PropIndex, what);
            }
        }
        Ok(())
    }

    fn count_keys(
        &mut self,
        family: Family,
        expected: u64,
        decode: impl Fn(&[u8]) -> Result<(), crate::codec::CodecError>,
    ) -> Result<()> {
        let keys = self.view.keys;
        let mut scan = keys.scan_with(family, &KeyRange::all(), ScanOptions::once())?;
        let mut found = 0;
        while let Some(entry) = scan.next()? {
            found += 1;
            if let Err(error) = decode(entry.key) {
                self.findings.find(family, error);
            }
        }
        if found != expected {
            let what = format_args!("{found} values are here, and {expected} are pointed at");
            self.findings.find(family, what);
        }
        Ok(())
    }

    /// Every count but those of what is being removed, and of members, which come later.
    fn stored_counts(&mut self) -> Result<()> {
        let catalog = self.view.catalog();
        let prefix = [Counter::TAG];
        let mut scan = self
            .view
            .keys
            .scan(Family::Meta, &KeyRange::prefix(&prefix))?;
        while let Some(entry) = scan.next()? {
            let decoded = Counter::decode(entry.key)
                .and_then(|counter| Ok((counter, Counter::decode_count(entry.value)?)))
                .map_err(|error| damaged(Family::Meta, error));
            let Some((counter, stored)) = self.findings.note(decoded)? else {
                continue;
            };
            let is_settled = match counter {
                Counter::Members(_) => false,
                Counter::Entries(id) => catalog.index(id).is_some(),
                _ => true,
            };
            let actual = self.counts.remove(&counter).unwrap_or_default();
            if is_settled && stored != actual {
                let what = format_args!("{counter:?} is stored as {stored} and is {actual}");
                self.findings.find(Family::Meta, what);
            }
        }
        for (counter, actual) in std::mem::take(&mut self.counts) {
            let what = format_args!("{counter:?} is not stored and is {actual}");
            self.findings.find(Family::Meta, what);
        }
        Ok(())
    }
}
