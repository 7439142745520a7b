//! The child of a cycle: opens the database with the cycle's options and writes until it is killed.
//!
//! It acknowledges a batch to the parent only after the database has acknowledged it.

use super::cycle::{Cycle, Disturbance};
use super::link::{Speaker, Word, die_with_parent};
use crate::workload::{BatchNumber, Workload, Writer};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stratigraph::Database;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::storage::plant::{Bug, plant};

/// What the parent tells a child.
#[derive(Debug, Clone, clap::Args)]
pub struct ChildArgs {
    /// The database.
    #[arg(long)]
    dir: PathBuf,
    /// The run's seed.
    #[arg(long)]
    seed: u64,
    /// The number of the cycle.
    #[arg(long)]
    cycle: u64,
    /// The last acknowledged batch of each writer.
    #[arg(long, value_delimiter = ',')]
    at: Vec<u64>,
    /// Only open the database.
    #[arg(long)]
    recover_only: bool,
    /// A bug to plant.
    #[arg(long)]
    plant: Option<String>,
}

impl ChildArgs {
    /// The command line that gives a child these arguments.
    pub fn words(
        cycle: &Cycle,
        dir: &Path,
        at: &[BatchNumber],
        recover_only: bool,
        bug: Option<&str>,
    ) -> Vec<String> {
        let at: Vec<String> = at.iter().map(ToString::to_string).collect();
        let mut words: Vec<String> =
            vec!["child".into(), "--dir".into(), dir.display().to_string()];
        words.extend([
            "--seed".into(),
            cycle.seed.to_string(),
            "--cycle".into(),
            cycle.number.to_string(),
        ]);
        words.extend(["--at".into(), at.join(",")]);
        words.extend(recover_only.then(|| "--recover-only".to_owned()));
        words.extend(bug.map(|bug| format!("--plant={bug}")));
        words
    }
}

/// Plants the bug of that name in this process.
///
/// # Errors
/// If there is no such bug.
pub fn plant_by_name(name: Option<&str>) -> Result<()> {
    let Some(name) = name else { return Ok(()) };
    let known = Bug::ALL
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(", ");
    plant(
        Bug::by_name(name)
            .with_context(|| format!("no bug is called {name}; there are {known}"))?,
    );
    Ok(())
}

/// Runs until the parent kills it.
///
/// # Errors
/// Whatever the database refuses: nothing here should make it refuse anything.
pub fn run(arguments: &ChildArgs) -> Result<()> {
    die_with_parent();
    plant_by_name(arguments.plant.as_deref())?;
    let cycle = Cycle::draw(arguments.seed, arguments.cycle);
    let speaker = Speaker::on_stdout()?;
    speaker.say(Word::Opening)?;
    let db = cycle
        .builder()
        .create_if_missing(true)
        .open(&arguments.dir)
        .context("cannot open the database")?;
    speaker.say(Word::Open)?;
    if arguments.recover_only {
        loop {
            std::thread::park();
        }
    }
    let workload = Workload::new(arguments.seed);
    std::thread::scope(|scope| -> Result<()> {
        let mut threads = Vec::new();
        for (writer, at) in (0..cycle.writers).zip(&arguments.at) {
            let (db, speaker) = (&db, &speaker);
            let at = BatchNumber(*at);
            threads.push(
                scope.spawn(move || end_badly(write(db, workload, Writer(writer), at, speaker))),
            );
        }
        let (db, speaker) = (&db, &speaker);
        threads.push(scope.spawn(move || end_badly(disturb(db, &cycle, &arguments.dir, speaker))));
        Ok(())
    })
}

/// One thread's failure ends the process: the others would go on for ever.
fn end_badly(result: Result<()>) {
    if let Err(error) = result {
        eprintln!("child: {error:#}");
        std::process::exit(3);
    }
}

fn write(
    db: &Database,
    workload: Workload,
    writer: Writer,
    at: BatchNumber,
    speaker: &Speaker,
) -> Result<()> {
    let mut batch = at.next();
    loop {
        workload
            .commit(db, writer, batch)
            .with_context(|| format!("{writer}, batch {batch}"))?;
        speaker.say(Word::Acknowledged(writer, batch))?;
        batch = batch.next();
    }
}

/// Does what moves the database's files while the writers write.
fn disturb(db: &Database, cycle: &Cycle, dir: &Path, speaker: &Speaker) -> Result<()> {
    let Some(disturbance) = cycle.disturbance else {
        return Ok(());
    };
    let mut rng = cycle.rng("disturb");
    let mut progress = |_: stratigraph::storage::cancel::Progress<'_>| {};
    let mut watch = Watch::new(&mut progress, CancelToken::new());
    loop {
        std::thread::sleep(Duration::from_millis(rng.u64(1..60)));
        match disturbance {
            Disturbance::Flush => db.flush().context("flush")?,
            Disturbance::Compact => db.compact(&mut watch).context("compact")?,
            Disturbance::Backup => {
                match db.backup(super::backup_folder(dir), &mut watch) {
                    Ok(_) => speaker.say(Word::BackedUp)?,
                    // One of the writers is loading: the next round tries again.
                    Err(stratigraph::Error::LoadInProgress) => {}
                    Err(error) => return Err(error).context("backup"),
                }
            }
        }
    }
}
