//! The writer that gets killed: this program again, as its own child.

use super::txn::Records;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use stratigraph::Database;

const READY: &str = "ready";

/// Starts a child that writes `log_bytes` into the database, and kills it once it has.
pub(super) fn kill_while_writing(database: &Path, log_bytes: u64, seed: u64) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("child").arg(database);
    command.args([
        "--log-bytes",
        &log_bytes.to_string(),
        "--seed",
        &seed.to_string(),
    ]);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the child")?;
    let mut line = String::new();
    let output = child.stdout.take().context("the child has no output")?;
    let read = BufReader::new(output).read_line(&mut line);
    child.kill()?;
    child.wait()?;
    read?;
    ensure!(
        line.trim() == READY,
        "the child did not come to its end: {line:?}"
    );
    Ok(())
}

/// The child's part: commits, says so, and waits for its end with the database open.
pub(super) fn write_and_wait(database: &Path, log_bytes: u64, seed: u64) -> Result<()> {
    let db = Database::open(database)?;
    // Another seed than that of the records which are there already.
    commit_records(&db, !seed, log_bytes)?;
    println!("{READY}");
    std::io::stdout().flush()?;
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

/// Commits small records in batches of 1,000 until they are at least `bytes` of log.
pub(super) fn commit_records(db: &Database, seed: u64, bytes: u64) -> Result<()> {
    // A record of the benchmark is 78 bytes on average, and some more in the log.
    let records = Records::make(seed, (bytes / 75) as usize);
    for batch in records.batches() {
        let mut txn = db.key_write()?;
        for (family, key, value) in batch {
            txn.put(family, key, value)?;
        }
        txn.commit()?;
    }
    Ok(())
}
