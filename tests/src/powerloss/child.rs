//! The process that is recorded: opens the database, writes its batches, and closes it.
//!
//! It says on its standard output, which the recorder watches, when the database is open and which
//! batch was acknowledged; each with one `write`, so that the record has it whole and at its place.

use super::plan::Plan;
use crate::driver::child::{ChildArgs, finish, write};
use crate::driver::compare::left_of_a_load;
use crate::driver::disturb::disturb;
use crate::driver::link::{Speaker, Word};
use crate::workload::BatchNumber;
use anyhow::{Context, Result, bail};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;
use stratigraph::Database;

/// Does what the plan says.
///
/// # Errors
/// Whatever the database refuses: nothing here should make it refuse anything.
pub fn run(arguments: &ChildArgs) -> Result<()> {
    arguments.plant()?;
    let plan = Plan::draw(arguments.seed, arguments.number);
    let db = plan
        .builder()
        .create_if_missing(true)
        .open(&arguments.dir)
        .context("cannot open the database")?;
    Speaker.say(Word::Open)?;
    if !arguments.recover_only {
        work(&db, &plan, arguments)?;
    }
    db.close().context("cannot close the database")?;
    // The next open would tidy up: only here shows what the loads themselves have left.
    match left_of_a_load(&arguments.dir) {
        Some(sentence) => bail!("{sentence}"),
        None => Ok(()),
    }
}

fn work(db: &Database, plan: &Plan, arguments: &ChildArgs) -> Result<()> {
    let workload = plan.workload();
    let written = AtomicBool::new(false);
    finish(db)?;
    std::thread::scope(|scope| {
        let mut writers = Vec::new();
        for (writer, at) in arguments.writers(plan.writers) {
            let last = Some(BatchNumber(at.0 + plan.batches));
            writers.push(scope.spawn(move || write(db, workload, (writer, at), last, &Speaker)));
        }
        let disturbing = scope.spawn(|| {
            let rng = &mut plan.rng("disturb");
            let goes_on = || !written.load(Ordering::Acquire);
            let (what, dir) = (plan.disturbance, &arguments.dir);
            disturb(db, what, dir, (rng, 5..120), goes_on, || Ok(()))
        });
        let results: Vec<_> = writers.into_iter().map(ScopedJoinHandle::join).collect();
        written.store(true, Ordering::Release);
        for result in results.into_iter().chain([disturbing.join()]) {
            result.map_err(|_| anyhow::anyhow!("a thread panicked"))??;
        }
        Ok(())
    })
}
