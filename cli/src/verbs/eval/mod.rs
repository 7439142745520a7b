//! `eval`: how good retrieval is, on sets of questions of which somebody has said what answers them.
//!
//! `pipelines.rs` says which pipelines are run, `graphs.rs` builds what they are run on, and `figures.rs` tells what came
//! of it. `diff.rs` compares two runs, and `make.rs` makes a set out of a graph, or with `users.rs` out of what is said of a corpus.
//! `judge.rs` has models judge the answers that `answers.rs` gets, and `tags.rs` measures domains. What models were paid for is
//! kept where `keeping.rs` says.

mod answers;
mod diff;
mod figures;
mod graphs;
mod judge;
mod keeping;
mod make;
mod pipelines;
mod refusal;
mod tags;
mod users;

use crate::failure::Failure;
use crate::models::Models;
use crate::output::Reply;
use crate::progress::Progress;
use crate::rag_error::RagError;
use clap::{Args, Subcommand};
use graphs::Graphs;
use pipelines::Chosen;
use refusal::{Strangers, threshold};
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph_rag::door::{DoorError, Open, causes};
use stratigraph_rag::evaluate::{Evaluation, Judge, LabelledSet, Refusal, Saved, SetError};
use stratigraph_rag::retrieve::{Pipeline, RetrieveError};

const EXAMPLE: &str = "\
A set is a folder with questions.jsonl and corpus.jsonl, pages.jsonl or triples.jsonl (or .jsonl.gz). Its graph is built in
--work, and follows the set when that changes. docs/evaluation.md says what is measured.

Examples:
  stratigraph eval --suite sets/ --preset strata --preset vector --embedder minilm
  stratigraph eval --suite sets/ --set scifact --preset mine.toml --out run.json --html run.html
  stratigraph eval --suite sets/ --preset strata --ablate --refusal --csv run.csv
  stratigraph eval diff before.json run.json
  stratigraph eval make library --out sets/mine --seed 7
  stratigraph eval judge --set sets/mine --graph library --preset strata --llm http://localhost:11434/v1 --model qwen3
  stratigraph eval tags library --beside library-of-yesterday

JSON: evaluations [{set, pipeline, embedder, questions [{id, kind, values {measure}, found [document], confidence,
milliseconds, units, cost {calls, input_tokens, output_tokens}}]}], refusals [{set, pipeline, own [confidence], foreign
[confidence], nothing [confidence], threshold}], notes [text]; of diff: differences [{set, before, after, measure,
mean_before, mean_after, low, high, questions, changed [{id, before, after}]}], costs [{set, before, after, cost,
value_before, value_after, questions}], unmatched [text], worse; of make: folder, facts, counted [{kind, places, sampled,
questions}], phrased; the others say it themselves";

/// Arguments of `eval`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE, subcommand_negates_reqs = true)]
pub(crate) struct Eval {
    /// A folder of sets, or one set
    #[arg(long, value_name = "DIR", required = true)]
    suite: Option<PathBuf>,
    /// Only this set; may be given again
    #[arg(long, value_name = "NAME")]
    set: Vec<String>,
    /// Which pipelines.
    #[command(flatten)]
    asked: pipelines::Asked,
    /// Where graphs are built and kept
    #[arg(long, value_name = "DIR", default_value = "eval-work")]
    work: PathBuf,
    /// Ask this database in the place of a graph of the set
    #[arg(long, value_name = "DIR")]
    graph: Option<PathBuf>,
    /// Also put questions of the other sets of the suite to each graph, which it should refuse, and find the threshold that
    /// `calibrate` would
    #[arg(long)]
    refusal: bool,
    /// Miss nothing that is near, whatever the pipelines say: all vectors count, and the numbers are the same every time
    #[arg(long)]
    exact: bool,
    /// Tell the measures of each kind of question, too
    #[arg(long)]
    kinds: bool,
    /// A file for all questions with what was found
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A file for all numbers of the table and those of all kinds, as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// A file for a page with pictures and the same numbers
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Which models.
    #[command(flatten)]
    models: Models,
    /// Something else than measuring.
    #[command(subcommand)]
    other: Option<Other>,
}

/// What else there is.
#[derive(Debug, Subcommand)]
enum Other {
    /// Compare two runs, and say which questions have changed
    Diff(diff::Diff),
    /// Make a set of questions out of the facts of a graph, or with a model out of what is said of a corpus
    Make(Box<make::Make>),
    /// Have models judge answers, and compare systems by them
    Judge(Box<judge::Judge>),
    /// Measure whether domains say what lies under them, and how far two builds are alike
    Tags(Box<tags::Tags>),
}

