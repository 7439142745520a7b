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
    /// The database with what it is asked with, if there is one; nothing in a dry run, as nobody is asked.
    pub(super) open: Option<&'a Open>,
    pub(super) models: &'a Models,
    pub(super) keeping: &'a Keeping,
    pub(super) progress: &'a Progress,
}

/// All systems, and what is to be known of them.
#[derive(Default)]
pub(super) struct Systems {
    pub(super) systems: Vec<System>,
    /// What was left out, and what was there already.
    pub(super) notes: Vec<String>,
    /// How many answers of presets are there, in a dry run.
    pub(super) kept: usize,
    /// How many are not, in a dry run.
    pub(super) missing: usize,
    /// What those would cost about, in a dry run.
    pub(super) cost: Cost,
}

impl Sources {
    /// How many systems there are.
    pub(super) fn count(&self) -> usize {
        self.preset.len() + self.answers.len()
    }

    /// The database that is asked, with these models; nothing if answers are in files alone.
    ///
    /// # Errors
    /// What the engine refuses; there are no layers in it, or its embedder is not here.
    pub(super) fn open(&self, equipment: &Equipment) -> Result<Option<Open>, Failure> {
        let graph = self.graph.as_deref();
        let open = graph.map(|graph| open_read_only(graph, equipment.clone()));
        open.transpose()
    }

