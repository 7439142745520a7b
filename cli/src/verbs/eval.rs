//! `eval`: how good retrieval is, on sets of questions of which somebody has said what answers them.

use crate::failure::Failure;
use crate::models::Models;
use crate::output::{Reply, Table};
use crate::progress::Progress;
use crate::verbs::IngestError;
use crate::verbs::retrieve::pipeline;
use clap::Args;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use stratigraph::{Analysis, Database};
use stratigraph_rag::door::{Library, Open, Wanted};
use stratigraph_rag::evaluate::{Evaluation, Judge, LabelledSet};
use stratigraph_rag::ingest::{Ended, System};
use stratigraph_rag::retrieve::Pipeline;

const EXAMPLE: &str = "\
A set is a folder with corpus.jsonl and questions.jsonl (or .jsonl.gz): rows {id, title, text, ...} and
{id, question, gold}. Its graph is built in --work, and follows the set when that changes.

Examples:
  stratigraph eval --suite sets/ --preset strata --preset vector --embedder minilm
  stratigraph eval --suite sets/ --set scifact --preset mine.toml --out run.json

JSON: evaluations [{set, pipeline, embedder, questions [{id, kind, values {measure}, found [document], milliseconds, units}]}]";

/// Arguments of `eval`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Eval {
    /// A folder of sets, or one set
    #[arg(long, value_name = "DIR")]
    suite: PathBuf,
    /// Only this set; may be given again
    #[arg(long, value_name = "NAME")]
    set: Vec<String>,
    /// A preset, or a file with a pipeline; may be given again
    #[arg(long, value_name = "NAME|FILE", default_value = "strata")]
    preset: Vec<String>,
    /// Where graphs are built and kept
    #[arg(long, value_name = "DIR", default_value = "eval-work")]
    work: PathBuf,
    /// A file for all questions with what was found
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Which models.
    #[command(flatten)]
    models: Models,
}

impl Eval {
    /// Builds what is missing, asks everything, and tells.
    ///
    /// # Errors
    /// A set or a pipeline that cannot be read; what the models or the engine refuse.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let pipelines = self.preset.iter().map(|preset| pipeline(preset));
        let pipelines: Vec<Pipeline> = pipelines.collect::<Result<_, _>>()?;
        let mut reply = Reply::new("eval");
        let mut all = Vec::new();
        for folder in self.sets()? {
            let set = LabelledSet::read(&folder).map_err(|error| request(&error))?;
            let judge = Judge::new(&set).map_err(IngestError::from)?;
            if judge.missing() > 0 {
                let (name, missing) = (&set.name, judge.missing());
                reply.line(format!(
                    "{name}: {missing} texts of its gold are in no document that is said to have them, and do not count"
                ));
            }
            let open = self.built(&set, progress)?;
            for pipeline in &pipelines {
                let bar = progress.bar(set.questions.len() as u64);
                let token = progress.interrupt().token();
                let run = Evaluation::run((&set, &judge), &open, pipeline, &token, |done| {
                    if let Some(bar) = &bar {
                        bar.set_position(done as u64);
                    }
                });
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                }
                all.push(run.map_err(IngestError::from)?);
            }
        }
        reply.table(&table(&all));
        for pipeline in &pipelines {
            reply.line(last_line(&pipeline.name, &all));
        }
        let told = serde_json::to_value(&all).map_err(|error| request(&error))?;
        if let Some(out) = &self.out {
            fs::write(out, told.to_string()).map_err(|error| request(&error))?;
        }
        reply.field("evaluations", told);
        Ok(reply)
    }

    /// The folders of the sets, in order.
    fn sets(&self) -> Result<Vec<PathBuf>, Failure> {
        if LabelledSet::is_one(&self.suite) {
            return Ok(vec![self.suite.clone()]);
        }
        let entries = fs::read_dir(&self.suite).map_err(|error| request(&error))?;
        let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut folders: Vec<PathBuf> = folders
            .filter(|folder| LabelledSet::is_one(folder))
            .collect();
        folders.sort();
        let suite = self.suite.display();
        let is_named = |folder: &PathBuf, name: &String| folder.file_name() == Some(name.as_ref());
        for name in &self.set {
            if !folders.iter().any(|folder| is_named(folder, name)) {
                return Err(request(&format!("there is no set {name} in {suite}")));
            }
        }
        if !self.set.is_empty() {
            folders.retain(|folder| self.set.iter().any(|name| is_named(folder, name)));
        }
        match folders.is_empty() {
            true => Err(request(&format!("there are no sets in {suite}"))),
            false => Ok(folders),
        }
    }

    /// The set's graph.
    fn built(&self, set: &LabelledSet, progress: &Progress) -> Result<Open, Failure> {
        let equipment = self.models.equipment()?;
        let name = format!(
            "{}-{}",
            set.name,
            equipment.its_embedder().name().replace('/', "_")
        );
        let db = Database::builder()
            .create_if_missing(true)
            .open(self.work.join(name))?;
        let wanted = Wanted {
            filters: set.filters().into_iter().map(str::to_owned).collect(),
            analysis: analysis(set),
            ..Wanted::new(System::Strata)
        };
        let open = Library::new(&db, equipment)
            .create(&wanted)
            .map_err(IngestError::from)?;
        let bar = progress.bar(set.corpus.len() as u64);
        let token = progress.interrupt().token();
        let mut report = open.ingestion(&token).run(set.documents(), &|progress| {
            if let Some(bar) = &bar {
                bar.set_position(progress.documents as u64);
            }
        });
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        match report.ended.take() {
            Some(Ended::Database(error)) => return Err(error.into()),
            Some(_) => return Err(stratigraph::Error::Cancelled.into()),
            None => {}
        }
        if let Some(failed) = report.failed.first() {
            return Err(request(&stratigraph_rag::door::causes(&*failed.error)));
        }
        // What the set had when the graph was built first, and has no more.
        let rows: BTreeSet<&str> = set.corpus.iter().map(|row| row.id.as_str()).collect();
        let layers = open.layers();
        for id in layers.documents().map_err(IngestError::from)? {
            if !rows.contains(id.as_str()) {
                layers.delete(&id).map_err(IngestError::from)?;
            }
        }
        Ok(open)
    }
}