impl Eval {
    /// Builds what is missing, asks everything, and tells.
    ///
    /// # Errors
    /// A set or a pipeline that cannot be read; what the models or the engine refuse.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        match (&self.other, &self.suite) {
            (Some(_), Some(_)) => Err(Failure::Usage(
                "--suite is for measuring: `diff`, `make`, `judge` and `tags` have flags of their own".to_owned(),
            )),
            (Some(Other::Diff(diff)), None) => diff.run(),
            (Some(Other::Make(make)), None) => make.run(progress),
            (Some(Other::Judge(judge)), None) => judge.run(progress),
            (Some(Other::Tags(tags)), None) => tags.run(progress),
            (None, Some(suite)) => self.measure(suite, progress),
            (None, None) => Err(Failure::Usage("--suite names a folder of sets".to_owned())),
        }
    }

    fn measure(&self, suite: &Path, progress: &Progress) -> Result<Reply, Failure> {
        let folders = sets_of(suite)?;
        let asked = self.named(suite, &folders)?;
        let mut run = Run {
            eval: self,
            progress,
            reply: Reply::new("eval"),
            saved: Saved::default(),
            notes: Vec::new(),
            strangers: match self.refusal {
                true => Strangers::read(&folders, self.exact)?,
                false => Strangers::default(),
            },
        };
        let names = asked.iter().filter_map(|set| set.file_name()?.to_str());
        let names: Vec<&str> = names.collect();
        let (pipelines, notes) = self.asked.pipelines(&names)?;
        notes.into_iter().for_each(|note| run.note(note));
        if self.refusal && run.strangers.are_none() {
            run.note(format!(
                "--refusal measures nothing: it puts questions of other sets to each graph, and {} has no two sets whose questions are answered",
                suite.display()
            ));
        }
        for folder in asked {
            run.set(&folder, &pipelines)?;
        }
        run.finish(&pipelines)
    }

    /// The folders of the sets that are asked for, in order.
    fn named(&self, suite: &Path, folders: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        let is_named = |folder: &PathBuf, name: &String| folder.file_name() == Some(name.as_ref());
        for name in &self.set {
            if !folders.iter().any(|folder| is_named(folder, name)) {
                let suite = suite.display();
                return Err(Failure::of_request(format!(
                    "there is no set {name} in {suite}"
                )));
            }
        }
        let mut asked = folders.to_vec();
        if !self.set.is_empty() {
            asked.retain(|folder| self.set.iter().any(|name| is_named(folder, name)));
        }
        if self.graph.is_some() && asked.len() != 1 {
            return Err(Failure::Usage(
                "--graph is one database, and so there is one set: name it with --set".to_owned(),
            ));
        }
        Ok(asked)
    }
}

/// The sets in a folder, in order; the folder itself if it is one.
fn sets_of(suite: &Path) -> Result<Vec<PathBuf>, Failure> {
    // A folder that is called `.` has a name.
    let suite = fs::canonicalize(suite)
        .map_err(|error| Failure::of_request(format!("{}: {error}", suite.display())))?;
    if LabelledSet::is_one(&suite) {
        return Ok(vec![suite]);
    }
    let entries = fs::read_dir(&suite).map_err(Failure::of_request)?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut folders: Vec<PathBuf> = folders
        .filter(|folder| LabelledSet::is_one(folder))
        .collect();
    folders.sort();
    match folders.is_empty() {
        true => Err(Failure::of_request(format!(
            "there are no sets in {}",
            suite.display()
        ))),
        false => Ok(folders),
    }
}

/// A run, as far as it has come.
struct Run<'a> {
    eval: &'a Eval,
    progress: &'a Progress,
    reply: Reply,
    saved: Saved,
    notes: Vec<String>,
    strangers: Strangers,
}