    /// All systems with their answers. What can be wrong with names and files is looked at before anybody is asked.
    ///
    /// # Errors
    /// Answers that cannot be read; two systems of one name; what the models or the engine refuse.
    pub(super) fn systems(&self, asking: &Asking<'_>) -> Result<Systems, Failure> {
        let presets = self.preset.iter().map(|preset| self.pipeline(preset));
        let pipelines: Vec<Pipeline> = presets.collect::<Result<_, Failure>>()?;
        let files = self.answers.iter().map(|named| named_file(named));
        let files: Vec<(String, &Path)> = files.collect();
        let names = pipelines.iter().map(|pipeline| pipeline.name.as_str());
        names_differ(names.chain(files.iter().map(|(name, _)| name.as_str())))?;
        let posed = self.posed()?;
        let first = posed.as_deref().map(|posed| self.first_of(posed));
        let read = files
            .into_iter()
            .map(|(name, file)| self.read(name, file, first));
        let read: Vec<(System, usize)> = read.collect::<Result<_, Failure>>()?;
        let mut all = Systems::default();
        if let (Some(graph), Some(posed)) = (&self.graph, &posed) {
            match asking.open {
                Some(open) => {
                    for pipeline in &pipelines {
                        self.asked((pipeline, posed), open, asking, &mut all)?;
                    }
                }
                None => {
                    let db = Database::builder().open_read_only(graph)?;
                    for pipeline in &pipelines {
                        self.foreseen((pipeline, posed), &db, asking, &mut all)?;
                    }
                }
            }
        }
        for (system, others) in read {
            if others > 0 {
                let name = &system.name;
                all.notes.push(format!(
                    "{name}: {} to questions that are not asked, and left out",
                    things(others as u64, "answer")
                ));
            }
            all.systems.push(system);
        }
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
        (pipeline, posed): (&Pipeline, &[Posed]),
        open: &Open,
        asking: &Asking<'_>,
        all: &mut Systems,
    ) -> Result<(), Failure> {
        let by = self.by(pipeline, open.layers().database(), asking.models);
        let file = self.file(pipeline, (&by, posed), asking.keeping);
        let mut kept = AnswerFile::open(&file, &by, posed).map_err(Failure::of_request)?;
        let posed = self.first_of(posed);
        let bar = asking.progress.bar(posed.len() as u64);
        let token = asking.progress.interrupt().token();
        let mut given = Vec::with_capacity(posed.len());
        let mut there = 0;
        for (one, done) in posed.iter().zip(1..) {
            let known = kept.get(one).cloned();
            there += usize::from(known.is_some());
            given.push(match known {
                Some(answer) => answer,
                None => {
                    let answer = self.ask(one, open, pipeline, &token).map_err(|failure| {
                        failure.with_kept(kept.len(), ["answer", "answers"], kept.path())
                    })?;
                    kept.add(&answer).map_err(Failure::of_request)?;
                    answer
                }
            });
            bar.at(done);
        }
        if there > 0 {
            all.notes.push(format!(
                "{}: answers that were there already, in {}: {there}",
                pipeline.name,
                kept.path().display()
            ));
        }
        all.systems.push(System {
            name: pipeline.name.clone(),
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
        (pipeline, posed): (&Pipeline, &[Posed]),
        db: &Database,
        asking: &Asking<'_>,
        all: &mut Systems,
    ) -> Result<(), Failure> {
        let by = self.by(pipeline, db, asking.models);
        let file = self.file(pipeline, (&by, posed), asking.keeping);
        let kept = AnswerFile::read(&file, &by, posed).map_err(Failure::of_request)?;
        let is_written = asking.models.has_model() && !self.verbatim;
        let mut given = Vec::new();
        for one in self.first_of(posed) {
            let known = kept.get(one).cloned();
            all.kept += usize::from(known.is_some());
            given.push(match known {
                Some(answer) => answer,
                None => {
                    let answer = Given::foreseen(one, pipeline, is_written);
                    if is_written {
                        let cost = Answers::foreseen(&one.text, &answer.context, pipeline.answer);
                        all.cost += cost.map_err(RagError::from)?;
                    }
                    all.missing += 1;
                    answer
                }
            });
        }
        all.systems.push(System {
            name: pipeline.name.clone(),
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
        let prompts = Answers::versions();
        [state, pipeline, models.writers(), how, prompts].join("\n")
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
    fn read(
        &self,
        name: String,
        file: &Path,
        posed: Option<&[Posed]>,
    ) -> Result<(System, usize), Failure> {
        let (mut given, others) = Given::read(file, posed).map_err(Failure::of_request)?;
        given.truncate(self.first.unwrap_or(usize::MAX));
        Ok((System { name, given }, others))
    }
}

/// What a file of answers is called as a system, and the file.
fn named_file(named: &str) -> (String, &Path) {
    match named.split_once('=') {
        // A file that is called so is meant, whatever is in its name.
        Some((name, file)) if !Path::new(named).is_file() => (name.to_owned(), Path::new(file)),
        _ => {
            let file = Path::new(named);
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            (stem.into_owned(), file)
        }
    }
}

/// Each system is a row under its name.
fn names_differ<'n>(mut names: impl Iterator<Item = &'n str>) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match names.find(|name| !seen.insert(*name)) {
        None => Ok(()),
        Some(twice) => Err(Failure::of_request(format!(
            "two systems are called {twice}: give each a name of its own, a file of answers as NAME=FILE, and a pipeline in its file"
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        sources: Sources,
        #[command(flatten)]
        models: Models,
    }

    #[test]
    fn an_answer_depends_on_the_prompts_that_it_came_by() {
        let Flags { sources, models } = Flags::parse_from(["it"]);
        let db = Database::in_memory().unwrap();
        let pipeline = Pipeline::preset("strata").unwrap();
        let by = sources.by(&pipeline, &db, &models);
        assert!(by.contains(&Answers::versions()), "{by}");
        // And on how it is written.
        let mut warm = pipeline.clone();
        warm.answer.temperature = Some(0.7);
        assert_ne!(sources.by(&warm, &db, &models), by);
    }

    #[test]
    fn each_system_has_a_name_of_its_own() {
        let name = |named: &str| named_file(named).0;
        assert_eq!(name("answers/strata.jsonl"), "strata");
        assert_eq!(name("old=answers/strata.jsonl"), "old");
        let differ = |names: &[&str]| names_differ(names.iter().copied());
        assert!(differ(&["a", "b"]).is_ok() && differ(&[]).is_ok());
        let twice = differ(&["a", "b", "a"]).unwrap_err().told();
        assert!(twice.contains("two systems are called a"), "{twice}");
    }
}
