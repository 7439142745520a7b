//! The process that is recorded: opens the database, writes its batches, and closes it.
//!
//! It says on its standard output, which the recorder watches, when the database is open and which
//! batch was acknowledged; each with one `write`, so that the record has it whole and at its place.

use super::plan::{Disturbance, Plan};
use crate::crash::child::plant_by_name;
use crate::workload::{BatchNumber, Workload, Writer};
use anyhow::{Context, Result};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stratigraph::Database;
use stratigraph::storage::cancel::{CancelToken, Watch};

/// What the parent tells the child.
#[derive(Debug, Clone, clap::Args)]
pub struct ChildArgs {
    /// The database.
    #[arg(long)]
    root: PathBuf,
    /// The run's seed.
    #[arg(long)]
    seed: u64,
    /// The number of the recording.
    #[arg(long)]
    recording: u64,
    /// The last batch of each writer that is there.
    #[arg(long, value_delimiter = ',')]
    at: Vec<u64>,
    /// Only open the database and close it.
    #[arg(long)]
    recover_only: bool,
    /// A bug to plant.
    #[arg(long)]
    plant: Option<String>,
}

impl ChildArgs {
    /// The command line that gives a child these arguments.
    #[must_use]
    pub fn words(
        plan: &Plan,
        root: &Path,
        at: &[BatchNumber],
        recover_only: bool,
        bug: Option<&str>,
    ) -> Vec<String> {
        let at: Vec<String> = at.iter().map(ToString::to_string).collect();
        let mut words: Vec<String> =
            vec!["child".into(), "--root".into(), root.display().to_string()];
        words.extend([
            "--seed".into(),
            plan.seed.to_string(),
            "--recording".into(),
            plan.number.to_string(),
        ]);
        words.extend(["--at".into(), at.join(",")]);
        words.extend(recover_only.then(|| "--recover-only".to_owned()));
        words.extend(bug.map(|bug| format!("--plant={bug}")));
        words
    }
}

/// What the child says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The database is open: whatever readers saw from here on has to stay.
    Open,
    /// The batch was acknowledged.
    Acknowledged(Writer, BatchNumber),
}

impl Said {
    /// Understands one line.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        match line.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
            ["open"] => Some(Self::Open),
            ["ack", writer, batch] => Some(Self::Acknowledged(
                Writer(writer.parse().ok()?),
                BatchNumber(batch.parse().ok()?),
            )),
            _ => None,
        }
    }

    /// Says it. Through descriptor 1 itself, which is the one that the recorder watches.
    ///
    /// # Errors
    /// If there is no standard output.
    pub fn say(self) -> std::io::Result<()> {
        let line = match self {
            Self::Open => "open\n".to_owned(),
            Self::Acknowledged(writer, batch) => format!("ack {} {batch}\n", writer.0),
        };
        let mut out = std::io::stdout().lock();
        out.write_all(line.as_bytes())?;
        out.flush()
    }
}

/// Does what the plan says.
///
/// # Errors
/// Whatever the database refuses: nothing here should make it refuse anything.
pub fn run(arguments: &ChildArgs) -> Result<()> {
    plant_by_name(arguments.plant.as_deref())?;
    let plan = Plan::draw(arguments.seed, arguments.recording);
    let db = plan
        .builder()
        .create_if_missing(true)
        .open(&arguments.root)
        .context("cannot open the database")?;
    Said::Open.say()?;
    if !arguments.recover_only {
        write_all(&db, &plan, arguments)?;
    }
    db.close().context("cannot close the database")
}

fn write_all(db: &Database, plan: &Plan, arguments: &ChildArgs) -> Result<()> {
    let workload = plan.workload();
    let written = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let mut writers = Vec::new();
        for (writer, at) in (0..plan.writers).zip(&arguments.at) {
            let last = BatchNumber(at + plan.batches);
            writers.push(
                scope.spawn(move || write(db, workload, Writer(writer), BatchNumber(*at), last)),
            );
        }
        let disturbing = scope.spawn(|| disturb(db, plan, &arguments.root, &written));
        let results: Vec<_> = writers
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        written.store(true, Ordering::Release);
        for result in results.into_iter().chain([disturbing.join()]) {
            result.map_err(|_| anyhow::anyhow!("a thread panicked"))??;
        }
        Ok(())
    })
}

fn write(
    db: &Database,
    workload: Workload,
    writer: Writer,
    at: BatchNumber,
    last: BatchNumber,
) -> Result<()> {
    let mut batch = at;
    while batch < last {
        batch = batch.next();
        workload
            .commit(db, writer, batch)
            .with_context(|| format!("{writer}, batch {batch}"))?;
        Said::Acknowledged(writer, batch).say()?;
    }
    Ok(())
}

/// Does what moves the database's files while the writers write.
fn disturb(db: &Database, plan: &Plan, root: &Path, written: &AtomicBool) -> Result<()> {
    let Some(disturbance) = plan.disturbance else {
        return Ok(());
    };
    let mut rng = plan.rng("disturb");
    let mut progress = |_: stratigraph::storage::cancel::Progress<'_>| {};
    let mut watch = Watch::new(&mut progress, CancelToken::new());
    while !written.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(rng.u64(5..120)));
        match disturbance {
            Disturbance::Flush => db.flush().context("flush")?,
            Disturbance::Compact => db.compact(&mut watch).context("compact")?,
            Disturbance::Backup => {
                match db.backup(root.with_extension("backups"), &mut watch) {
                    // A backup has to wait for a load; its checkpoint was in the way all the same.
                    Ok(_) | Err(stratigraph::Error::LoadInProgress) => {}
                    Err(error) => return Err(error).context("backup"),
                }
            }
        }
    }
    Ok(())
}