/// A row for each measure of each pipeline on each set.
fn table(all: &[Evaluation]) -> Table {
    let headings = ["set", "pipeline", "measure", "mean", "95 % interval", "n"];
    let mut table = Table::of_numbers(headings);
    for run in all {
        let mut row = |measure: &str, value: String, interval: String, count: usize| {
            let (set, pipeline) = (run.set.clone(), run.pipeline.clone());
            table.row([
                set,
                pipeline,
                measure.to_owned(),
                value,
                interval,
                count.to_string(),
            ]);
        };
        for measure in run.measures() {
            let Some(mean) = run.mean(measure) else {
                continue;
            };
            let interval = format!("{:.3} to {:.3}", mean.interval.start(), mean.interval.end());
            row(measure, format!("{:.3}", mean.mean), interval, mean.count);
        }
        for (name, share) in [("p50 ms", 0.5), ("p99 ms", 0.99)] {
            let time = format!("{:.2}", run.milliseconds_at(share));
            row(name, time, String::new(), run.questions.len());
        }
    }
    table
}

/// Everything that a pipeline has reached, for programs.
fn last_line(pipeline: &str, all: &[Evaluation]) -> String {
    let mut line = format!("eval preset={pipeline}");
    for run in all.iter().filter(|run| run.pipeline == pipeline) {
        for measure in run.measures() {
            if let Some(mean) = run.mean(measure) {
                line.push_str(&format!(" {}_{measure}={:.4}", run.set, mean.mean));
            }
        }
    }
    line
}

/// How the words of a set become terms: by its signs, in a sample.
fn analysis(set: &LabelledSet) -> Analysis {
    let sample = set
        .corpus
        .iter()
        .take(50)
        .flat_map(|row| row.text.chars().take(2000));
    let (mut letters, mut han) = (0_u32, 0_u32);
    for sign in sample.filter(|sign| sign.is_alphabetic()) {
        letters += 1;
        han += u32::from(('\u{4e00}'..='\u{9fff}').contains(&sign));
    }
    match han * 3 > letters {
        true => Analysis::Chinese,
        false => Analysis::English,
    }
}

fn request(error: &dyn std::fmt::Display) -> Failure {
    IngestError::Request(error.to_string()).into()
}
