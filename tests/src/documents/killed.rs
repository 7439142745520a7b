//! A process that puts documents into a database is killed again and again: each document is there as it was before
//! or as it was to be, and no model is paid twice.
//!
//! ```text
//! begins N     step N begins
//! paid HASH    a model was asked, and its reply is safe
//! made N       step N is committed
//! ```

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use stratigraph::Database;

use super::hand::{Hand, Reader, built, canonical, compare};
use super::program::{Step, after, profile, steps};
use crate::driver::link::die_with_parent;
use crate::driver::rng;
use crate::driver::scratch::Scratch;

/// So many steps a sequence has.
const STEPS: usize = 14;

/// What the process that is killed is told.
#[derive(Debug, clap::Args)]
pub struct ChildArgs {
    /// The database.
    #[arg(long)]
    dir: PathBuf,
    /// The seed of the sequence.
    #[arg(long)]
    seed: u64,
    /// Whether rules read.
    #[arg(long)]
    rules: bool,
    /// The first step that is not made.
    #[arg(long)]
    from: usize,
}

/// The process that is killed: makes step after step, and says so.
///
/// # Errors
/// Whatever the database refuses, and when the parent is gone.
pub fn child(arguments: &ChildArgs) -> Result<()> {
    die_with_parent();
    let reader = match arguments.rules {
        true => Reader::Rules,
        false => Reader::Model,
    };
    let db = open(&arguments.dir)?;
    let mut hand = Hand::at(&db, profile(arguments.seed), reader)?;
    hand.tell = Some(|asked| say(&format!("paid {asked:016x}")));
    let steps = steps(arguments.seed, STEPS);
    for (number, step) in steps.iter().enumerate().skip(arguments.from) {
        say(&format!("begins {number}"))?;
        hand.make(step)?;
        say(&format!("made {number}"))?;
    }
    Ok(())
}

/// Says a line to the parent.
pub(super) fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Opens the database that is worked on.
pub(super) fn open(dir: &Path) -> Result<Database> {
    let builder = Database::builder().disk_reserve_bytes(0);
    Ok(builder.create_if_missing(true).open(dir)?)
}

/// Hears what a child says, and kills it somewhere within what it does after so many lines. Whether it was killed at
/// its work: one that has ended by itself has done everything, or says what is wrong.
pub(super) fn die_in_time(
    mut child: Child,
    lines: usize,
    rng: &mut fastrand::Rng,
    heard: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<bool> {
    let out = child.stdout.take().context("its output")?;
    for (number, line) in BufReader::new(out).lines().enumerate() {
        heard(&line?)?;
        if number == lines {
            // What it has said by then is read to the end.
            std::thread::sleep(Duration::from_micros(rng.u64(0..3000)));
            child.kill()?;
        }
    }
    let status = child.wait()?;
    let killed = status.code().is_none();
    ensure!(
        killed || status.success(),
        "the process ended with {status}"
    );
    Ok(killed)
}

/// The parent, and what it has seen.
#[derive(Debug)]
pub struct Killed {
    /// A program that knows the subcommand `child`.
    program: PathBuf,
    /// How often it has killed.
    pub kills: u64,
    /// How often a document that a kill had interrupted was as before,
    pub before: u64,
    /// and how often as it was to be.
    pub after: u64,
}

impl Killed {
    /// Nobody yet. The program is the one that knows the subcommand `child`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            kills: 0,
            before: 0,
            after: 0,
        }
    }

    /// One sequence, killed until all of its steps are made.
    ///
    /// # Errors
    /// If something is there in part, or was paid twice.
    pub fn run(&mut self, seed: u64, reader: Reader) -> Result<()> {
        let scratch = Scratch::new(None, "law")?;
        let dir = scratch.root().join("database");
        let profile = profile(seed);
        let steps = steps(seed, STEPS);
        let mut rng = rng(seed, 1, "kills");
        let mut paid = BTreeSet::new();
        let mut made = 0;
        while made < STEPS {
            let (sure, killed) = self.work(&dir, (seed, reader, made), &mut rng, &mut paid)?;
            made = sure;
            let db = open(&dir)?;
            let hand = Hand::at(&db, profile.clone(), reader)?;
            let found = canonical(&hand.layers)?;
            let as_before = compare(&found, &built(&after(&steps[..made]), &profile, reader)?);
            if let Err(error) = as_before {
                ensure!(made < STEPS, "{reader:?}: all steps are made: {error}");
                // Committed, but killed before it could say so.
                compare(&found, &built(&after(&steps[..=made]), &profile, reader)?).with_context(
                    || format!("{reader:?}: neither before step {made} nor after it: {error}"),
                )?;
                made += 1;
                self.after += u64::from(killed);
            } else {
                self.before += u64::from(killed);
            }
            db.close()?;
        }
        // Whatever it was interrupted in, nothing is left to do.
        let db = open(&dir)?;
        let mut hand = Hand::at(&db, profile, reader)?;
        for (id, written) in after(&steps) {
            let change = hand.make(&Step::Upsert(id, written))?;
            ensure!(
                change.keys == 0 && change.vectors == 0,
                "{reader:?}: {change:?}"
            );
        }
        ensure!(
            hand.model_calls == 0,
            "{} replies are lost",
            hand.model_calls
        );
        db.close()?;
        scratch.remove()
    }

    /// Lets a child work until it has said so many lines, and kills it. Returns how many steps are made for sure, and
    /// whether it was killed at its work.
    fn work(
        &mut self,
        dir: &Path,
        (seed, reader, from): (u64, Reader, usize),
        rng: &mut fastrand::Rng,
        paid: &mut BTreeSet<String>,
    ) -> Result<(usize, bool)> {
        let child = Command::new(&self.program)
            .arg("child")
            .arg(format!("--dir={}", dir.display()))
            .arg(format!("--seed={seed}"))
            .arg(format!("--from={from}"))
            .args((reader == Reader::Rules).then_some("--rules"))
            .stdout(Stdio::piped())
            .spawn()?;
        let lines = rng.usize(1..12);
        let mut made = from;
        let killed = die_in_time(child, lines, rng, &mut |line| {
            match line.split_once(' ') {
                Some(("made", step)) => made = step.parse::<usize>()? + 1,
                Some(("paid", hash)) => {
                    ensure!(paid.insert(hash.to_owned()), "{hash} was paid twice");
                }
                _ => {}
            }
            Ok(())
        })?;
        self.kills += u64::from(killed);
        Ok((made, killed))
    }
}
