//! All recordings of a run and all of their images, one after another, and what is counted.

use super::judge::{Judge, Judgement};
use super::mapped;
use super::plan::{IMAGES_PER_RECORDING, Plan};
use super::session::{Expected, Recorder, Session, Start};
use super::shots::{self, Look, Shot};
use crate::driver::program::proves_something;
use crate::power::{Disk, Image, Mode, shim};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// After so many failing images the rest tells nothing new.
const ENOUGH_FAILURES: u64 = 3;

/// What a run has counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) recordings: u64,
    pub(super) acknowledged: u64,
    pub(super) images: u64,
    /// Images that lack something that the process had written.
    pub(super) with_losses: u64,
    pub(super) of_recoveries: u64,
    pub(super) unfinished_loads: u64,
    pub(super) before_creation: u64,
    pub(super) acked_lost: u64,
    pub(super) torn: u64,
    pub(super) refused_legal: u64,
    pub(super) index_diffs: u64,
    /// Images in which something was wrong.
    failing: u64,
    /// The harness itself did not work.
    pub(super) broken: u64,
}

impl Counts {
    pub(super) fn has_failures(&self) -> bool {
        self.acked_lost + self.torn + self.refused_legal + self.index_diffs + self.broken > 0
    }

    /// Whether the run could have found anything.
    pub(super) fn prove_something(&self) -> bool {
        let missing = [
            (self.acknowledged == 0, "no batch was ever acknowledged"),
            (self.with_losses == 0, "no image lost anything"),
        ];
        proves_something("powerloss", &missing)
    }

    pub(super) fn in_words(&self) -> String {
        format!(
            "{} recordings, {} batches acknowledged, {} images: {} with losses, {} of a recovery, {} with an unfinished load, {} before the database was made",
            self.recordings,
            self.acknowledged,
            self.images,
            self.with_losses,
            self.of_recoveries,
            self.unfinished_loads,
            self.before_creation
        )
    }

    pub(super) fn last_line(&self) -> String {
        format!(
            "powerloss images={} acked_lost={} torn={} refused_legal={} index_diffs={}",
            self.images, self.acked_lost, self.torn, self.refused_legal, self.index_diffs
        )
    }
}

/// One run.
pub(super) struct Trial {
    seed: u64,
    images: u64,
    dir: PathBuf,
    memory: PathBuf,
    recorder: Recorder,
    pub(super) only: Option<u64>,
    pub(super) keep: bool,
    pub(super) counts: Counts,
    last_said: Instant,
}

/// Where an image is put in the run.
struct Place<'a> {
    plan: Plan,
    number: u64,
    /// The recording's folder.
    dir: &'a Path,
}

impl Trial {
    pub(super) fn new(
        seed: u64,
        images: u64,
        dir: PathBuf,
        memory: PathBuf,
        bug: Option<String>,
    ) -> Result<Self> {
        // Shared by all runs: its name says which version it is.
        let library = shim::build(&std::env::temp_dir().join("stratigraph-iolog"))?;
        Ok(Self {
            seed,
            images,
            dir,
            memory,
            recorder: Recorder { library, bug },
            only: None,
            keep: false,
            counts: Counts::default(),
            last_said: Instant::now(),
        })
    }

