//! Where the answers are from that `eval judge` has judged: presets that are asked, and files.
//!
//! What a preset answers is kept in a file as it comes, and what is kept there is not asked for again. In a dry run nobody is
//! asked: in the place of an answer that is not there stands one as it would be about.

use super::keeping::Keeping;
use crate::failure::Failure;
use crate::models::Models;
use crate::output::things;
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::verbs::questions::{above_zero, open_read_only, pipeline};
use clap::Args;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::door::{Equipment, Open};
use stratigraph_rag::evaluate::{AnswerFile, Given, Posed};
use stratigraph_rag::extract::Cost;
use stratigraph_rag::extract::model::Answers;
use stratigraph_rag::retrieve::Pipeline;

/// Whose answers are judged, and on which questions.
#[derive(Debug, Args)]
pub(super) struct Sources {
    /// The folder of a set, or of nothing but questions.jsonl
    #[arg(long, value_name = "DIR")]
    set: Option<PathBuf>,
    /// The database that is asked
    #[arg(long, value_name = "DIR", requires = "set", requires = "preset")]
    graph: Option<PathBuf>,
    /// A preset, or a file with a pipeline, whose answers are judged; may be given again
    #[arg(long, value_name = "NAME|FILE", requires = "graph")]
    preset: Vec<String>,
    /// A file of answers; may be given again, each under the name of the file or one of its own
    #[arg(long, value_name = "[NAME=]FILE")]
    answers: Vec<String>,
    /// Answers in sentences of the documents, also if there is a model
    #[arg(long, requires = "graph")]
    verbatim: bool,
    /// How many units of text are packed at most
    #[arg(long, value_name = "N", requires = "graph", value_parser = above_zero)]
    budget: Option<usize>,
    /// Only the first so many questions
    #[arg(long, value_name = "N", value_parser = above_zero)]
    first: Option<usize>,
    /// A folder for the answers as they come, a file for each preset: what is in it is not asked for again
    #[arg(long, value_name = "FOLDER", requires = "graph")]
    keep: Option<PathBuf>,
}

/// A system with its answers.
pub(super) struct System {
    pub(super) name: String,
    pub(super) given: Vec<Given>,
}

/// Who is asked, and where answers are kept.
pub(super) struct Asking<'a> {
    /// What a database is asked with; nothing in a dry run, as nobody is asked.
    pub(super) equipment: Option<&'a Equipment>,
    pub(super) models: &'a Models,
    pub(super) keeping: &'a Keeping,
    pub(super) progress: &'a Progress,
}

/// All systems, and what is to be known of them.
#[derive(Default)]
pub(super) struct Systems {
    pub(super) systems: Vec<System>,
    /// What was left out.
    pub(super) notes: Vec<String>,
    /// How many answers of presets were there.
    pub(super) kept: usize,
    /// How many were not.
    pub(super) missing: usize,
    /// What those would cost about, in a dry run.
    pub(super) cost: Cost,
}

impl Sources {
    /// How many systems there are.
    pub(super) fn count(&self) -> usize {
        self.preset.len() + self.answers.len()
    }

    /// All systems with their answers.
    ///
    /// # Errors
    /// Answers that cannot be read; two systems of one name; what the models or the engine refuse.
    pub(super) fn systems(&self, asking: &Asking<'_>) -> Result<Systems, Failure> {
        let posed = self.posed()?;
        let mut all = Systems::default();
        if let (Some(graph), Some(posed)) = (&self.graph, &posed) {
            match asking.equipment {
                Some(equipment) => {
                    let open = open_read_only(graph, equipment.clone())?;
                    for preset in &self.preset {
                        self.asked((preset, posed), &open, asking, &mut all)?;
                    }
                }
                None => {
                    let db = Database::builder().open_read_only(graph)?;
                    for preset in &self.preset {
                        self.foreseen((preset, posed), &db, asking, &mut all)?;
                    }
                }
            }
        }
        let posed = posed.as_deref().map(|posed| self.first_of(posed));
        for named in &self.answers {
            let (system, others) = self.read(named, posed)?;
            if others > 0 {
                let name = &system.name;
                all.notes.push(format!(
                    "{name}: {} to questions that are not asked, and left out",
                    things(others as u64, "answer")
                ));
            }
            all.systems.push(system);
        }
        names_differ(&all.systems)?;
        Ok(all)
    }

    /// All questions of the set, if one is named.
    fn posed(&self) -> Result<Option<Vec<Posed>>, Failure> {
        let posed = self.set.as_deref().map(Posed::read);
        posed.transpose().map_err(Failure::of_request)
    }

