//! The parent's side: starts the child of a cycle, kills it, and holds the database against the
//! oracle.

use super::cycle::{Cycle, Inspection};
use crate::driver::child::ChildArgs;
use crate::driver::compare::{Comparison, has_load_of_nodes, left_of_a_load};
use crate::driver::disturb::{Disturbance, backup_folder};
use crate::driver::link::{Killed, Listener, Word};
use crate::workload::{BatchNumber, Found, Model, WRITERS, Workload, Writer};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Error, list_backups, restore, verify_backup};

/// No open of so small a database takes longer, however loaded the machine is.
const OPEN_LIMIT: Duration = Duration::from_secs(60);
/// For so long a child is waited for that has not had its batches acknowledged.
const WORK_LIMIT: Duration = Duration::from_secs(25);
/// Backups are kept for so many cycles.
const BACKUP_CYCLES: u64 = 20;
/// So many sentences of a kind tell enough.
const SHOWN: usize = 5;

/// What a run has counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) cycles: u64,
    pub(super) acknowledged: u64,
    pub(super) killed_at_work: u64,
    pub(super) killed_in_recovery: u64,
    /// Killed while nodes were loaded in bulk.
    pub(super) killed_in_load: u64,
    pub(super) in_flight: u64,
    pub(super) backups: u64,
    pub(super) acked_lost: u64,
    pub(super) torn: u64,
    pub(super) check_errors: u64,
    pub(super) index_diffs: u64,
}

impl Counts {
    pub(super) fn has_failures(&self) -> bool {
        self.acked_lost + self.torn + self.check_errors + self.index_diffs > 0
    }

    pub(super) fn in_words(&self) -> String {
        format!(
            "{} batches acknowledged, {} more were in flight and there, {} killed at work, {} of them in a bulk load of nodes, {} in recovery, {} backups",
            self.acknowledged,
            self.in_flight,
            self.killed_at_work,
            self.killed_in_load,
            self.killed_in_recovery,
            self.backups
        )
    }

    pub(super) fn last_line(&self) -> String {
        format!(
            "crash cycles={} killed_in_recovery={} acked_lost={} torn={} check_errors={} index_diffs={}",
            self.cycles,
            self.killed_in_recovery,
            self.acked_lost,
            self.torn,
            self.check_errors,
            self.index_diffs
        )
    }
}

/// One database, its oracle, and the counts.
pub(super) struct Trial {
    dir: PathBuf,
    bug: Option<String>,
    workload: Workload,
    /// Each writer at its last batch that is known to be there.
    models: Vec<Model>,
    /// How far each writer may have come at most.
    attempted: Vec<BatchNumber>,
    last_open: Duration,
    pub(super) counts: Counts,
}

impl Trial {
    pub(super) fn new(seed: u64, dir: PathBuf, bug: Option<String>) -> Self {
        let workload = Workload::new(seed);
        Self {
            dir,
            bug,
            workload,
            models: (0..WRITERS)
                .map(|writer| Model::new(workload, Writer(writer)))
                .collect(),
            attempted: vec![BatchNumber(0); WRITERS as usize],
            last_open: Duration::from_millis(50),
            counts: Counts::default(),
        }
    }

    /// One cycle: work, kill, perhaps kill again in recovery, compare. Its time begins when so many batches are acknowledged.
    pub(super) fn run(&mut self, cycle: &Cycle, least_batches: u64) -> Result<()> {
        self.counts.cycles += 1;
        if cycle.number.is_multiple_of(BACKUP_CYCLES) && backup_folder(&self.dir).exists() {
            std::fs::remove_dir_all(backup_folder(&self.dir))?;
        }
        let killed = self.kill_at_work(cycle, least_batches)?;
        self.note(cycle, &killed.words);
        self.counts.killed_in_load += u64::from(has_load_of_nodes(&self.dir));
        if let Err(error) = killed.at_work() {
            // Something has kept it from going on: the database may tell what.
            self.inspect(cycle)?;
            return Err(error);
        }
        if cycle.kill_in_recovery {
            self.kill_in_recovery(cycle)?;
        }
        self.inspect(cycle)?;
        if cycle.disturbance == Some(Disturbance::Backup) {
            self.inspect_backup(cycle)?;
        }
        Ok(())
    }

    fn child(&self, cycle: &Cycle, recover_only: bool) -> Result<Listener<Word>> {
        let at: Vec<BatchNumber> = self.models.iter().map(Model::batch).collect();
        let drawn = (cycle.seed, cycle.number);
        let bug = self.bug.as_deref();
        Listener::start(&ChildArgs::new(&self.dir, drawn, &at, recover_only, bug).words())
    }

    fn kill_at_work(&mut self, cycle: &Cycle, least_batches: u64) -> Result<Killed<Word>> {
        let mut child = self.child(cycle, false)?;
        child.wait_for(&Word::Opening, OPEN_LIMIT)?;
        let opening = Instant::now();
        child.wait_for(&Word::Open, OPEN_LIMIT)?;
        self.last_open = opening.elapsed();
        if least_batches > 0 {
            let mut acknowledged = 0;
            child.listen(WORK_LIMIT, |word| {
                acknowledged += u64::from(matches!(word, Word::Acknowledged(..)));
                acknowledged < least_batches
            });
        }
        std::thread::sleep(cycle.work);
        child.kill()
    }

