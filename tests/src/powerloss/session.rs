//! One recording: the child under the shim, and what may be where at each of its points.
//!
//! ```text
//! ROOT         the database, before and then after the child
//! DIR/record   what the child did
//! DIR/start    what was there before: from here on a recording can be used again
//! ```

use super::plan::Plan;
use crate::driver::child::ChildArgs;
use crate::driver::link::Word;
use crate::power::shim::Preload;
use crate::power::{Mode, Recording};
use crate::workload::{BatchNumber, WRITERS, Writer};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What there was before a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Whether a database was there.
    pub is_database: bool,
    /// Each writer's last batch that must not get lost.
    pub certain: Vec<BatchNumber>,
    /// Each writer's last batch that was found. Once the database has been opened it must stay too,
    /// because readers may have seen it.
    pub found: Vec<BatchNumber>,
}

impl Start {
    /// An empty folder.
    #[must_use]
    pub fn nothing() -> Self {
        let none = vec![BatchNumber(0); WRITERS as usize];
        Self {
            is_database: false,
            certain: none.clone(),
            found: none,
        }
    }

    fn encode(&self) -> String {
        let mut text = format!("{}\n", self.is_database);
        for (certain, found) in self.certain.iter().zip(&self.found) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{certain} {found}");
        }
        text
    }

    fn decode(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut start = Self {
            is_database: lines.next()?.parse().ok()?,
            certain: Vec::new(),
            found: Vec::new(),
        };
        for line in lines {
            let (certain, found) = line.split_once(' ')?;
            start.certain.push(BatchNumber(certain.parse().ok()?));
            start.found.push(BatchNumber(found.parse().ok()?));
        }
        Some(start)
    }
}

/// What must be, and may be, in an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// There must be a database: one was opened, or was there before.
    pub is_database: bool,
    /// Each writer's last batch that must be there.
    pub acknowledged: Vec<BatchNumber>,
    /// Each writer's last batch that may be there.
    pub attempted: Vec<BatchNumber>,
}

/// A finished recording.
pub struct Session {
    /// What was recorded.
    pub recording: Recording,
    /// What was there before.
    pub start: Start,
    /// Where each `said` stands in the recording.
    said: Vec<(usize, Word)>,
    last: Vec<BatchNumber>,
}

/// How to record.
#[derive(Debug, Clone)]
pub struct Recorder {
    /// The shim.
    pub library: PathBuf,
    /// A bug to plant in the child.
    pub bug: Option<String>,
}

impl Recorder {
    /// Records what the plan says, or only a recovery, in `root`, where the start lies already. A
    /// recording that is in `dir` from before is read instead.
    ///
    /// # Errors
    /// When the child fails, or did something that the shim did not see.
    pub fn record(
        &self,
        plan: &Plan,
        root: &Path,
        dir: &Path,
        start: &Start,
        recover_only: bool,
    ) -> Result<Session> {
        let (record, note) = (dir.join("record"), dir.join("start"));
        if !note.exists() {
            fs::create_dir_all(root)?;
            fs::create_dir_all(dir)?;
            let mut command = Command::new(std::env::current_exe()?);
            let (drawn, bug) = ((plan.seed, plan.number), self.bug.as_deref());
            let told = ChildArgs::new(root, drawn, &start.found, recover_only, bug);
            command.args(told.words());
            command.stdin(Stdio::null()).stdout(Stdio::null());
            let preload = Preload::new(&self.library, root).record(&record).acks(1);
            let status = preload
                .apply(&mut command)?
                .status()
                .context("cannot start the child")?;
            ensure!(status.success(), "the recorded child failed: {status}");
            let recording = Recording::read(&record)?;
            complete(&recording, root)?;
            fs::write(&note, start.encode())?;
        }
        let start = Start::decode(&fs::read_to_string(&note)?)
            .context("the note of the start is damaged")?;
        Session::over(plan, Recording::read(&record)?, start, recover_only)
    }
}

/// Whether the shim saw everything: otherwise no image proves anything.
fn complete(recording: &Recording, root: &Path) -> Result<()> {
    let all = recording.image_at(
        recording.len(),
        &mut fastrand::Rng::with_seed(0),
        Mode::Everything,
    );
    let differences = all.differences(root)?;
    ensure!(
        differences.is_empty(),
        "something went round the recorder: {}",
        differences.join("; ")
    );
    Ok(())
}

impl Session {
    fn over(plan: &Plan, recording: Recording, start: Start, recover_only: bool) -> Result<Self> {
        let mut said = Vec::new();
        for (at, op) in recording.ops().iter().enumerate() {
            let crate::power::Op::Ack { data } = op else {
                continue;
            };
            for line in String::from_utf8_lossy(recording.bytes(data)).lines() {
                let word = line.parse();
                said.push((at, word.context("a line that means nothing was recorded")?));
            }
        }
        let mut last = start.found.clone();
        for batch in last
            .iter_mut()
            .take(plan.writers as usize)
            .filter(|_| !recover_only)
        {
            batch.0 += plan.batches;
        }
        Ok(Self {
            recording,
            start,
            said,
            last,
        })
    }

    /// How many batches were acknowledged in it.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        let said = self.said.iter();
        said.filter(|(_, said)| matches!(said, Word::Acknowledged(..)))
            .count() as u64
    }

    /// What must be there when the power fails after `point` operations.
    #[must_use]
    pub fn expected_at(&self, point: usize) -> Expected {
        let mut expected = Expected {
            is_database: self.start.is_database,
            acknowledged: self.start.certain.clone(),
            attempted: self.start.found.clone(),
        };
        let before = self.said.iter().take_while(|(at, _)| *at < point);
        for (_, said) in before {
            match said {
                Word::Open => {
                    expected.is_database = true;
                    expected.acknowledged.clone_from(&self.start.found);
                }
                Word::Acknowledged(Writer(writer), batch) => {
                    expected.acknowledged[*writer as usize] = *batch;
                }
                // Nothing follows from these.
                Word::Opening | Word::BackedUp | Word::Ready => {}
            }
            // A writer waits for each acknowledgement: one batch at most was under way.
            let next = expected.acknowledged.iter().zip(&self.last);
            expected.attempted = next.map(|(batch, last)| batch.next().min(*last)).collect();
        }
        expected
    }
}
