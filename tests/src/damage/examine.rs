//! Reading everything in every way and holding each answer against what it must be.
//!
//! A damaged database may say so at any point. What it must never do is hand out anything that is
//! wrong before or after, or end a walk early without an error. The graph is asked every question that
//! the workload knows, against the oracle; below it every pair is read by walks and by name, against
//! what the healthy database held.

use super::golden::Expected;
use crate::driver::indexes;
use crate::workload::keys::place;
use crate::workload::{Difference, Found, Model, graph};
use std::path::Path;
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::{Direction, KeyRange};
use stratigraph::storage::store::ScanOptions;
use stratigraph::{Database, Error, Result};

/// Some families filter on so many bytes at the beginning of a key.
const PREFIX_BYTES: usize = 8;

/// What the engine has said and handed out.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// What it has reported.
    pub(super) reports: Vec<Error>,
    /// What it has found wrong with itself when it was asked to check.
    pub(super) check: Vec<String>,
    /// Where its indexes are not what is stored.
    pub(super) indexes: Vec<String>,
    /// What it has handed out that was never so.
    pub(super) wrong: Vec<Difference>,
    /// What it has left out, or served an older state of, without a word.
    pub(super) lost: Vec<Difference>,
}

/// A key with its value.
type Pair = (Vec<u8>, Vec<u8>);
/// Pairs of one family, in order.
type OneFamily<'a> = (Family, &'a [Pair]);

/// Every pair of a database, but for what every open may change: the records of the `meta` family, and
/// what vector indexes keep of themselves, which is only as good as what they answer.
pub(super) struct Pairs {
    families: Vec<(Family, Vec<Pair>)>,
}

impl Pairs {
    /// Reads everything.
    pub(super) fn read(read: &impl KeyRead) -> Result<Self> {
        let mut families = Vec::new();
        let changes = [Family::Meta, Family::VectorSnapshot, Family::Journal];
        for family in Family::all().filter(|family| !changes.contains(family)) {
            let mut pairs = Vec::new();
            let mut scan = read.scan(family, &KeyRange::all())?;
            while let Some(entry) = scan.next()? {
                pairs.push((entry.key.to_vec(), entry.value.to_vec()));
            }
            families.push((family, pairs));
        }
        Ok(Self { families })
    }
}

impl Findings {
    /// Whether the engine said that something is wrong.
    #[must_use]
    pub(super) fn are_reported(&self) -> bool {
        !self.reports.is_empty() || !self.check.is_empty()
    }

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

    /// Reads a database that must be exactly as expected.
    pub(super) fn read_database(&mut self, db: &Database, expected: &Expected) {
        let mut differences = Vec::new();
        for model in &expected.models {
            self.ask(db, model, &mut differences);
        }
        match db.key_read() {
            Err(error) => self.reports.push(error),
            Ok(read) => {
                for (family, pairs) in &expected.pairs.families {
                    self.scan(&read, (*family, pairs), &mut differences);
                    self.look_up(&read, (*family, pairs), &mut differences);
                }
            }
        }
        match indexes::differences(db) {
            Err(error) => self.reports.push(error),
            // What was reported may be why.
            Ok(differences) if !self.are_reported() => self.indexes.extend(differences),
            Ok(_) => {}
        }
        match db.check(&mut Watch::quiet()) {
            Err(error) => self.reports.push(error),
            Ok(report) => {
                let found = report.findings.iter();
                self.check
                    .extend(found.map(|found| format!("{}: {}", found.place, found.what)));
            }
        }
        // An older state of the whole is a loss, though many of its values are other ones.
        let is_older =
            !differences.is_empty() && expected.models.iter().all(|of| is_earlier(db, of));
        for difference in differences {
            if is_older || difference.found.is_none() {
                self.lost.push(difference);
            } else {
                self.wrong.push(difference);
            }
        }
    }

