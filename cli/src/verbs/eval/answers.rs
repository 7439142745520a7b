//! Where the answers are from that `eval judge` has judged: presets that are asked, and files.

use super::write;
use crate::failure::Failure;
use crate::output::things;
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::verbs::questions::{above_zero, open_read_only, pipeline};
use clap::Args;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph_rag::door::{Equipment, Open};
use stratigraph_rag::evaluate::{Given, Posed};

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
    /// A folder for the answers, a file for each preset
    #[arg(long, value_name = "FOLDER", requires = "graph")]
    keep: Option<PathBuf>,
}

/// A system with its answers.
pub(super) struct System {
    pub(super) name: String,
    pub(super) given: Vec<Given>,
}

impl Sources {
    /// How many systems there are.
    pub(super) fn count(&self) -> usize {
        self.preset.len() + self.answers.len()
    }

    /// All systems with their answers, and what was left out.
    ///
    /// # Errors
    /// Answers that cannot be read; two systems of one name; what the models or the engine refuse.
    pub(super) fn systems(
        &self,
        equipment: &Equipment,
        progress: &Progress,
    ) -> Result<(Vec<System>, Vec<String>), Failure> {
        let posed = self.posed()?;
        let (mut systems, mut notes) = (Vec::new(), Vec::new());
        if let (Some(graph), Some(posed)) = (&self.graph, &posed) {
            let open = open_read_only(graph, equipment.clone())?;
            for preset in &self.preset {
                systems.push(self.asked((preset, posed), &open, progress)?);
            }
        }
        for named in &self.answers {
            let (system, others) = self.read(named, posed.as_deref())?;
            if others > 0 {
                let name = &system.name;
                notes.push(format!(
                    "{name}: {} to questions that are not asked, and left out",
                    things(others as u64, "answer")
                ));
            }
            systems.push(system);
        }
        names_differ(&systems)?;
        Ok((systems, notes))
    }

    /// The questions of the set, if one is named.
    fn posed(&self) -> Result<Option<Vec<Posed>>, Failure> {
        let Some(folder) = &self.set else {
            return Ok(None);
        };
        let mut posed = Posed::read(folder).map_err(Failure::of_request)?;
        posed.truncate(self.first.unwrap_or(usize::MAX));
        Ok(Some(posed))
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

    /// The answers of a preset, kept if that is wanted.
    fn asked(
        &self,
        (preset, posed): (&str, &[Posed]),
        open: &Open,
        progress: &Progress,
    ) -> Result<System, Failure> {
        let mut pipeline = pipeline(preset)?;
        pipeline.budget = self.budget.unwrap_or(pipeline.budget);
        let bar = progress.bar(posed.len() as u64);
        let token = progress.interrupt().token();
        let mut given = Vec::with_capacity(posed.len());
        for (one, done) in posed.iter().zip(1..) {
            let answer = Given::ask(one, open, (&pipeline, self.verbatim), &token);
            given.push(answer.map_err(RagError::from)?);
            bar.at(done);
        }
        drop(bar);
        if let Some(folder) = &self.keep {
            fs::create_dir_all(folder).map_err(Failure::of_request)?;
            let rows = given.iter().map(|one| format!("{}\n", one.row()));
            let file = folder.join(format!("{}.jsonl", file_name(&pipeline.name)));
            write(Some(&file), || rows.collect())?;
        }
        Ok(System {
            name: pipeline.name,
            given,
        })
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
