//! One case: copies a healthy folder, damages it, opens it and judges what comes out.

use super::examine::Findings;
use super::golden::{Contents, Expected, Golden, builder};
use super::harm::{Kind, Target};
use crate::driver::scratch::copy_folder;
use anyhow::{Context, Result, anyhow};
use std::fmt::{self, Write as _};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, restore, verify_backup};

/// One in so many cases is damaged twice.
const DOUBLE: u64 = 8;

/// A story must go through the pipe in one piece, with the rest of the line.
const STORY_BYTES: usize = 3000;

/// What a case came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// The engine said so.
    Reported,
    /// Everything is exactly right.
    Harmless,
    /// Something was handed out that was never so.
    WrongValue,
    /// What an index holds is not what is stored, and the engine did not say so.
    IndexDiffers,
    /// Something acknowledged is missing, and the engine did not say so.
    SilentLoss,
    /// The engine never came back.
    Stuck,
    /// The engine panicked, or ended the process.
    Died,
}

impl Outcome {
    /// Each with its name.
    pub(super) const ALL: [(Self, &str); 7] = [
        (Self::Reported, "reported"),
        (Self::Harmless, "harmless"),
        (Self::WrongValue, "wrong"),
        (Self::IndexDiffers, "index"),
        (Self::SilentLoss, "lost"),
        (Self::Stuck, "stuck"),
        (Self::Died, "died"),
    ];

    /// Whether the engine has failed.
    pub(super) fn is_bad(self) -> bool {
        !matches!(self, Self::Reported | Self::Harmless)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            Self::ALL
                .iter()
                .find(|(outcome, _)| outcome == self)
                .map_or("", |(_, name)| name),
        )
    }
}

/// A case that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tried {
    /// Its number.
    pub(super) number: u64,
    /// What was done; the first of two.
    pub(super) kind: Kind,
    /// What it came to.
    pub(super) outcome: Outcome,
    /// Whether a report named a file.
    pub(super) named_a_file: bool,
    /// Files, offsets, and what the engine said or got wrong.
    pub(super) story: String,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut end = self.story.len().min(STORY_BYTES);
        while !self.story.is_char_boundary(end) {
            end -= 1;
        }
        let story = self.story[..end].replace('\n', " ");
        write!(
            f,
            "{} {} {} {} {story}",
            self.number, self.kind, self.outcome, self.named_a_file
        )
    }
}

impl std::str::FromStr for Tried {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> Result<Self> {
        let mut parts = line.splitn(5, ' ');
        let mut part = || parts.next().context("the line is too short");
        let number = part()?.parse()?;
        let kind = part()?.parse().map_err(|error: String| anyhow!(error))?;
        let name = part()?;
        let outcome = Outcome::ALL
            .iter()
            .find(|(_, known)| *known == name)
            .context("an unknown outcome")?
            .0;
        Ok(Self {
            number,
            kind,
            outcome,
            named_a_file: part()?.parse()?,
            story: part()?.to_owned(),
        })
    }
}

/// A damaged copy.
struct Damaged<'a> {
    golden: &'a Golden,
    kind: Kind,
    story: String,
    rng: fastrand::Rng,
}

/// What the cases are made from.
pub(super) struct Stock {
    /// The run's seed.
    pub(super) seed: u64,
    /// Healthy folders.
    pub(super) golden: Vec<Golden>,
    /// The same folders of another database.
    pub(super) foreign: Vec<PathBuf>,
    /// If only one kind is wanted.
    pub(super) kind: Option<Kind>,
}

impl Stock {
    /// Tries case `number` in `dir`, which is made anew.
    pub(super) fn run(&self, number: u64, dir: &Path) -> Result<Tried> {
        let Damaged {
            golden,
            kind,
            mut story,
            mut rng,
        } = self.damage(number, dir)?;
        let read_only = rng.bool();
        let mut findings = Findings::default();
        let examined = catch_unwind(AssertUnwindSafe(|| match &golden.contents {
            Contents::Database(expected) if read_only => match builder().open_read_only(dir) {
                Err(error) => findings.reports.push(error),
                Ok(db) => findings.read_database(&db, expected),
            },
            Contents::Database(expected) => open_twice(&mut findings, dir, expected),
            Contents::Backups(states) => restore_each(&mut findings, dir, states),
        }));
        if matches!(golden.contents, Contents::Database(_)) {
            write!(
                story,
                " opened {}",
                if read_only {
                    "read-only"
                } else {
                    "for writing"
                }
            )?;
        }
        let outcome = match &examined {
            Err(_) => Outcome::Died,
            Ok(()) if !findings.wrong.is_empty() => Outcome::WrongValue,
            Ok(()) if !findings.lost.is_empty() => Outcome::SilentLoss,
            Ok(()) if !findings.indexes.is_empty() => Outcome::IndexDiffers,
            Ok(()) if findings.are_reported() => Outcome::Reported,
            Ok(()) => Outcome::Harmless,
        };
        if let Some(report) = findings.reports.first() {
            write!(story, ", said: {report}")?;
        }
        if let Some(finding) = findings.check.first() {
            write!(story, ", check found: {finding}")?;
        }
        if let Some(first) = findings.indexes.first() {
            write!(story, ", {first}")?;
        }
        for (what, differences) in [("wrong", &findings.wrong), ("lost", &findings.lost)] {
            if let Some(first) = differences.first() {
                write!(story, ", {} {what}, first: {first}", differences.len())?;
            }
        }
        Ok(Tried {
            number,
            kind,
            outcome,
            named_a_file: findings.name_a_file(dir),
            story,
        })
    }