    /// Takes down what the child has acknowledged.
    fn note(&mut self, cycle: &Cycle, words: &[Word]) {
        let mut acknowledged = 0;
        for word in words {
            match word {
                Word::Acknowledged(writer, batch) => {
                    acknowledged += 1;
                    self.models[writer.0 as usize].advance_to(*batch);
                }
                Word::BackedUp => self.counts.backups += 1,
                Word::Opening | Word::Open | Word::Ready => {}
            }
        }
        self.counts.acknowledged += acknowledged;
        self.counts.killed_at_work += u64::from(acknowledged > 0);
        for (index, model) in self.models.iter().enumerate() {
            // A writer waits for each acknowledgement: one batch at most was under way.
            let writes = index < cycle.writers as usize;
            self.attempted[index] = if writes {
                model.batch().next()
            } else {
                model.batch()
            };
        }
    }

    /// Starts a child that only recovers, and kills it at it. It writes no batch.
    fn kill_in_recovery(&mut self, cycle: &Cycle) -> Result<()> {
        let mut child = self.child(cycle, true)?;
        child.wait_for(&Word::Opening, OPEN_LIMIT)?;
        std::thread::sleep(self.last_open * cycle.recovery_percent / 100);
        let killed = child.kill()?;
        killed.at_work()?;
        self.counts.killed_in_recovery += u64::from(!killed.words.contains(&Word::Open));
        Ok(())
    }

    /// Opens the database as the cycle says and compares everything.
    fn inspect(&mut self, cycle: &Cycle) -> Result<()> {
        let mut for_writing = cycle.inspection != Inspection::ReadOnly;
        if cycle.inspection != Inspection::Writing {
            match cycle.builder().open_read_only(&self.dir) {
                // Only a writer may undo it; a reader is right to refuse.
                Err(Error::RecoveryNeeded { .. }) => for_writing = true,
                opened => self.compare(cycle, opened)?,
            }
        }
        if for_writing && !self.counts.has_failures() {
            let opened = cycle.builder().open(&self.dir);
            if opened.is_ok()
                && let Some(sentence) = left_of_a_load(&self.dir)
            {
                eprintln!("crash: cycle {}: {sentence}", cycle.number);
                self.counts.check_errors += 1;
            }
            self.compare(cycle, opened)?;
        }
        Ok(())
    }

    fn compare(&mut self, cycle: &Cycle, opened: stratigraph::Result<Database>) -> Result<()> {
        let db = match opened {
            Err(error @ Error::DataLoss { .. }) => {
                eprintln!("crash: cycle {}: {error}", cycle.number);
                self.counts.acked_lost += 1;
                return Ok(());
            }
            opened => opened.context("cannot open the database after the kill")?,
        };
        let comparison = Comparison::of(&db, &self.models, &self.attempted);
        for ((model, attempted), found) in self
            .models
            .iter_mut()
            .zip(&mut self.attempted)
            .zip(&comparison.found)
        {
            if let Some(batch) = found {
                self.counts.in_flight += batch.0 - model.batch().0;
                // What was seen once must stay, acknowledged or not.
                model.advance_to(*batch);
                *attempted = *batch;
            }
        }
        self.counts.acked_lost += comparison.lost.len() as u64;
        self.counts.torn += comparison.torn.len() as u64;
        self.counts.check_errors += (comparison.refused.len() + comparison.check.len()) as u64;
        self.counts.index_diffs += comparison.indexes.len() as u64;
        let sentences = [
            comparison.indexes,
            comparison.lost,
            comparison.torn,
            comparison.refused,
            comparison.check,
        ];
        for sentence in sentences.iter().flat_map(|of| of.iter().take(SHOWN)) {
            eprintln!("crash: cycle {}: {sentence}", cycle.number);
        }
        db.close().context("cannot close the database")
    }

    /// Every backup is whole; the last one restores to a moment at which every writer was between
    /// two batches.
    fn inspect_backup(&mut self, cycle: &Cycle) -> Result<()> {
        let folder = backup_folder(&self.dir);
        if !folder.exists() || list_backups(&folder)?.is_empty() {
            return Ok(());
        }
        let mut watch = Watch::quiet();
        for backup in list_backups(&folder)? {
            verify_backup(&folder, Some(backup.number), &mut watch)
                .context("a backup is damaged")?;
        }
        let target = self.dir.with_extension("restored");
        restore(&folder, None, &target, &mut watch).context("a backup does not restore")?;
        let db = Database::builder()
            .disk_reserve_bytes(0)
            .open(&target)
            .context("a restored backup does not open")?;
        for model in &self.models {
            let writer = model.writer();
            let found = Found::read(&db, self.workload, writer)?;
            if model.locate(&found).is_none() {
                self.counts.torn += 1;
                let start = Model::new(self.workload, writer);
                let (batch, differences) = start.nearest(&found, model.batch());
                eprintln!(
                    "crash: cycle {}: in the last backup {writer} fits no batch; {} differences from {batch}, first {}",
                    cycle.number,
                    differences.len(),
                    differences
                        .first()
                        .map(ToString::to_string)
                        .unwrap_or_default()
                );
            }
        }
        db.close()?;
        std::fs::remove_dir_all(&target).context("cannot remove the restored database")
    }
}
