//! Reading everything in every way and holding each answer against the oracle.
//!
//! A damaged database may say so at any point. What it must never do is hand out anything that is
//! wrong before or after, or end a walk early without an error.

use crate::workload::{Difference, Model, SLOTS, SLOTS_PER_GROUP, State, families, slot_key};
use std::path::Path;
use stratigraph::keys::KeyRead;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::{Direction, KeyRange};
use stratigraph::storage::store::ScanOptions;
use stratigraph::{Database, Error, Result};

/// What the engine has said and handed out.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// What it has reported.
    pub(super) reports: Vec<Error>,
    /// What it has handed out that was never so.
    pub(super) wrong: Vec<Difference>,
    /// What it has left out, or served an older state of, without a word.
    pub(super) lost: Vec<Difference>,
}

impl Findings {
    /// Whether a report names one of the damaged folder's files.
    #[must_use]
    pub(super) fn name_a_file(&self, root: &Path) -> bool {
        self.reports.iter().any(|error| match error {
            Error::Corruption { path, .. }
            | Error::ForeignFile { path, .. }
            | Error::FutureFormat { path, .. }
            | Error::Io { path, .. } => {
                path.starts_with(root) && path != root && *path != root.join("store")
            }
            _ => false,
        })
    }

    /// Reads a database in which every writer must be exactly where its model is.
    pub(super) fn read_database(&mut self, db: &Database, models: &[Model]) {
        let read = match db.key_read() {
            Ok(read) => read,
            Err(error) => return self.reports.push(error),
        };
        for model in models {
            let mut differences = Vec::new();
            self.scan(&read, model, &mut differences);
            self.look_up(&read, model, &mut differences);
            if differences.is_empty() {
                continue;
            }
            // An older state of the whole is a loss, though many of its values are other ones.
            let found = State::read(&read, model.writer(), Direction::Forward).ok();
            let is_older = found.is_some_and(|found| {
                model
                    .workload()
                    .locate(&found, model.writer(), model.batch())
                    .is_some()
            });
            for difference in differences {
                if is_older || difference.found.is_none() {
                    self.lost.push(difference);
                } else {
                    self.wrong.push(difference);
                }
            }
        }
    }

    /// Walks in both directions over everything, and over each group of keys alone.
    fn scan(&mut self, read: &impl KeyRead, model: &Model, differences: &mut Vec<Difference>) {
        for family in families() {
            for direction in [Direction::Forward, Direction::Backward] {
                let options = ScanOptions {
                    direction,
                    ..ScanOptions::default()
                };
                self.walk(
                    read,
                    family,
                    &model.writer().range(),
                    options,
                    model,
                    differences,
                );
            }
            for slot in (0..SLOTS).step_by(usize::from(SLOTS_PER_GROUP)) {
                // Short enough that a family with a filter on prefixes asks it.
                let group = KeyRange::prefix(&slot_key(model.writer(), slot)[..8]);
                self.walk(
                    read,
                    family,
                    &group,
                    ScanOptions::default(),
                    model,
                    differences,
                );
            }
        }
    }

    fn walk(
        &mut self,
        read: &impl KeyRead,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
        model: &Model,
        differences: &mut Vec<Difference>,
    ) {
        let pairs = model
            .state()
            .pairs()
            .filter(|(of, key, _)| *of == family && range.contains(key));
        let mut expected: Vec<(&[u8], &[u8])> = pairs.map(|(_, key, value)| (key, value)).collect();
        if options.direction == Direction::Backward {
            expected.reverse();
        }
        let mut expected = expected.into_iter().peekable();
        let mut walk = || -> Result<()> {
            let mut scan = read.scan_with(family, range, options)?;
            while let Some(entry) = scan.next()? {
                let is_before = |key: &[u8]| match options.direction {
                    Direction::Forward => key < entry.key,
                    Direction::Backward => key > entry.key,
                };
                // Whatever should have come before this pair will not come any more.
                while let Some((key, value)) = expected.next_if(|(key, _)| is_before(key)) {
                    differences.extend(Difference::between(family, key, Some(value), None));
                }
                let value = expected
                    .next_if(|(key, _)| *key == entry.key)
                    .map(|(_, value)| value);
                differences.extend(Difference::between(
                    family,
                    entry.key,
                    value,
                    Some(entry.value),
                ));
            }
            Ok(())
        };
        match walk() {
            Err(error) => self.reports.push(error),
            Ok(()) => differences
                .extend(expected.filter_map(|(key, value)| {
                    Difference::between(family, key, Some(value), None)
                })),
        }
    }

    /// Asks for every key by name, also for those that are not stored, one by one and together.
    fn look_up(&mut self, read: &impl KeyRead, model: &Model, differences: &mut Vec<Difference>) {
        for family in families() {
            let stored = model
                .state()
                .pairs()
                .filter(|(of, ..)| *of == family)
                .map(|(_, key, _)| key.to_vec());
            let mut keys: Vec<Vec<u8>> = stored
                .chain((0..SLOTS).map(|slot| slot_key(model.writer(), slot)))
                .collect();
            keys.sort();
            keys.dedup();
            let compare = |key: &[u8], found: Option<&[u8]>| {
                Difference::between(family, key, model.state().value(family, key), found)
            };
            for key in &keys {
                match read.get(family, key) {
                    Err(error) => self.reports.push(error),
                    Ok(found) => differences.extend(compare(key, found.as_deref())),
                }
            }
            let names: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            match read.multi_get(family, &names) {
                Err(error) => self.reports.push(error),
                Ok(values) => {
                    let pairs = names.iter().zip(values);
                    differences
                        .extend(pairs.filter_map(|(key, found)| compare(key, found.as_deref())));
                }
            }
        }
    }
}