    /// Case `number`, which its process could not finish. Leaves `dir` damaged and never opened.
    pub(super) fn unfinished(&self, number: u64, outcome: Outcome, dir: &Path) -> Result<Tried> {
        let Damaged { kind, story, .. } = self.damage(number, dir)?;
        Ok(Tried {
            number,
            kind,
            outcome,
            named_a_file: false,
            story,
        })
    }

    /// Makes `dir` anew as a damaged copy.
    fn damage(&self, number: u64, dir: &Path) -> Result<Damaged<'_>> {
        let mut rng = fastrand::Rng::with_seed(
            self.seed.rotate_left(32) ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        );
        let (index, kinds) = self.draw(number, &mut rng)?;
        let (golden, foreign) = (&self.golden[index], &self.foreign[index]);
        let mut story = format!(
            "{}:",
            golden.dir.file_name().unwrap_or_default().to_string_lossy()
        );
        if dir.exists() {
            fs::remove_dir_all(dir)?;
        }
        copy_folder(&golden.dir, dir)?;
        for kind in &kinds {
            let done = kind.apply(dir, foreign, &mut rng);
            write!(
                story,
                " {kind} {};",
                done.with_context(|| format!("cannot do {kind}"))?
            )?;
        }
        Ok(Damaged {
            golden,
            kind: kinds[0],
            story,
            rng,
        })
    }

    /// Draws a healthy folder and one or two kinds of damage that can be done to it.
    fn draw(&self, number: u64, rng: &mut fastrand::Rng) -> Result<(usize, Vec<Kind>)> {
        loop {
            // The first is the one with everything in it; it gets half of the cases.
            let index = if rng.bool() {
                0
            } else {
                rng.usize(..self.golden.len())
            };
            let dir = &self.golden[index].dir;
            if let Some(wanted) = self.kind {
                if wanted.is_possible(dir)? {
                    return Ok((index, vec![wanted]));
                }
                continue;
            }
            let first = Kind::draw(dir, rng)?;
            let second = if number % DOUBLE == DOUBLE - 1 {
                Some(Kind::draw(dir, rng)?)
            } else {
                None
            };
            // The mark is what a lost end of the log is known by: both lost at once leaves no trace,
            // which nothing on one disk can help. And what is gone cannot be harmed again.
            let second = second.filter(|second| {
                first.target != Target::Mark
                    && second.target != Target::Mark
                    && first.target != second.target
            });
            return Ok((index, std::iter::once(first).chain(second).collect()));
        }
    }
}

/// For writing: what the first open makes of the damage, the second must still know.
fn open_twice(findings: &mut Findings, dir: &Path, expected: &Expected) {
    for _ in 0..2 {
        let closed = builder().open(dir).and_then(|db: Database| {
            findings.read_database(&db, expected);
            db.close()
        });
        if let Err(error) = closed {
            findings.reports.push(error);
            return;
        }
    }
}

/// Every backup either does not restore or restores exactly.
fn restore_each(findings: &mut Findings, dir: &Path, states: &[Expected]) {
    let mut watch = Watch::quiet();
    let target = dir.with_extension("restored");
    for (number, expected) in (1..).zip(states) {
        let verified = verify_backup(dir, Some(number), &mut watch);
        findings.reports.extend(verified.err());
        // Also after a refusal: whoever does not ask first must get no wrong answer either.
        match restore(dir, Some(number), &target, &mut watch).and_then(|_| builder().open(&target))
        {
            Err(error) => findings.reports.push(error),
            Ok(db) => findings.read_database(&db, expected),
        }
        // It may never have been made.
        let _ = fs::remove_dir_all(&target);
    }
}
