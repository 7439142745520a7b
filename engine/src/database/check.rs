//! `check`: whether what is stored keeps every promise, and `scrub`: whether every byte is what was
//! written. Both collect findings instead of stopping at the first.

use super::Database;
use crate::catalog::{self, Readiness};
use crate::codec::{CodecError, CommitSeq};
use crate::error::{Error, Result};
use crate::graph::check::{Findings, examine};
use crate::graph::{Read as _, ReadTxn, view};
use crate::index::text::{self, OwnerId};
use crate::index::vector::{VectorIndexes, differences};
use crate::keys::{KeyRead, KeyReadTxn};
use crate::storage::cancel::Watch;
use crate::storage::family::{FAMILIES, Family};
use crate::storage::files::Layout;
use crate::storage::files::mark;
use crate::storage::meta;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use std::fs;

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where: a file or a family.
    pub place: String,
    /// What does not fit.
    pub what: String,
}

/// What a check has looked at and found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The commit that was checked.
    pub commit: CommitSeq,
    /// How many pairs of each family were read.
    pub entries: Vec<(&'static str, u64)>,
    /// What is wrong. Empty is what one wants to see.
    pub findings: Vec<Finding>,
    /// What is worth knowing and harmless, such as a mark that a crash has torn.
    pub notes: Vec<Finding>,
}

impl CheckReport {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    fn find(&mut self, place: impl Into<String>, what: impl std::fmt::Display) {
        self.findings.push(Finding {
            place: place.into(),
            what: what.to_string(),
        });
    }

    fn note(&mut self, place: impl Into<String>, what: impl std::fmt::Display) {
        self.notes.push(Finding {
            place: place.into(),
            what: what.to_string(),
        });
    }

