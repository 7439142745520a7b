//! `retrieve`: what answers a question, with receipts, and how it was come to.

use super::questions::{above_zero, only, open_read_only, pipeline, question, shown, trusted};
use crate::failure::Failure;
use crate::models::Models;
use crate::output::{Reply, Table};
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::remote::{Access, Asked, Server};
use clap::Args;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::door::DoorError;
use stratigraph_rag::retrieve::{Pipeline, Retrieved, Traced};

const EXAMPLE: &str = "\
Presets: direct (nothing), vector, graph, bag, tag, triples, hybrid, audit (by declared queries: see `routes`), and
strata, which is ours. --print shows how one is written; a file with one of your own is given in its place. Numbers of
scores are of the scale that stands beside them.

A value of --only is read as `ingest` reads metadata: 2023 is a number, and 00123 and inf are texts; true and false are
truths. In quotes it is a text whatever it looks like, as {name:text} and paths with true in them give:
--only 'k=\"2023\"'. Of several names all have to be so.

Each thing that is found has a receipt: what it said, where, and how it was come to. `receipts` says later whether it
still stands. Where `calibrate` has found a threshold for the preset, a line says whether `ask` would refuse.

Examples:
  stratigraph retrieve library 'What is basalt made of?'
  stratigraph retrieve library 'What did revenue do?' --preset bag --only year=2023 --trace
  stratigraph retrieve --print bag > mine.toml
  stratigraph retrieve library 'What is chalk?' --preset mine.toml --json > found.json
  stratigraph receipts library found.json
  stratigraph retrieve grpc://localhost/library 'What is chalk?' --preset hybrid

JSON: pipeline, question, found [{receipt {kind, key, hash, places [{document, version, chunk, span {start, end}, pages}],
score {value, scale}, way [{kind, key, by}], as_of, exact}, heading, text, packed}], untold, context, units, confidence
{value, cosine, coverage}, threshold or null, trace [{stage, operator, took, gave, cut, added, detail}]. The last
of the trace is `pack`, with detail {too_long, said_already, units, budget}; the first two are places in found, from 1";

/// Arguments of `retrieve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Retrieve {
    /// The database's folder, or an address: grpc://host:port/database
    #[arg(required_unless_present = "print", value_name = "DIR|ADDRESS")]
    dir: Option<PathBuf>,
    /// The question
    #[arg(required_unless_present = "print")]
    question: Option<String>,
    /// A preset, or a file with a pipeline
    #[arg(long, value_name = "NAME|FILE", default_value = "strata")]
    preset: String,
    /// Only documents of which this metadata is so: NAME=VALUE; may be given again with another name
    #[arg(long, value_name = "NAME=VALUE")]
    only: Vec<String>,
    /// How many units of text are packed at most
    #[arg(long, value_name = "N", value_parser = above_zero)]
    budget: Option<usize>,
    /// How many of what is found are told at most
    #[arg(long, value_name = "N", value_parser = above_zero)]
    most: Option<usize>,
    /// Miss nothing that is near, whatever the pipeline says: all vectors count, and the answer is the same every time
    #[arg(long)]
    exact: bool,
    /// Say what each stage took and gave, and what was not packed
    #[arg(long)]
    trace: bool,
    /// Print how a preset is written, and do nothing else
    #[arg(long, value_name = "NAME")]
    print: Option<String>,
    /// Which models.
    #[command(flatten)]
    models: Models,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

impl Retrieve {
    /// Retrieves.
    ///
    /// # Errors
    /// A pipeline or question that cannot be; what the models or the engine refuse.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let mut reply = Reply::new("retrieve");
        if let Some(name) = &self.print {
            let text = Pipeline::preset_as_text(name).map_err(DoorError::from);
            let text = text.map_err(RagError::from)?;
            reply.line(text.trim_end()).field("text", text);
            return Ok(reply);
        }
        let (Some(dir), Some(question)) = (&self.dir, &self.question) else {
            return Err(Failure::Usage(
                "a folder and a question are needed".to_owned(),
            ));
        };
        let mut pipeline = pipeline(&self.preset)?;
        pipeline.budget = self.budget.unwrap_or(pipeline.budget);
        pipeline.most = self.most.unwrap_or(pipeline.most);
        let asked = Asked {
            pipeline: &pipeline,
            question,
            only: only(&self.only)?,
            exact: self.exact,
        };
        let cancel = &progress.interrupt().token();
        let (access, models) = (&self.access, self.models.said());
        let retrieved = match Server::if_address(dir, access, models, true, cancel)? {
            Some(server) => server.retrieve(&asked)?,
            None => self.ask_folder(dir, asked, cancel)?,
        };
        tell(&mut reply, &retrieved, self.trace);
        reply.fields(&retrieved)?;
        Ok(reply)
    }

    fn ask_folder(
        &self,
        dir: &Path,
        asked: Asked<'_>,
        cancel: &CancelToken,
    ) -> Result<Retrieved, Failure> {
        let open = open_read_only(dir, self.models.equipment()?)?;
        let pipeline = asked.pipeline;
        let retrieved = open.retrieve(pipeline, &question(asked)?, cancel);
        Ok(retrieved.map_err(RagError::from)?)
    }
}