    /// Every recording with its images.
    pub(super) fn run(&mut self) -> Result<()> {
        let mut start = Start::nothing();
        for number in 0..self.images.div_ceil(IMAGES_PER_RECORDING) {
            let plan = Plan::draw(self.seed, number);
            let first = number * IMAGES_PER_RECORDING;
            let images = IMAGES_PER_RECORDING.min(self.images - first);
            if self
                .only
                .is_some_and(|only| !(first..first + images).contains(&only))
            {
                continue;
            }
            if plan.begins_with_nothing() {
                start = Start::nothing();
            }
            let dir = self.folder(number);
            let root = self.root_of(&plan);
            let recorded = self.recorder.record(&plan, &root, &dir, &start, false);
            let session = recorded.with_context(|| format!("recording {number}"))?;
            self.counts.recordings += 1;
            self.counts.acknowledged += session.acknowledged();
            start = self.images_of(plan, &session, images)?;
            if self.counts.failing >= ENOUGH_FAILURES {
                eprintln!("powerloss: {ENOUGH_FAILURES} images fail: the others are left out");
                return Ok(());
            }
            if root.exists() {
                fs::remove_dir_all(root)?;
            }
            if !self.keep && !self.counts.has_failures() {
                fs::remove_dir_all(&dir)?;
            }
        }
        Ok(())
    }

    /// Where the database of a recording lies while it is recorded. Syncs take their time on a disk,
    /// so that threads meet in the middle of them; in memory many more things happen meanwhile.
    fn root_of(&self, plan: &Plan) -> PathBuf {
        let near = if plan.on_disk {
            &self.dir
        } else {
            &self.memory
        };
        near.join(format!("root-{}", plan.number))
    }

    /// Whether another recording goes on from an image of this one.
    fn has_successor(&self, plan: &Plan) -> bool {
        let images_so_far = (plan.number + 1) * IMAGES_PER_RECORDING;
        let next = Plan::draw(self.seed, plan.number + 1);
        self.only.is_none() && images_so_far < self.images && !next.begins_with_nothing()
    }

    fn folder(&self, recording: u64) -> PathBuf {
        self.dir.join(format!("recording-{recording}"))
    }

    /// Takes and judges the images of one recording; one of them becomes the next one's start.
    fn images_of(&mut self, plan: Plan, session: &Session, images: u64) -> Result<Start> {
        let mut rng = plan.rng("shots");
        let shots = shots::draw(&session.recording, &mut rng, images);
        let heir = rng.usize(..shots.len().max(1));
        let mut next_start = Start::nothing();
        let mut disk = Disk::new(&session.recording);
        let mut judge = Judge::new(plan, &session.start.certain);
        let dir = self.folder(plan.number);
        for ((index, shot), number) in shots
            .iter()
            .enumerate()
            .zip(plan.number * IMAGES_PER_RECORDING..)
        {
            if self.only.is_some_and(|only| only != number) {
                continue;
            }
            disk.advance_to(shot.point);
            let image = disk.image(&mut fastrand::Rng::with_seed(shot.seed), shot.mode);
            self.counts.images += 1;
            self.counts.with_losses += u64::from(lacks_something(&image, &disk));
            let expected = session.expected_at(shot.point);
            let place = Place {
                plan,
                number,
                dir: &dir,
            };
            let judgement = self.judge(&place, shot, &image, &expected, &mut judge)?;
            let found = judgement.found.clone();
            let is_sound = !judgement.findings.any();
            self.note(&place, shot, &image, judgement)?;
            self.progress();
            let start = Start {
                is_database: found.is_some(),
                found: found.unwrap_or_else(|| expected.attempted.clone()),
                certain: expected.acknowledged,
            };
            if index == heir && self.has_successor(&plan) {
                let root = self.root_of(&Plan::draw(self.seed, plan.number + 1));
                if !root.exists() {
                    image.write_to(&root)?;
                }
                next_start = start.clone();
            }
            if shot.look == Look::RecordedRecovery && is_sound {
                self.recovery(&place, &image, &start)?;
            }
            if self.counts.failing >= ENOUGH_FAILURES {
                break;
            }
        }
        Ok(next_start)
    }