    /// Asks a graph everything.
    fn ask(&mut self, db: &Database, model: &Model, differences: &mut Vec<Difference>) {
        if model.graph().is_none() {
            return;
        }
        match db.read() {
            Err(error) => self.reports.push(error),
            Ok(read) => {
                let found = graph::ask_database(&read, model.writer());
                differences.extend(model.answers().differences(&found));
                self.reports.extend(found.errors);
            }
        }
    }

    /// Walks in both directions over everything, and over each group of keys alone.
    fn scan(&mut self, read: &impl KeyRead, of: OneFamily<'_>, differences: &mut Vec<Difference>) {
        let everything = KeyRange::all();
        for direction in [Direction::Forward, Direction::Backward] {
            self.walk(read, of, &everything, direction, differences);
        }
        // Short enough that a family with a filter on prefixes asks it.
        let begin = |key: &[u8]| key[..key.len().min(PREFIX_BYTES)].to_vec();
        for group in of.1.chunk_by(|one, other| begin(&one.0) == begin(&other.0)) {
            let prefix = group.first().map(|(key, _)| begin(key)).unwrap_or_default();
            if prefix.len() == PREFIX_BYTES {
                let range = KeyRange::prefix(&prefix);
                self.walk(read, (of.0, group), &range, Direction::Forward, differences);
            }
        }
    }

    fn walk(
        &mut self,
        read: &impl KeyRead,
        (family, pairs): OneFamily<'_>,
        range: &KeyRange,
        direction: Direction,
        differences: &mut Vec<Difference>,
    ) {
        let expected = pairs.iter();
        let expected = expected.map(|(key, value)| (key.as_slice(), value.as_slice()));
        let mut expected: Vec<(&[u8], &[u8])> = expected.collect();
        if direction == Direction::Backward {
            expected.reverse();
        }
        let mut expected = expected.into_iter().peekable();
        let difference = |key: &[u8], expected: Option<&[u8]>, found: Option<&[u8]>| {
            Difference::of_bytes(|| place(family, key), expected, found)
        };
        let mut walk = || -> Result<()> {
            let options = ScanOptions {
                direction,
                ..ScanOptions::default()
            };
            let mut scan = read.scan_with(family, range, options)?;
            while let Some(entry) = scan.next()? {
                let is_before = |key: &[u8]| match direction {
                    Direction::Forward => key < entry.key,
                    Direction::Backward => key > entry.key,
                };
                // Whatever should have come before this pair will not come any more.
                while let Some((key, value)) = expected.next_if(|(key, _)| is_before(key)) {
                    differences.extend(difference(key, Some(value), None));
                }
                let value = expected.next_if(|(key, _)| *key == entry.key);
                let value = value.map(|(_, value)| value);
                differences.extend(difference(entry.key, value, Some(entry.value)));
            }
            Ok(())
        };
        match walk() {
            Err(error) => self.reports.push(error),
            Ok(()) => differences
                .extend(expected.filter_map(|(key, value)| difference(key, Some(value), None))),
        }
    }

    /// Asks for every key by name, also for some that are not stored, one by one and together.
    fn look_up(
        &mut self,
        read: &impl KeyRead,
        (family, pairs): OneFamily<'_>,
        differences: &mut Vec<Difference>,
    ) {
        let stored = |key: &[u8]| {
            let at = pairs
                .binary_search_by(|(known, _)| known.as_slice().cmp(key))
                .ok()?;
            Some(pairs[at].1.as_slice())
        };
        let compare = |key: &[u8], found: Option<&[u8]>| {
            Difference::of_bytes(|| place(family, key), stored(key), found)
        };
        let longer = |key: &Vec<u8>| [key.as_slice(), &[0]].concat();
        let keys: Vec<Vec<u8>> = pairs
            .iter()
            .flat_map(|(key, _)| [key.clone(), longer(key)])
            .collect();
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
                differences.extend(pairs.filter_map(|(key, found)| compare(key, found.as_deref())));
            }
        }
    }
}

/// Whether a writer's part is exactly as it was after its last batch, or an earlier one.
fn is_earlier(db: &Database, model: &Model) -> bool {
    let found = Found::read(db, model.workload(), model.writer());
    found.is_ok_and(|found| model.locate(&found).is_some())
}