    /// Those that are asked.
    fn first_of<'p>(&self, posed: &'p [Posed]) -> &'p [Posed] {
        let first = self.first.unwrap_or(usize::MAX).min(posed.len());
        &posed[..first]
    }

    /// What the questions are called as a set.
    pub(super) fn set_name(&self) -> String {
        let folder = self.set.as_ref().map(fs::canonicalize);
        let folder = folder.and_then(Result::ok);
        let name = folder.as_ref().and_then(|folder| folder.file_name());
        name.map_or_else(
            || "answers".to_owned(),
            |name| name.to_string_lossy().into(),
        )
    }

    /// The answers of a preset: those that are kept, and then the others, each kept as it comes.
    fn asked(
        &self,
        (preset, posed): (&str, &[Posed]),
        open: &Open,
        asking: &Asking<'_>,
        all: &mut Systems,
    ) -> Result<(), Failure> {
        let pipeline = self.pipeline(preset)?;
        let by = self.by(&pipeline, open.layers().database(), asking.models);
        let file = self.file(&pipeline, (&by, posed), asking.keeping);
        let mut kept = AnswerFile::open(&file, &by, posed).map_err(Failure::of_request)?;
        let posed = self.first_of(posed);
        let bar = asking.progress.bar(posed.len() as u64);
        let token = asking.progress.interrupt().token();
        let mut given = Vec::with_capacity(posed.len());
        for (one, done) in posed.iter().zip(1..) {
            let known = kept.get(one).cloned();
            all.kept += usize::from(known.is_some());
            given.push(match known {
                Some(answer) => answer,
                None => {
                    let answer = self.ask(one, open, &pipeline, &token).map_err(|failure| {
                        failure.with_kept(kept.len(), ["answer", "answers"], kept.path())
                    })?;
                    kept.add(&answer).map_err(Failure::of_request)?;
                    all.missing += 1;
                    answer
                }
            });
            bar.at(done);
        }
        all.systems.push(System {
            name: pipeline.name,
            given,
        });
        Ok(())
    }

    fn ask(
        &self,
        posed: &Posed,
        open: &Open,
        pipeline: &Pipeline,
        token: &CancelToken,
    ) -> Result<Given, Failure> {
        let answer = Given::ask(posed, open, (pipeline, self.verbatim), token);
        answer.map_err(|error| match token.is_cancelled() {
            // Whatever it was at when it was stopped.
            true => stratigraph::Error::Cancelled.into(),
            false => RagError::from(error).into(),
        })
    }

    /// The answers of a preset that are kept, and such as others would be about.
    fn foreseen(
        &self,
        (preset, posed): (&str, &[Posed]),
        db: &Database,
        asking: &Asking<'_>,
        all: &mut Systems,
    ) -> Result<(), Failure> {
        let pipeline = self.pipeline(preset)?;
        let by = self.by(&pipeline, db, asking.models);
        let file = self.file(&pipeline, (&by, posed), asking.keeping);
        let kept = AnswerFile::read(&file, &by, posed).map_err(Failure::of_request)?;
        let is_written = asking.models.has_model() && !self.verbatim;
        let mut given = Vec::new();
        for one in self.first_of(posed) {
            let known = kept.get(one).cloned();
            all.kept += usize::from(known.is_some());
            given.push(match known {
                Some(answer) => answer,
                None => {
                    let answer = Given::foreseen(one, &pipeline, is_written);
                    if is_written {
                        let cost = Answers::foreseen(&one.text, &answer.context);
                        all.cost += cost.map_err(RagError::from)?;
                    }
                    all.missing += 1;
                    answer
                }
            });
        }
        all.systems.push(System {
            name: pipeline.name,
            given,
        });
        Ok(())
    }

    fn pipeline(&self, preset: &str) -> Result<Pipeline, Failure> {
        let mut pipeline = pipeline(preset)?;
        pipeline.budget = self.budget.unwrap_or(pipeline.budget);
        Ok(pipeline)
    }

    /// All that an answer depends on beside its question.
    fn by(&self, pipeline: &Pipeline, db: &Database, models: &Models) -> String {
        let info = db.info();
        // Numbers and names: there is nothing in it that JSON has not.
        let pipeline = serde_json::to_string(pipeline).unwrap_or_default();
        let state = format!("{} {}", info.id, info.commit.get());
        let how = format!("{} {}", self.verbatim, env!("CARGO_PKG_VERSION"));
        [state, pipeline, models.writers(), how].join("\n")
    }

    /// Where the answers of a pipeline are kept: under its name where a folder is named, else under a name that no others have.
    fn file(
        &self,
        pipeline: &Pipeline,
        (by, posed): (&str, &[Posed]),
        keeping: &Keeping,
    ) -> PathBuf {
        let name = file_name(&pipeline.name);
        match &self.keep {
            Some(folder) => folder.join(format!("{name}.jsonl")),
            None => {
                let own = AnswerFile::own_name(by, posed);
                keeping.answers().join(format!("{name}-{own}.jsonl"))
            }
        }
    }

    /// The answers of a file, and how many others there were.
    fn read(&self, named: &str, posed: Option<&[Posed]>) -> Result<(System, usize), Failure> {
        // A file that is called so is meant, whatever is in its name.
        let (name, file) = match named.split_once('=') {
            Some((name, file)) if !Path::new(named).is_file() => (Some(name), Path::new(file)),
            _ => (None, Path::new(named)),
        };
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.map_or_else(|| stem.into_owned(), str::to_owned);
        let (mut given, others) = Given::read(file, posed).map_err(Failure::of_request)?;
        given.truncate(self.first.unwrap_or(usize::MAX));
        Ok((System { name, given }, others))
    }
}

/// Each system is a row under its name.
fn names_differ(systems: &[System]) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match systems.iter().find(|one| !seen.insert(&one.name)) {
        None => Ok(()),
        Some(twice) => Err(Failure::of_request(format!(
            "two systems are called {}: give each a name of its own, as NAME=FILE",
            twice.name
        ))),
    }
}

/// The name of a pipeline as that of a file.
fn file_name(name: &str) -> String {
    let plain = |sign: char| match sign.is_alphanumeric() || "-_@#.".contains(sign) {
        true => sign,
        false => '_',
    };
    let plain: String = name.chars().map(plain).collect();
    plain.trim_start_matches('.').to_owned()
}