    /// Opens an image as the shot says.
    fn judge(
        &mut self,
        place: &Place<'_>,
        shot: &Shot,
        image: &Image,
        expected: &Expected,
        judge: &mut Judge,
    ) -> Result<Judgement> {
        let dir = self.memory.join(format!("image-{}", place.number));
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        image.write_to(&dir)?;
        let mut rng = fastrand::Rng::with_seed(!shot.seed);
        mapped::mix(&dir, &self.root_of(&place.plan), &mut rng)?;
        let judgement = match shot.look {
            Look::Writing => judge.by_writing(&dir, expected),
            // A recovery starts from the image as it is, so this look must leave it alone.
            Look::ReadOnly | Look::RecordedRecovery => judge.by_reading(image, &dir, expected),
        };
        fs::remove_dir_all(&dir)?;
        Ok(judgement)
    }

    /// Records the recovery of an image, and takes an image of that.
    fn recovery(&mut self, place: &Place<'_>, image: &Image, start: &Start) -> Result<()> {
        let dir = place.dir.join(format!("recovery-{}", place.number));
        let root = self.memory.join(format!("recovery-{}", place.number));
        image.write_to(&root)?;
        let recorded = self.recorder.record(&place.plan, &root, &dir, start, true);
        fs::remove_dir_all(&root)?;
        let session =
            recorded.with_context(|| format!("the recovery of image {}", place.number))?;
        let mut rng = place.plan.rng(&format!("recovery {}", place.number));
        for mut shot in shots::draw(&session.recording, &mut rng, 1) {
            if shot.look == Look::RecordedRecovery {
                shot.look = Look::Writing;
            }
            let mut disk = Disk::new(&session.recording);
            disk.advance_to(shot.point);
            let image = disk.image(&mut fastrand::Rng::with_seed(shot.seed), shot.mode);
            let expected = session.expected_at(shot.point);
            let mut judge = Judge::new(place.plan, &session.start.certain);
            let place = Place {
                dir: &dir,
                ..*place
            };
            let judgement = self.judge(&place, &shot, &image, &expected, &mut judge)?;
            self.counts.of_recoveries += 1;
            self.note(&place, &shot, &image, judgement)?;
        }
        if !self.keep && !self.counts.has_failures() {
            fs::remove_dir_all(&dir)?;
        }
        Ok(())
    }

    /// Counts what was found, and keeps an image in which something is wrong.
    fn note(
        &mut self,
        place: &Place<'_>,
        shot: &Shot,
        image: &Image,
        judgement: Judgement,
    ) -> Result<()> {
        let findings = judgement.findings;
        self.counts.unfinished_loads += u64::from(judgement.had_unfinished_load);
        self.counts.acked_lost += findings.acked_lost;
        self.counts.torn += findings.torn;
        self.counts.index_diffs += findings.index_diffs;
        self.counts.refused_legal += findings.refused_legal;
        self.counts.before_creation += u64::from(judgement.found.is_none() && !findings.any());
        if findings.any() || self.only == Some(place.number) {
            let kept = place.dir.join(format!("image-{}", place.number));
            if !kept.exists() {
                image.write_to(&kept)?;
            }
            let Shot {
                point, mode, look, ..
            } = shot;
            eprintln!(
                "powerloss: image {}, {mode:?} after {point} operations, {look:?}, kept in {}",
                place.number,
                kept.display()
            );
            eprintln!(
                "powerloss:   its recording is {}",
                place.dir.join("record").display()
            );
        }
        for sentence in &findings.sentences {
            eprintln!("powerloss:   {sentence}");
        }
        self.counts.failing += u64::from(findings.any());
        Ok(())
    }

    fn progress(&mut self) {
        if self.last_said.elapsed() > Duration::from_secs(2) {
            self.last_said = Instant::now();
            eprintln!("powerloss: image {}/{}", self.counts.images, self.images);
        }
    }
}

/// Whether the image is not what a killed process would leave.
fn lacks_something(image: &Image, disk: &Disk<'_>) -> bool {
    let everything = disk.image(&mut fastrand::Rng::with_seed(0), Mode::Everything);
    let paths = everything.paths();
    paths != image.paths()
        || paths
            .into_iter()
            .any(|path| image.file(path) != everything.file(path))
}
