//! The child of a cycle: opens the database with the cycle's options and writes until it is killed.
//!
//! It acknowledges a batch to the parent only after the database has acknowledged it.

use super::cycle::Cycle;
use crate::driver::child::{ChildArgs, finish, write};
use crate::driver::disturb::disturb;
use crate::driver::link::{Speaker, Word, die_with_parent};
use crate::workload::Workload;
use anyhow::{Context, Result};
use stratigraph::Database;

/// Runs until the parent kills it.
///
/// # Errors
/// Whatever the database refuses: nothing here should make it refuse anything.
pub fn run(arguments: &ChildArgs) -> Result<()> {
    die_with_parent();
    arguments.plant()?;
    let cycle = Cycle::draw(arguments.seed, arguments.number);
    let speaker = Speaker;
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
    work(&db, &cycle, arguments, &speaker)
}

fn work(db: &Database, cycle: &Cycle, arguments: &ChildArgs, speaker: &Speaker) -> Result<()> {
    let workload = Workload::new(arguments.seed);
    finish(db)?;
    std::thread::scope(|scope| {
        for start in arguments.writers(cycle.writers) {
            scope.spawn(move || end_badly(write(db, workload, start, None, speaker)));
        }
        scope.spawn(move || {
            let rng = &mut cycle.rng("disturb");
            let backed_up = || speaker.say(Word::BackedUp);
            let (what, dir) = (cycle.disturbance, &arguments.dir);
            end_badly(disturb(db, what, dir, (rng, 1..60), || true, backed_up));
        });
    });
    Ok(())
}

/// One thread's failure ends the process: the others would go on for ever.
fn end_badly(result: Result<()>) {
    if let Err(error) = result {
        eprintln!("child: {error:#}");
        std::process::exit(3);
    }
}
