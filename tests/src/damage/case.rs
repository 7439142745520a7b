//! One case: copies a healthy folder, damages it, opens it and judges what comes out.

use super::examine::Findings;
use super::golden::{Contents, Golden, builder, copy_folder};
use super::harm::{Kind, Target};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{Database, restore, verify_backup};

/// One in so many cases is damaged twice.
const DOUBLE: u64 = 8;

/// What a case came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The engine said so.
    Reported,
    /// Everything is exactly right.
    Harmless,
    /// Something was handed out that was never so, or the engine panicked.
    WrongValue,
    /// Something acknowledged is missing, and the engine did not say so.
    SilentLoss,
}

/// A case that was tried.
pub struct Tried {
    /// What was done; the first of two.
    pub kind: Kind,
    /// What it came to.
    pub outcome: Outcome,
    /// Whether a report named a file.
    pub named_a_file: bool,
    /// Files, offsets, and what the engine said or got wrong.
    pub story: String,
}

/// What the cases are made from.
pub struct Stock<'a> {
    /// The run's seed.
    pub seed: u64,
    /// Healthy folders.
    pub golden: &'a [Golden],
    /// The same of another database.
    pub foreign: &'a [Golden],
    /// If only one kind is wanted.
    pub kind: Option<Kind>,
}

impl Stock<'_> {
    /// Tries case `number` in `dir`, which is made anew.
    ///
    /// # Errors
    /// If the harness itself cannot do its work.
    pub fn run(&self, number: u64, dir: &Path) -> Result<Tried> {
        let mut rng = fastrand::Rng::with_seed(self.seed.rotate_left(32) ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (index, kinds) = self.draw(number, &mut rng)?;
        let golden = &self.golden[index];
        let mut story = format!("{}:", golden.dir.file_name().unwrap_or_default().to_string_lossy());
        if dir.exists() {
            fs::remove_dir_all(dir)?;
        }
        copy_folder(&golden.dir, dir)?;
        for kind in &kinds {
            let done = kind.apply(dir, &self.foreign[index].dir, &mut rng).with_context(|| format!("cannot do {kind}"))?;
            write!(story, " {kind} {done};")?;
        }
        let read_only = rng.bool();
        let mut findings = Findings::default();
        let examined = catch_unwind(AssertUnwindSafe(|| match &golden.contents {
            Contents::Database(models) if read_only => match builder().open_read_only(dir) {
                Err(error) => findings.reports.push(error),
                Ok(db) => findings.read_database(&db, models),
            },
            Contents::Database(models) => open_twice(&mut findings, dir, models),
            Contents::Backups(states) => restore_each(&mut findings, dir, states),
        }));
        if matches!(golden.contents, Contents::Database(_)) {
            write!(story, " opened {}", if read_only { "read-only" } else { "for writing" })?;
        }
        let outcome = match &examined {
            Err(_) => {
                write!(story, ", PANIC")?;
                Outcome::WrongValue
            }
            Ok(()) if !findings.wrong.is_empty() => Outcome::WrongValue,
            Ok(()) if !findings.lost.is_empty() => Outcome::SilentLoss,
            Ok(()) if !findings.reports.is_empty() => Outcome::Reported,
            Ok(()) => Outcome::Harmless,
        };
        if let Some(report) = findings.reports.first() {
            write!(story, ", said: {report}")?;
        }
        for (what, differences) in [("wrong", &findings.wrong), ("lost", &findings.lost)] {
            if let Some(first) = differences.first() {
                write!(story, ", {} {what}, first: {first}", differences.len())?;
            }
        }
        Ok(Tried { kind: kinds[0], outcome, named_a_file: findings.name_a_file(dir), story })
    }

    /// Draws a healthy folder and one or two kinds of damage that can be done to it.
    fn draw(&self, number: u64, rng: &mut fastrand::Rng) -> Result<(usize, Vec<Kind>)> {
        loop {
            // The first is the one with everything in it; it gets half of the cases.
            let index = if rng.bool() { 0 } else { rng.usize(..self.golden.len()) };
            let dir = &self.golden[index].dir;
            let Some(wanted) = self.kind else {
                let first = Kind::draw(dir, rng)?;
                let mut kinds = vec![first];
                if number % DOUBLE == DOUBLE - 1 {
                    kinds.push(Kind::draw(dir, rng)?);
                }
                // The mark is what a lost end of the log is known by: both lost at once leaves no
                // trace, which nothing on one disk can help. And what is gone cannot be harmed again.
                let has_mark = kinds.iter().any(|kind| kind.target == Target::Mark);
                let same = kinds.len() == 2 && kinds[0].target == kinds[1].target;
                if kinds.len() == 2 && (has_mark || same) {
                    kinds.pop();
                }
                return Ok((index, kinds));
            };
            if wanted.is_possible(dir)? {
                return Ok((index, vec![wanted]));
            }
        }
    }
}

/// For writing: what the first open makes of the damage, the second must still know.
fn open_twice(findings: &mut Findings, dir: &Path, models: &[crate::workload::Model]) {
    for _ in 0..2 {
        let closed = builder().open(dir).and_then(|db: Database| {
            findings.read_database(&db, models);
            db.close()
        });
        if let Err(error) = closed {
            findings.reports.push(error);
            return;
        }
    }
}

/// Every backup either does not restore or restores exactly.
fn restore_each(findings: &mut Findings, dir: &Path, states: &[Vec<crate::workload::Model>]) {
    let mut progress = |_: Progress<'_>| {};
    let mut watch = Watch::new(&mut progress, CancelToken::new());
    let target = dir.with_extension("restored");
    for (number, models) in (1..).zip(states) {
        let verified = verify_backup(dir, Some(number), &mut watch);
        findings.reports.extend(verified.err());
        // Also after a refusal: whoever does not ask first must get no wrong answer either.
        match restore(dir, Some(number), &target, &mut watch).and_then(|_| builder().open(&target)) {
            Err(error) => findings.reports.push(error),
            Ok(db) => findings.read_database(&db, models),
        }
        // It may never have been made.
        let _ = fs::remove_dir_all(&target);
    }
}
