//! A process that puts documents into a database is killed again and again: each document is there as it was before
//! or as it was to be, and no model is paid twice.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use stratigraph::Database;
use stratigraph_tests::documents::hand::{Hand, built, canonical, compare};
use stratigraph_tests::documents::program::{Step, after, profile, steps};
use stratigraph_tests::driver::rng;

const CHILD: &str = env!("CARGO_BIN_EXE_documents_child");
const STEPS: usize = 14;

fn runs() -> u64 {
    let count = std::env::var("STRATIGRAPH_DOCUMENT_KILLS").ok();
    count.map_or(2, |count| count.parse().expect("a number of runs"))
}

/// Lets a child work until it has said so many lines, and kills it. Returns how many steps are made for sure.
fn work(
    dir: &Path,
    (seed, from): (u64, usize),
    rng: &mut fastrand::Rng,
    paid: &mut BTreeSet<String>,
) -> Result<usize> {
    let numbers = [seed, STEPS as u64, from as u64].map(|number| number.to_string());
    let mut child = Command::new(CHILD)
        .arg(dir)
        .args(&numbers)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().context("its output")?;
    let last = rng.usize(1..12);
    let mut made = from;
    for (number, line) in BufReader::new(out).lines().enumerate() {
        let line = line?;
        match line.split_once(' ') {
            Some(("made", step)) => made = step.parse::<usize>()? + 1,
            Some(("paid", hash)) => {
                ensure!(paid.insert(hash.to_owned()), "{hash} was paid twice");
            }
            _ => {}
        }
        if number == last {
            // Somewhere within what it does next. What it has said by then is read to the end.
            std::thread::sleep(Duration::from_micros(rng.u64(0..3000)));
            child.kill()?;
        }
    }
    child.wait()?;
    Ok(made)
}

fn try_run(seed: u64) -> Result<()> {
    let in_memory = tempfile::Builder::new().tempdir_in("/dev/shm");
    let folder = in_memory.or_else(|_| tempfile::tempdir())?;
    let dir = folder.path().join("database");
    let steps = steps(seed, STEPS);
    let mut rng = rng(seed, 1, "kills");
    let mut paid = BTreeSet::new();
    let mut made = 0;
    while made < STEPS {
        made = work(&dir, (seed, made), &mut rng, &mut paid)?;
        let builder = Database::builder().disk_reserve_bytes(0);
        let db = builder.create_if_missing(true).open(&dir)?;
        let hand = Hand::at(&db, profile(seed))?;
        let found = canonical(&hand.layers)?;
        let as_before = compare(&found, &built(&after(&steps[..made]), &profile(seed))?);
        if let Err(error) = as_before {
            ensure!(made < STEPS, "all steps are made: {error}");
            // Committed, but killed before it could say so.
            compare(&found, &built(&after(&steps[..=made]), &profile(seed))?)
                .with_context(|| format!("neither before step {made} nor after it: {error}"))?;
            made += 1;
        }
        db.close()?;
    }
    // Whatever it was interrupted in, nothing is left to do.
    let db = Database::builder().disk_reserve_bytes(0).open(&dir)?;
    let mut hand = Hand::at(&db, profile(seed))?;
    for (id, lines) in after(&steps) {
        let change = hand.make(&Step::Upsert(id, lines))?;
        ensure!(change.keys == 0 && change.vectors == 0, "{change:?}");
    }
    ensure!(
        hand.model_calls == 0,
        "{} replies are lost",
        hand.model_calls
    );
    Ok(())
}

#[test]
fn each_document_is_as_it_was_or_as_it_was_to_be() {
    for seed in 0..runs() {
        // Profiles with all layers come first.
        let seed = seed + 3;
        if let Err(error) = try_run(seed) {
            panic!("seed {seed}: {error:?}");
        }
    }
}