    /// What came of looking at a part. Damage is a finding, and then there is nothing else of it to know.
    fn looked<T>(&mut self, place: &str, outcome: Result<T>) -> Result<Option<T>> {
        match outcome {
            Err(error @ (Error::Corruption { .. } | Error::Record { .. })) => {
                self.find(place, error);
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }
}

// The parts of a check, in their order.
impl CheckReport {
    /// Reads every pair of every family, to its end or the first damage.
    fn read_families(&mut self, txn: &KeyReadTxn, watch: &mut Watch<'_>) -> Result<()> {
        for (done, spec) in FAMILIES.iter().enumerate() {
            watch.step(spec.name, done as u64, FAMILIES.len() as u64)?;
            let mut entries = 0;
            let mut scan = txn.scan_with(spec.family, &KeyRange::all(), ScanOptions::once())?;
            loop {
                match scan.next() {
                    Ok(None) => break,
                    Ok(Some(entry)) => {
                        entries += 1;
                        if spec.family == Family::Meta
                            && let Err(error) = verify_meta(entry.key, entry.value)
                        {
                            self.find(spec.name, error);
                        }
                    }
                    Err(error) => {
                        self.find(spec.name, error);
                        break;
                    }
                }
            }
            self.entries.push((spec.name, entries));
        }
        Ok(())
    }

    /// Holds records, degrees, sets, counts, index entries and levels against each other.
    fn examine_graph(&mut self, txn: &ReadTxn, watch: &mut Watch<'_>) -> Result<()> {
        let mut findings = Findings::default();
        let examined = examine(view::of(txn), &mut findings, watch);
        self.looked("graph", examined)?;
        for (place, what) in findings.into_parts() {
            self.find(place, what);
        }
        Ok(())
    }

    /// Notes property indexes that do not hold everything; what those that do must hold is looked at with the graph.
    fn look_at_property_indexes(&mut self, txn: &ReadTxn) {
        for index in txn.catalog().indexes() {
            if index.readiness != Readiness::Ready {
                let what = format_args!("index {} was not built to its end", index.name);
                self.note("prop_index", what);
            }
        }
    }

    /// Holds text indexes against the texts that are stored.
    fn compare_text_indexes(&mut self, txn: &ReadTxn, watch: &mut Watch<'_>) -> Result<()> {
        for def in txn.catalog().text_indexes() {
            watch.step("compare a text index", 0, 0)?;
            let (view, index) = (view::of(txn), def.index());
            let place = format!("text index {}", def.name);
            if def.readiness != Readiness::Ready {
                self.note(place, "it was not filled to its end");
                continue;
            }
            let mut found = Vec::new();
            text::check(view.keys, &index, |finding| found.push(finding))?;
            let ids = view.in_scope(def.scope)?;
            let texts = ids.iter().filter_map(|id| {
                let texts = text::texts_of(&view, def, id).transpose()?;
                Some(texts.map(|texts| (OwnerId::new(id), texts)))
            });
            text::compare(view.keys, &index, texts, |finding| found.push(finding))?;
            for finding in found {
                self.find(&place, finding);
            }
        }
        Ok(())
    }

    /// Holds vector indexes against the vectors that are stored.
    fn compare_vector_indexes(
        &mut self,
        txn: &ReadTxn,
        indexes: &VectorIndexes,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        for bound in indexes.all() {
            watch.step("compare a vector index", 0, 0)?;
            let place = format!("vector index {}", bound.def.name);
            let wrong = differences(&view::of(txn), &bound);
            for what in self.looked(&place, wrong)?.unwrap_or_default() {
                self.find(&place, what);
            }
            if bound.live().is_none() {
                self.note(place, "it is not ready, and was not compared");
            }
        }
        Ok(())
    }
}

/// Whether a pair of the `meta` family is one of the floor's, or of the catalogue's, and decodes.
fn verify_meta(key: &[u8], value: &[u8]) -> Result<(), CodecError> {
    if meta::is_reserved(key) {
        meta::verify(key, value)
    } else {
        catalog::verify(key, value)
    }
}

impl Database {
    /// Reads everything and checks structure and invariants: that every record decodes, that both
    /// ends of every relationship see it, and that degrees, sets, counts, index entries and levels
    /// are what the graph says.
    ///
    /// # Errors
    /// [`Error::Cancelled`], or what keeps the check itself from working; what is wrong with the
    /// database is in the report.
    pub fn check(&self, watch: &mut Watch<'_>) -> Result<CheckReport> {
        let txn = self.key_read()?;
        let mut report = CheckReport {
            commit: txn.commit_seq(),
            ..CheckReport::default()
        };
        report.read_families(&txn, watch)?;
        let txn = ReadTxn::new(txn);
        report.examine_graph(&txn, watch)?;
        report.look_at_property_indexes(&txn);
        report.compare_text_indexes(&txn, watch)?;
        report.compare_vector_indexes(&txn, &self.inner.vectors, watch)?;
        if let Some(disk) = &self.inner.ground.disk {
            self.check_files(&disk.layout, &mut report)?;
        }
        watch.step("done", FAMILIES.len() as u64, FAMILIES.len() as u64)?;
        Ok(report)
    }

    /// Compares the checksum of every block of every file, whether the data is reachable or not.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn scrub(&self, watch: &mut Watch<'_>) -> Result<CheckReport> {
        watch.step("verify every block", 0, 1)?;
        let damage = match self.inner.ground.store.verify_checksums() {
            Ok(()) => None,
            Err(error @ (Error::Corruption { .. } | Error::Io { .. })) => Some(error),
            Err(error) => return Err(error),
        };
        let mut report = self.check(watch)?;
        if let Some(error) = damage {
            report.find("store", error);
        }
        Ok(report)
    }

    fn check_files(&self, layout: &Layout, report: &mut CheckReport) -> Result<()> {
        match mark::read(layout, self.id()) {
            Err(error) => report.find("MARK", error),
            Ok(reading) => {
                if let Some(error) = reading.torn {
                    report.note("MARK", format_args!("one slot is torn: {error}"));
                }
                // A writer may have gone on since our view was taken; the durable one never goes back.
                if self.inner.ground.read_only && reading.mark.commit > report.commit {
                    report.find(
                        "MARK",
                        format_args!("it vouches for commit {}", reading.mark.commit),
                    );
                }
            }
        }
        let known = [
            layout.header(),
            layout.mark(),
            layout.lock(),
            layout.reserve(),
            layout.store(),
            layout.load(),
            layout.vectors(),
            layout.checkpoint(),
            layout.shadow(),
        ];
        let root = layout.root();
        for entry in fs::read_dir(root).map_err(|error| Error::io("read", root, error))? {
            let path = entry
                .map_err(|error| Error::io("read", root, error))?
                .path();
            if !known.contains(&path) {
                let place = path.display().to_string();
                report.note(place, "this file is not the database's");
            }
        }
        Ok(())
    }
}
