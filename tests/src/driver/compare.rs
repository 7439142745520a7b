//! Holds a database against the oracle, and lets it check itself.

use super::indexes;
use crate::workload::{BatchNumber, Model, Verdict, verify};
use std::path::Path;
use stratigraph::Database;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;

/// So many differences tell enough.
const SHOWN: usize = 5;

/// What came of a comparison. Every sentence is one thing that is wrong.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// Where each writer is; nothing where that cannot be said.
    pub found: Vec<Option<BatchNumber>>,
    /// Writers that lost an acknowledged batch.
    pub lost: Vec<String>,
    /// Writers whose state fits no batch.
    pub torn: Vec<String>,
    /// What could not be read.
    pub refused: Vec<String>,
    /// Where indexes are not what is stored.
    pub indexes: Vec<String>,
    /// What the database finds wrong with itself.
    pub check: Vec<String>,
}

impl Comparison {
    /// Every sentence.
    #[must_use]
    pub fn sentences(self) -> Vec<String> {
        let kinds = [self.lost, self.torn, self.refused, self.indexes, self.check];
        kinds.concat()
    }
}

impl Comparison {
    /// Compares every writer's part with its model, which stands at the last acknowledged batch, and
    /// checks the whole.
    pub fn of(db: &Database, models: &[Model], attempted: &[BatchNumber]) -> Self {
        let mut comparison = Self::default();
        for (model, attempted) in models.iter().zip(attempted) {
            comparison.writer(db, model, *attempted);
        }
        match indexes::differences(db) {
            Ok(differences) => comparison.indexes = differences,
            Err(error) => comparison.refused.push(format!("an index: {error}")),
        }
        match db.check(&mut Watch::quiet()) {
            Ok(report) => {
                let findings = report.findings.iter();
                for of in findings {
                    let sentence = format!("check: {}: {}", of.place, of.what);
                    if indexes::is_of_index(&of.place) {
                        comparison.indexes.push(sentence);
                    } else {
                        comparison.check.push(sentence);
                    }
                }
            }
            Err(error) => comparison.refused.push(format!("check: {error}")),
        }
        comparison
    }

    fn writer(&mut self, db: &Database, model: &Model, attempted: BatchNumber) {
        let (writer, acknowledged) = (model.writer(), model.batch());
        let mut found = None;
        match verify(db, model, attempted) {
            Ok(Verdict::Exact(batch)) => found = Some(batch),
            Ok(Verdict::Lost(batch)) => self.lost.push(format!(
                "{writer} is at batch {batch}, acknowledged was {acknowledged}"
            )),
            Ok(Verdict::Torn(nearest, differences)) => {
                let first = differences.iter().take(SHOWN).map(ToString::to_string);
                self.torn.push(format!(
                    "{writer} fits no batch from {acknowledged} to {attempted}: {} differences from batch {nearest}: {}",
                    differences.len(),
                    first.collect::<Vec<_>>().join("; ")
                ));
            }
            Err(error) => self
                .refused
                .push(format!("{writer} cannot be read: {error}")),
        }
        self.found.push(found);
    }

    /// Where every writer is, if that can be said of all.
    #[must_use]
    pub fn all_found(&self) -> Option<Vec<BatchNumber>> {
        self.found.iter().copied().collect()
    }
}

/// Whether a bulk load of nodes was under way in the database in `dir`, which nobody has open: its
/// first run is there.
#[must_use]
pub fn has_load_of_nodes(dir: &Path) -> bool {
    let run = format!("{}-", Family::Nodes.index());
    let entries = std::fs::read_dir(dir.join("load"));
    let mut entries = entries.into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().to_string_lossy().starts_with(&run))
}

/// What is wrong when the folder of a bulk load is there although none is under way, and a writer
/// has had the database since.
#[must_use]
pub fn left_of_a_load(dir: &Path) -> Option<String> {
    let is_left = dir.join("load").exists();
    is_left.then(|| "files of a bulk load are still there".to_owned())
}
