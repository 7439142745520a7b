//! The healthy databases that are damaged, and what each must hold.
//!
//! A child makes one and is killed, so that its log still holds acknowledged commits:
//!
//! ```text
//! settled   several levels of sorted files, a bulk load, and a live log at the end
//! busy      killed between automatic flushes and compactions
//! closed    the settled one, opened and closed: its log is empty
//! backups   two backups of the settled one, the second incremental
//! ```

use crate::crash::child::plant_by_name;
use crate::crash::link::{Listener, Speaker, Word, die_with_parent};
use crate::workload::{BatchNumber, Model, Workload, Writer};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::{Database, DatabaseBuilder};

const DATABASES: [&str; 3] = ["settled", "busy", "closed"];
/// How many writers there are.
const WRITERS: u32 = 2;
/// Beyond the first period of bulk loads, so that every writer has had one.
const COMPACTED: BatchNumber = BatchNumber(64);
const FIRST_FLUSH: BatchNumber = BatchNumber(80);
const SECOND_FLUSH: BatchNumber = BatchNumber(95);
/// The last ones are in the log only.
const LAST: BatchNumber = BatchNumber(105);
const BUILD_LIMIT: Duration = Duration::from_secs(300);

/// What a child is told.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct GoldenArgs {
    #[arg(long)]
    dir: PathBuf,
    #[arg(long)]
    seed: u64,
    /// Small buffers, no deliberate flush.
    #[arg(long)]
    busy: bool,
    #[arg(long)]
    plant: Option<String>,
}

/// A healthy folder and its oracle.
pub(super) struct Golden {
    /// The folder that is copied.
    pub(super) dir: PathBuf,
    /// What kind of folder it is.
    pub(super) contents: Contents,
}

/// What a golden folder holds.
pub(super) enum Contents {
    /// A database in this state.
    Database(Vec<Model>),
    /// Backups, numbered from 1, of these states.
    Backups(Vec<Vec<Model>>),
}

/// Makes all of them below `root`.
///
/// # Errors
/// If the healthy engine cannot do it.
pub(super) fn make_all(root: &Path, seed: u64, bug: Option<&str>) -> Result<()> {
    let [settled, busy, closed] = DATABASES.map(|name| root.join(name));
    make(&settled, seed, false, bug)?;
    make(&busy, seed, true, bug)?;
    copy_folder(&settled, &closed)?;
    builder()
        .open(&closed)
        .and_then(Database::close)
        .context("cannot close a healthy database")
}

/// What [`make_all`] has made below `root`, the one with everything in it first.
pub(super) fn all(root: &Path, seed: u64) -> Vec<Golden> {
    let workload = Workload::new(seed);
    let database = |name| Golden {
        dir: root.join(name),
        contents: Contents::Database(models(workload, LAST)),
    };
    let mut golden: Vec<Golden> = DATABASES.into_iter().map(database).collect();
    let states = [COMPACTED, SECOND_FLUSH]
        .map(|at| models(workload, at))
        .into();
    golden.push(Golden {
        dir: backup_folder(&root.join(DATABASES[0])),
        contents: Contents::Backups(states),
    });
    golden
}

/// Runs in the child: makes a database and waits to be killed.
///
/// # Errors
/// If the healthy engine cannot do it.
pub(super) fn run_child(arguments: &GoldenArgs) -> Result<()> {
    die_with_parent();
    plant_by_name(arguments.plant.as_deref())?;
    let speaker = Speaker::on_stdout()?;
    let workload = Workload::new(arguments.seed);
    let mut builder = builder().create_if_missing(true);
    if arguments.busy {
        builder = builder.write_buffer_bytes(4 << 20);
    }
    let db = builder.open(&arguments.dir)?;
    let mut progress = |_: stratigraph::storage::cancel::Progress<'_>| {};
    let mut watch = Watch::new(&mut progress, CancelToken::new());
    for number in 1..=LAST.0 {
        let batch = BatchNumber(number);
        for writer in 0..WRITERS {
            workload.commit(&db, Writer(writer), batch)?;
        }
        if arguments.busy {
            continue;
        }
        match batch {
            COMPACTED => {
                db.compact(&mut watch)?;
                db.backup(backup_folder(&arguments.dir), &mut watch)?;
            }
            FIRST_FLUSH => db.flush()?,
            SECOND_FLUSH => {
                db.flush()?;
                db.backup(backup_folder(&arguments.dir), &mut watch)?;
            }
            _ => {}
        }
    }
    speaker.say(Word::Ready)?;
    loop {
        std::thread::park();
    }
}

/// Copies a folder with everything in it, except what belongs to a running process.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else if entry.file_name() != "LOCK" {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot copy to {}", target.display()))?;
        }
    }
    Ok(())
}

/// The settings with which every database here is opened.
pub(super) fn builder() -> DatabaseBuilder {
    Database::builder()
        .cache_bytes(8 << 20)
        .disk_reserve_bytes(0)
}

fn make(dir: &Path, seed: u64, busy: bool, bug: Option<&str>) -> Result<()> {
    let mut words: Vec<String> = vec!["golden".into(), "--dir".into(), dir.display().to_string()];
    words.extend(["--seed".into(), seed.to_string()]);
    words.extend(busy.then(|| "--busy".to_owned()));
    words.extend(bug.map(|bug| format!("--plant={bug}")));
    let mut child: Listener<Word> = Listener::start(&words)?;
    child.wait_for(&Word::Ready, BUILD_LIMIT)?;
    child.kill()?;
    Ok(())
}

fn models(workload: Workload, at: BatchNumber) -> Vec<Model> {
    let at_last = |writer| {
        let mut model = Model::new(workload, Writer(writer));
        model.advance_to(at);
        model
    };
    (0..WRITERS).map(at_last).collect()
}

fn backup_folder(dir: &Path) -> PathBuf {
    dir.with_extension("backups")
}
