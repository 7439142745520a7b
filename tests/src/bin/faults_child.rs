//! The process in which `tests/faults.rs` makes file calls fail: it commits until one does, checks
//! what the database says from then on, and tells its parent on standard output.
//!
//! ```text
//! open                            the database is open
//! ack 0 B                         batch B was acknowledged
//! failed B KIND                   batch B was refused with an error of this kind
//! counts COMMITS GROUPS LOG MARK  the engine's own counters, after opening and after the commits
//! closed KIND                     how closing went; `ok`, or the kind of the error
//! ```
//! It ends with an error of its own when the database breaks a promise.

use anyhow::{Context, Result, bail, ensure};
use std::io::Write;
use std::path::Path;
use stratigraph::keys::KeyRead;
use stratigraph::storage::family::Family;
use stratigraph::{Database, DatabaseBuilder, Error};
use stratigraph_tests::workload::{BatchNumber, Hand, Model, Verdict, Workload, Writer, verify};

const WRITER: Writer = Writer(0);

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["commit", dir, seed, batches] => commit(Path::new(dir), seed.parse()?, batches.parse()?),
        ["count", dir, threads, commits] => {
            count(Path::new(dir), threads.parse()?, commits.parse()?)
        }
        _ => bail!("commit DIR SEED BATCHES, or count DIR THREADS COMMITS"),
    }
}

/// Through descriptor 1 itself, which is the one that the recorder watches.
fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes())?;
    out.flush()?;
    Ok(())
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::OutcomeUnknown { .. } => "unknown",
        Error::Poisoned { .. } => "poisoned",
        other => other.kind().as_str(),
    }
}

fn builder() -> DatabaseBuilder {
    Database::builder()
        .disk_reserve_bytes(0)
        .write_buffer_bytes(1 << 20)
}

/// Commits until a batch fails, then asks for everything that must hold after that.
fn commit(dir: &Path, seed: u64, batches: u64) -> Result<()> {
    let workload = Workload::of_keys(seed);
    let db = match builder().open(dir) {
        Ok(db) => db,
        Err(error) => {
            eprintln!("open: {error}");
            return say(&format!("failed 0 {}", kind(&error)));
        }
    };
    say("open")?;
    let mut model = Model::new(workload, WRITER);
    let mut hand = Hand::take_up(&db, workload, WRITER, model.batch())?;
    for batch in (1..=batches).map(BatchNumber) {
        if let Err(error) = commit_next(&mut hand, &db)? {
            eprintln!("batch {batch}: {error}");
            say(&format!("failed {batch} {}", kind(&error)))?;
            after_a_failure(&db, &mut model, &mut hand, &error)?;
            break;
        }
        model.advance();
        say(&format!("ack {} {batch}", WRITER.0))?;
    }
    match db.close() {
        Ok(()) => say("closed ok"),
        Err(error) => say(&format!("closed {}", kind(&error))),
    }
}

/// What the database says to the next batch.
fn commit_next(hand: &mut Hand, db: &Database) -> Result<Result<(), Error>> {
    match hand.commit(db) {
        Ok(_) => Ok(Ok(())),
        Err(error) => {
            let said = error.downcast::<Error>();
            said.map(Err).context("that is not what the database said")
        }
    }
}

fn after_a_failure(db: &Database, model: &mut Model, hand: &mut Hand, error: &Error) -> Result<()> {
    let before = db.key_read()?;
    for _ in 0..2 {
        let seen = verify(db, model, model.batch())?;
        ensure!(
            seen == Verdict::Exact(model.batch()),
            "a failed batch was published: {seen:?}"
        );
    }
    let again = model.batch().next();
    if error.outcome_is_unknown() {
        ensure!(
            db.info().failure.is_some(),
            "it does not say that writing has stopped"
        );
        let later = commit_next(hand, db)?;
        ensure!(
            matches!(later, Err(Error::Poisoned { .. })),
            "a later commit: {later:?}"
        );
        ensure!(
            matches!(db.key_write().err(), Some(Error::Poisoned { .. })),
            "a later transaction began"
        );
    } else if db.info().failure.is_none() {
        // Nothing was written, so trying again is right.
        commit_next(hand, db)??;
        model.advance();
        say(&format!("ack {} {again}", WRITER.0))?;
    }
    let seen = verify(db, model, model.batch())?;
    ensure!(
        seen == Verdict::Exact(model.batch()),
        "reading does not go on: {seen:?}"
    );
    ensure!(
        before.commit_seq() <= db.key_read()?.commit_seq(),
        "readers went back"
    );
    Ok(())
}

/// Many threads commit one record each, again and again; the counters say how many syncs it took.
fn count(dir: &Path, threads: u32, commits: u32) -> Result<()> {
    let db = Database::builder().disk_reserve_bytes(0).open(dir)?;
    let counts = |db: &Database| {
        let info = db.info();
        let (commits, groups) = (info.commits.commits, info.commits.groups);
        say(&format!(
            "counts {commits} {groups} {} {}",
            info.store.log_syncs, info.commits.mark_syncs
        ))
    };
    counts(&db)?;
    std::thread::scope(|scope| {
        let each = |thread: u32| {
            let db = &db;
            move || -> Result<()> {
                for number in 0..commits {
                    let mut txn = db.key_write()?;
                    txn.put(
                        Family::Nodes,
                        &[thread.to_be_bytes(), number.to_be_bytes()].concat(),
                        b"record",
                    )?;
                    txn.commit()?;
                }
                Ok(())
            }
        };
        let threads: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(each(thread)))
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .map_err(|_| anyhow::anyhow!("a thread panicked"))?
        })
    })?;
    counts(&db)?;
    db.close()?;
    say("closed ok")
}