impl Run<'_> {
    /// Something to be told that is no number.
    fn note(&mut self, note: String) {
        self.reply.line(&note);
        self.notes.push(note);
    }

    /// All pipelines on a set.
    fn set(&mut self, folder: &Path, pipelines: &[Chosen]) -> Result<(), Failure> {
        let set = match LabelledSet::read(folder) {
            Ok(set) => LabelledSet {
                exact: self.eval.exact,
                ..set
            },
            Err(error @ SetError::NoGold { .. }) => {
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                self.note(format!("{name} is skipped: {error}"));
                return Ok(());
            }
            Err(error) => return Err(Failure::of_request(error)),
        };
        for note in &set.notes {
            self.note(format!("{}: {note}", set.name));
        }
        let judge = Judge::new(&set).map_err(RagError::from)?;
        if judge.missing() > 0 {
            let (name, missing) = (&set.name, judge.missing());
            self.note(format!(
                "{name}: {missing} texts of its gold are in no document that is said to have them, and do not count"
            ));
        }
        let unfiltered = (!set.filters().is_empty()).then(|| set.without_filters());
        let eval = self.eval;
        let mut graphs = Graphs::new(&set, &eval.models, (&eval.work, eval.graph.as_deref()))?;
        for chosen in pipelines.iter().filter(|one| one.is_for(&set.name)) {
            let pipeline = &chosen.pipeline;
            let opened = graphs.open(pipeline, self.progress)?;
            for note in graphs.notes() {
                self.note(format!("{}: {note}", set.name));
            }
            let Some(open) = opened else { continue };
            for asked in [&set].into_iter().chain(&unfiltered) {
                if !self.ask((asked, &judge), &open, pipeline)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// A pipeline on a set; whether it could be run.
    fn ask(
        &mut self,
        (set, judge): (&LabelledSet, &Judge),
        open: &Open,
        pipeline: &Pipeline,
    ) -> Result<bool, Failure> {
        let bar = self.progress.bar(set.questions.len() as u64);
        let token = self.progress.interrupt().token();
        let run = Evaluation::run((set, judge), open, pipeline, &token, |done| {
            bar.at(done as u64);
        });
        drop(bar);
        let run = match run {
            Ok(run) => run,
            // The others may fare better; what stops everything does not.
            Err(error) if is_of_the_pipeline(&error) => {
                self.note(format!(
                    "{} by {} is not measured: {}",
                    set.name,
                    pipeline.name,
                    causes(&error)
                ));
                self.reply.incomplete();
                return Ok(false);
            }
            Err(error) => return Err(RagError::from(error).into()),
        };
        if self.eval.refusal && !set.name.ends_with("_unfiltered") {
            let own = set.questions.iter().zip(&run.questions);
            if let Some(refusal) = self.strangers.put_to(open, pipeline, own, &run, &token)? {
                self.calibrate(refusal, open, pipeline)?;
            }
        }
        self.saved.evaluations.push(run);
        Ok(true)
    }

    /// Measures refusal at the threshold of the graph as well, if it gives one.
    fn calibrate(
        &mut self,
        mut refusal: Refusal,
        open: &Open,
        pipeline: &Pipeline,
    ) -> Result<(), Failure> {
        match threshold(open, pipeline, self.progress) {
            Ok(found) => refusal.threshold = Some(found),
            Err(error) => {
                let gives_none = matches!(error, DoorError::Calibrate(_));
                if !gives_none && !is_of_the_pipeline(&error) {
                    return Err(RagError::from(error).into());
                }
                self.note(format!(
                    "{} by {}: own_refused and others_refused are left out, as the graph gives no threshold: {}",
                    refusal.set,
                    pipeline.name,
                    causes(&error)
                ));
                if !gives_none {
                    self.reply.incomplete();
                }
            }
        }
        self.saved.refusals.push(refusal);
        Ok(())
    }

    /// Tells all of it, and writes the files that were asked for.
    fn finish(mut self, pipelines: &[Chosen]) -> Result<Reply, Failure> {
        let (eval, saved) = (self.eval, &self.saved);
        self.reply.table(&figures::table(saved, eval.kinds));
        // The one that was named first is the last line.
        for Chosen { pipeline, .. } in pipelines.iter().rev() {
            self.reply
                .line(figures::last_line(&pipeline.name, saved, eval.kinds));
        }
        let whole = serde_json::to_value(saved).map_err(Failure::of_request)?;
        write(eval.out.as_deref(), || whole.to_string())?;
        write(eval.csv.as_deref(), || saved.csv())?;
        write(eval.html.as_deref(), || saved.page())?;
        self.reply.field("notes", self.notes);
        for name in ["evaluations", "refusals"] {
            let told = whole.get(name).cloned();
            self.reply
                .field(name, told.unwrap_or_else(|| serde_json::json!([])));
        }
        Ok(self.reply)
    }
}

/// Whether another pipeline may fare better; what the database itself says is for all of them.
fn is_of_the_pipeline(error: &DoorError) -> bool {
    match error {
        DoorError::Retrieve(error @ RetrieveError::Database(_)) => error.is_of_a_missing_layer(),
        DoorError::Retrieve(_) => true,
        _ => false,
    }
}

/// Writes a file, if one was asked for.
fn write(file: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    fs::write(file, text())
        .map_err(|error| Failure::of_request(format!("{}: {error}", file.display())))
}
