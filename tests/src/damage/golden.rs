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

use super::examine::Pairs;
use crate::driver::child::{plant_by_name, planted};
use crate::driver::compare::Comparison;
use crate::driver::disturb::backup_folder;
use crate::driver::link::{Listener, Speaker, Word, die_with_parent};
use crate::driver::scratch::copy_folder;
use crate::workload::{BatchNumber, Hand, Model, Workload, Writer};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, DatabaseBuilder, restore};

const DATABASES: [&str; 3] = ["settled", "busy", "closed"];
/// How many writers there are: two of a graph, one of keys.
const WRITERS: u32 = 3;
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
    Database(Expected),
    /// Backups, numbered from 1, of these states.
    Backups(Vec<Expected>),
}

/// What a healthy database holds: what the oracle says of each writer, and every pair as the healthy
/// engine has read it, once the oracle had agreed.
pub(super) struct Expected {
    /// Each writer.
    pub(super) models: Vec<Model>,
    /// Every pair.
    pub(super) pairs: Pairs,
}

impl Expected {
    /// Of a database that was not harmed.
    fn read(db: &Database, workload: Workload, at: BatchNumber) -> Result<Self> {
        let at_last = |writer| Model::at(workload, Writer(writer), at);
        Ok(Self {
            models: (0..WRITERS).map(at_last).collect(),
            pairs: Pairs::read(&db.key_read()?)?,
        })
    }

    /// Whether the oracle agrees, and the database with itself: otherwise no damage proves anything.
    fn agrees(&self, db: &Database) -> Result<()> {
        let at: Vec<BatchNumber> = self.models.iter().map(Model::batch).collect();
        let sentences = Comparison::of(db, &self.models, &at).sentences();
        match sentences.first() {
            None => Ok(()),
            Some(first) => bail!("a healthy database is not as it should be: {first}"),
        }
    }
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

/// The folders that [`make_all`] has made below `root`, the one with everything in it first.
pub(super) fn folders(root: &Path) -> Vec<PathBuf> {
    let databases = DATABASES.iter().map(|name| root.join(name));
    let backups = backup_folder(&root.join(DATABASES[0]));
    databases.chain([backups]).collect()
}

/// What [`make_all`] has made below `root`, the one with everything in it first. What is in them is
/// checked, unless a bug is planted, which may well show.
///
/// # Errors
/// If the healthy engine cannot read them, or they are not as they should be.
pub(super) fn all(root: &Path, seed: u64, check: bool) -> Result<Vec<Golden>> {
    let workload = Workload::new(seed);
    let expected = |dir: &Path, at| {
        let db = builder().open_read_only(dir)?;
        let expected = Expected::read(&db, workload, at)?;
        if check {
            expected.agrees(&db)?;
        }
        Ok::<_, anyhow::Error>(expected)
    };
    let mut golden = Vec::new();
    for name in DATABASES {
        let dir = root.join(name);
        let expected = expected(&dir, LAST).with_context(|| format!("the healthy {name}"))?;
        golden.push(Golden {
            dir,
            contents: Contents::Database(expected),
        });
    }
    let dir = backup_folder(&root.join(DATABASES[0]));
    // A child that was stopped here has left it behind.
    let target = root.join("restored");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let mut states = Vec::new();
    let mut watch = Watch::quiet();
    for (number, at) in (1..).zip([COMPACTED, SECOND_FLUSH]) {
        restore(&dir, Some(number), &target, &mut watch).context("a healthy backup")?;
        // The first open of what was restored writes.
        builder().open(&target).and_then(Database::close)?;
        states.push(expected(&target, at).context("a healthy backup")?);
        fs::remove_dir_all(&target)?;
    }
    golden.push(Golden {
        dir,
        contents: Contents::Backups(states),
    });
    Ok(golden)
}

/// Runs in the child: makes a database and waits to be killed.
///
/// # Errors
/// If the healthy engine cannot do it.
pub(super) fn run_child(arguments: &GoldenArgs) -> Result<()> {
    die_with_parent();
    plant_by_name(arguments.plant.as_deref())?;
    let workload = Workload::new(arguments.seed);
    let mut builder = builder().create_if_missing(true);
    if arguments.busy {
        builder = builder.write_buffer_bytes(4 << 20);
    }
    let db = builder.open(&arguments.dir)?;
    let mut watch = Watch::quiet();
    let take_up = |writer| Hand::take_up(&db, workload, Writer(writer), BatchNumber(0));
    let mut hands = (0..WRITERS).map(take_up).collect::<Result<Vec<Hand>>>()?;
    for number in 1..=LAST.0 {
        let batch = BatchNumber(number);
        for hand in &mut hands {
            hand.commit(&db)?;
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
    Speaker.say(Word::Ready)?;
    loop {
        std::thread::park();
    }
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
    words.extend(planted(bug));
    let mut child: Listener<Word> = Listener::start(&words)?;
    child.wait_for(&Word::Ready, BUILD_LIMIT)?;
    child.kill()?.at_work()
}
