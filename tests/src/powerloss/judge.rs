//! Opens one image and holds it against the oracle.

use super::plan::Plan;
use super::session::Expected;
use crate::power::Image;
use crate::workload::{BatchNumber, Model, State, Verdict, Writer, verify};
use std::path::Path;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::storage::range::Direction;
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
    /// What happened, in sentences.
    pub sentences: Vec<String>,
}

impl Findings {
    /// Whether anything is wrong.
    #[must_use]
    pub fn any(&self) -> bool {
        self.acked_lost + self.torn + self.refused_legal > 0
    }

    fn lost(&mut self, sentence: String) {
        self.acked_lost += 1;
        self.sentences.push(sentence);
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
        let models = (0..).zip(certain).map(|(writer, batch)| {
            let mut model = Model::new(plan.workload(), Writer(writer));
            model.advance_to(*batch);
            model
        });
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
        self.plan.workload().commit(&db, writer, next)?;
        db.close()?;
        let db = self.plan.builder().open_read_only(dir)?;
        let mut model = self.models[0].clone();
        model.advance_to(next);
        match verify(&db.key_read()?, &model, next)? {
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
        let mut judgement = Judgement::default();
        let findings = &mut judgement.findings;
        let mut found = Vec::new();
        for (model, (acknowledged, attempted)) in self
            .models
            .iter_mut()
            .zip(expected.acknowledged.iter().zip(&expected.attempted))
        {
            model.advance_to(*acknowledged);
            let writer = model.writer();
            match db
                .key_read()
                .and_then(|read| verify(&read, model, *attempted))
            {
                Ok(Verdict::Exact(batch)) => found.push(batch),
                Ok(Verdict::Lost(batch)) => {
                    findings.lost(format!(
                        "{writer} is at batch {batch}, acknowledged was {acknowledged}"
                    ));
                }
                Ok(Verdict::Torn(_)) => {
                    let nearest = nearest(db, model, *attempted);
                    findings.half(format!(
                        "{writer}, {acknowledged} to {attempted}, fits no batch: {nearest}"
                    ));
                }
                Err(error) => findings.refused(format!("{writer} cannot be read: {error}")),
            }
        }
        match db.check(&mut Watch::new(&mut |_| {}, CancelToken::new())) {
            Ok(report) => {
                for finding in report.findings {
                    findings.half(format!("check: {}: {}", finding.place, finding.what));
                }
            }
            Err(error) => findings.refused(format!("check: {error}")),
        }
        judgement.found = Some(found).filter(|found| found.len() == self.models.len());
        judgement
    }
}

/// How the state differs from the batch that it differs least from.
fn nearest(db: &Database, model: &Model, attempted: BatchNumber) -> String {
    let found = db
        .key_read()
        .and_then(|read| State::read(&read, model.writer(), Direction::Forward));
    let found = match found {
        Ok(found) => found,
        Err(error) => return error.to_string(),
    };
    let mut candidate = model.clone();
    let mut least = (candidate.batch(), candidate.state().differences(&found));
    while candidate.batch() < attempted {
        candidate.advance();
        let differences = candidate.state().differences(&found);
        if differences.len() < least.1.len() {
            least = (candidate.batch(), differences);
        }
    }
    let first: Vec<String> = least.1.iter().take(5).map(ToString::to_string).collect();
    format!(
        "{} differences from batch {}: {}",
        least.1.len(),
        least.0,
        first.join("; ")
    )
}