/// So many lines of a text are shown; `--json` has all of it.
const MOST_LINES: usize = 6;
/// So much of what an operator says of itself is shown.
const MOST_SIGNS: usize = 200;

fn tell(reply: &mut Reply, retrieved: &Retrieved, with_trace: bool) {
    for (found, rank) in retrieved.found.iter().zip(1..) {
        let receipt = &found.receipt;
        let place = receipt.places.first();
        let place = place.map(|place| format!("  {}", shown(place)));
        let score = format!("{:.3} {}", receipt.score.value, receipt.score.scale.name());
        reply.line(format!(
            "{rank}. {}  {score}{}",
            receipt.name.kind,
            place.unwrap_or_default()
        ));
        if !found.heading.is_empty() {
            reply.line(format!("   {}", found.heading));
        }
        let lines = found.text.lines().filter(|line| !line.trim().is_empty());
        for line in lines.take(MOST_LINES) {
            reply.line(format!("   {line}"));
        }
    }
    let more = retrieved.untold;
    if more > 0 {
        reply.line(format!("and {more} more: --most says how many are told"));
    }
    if retrieved.found.is_empty() {
        reply.line(match retrieved.why_nothing() {
            Some(why) => format!("nothing was found: {why}"),
            None => "nothing was found".to_owned(),
        });
    }
    if let Some(threshold) = retrieved.threshold {
        reply.line("").line(trust(retrieved, threshold));
    }
    if with_trace {
        let confidence = retrieved.confidence;
        let part = |part: Option<f32>| part.map_or("none".to_owned(), |part| format!("{part:.3}"));
        reply.line("").line(format!(
            "confidence {:.3}: cosine {}, share of rare words {}",
            confidence.value,
            part(confidence.parts.cosine),
            part(confidence.parts.coverage)
        ));
        let mut table = Table::of_numbers(["stage", "operator", "took", "gave", "cut", "added"]);
        for stage in &retrieved.trace {
            table.row(row(stage));
        }
        reply.line("").table(&table);
        let details: Vec<String> = retrieved.trace.iter().flat_map(details).collect();
        if !details.is_empty() {
            reply.line("").line(details.join("\n"));
        }
    }
}

/// Whether `ask` would answer from it.
fn trust(retrieved: &Retrieved, threshold: f32) -> String {
    let value = retrieved.confidence.value;
    if retrieved.is_below_threshold() {
        return format!(
            "confidence {value:.3}, below the calibrated {threshold:.3}: `ask` would refuse"
        );
    }
    match retrieved.is_refused() && !retrieved.found.is_empty() {
        true => format!(
            "confidence {value:.3}, and nothing of it fits into the budget: `ask` would refuse"
        ),
        false => trusted(value, threshold),
    }
}

/// What an operator says of itself: a line for each level of a descent, for each layer of communities, or for all of it.
fn details(stage: &Traced) -> Vec<String> {
    let all: &[Json] = match &stage.detail {
        Json::Null => &[],
        Json::Array(all) => all,
        whole => std::slice::from_ref(whole),
    };
    let line = |one: &Json| {
        let told = match one {
            Json::Object(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|(name, value)| format!("{name} {value}"));
                fields.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        let told: String = told.chars().take(MOST_SIGNS).collect();
        format!("{}: {told}", stage.stage)
    };
    all.iter().map(line).collect()
}

fn row(stage: &Traced) -> [String; 6] {
    let numbers = [stage.took, stage.gave, stage.cut, stage.added].map(|number| number.to_string());
    let [took, gave, cut, added] = numbers;
    let operator = match stage.not_there {
        true => format!("{} (no such layer)", stage.operator),
        false => stage.operator.clone(),
    };
    [stage.stage.clone(), operator, took, gave, cut, added]
}
