//! The process that works on a database and that something is about to happen to.

use super::link::{Speaker, Word};
use crate::workload::{BatchNumber, Hand, Workload, Writer, graph};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use stratigraph::Database;
use stratigraph::storage::plant::{Bug, plant};

/// What a parent tells its child.
#[derive(Debug, Clone, clap::Args)]
pub struct ChildArgs {
    /// The database.
    #[arg(long)]
    pub dir: PathBuf,
    /// The run's seed.
    #[arg(long)]
    pub seed: u64,
    /// The number of the cycle, or of the recording.
    #[arg(long)]
    pub number: u64,
    /// The last batch of each writer that is there.
    #[arg(long, value_delimiter = ',')]
    at: Vec<u64>,
    /// Only open the database.
    #[arg(long)]
    pub recover_only: bool,
    /// A bug to plant.
    #[arg(long)]
    plant: Option<String>,
}

impl ChildArgs {
    /// What a child is told about work in `dir` that is drawn from a seed and a number.
    #[must_use]
    pub fn new(
        dir: &Path,
        (seed, number): (u64, u64),
        at: &[BatchNumber],
        recover_only: bool,
        bug: Option<&str>,
    ) -> Self {
        Self {
            dir: dir.to_path_buf(),
            seed,
            number,
            at: at.iter().map(|batch| batch.0).collect(),
            recover_only,
            plant: bug.map(str::to_owned),
        }
    }

    /// The command line that gives a child these arguments.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let at: Vec<String> = self.at.iter().map(ToString::to_string).collect();
        let mut words = vec!["child".to_owned()];
        words.push(format!("--dir={}", self.dir.display()));
        words.push(format!("--seed={}", self.seed));
        words.push(format!("--number={}", self.number));
        words.push(format!("--at={}", at.join(",")));
        words.extend(self.recover_only.then(|| "--recover-only".to_owned()));
        words.extend(planted(self.plant.as_deref()));
        words
    }

    /// Plants the bug that the parent asked for.
    ///
    /// # Errors
    /// If there is no such bug.
    pub fn plant(&self) -> Result<()> {
        plant_by_name(self.plant.as_deref())
    }

    /// The first `writers` of them, each with its last batch.
    pub fn writers(&self, writers: u32) -> impl Iterator<Item = (Writer, BatchNumber)> {
        let at = self.at.iter().map(|at| BatchNumber(*at));
        (0..writers).map(Writer).zip(at)
    }
}

/// The flag that plants a bug.
#[must_use]
pub fn planted(bug: Option<&str>) -> Option<String> {
    bug.map(|bug| format!("--plant={bug}"))
}

/// Plants the bug of that name in this process.
///
/// # Errors
/// If there is no such bug.
pub fn plant_by_name(name: Option<&str>) -> Result<()> {
    let Some(name) = name else { return Ok(()) };
    let known = Bug::ALL.iter().map(|(name, _)| *name);
    let known = known.collect::<Vec<_>>().join(", ");
    let bug = Bug::by_name(name);
    plant(bug.with_context(|| format!("no bug is called {name}; there are {known}"))?);
    Ok(())
}

/// What comes after every opening for writing: what a crash has cut short is finished.
///
/// # Errors
/// Whatever the database refuses.
pub fn finish(db: &Database) -> Result<()> {
    graph::finish_declaring(db).context("cannot finish what is being declared")
}

/// Commits batch after batch, and says of each that it was acknowledged; until `last`, if there is one.
///
/// # Errors
/// Whatever the database refuses, and when the parent is gone.
pub fn write(
    db: &Database,
    workload: Workload,
    (writer, at): (Writer, BatchNumber),
    last: Option<BatchNumber>,
    speaker: &Speaker,
) -> Result<()> {
    let in_batch = |batch| move || format!("{writer}, batch {batch}");
    let mut hand = Hand::take_up(db, workload, writer, at).with_context(in_batch(at))?;
    while last.is_none_or(|last| hand.batch() < last) {
        hand.commit(db)
            .with_context(in_batch(hand.batch().next()))?;
        speaker.say(Word::Acknowledged(writer, hand.batch()))?;
    }
    Ok(())
}
