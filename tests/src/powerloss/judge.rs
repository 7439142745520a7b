//! Opens one image and holds it against the oracle.

use super::plan::Plan;
use super::session::Expected;
use crate::driver::child::finish;
use crate::driver::compare::{Comparison, left_of_a_load};
use crate::power::Image;
use crate::workload::{BatchNumber, Hand, Model, Verdict, Writer, verify};
use std::path::Path;
use stratigraph::{Database, Error};

/// What is wrong with an image, by kind, with a sentence on each.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Writers that lost an acknowledged batch.
    pub acked_lost: u64,
    /// Writers, or structures, that are half there.
    pub torn: u64,
    /// The image is one that a loss of power may leave, and was refused.
    pub refused_legal: u64,
    /// Where an index is not what is stored.
    pub index_diffs: u64,
    /// What happened, in sentences.
    pub sentences: Vec<String>,
}

impl Findings {
    /// Whether anything is wrong.
    #[must_use]
    pub fn any(&self) -> bool {
        self.acked_lost + self.torn + self.refused_legal + self.index_diffs > 0
    }

    fn half(&mut self, sentence: String) {
        self.torn += 1;
        self.sentences.push(sentence);
    }

    fn refused(&mut self, sentence: String) {
        self.refused_legal += 1;
        self.sentences.push(sentence);
    }
}

/// What an image turned out to be.
#[derive(Debug, Clone, Default)]
pub struct Judgement {
    /// What is wrong.
    pub findings: Findings,
    /// Each writer's last batch; nothing where there is no database yet.
    pub found: Option<Vec<BatchNumber>>,
    /// A bulk load had been cut short, which a reader said.
    pub had_unfinished_load: bool,
}

/// What an image is held against. The models follow the points of one recording, which only rise.
pub struct Judge {
    plan: Plan,
    models: Vec<Model>,
}

impl Judge {
    /// A judge of images of the plan's recording, at its start.
    #[must_use]
    pub fn new(plan: Plan, certain: &[BatchNumber]) -> Self {
        let models = (0..)
            .zip(certain)
            .map(|(writer, batch)| Model::at(plan.workload(), Writer(writer), *batch));
        Self {
            plan,
            models: models.collect(),
        }
    }

    /// Opens the image, which lies in `dir` and is not changed, without writing.
    pub fn by_reading(&mut self, image: &Image, dir: &Path, expected: &Expected) -> Judgement {
        match self.plan.builder().open_read_only(dir) {
            // Only a writer may undo the load; a reader is right to refuse.
            Err(Error::RecoveryNeeded { .. }) => {
                let judgement = self.by_writing(dir, expected);
                Judgement {
                    had_unfinished_load: true,
                    ..judgement
                }
            }
            Err(Error::NotFound { .. }) if !expected.is_database => Judgement::default(),
            Err(error) => self.refusal(dir, expected, &error),
            Ok(db) => {
                let mut judgement = self.state(&db, expected);
                drop(db);
                match image.differences(dir) {
                    Ok(differences) if differences.is_empty() => {}
                    changed => judgement
                        .findings
                        .half(format!("a reader changed files: {changed:?}")),
                }
                judgement
            }
        }
    }

    /// Opens what lies in `dir` for writing, and writes.
    pub fn by_writing(&mut self, dir: &Path, expected: &Expected) -> Judgement {
        let opened = self
            .plan
            .builder()
            .create_if_missing(!expected.is_database)
            .open(dir);
        let db = match opened {
            Err(error) => return self.refusal(dir, expected, &error),
            Ok(db) => db,
        };
        let mut judgement = self.state(&db, expected);
        if let Some(sentence) = left_of_a_load(dir) {
            judgement.findings.half(sentence);
        }
        if !judgement.findings.any()
            && let Err(why) = self.goes_on(db, dir, &judgement)
        {
            judgement
                .findings
                .half(format!("it is all there, but does not go on: {why:#}"));
        }
        judgement
    }

    /// Writes a batch and closes; the next reader must find it.
    fn goes_on(&mut self, db: Database, dir: &Path, judgement: &Judgement) -> anyhow::Result<()> {
        let Some(found) = judgement.found.as_ref().and_then(|found| found.first()) else {
            return Ok(());
        };
        let (writer, next) = (Writer(0), found.next());
        finish(&db)?;
        Hand::take_up(&db, self.plan.workload(), writer, *found)?.commit(&db)?;
        db.close()?;
        let db = self.plan.builder().open_read_only(dir)?;
        let mut model = self.models[0].clone();
        model.advance_to(next);
        match verify(&db, &model, next)? {
            Verdict::Exact(_) => Ok(()),
            other => anyhow::bail!("{writer}, batch {next} was written and closed: {other:?}"),
        }
    }

    /// A refusal is right only if something was lost; then what is left tells what.
    fn refusal(&mut self, dir: &Path, expected: &Expected, error: &Error) -> Judgement {
        if matches!(error, Error::DataLoss { .. })
            && let Ok(db) = self
                .plan
                .builder()
                .accept_data_loss(true)
                .open_read_only(dir)
        {
            let mut judgement = self.state(&db, expected);
            judgement.findings.sentences.push(error.to_string());
            if judgement.findings.acked_lost == 0 {
                judgement
                    .findings
                    .refused(format!("nothing is lost, but: {error}"));
            }
            return judgement;
        }
        let mut judgement = Judgement::default();
        judgement.findings.refused(format!("{error} ({error:?})"));
        judgement
    }

    /// Compares every writer's part, and checks the structure.
    fn state(&mut self, db: &Database, expected: &Expected) -> Judgement {
        for (model, acknowledged) in self.models.iter_mut().zip(&expected.acknowledged) {
            model.advance_to(*acknowledged);
        }
        let comparison = Comparison::of(db, &self.models, &expected.attempted);
        let mut judgement = Judgement {
            found: comparison.all_found(),
            ..Judgement::default()
        };
        let findings = &mut judgement.findings;
        findings.acked_lost = comparison.lost.len() as u64;
        findings.torn = (comparison.torn.len() + comparison.check.len()) as u64;
        findings.refused_legal = comparison.refused.len() as u64;
        findings.index_diffs = comparison.indexes.len() as u64;
        findings.sentences = comparison.sentences();
        judgement
    }
}
