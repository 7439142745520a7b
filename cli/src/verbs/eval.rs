//! `eval`: how good retrieval is, on sets of questions of which somebody has said what answers them.

use crate::failure::Failure;
use crate::models::Models;
use crate::output::{Reply, Table};
use crate::progress::Progress;
use crate::verbs::IngestError;
use crate::verbs::retrieve::pipeline;
use clap::Args;
use std::fs;
use std::path::PathBuf;
use stratigraph::{Analysis, Database};
use stratigraph_rag::door::{Library, Open, Wanted};
use stratigraph_rag::evaluate::{Evaluation, Judge, LabelledSet};
use stratigraph_rag::ingest::System;
use stratigraph_rag::retrieve::Pipeline;

const EXAMPLE: &str = "\
A set is a folder with corpus.jsonl and questions.jsonl (or .jsonl.gz): rows {id, title, text, ...} and
{id, question, gold}. Its graph is built once, in --work, and built again only where the set changes.

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
    /// Only these sets
    #[arg(long, value_name = "NAME")]
    set: Vec<String>,
    /// A preset, or a file with a pipeline; strata if not given
    #[arg(long, value_name = "NAME|FILE", default_value = "strata")]
    preset: Vec<String>,
    /// Where graphs are built and kept
    #[arg(long, value_name = "DIR", default_value = "eval-work")]
    work: PathBuf,
    /// A file for all questions with what was found, for `eval` to compare later
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
            let open = self.built(&set, progress)?;
            for pipeline in &pipelines {
                let bar = progress.bar(set.questions.len() as u64);
                let token = progress.interrupt().token();
                let run = Evaluation::run((&set, &judge), &open, pipeline, &token, |done| {
                    if let Some(bar) = &bar {
                        bar.set_position(done as u64);
                    }
                });
                let run = run.map_err(IngestError::from)?;
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                }
                all.push(run);
            }
        }
        let mut table =
            Table::of_numbers(["set", "pipeline", "measure", "mean", "95 % interval", "n"]);
        for run in &all {
            for measure in run.measures() {
                let Some(mean) = run.mean(measure) else {
                    continue;
                };
                table.row([
                    run.set.clone(),
                    run.pipeline.clone(),
                    measure.to_owned(),
                    format!("{:.3}", mean.mean),
                    format!("{:.3} to {:.3}", mean.interval.start(), mean.interval.end()),
                    mean.count.to_string(),
                ]);
            }
            let times = [("p50 ms", 0.5), ("p99 ms", 0.99)];
            for (name, share) in times {
                table.row([
                    run.set.clone(),
                    run.pipeline.clone(),
                    name.to_owned(),
                    format!("{:.2}", run.milliseconds_at(share)),
                    String::new(),
                    run.questions.len().to_string(),
                ]);
            }
        }
        reply.table(&table);
        for pipeline in &pipelines {
            let of = all.iter().filter(|run| run.pipeline == pipeline.name);
            let mut line = format!("eval preset={}", pipeline.name);
            for run in of {
                for measure in run.measures() {
                    if let Some(mean) = run.mean(measure) {
                        line.push_str(&format!(" {}_{measure}={:.4}", run.set, mean.mean));
                    }
                }
            }
            reply.line(line);
        }
        if let Some(out) = &self.out {
            let text = serde_json::to_string(&all).map_err(|error| request(&error))?;
            fs::write(out, text).map_err(|error| request(&error))?;
        }
        reply.field(
            "evaluations",
            serde_json::to_value(&all).unwrap_or_default(),
        );
        Ok(reply)
    }

    /// The folders of the sets, in order.
    fn sets(&self) -> Result<Vec<PathBuf>, Failure> {
        if LabelledSet::is_one(&self.suite) {
            return Ok(vec![self.suite.clone()]);
        }
        let entries = fs::read_dir(&self.suite).map_err(|error| request(&error))?;
        let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_wanted = |folder: &PathBuf| {
            let name = folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            self.set.is_empty() || self.set.contains(&name)
        };
        let mut folders: Vec<PathBuf> = folders
            .filter(|folder| LabelledSet::is_one(folder))
            .filter(is_wanted)
            .collect();
        folders.sort();
        match folders.is_empty() {
            true => Err(request(&format!("no sets in {}", self.suite.display()))),
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
            ..Wanted::new(System::Hybrid)
        };
        let open = Library::new(&db, equipment)
            .create(&wanted)
            .map_err(IngestError::from)?;
        let bar = progress.bar(set.corpus.len() as u64);
        let token = progress.interrupt().token();
        let report = open.ingestion(&token).run(set.documents(), &|progress| {
            if let Some(bar) = &bar {
                bar.set_position(progress.documents as u64);
            }
        });
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        token.check()?;
        match report.failed.first() {
            Some(failed) => Err(request(&stratigraph_rag::door::causes(&*failed.error))),
            None => Ok(open),
        }
    }
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
